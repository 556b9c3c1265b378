"""The gates of a design's Verilog, in the order in which they can be evaluated."""

import json
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from noc.errors import CheckError
from noc.networks import IntArray
from noc.synth import tools

#: Signals 0 and 1 are the constants.
ZERO, ONE = 0, 1

#: What a gate does, by its type in Yosys; the kernel knows these numbers.
_KINDS = {"$_NOT_": 0, "$_AND_": 1, "$_XOR_": 2, "$_MUX_": 3}

_REGISTER = "$_DFF_P_"

# No synthesis takes longer.
_SECONDS = 3600

# Registers are plain ones, with their enables and resets in gates; of memories there are none.
# Nodes are mapped one by one: registers of two that always hold the same are not one register.
_SCRIPT = """\
read_verilog -sv {files}
{kept}
synth -top {top} -noabc
dfflegalize -cell $_DFF_P_ 01
abc -g AND,XOR,MUX
setattr -mod -unset keep_hierarchy *
flatten
opt_clean
write_json gates.json
"""


@dataclass(frozen=True, eq=False)
class Gates:
    """A module as gates and flip-flops."""

    #: How many there are, with the two constants.
    signals: int
    #: Array (gates, 5). For each gate its kind, its output, and three inputs, in the order of
    #: evaluation.
    gates: IntArray = field(repr=False)
    #: Array (flip-flops, 3). For each flip-flop its input, its output, and the value with which it
    #: begins.
    registers: IntArray = field(repr=False)
    #: What each flip-flop is called, with the bit where it is one of several.
    names: Sequence[str] = field(repr=False)
    #: The signals of each port, and of each wire of the top.
    wires: Mapping[str, IntArray] = field(repr=False)


def read_gates(sources: Sequence[Path], top: str, kept: Iterable[str], folder: Path) -> Gates:
    """Map a module of Verilog to gates, in a folder; some wires of the top keep their names."""
    for source in sources:
        if source.parent != folder:
            shutil.copy(source, folder)
    files = " ".join(source.name for source in sources)
    keep = "\n".join(f"setattr -set keep 1 {top}/w:{name}" for name in kept)
    script = _SCRIPT.format(files=files, top=top, kept=keep)
    (folder / "gates.ys").write_text(script, encoding="utf-8")
    tools.yosys().run(["gates.ys"], folder, "gates.txt", seconds=_SECONDS)
    with tools.readable("yosys", "netlist"):
        document = json.loads((folder / "gates.json").read_text(encoding="utf-8"))
        return _read(document["modules"][top])


def _read(module: Mapping[str, Any]) -> Gates:
    """The gates of a module in the JSON of Yosys."""
    numbers: dict[object, int] = {"0": ZERO, "1": ONE, "x": ZERO}

    def number(bit: object) -> int:
        return numbers.setdefault(bit, len(numbers) - 1)

    kinds = {cell["type"] for cell in module["cells"].values()}
    if unknown := kinds - {*_KINDS, _REGISTER, "$scopeinfo"}:
        raise CheckError(f"yosys leaves a cell that is no gate: {min(unknown)}")
    pins = [
        (
            cell["type"],
            [number(cell["connections"][pin][0]) for pin in pins if pin in cell["connections"]],
        )
        for cell in module["cells"].values()
        for pins in ["YABS" if cell["type"] in _KINDS else "QD"]
        if cell["type"] in kinds - {"$scopeinfo"}
    ]
    wires = {
        name: np.array([number(bit) for bit in net["bits"]])
        for name, net in module["netnames"].items()
        if not net["hide_name"]
    }
    gates = [(kind, *ends) for kind, ends in pins if kind != _REGISTER]
    states = [ends for kind, ends in pins if kind == _REGISTER]
    begins, names = _states(module, number)
    registers = [(d, q, begins.get(q, 0)) for q, d in states]
    return Gates(
        signals=len(numbers) - 1,
        gates=np.array([*_ordered(gates, len(numbers) - 1)], dtype=np.int32).reshape(-1, 5),
        registers=np.array(registers, dtype=np.int32).reshape(-1, 3),
        names=[names.get(q, f"signal {q}") for _, q, _ in registers],
        wires=wires,
    )


def _states(module: Mapping[str, Any], number: Any) -> tuple[dict[int, int], dict[int, str]]:
    """The values with which signals begin, and the names of those that do."""
    begins, names = {}, {}
    for name, net in module["netnames"].items():
        if init := net.get("attributes", {}).get("init"):
            bits = net["bits"]
            for index, (bit, value) in enumerate(zip(bits, reversed(init), strict=True)):
                if value in "01":
                    begins[number(bit)] = int(value)
                    names[number(bit)] = f"{name}[{index}]" if len(bits) > 1 else name
    return begins, names


def _ordered(gates: Sequence[tuple[Any, ...]], signals: int) -> Iterator[tuple[int, ...]]:
    """Each gate after those whose outputs it reads."""
    of_output = {gate[1]: gate for gate in gates}
    done = bytearray(signals)
    for last in of_output:
        waiting = [last]
        while waiting:
            output = waiting[-1]
            kind, _, *inputs = of_output[output]
            before = [] if done[output] else [i for i in inputs if i in of_output and not done[i]]
            if not before:
                waiting.pop()
                if not done[output]:
                    done[output] = 1
                    yield (_KINDS[kind], output, *inputs, *[ZERO] * (3 - len(inputs)))
            elif len(waiting) > signals:
                raise CheckError("the gates of the network are a ring")
            else:
                waiting += before
