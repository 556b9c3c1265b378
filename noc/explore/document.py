"""The document of a page: networks, programs and what the cycle model recorded, as JSON."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

import noc
from noc import fabric as fabrics
from noc.design import AnyDesign
from noc.errors import InputError, option
from noc.explore.recording import Recording
from noc.explore.runs import record
from noc.explore.schedules import Play, describe_play, list_schedules
from noc.layouts import lay_out
from noc.networks import Network
from noc.verify.runs import Run

#: Grows when a page of today could not read the document.
FORMAT = 1

#: Of more nodes nobody sees anything on a screen.
MOST_NODES = 2000

#: The transfers of a run that a browser can hold; this many cycles of nodes count as one.
MOST_TRANSFERS, _NODE_CYCLES = 4_000_000, 10

# Positions are written with this number of digits after the point.
_DIGITS = 3


def describe(scenes: Sequence[dict[str, Any]], *, opens: str | None = None) -> dict[str, Any]:
    """The whole document, of one scene as :func:`describe_scene` returns it, or two side by side.

    The page first shows one broadcast, in steps, by the algorithm ``opens``, or else the first run.
    """
    version = noc.__version__
    return {"format": FORMAT, "version": version, "opens": opens, "scenes": list(scenes)}


def describe_scene(
    design: AnyDesign, runs: Sequence[Run], plays: Iterable[Play] = ()
) -> dict[str, Any]:
    """One design: its network, what it is built to do, its trees, its runs, and plays in steps."""
    network = design.network
    check_size(network)
    page = fabrics.module(design.fabric, "page")
    return {
        "name": f"{network.spec}, {design.fabric} fabric, {design.program.algorithm}",
        "network": _network(network),
        "design": {
            "algorithm": design.program.algorithm,
            "sources": design.named_sources,
            "width": design.width,
            **page.facts(design),
        },
        "program": page.describe_program(design),
        "schedules": list_schedules(network, design.root),
        "runs": [
            {"name": run.name, "what": run.what, **_recorded(design, run).document()}
            for run in runs
        ],
        "plays": [describe_play(play) for play in plays],
    }


def check_size(network: Network) -> None:
    """Refuse a network of which nobody would see anything."""
    if network.nodes > MOST_NODES:
        raise InputError(
            f"SPEC {network.spec}: {network.nodes} nodes are too many to look at; at most "
            f"{MOST_NODES}"
        )


def _recorded(design: AnyDesign, run: Run) -> Recording:
    recording = record(design, run.traffic, run.cycles)
    size = max(recording.cycle.size, recording.cycles * design.network.nodes // _NODE_CYCLES)
    if size > MOST_TRANSFERS:
        raise InputError(
            f"{option('name', run.name, flag='traffic')}: {recording.cycle.size} transfers in "
            f"{recording.cycles} cycles are too many for a page; use fewer {option('words')} or "
            f"{option('cycles')}"
        )
    return recording


def _network(network: Network) -> dict[str, Any]:
    layout = lay_out(network)
    return {
        "spec": network.spec,
        "nodes": network.nodes,
        "links": network.links,
        "diameter": network.diameter(),
        "symmetric": network.symmetric,
        "labels": [network.label(node) for node in range(network.nodes)],
        "outPorts": list(network.out_ports),
        "inPorts": list(network.in_ports),
        "neighbour": network.neighbour.tolist(),
        "arrival": network.arrival.tolist(),
        "layout": layout.kind,
        "x": np.round(layout.place[:, 0], _DIGITS).tolist(),
        "y": np.round(layout.place[:, 1], _DIGITS).tolist(),
        "bend": np.round(layout.bend, _DIGITS).tolist(),
    }
