"""What one router must know: the table from which its hardware is built.

The header of a word holds a code: the number of its row at the router that it reaches, see
:mod:`noc.programs.codes`. Rows of several in-ports that do the same share one code, so that a
router looks a word up by the code alone, whichever in-port brought it, and no in-port number is
stored.
"""

from dataclasses import dataclass, field

from noc.options import Rom


@dataclass(frozen=True)
class Entry:
    """What a router does with a word of one code."""

    code: int
    #: The copies to make, as (out-port, code): with the code that each carries; in order in
    #: one-port use.
    sends: tuple[tuple[int, int], ...]
    #: Whether the node gets the word.
    deliver: bool
    # What follows is not shown, so that a design without slices has the digest it always had.
    #: Which slice of a word it is, where words are cut into several.
    slice: int = field(default=0, repr=False)
    #: How many hops later the last slices of the word come.
    wait: int = field(default=0, repr=False)


@dataclass(frozen=True)
class InPort:
    """An in-port that some word uses: its number, and the codes that arrive there."""

    number: int
    codes: tuple[int, ...]


@dataclass(frozen=True)
class RouterTable:
    """The table of one router module."""

    #: Whether copies leave one after the other, in order.
    one_port: bool
    #: Bits of a code as the router stores it.
    code_bits: int
    #: Sorted by code, but those of the node's own words, one for each slice, come last.
    entries: tuple[Entry, ...]
    #: How many entries are for the node's own words: one for each slice.
    trees: int
    #: The in-ports on which words arrive; ports without words are left out of the hardware.
    in_ports: tuple[InPort, ...]
    #: Tuple of (out-port, int). The out-ports that are used, and the code bits of the router at the
    #: far end.
    out_bits: tuple[tuple[int, int], ...]

    @property
    def arriving(self) -> tuple[Entry, ...]:
        """What it does with the words that arrive on links."""
        return self.entries[: len(self.entries) - self.trees]

    @property
    def own(self) -> tuple[Entry, ...]:
        """What it does with the node's own words, by slice."""
        return self.entries[len(self.entries) - self.trees :]

    @property
    def header_bits(self) -> int:
        """Bits of a code on the links that arrive; 0 where none does."""
        return self.code_bits if self.in_ports else 0

    def row_bits(self, rom: Rom) -> int:
        """Bits of a row: a mask of out-ports, the code for each, and whether to deliver.

        In one-port use a row stands for one turn, and says as well whether it is the last. In a
        table that can be written a copy has the code of its word.
        """
        codes = 0 if rom == "writable" else sum(bits for _, bits in self.out_bits)
        return len(self.out_bits) + codes + 1 + self.one_port

    def rom_rows(self, rom: Rom) -> int:
        """Rows of the ROM: those that are asked for, or in a block RAM all that have an address."""
        if rom != "logic":
            return 1 << max(1, self.code_bits)
        if self.one_port:
            return sum(len(entry.sends) + 1 for entry in self.entries)
        return len(self.entries)

    def rom_bits(self, rom: Rom) -> int:
        """Bits of the ROM."""
        return self.rom_rows(rom) * self.row_bits(rom)


def part_bits(parts: int, width: int) -> int:
    """Bits of a part of words of some bits; above those of the word the last ones are zeros."""
    return -(-width // parts)
