"""Area and clock of whole networks: the ordered fabric, the plain tree, the direct fabric."""

import hashlib
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from tables import Table

from noc.cli.synth import document
from noc.design import AnyDesign, Design, OrderedDesign, build_direct, build_ordered
from noc.emit.verilog import modules
from noc.hardware.plain_tree import PlainTree, build_plain_tree
from noc.model import broadcast, simulate
from noc.networks import build_network
from noc.programs.ordered_config import OrderedConfig
from noc.sweep.steps.model import run_full
from noc.synth import Mode, measure, target

__all__ = [
    "KEPT",
    "VARIANTS",
    "Case",
    "cases",
    "digest",
    "keys",
    "measure_design",
    "refresh",
    "variants",
]

#: Three placements, of which the median counts.
SEEDS = 3

#: Networks and widths, the quick ones first.
NETWORKS = (
    *(("mesh:4,4", 32), ("star:4", 32), ("mesh:8,8", 32), ("star:5", 32)),
    *(("uhc:8", 32), ("scc:5", 16), ("star:6", 8)),
)

#: Those that the direct fabric is measured on too, with its algorithm.
DIRECT = {"star:4": "balanced", "star:5": "balanced"}
ONE_SENDER = "direct, one sender"

#: What is kept of each: ``now`` is what the Verilog was when the page was last written.
AREA = ("nodes", "lut", "ff", "lutram", "mhz", "mhz_least", "mhz_greatest", "seeds")
MODEL = ("deliveries", "least", "most", "cycles")
KEPT = Table(
    "networks",
    ("fabric", "network", "width", "source_numbers"),
    (*AREA, *MODEL, "verilog", "now", "tools"),
)

#: Forms of the plain tree that were tried.
TRIED: tuple[dict[str, Any], ...] = (
    {"children": 3, "slots": 1},
    {"children": 3, "slots": 2},
    {"children": 2, "slots": 2},
    {"children": 4, "slots": 1},
    {"children": 4, "slots": 2},
    {"children": 8, "slots": 1},
    {"children": 3, "slots": 1, "weighted": True},
)
VARIANT_ENDS = 24
VARIANTS = Table("variants", ("children", "slots", "weighted"), (*AREA, *MODEL, "verilog"))


@dataclass(frozen=True)
class Case:
    """A network to measure."""

    fabric: str
    spec: str
    width: int
    source_numbers: bool = True

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What names its row."""
        return self.fabric, self.spec, str(self.width), "yes" if self.source_numbers else "no"

    def build(self) -> AnyDesign:
        """The design."""
        net, numbers = build_network(self.spec), self.source_numbers
        if self.fabric == ONE_SENDER:
            return build_direct(net, DIRECT[self.spec], width=self.width)
        if self.fabric == "plain tree":
            return build_plain_tree(net.nodes, width=self.width, source_numbers=numbers)
        form = OrderedConfig(source_numbers=numbers, own_words=not numbers)
        return build_ordered(net, width=self.width, config=form)


def cases() -> list[Case]:
    """All of them."""
    ordered = [
        Case(fabric, spec, width, numbers)
        for (spec, width), fabric, numbers in product(
            NETWORKS, ("ordered", "plain tree"), (True, False)
        )
    ]
    return ordered + [
        Case(ONE_SENDER, spec, width, source_numbers=False)
        for spec, width in NETWORKS
        if spec in DIRECT
    ]


def keys() -> list[tuple[str, ...]]:
    """The rows in their order."""
    order = {spec: place for place, (spec, _) in enumerate(NETWORKS)}
    return [case.key for case in sorted(cases(), key=lambda case: order[case.spec])]


def digest(built_design: AnyDesign) -> str:
    """What tells its Verilog from other."""
    text = "\n".join(module.text for module in modules(built_design))
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def chosen(part: Sequence[str]) -> Iterator[Case]:
    """Those whose rows are named by all of some words."""
    for case in cases():
        numbers = "source-numbers" if case.source_numbers else "no-source-numbers"
        if set(part) <= {*case.key[:3], numbers}:
            yield case


def refresh(part: Sequence[str], seeds: int = SEEDS) -> None:
    """Measure what is not kept, or was measured of other Verilog."""
    for case in chosen(part):
        built_design = case.build()
        mark = digest(built_design)
        kept = KEPT.find(**_named(case))
        if kept is None or kept["verilog"] != mark:
            result = measure_design(built_design, seeds)
            _keep(case, built_design, mark, result)
            print(*case.key, result["lut"], result["fmax_mhz"], file=sys.stderr, flush=True)


def mark_today() -> None:
    """Note of each kept row what its Verilog is today."""
    rows = KEPT.read()
    for case in cases():
        for kept in rows:
            if tuple(kept[name] for name in _named(case)) == case.key:
                KEPT.add([{**kept, "now": digest(case.build())}], keys())


def variants() -> None:
    """Measure the forms of the plain tree, mapped plainly."""
    order = [_variant(form) for form in TRIED]
    for form, key in zip(TRIED, order, strict=True):
        built_design = build_plain_tree(VARIANT_ENDS, **form)
        mark = digest(built_design)
        named = dict(zip(("children", "slots", "weighted"), key, strict=True))
        kept = VARIANTS.find(**named)
        if kept is None or kept["verilog"] != mark:
            result = measure_design(built_design, SEEDS)
            row = _area(built_design, result) | _model(built_design) | {"verilog": mark}
            VARIANTS.add([named | row], order)
            print(*key, result["lut"], result["fmax_mhz"], file=sys.stderr, flush=True)


def _variant(form: dict[str, Any]) -> tuple[str, str, str]:
    weighted = "yes" if form.get("weighted") else "no"
    return str(form["children"]), str(form["slots"]), weighted


def _named(case: Case) -> dict[str, str]:
    return dict(zip(("fabric", "network", "width", "source_numbers"), case.key, strict=True))


def _keep(case: Case, built_design: AnyDesign, mark: str, result: dict[str, Any]) -> None:
    tools = "; ".join(result["tools"])
    row = _named(case) | _area(built_design, result) | _model(built_design)
    KEPT.add([row | {"verilog": mark, "now": mark, "tools": tools}], keys())


def mapping_of(built_design: AnyDesign) -> Mode:
    """As ``noc synth`` maps a network: plainly, but for the direct fabric."""
    return "best" if isinstance(built_design, Design) else "plain"


def measure_design(built_design: AnyDesign, seeds: int) -> dict[str, Any]:
    """What noc synth prints of a network."""
    how: dict[str, Any] = {"router": False, "mapping": mapping_of(built_design)}
    with tempfile.TemporaryDirectory(prefix="noc-bench-") as folder:
        return document(measure(built_design, target("ecp5"), Path(folder), seeds=seeds, **how))


def ends(built_design: AnyDesign) -> int:
    """How many nodes send and receive."""
    return built_design.ends if isinstance(built_design, PlainTree) else built_design.network.nodes


def _area(built_design: AnyDesign, result: dict[str, Any]) -> dict[str, object]:
    return {
        "nodes": ends(built_design),
        **{name: result[name] for name in ("lut", "ff", "lutram")},
        "mhz": round(result["fmax_mhz"], 1),
        "mhz_least": round(result["fmax_least"], 1),
        "mhz_greatest": round(result["fmax_greatest"], 1),
        "seeds": len(result["seeds"]),
    }


def _model(built_design: AnyDesign) -> dict[str, object]:
    """Deliveries and shares when all send always, and cycles until a word alone is everywhere."""
    if isinstance(built_design, Design):
        alone = simulate(built_design.program, broadcast(built_design.program, 0), arrival=True)
        assert alone.arrival is not None
        # The networks are symmetric: from every node it takes as long.
        cycles = float(alone.arrival.max())
    else:
        cycles = mean_latency(built_design)
    facts = run_full(built_design)
    return {
        "deliveries": f"{facts['carried']:.2f}",
        "least": facts["words_least"],
        "most": facts["words_most"],
        "cycles": f"{cycles:.1f}",
    }


def mean_latency(built_design: OrderedDesign) -> float:
    """From inject to the last eject, when nothing else moves, in the mean over the sources."""
    program = built_design.program
    down = program.down_cycles[: ends(built_design)]
    total = 0
    for source in program.sources:
        others = np.delete(down, source) if not program.config.own_words else down
        total += int(program.up[source] + others.max())
    return total / len(program.sources)
