"""Alarms that stay until they are cleared, in a module beside the network."""

import json
import re
from collections.abc import Iterator

import pytest
from amaranth.sim import Simulator
from hypothesis import given
from hypothesis import strategies as st
from test_vectors import ports_of

from noc.chips import cut, divide
from noc.design import build_design
from noc.emit.folder import build_files
from noc.emit.held import HeldFiles
from noc.emit.manifest import build_manifest
from noc.emit.verilog import all_ports
from noc.errors import InputError
from noc.hardware import assemble
from noc.hardware.held_alarms import HeldAlarms
from noc.networks import build_network

#: Alarms of three nodes: bits by signals; words are lost at the first and the last.
ALARMS = {"absent_a": 2, "mismatch_b_b": 1, "late_b_b": 4, "absent_b_b": 2}
COUNTED = ("absent_a", "absent_b_b")

BITS = sum(ALARMS.values())


def simulated(component: HeldAlarms, cycles: list[tuple[int, int]], counts: list[str]) -> list:
    """What is held, whether anything is, and the counts, in each cycle with its alarms and clears.

    Alarms are one number, the first in the lowest bits.
    """
    seen = []

    async def bench(ctx) -> None:
        for up, clear in cycles:
            first = 0
            for name, bits in component.alarms.items():
                ctx.set(getattr(component, name), up >> first & (1 << bits) - 1)
                first += bits
            ctx.set(component.clear, clear)
            row = ctx.get(component.held), ctx.get(component.alarm)
            seen.append((*row, *(ctx.get(getattr(component, name)) for name in counts)))
            await ctx.tick()

    simulator = Simulator(component)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    return seen


def told(cycles: list[tuple[int, int]]) -> Iterator[tuple[int, ...]]:
    """The same in plain Python."""
    held, counts = set[int](), [0, 0]
    for up, clear in cycles:
        yield sum(1 << bit for bit in held), int(bool(held)), *counts
        held = {bit for bit in held if not clear >> bit & 1}
        held |= {bit for bit in range(BITS) if up >> bit & 1}
        # The second bits of the first and of the last.
        counts = [counts[0] + (up >> 1 & 1), counts[1] + (up >> 8 & 1)]


@given(st.lists(st.tuples(*[st.integers(0, (1 << BITS) - 1)] * 2), max_size=20))
def test_a_bit_stays_until_it_is_cleared(cycles: list[tuple[int, int]]) -> None:
    component = HeldAlarms(ALARMS, COUNTED)
    assert simulated(component, cycles, ["lost_a", "lost_b_b"]) == [*told(cycles)]


def test_what_comes_with_its_clear_is_not_missed() -> None:
    every = (1 << BITS) - 1
    cycles = [(every, 0), (1, every), (0, every), (0, 0)]
    held = [row[0] for row in simulated(HeldAlarms(ALARMS, COUNTED), cycles, [])]
    assert held == [0, every, 1, 0]


#: Designs with each of the alarms.
DESIGNS = [
    {"operations": "broadcast,send,all_reduce:sum", "watchdog": 9, "sink_timeout": 9},
    {"protect": "detect"},
]


@pytest.mark.parametrize("options", DESIGNS)
def test_each_bit_is_that_of_the_manifest(options: dict) -> None:
    design = build_design("ring:3", width=8, **options)
    files = build_files(design, held_alarms=True)
    manifest = json.loads(files["manifest.json"])
    section, nodes = manifest["alarms"], {node["label"]: node for node in manifest["nodes"]}
    component = HeldFiles(
        manifest["top"], build_manifest(design, [])["nodes"], all_ports(assemble(design))
    ).component
    network = ports_of(files[f"{manifest['top']}.v"])
    beside = files[f"alarms/{section['top']}_instance.vh"]
    rows = [(nodes[row["node"]][row["alarm"]]["signal"], row) for row in section["held"]]
    assert {signal for signal, _ in rows} == {*component.alarms}
    for signal, row in rows:
        # What is joined by name has the bits of the network's.
        assert row["bits"] == network[signal] == component.alarms[signal]
        assert f"    .{signal}({signal})" in beside
        up = ((1 << row["bits"]) - 1) << row["first"]
        place = [*component.alarms].index(signal)
        assert sum([*component.alarms.values()][:place]) == row["first"]
        assert [each[0] for each in simulated(component, [(up, 0), (0, 0)], [])] == [0, up]
    assert section["file"] in files
    without = build_files(design)
    instance = f"alarms/{section['top']}_instance.vh"
    assert files.keys() - without.keys() == {section["file"], instance}
    assert all(files[name] == text for name, text in without.items() if name.endswith(".v"))


@pytest.mark.parametrize("options", [{}, {"sink_timeout": 9}])
def test_each_chip_holds_the_alarms_of_its_nodes_and_links(options: dict) -> None:
    division, ways = divide(build_network("ring:4"), 2)
    whole = cut(build_design("ring:4", ways, width=8, **options), division, 3)
    files = build_files(whole.design, chips=whole, held_alarms=True)
    chips = json.loads(files["manifest.json"])["chips"]["chips"]
    for number, chip in enumerate(chips):
        held, own = chip["alarms"]["held"], chip["alarms"]["top"]
        assert f"module {own}(" in files[chip["alarms"]["file"]]
        inside = ports_of(files[f"chips/{chip['top']}.v"])
        beside = re.findall(r"\.(\w+)\(\1\)", files[f"alarms/{own}_instance.vh"])
        other = f"chip_{1 - number}"
        assert f"// link to {other}\n" in files[f"alarms/{own}_instance.vh"]
        expected = {f"{other}_down": 1, f"{other}_faulty": 1}
        if options:
            expected |= {f"absent_{label}": 2 for label in chip["nodes"]}
        # Those of each chip, whose outputs have so many bits, and no others.
        assert {name: inside[name] for name in expected} == expected
        assert inside.keys() & beside == expected.keys() | {"clk", "rst"}
        told = [(row.get("node", row.get("link")), row["alarm"]) for row in held]
        assert sorted(told) == sorted(
            [(other, "down"), (other, "faulty")]
            + [(label, "absent") for label in chip["nodes"] if options]
        )
        assert sum(row["bits"] for row in held) == sum(expected.values())
    assert "alarms" not in json.loads(files["manifest.json"])


def test_a_network_without_alarms_is_refused() -> None:
    with pytest.raises(InputError, match="held_alarms=True: the network has no alarms") as caught:
        build_files(build_design("ring:3"), held_alarms=True)
    # What it asks for has some.
    shown = caught.value.for_command_line()
    for named in ("--operations that join words", "--sink-timeout", "--protect detect"):
        assert named in shown
    for options in (
        {"operations": ["barrier"], "watchdog": 9},
        {"sink_timeout": 9},
        {"protect": "detect"},
    ):
        assert build_files(build_design("ring:3", **options), held_alarms=True)
