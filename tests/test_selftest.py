"""The self-test passes on a network as it is, and its text tells of each planted fault."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest
from amaranth.lib import wiring
from ordered_runs import run_bench

from noc.design import (
    AnyDesign,
    Design,
    OrderedDesign,
    build_design,
    build_direct,
    build_ordered,
)
from noc.emit.module import Module, convert, ports_of
from noc.emit.verilog import modules
from noc.hardware import assemble
from noc.hardware.direct.router import Router
from noc.networks import build_network
from noc.programs.config import RouterConfig
from noc.programs.operations import OPERATORS
from noc.programs.ordered_config import OrderedConfig
from noc.selftest import Result, Settings, results
from noc.selftest.report import Reporter
from noc.selftest.selftest import header, verilog
from noc.selftest.simulate import SIMULATED, cycle_limit, report_lines, simulate, simulate_files
from noc.synth import FAMILIES, synthesise
from noc.verify.netlist import models

#: Signals of the node and what they are while ``HIT`` is 1. ``inner__NAME`` is the signal at the
#: node itself, ``NAME`` at its neighbours; ``count`` counts cycles.
Fault = Mapping[str, str]

#: Builds a node that has the ports of another.
Build = Callable[[], "wiring.Component[Any]"]


def inner_node(built: OrderedDesign) -> int:
    """A node with one child above it and one below."""
    plans = map(built.program.plan_of, range(built.network.nodes))
    return next(node for node, plan in enumerate(plans) if plan.climbs and plan.down == 1)


def _wrapped(ports: Sequence[Any], name: str, faults: Sequence[Fault]) -> str:
    """A module with the faults around a node; after them it is the module ``other_node``."""
    lines = [f"module faulty (input clk, input rst, {', '.join(port.declared for port in ports)});"]
    lines += ["reg [3:0] count = 0;", "always @(posedge clk) count <= count + 1;"]
    lines += [f"wire other = noc_bench.run == {len(faults) + 1};", "wire inner__rst;"]
    value = {"inner__rst": "rst"}
    for port in ports:
        inner = f"inner__{port.name}"
        lines += [f"wire {port.span}{inner}, other__{port.name};"]
        plain = f"(other ? other__{port.name} : {inner})"
        value |= {port.name: plain} if port.output else {inner: port.name}
    for run, fault in enumerate(faults, start=1):
        lines.append(f"wire run_is_{run} = noc_bench.run == {run};")
        for signal, text in fault.items():
            broken = text.replace("HIT", f"run_is_{run}")
            value[signal] = f"(run_is_{run} ? {broken} : {value[signal]})"
    lines += [f"assign {signal} = {text};" for signal, text in value.items()]
    for module, reset, side in ((name, "inner__rst", "inner"), ("other_node", "rst", "other")):
        ends = (f".{p.name}({side if p.output else 'inner'}__{p.name})" for p in ports)
        lines.append(f"{module} {side}_node_ (.clk(clk), .rst({reset}), {', '.join(ends)});")
    return "\n".join([*lines, "endmodule"])


def tell_faults(
    built: AnyDesign,
    node: int,
    folder: Path,
    settings: Settings,
    faults: Sequence[Fault],
    other: Build,
) -> list[Result]:
    """What a round says in each run: first without a fault, then with one, last with the other."""
    assembly = assemble(built)
    part = assembly.part_of(node)
    texts = {module.name: module.text for module in verilog(built, settings)}
    top, name = (modules(built)[n].name for n in (0, 1 + assembly.instances[node].part))
    texts["faulty"] = _wrapped([port for _, port in ports_of(part.signature)], name, faults)
    texts["other_node"] = convert(other(), "other_node").text
    before = f"{name} node_{built.network.label(node)} ("
    assert texts[top].count(before) == 1
    texts[top] = texts[top].replace(before, before.replace(name, "faulty", 1))
    sources = [Module(name, text).write(folder) for name, text in texts.items()]
    told = simulate_files(
        sources,
        folder,
        settings,
        rounds=1,
        lines=report_lines(built),
        runs=2 + len(faults),
        parts=folder.parent / "parts",
    )
    assert all(text.isascii() for text in told)
    return [result for text in told for result in results(text)]


SHORT = replace(SIMULATED, cycles=400)

#: What is wrong at a node, and which numbers of the text must not be 0 then.
Faults = Mapping[str, tuple[Fault, tuple[str, ...]]]


def listed(text: str) -> Faults:
    """Each fault with its numbers, and below it signals with what they are."""
    return {
        name: (dict(re.findall("^  (.*?) = (.*)$", signals, re.MULTILINE)), tuple(numbers.split()))
        for name, numbers, signals in re.findall(r"(?m)^(\w.*): (.*)\n((?:  .*\n)+)", text)
    }


# What is wrong at one router.
DIRECT = listed("""\
a bit of a link is turned over: wrong missing
  out_0__payload = inner__out_0__payload ^ (HIT << 12)
a link has a wrong next code: missing
  out_0__payload = inner__out_0__payload ^ HIT
copies get lost on a link: missing
  out_0__valid = inner__out_0__valid & ~(HIT & count[3])
  inner__out_0__ready = out_0__ready | (HIT & count[3])
copies are sent again: extra
  inner__out_0__ready = out_0__ready & ~(HIT & count[3])
the node gets nothing: missing
  eject__valid = inner__eject__valid & ~HIT
  inner__eject__ready = eject__ready | HIT
the node gets words again: extra
  inner__eject__ready = eject__ready & ~(HIT & count[3])
an in-port takes nothing: missing
  in_0__ready = inner__in_0__ready & ~HIT
  inner__in_0__valid = in_0__valid & ~HIT
the router is dead: missing
  inner__rst = rst | HIT
back-pressure is ignored: missing
  in_0__ready = inner__in_0__ready | HIT
""")

# Words of the group of all nodes hold data, 16 bits, the choice between reduce and all_reduce, last
# and the node, 3 bits; those of the barrier are in a group of their own.
OPERATIONS = listed("""\
a contribution is lost: wrong missing
  inner__join_0_in__0__payload = {join_0_in__0__payload[20:16], 16'd0}
a contribution is counted twice: wrong missing
  inner__join_0_in__0__payload = join_0_in__0__payload[16] \
    ? {join_0_in__0__payload[20:16], join_0_in__0__payload[14:0], 1'b0} \
    : join_0_in__0__payload
a word is joined twice: wrong missing
  join_0_in__0__ready = inner__join_0_in__0__ready & |count[1:0]
a word that is to be joined gets lost: missing
  inner__join_0_in__0__valid = join_0_in__0__valid & |count
  join_0_in__0__ready = inner__join_0_in__0__ready | ~|count
the operation changes on the way up: mismatch
  join_0_out__payload = inner__join_0_out__payload ^ (&count << 16)
the node of a reduce changes on the way up: mismatch
  join_0_out__payload = inner__join_0_out__payload ^ (1 << 18)
the mark of the last changes on the way up: mismatch
  join_0_out__payload = inner__join_0_out__payload ^ (1 << 17)
a word goes to the wrong node: extra missing
  inner__first__0 = first__0 + 1
a word goes to a node that is not in the group: extra
  inner__groups__1 = groups__1 ^ 1
a word does not go to a node of the group: missing
  inner__groups__0 = groups__0 & 2
a barrier is released early: early
  inner__join_2_in__0__valid = join_2_in__0__valid | HIT
a barrier is released twice: early extra
  inner__eject__ready = eject__ready & ~(eject__payload[21:19] == 5)
a barrier is not released: missing
  eject__valid = inner__eject__valid & ~(eject__payload[21:19] == 5)
a word has an operation that there is not: dropped missing
  inner__inject__payload = inject__payload | (7 << 16)
a word says that another node sent it: wrong missing
  inner__number = number ^ 1
a bit of a link is turned over: wrong missing
  down_out__0__payload = inner__down_out__0__payload ^ (HIT << 12)
the source of a word is another: wrong missing
  eject__payload = inner__eject__payload ^ (HIT << 16)
words get lost on the way up: missing
  up_out__valid = inner__up_out__valid & ~(HIT & count[3])
words are sent down again: extra
  inner__down_out__0__ready = down_out__0__ready & ~(HIT & count[3])
the node is dead: missing
  inner__rst = rst | HIT
""")

# Each in-port has an eject stream with a queue of its own, and a judge behind that, which knows
# what comes in which phase: after a word that is lost, all that come in its phase are others.
ROUNDS = listed("""\
a bit of a link is turned over: wrong missing
  out_0__payload = inner__out_0__payload ^ (HIT << 12)
words get lost on a link: wrong missing
  out_0__valid = inner__out_0__valid & ~(HIT & count[3])
the second sink gets words again: wrong
  inner__eject__1__ready = eject__1__ready & ~(HIT & count[3])
a word is taken and not sent: missing
  inner__inject__valid = inject__valid & ~HIT
no word of the node is taken: missing
  inner__inject__valid = inject__valid & ~HIT
  inject__ready = inner__inject__ready & ~HIT
the node stands still: missing
  inner__pace__valid = pace__valid & ~HIT
the node stands still for a cycle: missing
  inner__pace__valid = pace__valid & ~(HIT & &count)
the node goes on while others stand still: missing
  inner__pace__valid = pace__valid | HIT
the router is dead: missing
  inner__rst = rst | HIT
""")

# A node that adds its own word to what comes by two in-ports; it gets the sum, and sends it back.
SUMS = listed("""\
a bit of a sum is turned over: wrong missing
  out_0__payload = inner__out_0__payload ^ (HIT << 12)
a sum does not come back: missing
  out_0__valid = inner__out_0__valid & ~HIT
a word is not added: wrong missing
  inner__in_0__payload = in_0__payload & ~{16{HIT}}
a word is added twice: wrong missing
  inner__in_0__payload = in_0__payload << HIT
a word of another round is added: wrong missing
  inner__in_0__payload = HIT & &count ? 16'd0 : in_0__payload
an own word is not added: wrong missing
  inner__inject__0__payload = inject__0__payload & ~{16{HIT}}
the router is dead: missing
  inner__rst = rst | HIT
""")


# Words of one node for one other each.
EXCHANGE = listed("""\
a bit of a link is turned over: wrong missing
  out_0__payload = inner__out_0__payload ^ (HIT << 12)
a link is dead: missing
  out_1__valid = inner__out_1__valid & ~HIT
a word is lost: wrong missing
  inner__in_0__valid = in_0__valid & ~(HIT & &count)
words of the two in-ports change places: wrong missing
  inner__in_0__payload = HIT ? in_1__payload : in_0__payload
own words are given to others: wrong missing
  inner__inject__0__payload = HIT ? inject__1__payload : inject__0__payload
a word is taken and not sent: missing
  inner__inject__1__valid = inject__1__valid & ~HIT
no word of a stream is taken: missing
  inner__inject__0__valid = inject__0__valid & ~HIT
  inject__0__ready = inner__inject__0__ready & ~HIT
what only passes is offered: extra
  eject__0__valid = inner__eject__0__valid | inner__in_0__valid & HIT & ~inner__eject__0__valid
the router is dead: missing
  inner__rst = rst | HIT
""")


def without_a_copy(table):
    """The table with one send fewer."""
    entries = list(table.entries)
    where = next(code for code, entry in enumerate(entries) if entry.sends)
    entries[where] = replace(entries[where], sends=entries[where].sends[1:])
    return replace(table, entries=tuple(entries))


@dataclass(frozen=True)
class Network:
    """A network, faults at one of its nodes, and a node that is another as a whole."""

    build: Callable[[], AnyDesign]
    node: int
    cycles: int
    faults: Faults
    other: tuple[str, Build, tuple[str, ...]]

    @property
    def seen(self) -> dict[str, tuple[str, ...]]:
        """Which numbers of the text must not be 0, for each fault."""
        seen = {name: numbers for name, (_, numbers) in self.faults.items()}
        return seen | {self.other[0]: self.other[2]}


def direct() -> Design:
    return build_direct("star:3", width=16)


def whole(reduce_by: str = "max", add_by: str = "sum") -> OrderedDesign:
    """A network with an operation of each kind that the fabric knows."""
    operations = ["broadcast", "multicast@few", "send", f"reduce:{reduce_by}"]
    operations += [f"all_reduce:{add_by}", "barrier@every"]
    groups = {"few": ["123", "312"], "every": range(6)}
    return build_ordered(build_network("star:3"), operations=operations, groups=groups, width=16)


def broken_router() -> Router:
    built = direct()
    return Router(without_a_copy(built.program.table_of(0)), width=16)


def node_with_other_operators() -> "wiring.Component[Any]":
    other = whole("min", "bor")
    return assemble(other).part_of(inner_node(other)).build()


def rounds() -> AnyDesign:
    return build_design("star:3", fabric="timetable", width=16, sinks="queued", queue=2)


def router_of_other_phases() -> "wiring.Component[Any]":
    """After the first phase ports send what they have in the opposite order."""
    built = rounds()
    table = built.program.table_of(0)
    turned = tuple((port, (choices[0], *choices[:0:-1])) for port, choices in table.sends)
    assert turned != table.sends
    program = replace(built.program, tables=(replace(table, sends=turned),))
    return assemble(replace(built, program=program)).part_of(0).build()


def sums(operator: str = "sum") -> AnyDesign:
    exchange = f"all_reduce:{operator}"
    return build_design("star:3", fabric="timetable", exchange=exchange, width=16)


def adder() -> int:
    """The node with most to add up."""
    program = sums().program
    return max(range(6), key=lambda node: program.table_of(node).inputs)


def exchange() -> AnyDesign:
    return build_design("star:3", fabric="timetable", exchange="all_to_all", width=16)


def router_that_takes_others() -> "wiring.Component[Any]":
    """What comes in the phase after a word that it is for is taken instead of that."""
    built = exchange()
    table = built.program.table_of(0)
    takes = tuple((phases[-1], *phases[:-1]) for phases in table.takes)
    assert takes != table.takes
    program = replace(built.program, tables=(replace(table, takes=takes),))
    return assemble(replace(built, program=program)).part_of(0).build()


NETWORKS = {
    "sums": Network(
        *(sums, adder(), 400, SUMS),
        (
            "the operator is another",
            lambda: assemble(sums("bxor")).part_of(adder()).build(),
            ("wrong", "missing"),
        ),
    ),
    "exchange": Network(
        *(exchange, 0, 400, EXCHANGE),
        ("other words are taken", router_that_takes_others, ("extra", "missing")),
    ),
    "rounds": Network(
        *(rounds, 0, 400, ROUNDS),
        ("the phases have another order", router_of_other_phases, ("missing",)),
    ),
    "direct": Network(
        *(direct, 0, 400, DIRECT),
        ("a copy of one row is missing in the ROM", broken_router, ("missing",)),
    ),
    "operations": Network(
        *(whole, inner_node(whole()), 2000, OPERATIONS),
        ("a node has other operators", node_with_other_operators, ("wrong", "missing")),
    ),
}


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """What the text says of each network: without a fault, then with one each."""

    @cache
    def run(name: str) -> dict[str | None, Result]:
        network, folder = NETWORKS[name], tmp_path_factory.mktemp(name)
        faults = [fault for fault, _ in network.faults.values()]
        settings = replace(SIMULATED, cycles=network.cycles)
        outcome = tell_faults(
            network.build(), network.node, folder, settings, faults, network.other[1]
        )
        return dict(zip([None, *network.seen], outcome, strict=True))

    return run


def marks(name: str) -> list[pytest.MarkDecorator]:
    """What is told of a network is told in one simulation: that of one network runs by default."""
    return [pytest.mark.ci] * (name != "direct")


@pytest.mark.cocotb
@pytest.mark.parametrize("name", [pytest.param(name, marks=marks(name)) for name in NETWORKS])
def test_a_network_as_it_is_passes(told, name: str) -> None:
    result = told(name)[None]
    assert result.passed
    assert result.round == 1
    assert result.sent > 50
    assert (result.wrong, result.missing, result.extra) == (0, 0, 0)
    assert (result.dropped, result.mismatch, result.early) == (0, 0, 0)
    if name != "operations":
        copies = {"sums": 1, "exchange": 1}.get(name, 5)
        assert result.right == copies * result.sent


@pytest.mark.ci
@pytest.mark.cocotb
def test_every_operation_is_tested(told) -> None:
    round_ = told("operations")[None]
    (count,) = {sent // 6 for sent, _ in round_.operations.values()}
    assert count > 20
    assert {name: (s // count, r // count) for name, (s, r) in round_.operations.items()} == {
        "broadcast": (6, 30),
        # Two of the senders are in the group, and do not get their own words.
        "multicast@few": (6, 10),
        "send": (6, 6),
        "reduce:max": (6, 1),
        "all_reduce:sum": (6, 6),
        "barrier@every": (6, 6),
    }
    assert round_.sent == sum(sent for sent, _ in round_.operations.values())
    assert round_.right == sum(right for _, right in round_.operations.values())


PLANTED = [
    pytest.param(name, fault, marks=marks(name))
    for name, network in NETWORKS.items()
    for fault in network.seen
]


@pytest.mark.cocotb
@pytest.mark.parametrize(("name", "fault"), PLANTED)
def test_a_planted_fault_is_told(told, name: str, fault: str) -> None:
    result = told(name)[fault]
    assert not result.passed
    assert all(getattr(result, number) for number in NETWORKS[name].seen[fault]), result


@pytest.mark.parametrize("length", [1, 255, 256, 600])
def test_a_text_of_any_length_is_sent(length: int) -> None:
    """Whole, and then it ends."""
    texts = ("x" * length, "short")
    dut, sent = Reporter(texts, count=1), ""

    async def read(ctx):
        nonlocal sent
        ctx.set(dut.start, 1)
        await ctx.tick()
        ctx.set(dut.start, 0)
        ctx.set(dut.bytes.ready, 1)
        while ctx.get(dut.busy):
            if ctx.get(dut.bytes.valid):
                sent += chr(ctx.get(dut.bytes.payload))
            await ctx.tick()

    run_bench(dut, read)
    assert sent == texts[0]


def test_the_header_is_plain_text() -> None:
    net, clock = build_network("scc:3"), Settings(12.5e6)
    ordered, direct = build_ordered(net, width=8), build_direct(net, width=8)
    for built, shown in (
        (ordered, "even ordered sources all"),
        (direct, "shortest ports all sources one"),
    ):
        text = f"arbornoc scc:3 {shown} width 8 design [0-9a-f]{{8}} clock 12.5 MHz"
        assert re.fullmatch(text, header(built, clock))


@pytest.mark.parametrize(
    ("build", "forms"),
    [
        (build_direct, [{"link_registers": 1}, {"rom": "block"}, {"sinks": "always-ready"}]),
        (
            build_ordered,
            [
                {"own_words": True},
                {"link_registers": 1},
                {"sinks": "always-ready"},
                {"sinks": "queued", "queue": 7},
            ],
        ),
    ],
)
def test_the_header_tells_designs_apart(build, forms: list) -> None:
    """Those that differ in nothing else that it says."""
    form = RouterConfig if build is build_direct else OrderedConfig
    headers = [
        header(build(build_network("star:3"), width=8, config=form(**each)), Settings(12e6))
        for each in ({}, *forms, {"queue": 7}, {})
    ]
    assert (len(set(headers)), headers[0]) == (len(forms) + 2, headers[-1])


@pytest.mark.ci
def test_the_longest_header_leaves_room_for_the_numbers(tmp_path: Path) -> None:
    path = tmp_path / f"{'long' * 30}.json"
    path.write_text('{"nodes": 2, "links": [{"from": 0, "to": 1}]}')
    # A width of three digits, as the largest, which would take long.
    built = build_direct(build_network(f"file:{path}"), "fewest-steps", ports="one", width=100)
    shown = header(built, Settings(123.456e6))
    assert shown.startswith("arbornoc ")
    assert "long.json fewest-steps ports one" in shown
    assert verilog(built, Settings(123.456e6))


def test_text_before_and_after_a_report_does_not_matter() -> None:
    text = (
        "ong 0 missing 0 extra 0\r\nPASS\r\narbornoc a\r\n"
        "round 7 cycles 6 sent 5 right 4 wrong 3 missing 2 extra 1\r\nFAIL\r\narbornoc a\r\nrou"
    )
    (result,) = results(text)
    assert (result.header, result.round, result.extra) == ("arbornoc a", 7, 1)
    assert not result.passed


def test_phases_of_all_nodes_have_their_time() -> None:
    """Each takes at least twice the time in which a word is counted."""
    nodes, rounds = 2048, 3
    limit = cycle_limit(
        build_direct(build_network("hypercube:11"), sources="one"), SIMULATED, rounds
    )
    assert limit > rounds * nodes * 2 * (11 + 8)
    assert (
        cycle_limit(build_direct(build_network("star:3"), sources="one"), SIMULATED, 10**8)
        < 1 << 31
    )
    assert cycle_limit(build_ordered(build_network("star:3")), SIMULATED, 10**8) < 1 << 31


def ordered(spec: str, operations: str = "broadcast", **form) -> OrderedDesign:
    return build_ordered(build_network(spec), operations=operations.split(), **form)


GROUPS = {"a": [0, 3, 5], "b": [1, 2, 3, 4, 8], "one": [4]}
EVERY_OPERATOR = " ".join(f"all_reduce:{operator}" for operator in OPERATORS)
VARIANTS = {
    "rounds": lambda: build_design("mesh:3,3", fabric="timetable", width=8),
    "pulses": lambda: build_design("star:4", fabric="timetable", width=8, start="pulse"),
    **{
        name: partial(build_design, spec, fabric="timetable", **{"width": 16} | form)
        for name, spec, form in (
            ("an exchange", "mesh:3,3", {"exchange": "all_to_all"}),
            ("a scatter", "star:3", {"exchange": "scatter", "sinks": "queued", "queue": 2}),
            ("a gather", "mesh:3,3", {"exchange": "gather", "root": 4, "start": "pulse"}),
            ("one stream", "star:3", {"start": "ready", "ejects": "one"}),
            (
                "one stream of sums",
                "mesh:2,2",
                {"exchange": "all_reduce:sum", "start": "ready", "ejects": "one"},
            ),
            ("a pair", "uhc:4", {"exchange": [(3, 5)], "width": 1}),
            ("narrow words", "ring:5", {"width": 3}),
            ("sums", "torus:3,3", {"exchange": "all_reduce:bor"}),
            ("slow sums", "mesh:3,3", {"exchange": "all_reduce:min_signed", "round": 4}),
            ("scattered sums", "uhc:4", {"exchange": "reduce_scatter:sum"}),
            ("ready", "mesh:2,3", {"start": "ready"}),
            ("a ready exchange", "star:3", {"exchange": "all_to_all", "start": "ready"}),
            ("ready sums", "hypercube:3", {"exchange": "all_reduce:sum", "start": "ready"}),
            (
                "ready scattered sums",
                "star:3",
                {
                    "exchange": "reduce_scatter:max",
                    "start": "ready",
                    "sinks": "queued",
                    "queue": 2,
                },
            ),
            (
                "queued sums",
                "star:3",
                {"exchange": "all_reduce:sum", "sinks": "queued", "queue": 3},
            ),
        )
    },
    "direct": lambda: build_direct("star:3", sources="one", width=8),
    "one-port": lambda: build_direct("scc:3", ports="one", width=5),
    "narrow": lambda: ordered("scc:3", width=5),
    "two senders": lambda: ordered(
        "uhc:4", sources=(1, 5), config=OrderedConfig(own_words=True, queue=3)
    ),
    "far apart": lambda: ordered(
        "ring:4", config=OrderedConfig(source_numbers=False, own_words=True, link_registers=2)
    ),
    "none joined": lambda: ordered("mesh:3,3", "broadcast send multicast@a", groups=GROUPS),
    "every operator": lambda: ordered("star:3", f"broadcast {EVERY_OPERATOR}", width=16),
    "a barrier alone": lambda: ordered("ring:5", "barrier", width=1),
    "a send alone": lambda: ordered("ring:5", "send", width=7),
    "a reduce of one bit": lambda: ordered("ring:5", "reduce:min", width=1),
    "many groups": lambda: ordered(
        "mesh:3,3",
        "multicast@a barrier@a all_reduce:bor@b reduce:sum@b barrier scatter all_gather@one "
        "all_reduce:sum@one gather@a",
        groups=GROUPS,
        width=16,
        config=OrderedConfig(link_registers=1, queue=3),
    ),
    "few join": lambda: ordered(
        "uhc:4",
        "broadcast send all_reduce:bxor@few barrier@few",
        sources=[1, 5, 6],
        groups={"few": [5, 6]},
        config=OrderedConfig(own_words=True),
    ),
    "no source numbers": lambda: ordered(
        "scc:3",
        "broadcast multicast@few reduce:sum barrier@few",
        groups={"few": [0, 5, 7]},
        width=16,
        config=OrderedConfig(source_numbers=False, own_words=True),
    ),
}


@pytest.mark.cocotb
@pytest.mark.slow
@pytest.mark.parametrize("name", VARIANTS)
def test_every_kind_of_network_passes(tmp_path: Path, name: str) -> None:
    settings = replace(SIMULATED, cycles=500)
    _, outcome = simulate(VARIANTS[name](), tmp_path, settings, rounds=4)
    assert [result.round for result in outcome] == [1, 2, 3, 4]
    assert all(result.passed and result.sent for result in outcome), outcome


NETLISTS: Mapping[str, Callable[[], AnyDesign]] = {
    "ordered": lambda: ordered("star:3", width=8),
    "direct": lambda: build_direct("star:3", width=8),
    "operations": lambda: ordered("ring:3", "broadcast send all_reduce:sum barrier", width=8),
}


@pytest.mark.cocotb
@pytest.mark.slow
@pytest.mark.parametrize("network", NETLISTS)
@pytest.mark.parametrize("target", ["ice40", "ecp5"])
def test_the_netlist_says_what_the_verilog_says(tmp_path: Path, target: str, network: str) -> None:
    built, family = NETLISTS[network](), FAMILIES[target]
    if target == "ecp5":
        # There is no open model of its block RAM.
        plain = replace(family.recipes[0], options=f"{family.plain} -nobram")
        family = replace(family, recipes=(plain,))
    top, *others = verilog(built, SHORT)
    texts = {}
    for kind in ("netlist", "verilog"):
        folder = tmp_path / kind
        folder.mkdir()
        if kind == "netlist":
            cells = folder / "cells.v"
            cells.write_text(models(family))
            whole = Module(top.name, "".join(module.text for module in (top, *others)))
            files = [synthesise(whole, family, folder).verilog, cells]
        else:
            files = [folder / f"{module.name}.v" for module in (top, *others)]
            for file, module in zip(files, (top, *others), strict=True):
                file.write_text(module.text)
        (texts[kind],) = simulate_files(files, folder, SHORT, rounds=2, lines=report_lines(built))
    assert [result.passed for result in results(texts["netlist"])] == [True, True]
    assert texts["netlist"] == texts["verilog"]
