"""Whether the network is empty, told by an output: model, hardware, manifest and benches."""

import numpy as np
import pytest
from folders import bench, manifest_of
from helpers import edit
from hypothesis import given, settings
from hypothesis import strategies as st
from ordered_runs import run_benches
from readable_router import ReferenceNetwork

from noc.design import build_design, build_direct
from noc.emit.folder import write
from noc.emit.manifest import build_manifest
from noc.errors import InputError
from noc.hardware import BroadcastNetwork
from noc.model import SINKS, random_words, simulate
from noc.networks import build_network
from noc.programs.config import RouterConfig
from noc.verify import run, verify_files
from noc.verify.folder import read_folder
from noc.verify.streams import interface

FORMS = (
    RouterConfig(),
    RouterConfig(link_registers=1),
    RouterConfig(queue=2),
    RouterConfig(1, "block", 3),
)

DESIGNS = [
    *(build_direct(build_network("star:3"), sources="one", width=4, config=form) for form in FORMS),
    build_direct(build_network("uhc:3"), ports="one", sources="one", width=4, config=FORMS[1]),
    build_direct(build_network("mesh:2,2"), sources=[3], width=4),
]


def idle_cycles(changes, cycles: int) -> list[bool]:
    """For each cycle whether the network is empty: it is at first, and the changes alternate."""
    return [np.searchsorted(changes, cycle, side="right") % 2 == 0 for cycle in range(cycles)]


@given(st.sampled_from(DESIGNS), st.sampled_from(sorted(SINKS)), st.integers(0, 10**6))
@settings(max_examples=40)
def test_the_model_is_idle_as_the_reference_is(built, sinks: str, seed: int) -> None:
    ready = SINKS[sinks](built.network.nodes, seed)
    traffic = random_words(built.program, 8, gap=7, seed=seed).taken_by(ready)
    reference = ReferenceNetwork(built.program, traffic)
    events = reference.run(300)
    given = simulate(built.program, traffic, cycles=300)
    assert given.events.tuples() == events
    more = range(300) if given.end == "drained" else range(given.cycles)
    assert idle_cycles(given.idle, len(more)) == reference.idle[: len(more)]


def test_only_one_source_at_a_time_has_it() -> None:
    built = build_design("star:3", width=4)
    assert not hasattr(BroadcastNetwork(built), "idle")
    assert "idle" not in build_manifest(built, [])


@pytest.mark.cases(2)
@pytest.mark.parametrize("built", DESIGNS)
def test_the_hardware_is_idle_as_the_model_is(built) -> None:
    """Cycle by cycle, with stalls; each source begins in the first cycle in which it may."""
    dut = BroadcastNetwork(built)
    ready = SINKS["half"](built.network.nodes, 3).tolist()
    turns, seen, words, arrived = [*built.program.sources] * 3, [], [], []

    async def testbench(ctx) -> None:
        ejects = [getattr(dut, f"eject_{name}") for name in dut.names]
        left, cycle = 0, 0
        while cycle < 900:
            seen.append(bool(ctx.get(dut.idle)))
            if not left and turns and seen[-1]:
                source, left = turns.pop(0), 3
            inject = getattr(dut, f"inject_{dut.names[source]}")
            ctx.set(inject.valid, left > 0)
            ctx.set(inject.payload, len(words) % 16)
            for eject, takes in zip(ejects, ready[cycle % len(ready)], strict=True):
                ctx.set(eject.ready, takes)
            if left and ctx.get(inject.ready):
                words.append((source, cycle))
                left -= 1
            arrived.append(sum(ctx.get(e.valid) and ctx.get(e.ready) for e in ejects))
            await ctx.tick()
            ctx.set(inject.valid, 0)
            cycle += 1

    run_benches(dut, {"sync": 1}, testbench, until=1000)
    assert not turns
    source, release = np.array(words).T
    traffic = random_words(built.program, len(words), gap=0, seed=0)
    traffic = type(traffic)(source, release, np.array(ready), 0)
    model = simulate(built.program, traffic)
    assert model.drained
    assert seen == idle_cycles(model.idle, len(seen))
    # What has been accepted is seen in the very next cycle; and nothing is lost.
    assert not any(seen[cycle + 1] for _, cycle in words)
    assert sum(arrived) == len(words) * (built.network.nodes - 1)


FAULTS = {
    "a router is not asked": ("noc_star_3.v", r"~|busy;", "~|busy[4:0];"),
    "a relay is not asked": ("noc_star_3_router.v", r"assign busy = | {", "assign busy = & {"),
}


@pytest.fixture
def folder(tmp_path):
    built = build_direct(build_network("star:3"), sources="one", width=8, config=FORMS[1])
    write(built, tmp_path / "out")
    return tmp_path / "out"


@pytest.mark.cocotb
@pytest.mark.slow
@pytest.mark.parametrize("fault", [None, *FAULTS])
def test_a_fault_of_idle_is_seen(folder, tmp_path, parts, fault) -> None:
    if fault is not None:
        file, *texts = FAULTS[fault]
        edit(folder / file, *texts)
    result = read_folder(folder)
    files = result.manifest, result.sources
    runs = [run(result.design, "single:half", words=None, cycles=None, seed=1)]
    (tmp_path / "made").mkdir()
    report = verify_files(result.design, *files, runs, tmp_path / "made", parts=parts)
    assert report.passed == (fault is None)
    if fault is not None:
        assert ", idle: expected " in report.runs[0].comparison.first[0]
    bench(folder, "run.py", status=int(fault is not None))


def test_a_manifest_with_idle_for_several_sources_is_refused(folder) -> None:
    known = manifest_of(folder)
    assert known["idle"] == "idle"
    several = build_design("star:3", width=8)
    with pytest.raises(InputError, match="idle is only for one source at a time"):
        interface(known, several)


def test_the_name_of_a_module_is_not_that_of_the_output(tmp_path) -> None:
    built = build_direct(build_network("star:3"), sources="one", width=8)
    for name in ("idle", "busy"):
        with pytest.raises(InputError, match=f"^name='{name}': is the name of a signal"):
            write(built, tmp_path / "out", name=name)
