"""Programs of nodes: what they compute and wait for, the command, and the programs of sim/."""

import asyncio
import importlib
import random
import re
import sys
from dataclasses import replace
from functools import cache, reduce
from operator import xor
from pathlib import Path

import numpy as np
import pytest
from comm_programs import (
    OPERATIONS,
    at_random,
    each_operation,
    fail_late,
    know_the_network,
    one_after_the_other,
    publish_all,
    refuse,
    wait_for_each_other,
)
from helpers import started
from test_readme import files

from noc.comm import BAND, MAX_SIGNED, DeadlockError, Nodes, run
from noc.comm.comm import decode, encode
from noc.comm.session import WordSession
from noc.comm.setup import describe_design, describe_manifest
from noc.design import build_design
from noc.emit.folder import write
from noc.emit.manifest import build_manifest
from noc.errors import CheckError, InputError
from noc.model import operators
from noc.programs.operators import BUILT_IN as OPERATORS

WIDTH = 9


@cache
def build(spec: str, **options):
    some = [0, 2, 3]
    return build_design(
        spec, operations=list(OPERATIONS), groups={"some": some}, width=WIDTH, **options
    )


def without_network(design) -> Nodes:
    setup = describe_design(design)
    groups = {name: nodes for name, nodes in setup.groups.items() if name != "all"}
    return Nodes(setup.size, setup.width, groups, setup.own_words, labels=setup.labels)


DESIGNS = {
    "star": lambda: build("star:3"),
    "one-way, registers, queues": lambda: build("uhc:3", link_registers=1, queue=2),
    "own words": lambda: build("ring:5", own_words="return", root=3),
}


@pytest.mark.parametrize("name", DESIGNS)
def test_each_operation_does_what_it_says(name: str) -> None:
    design = DESIGNS[name]()
    size, some = design.network.nodes, describe_design(design).groups["some"]
    numbers = [rank + 1 for rank in range(size)]
    results = run(each_operation, design).results
    for rank, result in enumerate(results):
        assert result["bcast"] == [1, 2, 3]
        assert result["scatter"] == [rank, rank * rank]
        assert result["all_gather"] == [[n, 0, n] for n in numbers]
        assert result["sum"] == [size * 100 % 512, size * 200 % 512, sum(numbers)]
        assert result["all_to_all"] == [[n * rank] for n in numbers]
        assert result["reduce_scatter"] == [size, rank]
        assert result["signed sum"] == [-sum(numbers)]
        assert result["signed min"] == [-size, 3 - size]
        assert result["recv"] == ((rank - 1) % size, [(rank - 1) % size + 1] * 2)
        last = rank == size - 1
        assert result["gather"] == ([[n] * n for n in numbers] if last else None)
        assert result["reduce"] == ([size, 8] if last else None)
        if rank in some:
            assert result["bxor"] == [reduce(xor, (n + 1 for n in some)), len(some) % 2]
            assert result.get("published", (0, [7, 8])) == (0, [7, 8])
    assert run(each_operation, without_network(design)).results == results


@pytest.mark.parametrize("name", DESIGNS)
@pytest.mark.parametrize("seed", range(4))
def test_the_model_gives_what_numpy_gives(name: str, seed: int) -> None:
    design = DESIGNS[name]()
    nodes = without_network(design)
    assert run(at_random, design, seed).results == run(at_random, nodes, seed).results


@pytest.mark.parametrize("name", DESIGNS)
def test_a_manifest_says_what_the_design_says(name: str) -> None:
    design = DESIGNS[name]()
    assert describe_manifest(build_manifest(design, [])) == describe_design(design)


@pytest.mark.ci
@pytest.mark.cocotb
def test_the_verilog_does_the_same_in_the_same_cycles(tmp_path: Path) -> None:
    design = build("ring:4", own_words="return", root=3)
    write(design, tmp_path / "net")
    expected = run(one_after_the_other, design, 5)
    got = run(one_after_the_other, tmp_path / "net", 5)
    assert got == expected
    # Another network would have been told from this one.
    slower = build("ring:4", own_words="return", root=3, link_registers=1)
    assert run(one_after_the_other, slower, 5).ended != got.ended
    with pytest.raises(ZeroDivisionError) as caught:
        run(fail_late, tmp_path / "net")
    assert caught.value.__notes__[0] == "in the program of node 0 (3), in cycle 5"


def test_cycles_are_those_of_the_contract() -> None:
    """A result is there after joined + down, and its program goes on in the cycle after that."""
    design = build("star:3")
    manifest = build_manifest(design, [])

    async def add(comm):
        await comm.all_reduce(1)

    async def tell(comm):
        await comm.bcast(1, root=2)

    down = [node["down"] for node in manifest["nodes"]]
    assert run(add, design).ended == [manifest["joined"]["all"] + cycles + 1 for cycles in down]
    up = manifest["nodes"][2]["up"]
    # The root goes on when its word is taken.
    expected = [up + cycles + 1 for cycles in down]
    assert run(tell, design).ended == [*expected[:2], 1, *expected[3:]]
    assert run(add, Nodes(6)).cycles == 0


def test_words_of_a_message_follow_each_other() -> None:
    """A reduction of many words takes one cycle more for each."""

    async def add(comm, words):
        await comm.all_reduce(np.arange(words))

    design = build("star:3")
    assert run(add, design, 40).cycles == run(add, design, 1).cycles + 39


def test_all_nodes_see_one_order() -> None:
    results = run(publish_all, build("ring:5", own_words="return", root=3), 4).results
    assert all(result == results[0] for result in results)
    assert sorted(results[0]) == [[rank, place] for rank in range(5) for place in range(4)]


def test_programs_know_their_network() -> None:
    design = build("star:3")
    manifest = build_manifest(design, [])
    labels = [node["label"] for node in manifest["nodes"]]
    some = tuple(sorted(labels.index(label) for label in manifest["groups"]["some"]))
    assert run(know_the_network, design).results == [(label, 9, 6, some) for label in labels]

    async def find(comm):
        return comm.rank_of(comm.label), comm.rank_of("213")

    assert run(find, design).results == [(rank, labels.index("213")) for rank in range(6)]


WAITING = (
    "nodes 0, 2, 3, 4, 5 for all_reduce:sum, which node 1 has not given; node 1 for a message by"
)


def test_a_deadlock_is_told() -> None:
    for on, name in ((build("star:3"), "node 2 (312)"), (Nodes(6), "node 2")):
        with pytest.raises(DeadlockError) as caught:
            run(wait_for_each_other, on)
        assert str(caught.value) == f"programs wait for ever: {WAITING} send from {name}"


async def _wrong_order(comm):
    await (comm.all_reduce(1) if comm.rank else comm.barrier())


async def _other_length(comm):
    await comm.all_reduce([1] * (1 + comm.rank))


async def _other_root(comm):
    await comm.reduce(1, "max", root=comm.rank)


async def _outside(comm):
    await comm.group("some").barrier()


WRONG = {
    "no such operation": (
        lambda comm: comm.all_reduce(1, BAND),
        r"node 0 \(123\): the network was built without all_reduce:band: add it to operations",
    ),
    "no such operation in a group": (
        lambda comm: comm.group("some").signed.all_reduce(1, "max"),
        "without all_reduce:max_signed@some: add it",
    ),
    "no such operator": (lambda comm: comm.all_reduce(1, "mean"), "the operators are sum, min,"),
    "no such group": (lambda comm: comm.group("left").barrier(), "the groups are all, some"),
    "no such node": (lambda comm: comm.send(1, dest=6), "dest=6: there is no such node"),
    "no such source": (lambda comm: comm.recv(6), "source=6: there is no such node"),
    "too large": (lambda comm: comm.all_reduce(512), "512 does not fit a word of 9 bits: 0 to 511"),
    "negative": (lambda comm: comm.all_reduce(-1), "allowed; comm.signed takes numbers with a"),
    "too large with a sign": (lambda comm: comm.signed.all_reduce(256), "-256 to 255 are allowed"),
    "no number": (lambda comm: comm.all_reduce([0.5]), r"is needed, not list \[0.5\]"),
    "no words": (lambda comm: comm.all_reduce([]), "a message has at least one word"),
    "nothing to give": (lambda comm: comm.bcast(root=comm.rank), "the root has to give values"),
    "too few parts": (lambda comm: comm.scatter([1], comm.rank), "1 messages for 6 nodes"),
    "no part of its own": (lambda comm: comm.all_to_all([1, 2]), "all_to_all: 2 messages for 6 no"),
    "no row of parts": (lambda comm: comm.all_to_all(5), "a row of messages is needed, one for ea"),
    "no time": (lambda comm: comm.sleep(0), r"sleep\(0\): at least one cycle is needed"),
    "not a member": (_outside, r"is not in the group 'some', which has nodes 0, "),
    "wrong order": (_wrong_order, r"node 1 \(\d+\) gives all_reduce:sum with 1 word where node 0"),
    "other length": (_other_length, "gives all_reduce:sum with 2 words where node 0"),
    "other root": (_other_root, "gives reduce:max to node 1 with 1 word where node 0"),
    "no such label": (lambda comm: comm.rank_of("999"), r"rank_of\('999'\): there is no such node"),
    "not a Comm's": (lambda _: asyncio.sleep(1), "can await only what its Comm gives|no running"),
}


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.filterwarnings("ignore:coroutine")
def test_wrong_programs_are_told_in_a_line(name: str) -> None:
    refuse(build("star:3"), *WRONG[name])


@pytest.mark.filterwarnings("error")
def test_what_was_not_awaited_is_told() -> None:
    async def forgetful(comm):
        return comm.all_reduce(1)

    with pytest.raises(InputError, match=r"^node 0 \(123\): returned what it did not await: add"):
        run(forgetful, build("star:3"))


def test_without_operations_programs_broadcast() -> None:
    async def from_node_2(comm):
        return (await comm.bcast(7 + comm.rank, root=2)).tolist()

    assert run(from_node_2, build_design("star:3")).results == [[9]] * 6

    async def total(comm):
        return await comm.all_reduce(1)

    with pytest.raises(InputError, match="built without all_reduce:sum"):
        run(total, build_design("star:3"))


def test_networks_that_carry_no_programs_are_told_so(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="ordered fabric, with its operations, or the timetable"):
        run(each_operation, build_design("star:3", sources="one"))
    with pytest.raises(InputError, match=r"has no manifest\.json"):
        run(each_operation, tmp_path)
    write(build_design("ring:3", operations=["broadcast"]), tmp_path / "net")
    with pytest.raises(InputError, match="at the top of a file"):
        run(lambda comm: comm.barrier(), tmp_path / "net")


def test_a_small_network_says_what_it_lacks() -> None:
    async def long(comm):
        await comm.bcast([1, 2])

    async def short(comm):
        return (await comm.bcast(1 if comm.rank == 0 else None)).tolist()

    plain = build_design("ring:3", operations=["broadcast", "barrier"])
    assert run(short, plain).results == [[1]] * 3
    with pytest.raises(InputError, match="messages of one word: add send to"):
        run(long, plain)
    with pytest.raises(InputError, match="words do not tell their source"):
        run(short, build_design("ring:3", operations=["broadcast"], source_numbers=False))
    with pytest.raises(InputError, match="may not send"):
        run(short, build_design("ring:3", operations=["broadcast"], sources=[1, 2]))


def test_a_run_has_its_limit() -> None:
    async def sleep(comm):
        await comm.sleep(1000)

    assert run(sleep, build("star:3"), cycles=1001).cycles == 1000
    with pytest.raises(CheckError, match="have not ended after 500 cycles"):
        run(sleep, build("star:3"), cycles=500)


@pytest.mark.parametrize("width", [1, 8, 63, 64, 100])
def test_values_are_whole_numbers_of_any_width(width: int) -> None:
    end = 1 << width
    for signed, numbers in ((False, [0, end - 1]), (True, [-end // 2, end // 2 - 1, -1])):
        words = encode(numbers, width, signed=signed)
        assert decode(words, width, signed=signed).tolist() == numbers

    async def join(comm):
        values = [end // 2 if comm.rank else end // 2 - 1, comm.rank % 2]
        least = await comm.signed.all_reduce([values[0] - end // 2, -values[1]], MAX_SIGNED)
        return (await comm.all_reduce(values)).tolist(), least.tolist()

    design = build_design(
        "ring:3", operations=["all_reduce:sum", "all_reduce:max_signed"], width=width
    )
    assert run(join, design).results == run(join, Nodes(3, width)).results


#: Each operator, written once more, for numbers with their signs.
MEANING = {
    "sum": lambda a, b: (a + b + 16) % 32 - 16,
    "min": min,
    "max": max,
    "min_signed": min,
    "max_signed": max,
    "band": lambda a, b: a & b,
    "bor": lambda a, b: a | b,
    "bxor": lambda a, b: a ^ b,
}


@pytest.mark.parametrize("op", OPERATORS)
def test_operators_mean_the_same_everywhere(op: str) -> None:
    design = build_design("ring:4", operations=[f"all_reduce:{op}", f"reduce:{op}"], width=5)
    lots = random.Random(op)
    signed = op in ("sum", "min_signed", "max_signed")
    end = 16 if signed else 32
    given = [[lots.randrange(-16 if signed else 0, end) for _ in range(20)] for _ in range(4)]

    async def join(comm):
        comm = comm.signed if signed else comm
        await comm.reduce(given[comm.rank], op, root=2)
        return (await comm.all_reduce(given[comm.rank], op)).tolist()

    expected = [reduce(MEANING[op], column) for column in zip(*given, strict=True)]
    assert run(join, design).results == [expected] * 4
    assert run(join, Nodes(4, width=5)).results == [expected] * 4


def _turned(session, message, taken):
    """Words of a message the wrong way round."""
    CARRY(session, replace(message, words=message.words[::-1]), taken)


def _of_nobody(session, node, fields):
    """Words of all sources as if they were of one."""
    RECEIVE(session, node, fields | {"source": 0})


CARRY, RECEIVE = WordSession._carry, WordSession._receive

FAULTS = [
    (sys.modules["noc.comm.run"]._COMBINE, "sum", np.bitwise_or.reduce),
    (operators._RESULTS, "min_signed", lambda left, right, _: min(left, right)),
    (WordSession, "_carry", _turned),
    (WordSession, "_receive", _of_nobody),
]


@pytest.mark.parametrize(("where", "name", "fault"), FAULTS)
def test_a_fault_in_one_engine_is_found(monkeypatch, where, name: str, fault) -> None:
    patch = monkeypatch.setitem if isinstance(where, dict) else monkeypatch.setattr
    patch(where, name, fault)
    design = build("star:3")
    try:
        results = run(each_operation, design).results
    except CheckError:
        return
    assert results != run(each_operation, without_network(design)).results


ROOT = Path(__file__).parent.parent
SIM = ROOT / "sim"
APPLICATIONS = ["conjugate_gradients", "k_means", "automaton", "replicated_store"]


@pytest.fixture(autouse=True)
def _programs(monkeypatch) -> None:
    monkeypatch.syspath_prepend(str(SIM))


def test_the_python_of_the_page_runs(tmp_path: Path, monkeypatch) -> None:
    for name, text in files("comm.md"):
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    page = (ROOT / "docs" / "comm.md").read_text(encoding="utf-8")
    snippets = re.findall(r"(?ms)^```python\n(.*?)^```$", page)
    assert len(snippets) == 2
    exec(compile(snippets[1], "comm.md", "exec"), {})


def test_the_command_gives_json(cli, tmp_path: Path) -> None:
    (tmp_path / "ranks.py").write_text("async def ranks(comm):\n    return comm.rank\n")
    facts = cli.facts("run", f"{tmp_path / 'ranks.py'}:ranks", "ring:3", "--operations", "barrier")
    assert facts == {"cycles": 0, "ended": [0, 0, 0], "results": ["0", "1", "2"]}


def test_a_network_that_only_joins_is_written(cli, tmp_path: Path) -> None:
    """No node may send there, so that there is no mean over sources."""
    folder = str(tmp_path / "net")
    assert "cycles to all" not in cli.out(
        "generate", "ring:3", "--operations", "all_reduce:sum", "-o", folder
    )


def test_a_deadlock_is_a_failed_check(cli, tmp_path: Path) -> None:
    (tmp_path / "late.py").write_text("async def main(comm):\n    await comm.recv()\n")
    status, _, err = cli("run", tmp_path / "late.py", "ring:3", "--operations", "send")
    told = "noc run: error: check failed: programs wait for ever: nodes 0, 1, 2 for a message"
    assert (status, err.startswith(told)) == (1, True)


@pytest.mark.cases(5)
@pytest.mark.parametrize("name", APPLICATIONS)
@pytest.mark.parametrize("spec", ["star:3", "ring:5", "tree:2,3"])
def test_an_application_gives_what_it_should(cli, name: str, spec: str) -> None:
    status, out, _ = cli.script(importlib.import_module(name).main, name, spec)
    assert status == 0, out


@pytest.mark.cases(1)
@pytest.mark.parametrize("name", APPLICATIONS)
def test_an_application_needs_a_network(name: str) -> None:
    done = started(sys.executable, str(SIM / f"{name}.py"), "star", status=2)
    told = f"{name}.py: error: network 'star': parameters are missing: star:n with n from 2 up\n"
    assert done.stderr == told


def test_the_solution_is_near_that_of_numpy() -> None:
    """Within what the bits after the point allow; a step too few would be far away."""
    solver = importlib.import_module("conjugate_gradients")
    matrix, right = solver.build_grid(5)
    design = build_design("ring:5", operations=solver.OPERATIONS, width=solver.WIDTH)
    parts = run(solver.solve, design, matrix, right, 16).results
    error = np.concatenate(parts) / 2**solver.FRACTION - np.linalg.solve(matrix, right)
    assert np.abs(error).max() < 1e-5


@pytest.mark.parametrize(("name", "part"), [("k_means", "assign"), ("automaton", "step")])
def test_other_results_than_those_of_numpy_are_told(cli, monkeypatch, name, part) -> None:
    """What nodes compute differs from what is computed in one place."""
    module = importlib.import_module(name)
    right = getattr(module, part)

    def wrong(*given):
        alone = sys._getframe(1).f_code.co_name.endswith("_alone")
        return right(*given) if alone else right(*given) * 0

    monkeypatch.setattr(module, part, wrong)
    status, out, _ = cli.script(module.main, name, "star:3")
    assert (status, "OTHER" in out) == (1, True)


def test_copies_that_differ_are_told() -> None:
    store = importlib.import_module("replicated_store")
    design = build_design("star:3", operations=["broadcast", "send"], own_words="return")
    done = run(store.count, design, 3)
    assert store.check(done, 3)
    assert not store.check(done, 4)
    done.results[2][1].reverse()
    assert not store.check(done, 3)


@pytest.mark.cocotb
@pytest.mark.slow
@pytest.mark.parametrize("name", APPLICATIONS)
def test_an_application_takes_the_same_cycles_on_verilog(name: str) -> None:
    command = [sys.executable, str(SIM / f"{name}.py"), "star:3"]
    printed = [started(*command, *more, check=True).stdout for more in ((), ("--verilog",))]
    assert printed[0] == printed[1]


@pytest.mark.cocotb
@pytest.mark.slow
def test_a_folder_runs_by_command(cli, tmp_path: Path) -> None:
    for name, text in files("comm.md"):
        (tmp_path / name).write_text(text, encoding="utf-8")
    write(build_design("star:3", operations=["all_reduce:sum"]), tmp_path / "net")
    program = str(tmp_path / "total.py")
    on_verilog = cli.out("run", program, "--verilog", str(tmp_path / "net"))
    assert cli.out("run", program, "star:3", "--operations", "all_reduce:sum") == on_verilog


async def where(comm) -> tuple[str, int]:
    return comm.label, comm.rank_of("213") if comm.label != "2" else -1


def test_nodes_without_a_network_have_the_labels_they_are_given(cli, tmp_path) -> None:
    labels = describe_design(build("star:3")).labels
    expected = run(where, build("star:3")).results
    assert [label for label, _ in expected] == [*labels]
    assert run(where, Nodes(6, labels=labels)).results == expected
    with pytest.raises(InputError, match=r"^labels: one for each of 6 nodes is needed$"):
        run(where, Nodes(6, labels=labels[1:]))
    program = tmp_path / "program.py"
    program.write_text("async def main(comm):\n    return comm.label\n")
    told = [cli.facts("run", program, "star:3", "--engine", name) for name in ("model", "numpy")]
    assert told[0]["results"] == told[1]["results"]
    assert {*told[1]["results"]} == {*labels}
