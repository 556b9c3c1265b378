"""A self-test with faults around one node of the ordered fabric, each in a run of its own."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from noc.design import OrderedDesign
from noc.emit.module import Module, convert, ports_of
from noc.emit.verilog import modules
from noc.hardware import assemble
from noc.selftest import Settings
from noc.selftest.selftest import verilog
from noc.selftest.simulate import report_lines, simulate_files

__all__ = ["Fault", "inner_node", "tell_faults"]

#: Signals of the node and what they are while ``HIT`` is 1. ``inner__NAME`` is the signal at the
#: node itself, ``NAME`` at its neighbours; ``count`` counts cycles.
Fault = Mapping[str, str]


def inner_node(built: OrderedDesign) -> int:
    """A node with one child above it and one below."""
    plans = map(built.program.plan_of, range(built.network.nodes))
    return next(node for node, plan in enumerate(plans) if plan.climbs and plan.down == 1)


def wrapped_node(
    built: OrderedDesign, node: int, faults: Sequence[Fault], other: bool
) -> tuple[str, str]:
    """The part at a node with the faults around it; and its name.

    In one more run the module ``other`` stands there instead.
    """
    assembly = assemble(built)
    ports = [port for _, port in ports_of(assembly.part_of(node).signature)]
    declared = [f"{'output' if p.output else 'input'} {p.span}{p.name}" for p in ports]
    lines = [f"module faulty ({', '.join(['input clk', 'input rst', *declared])});"]
    lines += ["reg [3:0] count = 0;", "always @(posedge clk) count <= count + 1;"]
    lines += [f"wire other = noc_bench.run == {len(faults) + 1};", "wire inner__rst;"]
    value = {"inner__rst": "rst"}
    for port in ports:
        inner = f"inner__{port.name}"
        lines += [f"wire {port.span}{inner}, other__{port.name};"]
        plain = f"(other ? other__{port.name} : {inner})" if other else inner
        value |= {port.name: plain} if port.output else {inner: port.name}
    for run, fault in enumerate(faults, start=1):
        lines.append(f"wire run_is_{run} = noc_bench.run == {run};")
        for signal, text in fault.items():
            broken = text.replace("HIT", f"run_is_{run}")
            value[signal] = f"(run_is_{run} ? {broken} : {value[signal]})"
    lines += [f"assign {signal} = {text};" for signal, text in value.items()]
    inner = ", ".join(f".{p.name}(inner__{p.name})" for p in ports)
    name = modules(built)[1 + assembly.instances[node].part].name
    lines += [f"{name} sound (.clk(clk), .rst(inner__rst), {inner});"]
    if other:
        beside = ", ".join(
            f".{p.name}({'other' if p.output else 'inner'}__{p.name})" for p in ports
        )
        lines += [f"other_node beside (.clk(clk), .rst(rst), {beside});"]
    return "\n".join([*lines, "endmodule"]), name


def tell_faults(
    built: OrderedDesign,
    folder: Path,
    parts: Path,
    settings: Settings,
    faults: Sequence[Fault],
    *,
    other: OrderedDesign | None = None,
) -> list[str]:
    """What the text says in each run: first without a fault, then with one, last with the other.

    Parameters
    ----------
    built : OrderedDesign
        The network.
    folder, parts, settings
        As :func:`noc.selftest.simulate.simulate_files` takes them.
    faults : sequence of Fault
        What is wrong.
    other : OrderedDesign, optional
        Another network with the same ports: of its nodes one stands at this place in the last run.
    """
    node = inner_node(built)
    texts = {module.name: module.text for module in verilog(built, settings)}
    top = modules(built)[0].name
    texts["faulty"], name = wrapped_node(built, node, faults, other is not None)
    if other is not None:
        texts["other_node"] = convert(assemble(other).part_of(node).build(), "other_node").text
    place = f"node_{built.network.label(node)} ("
    assert texts[top].count(f"{name} {place}") == 1
    texts[top] = texts[top].replace(f"{name} {place}", f"faulty {place}")
    sources = [Module(name, text).write(folder) for name, text in texts.items()]
    runs = 1 + len(faults) + (other is not None)
    lines = report_lines(built)
    return simulate_files(sources, folder, settings, rounds=1, lines=lines, runs=runs, parts=parts)
