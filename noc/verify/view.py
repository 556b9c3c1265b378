"""What a person looks for in waveforms: node by node, each stream's signals and fields."""

from collections.abc import Callable, Iterator

from noc.verify.streams import ALARM, Interface, Stream

__all__ = ["view"]


def view(interface: Interface, path: Callable[[Stream, str], str]) -> Iterator[str]:
    """A scope for each node, with the streams into it and out of it, payloads split into fields.

    Parameters
    ----------
    interface : Interface
        The streams.
    path : callable
        How the bench calls a signal of a stream: valid, ready or payload.
    """
    by_node: list[list[Stream]] = [[] for _ in interface.names]
    for stream in interface.streams:
        by_node[stream.node].append(stream)
    for name, streams in zip(interface.names, by_node, strict=True):
        yield f"  generate if (1) begin : node_{name}"
        for stream in streams:
            yield from _fields(stream, path)
        yield "  end endgenerate"


def _fields(stream: Stream, path: Callable[[Stream, str], str]) -> Iterator[str]:
    if stream.kind in ALARM:
        yield f"    wire [{stream.bits - 1}:0] {stream.brief} = {path(stream, 'payload')};"
        return
    for signal in ("valid", "ready"):
        yield f"    wire {stream.brief}__{signal} = {path(stream, signal)};"
    payload = path(stream, "payload")
    for field in stream.fields:
        # A signal of one bit has no bits to select.
        span = f"[{field.bits - 1}:0] " if field.bits > 1 else ""
        part = f"[{field.first + field.bits - 1}:{field.first}]" if stream.bits > 1 else ""
        yield f"    wire {span}{stream.brief}__{field.name} = {payload}{part};"
