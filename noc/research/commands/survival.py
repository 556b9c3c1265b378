"""The play of ``noc steps`` that draws dead links and nodes by lot."""

import argparse
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from noc.cli import arguments, output
from noc.cli.output import Result, Table
from noc.cli.parsers import declare
from noc.draw.files import check_target, save
from noc.errors import InputError
from noc.research.commands.plays import Plays, play
from noc.research.papers.survival import Rate, mortal, survival
from noc.trees import TreeFamily

#: By the name that users type.
PLAYS: Plays = {}

_play = partial(play, PLAYS)

#: Of as many dead links as there are trees rates are near 1, of several times as many near 0.
_TIMES = 4

#: Signs that are told apart without colours.
_MARKS = "osD^v"


def _add(parser: argparse.ArgumentParser) -> None:
    arguments.add_tree_options(parser, chosen="disjoint")
    declare(
        parser,
        f"""
        --dead links|nodes  what is dead (default: links)
        --most N  draw up to so many (default: {_TIMES} times the number of trees)
        --draws N  sets of dead links or nodes of each number that are drawn by lot; where there are
            no more, all are tried (default: 2000)
        --seed S  the seed of the draws (default: 0)
        -o --output FILE  draw the rates with their intervals, as SVG, PDF or PNG
        """,
        dead={"default": "links"},
        draws={"default": 2000},
        seed={"default": 0},
    )


@_play("noc steps survival star:4 --most 4", _add)
def _survival(options: argparse.Namespace) -> Result:
    """Count how often a word comes to all nodes, by how many links or nodes are dead.

    Survival: the share of all sets of dead links, or nodes but the root, with which a word of the
    root comes to every node that is not dead. By one tree of least height; by several trees without
    a common link, where F lost copies or parts of a word are made up for (--survive F of 'noc
    generate'); and by trees that are built anew, for which it is enough that all nodes can be
    reached. With 95 % confidence intervals where the sets are drawn by lot.
    """
    if options.output is not None:
        check_target(options.output)
        if options.output.suffix.lower() == ".gif":
            raise InputError(f"-o {options.output}: a curve does not move; name another file")
    options.algorithm = options.algorithm or "disjoint"
    arguments.check_positive(options, "draws")
    trees = arguments.build_tree(options)
    family = trees if isinstance(trees, TreeFamily) else TreeFamily.of(trees)
    network, most = family.network, options.most
    if most is None:
        most = min(_TIMES * len(family.trees), mortal(network, options.dead))
    rates = survival(family, options.dead, range(most + 1), options.draws, options.seed)
    bar, rows = output.progress_bar("numbers of what is dead"), []
    for row in rates:
        rows.append(row)
        if bar is not None:
            bar(len(rows) / (most + 1))
    facts = {
        "network": network.spec,
        "nodes": network.nodes,
        "links": mortal(network, "links"),
        "algorithm": family.algorithm,
        "trees": len(family.trees),
        "root": network.label(family.root),
        "dead": options.dead,
        "draws": options.draws,
    }
    if options.output is not None:
        _draw(facts, rows, options.output)
        facts["picture"] = str(options.output)
    shown = _table(rows, _text)
    return Result({**facts, "rates": _table(rows, Rate._asdict)}, [output.words(facts), shown])


def _table(rows: Iterable[Mapping[str, Rate]], entry: Callable[[Rate], object]) -> Table:
    """A row for each number of what is dead."""
    return Table(
        {"dead": dead, **{name: entry(rate) for name, rate in row.items()}}
        for dead, row in enumerate(rows)
    )


def _text(rate: Rate) -> str:
    """A rate, and half of its interval where it has one."""
    half = (rate.high - rate.low) / 2
    return f"{rate.rate:.3f}" + f" ± {half:.3f}" * (half > 0)


def _draw(facts: Mapping[str, Any], rows: Sequence[Mapping[str, Rate]], file: Path) -> None:
    """A curve for each way to be sent."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4.4), layout="constrained")
    axis = figure.subplots()
    for mark, name in zip(_MARKS, rows[0], strict=False):
        rate, low, high = np.array([row[name] for row in rows]).T
        # Rounding may leave a rate of 1 above its interval.
        interval = np.maximum(0, [rate - low, high - rate])
        style: dict[str, Any] = {"fmt": f"{mark}-", "markersize": 5, "capsize": 2}
        axis.errorbar(range(len(rows)), rate, yerr=interval, label=name, **style)
    axis.set(
        xlabel=f"dead {facts['dead']}",
        ylabel="share in which all nodes get the word",
        title=f"{facts['network']}, {facts['trees']} trees of {facts['algorithm']}",
        ylim=(-0.02, 1.02),
    )
    axis.grid(alpha=0.3)
    axis.legend(fontsize="small")
    save(figure, file)
