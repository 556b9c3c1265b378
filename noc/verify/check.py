"""What a manifest must agree on with the design that its Verilog should be."""

from collections import Counter

from noc.design import AnyDesign, Design, OrderedDesign
from noc.errors import InputError
from noc.verify.streams import Interface, Stream

__all__ = ["check_interface"]


def check_interface(interface: Interface, design: AnyDesign) -> None:
    """Refuse a manifest that cannot be of the design."""
    if interface.idle is not None and design.sources != "one":
        raise InputError("manifest.json: idle is only for one source at a time")
    if interface.width != design.width:
        raise InputError(
            f"manifest.json: width {interface.width} where {design.width} was expected"
        )
    wanted = set(design.program.sources)
    if {stream.node for stream in interface.inject} != wanted:
        raise InputError("manifest.json: the inject streams are not those of the sources")
    if {stream.node for stream in interface.eject} != set(range(interface.nodes)):
        raise InputError("manifest.json: every node needs an eject stream")
    names = Counter(stream.valid for stream in interface.streams)
    for stream in interface.streams:
        if stream.data.bits != design.width:
            raise InputError(
                f"manifest.json: {stream.valid}: the data have {stream.data.bits} bits"
            )
        if isinstance(design, OrderedDesign):
            _check_ordered(stream, design)
        else:
            _check_stream(stream, design)
        if names[stream.valid] > 1:
            raise InputError(f"manifest.json: {stream.valid} is the name of two streams")


def _check_ordered(stream: Stream, design: OrderedDesign) -> None:
    wanted = 0 if stream.kind == "inject" else design.program.source_bits
    if stream.header_bits != wanted:
        raise InputError(
            f"manifest.json: node {design.network.label(stream.node)}, {stream.name}: "
            f"{stream.header_bits} bits beside the data, where {wanted} were expected"
        )


def _check_stream(stream: Stream, design: Design) -> None:
    table = design.program.table_of(stream.node)
    where = f"manifest.json: node {design.network.label(stream.node)}, {stream.name}"
    wanted = 0
    if stream.kind == "inject":
        wanted = max(0, table.trees - 1).bit_length()
    elif stream.kind == "link":
        wanted = table.header_bits
        if stream.port not in [port.number for port in table.in_ports]:
            raise InputError(f"{where}: no word arrives there")
    if stream.header_bits != wanted:
        raise InputError(
            f"{where}: {stream.header_bits} bits beside the data, where {wanted} were expected"
        )
