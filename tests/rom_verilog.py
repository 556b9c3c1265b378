"""The ROM of a router as it lies in the emitted Verilog, read by an interpreter of its own."""

import re
from collections.abc import Callable

_ASSIGN = re.compile(r"^  assign (\S+) = (.+);$", re.M)
_CASE = re.compile(
    r"always @\* begin\n(?:    if \(\w+\) begin end\n)?    (\w+) = 1'h([01]);\n"
    r"    casez \((.+)\)\n((?:.|\n)+?)    endcase\n  end"
)
_ARM = re.compile(r"^ +((?:\d+'[hb]\S+,? ?)+):\n +\w+ = 1'h([01]);$", re.M)


def number(text: str) -> int:
    """A sized constant."""
    base, digits = re.fullmatch(r"\d+'([hb])([0-9a-f]+)", text).groups()
    return int(digits, 16 if base == "h" else 2)


class Logic:
    """A module of gates: assignments, and tables that are written as casez."""

    def __init__(self, text: str) -> None:
        self.assigned = dict(_ASSIGN.findall(text))
        self.tables = {}
        for name, usual, index, arms in _CASE.findall(text):
            chosen = {
                number(label.strip()): int(value)
                for labels, value in _ARM.findall(arms)
                for label in labels.split(",")
            }
            self.tables[name] = int(usual), index, chosen
        self.widths = {
            name: int(most or 0) + 1
            for most, name in re.findall(r"^  input (?:\[(\d+):0\] )?(\w+);", text, re.M)
        }

    def value(self, text: str, given: dict[str, int]) -> int:
        """An expression: a constant, a name or some of its bits, its inverse, or several joined."""
        text = text.strip()
        if text.startswith("~ "):
            return 1 - self.value(text[2:], given)
        if text.startswith("{"):
            joined = 0
            for part in text.strip("{} ").split(","):
                joined = joined << self.width(part.strip()) | self.value(part, given)
            return joined
        if "'" in text:
            return number(text)
        name, high, low = re.fullmatch(r"(\w+)(?:\[(\d+)(?::(\d+))?\])?", text).groups()
        if name in given:
            whole = given[name]
        elif name in self.tables:
            usual, index, chosen = self.tables[name]
            whole = chosen.get(self.value(index, given), usual)
        else:
            return self.value(self.assigned[text], given)
        if high is None:
            return whole
        least = int(low or high)
        return whole >> least & ((1 << int(high) - least + 1) - 1)

    def width(self, text: str) -> int:
        """The bits of a part of an index."""
        name, high, low = re.fullmatch(r"(\w+)(?:\[(\d+)(?::(\d+))?\])?", text).groups()
        if high is None:
            return self.widths.get(name, 1)
        return int(high) - int(low or high) + 1

    def field(self, name: str, bits: int, given: dict[str, int]) -> int:
        """An output, whole or bit by bit."""
        if name in self.assigned or bits == 0:
            return self.value(name, given) if bits else 0
        return sum(self.value(f"{name}[{bit}]", given) << bit for bit in range(bits))


def module_text(text: str, ending: str) -> str:
    """The module of a file whose name ends so."""
    return re.search(rf"^module \S*{ending}\s*\(.*?^endmodule", text, re.M | re.S).group()


def logic_rows(text: str, outs: dict[int, int], one_port: bool) -> Callable:
    """What a router does with a code: whether it delivers, and its copies as (out-port, code).

    ``outs`` are the out-ports in use, with the bits of the codes that leave there.
    """
    logic = Logic(module_text(text, "_rom"))

    def turn(code: int, number: int) -> tuple[bool, list[tuple[int, int]]]:
        given = {"code": code, "sent": number}
        sends = logic.field("row__sends", len(outs), given)
        copies = [
            (port, logic.field(f"row__code_{port}", bits, given))
            for place, (port, bits) in enumerate(outs.items())
            if sends >> place & 1
        ]
        return bool(logic.field("row__deliver", 1, given)), copies

    def row(code: int) -> tuple[bool, list[tuple[int, int]]]:
        deliver, copies = turn(code, 0)
        # In one-port use a copy comes with each turn, until one is the last.
        for number in range(1, len(outs) if one_port and copies else 0):
            if logic.field("row__last", 1, {"code": code, "sent": number - 1}):
                break
            copies += turn(code, number)[1]
        return deliver, copies

    return row


def block_rows(text: str, outs: dict[int, int]) -> Callable:
    """The same of a router whose table is a block RAM: the mask, deliver, and then the codes."""
    words = {int(at): number(value) for at, value in re.findall(r" rom\[(\d+)\] = (\S+);", text)}

    def row(code: int) -> tuple[bool, list[tuple[int, int]]]:
        word, copies, first = words[code], [], len(outs) + 1
        for place, (port, bits) in enumerate(outs.items()):
            if word >> place & 1:
                copies.append((port, word >> first & ((1 << bits) - 1)))
            first += bits
        return bool(word >> len(outs) & 1), copies

    return row
