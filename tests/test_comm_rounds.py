"""Programs of nodes on the timetable fabric: what numpy gives, and what the Verilog does when."""

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from comm_programs import in_rounds, refuse, send_around
from own_operators import PLUGIN, own_operators

from noc.comm import DeadlockError, Nodes, run
from noc.comm import rounds as rounds_of_programs
from noc.comm.setup import describe_design
from noc.design import build_design
from noc.emit.folder import write
from noc.errors import CheckError, InputError
from noc.model.timetable import SumData, simulate
from noc.model.timetable.live import LiveRounds
from noc.model.traffic import Traffic
from noc.programs.operators import OPERATORS, register_operator
from noc.programs.round_table import first_inject, first_lane
from noc.programs.sums import SumProgram

WIDTH = 9


@cache
def build(spec: str, exchange: str, **options):
    return build_design(spec, fabric="timetable", exchange=exchange, width=WIDTH, **options)


ONE = {"ejects": "one"}

DESIGNS = {
    "all_gather": lambda: build("star:3", "all_gather"),
    "all_gather, one-way": lambda: build("uhc:4", "all_gather", start="pulse"),
    "all_to_all": lambda: build("mesh:2,3", "all_to_all"),
    "all_to_all, queues": lambda: build("star:3", "all_to_all", sinks="queued", queue=2),
    "scatter": lambda: build("mesh:2,3", "scatter", root=4),
    "gather": lambda: build("uhc:3", "gather", root=2, start="pulse"),
    "all_reduce:sum": lambda: build("star:3", "all_reduce:sum"),
    "all_reduce:max, two": lambda: build("torus:3,3", "all_reduce:max"),
    "all_reduce:bxor, shared": lambda: build("mesh:2,3", "all_reduce:bxor", round=3),
    "all_reduce:sum, queues": lambda: build("ring:4", "all_reduce:sum", sinks="queued", queue=2),
    "reduce_scatter:min": lambda: build("uhc:3", "reduce_scatter:min"),
    "reduce_scatter:sum, queues": lambda: build(
        "star:3", "reduce_scatter:sum", sinks="queued", queue=3
    ),
    "all_gather, ready": lambda: build("star:3", "all_gather", start="ready"),
    "all_to_all, ready": lambda: build("mesh:2,3", "all_to_all", start="ready", **ONE),
    "scatter, ready": lambda: build("best:6", "scatter", start="ready"),
    "gather, ready": lambda: build("uhc:3", "gather", root=2, start="ready", **ONE),
    "all_reduce:sum, ready": lambda: build("ring:4", "all_reduce:sum", start="ready", **ONE),
    "all_reduce:max, ready": lambda: build("torus:3,3", "all_reduce:max", start="ready", **ONE),
    "reduce_scatter:sum, ready": lambda: build(
        "star:3", "reduce_scatter:sum", start="ready", sinks="queued", queue=3
    ),
}


def without_network(design) -> Nodes:
    setup = describe_design(design)
    return Nodes(setup.size, setup.width, root=setup.root)


def asked(name: str, design) -> tuple[str, int | None]:
    return name.partition(",")[0], describe_design(design).root


@pytest.mark.cases(3, ci=12)
@pytest.mark.parametrize("name", DESIGNS)
@pytest.mark.parametrize("seed", range(3))
def test_the_model_gives_what_numpy_gives(name: str, seed: int) -> None:
    design = DESIGNS[name]()
    got = run(in_rounds, design, seed, *asked(name, design))
    expected = run(in_rounds, without_network(design), seed, *asked(name, design))
    assert [text for text, _ in got.results] == [text for text, _ in expected.results]


@pytest.mark.cases(0, ci=3)
@pytest.mark.cocotb
@pytest.mark.parametrize("name", DESIGNS)
def test_the_verilog_does_the_same_in_the_same_cycles(name: str, tmp_path: Path) -> None:
    design = DESIGNS[name]()
    write(design, tmp_path / "net")
    expected = run(in_rounds, design, 7, *asked(name, design))
    assert run(in_rounds, tmp_path / "net", 7, *asked(name, design)) == expected


@pytest.mark.cases(4)
@pytest.mark.parametrize("name", DESIGNS)
def test_cycle_by_cycle_it_is_the_model_of_whole_runs(name: str) -> None:
    """Words that are given at random, also for sums of which others give none."""
    design, lots = DESIGNS[name](), np.random.default_rng(3)
    program, net = design.program, design.network
    count = 40 * len(program.injects)
    source = lots.integers(0, len(program.injects), count)
    if program.config.complete:
        # Others would wait for ever.
        source = lots.permutation(np.tile(program.flows.inject, 20))
        count = source.size
    release = np.sort(lots.integers(0, 200, count))
    ready = np.ones((1, net.nodes), dtype=np.bool_)
    traffic = Traffic(source, release, ready, seed=5)
    events = simulate(program, traffic).events
    data = [traffic.payload(word, WIDTH) for word in range(count)]
    shown = data
    if isinstance(program, SumProgram):
        shown = SumData(program, WIDTH, 5).rows(events)[:, 0].tolist()
    lane, given, ports = first_lane(net), first_inject(net), len(net.in_ports)
    expected: dict[int, tuple[set, set]] = {}
    for place, (cycle, node, port, word, _) in enumerate(events.tuples()):
        if port >= given or port == ports:
            expected.setdefault(cycle, (set(), set()))[0].add((node, data[word]))
        elif port >= lane:
            value = shown[place] if isinstance(program, SumProgram) else data[word]
            expected.setdefault(cycle, (set(), set()))[1].add((node, value))
    live = LiveRounds(program, WIDTH)
    nodes = [inject.node for inject in program.injects]
    left = [np.flatnonzero(source == stream).tolist() for stream in range(len(nodes))]
    for cycle in range(max(expected) + 1):
        offers = {
            (nodes[stream], stream - nodes.index(nodes[stream])): stream
            for stream, words in enumerate(left)
            if words and release[words[0]] <= cycle
        }
        taken, came, _ = live.move((*end, data[left[s][0]]) for end, s in offers.items())
        moved = {(node, data[left[offers[node, s]].pop(0)]) for node, s in taken}
        assert (moved, {(node, value) for node, value, _ in came}) == expected.get(
            cycle, (set(), set())
        )
    assert not any(left)


@pytest.mark.ci
@pytest.mark.parametrize("options", [{}, {"start": "ready"}, {"start": "ready"} | ONE])
def test_words_that_are_listed_go_to_whom_they_are_for(options: dict) -> None:
    pairs = [(0, 3), (0, 4), (2, 0), (5, 3)]
    design = build_design("star:3", fabric="timetable", exchange=pairs, width=8, **options)
    expected = [[[2, 0]], [], [], [[0, 3], [5, 3]], [[0, 4]], []]
    assert run(send_around, design, pairs).results == expected
    assert run(send_around, Nodes(6, 8), pairs).results == expected
    with pytest.raises(InputError, match=r"has no word for node 1 \(132\) in a round of this"):
        run(send_around, design, [(0, 1)])


def test_vectors_of_sums_take_a_cycle_for_as_many_as_there_are_trees() -> None:
    async def add(comm, words):
        return (await comm.all_reduce(np.arange(words) + comm.rank)).tolist()

    design = build("torus:3,3", "all_reduce:sum")
    trees = len(design.program.totals)
    assert trees > 1
    alone, many = run(add, design, trees), run(add, design, 20 * trees)
    assert many.cycles == alone.cycles + 19
    assert many.results == run(add, Nodes(9, WIDTH), 20 * trees).results


def test_operators_of_users_have_an_order_of_their_own() -> None:
    async def join(comm):
        return (await comm.all_reduce(comm.rank + 1, "own-sum")).tolist()

    with own_operators():
        plain = replace(OPERATORS["own"], name="own-sum", model=lambda a, b, w: (a + b) % 2**w)
        register_operator(plain)
        design = build_design("star:3", fabric="timetable", exchange="all_reduce:own-sum")
        assert run(join, design).results == [[21]] * 6


async def _one_does_not(comm):
    if comm.rank != 1:
        await comm.all_reduce(1)


WRONG = {
    "no exchange has it": (
        lambda comm: comm.barrier(),
        r"node 0 \(123\): the network was built without barrier; it is for all_reduce:sum: leave o",
    ),
    "another operator": (lambda comm: comm.all_reduce(1, "max"), "with exchange=.all_reduce:max"),
    "another length": (
        lambda comm: comm.all_reduce([1] * (1 + comm.rank)),
        "gives all_reduce:sum with 2 words where node 0",
    ),
    "another kind": (lambda comm: comm.reduce_scatter([1] * 6), "exchange=.reduce_scatter:sum"),
    "words to a node": (lambda comm: comm.send(1, 2), "without send; .* exchange=.all_to_all"),
}


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.filterwarnings("ignore:coroutine")
def test_wrong_programs_are_told_in_a_line(name: str) -> None:
    refuse(build("star:3", "all_reduce:sum"), *WRONG[name])


PROGRAM = """\
async def main(comm):
    return (await comm.all_reduce(60 * comm.rank, "saturate")).tolist()
"""


@pytest.mark.ci
@pytest.mark.cocotb
def test_operators_of_plug_ins_are_known_beside_the_verilog(cli, tmp_path: Path) -> None:
    (tmp_path / "saturate.py").write_text(PLUGIN)
    (tmp_path / "main.py").write_text(PROGRAM)
    options = ("--fabric", "timetable", "--exchange", "all_reduce:saturate", "--width", "8")
    plugin = ("--plugin", str(tmp_path / "saturate.py"))
    known = ("run", str(tmp_path / "main.py"), "ring:4", *options, *plugin)
    # The sum of 0, 60, 120 and 180 would be more.
    told = cli.facts(*known, "--engine", "verilog")
    assert told["results"] == ["[255]"] * 4
    assert told == cli.facts(*known)


@pytest.mark.parametrize("start", ["always", "ready"])
def test_who_is_missing_is_told(start: str) -> None:
    with pytest.raises(DeadlockError, match=r"all_reduce:sum, which node 1 has not given$"):
        run(_one_does_not, build("star:3", "all_reduce:sum", start=start))


async def _send_some(comm):
    """Some nodes have words for some others, one of them late, and one has none."""
    if comm.rank in (0, 4):
        await comm.sleep(1 + 50 * comm.rank)
        await comm.send([7, 8, 9], 2)
    if comm.rank == 2:
        return [(await comm.recv(source)).values.tolist() for source in (4, 0)]
    return None


def test_void_words_complete_a_round_when_nothing_else_goes_on() -> None:
    design = build("mesh:2,3", "all_to_all", start="ready", **ONE)
    got = run(_send_some, design)
    assert got.results[2] == [[7, 8, 9]] * 2
    # The words of both nodes are of the same three rounds, as one waits for the other.
    assert 200 < got.cycles < 200 + design.program.cycles_of(3) + 10


@pytest.mark.parametrize("options", [{}, {"start": "ready"}, {"operations": "send"}])
def test_who_sleeps_for_long_is_waited_for(options: dict) -> None:
    if "operations" in options:
        design = build_design("star:3", width=8, **options)
    else:
        design = build("star:3", "all_to_all", **options)

    async def late(comm):
        if comm.rank == 0:
            await comm.sleep(20_000)
            await comm.send([1, 2], 1)
        return (await comm.recv(0)).values.tolist() if comm.rank == 1 else None

    assert run(late, design).results[1] == [1, 2]


def test_a_root_is_that_of_the_network() -> None:
    async def gather(comm, root):
        return [v.tolist() for v in await comm.gather(comm.rank, root) or ()]

    design = build("uhc:3", "gather", root=2, start="pulse")
    everything = [[rank] for rank in range(8)]
    assert run(gather, design, None).results == [everything if n == 2 else [] for n in range(8)]
    with pytest.raises(InputError, match=r"the root of this network is node 2 \(\d+\), by root"):
        run(gather, design, 1)


FAULTS = {
    "a word of another message": ("_expect", lambda keys: [keys[0]] * len(keys)),
    "words in another order": ("_expect", lambda keys: keys[::-1]),
}


@pytest.mark.parametrize("name", FAULTS)
def test_what_is_exchanged_is_seen(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sums that are told apart by nothing but stream and phase."""
    method, turned = FAULTS[name]
    right = getattr(rounds_of_programs.RoundSession, method)

    def wrong(session, rank, message, source, keys):
        return right(session, rank, message, source, turned(keys))

    monkeypatch.setattr(rounds_of_programs.RoundSession, method, wrong)
    design = build("torus:3,3", "all_reduce:max")

    async def add(comm):
        return (await comm.all_reduce(np.arange(4) + comm.rank, "max")).tolist()

    with pytest.raises((AssertionError, CheckError)):
        assert run(add, design).results == run(add, Nodes(9, WIDTH)).results
