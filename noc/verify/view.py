"""What a person looks for in waveforms: node by node, each stream's signals and fields."""

from collections.abc import Callable, Iterator

from noc.verify.streams import Interface, Stream

__all__ = ["view"]

#: What lies below the data in the payload of a stream.
_HEADERS = {"inject": "tree", "link": "code"}


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
            yield from _fields(stream, interface.width, path)
        yield "  end endgenerate"


def _fields(stream: Stream, width: int, path: Callable[[Stream, str], str]) -> Iterator[str]:
    for signal in ("valid", "ready"):
        yield f"    wire {stream.brief}__{signal} = {path(stream, signal)};"
    payload, header = path(stream, "payload"), stream.header_bits
    top = width + header - 1
    if header:
        yield (
            f"    wire [{header - 1}:0] {stream.brief}__{_HEADERS[stream.kind]}"
            f" = {payload}[{header - 1}:0];"
        )
        yield f"    wire [{width - 1}:0] {stream.brief}__data = {payload}[{top}:{header}];"
    else:
        yield f"    wire [{width - 1}:0] {stream.brief}__data = {payload};"
