"""``noc choose``: which network for so many nodes, this load and so much of a chip."""

import argparse
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from noc.cli import arguments, output
from noc.errors import InputError

if TYPE_CHECKING:
    from noc.choose import Answer, Candidate, Question
    from noc.choose.answer import Condition, Failed
    from noc.choose.figure import Figure
    from noc.choose.question import Wish

__all__ = ["DESCRIPTION", "EXAMPLES", "HELP", "configure", "run"]

HELP = "choose a network for a number of nodes, a load and a chip"
DESCRIPTION = (
    "Choose a network that meets conditions, among the designs of the atlas (docs/atlas.md) and "
    "other members of all families. Figures that were not measured are computed, or estimated "
    "from similar designs; the answer says which. All figures are of broadcasts alone, without "
    "operations. The exit status is 1 if no design meets all "
    "conditions; the one that comes nearest is told then."
)
EXAMPLES = (
    "noc choose --nodes 24..30 --load 0.5 --luts 3000",
    "noc choose --nodes 64 --sources one --target ice40 --width 8 --least luts",
    "noc choose --nodes 16 --load 0.8 --latency 80ns --mhz 150 --top 5",
)

#: What a time is called in an answer.
_TIMES = {"": "cycles", "cycles": "cycles", "ns": "ns"}


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "--nodes", metavar="A..B", required=True, type=arguments.size_range, help="so many nodes"
    )
    parser.add_argument(
        "--load",
        metavar="L",
        type=arguments.positive_number,
        default=0.5,
        help="words that come to all sources together in a cycle, up to 1 (default: 0.5)",
    )
    parser.add_argument(
        "--sources",
        choices=("all", "one"),
        default="all",
        help="which nodes may send: all at the same time, or one at a time (default: all)",
    )
    parser.add_argument(
        "--luts",
        metavar="N",
        type=arguments.whole_number,
        help="LUTs of the whole network, at most",
    )
    parser.add_argument(
        "--mhz",
        metavar="F",
        type=arguments.megahertz,
        help="the clock of the whole network, at least",
    )
    parser.add_argument(
        "--latency",
        metavar="T",
        type=_time,
        help="from a word's coming to its source to its last receiver at this load, in the mean, "
        "at most: cycles, such as 12, or a time, such as 60ns",
    )
    parser.add_argument(
        "--target",
        metavar="T",
        default="ecp5",
        help=f"the chip family: {arguments.families()} (default: ecp5)",
    )
    parser.add_argument(
        "--width",
        metavar="W",
        type=arguments.whole_number,
        default=32,
        help="bits of a word (default: 32)",
    )
    parser.add_argument(
        "--least",
        choices=("cycles", "ns", "luts"),
        help="what decides between designs that meet all conditions: the latency in cycles or in "
        "ns, or the LUTs (default: luts, unless --luts is given; then cycles if --mhz or a latency "
        "in cycles is, otherwise ns)",
    )
    parser.add_argument(
        "--measured",
        action="store_true",
        help="only designs of the atlas, and no estimates",
    )
    parser.add_argument(
        "--top",
        metavar="K",
        type=arguments.whole_number,
        default=2,
        help="show the K best designs (default: 2)",
    )
    arguments.add_json(parser)


def _time(text: str) -> tuple[float, str]:
    match = re.fullmatch(r"([0-9.]{1,9}) ?([a-z]*)", text)
    try:
        if match is None:
            raise KeyError(text)
        return arguments.positive_number(match[1]), _TIMES[match[2]]
    except (KeyError, argparse.ArgumentTypeError):
        raise argparse.ArgumentTypeError(
            f"{text!r}: cycles such as 12, or a time such as 60ns, are needed"
        ) from None


def run(options: argparse.Namespace) -> int:
    """Ask, answer."""
    from noc.choose import choose, list_candidates, read_atlas

    if options.top < 1:
        raise InputError("--top 0: at least 1 is needed")
    question = _question(options)
    candidates = list_candidates(question, read_atlas())
    if not candidates:
        least, most = question.nodes
        raise InputError(
            f"--nodes {least}..{most}: no network has so many nodes; try a wider range"
        )
    answer = choose(question, candidates, top=max(options.top, 2))
    if options.json:
        output.write_json(_document(answer, options.top))
    elif answer.ranked:
        _print(answer, options.top)
    else:
        _print_nearest(answer)
    return 0 if answer.ranked else 1


def _question(options: argparse.Namespace) -> "Question":
    from noc.choose import Question

    value, unit = options.latency or (None, "")
    return Question(
        nodes=options.nodes,
        sources=options.sources,
        load=options.load,
        width=options.width,
        target=options.target,
        luts=options.luts,
        mhz=options.mhz,
        cycles=value if unit == "cycles" else None,
        ns=value if unit == "ns" else None,
        least=options.least or _least(options, unit),
        measured=options.measured,
    )


def _least(options: argparse.Namespace, unit: str) -> "Wish":
    """What decides: what is not limited."""
    if options.luts is None:
        return "luts"
    return "cycles" if options.mhz is not None or unit == "cycles" else "ns"


def _print(answer: "Answer", top: int) -> None:
    best, *others = answer.ranked
    facts = {"choice": _name(best), **_facts(answer, best)}
    facts |= {"why": _why(answer), "generate": best.command}
    print(output.facts(facts))
    if others[: top - 1]:
        print()
        print(_table(others[: top - 1], "runner-up" if top == 2 else "after it"))
    _print_failed(answer)


def _print_nearest(answer: "Answer") -> None:
    if answer.nearest is None:
        facts: dict[str, object] = {"choice": "none: nothing is known of what is asked for"}
    else:
        facts = {
            "choice": "none",
            "nearest": _name(answer.nearest),
            **_facts(answer, answer.nearest),
            "fails": "; ".join(_misses(answer, answer.nearest)),
            "generate": answer.nearest.command,
        }
    print(output.facts(facts))
    _print_failed(answer)


def _name(candidate: "Candidate") -> str:
    point = candidate.point
    return f"{point.network}, {point.fabric} fabric, algorithm {point.algorithm}"


def _facts(answer: "Answer", candidate: "Candidate") -> dict[str, object]:
    """What is known of a design, in words."""
    latency, ns = candidate.latency, candidate.in_ns(candidate.latency)
    at = "alone" if candidate.load == 1 else f"at load {candidate.load:g}"
    time = "" if ns is None else f"; {_said(ns, 'ns')}"
    return {
        "nodes": candidate.nodes,
        "carries": f"load {_said(candidate.carries, '')}",
        "latency": f"{_said(latency, f'cycles {at}')}{time}",
        f"LUTs, {answer.question.target}": _said(candidate.luts, ""),
        "clock": _said(candidate.mhz, "MHz"),
    }


def _said(figure: "Figure | None", unit: str) -> str:
    if figure is None:
        return "not known"
    return f"{figure.value:g} {unit}".rstrip() + f" ({figure.source})"


def _why(answer: "Answer") -> str:
    """What decided."""
    question, best = answer.question, answer.ranked[0]
    what = {"luts": "fewest LUTs", "cycles": "least latency", "ns": "least latency in ns"}
    if answer.meeting == 1:
        return "the only design that meets all conditions"
    text = f"{what[question.least]} of {answer.meeting} designs that meet all conditions"
    if len(answer.ranked) > 1:
        text += f"; {_lead(question, best, answer.ranked[1])}"
    return text


def _lead(question: "Question", best: "Candidate", other: "Candidate") -> str:
    """By how much the best is better than the next."""
    mine, its = (_decisive(question, each) for each in (best, other))
    name, unit = _short(other), "LUTs" if question.least == "luts" else question.least
    if mine is None or its is None:
        return f"of {name} they are not known"
    if mine == its:
        return f"{name} has as many {unit}"
    return f"{name} has {its - mine:.4g} {unit} more"


def _decisive(question: "Question", candidate: "Candidate") -> float | None:
    figures = {"luts": candidate.luts, "cycles": candidate.latency}
    figure = figures.get(question.least, candidate.in_ns(candidate.latency))
    return None if figure is None else figure.value


def _table(candidates: "list[Candidate]", title: str) -> str:
    def value(figure: "Figure | None") -> str:
        sign = "~" if figure is not None and figure.origin == "estimated" else ""
        return "" if figure is None else f"{sign}{figure.value:g}"

    rows = [
        (
            each.point.network,
            f"{each.point.fabric} {each.point.algorithm}",
            each.nodes,
            value(each.latency),
            value(each.luts),
            value(each.mhz),
        )
        for each in candidates
    ]
    return output.table((title, "trees", "nodes", "cycles", "LUTs", "MHz"), rows)


def _misses(answer: "Answer", candidate: "Candidate") -> list[str]:
    """The conditions that a design does not meet, with its figures."""
    from noc.choose.answer import conditions_of

    failing = [c for c in conditions_of(answer.question) if c.excess(candidate) > 1]
    return [f"{_limit(each)}: {_said(each.figure(candidate), each.unit)}" for each in failing]


def _limit(condition: "Condition") -> str:
    unit = "ns" if condition.unit == "ns" else ""
    return f"--{condition.name} {condition.limit:g}{unit}"


def _print_failed(answer: "Answer") -> None:
    """Which designs failed which condition."""
    if not answer.failed:
        return
    rows = []
    for failed in answer.failed:
        first = failed.candidates[0]
        figure = _said(failed.condition.figure(first), failed.condition.unit)
        rows.append(
            (_limit(failed.condition), len(failed.candidates), f"{_short(first)}: {figure}")
        )
    print()
    print(output.table(("condition", "designs that fail it", "the nearest of them"), rows))


def _short(candidate: "Candidate") -> str:
    return f"{candidate.point.network} {candidate.point.algorithm}"


def _document(answer: "Answer", top: int) -> dict[str, Any]:
    shown = list(answer.ranked[:top])
    return {
        "conditions": {
            name: value for name, value in vars(answer.question).items() if value is not None
        },
        "designs": answer.looked_at,
        "meeting": answer.meeting,
        "choices": [_entry(each) for each in shown],
        "why": _why(answer) if answer.ranked else None,
        "nearest": None if answer.nearest is None else _entry(answer.nearest),
        "failed": [_failed_entry(each) for each in answer.failed],
    }


def _failed_entry(failed: "Failed") -> dict[str, Any]:
    return {
        "condition": _limit(failed.condition),
        "designs": len(failed.candidates),
        "nearest": _entry(failed.candidates[0]),
    }


def _entry(candidate: "Candidate") -> dict[str, Any]:
    figures = {n: getattr(candidate, n) for n in ("carries", "latency", "luts", "mhz")}
    figures["ns"] = candidate.in_ns(candidate.latency)
    return {
        **{n: getattr(candidate.point, n) for n in ("network", "fabric", "algorithm", "sources")},
        "width": candidate.point.width,
        "nodes": candidate.nodes,
        **{name: _figure(figure) for name, figure in figures.items()},
        "command": candidate.command,
    }


def _figure(figure: "Figure | None") -> dict[str, Any] | None:
    if figure is None or figure.value == float("inf"):
        return None
    return vars(replace(figure))
