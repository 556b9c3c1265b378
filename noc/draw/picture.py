"""Pictures of trees: nodes by level, links coloured by the port that sends."""

import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from noc.draw.layout import leaves, positions
from noc.errors import InputError, option
from noc.networks import Network
from noc.trees import Tree, TreeFamily
from noc.trees.tree import NO_PARENT

__all__ = ["FORMATS", "MOST_NODES", "check_size", "check_target", "draw"]

FORMATS = (".svg", ".png")

#: Beyond this many nodes nobody can read the picture.
MOST_NODES = 800

# Inches for a leaf and for a level; labels need more room than dots.
LEAF_WIDTH, LEVEL_HEIGHT, LABEL_WIDTH = 0.16, 0.9, 0.13
MOST_LABELLED = 130


def draw(drawn: Tree | TreeFamily, path: Path) -> None:
    """Write a picture; the suffix of the file decides the format.

    Nothing is left behind if the picture cannot be finished.
    """
    check_target(path)
    check_size(drawn.network)
    try:
        _save(_figure(drawn.trees), path)
    except OSError as error:
        raise InputError(
            f"{option('path', path, flag='o')}: cannot be written: {error.strerror}"
        ) from None


def check_target(path: Path) -> None:
    """Refuse a file that no picture can become."""
    if path.suffix.lower() not in FORMATS:
        raise InputError(
            f"{option('path', path, flag='o')}: the file must end in {' or '.join(FORMATS)}"
        )
    if not path.parent.is_dir():
        raise InputError(f"{option('path', path, flag='o')}: there is no directory {path.parent}")
    if path.is_dir():
        raise InputError(f"{option('path', path, flag='o')}: is a directory; a file is needed")


def check_size(network: Network) -> None:
    """Refuse a network whose picture nobody could read."""
    if network.nodes > MOST_NODES:
        raise InputError(
            f"SPEC {network.spec}: {network.nodes} nodes are too many to draw; at most {MOST_NODES}"
        )


def _figure(trees: tuple[Tree, ...]) -> Any:
    from matplotlib.figure import Figure

    labelled = trees[0].network.nodes <= MOST_LABELLED
    letters = len(trees[0].network.label(0))
    per_leaf = LEAF_WIDTH + (LABEL_WIDTH * letters * 0.75 if labelled else 0)
    width = max(6.0, 1.5 + per_leaf * max(leaves(tree) for tree in trees))
    heights = [1.2 + LEVEL_HEIGHT * tree.height for tree in trees]
    figure = Figure(figsize=(width, sum(heights)), layout="constrained")
    axes = figure.subplots(len(trees), 1, squeeze=False, height_ratios=heights)
    for number, (axis, tree) in enumerate(zip(axes[:, 0], trees, strict=True)):
        which = f", tree {number}" if len(trees) > 1 else ""
        _plot(axis, tree, which, labelled=labelled)
    return figure


def _plot(axis: Any, tree: Tree, which: str, *, labelled: bool) -> None:
    from matplotlib import colormaps
    from matplotlib.collections import LineCollection

    place = positions(tree)
    colours = colormaps["tab10" if tree.network.ports <= 10 else "tab20"]
    child = np.flatnonzero(tree.parent != NO_PARENT)
    for port in np.unique(tree.port[child]).tolist():
        by_port = child[tree.port[child] == port]
        lines = np.stack([place[tree.parent[by_port]], place[by_port]], axis=1)
        name = f"port {tree.network.out_ports[port]}"
        axis.add_collection(
            LineCollection(list(lines), colors=[colours(port % colours.N)], label=name, zorder=1)
        )
    axis.scatter(place[:, 0], place[:, 1], s=14, color="black", zorder=2)
    if labelled:
        _write_labels(axis, tree, place)
    axis.set_title(
        f"{tree.network.spec}, {tree.algorithm}{which}, {tree.ports}-port: "
        f"height {tree.height}, {tree.steps} steps",
        fontsize=10,
        parse_math=False,
    )
    axis.set_ylabel("depth")
    axis.set_yticks(range(tree.height + 1))
    axis.set_ylim(tree.height + 0.5, -0.5)
    axis.set_xticks([])
    axis.margins(x=0.02)
    for side in ("top", "right", "bottom"):
        axis.spines[side].set_visible(False)
    legend = axis.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=8, frameon=False)
    for text in legend.get_texts():
        text.set_parse_math(False)


def _write_labels(axis: Any, tree: Tree, place: Any) -> None:
    for node in range(tree.network.nodes):
        text = tree.network.label(node)
        if tree.ports == "one" and node != tree.root:
            text += f" @{tree.step[node]}"
        axis.annotate(
            text,
            place[node],
            textcoords="offset points",
            xytext=(0, -5),
            ha="center",
            va="top",
            fontsize=6,
            parse_math=False,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.6},
        )


def _save(figure: Any, path: Path) -> None:
    """Write beside the target and rename, so that no half-written picture is ever seen."""
    import matplotlib as mpl

    handle, name = tempfile.mkstemp(suffix=path.suffix, dir=path.parent)
    os.close(handle)
    # A fixed salt and no date: the same tree gives the same bytes.
    settings: Any = {"svg.hashsalt": "noc", "svg.fonttype": "none"}
    try:
        with mpl.rc_context(settings):
            metadata = {"Date": None} if path.suffix.lower() == ".svg" else {}
            figure.savefig(name, dpi=120, metadata=metadata)
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
