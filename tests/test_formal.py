"""Proofs about the router and its arbiter; what they say together is in ``docs/formal.md``.

All are unbounded: ABC's property directed reachability finds the invariants itself. Covers are
reached within 20 cycles.
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from amaranth.hdl import Assert, Assume, Module, ResetSignal, Value
from amaranth.lib import wiring
from formal import cones, contract, tool
from formal.faults import CONFIG_FAULTS, FAULTS, NETLIST_FAULTS, UNREACHED, Fault, faulty
from formal.ports import Bench
from formal.tables import CONFIGS, TABLES, table

from noc.hardware import Router
from noc.hardware.direct.router import FixedPriority
from noc.programs.config import RouterConfig

pytestmark = tool.proofs

SLOW = pytest.mark.slow

# Cycles in which all covers are reached.
DEPTH = 20

# Cycles in which the covers that a planted fault keeps out of reach are reached without it.
SHALLOW = 10

QUICK = ("star:3", "star:3 one-port")
NAMES = [name if name in QUICK else pytest.param(name, marks=SLOW) for name in (*TABLES, "mixed")]


def one_a_promise() -> Iterator:
    """The faults: the first of each promise, and as slow tests all others."""
    seen: set[str] = set()
    for name, fault in FAULTS.items():
        marks = [SLOW] if fault.promise in seen else []
        seen.add(fault.promise)
        yield pytest.param(fault, id=name, marks=marks)


@pytest.mark.cases(1, ci=2)
@pytest.mark.parametrize("group", contract.PROMISES)
@pytest.mark.parametrize("name", NAMES)
def test_the_router_keeps_its_promises_for_ever(tmp_path: Path, name: str, group: str) -> None:
    tool.prove(tmp_path, Bench(table(name), *contract.PROMISES[group])).check("PASS")


@pytest.mark.cases(0, ci=3)
@pytest.mark.parametrize("group", contract.PROMISES)
@pytest.mark.parametrize("name", NAMES)
def test_the_promises_are_about_something(tmp_path: Path, name: str, group: str) -> None:
    tool.cover(tmp_path, Bench(table(name), *contract.PROMISES[group]), depth=DEPTH).check("PASS")


def in_configs() -> Iterator:
    """Each configuration with each table and group of promises; one of each is quick."""
    for config, (_, tables, groups) in CONFIGS.items():
        for name in tables:
            for group in groups:
                quick = (name, group) == ("star:3", "word")
                marks = [] if quick else [SLOW]
                yield pytest.param(config, name, group, id=f"{config}-{name}-{group}", marks=marks)


@pytest.mark.cases(0, ci=1)
@pytest.mark.parametrize(("config", "name", "group"), list(in_configs()))
def test_other_configurations_keep_their_promises(
    tmp_path: Path, config: str, name: str, group: str
) -> None:
    built, _, groups = CONFIGS[config]
    for way in (tool.prove, partial(tool.cover, depth=DEPTH)):
        way(tmp_path, Bench(table(name), *groups[group], config=built)).check("PASS")


@pytest.mark.cases(0, ci=3)
@pytest.mark.parametrize(("config", "fault"), CONFIG_FAULTS.values(), ids=CONFIG_FAULTS)
def test_a_fault_in_another_configuration_breaks_its_promise(
    tmp_path: Path, config: str, fault: Fault
) -> None:
    truth, built = table(fault.table), CONFIGS[config][0]
    router = faulty(fault).Router(truth, width=2, config=built)
    watcher = getattr(contract, fault.promise)
    bench = Bench(truth, watcher, config=built, router=router)
    tool.prove(tmp_path, bench, traces=False).check("FAIL")


@pytest.mark.cases(1, ci=3)
@pytest.mark.parametrize("fault", list(one_a_promise()))
def test_a_planted_fault_breaks_its_promise(tmp_path: Path, fault: Fault) -> None:
    truth = table(fault.table)
    router = faulty(fault).Router(truth, width=2)
    bench = Bench(truth, getattr(contract, fault.promise), router=router)
    tool.prove(tmp_path, bench, traces=False).check("FAIL")


@pytest.mark.cases(0, ci=1)
@pytest.mark.parametrize("fault", UNREACHED.values(), ids=UNREACHED)
def test_a_planted_fault_leaves_something_unreached(tmp_path: Path, fault: Fault) -> None:
    truth, watcher = table(fault.table), getattr(contract, fault.promise)
    for router, status in ((None, "PASS"), (faulty(fault).Router(truth, width=2), "FAIL")):
        tool.cover(tmp_path, Bench(truth, watcher, router=router), depth=SHALLOW).check(status)


def test_every_fault_can_be_planted() -> None:
    """Those of slow proofs, too: each is a text of the hardware as it is today."""
    for fault in FAULTS.values():
        faulty(fault)


def test_every_promise_is_broken_by_a_fault() -> None:
    promises = {watcher.__name__ for group in contract.PROMISES.values() for watcher in group}
    others = {fault.promise for _, fault in CONFIG_FAULTS.values()}
    assert {fault.promise for fault in FAULTS.values()} | others == promises


class FixedPriorityBench(wiring.Component):
    """The lowest request wins."""

    def __init__(self, arbiter: FixedPriority) -> None:
        self.arbiter = arbiter
        self.ports = [arbiter.requests, arbiter.grant]
        super().__init__({})

    def elaborate(self, _platform) -> Module:
        m = Module()
        m.submodules.arbiter = arbiter = self.arbiter
        m.d.comb += [Assume(~ResetSignal()), Assert(arbiter.grant == _lowest(arbiter.requests))]
        m.d.comb += _one_request(arbiter)
        return m


def _lowest(requests: Value) -> Value:
    """The lowest bit that is set."""
    return (requests & -requests)[: len(requests)]


def _one_request(arbiter: FixedPriority) -> list:
    """Exactly one request is granted where there is any."""
    grant = arbiter.grant
    return [
        Assert(~(grant & ~arbiter.requests).any()),
        Assert((grant & (grant - 1)[: len(grant)]) == 0),
        Assert(grant.any() == arbiter.requests.any()),
    ]


@pytest.mark.cases(1)
@pytest.mark.parametrize("count", [1, 2, 5])
def test_fixed_priority_grants_the_lowest(tmp_path: Path, count: int) -> None:
    tool.prove(tmp_path, FixedPriorityBench(FixedPriority(count))).check("PASS")


@pytest.mark.ci
def test_the_highest_is_not_the_lowest(tmp_path: Path) -> None:
    arbiter = faulty(FAULTS["highest in-port first"]).FixedPriority(3)
    tool.prove(tmp_path, FixedPriorityBench(arbiter), traces=False).check("FAIL")


@pytest.mark.parametrize("name", NAMES)
def test_no_ready_waits_for_another_and_no_payload_decides(tmp_path: Path, name: str) -> None:
    router = Router(table(name), width=3)
    assert cones.ready_chains(tmp_path, router) == []
    assert cones.payload_leaks(tmp_path, router) == []


@pytest.mark.cases(2)
@pytest.mark.parametrize("config", CONFIGS)
def test_nor_do_they_in_other_configurations(tmp_path: Path, config: str) -> None:
    built, names, _ = CONFIGS[config]
    router = Router(table(names[0]), width=3, config=built)
    assert cones.ready_chains(tmp_path, router) == []
    assert cones.payload_leaks(tmp_path, router) == []


def test_a_relay_that_waits_for_valid_shows_in_the_netlist(tmp_path: Path) -> None:
    right, wrong = "self.i.ready.eq(ready)", "self.i.ready.eq(ready & self.i.valid)"
    fault = Fault("buffers", right, wrong, "ready_chains")
    router = faulty(fault).Router(
        table(fault.table), width=3, config=RouterConfig(link_registers=1)
    )
    assert ("in_0__ready", "in_0__valid") in cones.ready_chains(tmp_path, router)


@pytest.mark.cases(3)
@pytest.mark.parametrize("fault", NETLIST_FAULTS.values(), ids=NETLIST_FAULTS)
def test_a_planted_fault_shows_in_the_netlist(tmp_path: Path, fault: Fault) -> None:
    router = faulty(fault).Router(table(fault.table), width=3)
    assert getattr(cones, fault.promise)(tmp_path, router)
