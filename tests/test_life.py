"""The example of an application on a board: it lives as it must, and what is wrong is told."""

import importlib
import re
from pathlib import Path

import numpy as np
import pytest
from amaranth.hdl import Cat, Const

from noc.boards import board, clock_of
from noc.boards.platform_top import plan_content

SMALL = ["star:3", "--columns", "8", "--generations", "5"]


@pytest.fixture
def life(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parent.parent / "sim"))
    return importlib.import_module("life")


@pytest.fixture
def called(life, cli):
    """Status, output and errors of the example with some words."""
    return lambda *words: cli.script(life.main, "life.py", *words)


def living(cells: set[tuple[int, int]], height: int, width: int) -> set[tuple[int, int]]:
    """The next generation, cell by cell."""
    near = [(y, x) for y in (-1, 0, 1) for x in (-1, 0, 1) if (y, x) != (0, 0)]
    result = set()
    for y in range(height):
        for x in range(width):
            count = sum(((y + dy) % height, (x + dx) % width) in cells for dy, dx in near)
            if count == 3 or (count == 2 and (y, x) in cells):
                result.add((y, x))
    return result


def test_numpy_lives_as_cells_do(life) -> None:
    rows = np.random.default_rng(3).random((7, 9)) < 0.4
    cells = {(int(y), int(x)) for y, x in zip(*np.nonzero(rows), strict=True)}
    for _ in range(20):
        rows, cells = life.next_rows(rows), living(cells, 7, 9)
        assert {(int(y), int(x)) for y, x in zip(*np.nonzero(rows), strict=True)} == cells


def test_the_check_tells_rows_apart(life) -> None:
    rows = np.random.default_rng(3).random((6, 8)) < 0.4
    exchanged = rows[[1, 0, 2, 3, 4, 5]]
    assert life.living_and_check(rows)[0] == life.living_and_check(exchanged)[0]
    assert life.living_and_check(rows)[1] != life.living_and_check(exchanged)[1]


def test_the_whole_lives_and_reports(life, called) -> None:
    status, shown, _ = called(*SMALL, "--runs", "2")
    assert status == 0
    rows = np.random.default_rng(1).random((6, 8)) < 0.4
    for _ in range(5):
        rows = life.next_rows(rows)
    cells, check = life.living_and_check(rows)
    report = rf"life star:3 columns 8 generations 5\nrun (\d) cycles (\d+) living {cells} check "
    found = re.findall(rf"{report}{check}\nPASS\n", shown)
    assert [run for run, _ in found] == ["1", "2"]
    bound = life.bound_cycles(6, 5)
    assert bound == 5 * 13 + 2
    assert all(bound < int(cycles) < 3 * bound for _, cycles in found)
    assert shown.endswith(
        f"at least {bound} cycles, for the words that pass the root one by one\nas numpy has it\n"
    )


@pytest.mark.ci
def test_a_wrong_rule_is_told(life, called, monkeypatch) -> None:
    rule = life.Row._next

    def cut_off(row, *lines):
        """The cells at the borders die."""
        return Cat(Const(0, 1), Cat(rule(row, *lines))[1:-1], Const(0, 1))

    monkeypatch.setattr(life.Row, "_next", cut_off)
    status, shown, _ = called(*SMALL)
    assert status == 1
    assert "\nFAIL\n" in shown
    assert shown.endswith("NOT AS NUMPY HAS IT\n")


@pytest.mark.ci
def test_a_run_that_hangs_is_told(life, called, monkeypatch) -> None:
    """One that is slower than it may be is taken for one."""
    monkeypatch.setattr(life, "LIMIT", 1)
    status, shown, _ = called(*SMALL)
    assert (status, f"run 1 cycles {6 * 6} " in shown) == (1, True)


REFUSED = [
    (["star:3", "--columns", "7"], "--columns 7: from 8 to 32 are allowed"),
    (["star:3", "--generations", "0"], "--generations 0: from 1 to 1000000 are allowed"),
    (["star:3", "--runs", "0"], "--runs 0: at least 1 is needed"),
    (["star:3", "--seed", "-1"], "--seed -1: at least 0 is needed"),
    (["star:2"], "star:2: from 3 to 64 nodes are allowed"),
    (["star:5"], "star:5: from 3 to 64 nodes are allowed"),
]


@pytest.mark.parametrize(("words", "told"), REFUSED)
def test_what_cannot_be_had_is_refused(called, words, told) -> None:
    assert called(*words) == (2, "", f"life.py: error: {told}\n")


def test_a_folder_of_somebody_else_stays(called, tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("work")
    status, _, err = called("star:3", "--board", "ulx3s_85f", "-o", tmp_path)
    assert (status, "was not written by sim/life.py" in err) == (2, True)
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


@pytest.mark.ci
def test_the_board_gets_its_files(life) -> None:
    design = life.checked(life.arguments(["star:3"]))
    rows = np.zeros((6, 32), dtype=bool)
    chosen = board("ulx3s_85f")
    whole = life.Life(design, rows, 5, bit_cycles=217)
    content = life.Content("life", "Life", whole)
    files = plan_content(content, chosen, clock_of(chosen, None)).files
    assert {"life.il", "life.lpf", "build_life.sh"} <= set(files)
    for pin in ("uart_0__tx", "led_0", "led_1", "led_2"):
        assert pin in files["life.lpf"]
