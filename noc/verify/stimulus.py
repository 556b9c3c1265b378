"""What drives a run: the words of sources and the pattern of sinks, as benches read them."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from noc.model.ordered.data import rows_of
from noc.model.ordered.run import AnyTraffic
from noc.model.ordered.streams import pack
from noc.model.ordered.traffic import CollectiveTraffic
from noc.model.traffic import BoolArray, LongTraffic, Traffic, Words, payload_rows
from noc.networks import IntArray
from noc.verify.expected import WordArray, lay_below
from noc.verify.streams import Interface

__all__ = ["broadcasts", "encode_words", "write_sinks", "write_words"]

_BITS = 32


def broadcasts(traffic: AnyTraffic) -> Traffic | LongTraffic:
    """Traffic without operations, as the direct fabric needs it."""
    if not isinstance(traffic, Traffic | LongTraffic):
        raise TypeError("operations are of the ordered fabric")
    return traffic


def encode_words(
    interface: Interface,
    traffic: AnyTraffic,
    parts: Sequence[tuple[int, Words | CollectiveTraffic]],
) -> WordArray:
    """A row for each word of some parts: its node, its release, and what its stream carries.

    Parameters
    ----------
    interface : Interface
        The network's.
    traffic : Traffic or CollectiveTraffic
        What they are parts of.
    parts : sequence of (int, part)
        The words, and the numbers of the first ones.
    """
    count = -(-max((stream.bits for stream in interface.inject), default=1) // _BITS)
    rows = [np.zeros((0, 2 + count), dtype=np.uint32)]
    for first, part in parts:
        if isinstance(part, CollectiveTraffic):
            payload = _pack_words(interface, part, count)
        else:
            payload = _broadcasts(interface, broadcasts(traffic).seed, part, first, count)
        release = part.release.clip(0)
        rows.append(np.column_stack([part.source, release, payload]).astype(np.uint32))
    return np.concatenate(rows)


def _broadcasts(interface: Interface, seed: int, words: Words, first: int, count: int) -> WordArray:
    """The number of the tree lies below the data."""
    header = np.zeros(interface.nodes, dtype=np.int64)
    for stream in interface.inject:
        header[stream.node] = stream.data.first
    number = np.arange(first, first + words.source.size, dtype=np.int64)
    data = payload_rows(seed, interface.width, number)
    return lay_below(data, words.tree, header[words.source], count)


def _pack_words(interface: Interface, words: CollectiveTraffic, count: int) -> WordArray:
    fields = {
        stream.node: {field.name: field.bits for field in stream.fields}
        for stream in interface.inject
    }
    sources = enumerate(words.source.tolist())
    packed = [pack(words.word(number), fields[node]) for number, node in sources]
    return rows_of(packed, _BITS * count)


def write_sinks(folder: Path, number: int, ready: BoolArray) -> None:
    """Write when the sinks of a run are ready, which the simulator looks for in a folder."""
    _write(folder / f"{number}.pattern", (_bits(row) for row in ready))


def write_words(
    folder: Path, number: int, interface: Interface, rows: WordArray, plan: tuple[int, int, int]
) -> None:
    """Write all words of a run for the bench in Verilog.

    Parameters
    ----------
    folder : Path
        Where the simulator looks for them.
    number : int
        The number of the run.
    interface : Interface
        The network's.
    rows : array
        The words, as :func:`encode_words` gives them.
    plan : (int, int, int)
        From which cycle on all sinks are ready, so that a stray word would come out; after how many
        cycles the run ends; and the period of the sinks.
    """
    rows = rows[np.argsort(rows[:, 0], kind="stable")]
    first = np.searchsorted(rows[:, 0], np.arange(interface.nodes + 1))
    words = (int.from_bytes(row.astype("<u4").tobytes(), "little") for row in rows[:, 2:])
    # A last entry stands for no word.
    _write(folder / f"{number}.plan", plan)
    _write(folder / f"{number}.first", first.tolist())
    _write(folder / f"{number}.due", [*rows[:, 1].tolist(), 0])
    _write(folder / f"{number}.word", [*words, 0])


def _write(path: Path, numbers: Iterable[int]) -> None:
    path.write_text("".join(f"{entry:x}\n" for entry in numbers), encoding="ascii")


def _bits(ready: IntArray) -> int:
    """One number with a bit for each node, the first node's the lowest."""
    return int.from_bytes(np.packbits(ready, bitorder="little").tobytes(), "little")
