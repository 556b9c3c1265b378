"""An instance of a module, with every port, as text to copy into one's own Verilog."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from noc.emit.module import Port, write_instance

__all__ = ["build_instance", "describe_slices", "describe_words", "instance_file"]

HEAD = """\
// To copy into your own module: {top} with every port. Written by noc generate.
// You drive the inputs. A word passes in each cycle in which its valid and ready are both 1.
"""


def instance_file(top: str) -> str:
    """The name of the file; not *.v, since by itself it is no module."""
    return f"{top}_instance.vh"


def build_instance(
    top: str, ports: Sequence[Port], labels: Mapping[str, str], notes: Sequence[str] = ()
) -> str:
    """The text for a module.

    Parameters
    ----------
    top : str
        The module.
    ports : sequence of Port
        Its ports.
    labels : mapping of str to str
        The label of the node that a signal belongs to, if it belongs to one.
    notes : sequence of str
        Lines before the declarations.
    """
    lines = [*(f"  {note}" for note in notes), *_declarations(ports, labels), ""]
    lines += write_instance(top, f"{top}_instance", {port.name: port.name for port in ports})
    return "\n".join([HEAD.format(top=top), *lines, ""])


def describe_words(manifest: Mapping[str, Any]) -> Iterator[str]:
    """Where the fields of words lie in payloads, and the numbers of operations as constants."""
    for side in ("inject", "eject"):
        fields = [node[side].get("fields", ()) for node in manifest["nodes"] if side in node]
        if fields and len(fields[0]) > 1:
            yield f"// payloads of {side}: {', '.join(map(_field, fields[0]))}"
    yield from _operations(manifest.get("operations", {}))


def _field(field: Mapping[str, Any]) -> str:
    first, last = field["first"], field["first"] + field["bits"] - 1
    return f"{field['name']} [{f'{last}:' * (last > first)}{first}]"


def _operations(numbers: Mapping[str, int]) -> Iterator[str]:
    """With one operation alone, words have no field for it."""
    bits = (len(numbers) - 1).bit_length()
    for name, number in numbers.items():
        constant = re.sub(r"\W", "_", f"operation_{name}").upper()
        if bits:
            yield f"localparam [{bits - 1}:0] {constant} = {bits}'d{number};"


def describe_slices(manifest: Mapping[str, Any]) -> Iterator[str]:
    """Which node has which slice of vectors, and the numbers of operations as constants."""
    yield "// node i has slice i of each vector, from the lowest bits up:"
    for number, node in enumerate(manifest["nodes"]):
        yield f"//   {number}: {' '.join(node['label'].split())}"
    yield from _operations(manifest.get("operations", {}))


def _declarations(ports: Sequence[Port], labels: Mapping[str, str]) -> Iterator[str]:
    before = None
    for port in ports:
        label = labels.get(port.name)
        if label != before:
            yield f"  // node {label}" if label is not None else "  // of the network"
        before = label
        yield f"  wire {port.span}{port.name};  // {'output' if port.output else 'input'}"
