"""A self-test with faults around one node of a network, each in a run of its own."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from amaranth.lib import wiring

from noc.design import AnyDesign, OrderedDesign
from noc.emit.module import Module, convert, ports_of
from noc.emit.verilog import modules
from noc.hardware import assemble
from noc.selftest import Result, Settings, results, verilog
from noc.selftest.simulate import report_lines, simulate_files

__all__ = ["Build", "Fault", "inner_node", "tell_faults"]

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
    """What a round says in each run: first without a fault, then with one, last with the other.

    Parameters
    ----------
    built : Design or OrderedDesign
        The network.
    node : int
        Where the faults are.
    folder, settings
        As :func:`noc.selftest.simulate.simulate_files` takes them.
    faults : sequence of Fault
        What is wrong.
    other : function
        What stands at the node in the last run.
    """
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
