"""Faults in gates: many runs at once against one at a time, known answers, and files that go on."""

import contextlib
import csv
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from noc.design import build_design
from noc.errors import CheckError, InputError
from noc.faults.bench import Subject, build_subject, usual_run
from noc.faults.campaign import BATCH, Campaign, Fault, agree
from noc.faults.tally import metrics, play
from noc.verify.expected import expect
from noc.verify.records import LOG_HEADER
from noc.verify.runs import Run, run

DIRECT: dict[str, Any] = {"fabric": "direct", "sinks": "always-ready"}
SLICES = {**DIRECT, "algorithm": "disjoint"}
SUMS = {"operations": "broadcast,all_reduce:sum"}


def prepared(folder: Path, spec: str, words: int = 2, **options: Any) -> tuple[Subject, Run]:
    design = build_design(spec, **options)
    chosen = run(design, usual_run(design), words=words, cycles=None, seed=1)
    folder.mkdir(exist_ok=True)
    return build_subject(design, chosen, folder), chosen


@pytest.fixture(scope="module")
def star(tmp_path_factory: pytest.TempPathFactory) -> tuple[Subject, Run]:
    return prepared(tmp_path_factory.mktemp("gates"), "star:3", width=8)


# One run at a time, with the same gates and nothing else in common.


def alone(subject: Subject, fault: Fault | None) -> tuple[list[tuple[int, int, int]], int]:
    """What each sink gets, with its cycle, and how many words sources give."""
    return stepped(subject, fault)[:2]


def alarms(subject: Subject, fault: Fault | None) -> set[tuple[int, int]]:
    """The alarms that are up, by cycles."""
    return stepped(subject, fault)[2]


def stepped(
    subject: Subject, fault: Fault | None
) -> tuple[list[tuple[int, int, int]], int, set[tuple[int, int]]]:
    """One run, a gate after the other."""
    gates, bench = subject.gates, subject.bench
    value = [0, 1] + [0] * (gates.signals - 2)
    for _, q, begin in gates.registers.tolist():
        value[q] = begin
    forced = {} if fault is None or fault.kind == "flip" else {fault.site: fault.when}
    sent, got, taken = [0] * len(bench.inject), [], 0
    up = set[tuple[int, int]]()
    rows = gates.gates.tolist()

    def put(signal: int, new: int) -> None:
        value[signal] = forced.get(signal, new)

    for cycle in range(bench.cycles):
        for number, (_, q, _) in enumerate(gates.registers.tolist()):
            flips = fault == Fault("flip", number, cycle)
            put(q, value[q] ^ flips)
        offered = []
        for source, (valid, _) in enumerate(bench.inject.tolist()):
            word = bench.first[source] + sent[source]
            due = word < bench.first[source + 1] and bench.release[word] <= cycle
            put(valid, int(due))
            for bit, signal in enumerate(bench.inject_bits[source].tolist()):
                if signal >= 0:
                    put(signal, int(due and bench.words[word, bit]))
            offered.append(due)
        for sink, (_, ready) in enumerate(bench.eject.tolist()):
            if ready > 1:
                level = cycle >= bench.busy or bench.ready[cycle % len(bench.ready), sink]
                put(ready, int(level))
        for start in bench.start.tolist():
            put(start, int(bench.starts[cycle % len(bench.starts)]))
        for kind, output, a, b, s in rows:
            results = (1 - value[a], value[a] & value[b], value[a] ^ value[b])
            put(output, (*results, value[b] if value[s] else value[a])[kind])
        up |= {(cycle, signal) for signal in bench.alarms.tolist() if value[signal]}
        for sink, (valid, ready) in enumerate(bench.eject.tolist()):
            if value[valid] and value[ready]:
                bits = [value[s] if s >= 0 else 0 for s in bench.eject_bits[sink].tolist()]
                got.append((cycle, sink, sum(bit << n for n, bit in enumerate(bits))))
        for source, (_, ready) in enumerate(bench.inject.tolist()):
            if offered[source] and value[ready]:
                sent[source] += 1
                taken += 1
        after = [value[d] for d, _, _ in gates.registers.tolist()]
        for (_, q, _), new in zip(gates.registers.tolist(), after, strict=True):
            put(q, new)
    return got, taken, up


def modelled(subject: Subject, chosen: Run) -> list[tuple[int, int, int]]:
    """What sinks get by the cycle model."""
    first, count = len(subject.interface.inject), len(subject.interface.eject)
    return [
        (int(row[0]), int(row[1]) - first, int.from_bytes(row[LOG_HEADER:].tobytes(), "little"))
        for chunk in expect(subject.design, subject.interface, chosen)
        for row in chunk.records
        if 0 <= int(row[1]) - first < count
    ]


def judged(
    right: list[tuple[int, int, int]], seen: tuple[list[Any], int], words: int, ordered: bool
) -> str:
    """As the page has it, of broadcasts that all carry other data, in other words."""
    got, taken = seen
    if got == right:
        return "masked"
    heard, known = Counter(event[1:] for event in got), Counter(event[1:] for event in right)
    if heard != known:
        return "wrong" if heard - known or taken == words else "hung"
    of_sinks: dict[int, list[int]] = {}
    for _, sink, word in got:
        of_sinks.setdefault(sink, []).append(word)
    orders = [*of_sinks.values()]
    # Payloads end in the number of the source, and its words have numbers that no others have.
    pairs = {(a, b) for order in orders for n, a in enumerate(order) for b in order[n + 1 :]}
    return "wrong" if ordered and any((b, a) in pairs for a, b in pairs) else "late"


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"fabric": "timetable", "start": "pulse"}])
def test_many_at_once_are_as_one_at_a_time(options: dict[str, Any], tmp_path: Path) -> None:
    subject, chosen = prepared(tmp_path, "star:3", width=8, **options)
    right = modelled(subject, chosen)
    assert alone(subject, None) == (right, subject.source.size)
    outcomes = Counter[str]()
    for kind, some in (("flip", 60), ("stuck", 30), ("link", 4)):
        campaign = Campaign(subject, kind, some, seed=3)  # type: ignore[arg-type]
        for found in campaign.play(0):
            seen = alone(subject, found.fault)
            # A word that comes late may pass one of its own source without being seen here.
            ordered = subject.design.fabric == "ordered"
            assert found.outcome == judged(right, seen, subject.source.size, ordered), found
            outcomes[found.outcome] += 1
    assert outcomes["masked"] > 10
    assert outcomes["wrong"] > 10


# The gates are those of the design: without a fault they do what the model does.

DESIGNS = [
    ("star:3", {}),
    ("mesh:2,2", {"sinks": "queued", "queue": 8, "width": 5}),
    ("ring:3", {"link_registers": 1, "sources": "0,1", "source_numbers": False, "width": 3}),
    ("star:3", {**SUMS, "width": 8}),
    ("uhc:2", {"sources": "one"}),
    ("mesh:2,2", {**SLICES, "survive": 1, "width": 4}),
    ("ring:3", {"fabric": "timetable", "width": 4}),
    ("ring:3", {"fabric": "timetable", "width": 4, "start": "pulse"}),
]


@pytest.mark.cases(0, ci=4)
@pytest.mark.parametrize(("spec", "options"), DESIGNS)
def test_without_a_fault_gates_do_what_the_model_does(
    spec: str, options: dict[str, Any], tmp_path: Path
) -> None:
    subject, chosen = prepared(tmp_path, spec, **options)
    assert alone(subject, None)[0] == modelled(subject, chosen)
    injections = Campaign(subject, "flip", 200, seed=0).play(0)
    assert {each.outcome for each in injections} >= {"masked", "wrong"}


@pytest.mark.ci
def test_gates_that_are_not_the_design_are_refused(star: tuple[Subject, Run]) -> None:
    subject, _ = star
    caught = 0
    for number in range(0, len(subject.gates.gates), 40):
        gates = subject.gates.gates.copy()
        # Each AND becomes an XOR, and others an AND.
        gates[number, 0] = 2 if gates[number, 0] == 1 else 1
        spoilt = replace(subject, gates=replace(subject.gates, gates=gates))
        with contextlib.suppress(CheckError):
            Campaign(spoilt, "flip", 1, seed=0).play(0)
            continue
        caught += 1
    assert caught > len(subject.gates.gates) / 40 / 3


@pytest.mark.ci
@pytest.mark.parametrize("kind", ["flip", "link"])
def test_a_model_whose_words_are_a_cycle_late_is_refused(
    star: tuple[Subject, Run], kind: Any
) -> None:
    """From some word on, in the order in which they were."""
    subject, _ = star
    campaign = Campaign(subject, kind, 1, seed=0)
    campaign.play(0)
    # A flip is played until all runs are alike, and maybe not to the last words.
    count = len(subject.expected.cycle) if kind == "link" else 1
    for first in range(0, count, 3):
        cycle = subject.expected.cycle.copy()
        cycle[first:] += 1
        late = replace(subject, expected=subject.expected._replace(cycle=cycle))
        with pytest.raises(CheckError, match="without a fault the gates do not do what"):
            replace(campaign, subject=late).play(0)


# Known answers.


@pytest.mark.ci
def test_registers_in_three_copies_mask_every_flip(tmp_path: Path) -> None:
    subject, _ = prepared(tmp_path / "tmr", "star:3", words=1, width=2, protect="tmr")
    campaign = Campaign(subject, "flip", None, seed=0)
    bare, _ = prepared(tmp_path / "none", "star:3", words=1, width=2)
    # Of the others some are left out, since two are alike.
    assert len(subject.gates.registers) >= 3 * len(bare.gates.registers)
    assert len(subject.gates.registers) % 3 == 0
    assert campaign.total == len(subject.gates.registers) * subject.bench.busy > BATCH
    outcomes = Counter(
        found.outcome for batch in range(campaign.batches) for found in campaign.play(batch)
    )
    assert outcomes == {"masked": campaign.total}
    wrong = sum(f.outcome == "wrong" for f in Campaign(bare, "flip", 500, seed=0).play(0))
    assert wrong > 100


@pytest.mark.ci
def test_a_vote_that_is_none_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from noc.emit import voting

    text = voting._VOTED
    spoilt = text.replace("(b & c);", "(a & c);")
    assert spoilt != text
    monkeypatch.setattr(voting, "_VOTED", spoilt)
    subject, _ = prepared(tmp_path, "star:3", width=2, protect="tmr")
    found = Campaign(subject, "flip", 900, seed=0).play(0)
    harmed = {each.part.split(".")[-2] for each in found if each.outcome == "wrong"}
    assert harmed == {"copy_0"}


@pytest.mark.cases(0, ci=1)
@pytest.mark.parametrize("spec", ["mesh:2,2", pytest.param("hypercube:3", marks=pytest.mark.slow)])
def test_a_dead_link_of_a_network_that_survives_one_is_masked(spec: str, tmp_path: Path) -> None:
    subject, _ = prepared(tmp_path / "with", spec, **SLICES, survive=1, width=8)
    campaign = Campaign(subject, "link", None, seed=0)
    assert campaign.total == len(subject.interface.links)
    assert {found.outcome for found in campaign.play(0)} == {"masked"}
    subject, _ = prepared(tmp_path / "without", spec, **SLICES, width=8)
    outcomes = [found.outcome for found in Campaign(subject, "link", None, 0).play(0)]
    assert outcomes.count("wrong") > len(outcomes) / 4


@pytest.mark.ci
def test_an_alarm_is_seen(tmp_path: Path) -> None:
    subject, _ = prepared(tmp_path, "star:3", words=6, **SUMS, width=4)
    assert len(subject.bench.alarms)
    campaign = Campaign(subject, "flip", BATCH, seed=0)
    injections = [*campaign.play(0)]
    assert {each.outcome for each in injections} >= {"masked", "detected", "wrong"}
    usual = alarms(subject, None)
    for outcome in ("detected", "wrong", "masked"):
        some = [each.fault for each in injections if each.outcome == outcome][:4]
        assert len(some) == 4
        raised = [bool(alarms(subject, fault) - usual) for fault in some]
        assert raised == [outcome == "detected"] * 4


def test_agreement_is_of_all_orders() -> None:
    assert agree([[1, 2, 4], [2, 3], [1, 3, 4], []])
    assert not agree([[1, 2], [2, 3], [3, 1]])


# What is counted, and the file.


def test_every_fault_is_played_once(star: tuple[Subject, Run]) -> None:
    campaign = Campaign(star[0], "flip", None, seed=0)
    faults = [fault for batch in range(campaign.batches) for fault in campaign.faults(batch)]
    assert len(set(faults)) == len(faults) == campaign.all
    drawn = replace(campaign, count=1500)
    assert drawn.faults(1) == drawn.faults(1) != replace(drawn, seed=1).faults(1)
    assert len(drawn.faults(0)) + len(drawn.faults(1)) == 1500


@pytest.mark.ci
def test_a_campaign_goes_on_where_its_file_ends(star: tuple[Subject, Run], tmp_path: Path) -> None:
    campaign, file = Campaign(star[0], "flip", 3 * BATCH - 100, seed=0), tmp_path / "flips.csv"
    (*_, whole) = play(campaign, None)
    states = play(campaign, file)
    next(states), next(states), next(states)
    states.close()
    # The last line of what was written is torn, in the midst of its name or later.
    text = file.read_text("utf-8")
    for end in (text.rstrip().rfind("\n") + 5, text.rstrip().rfind(","), len(text) - 1):
        file.write_text(text[:end], "utf-8")
        counts = [state.total["injections"] for state in play(campaign, file)]
        assert counts == [BATCH, 2 * BATCH, campaign.total]
    # All is there.
    (state,) = play(campaign, file)
    assert state.parts == whole.parts
    rows = csv.DictReader(file.read_text("utf-8").splitlines())
    assert sum(int(row["injections"]) for row in rows) == campaign.total
    with pytest.raises(InputError, match="is of another campaign"):
        next(play(replace(campaign, seed=1), file))
    file.write_text(text.replace(",0,", ",none,"), "utf-8")
    with pytest.raises(InputError, match="a line of it is not that of a campaign"):
        next(play(campaign, file))
    file.write_text("a,b\n1,2\n", "utf-8")
    with pytest.raises(InputError, match="is not the table of a campaign"):
        next(play(campaign, file))


def test_the_metrics_are_those_of_the_standard() -> None:
    counts = Counter(injections=200, masked=150, late=10, wrong=30, hung=10, latent=20)
    assert metrics(counts) == {"spfm": 0.8, "lfm": 140 / 160}
    assert metrics(Counter(injections=1, hung=1)) == {"spfm": 0.0, "lfm": None}


# The command.


@pytest.mark.ci
def test_the_command_counts(cli, tmp_path: Path) -> None:
    words = ("star:3", "--width", "4", "--words", "2", "--injections", "300")
    answer = cli.facts("inject", *words, "--seed", "4")
    assert answer["injections"] == 300
    assert sum(answer[name] for name in ("masked", "late", "detected", "wrong", "hung")) == 300
    assert sum(row["injections"] for row in answer["parts"]) == 300
    assert answer["spfm"] == pytest.approx(1 - (answer["wrong"] + answer["hung"]) / 300)
    folder = tmp_path / "out"
    cli("generate", "star:3", "--width", "4", "-o", folder)
    more = ("--words", "2", "--injections", "300", "--seed", "4", "-o", tmp_path / "a.csv")
    again = cli.facts("inject", "--verilog", folder, *more)
    assert again["parts"] == answer["parts"]
    _, out, _ = cli("inject", "--verilog", folder, *more)
    assert "spfm" in out


def test_what_needs_too_much_memory_is_refused(
    star: tuple[Subject, Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("noc.networks.memory.available_bytes", lambda: 100_000)
    with pytest.raises(InputError, match=r"needs about .* of memory .* use fewer words"):
        Campaign(star[0], "flip", 10, seed=0)


@pytest.mark.slow
def test_what_is_protected_and_hurt_is_an_error(cli, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("star:3", "--width", "2", "--words", "1", "--protect", "tmr", "--json")
    status, out, _ = cli("inject", *words, "--injections", "500")
    assert (status, json.loads(out)["masked"]) == (0, 500)
    from noc.emit import voting

    text = voting._VOTED.replace("(b & c);", "(a & c);")
    monkeypatch.setattr(voting, "_VOTED", text)
    status, out, _ = cli("inject", *words, "--injections", "500")
    assert (status, json.loads(out)["wrong"] > 0) == (1, True)


def test_names_of_gates_are_those_of_the_verilog(star: tuple[Subject, Run]) -> None:
    names = {name.partition(".")[0] for name in star[0].gates.names}
    assert names == {f"node_{name}" for name in star[0].interface.names}
    assert np.unique(star[0].gates.registers[:, 1]).size == len(star[0].gates.names)
