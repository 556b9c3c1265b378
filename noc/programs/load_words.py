"""The words that write rows of tables while the network runs, and files of them."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from noc.errors import CheckError, InputError
from noc.networks import ABSENT, Network
from noc.programs.by_source import Row, check_served, count_code_bits, with_rows
from noc.programs.program import Program


@dataclass(frozen=True)
class LoadFormat:
    """What lies in a word that writes a row, from the lowest bit on.

    ``sends`` has a bit for each out-port of the network, whichever of them a node has.
    """

    ports: int
    code_bits: int

    @classmethod
    def of(cls, network: Network) -> "LoadFormat":
        """That of a network."""
        return cls(network.ports, count_code_bits(network))

    @property
    def fields(self) -> dict[str, int]:
        """The bits of each field."""
        return {"sends": self.ports, "deliver": 1, "source": self.code_bits, "node": self.code_bits}

    @property
    def bits(self) -> int:
        """Bits of the whole."""
        return sum(self.fields.values())

    def write(self, row: Row) -> int:
        """The word that writes a row."""
        word = row.node << self.code_bits | row.source
        return (word << 1 | row.deliver) << self.ports | sum(1 << port for port in row.sends)

    def read(self, word: int) -> Row:
        """The row that a word writes."""
        sends = frozenset(port for port in range(self.ports) if word >> port & 1)
        numbers = word >> self.ports + 1
        node, source = numbers >> self.code_bits, numbers % (1 << self.code_bits)
        return Row(node, source, sends, bool(word >> self.ports & 1))


def write_lines(network: Network, rows: Sequence[Row], title: str) -> Iterator[str]:
    """The words that write rows, as people and Verilog's ``$readmemh`` read them."""
    load, label = LoadFormat.of(network), network.label
    digits = -(-load.bits // 4)
    yield f"// {title}: {len(rows)} words of {load.bits} bits"
    for row in rows:
        ports = " ".join(network.out_ports[port] for port in sorted(row.sends))
        does = [*["deliver"] * row.deliver, *([f"send on {ports}"] if ports else [])]
        what = ", ".join(does) or "nothing"
        word = f"{load.write(row):0{digits}x}"
        yield f"{word}  // {label(row.node)}, words of {label(row.source)}: {what}"


def read_rows(network: Network, lines: Iterable[str]) -> Iterator[Row]:
    """The rows that such lines write."""
    load = LoadFormat.of(network)
    for number, line in enumerate(lines, start=1):
        text, where = line.partition("//")[0].strip(), f"line {number}"
        if not text:
            continue
        if not re.fullmatch("[0-9A-Fa-f]+", text) or int(text, 16) >> load.bits:
            raise InputError(f"{where}: {text!r:.40} is no hexadecimal word of {load.bits} bits")
        row = load.read(int(text, 16))
        if max(row.node, row.source) >= network.nodes:
            raise InputError(f"{where}: {text} is for none of the {network.nodes} nodes")
        if row.deliver and row.node == row.source:
            raise InputError(f"{where}: {text}: {network.label(row.node)} gets its own words")
        for port in row.sends:
            if network.neighbour[row.node, port] == ABSENT:
                label = f"{network.label(row.node)} has no out-port {network.out_ports[port]}"
                raise InputError(f"{where}: {text}: {label}")
        yield row


def read_file(program: Program, path: Path) -> tuple[list[Row], list[int]]:
    """The rows that a file writes, and the nodes that are lost: words come to all others then."""
    try:
        rows = [*read_rows(program.network, path.read_text(encoding="utf-8").splitlines())]
        lost = check_served(with_rows(program, rows))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    except (CheckError, InputError) as error:
        raise InputError(f"{path}: {error.message}") from None
    return rows, lost
