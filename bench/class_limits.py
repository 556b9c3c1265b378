"""What classes cost a router, in area and clock: python bench/class_limits.py [SPEC …].

Brings docs/class_limits.md up to date; the results are kept in docs/class_limits.json.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from area import decided_by
from results import Results, add_print, origin, row

from noc.design import Design, design
from noc.networks import build_network
from noc.programs import build_automaton, build_program
from noc.programs.vcs import assign_fewest
from noc.synth import measure, target

SEEDS, WIDTH = 5, 32


@dataclass(frozen=True)
class Case:
    """A router with all sources and so many classes, right or not."""

    spec: str
    algorithm: str
    classes: int

    @property
    def key(self) -> str:
        """Its name among the kept results."""
        return f"{self.spec} {self.algorithm} {self.classes}"


CASES = (
    *(Case("star:5", "balanced", count) for count in (1, 2, 3, 4)),
    *(Case("scc:5", "shortest", count) for count in (1, 2, 4, 6, 8)),
)


def merged(case: Case) -> Design:
    """The network with its highest classes made one; it may lock up, and has no certificate."""
    automaton = build_automaton(build_network(case.spec), case.algorithm)
    vcs = assign_fewest(automaton)
    if case.classes < vcs.count:
        vcs = replace(vcs, count=case.classes, of_row=np.minimum(vcs.of_row, case.classes - 1))
    return Design(build_program(automaton, vcs), WIDTH, None)


def decisive(case: Case) -> Iterator[str]:
    """What decides the figures."""
    return decided_by(merged(case), target("ecp5"), "best", SEEDS, router=True)


def figures(case: Case) -> dict[str, Any]:
    """Synthesis, place and route of the router."""
    limited = merged(case)
    with tempfile.TemporaryDirectory() as folder:
        measurement = measure(limited, target("ecp5"), Path(folder), router=True, seeds=SEEDS)
    middle = sorted(measurement.clocks, key=lambda clock: clock.mhz)[SEEDS // 2]
    print(case.key, measurement.area.lut, measurement.mhz, file=sys.stderr, flush=True)
    return {
        "needed": design(build_network(case.spec), case.algorithm).program.vcs,
        **asdict(measurement.area),
        "fmax_mhz": measurement.mhz,
        "logic_ns": round(middle.path_ns - middle.wire_ns, 2),
        "wire_ns": round(middle.wire_ns, 2),
        "tools": list(measurement.tools),
    }


BEGINNING = """\
# What virtual channels cost a router of the direct fabric

Made by `python bench/class_limits.py`: the router of a network with all sources at once, width 32,
on ECP5 (speed grade 6), counted and measured as in [area.md](area.md). With fewer VCs than it
needs a network can deadlock, and `noc` refuses to build it; such rows are here to show where area
and clock go. Logic and wires are those of the slowest path of the run with the median clock.

Two paths limit the clock with several VCs, of seven and eight tables with about 1 ns each, wires
included: from `valid` through the arbiter of the in-ports and the choice of the word to the
address at which it is stored; and from the memory of the slots through the copies that are still
to be sent, `ready` and the question whether the last one left, to the VC that is next on the bus.

| network | algorithm | VCs | needed | LUT | FF | LUT RAM | MHz | logic, ns | wires, ns |
|---|---|---:|---:|---:|---:|---:|---:|---:|---:|
"""


def page(kept: dict[str, Any]) -> str:
    """The whole page."""
    lines = []
    for case in CASES:
        if case.key not in kept:
            continue
        result = kept[case.key]
        entries = [case.spec, case.algorithm, case.classes, result["needed"], result["lut"]]
        entries += [result["ff"], result["lutram"], f"{result['fmax_mhz']:.1f}"]
        entries += [f"{result['logic_ns']:.1f}", f"{result['wire_ns']:.1f}"]
        lines.append(row(entries) + "\n")
    return f"{BEGINNING}{''.join(lines)}\n{origin(kept.values())}"


def main() -> None:
    """Measure what has changed, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("spec", metavar="SPEC", nargs="*", help="star:5, …; without, all")
    add_print(parser)
    options = parser.parse_args()
    keys = [case.key for case in CASES]
    results = Results("class_limits", keys, page, only_print=options.only_print)
    for case in CASES:
        if not options.spec or case.spec in options.spec:
            results.update(case.key, decisive(case), partial(figures, case))
    results.write_page()


if __name__ == "__main__":
    main()
