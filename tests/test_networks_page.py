"""The page on networks: its formulas against searched graphs, and whose its algorithms are."""

import re
from itertools import pairwise, product
from math import ceil, factorial, floor
from pathlib import Path

import pytest

from noc.errors import InputError
from noc.networks import FAMILIES, Network, build_network
from noc.networks.files import GRAPH_KEYS, LINK_KEYS
from noc.trees import ALGORITHMS

PAGE = (Path(__file__).parent.parent / "docs" / "networks.md").read_text(encoding="utf-8")

FUNCTIONS = {"ceil": ceil, "factorial": factorial, "floor": floor}

#: What the page writes otherwise than Python.
SPELT = {"−": "-", "⌊": " floor(", "⌋": ")", "⌈": " ceil(", "⌉": ")", "^": "**", "≤": "<="}
SPELT |= {"n is even": "n % 2 == 0"}

#: Networks of more nodes take long to search.
MOST_NODES = 6_000


def rows(heading: str) -> list[list[str]]:
    """The entries of the table of the page that begins so, without its head."""
    table = PAGE[PAGE.index(heading) :].partition("\n\n")[0].split("\n")[2:]
    return [[entry.strip() for entry in line.strip("|").split("|")] for line in table]


def with_products(text: str) -> str:
    """A formula with the signs of its products, where a factor follows another."""
    tokens = re.findall(r"\d+|\w+|\*\*|<=|==|\S", text)
    spelt = tokens[:1]
    for left, right in pairwise(tokens):
        ends = re.fullmatch(r"\d+|[a-z]|\)", left)
        begins = right in FUNCTIONS or re.fullmatch(r"\d+|[a-z]|\(", right)
        spelt += ["*", right] if ends and begins else [right]
    return " ".join(spelt)


def evaluated(formula: str, values: dict[str, int]) -> int | None:
    """What a formula of the page gives; None where it lists no number for these values."""
    if listed := re.fullmatch(r"(.+) for n = (\d+) to (\d+)", formula):
        numbers = [int(number) for number in listed[1].split(",")]
        which = range(int(listed[2]), int(listed[3]) + 1)
        return dict(zip(which, numbers, strict=True)).get(values["n"])
    for sign, python in SPELT.items():
        formula = formula.replace(sign, python)
    formula = re.sub(r"(\([^()]*\)|\b[a-z])!", r" factorial(\1)", formula)
    result = eval(with_products(formula), FUNCTIONS | values)
    assert result == int(result)
    return int(result)


def members(spelling: str) -> list[tuple[dict[str, int], Network]]:
    """The small members of a family that a row is about, with their parameters by name."""
    name, signature = re.match(r"`([\w-]+):([\w,]+)`", spelling).groups()
    names, least = signature.split(","), dict(re.findall(r"(\w) ≥ (\d)", spelling))
    chosen = []
    for values in product(*(range(int(least.get(name, 1)), 13) for name in names)):
        try:
            if FAMILIES[name].size(*values)[0] > MOST_NODES:
                continue
            network = build_network(f"{name}:{','.join(map(str, values))}")
        except InputError:
            continue
        chosen.append((dict(zip(names, values, strict=True)), network))
    return chosen


FACTS = rows("| network | nodes | degree |")


@pytest.mark.parametrize(("spelling", "nodes", "degree", "diameter"), [row[:4] for row in FACTS])
def test_formulas_hold(spelling: str, nodes: str, degree: str, diameter: str) -> None:
    checked = 0
    for values, network in members(spelling):
        computed = network.nodes, network.degree
        assert (evaluated(nodes, values), evaluated(degree, values)) == computed, network.spec
        expected = evaluated(diameter, values)
        if expected is not None:
            assert network.diameter() == expected, network.spec
            checked += 1
    assert checked >= 3


def test_every_family_has_formulas() -> None:
    named = [re.match(r"`([\w-]+):", row[0])[1] for row in FACTS]
    assert named == [name for name in FAMILIES if name not in ("file", "without")]


def test_algorithms_come_from_where_the_page_says() -> None:
    told = {
        name: re.search(r"`([\w-]+)`|$", source)[1]
        for names, source in rows("| algorithms | taken from |")
        for name in re.findall(r"`([\w-]+)`", names)
    }
    assert told == {algorithm.name: algorithm.paper for algorithm in ALGORITHMS.values()}


@pytest.mark.parametrize(("spelling", "told"), [(row[0], row[-1]) for row in FACTS])
def test_networks_are_symmetric_as_told(spelling: str, told: str) -> None:
    condition = {"yes": "1", "no": "0"}.get(told, told.removeprefix("if "))
    for values, network in members(spelling):
        assert network.symmetric == evaluated(condition.replace(" = ", " == "), values)


def test_the_page_says_how_graphs_are_written(tmp_path: Path) -> None:
    (example,) = re.findall(r"^```json\n(.*?)\n```$", PAGE, re.MULTILINE | re.DOTALL)
    (tmp_path / "graph.json").write_text(example, encoding="utf-8")
    network = build_network(f"file:{tmp_path / 'graph.json'}")
    assert [network.label(node) for node in range(network.nodes)] == ["a", "b", "c"]
    assert {"east", "west"} <= set(network.out_ports)
    # Every word of a file is told, and no other.
    words = {word for row in rows("| Word |") for word in re.findall(r"`([a-z-]+)`", row[0])}
    of_links = [re.findall(r"`([a-z-]+)`", row[0]) for row in rows("| Word of a link |")]
    assert (words, {word for row in of_links for word in row}) == (GRAPH_KEYS, LINK_KEYS)
