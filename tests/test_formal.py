# amaranth: UnusedElaboratable=no
"""Proofs about the router and the arbiter; what they say together is in ``docs/formal.md``.

All are unbounded: ABC's property directed reachability finds the invariants itself. Covers are
reached within 20 cycles.
"""

from pathlib import Path

import pytest
from formal import cones, contract, tool
from formal.arbiter import ArbiterBench
from formal.faults import FAULTS, NETLIST_FAULTS, UNREACHED, Fault, faulty
from formal.ports import Bench
from formal.tables import TABLES, table

from noc.hardware import Router
from noc.hardware.arbiter import RoundRobin

pytestmark = pytest.mark.skipif(tool.missing() is not None, reason=str(tool.missing()))

QUICK = ("star:3", "star:3 classes", "mixed")
NAMES = [
    name if name in QUICK else pytest.param(name, marks=pytest.mark.slow)
    for name in (*TABLES, "mixed")
]


def prove(folder: Path, bench) -> tool.Result:
    tool.write(folder, bench, bench.ports)
    return tool.run(folder, "prove", "abc pdr")


def cover(folder: Path, bench) -> tool.Result:
    tool.write(folder, bench, bench.ports)
    return tool.run(folder, "cover", "smtbmc --nopresat yices", depth=20)


@pytest.mark.parametrize("group", contract.PROMISES)
@pytest.mark.parametrize("name", NAMES)
def test_the_router_keeps_its_promises_for_ever(tmp_path: Path, name: str, group: str) -> None:
    done = prove(tmp_path, Bench(table(name), *contract.PROMISES[group]))
    assert done.status == "PASS", done.log


@pytest.mark.parametrize("group", contract.PROMISES)
@pytest.mark.parametrize("name", NAMES)
def test_the_promises_are_about_something(tmp_path: Path, name: str, group: str) -> None:
    done = cover(tmp_path, Bench(table(name), *contract.PROMISES[group]))
    assert done.status == "PASS", done.log


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_a_planted_fault_breaks_its_promise(tmp_path: Path, fault: Fault) -> None:
    truth = table(fault.table)
    router = faulty(fault).Router(truth, width=2)
    done = prove(tmp_path, Bench(truth, getattr(contract, fault.promise), router=router))
    assert done.status == "FAIL", done.log


@pytest.mark.parametrize("fault", UNREACHED.values(), ids=UNREACHED)
def test_a_planted_fault_leaves_something_unreached(tmp_path: Path, fault: Fault) -> None:
    truth = table(fault.table)
    router = faulty(fault).Router(truth, width=2)
    done = cover(tmp_path, Bench(truth, getattr(contract, fault.promise), router=router))
    assert done.status == "FAIL", done.log


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5])
def test_the_arbiter_grants_the_first_after_the_last(tmp_path: Path, count: int) -> None:
    assert prove(tmp_path, ArbiterBench(RoundRobin(count))).status == "PASS"


def test_an_arbiter_that_favours_the_lowest_fails(tmp_path: Path) -> None:
    module = faulty(FAULTS["lowest in-port always first"])
    assert prove(tmp_path, ArbiterBench(module.RoundRobin(3))).status == "FAIL"


@pytest.mark.parametrize("name", [*TABLES, "mixed"])
def test_no_ready_waits_for_another_and_no_payload_decides(tmp_path: Path, name: str) -> None:
    router = Router(table(name), width=3)
    assert cones.ready_chains(tmp_path, router) == []
    assert cones.payload_leaks(tmp_path, router) == []


@pytest.mark.parametrize("fault", NETLIST_FAULTS.values(), ids=NETLIST_FAULTS)
def test_a_planted_fault_shows_in_the_netlist(tmp_path: Path, fault: Fault) -> None:
    router = faulty(fault).Router(table(fault.table), width=3)
    assert getattr(cones, fault.promise)(tmp_path, router)
