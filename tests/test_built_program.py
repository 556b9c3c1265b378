"""What ``noc program`` shows is what is built: files, and the ROM in the Verilog, row for row."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import folders
import pytest
from folders import manifest_of

from noc.networks import build_network

DIRECT = [
    ["star:3"],
    ["star:4", "--sources", "one", "--algorithm", "balanced"],
    ["star:4", "--ports", "one"],
    ["star:4", "--rom", "block"],
    ["scc:3", "--sources", "one", "--ports", "one"],
    ["scc:4"],
    ["uhc:4", "--algorithm", "bt2"],
    ["uhc:3", "--rom", "block"],
    ["hypercube:3", "--sources", "one", "--rom", "block"],
    ["mesh:3,3"],
    ["mesh:3,3", "--sources", "1.2"],
    ["incomplete-star:4,3", "--sources", "one"],
]
ORDERED = [
    ["star:4"],
    ["mesh:3,3", "--root", "1.1"],
    ["uhc:3", "--link-registers", "2"],
    ["star:3", "--sources", "123,321", "--queue", "2"],
    ["ring:5", "--own-words", "return", "--no-source-numbers"],
]


def generated(words: list[str], folder: Path) -> tuple[dict, dict]:
    manifest = manifest_of(folders.generated(folder, *words))
    return manifest, json.loads((folder / "program.json").read_text())


def copies_in_verilog(text: str, answer: dict, program: dict, spec: str, far_bits: dict):
    """For each code what the Verilog of a router does with it."""
    ports = list(build_network(spec).out_ports)
    used = {ports.index(send["port"]) for row in answer["codes"] for send in row["sends"]}
    outs = {port: far_bits[ports[port]] for port in sorted(used)}
    one_port = program["ports"] == "one"
    if not outs and "_rom" not in text:
        # A router that only delivers needs no table, and synthesis has left it out.
        yield from ((row["code"], True, []) for row in answer["codes"])
        return
    read = block_rows(text, outs) if " rom[" in text else logic_rows(text, outs, one_port)
    for row in answer["codes"]:
        deliver, copies = read(row["code"])
        yield row["code"], deliver, [(ports[port], code) for port, code in copies]


@pytest.mark.cases(1, ci=4)
@pytest.mark.parametrize("words", DIRECT, ids=" ".join)
def test_the_rows_shown_are_those_in_the_files_and_in_the_verilog(words, cli, tmp_path) -> None:
    words = [*words, "--fabric", "direct", "--width", "5"]
    answer, text = cli.facts("program", *words), cli.out("program", *words, "--rows")
    manifest, program = generated(words, tmp_path / "out")
    check_bits(answer, manifest, program)
    assert list(answer["routers"]) == list(program["routers"])
    assert (answer["modules"], answer["states"]) == (len(program["routers"]), program["states"])
    blocks = text.split("\n\n")[1:]
    for (name, router), block in zip(program["routers"].items(), blocks, strict=True):
        rows = answer["routers"][name]
        nodes = [node["label"] for node in manifest["nodes"] if node["router"] == name]
        assert rows.pop("nodes") == ("all" if answer["modules"] == 1 else nodes)
        assert rows == router
        heading, *lines = block.strip("\n").splitlines()
        assert heading.startswith(f"{name}: ")
        rom = (tmp_path / "out" / "rom" / f"{name}.txt").read_text().splitlines()
        assert [line.removeprefix("  ") for line in lines] == rom
        far_bits = {
            link["out_port"]: link["code_bits"]
            for link in manifest["links"]
            if link["from"] in nodes
        }
        verilog = (tmp_path / "out" / f"{name}.v").read_text()
        read = list(copies_in_verilog(verilog, router, program, answer["network"], far_bits))
        expected = [
            (row["code"], row["deliver"], [(send["port"], send["code"]) for send in row["sends"]])
            for row in router["codes"]
        ]
        if program["ports"] == "all":
            read, expected = ([(c, d, sorted(s)) for c, d, s in rows] for rows in (read, expected))
        assert read == expected


def check_bits(answer: dict, manifest: dict, program: dict) -> None:
    """The bits shown are those of the tables."""
    sizes = {}
    for name, router in program["routers"].items():
        nodes = [node["label"] for node in manifest["nodes"] if node["router"] == name]
        links = {
            link["out_port"]: link["code_bits"]
            for link in manifest["links"]
            if link["from"] in nodes
        }
        one_port = program["ports"] == "one"
        turns = [len(row["sends"]) + 1 if one_port else 1 for row in router["codes"]]
        rows = 2 ** max(1, router["code_bits"]) if answer["rom"] == "block" else sum(turns)
        # A mask of the links, a code for each, whether to deliver, and whether it is the last.
        sizes[name] = rows * (len(links) + sum(links.values()) + 1 + one_port)
    assert answer["rom_bits"] == max(sizes.values())
    assert answer["rom_bits_network"] == sum(sizes[node["router"]] for node in manifest["nodes"])
    assert answer["code_bits"] == max(link["code_bits"] for link in manifest["links"])


@pytest.mark.cases(1)
@pytest.mark.parametrize("words", ORDERED, ids=" ".join)
def test_the_ordered_plans_shown_are_those_in_the_files(words, cli, tmp_path) -> None:
    words = [*words, "--fabric", "ordered"]
    answer, text = cli.facts("program", *words), cli.out("program", *words, "--rows")
    manifest, program = generated(words, tmp_path / "out")
    assert answer["node_modules"] == program["modules"]
    assert (answer["modules"], answer["root"]) == (len(program["modules"]), program["root"])
    for node, built, placed in zip(
        answer["nodes"], program["nodes"], manifest["nodes"], strict=True
    ):
        cycles = {key: node.pop(key) for key in ("up", "down") if key in node}
        assert cycles == {key: placed[key] for key in ("up", "down") if key in placed}
        assert node == built
    for name, plan in program["modules"].items():
        assert f"\n{name}\n  inputs   {', '.join(plan['inputs']) or 'none'}\n" in text
    assert answer["rom_bits"] == answer["code_bits"] == 0


def test_a_changed_rom_would_be_seen(tmp_path) -> None:
    """One row of the Verilog is changed; the interpreter reads another row then."""
    words = ["star:3", "--fabric", "direct", "--rom", "block"]
    _, program = generated(words, tmp_path / "out")
    (name, router), *_ = program["routers"].items()
    verilog = (tmp_path / "out" / f"{name}.v").read_text()
    far_bits = {"2": 2, "3": 2}
    right = list(copies_in_verilog(verilog, router, program, "star:3", far_bits))
    wrong = verilog.replace("rom[1] = 7'h15", "rom[1] = 7'h14")
    assert wrong != verilog
    assert right != list(copies_in_verilog(wrong, router, program, "star:3", far_bits))


# The ROM of a router as it is in the Verilog, read by an interpreter of its own.


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
