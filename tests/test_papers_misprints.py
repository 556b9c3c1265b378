"""No known misprint without a row, and none that the code mends without naming it."""

import ast
import inspect
import json
import re
import tokenize
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

import noc
from noc.cli import main
from noc.research.papers.printed import MISPRINTS, REASONS, REFERENCES
from noc.research.papers.routes import algorithms
from noc.research.papers.tables import TABLES, Row
from noc.trees import ALGORITHMS

ROOT = Path(noc.__file__).parent
NAMED = re.compile(r"\[((?:" + "|".join(REFERENCES) + r")-[\w-]+)\]")

# What code that follows a paper says where it departs from it; nothing else there is printed.
DEPARTS = re.compile(r"misprint|\bprinted\b|\bin print\b|\bcorrections?\b|\bmended\b|\bslips?\b")
FOLLOW = [ROOT / "trees", ROOT / "networks", ROOT / "papers" / "steps", ROOT / "papers" / "routes"]
# Elsewhere the one word decides, but for where misprints are defined and shown.
ANYWHERE = re.compile(r"misprint")
SHOWN = [
    ROOT / "research" / "papers" / "printed",
    ROOT / "research" / "papers" / "tables",
    ROOT / "research" / "commands" / "paper.py",
]


@cache
def rows() -> list[Row]:
    return [row for table in TABLES.values() for row in table.rows()]


def docstrings(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            yield ast.get_docstring(node) or ""


def comments(path: Path) -> Iterator[str]:
    """Every block of comments on lines that follow one another."""
    with path.open("rb") as file:
        tokens = [t for t in tokenize.tokenize(file.readline) if t.type == tokenize.COMMENT]
    ends = [i + 1 for i, (a, b) in enumerate(pairwise(tokens)) if b.start[0] > a.start[0] + 1]
    for first, last in pairwise([0, *ends, len(tokens)]):
        yield " ".join(token.string.lstrip("# ") for token in tokens[first:last])


def words(path: Path) -> list[str]:
    """What the file says in prose."""
    return [*docstrings(path), *comments(path)]


FILES = [
    path
    for path in sorted(ROOT.rglob("*.py"))
    if not any(path.is_relative_to(shown) for shown in SHOWN)
]


@pytest.mark.ci
def test_every_misprint_has_a_row_that_bears_it_out() -> None:
    shown = {row.why.misprint for row in rows() if row.why and row.why.misprint and row.accepted}
    assert shown == set(MISPRINTS)


def test_the_command_lists_them(capsys) -> None:
    assert main(["paper", "--misprints", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"misprints": MISPRINTS}
    assert main(["paper", "nk-star", "--misprints"]) == 0
    names = [
        line.partition(":")[0] for line in capsys.readouterr().out.splitlines() if line[0] > " "
    ]
    assert names == [name for name in MISPRINTS if name.startswith("nk-star-")] != []
    for wrong in (["scc-5", "--misprints"], ["--misprints", "--list"], ["--list", "--differences"]):
        assert main(["paper", *wrong]) == 2


@pytest.mark.ci
def test_rows_are_plain_values_that_json_can_hold() -> None:
    plain = (int, float, str, type(None))
    assert {type(row.computed) for row in rows()} <= set(plain)
    assert {type(row.printed) for row in rows()} <= set(plain)
    assert {type(row.why.holds) for row in rows() if row.why} == {bool}


@pytest.mark.ci
def test_a_reason_that_speaks_of_a_misprint_names_it() -> None:
    reasons = [row.why for row in rows() if row.why]
    assert [why.text for why in reasons if "misprint" in why.text and not why.misprint] == []


def test_misprints_and_reasons_are_named_after_their_paper_and_used() -> None:
    names = {*MISPRINTS, *REASONS} - {"cut-off"}
    assert all(any(name.startswith(f"{paper}-") for paper in REFERENCES) for name in names)
    tables = "".join(path.read_text("utf-8") for path in (SHOWN[1]).rglob("*.py"))
    assert [name for name in REASONS if f'"{name}"' not in tables] == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_prose_names_the_misprint(path: Path) -> None:
    follows = any(path.is_relative_to(folder) for folder in FOLLOW)
    for text in words(path):
        names = NAMED.findall(text)
        assert set(names) <= set(MISPRINTS)
        if (DEPARTS if follows else ANYWHERE).search(text):
            assert names, text


def test_prose_is_read() -> None:
    """Were nothing found, everything would be allowed."""
    named = {name for path in FILES for text in words(path) for name in NAMED.findall(text)}
    assert len(named) > 20


def cited(paper: str) -> str:
    """How docstrings cite a paper: its authors, or without any its title, and the year."""
    reference = REFERENCES[paper]
    families = [author.split()[-1] for author in reference.authors]
    by = ", ".join(families[:-1]) + " and " + families[-1] if families else f'"{reference.title}"'
    return by if reference.year is None else f"{by} ({reference.year})"


@pytest.mark.parametrize(
    "algorithm", [a for a in ALGORITHMS.values() if a.paper], ids=lambda a: a.name
)
def test_algorithms_cite_their_paper(algorithm) -> None:
    prose = inspect.getdoc(inspect.getmodule(algorithm.build))
    assert f"After {cited(algorithm.paper)}." in " ".join(prose.split())


def test_routes_cite_their_paper() -> None:
    assert f"After {cited('scc')}." in inspect.getdoc(algorithms)


def test_the_readme_lists_the_papers() -> None:
    text = " ".join((ROOT.parent / "README.md").read_text(encoding="utf-8").split())
    for reference in REFERENCES.values():
        assert str(reference) in text
