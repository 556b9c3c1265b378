"""The self-test passes on a network as it is, and its text tells of each planted fault."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from amaranth.sim import Simulator
from planted_nodes import tell_faults

from noc.design import AnyDesign, build_direct, build_ordered
from noc.emit.module import Module, convert, ports_of
from noc.emit.verilog import modules
from noc.errors import InputError
from noc.hardware.router import Router, router_signature
from noc.networks import build_network
from noc.programs.config import RouterConfig
from noc.programs.ordered_config import OrderedConfig
from noc.selftest import Settings, results
from noc.selftest.endpoint import Endpoint
from noc.selftest.report import Reporter
from noc.selftest.selftest import header, verilog
from noc.selftest.simulate import SIMULATED, cycle_limit, report_lines, simulate_files
from noc.selftest.words import Words, words_of
from noc.synth import FAMILIES, synthesise
from noc.verify.netlist import models

SHORT = replace(SIMULATED, cycles=400)

# What is wrong at one router: assignments around it, where HIT says whether the fault is switched
# on, and which numbers of the text must not be 0 then.
FAULTS: Mapping[str, tuple[Mapping[str, str], tuple[str, ...]]] = {
    "a bit of a link is turned over": (
        {"out_0__payload": "inner__out_0__payload ^ (HIT << 12)"},
        ("wrong", "missing"),
    ),
    "a link has a wrong next code": (
        {"out_0__payload": "inner__out_0__payload ^ HIT"},
        ("missing",),
    ),
    "copies get lost on a link": (
        {
            "out_0__valid": "inner__out_0__valid & ~(HIT & count[3])",
            "inner__out_0__ready": "out_0__ready | (HIT & count[3])",
        },
        ("missing",),
    ),
    "copies are sent again": (
        {"inner__out_0__ready": "out_0__ready & ~(HIT & count[3])"},
        ("extra",),
    ),
    "the node gets nothing": (
        {
            "eject__valid": "inner__eject__valid & ~HIT",
            "inner__eject__ready": "eject__ready | HIT",
        },
        ("missing",),
    ),
    "the node gets words again": (
        {"inner__eject__ready": "eject__ready & ~(HIT & count[3])"},
        ("extra",),
    ),
    "an in-port takes nothing": (
        {"in_0__ready": "inner__in_0__ready & ~HIT", "inner__in_0__valid": "in_0__valid & ~HIT"},
        ("missing",),
    ),
    "the router is dead": (
        {"inner__rst": "rst | HIT"},
        ("missing",),
    ),
    "back-pressure is ignored": (
        {"in_0__ready": "inner__in_0__ready | HIT"},
        ("missing",),
    ),
}

ROM = "a copy of one row is missing in the ROM"


def wrapped(design, number: int) -> str:
    """A router with all the faults around it, each switched on in a run of its own."""
    signature = router_signature(design.program.tables[number], width=design.width)
    ports = [port for _, port in ports_of(signature)]
    declared = ["input clk", "input rst"]
    declared += [f"{'output' if p.output else 'input'} {p.span}{p.name}" for p in ports]
    lines = [f"module faulty ({', '.join(declared)});", "reg [3:0] count = 0;"]
    lines += ["always @(posedge clk) count <= count + 1;", "wire inner__rst;"]
    value = {"inner__rst": "rst"}
    for port in ports:
        inner = f"inner__{port.name}"
        lines.append(f"wire {port.span}{inner}, broken__{port.name};")
        if port.output:
            value[port.name] = f"(run_is_{ROM_RUN} ? broken__{port.name} : {inner})"
        else:
            value[inner] = port.name
    for run, (faults, _) in enumerate(FAULTS.values(), start=1):
        lines.append(f"wire run_is_{run} = noc_bench.run == {run};")
        for signal, fault in faults.items():
            value[signal] = (
                f"(run_is_{run} ? {fault.replace('HIT', f'run_is_{run}')} : {value[signal]})"
            )
    lines.insert(3, f"wire run_is_{ROM_RUN} = noc_bench.run == {ROM_RUN};")
    lines += [f"assign {signal} = {text};" for signal, text in value.items()]
    inner = ", ".join(f".{p.name}(inner__{p.name})" for p in ports)
    broken = ", ".join(f".{p.name}({'broken' if p.output else 'inner'}__{p.name})" for p in ports)
    name = modules(design)[1 + number].name
    lines += [f"{name} sound (.clk(clk), .rst(inner__rst), {inner});"]
    lines += [f"broken_rom broken (.clk(clk), .rst(rst), {broken});", "endmodule"]
    return "\n".join(lines)


ROM_RUN = len(FAULTS) + 1


def without_a_copy(table):
    """The table with one send fewer."""
    entries = list(table.entries)
    where = next(code for code, entry in enumerate(entries) if entry.sends)
    entries[where] = replace(entries[where], sends=entries[where].sends[1:])
    return replace(table, entries=tuple(entries))


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """What the text says in each run: the first without a fault, then one fault each."""
    folder, parts = tmp_path_factory.mktemp("faults"), tmp_path_factory.getbasetemp() / "parts"
    built = build_direct(build_network("star:3"), width=16)
    number = int(built.program.table[0])
    texts = {module.name: module.text for module in verilog(built, SHORT)}
    top = modules(built)[0].name
    texts[top], hits = re.subn(r"\S+ (node_123 \()", r"faulty \1", texts[top])
    assert hits == 1
    broken = Router(without_a_copy(built.program.tables[number]), width=16)
    texts["broken_rom"] = convert(broken, "broken_rom").text
    texts["faulty"] = wrapped(built, number)
    sources = []
    for name, text in texts.items():
        sources.append(folder / f"{name}.v")
        sources[-1].write_text(text)
    outcome = simulate_files(sources, folder, SHORT, rounds=1, runs=ROM_RUN + 1, parts=parts)
    assert all(text.isascii() for text in outcome)
    return dict(zip(["none", *FAULTS, ROM], outcome, strict=True))


@pytest.mark.cocotb
def test_the_network_as_it_is_passes(shown) -> None:
    (result,) = results(shown["none"])
    assert result.passed
    assert result.sent > 50
    assert result.right == 5 * result.sent
    assert (result.round, result.wrong, result.missing, result.extra) == (1, 0, 0, 0)


@pytest.mark.cocotb
@pytest.mark.parametrize("fault", [*FAULTS, ROM])
def test_a_planted_fault_is_told(shown, fault: str) -> None:
    (result,) = results(shown[fault])
    assert not result.passed
    wanted = FAULTS[fault][1] if fault in FAULTS else ("missing",)
    assert all(getattr(result, name) for name in wanted), result


# What is wrong at one node of the ordered fabric, 231, which has a child above and below it.
ORDERED_FAULTS: Mapping[str, tuple[str, str, tuple[str, ...]]] = {
    "a bit of a link is turned over": (
        "down_out_0__payload",
        "inner__down_out_0__payload ^ (HIT << 12)",
        ("wrong", "missing"),
    ),
    "the source of a word is another": (
        "eject__payload",
        "inner__eject__payload ^ (HIT << 16)",
        ("wrong", "missing"),
    ),
    "a word says that another node sent it": (
        "inner__number",
        "number ^ HIT",
        ("wrong", "missing"),
    ),
    "words get lost on the way up": (
        "up_out__valid",
        "inner__up_out__valid & ~(HIT & count[3])",
        ("missing",),
    ),
    "words are sent down again": (
        "inner__down_out_0__ready",
        "down_out_0__ready & ~(HIT & count[3])",
        ("extra",),
    ),
    "the node is dead": ("inner__rst", "rst | HIT", ("missing",)),
}


@pytest.fixture(scope="module")
def told_of_ordered(tmp_path_factory):
    """What the text says in each run: the first without a fault, then one fault each."""
    folder, parts = tmp_path_factory.mktemp("ordered"), tmp_path_factory.getbasetemp() / "parts"
    built = build_ordered(build_network("star:3"), width=16)
    faults = [{signal: fault} for signal, fault, _ in ORDERED_FAULTS.values()]
    outcome = tell_faults(built, folder, parts, SHORT, faults)
    return dict(zip(["none", *ORDERED_FAULTS], outcome, strict=True))


@pytest.mark.cocotb
def test_the_ordered_network_as_it_is_passes(told_of_ordered) -> None:
    (result,) = results(told_of_ordered["none"])
    assert result.passed
    assert result.sent > 50
    assert result.right == 5 * result.sent
    assert (result.wrong, result.missing, result.extra) == (0, 0, 0)


@pytest.mark.cocotb
@pytest.mark.parametrize("fault", ORDERED_FAULTS)
def test_a_fault_in_the_ordered_fabric_is_told(told_of_ordered, fault: str) -> None:
    (result,) = results(told_of_ordered[fault])
    assert not result.passed
    assert all(getattr(result, name) for name in ORDERED_FAULTS[fault][2]), result


WORDS = Words(width=12, nodes=6, trees=1)
SEED = 0b1010011100101101


def told_of(words: list[int], *, node: int = 0, layout: Words = WORDS) -> list[str]:
    """What an endpoint says of words that arrive one after the other, without a pause."""
    dut, said = Endpoint(layout), []

    async def arrive(ctx):
        ctx.set(dut.node, node)
        ctx.set(dut.seed, SEED)
        ctx.set(dut.clear, 1)
        for stream in range(8):
            ctx.set(dut.sweep, stream)
            await ctx.tick()
        ctx.set(dut.clear, 0)
        ctx.set(dut.take, 1)
        await ctx.tick()
        for word in [*words, None, None, None]:
            ctx.set(dut.arriving.valid, word is not None)
            ctx.set(dut.arriving.payload, word or 0)
            await ctx.tick()
            said.extend(name for name in ("right", "wrong", "extra") if ctx.get(getattr(dut, name)))

    sim = Simulator(dut)
    sim.add_clock(1e-6)
    sim.add_testbench(arrive)
    sim.run()
    return said


def words(*numbers: int, stream: int = 3) -> list[int]:
    return [WORDS.word(stream, number, SEED) for number in numbers]


CHECKED = [
    ("in order", words(*range(16), 0, 1), ["right"] * 18),
    ("two sources", [*words(0), *words(0, stream=2), *words(1, 2)], ["right"] * 4),
    ("one again", words(0, 1, 1, 2), ["right", "right", "extra", "right"]),
    ("one left out", words(0, 2, 3), ["right", "right", "right"]),
    ("one late", words(0, 2, 1, 3), ["right", "right", "extra", "right"]),
    ("a wrong bit", [words(0)[0] ^ 1 << 10, *words(1)], ["wrong", "right"]),
    ("a wrong source", [words(0)[0] ^ 1, *words(1)], ["wrong", "right"]),
    ("another seed", [WORDS.word(3, 0, SEED ^ 1)], ["wrong"]),
    ("its own", words(0, 1, stream=0), ["extra", "extra"]),
]


@pytest.mark.parametrize(
    ("arriving", "said"), [case[1:] for case in CHECKED], ids=[c[0] for c in CHECKED]
)
def test_what_a_checker_says(arriving: list[int], said: list[str]) -> None:
    assert told_of(arriving) == said


def test_what_a_checker_says_of_numbers_and_own_words() -> None:
    numbered, returned = replace(WORDS, numbered=True), replace(WORDS, returned=True)
    (word,) = words(0)
    assert told_of([word | 3 << 12, word | 2 << 12], layout=numbered) == ["right", "wrong"]
    assert told_of(words(0, 1, stream=0), layout=returned) == ["right", "right"]
    assert told_of([words(0, stream=0)[0]], layout=numbered) == ["extra"]


@pytest.mark.parametrize("layout", [WORDS, Words(12, 6, 3), Words(4, 6, 1), Words(70, 24, 1)])
def test_a_source_sends_the_words_as_they_are_defined(layout: Words) -> None:
    dut, sent = Endpoint(layout), []

    async def drive(ctx):
        ctx.set(dut.node, 5)
        ctx.set(dut.seed, SEED)
        ctx.set(dut.send, 1)
        for cycle in range(80):
            ctx.set(dut.offered.ready, cycle % 3 == 1)
            offered = dut.offered
            *_, leaves, word = await ctx.tick().sample(
                offered.valid & offered.ready, offered.payload
            )
            if leaves:
                sent.append(word)

    sim = Simulator(dut)
    sim.add_clock(1e-6)
    sim.add_testbench(drive)
    sim.run()
    order = [5 << layout.tree_bits | tree for _ in range(80) for tree in range(layout.trees)][
        : len(sent)
    ]
    most = 1 << layout.number_bits
    assert len(sent) > 20
    assert sent == [
        layout.word(stream, place // layout.trees % most, SEED)
        for place, stream in enumerate(order)
    ]


@pytest.mark.parametrize("trees", [1, 3])
def test_no_port_of_an_endpoint_has_no_bits(trees: int) -> None:
    """To Verilog a range [-1:0] is two bits, which nothing would drive."""
    text = convert(Endpoint(Words(12, 6, trees)), "endpoint").text
    assert not re.search(r"(input|output) \[-1:0\]", text)
    assert ("output [1:0] tree;" in text) == (trees == 3)


def test_a_width_that_cannot_tell_sources_apart_is_refused() -> None:
    built = build_direct(build_network("star:4"), width=5)
    with pytest.raises(InputError, match=r"^width=5: the self-test of star:4 needs at least 6 "):
        words_of(built)


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

    sim = Simulator(dut)
    sim.add_clock(1e-6)
    sim.add_testbench(read)
    sim.run()
    assert sent == texts[0]


def test_the_header_is_plain_text() -> None:
    built = build_ordered(build_network("scc:3"), width=8)
    shown = "arbornoc scc:3 even ordered sources all width 8 design [0-9a-f]{8} clock 12.5 MHz"
    assert re.fullmatch(shown, header(built, Settings(12.5e6)))
    built = build_direct(build_network("scc:3"), width=8)
    shown = (
        "arbornoc scc:3 shortest ports all sources one width 8 design [0-9a-f]{8} clock 12.5 MHz"
    )
    assert re.fullmatch(shown, header(built, Settings(12.5e6)))


def test_the_header_tells_designs_apart() -> None:
    """Those that differ in nothing else that it says."""
    net, settings = build_network("star:3"), Settings(12e6)
    forms = (
        RouterConfig(),
        RouterConfig(link_registers=1),
        RouterConfig(rom="block"),
        RouterConfig(queue=7),
    )
    built = [build_direct(net, sources="one", width=8, config=form) for form in forms]
    assert len({header(each, settings) for each in built}) == len(forms)
    plain, other = OrderedConfig(), OrderedConfig(own_words=True)
    more = [plain, other, OrderedConfig(link_registers=1), OrderedConfig(queue=7)]
    ordered = {header(build_ordered(net, width=8, config=form), settings) for form in more}
    assert len(ordered) == len(more)
    again = build_direct(build_network("star:3"), width=8)
    assert header(again, settings) == header(built[0], settings)


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


VARIANTS = [
    lambda: build_direct(build_network("star:3"), sources="one", width=8),
    lambda: build_direct(build_network("uhc:4"), "adst"),
    lambda: build_direct(build_network("scc:3"), ports="one", width=5),
    lambda: build_ordered(build_network("scc:3"), width=5),
    lambda: build_ordered(
        build_network("uhc:4"), sources=(1, 5), config=OrderedConfig(own_words=True, queue=3)
    ),
    lambda: build_ordered(
        build_network("ring:4"),
        config=OrderedConfig(source_numbers=False, own_words=True, link_registers=2),
    ),
]


@pytest.mark.cocotb
@pytest.mark.slow
@pytest.mark.parametrize("build", VARIANTS)
def test_every_kind_of_network_passes(tmp_path: Path, tmp_path_factory, build) -> None:
    files = [module.write(tmp_path) for module in verilog(build(), SHORT)]
    parts = tmp_path_factory.getbasetemp() / "parts"
    (text,) = simulate_files(files, tmp_path, SHORT, rounds=4, parts=parts)
    outcome = list(results(text))
    assert [result.round for result in outcome] == [1, 2, 3, 4]
    assert all(result.passed for result in outcome)


NETLISTS: Mapping[str, Callable[[], AnyDesign]] = {
    "ordered": lambda: build_ordered(build_network("star:3"), width=8),
    "direct": lambda: build_direct(build_network("star:3"), width=8),
    "operations": lambda: build_ordered(
        build_network("ring:3"),
        width=8,
        operations=["broadcast", "send", "all_reduce:sum", "barrier"],
    ),
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
