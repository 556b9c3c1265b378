"""What a manifest must agree on with the design that its Verilog should be."""

from collections import Counter

from noc.design import AnyDesign, Design, OrderedDesign, senders
from noc.emit.streams import place_fields
from noc.errors import InputError
from noc.verify.streams import ALARM, JOIN, Interface, Stream

__all__ = ["check_interface"]


def check_interface(interface: Interface, design: AnyDesign) -> None:
    """Refuse a manifest that cannot be of the design."""
    if interface.idle is not None and design.sources != "one":
        raise InputError("manifest.json: idle is only for one source at a time")
    if interface.width != design.width:
        raise InputError(
            f"manifest.json: width {interface.width} where {design.width} was expected"
        )
    if {stream.node for stream in interface.inject} != set(senders(design)):
        raise InputError("manifest.json: the inject streams are not those of the sources")
    if {stream.node for stream in interface.eject} != set(range(interface.nodes)):
        raise InputError("manifest.json: every node needs an eject stream")
    names = Counter(stream.valid for stream in interface.streams)
    for stream in interface.streams:
        if isinstance(design, OrderedDesign):
            _check_ordered(stream, design)
        else:
            _check_stream(stream, design)
        if names[stream.valid] > 1:
            raise InputError(f"manifest.json: {stream.valid} is the name of two streams")


def _check_ordered(stream: Stream, design: OrderedDesign) -> None:
    if stream.kind in ALARM:
        return
    words = design.words
    fields = words.inside
    if stream.kind != "link":
        fields = words.inject if stream.kind == "inject" else words.eject
    elif stream.port <= JOIN:
        fields = words.join(JOIN - stream.port)
    if stream.fields != place_fields(fields.items()):
        shown = ", ".join(f"{name} of {bits} bits" for name, bits in fields.items())
        raise InputError(
            f"manifest.json: node {design.network.label(stream.node)}, {stream.name}: the fields "
            f"must be {shown or 'none'}, one above the other"
        )


def _check_stream(stream: Stream, design: Design) -> None:
    if [field.name for field in stream.fields].count("data") != 1:
        raise InputError(f"manifest.json: {stream.valid}: one field of the name data is needed")
    if stream.data.bits != design.width:
        raise InputError(f"manifest.json: {stream.valid}: the data have {stream.data.bits} bits")
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
