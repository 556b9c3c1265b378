"""docs/papers.md: cycles beside steps, by the cycle model that the Verilog is compared with."""

import re
from pathlib import Path

import numpy as np
import pytest

from noc.model import broadcast, simulate
from noc.networks import build_network
from noc.programs import build_automaton, build_program
from noc.trees import build_tree

PAGE = (Path(__file__).parent.parent / "docs" / "papers.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| `(\S+)`, `(\S+)` \| (\w+) \| (\d+) \| (\d+) \| (\w+) \|$", PAGE, re.M)


def test_the_table_is_read() -> None:
    assert len(ROWS) == 8


@pytest.mark.parametrize(("spec", "algorithm", "ports", "steps", "cycles", "exact"), ROWS)
def test_cycles_and_steps(spec, algorithm, ports, steps, cycles, exact) -> None:
    tree = build_tree(build_network(spec), algorithm, ports=ports)
    rows = build_automaton(tree.network, algorithm, ports=ports, sources=[0])
    program = build_program(rows, search=False)
    arrival = simulate(program, broadcast(program, 0), arrival=True).arrival[0] - 1
    arrival[0] = 0
    assert (arrival <= tree.step).all()
    same = "yes" if np.array_equal(arrival, tree.step) else "no"
    assert (tree.steps, int(arrival.max()), same) == (int(steps), int(cycles), exact)
