"""The files that the bench reads before each run."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from noc.model import Traffic
from noc.model.collective.traffic import CollectiveTraffic
from noc.model.collective.words import pack
from noc.networks import IntArray
from noc.verify.streams import Interface

__all__ = ["AnyTraffic", "write_run"]

#: Broadcasts, or words with operations.
AnyTraffic = Traffic | CollectiveTraffic


def write_run(
    folder: Path, number: int, interface: Interface, traffic: AnyTraffic, *, busy: int, end: int
) -> None:
    """Write words and sinks of a run.

    Parameters
    ----------
    folder : Path
        Where the simulator looks for them.
    number : int
        The number of the run.
    interface : Interface
        The network's.
    traffic : Traffic
        Words and sinks.
    busy : int
        From this cycle on all sinks are ready, so that a stray word would come out.
    end : int
        The run ends after so many cycles.
    """
    order = np.argsort(traffic.source, kind="stable")
    first = np.searchsorted(traffic.source[order], np.arange(interface.nodes + 1))
    # A last entry stands for no word.
    files: dict[str, Iterable[int]] = {
        "plan": (busy, end, traffic.ready.shape[0]),
        "first": first.tolist(),
        "due": [*traffic.release[order].tolist(), 0],
        "word": [*_offers(interface, traffic, order), 0],
        "pattern": (_bits(row) for row in traffic.ready),
    }
    for name, numbers in files.items():
        text = "".join(f"{entry:x}\n" for entry in numbers)
        (folder / f"{number}.{name}").write_text(text, encoding="ascii")


def _offers(interface: Interface, traffic: AnyTraffic, order: IntArray) -> Iterable[int]:
    """What the inject stream carries: all fields, or the number of the tree below the data."""
    if isinstance(traffic, CollectiveTraffic):
        fields = {
            stream.node: {field.name: field.bits for field in stream.fields}
            for stream in interface.inject
        }
        for word in order.tolist():
            yield pack(traffic.word(word), fields[int(traffic.source[word])])
        return
    header = {stream.node: stream.data.first for stream in interface.inject}
    for word in order.tolist():
        data = traffic.payload(word, interface.width)
        yield data << header[int(traffic.source[word])] | int(traffic.tree[word])


def _bits(ready: IntArray) -> int:
    """One number with a bit for each node, the first node's the lowest."""
    return int.from_bytes(np.packbits(ready, bitorder="little").tobytes(), "little")
