"""Naive counterparts of what the package does with arrays: slow, short, and written apart."""

import os
import re
import subprocess
import sys
from collections import deque
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from noc.caches import cache_folder
from noc.networks import Network, from_edges
from noc.trees import Tree


def children(tree: Tree) -> dict[int, list[tuple[int, int]]]:
    """For each node its (port, child) pairs in the order of their steps."""
    result: dict[int, list[tuple[int, int]]] = {node: [] for node in range(tree.network.nodes)}
    for child in sorted(range(tree.network.nodes), key=lambda node: int(tree.step[node])):
        if child != tree.root:
            result[int(tree.parent[child])].append((int(tree.port[child]), child))
    return result


def distances(net: Network, root: int) -> list[int]:
    """Breadth-first search with a queue."""
    hops = {root: 0}
    queue = deque([root])
    while queue:
        node = queue.popleft()
        for there in net.neighbour[node].tolist():
            if there >= 0 and there not in hops:
                hops[there] = hops[node] + 1
                queue.append(there)
    return [hops[node] for node in range(net.nodes)]


Arc = tuple[str, str, str, str]


def arcs(net: Network) -> set[Arc]:
    """Every directed link by labels alone: node, out-port, node, in-port."""
    return {
        (
            net.label(node),
            net.out_ports[port],
            net.label(there),
            net.in_ports[net.arrival[node, port]],
        )
        for node, row in enumerate(net.neighbour.tolist())
        for port, there in enumerate(row)
        if there >= 0
    }


def count_subtrees(tree: Tree) -> int:
    """Distinct port-labelled subtrees, by nested tuples."""
    below = children(tree)

    def shape(node: int) -> tuple:
        parts = [(port, shape(child)) for port, child in below[node]]
        return tuple(parts if tree.ports == "one" else sorted(parts))

    shapes: set[tuple] = set()
    stack = [tree.root]
    while stack:
        node = stack.pop()
        shapes.add(shape(node))
        stack += [child for _, child in below[node]]
    return len(shapes)


def started(
    *command: object, status: int | None = None, **options: Any
) -> subprocess.CompletedProcess[str]:
    """A program that has come to its end, with a status if one is given, and what it printed."""
    usual: dict[str, Any] = {"capture_output": True, "text": True, "check": False, "timeout": 900}
    done = subprocess.run([*map(str, command)], **usual | options)
    assert status in (None, done.returncode), done.stdout[-3000:] + done.stderr[-3000:]
    return done


def begun(*command: object, **options: Any) -> subprocess.Popen[str]:
    """A program that runs, in a session of its own, so that it can be interrupted."""
    usual: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen([*map(str, command)], start_new_session=True, **usual | options)


def begun_anew(
    *words: object, temporary: Path, caches: Path, **options: Any
) -> subprocess.Popen[str]:
    """The command that runs so, and finds nothing that is kept but compiled functions."""
    functions = cache_folder("numba", "none")
    assert functions is not None
    env = {"TMPDIR": temporary, "XDG_CACHE_HOME": caches, "NUMBA_CACHE_DIR": functions.parent}
    own = {name: str(folder) for name, folder in env.items()}
    return begun(sys.executable, "-m", "noc", *words, env=os.environ | own, **options)


def edit(path: Path, old: str, new: str) -> None:
    """Write one text in place of another in a file, in which that is."""
    substitute(path, re.escape(old), new.replace("\\", r"\\"))


def substitute(path: Path, pattern: str, new: str) -> None:
    """The same of what a pattern finds."""
    text, hits = re.subn(pattern, new, path.read_text(encoding="utf-8"))
    assert hits, f"{pattern} is not in {path}"
    path.write_text(text, encoding="utf-8")


def printed(code: str, *, hash_seeds: Iterable[str]) -> set[str]:
    """What a program prints in processes that go through sets in different orders."""
    return {
        started(
            *(sys.executable, "-c", code), env=os.environ | {"PYTHONHASHSEED": seed}, check=True
        ).stdout
        for seed in hash_seeds
    }


def processes_of(folder: Path) -> list[str]:
    """Those that have a folder for temporary files."""
    result = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if f"TMPDIR={folder}" in (process / "environ").read_text(errors="replace"):
                result.append((process / "cmdline").read_text().replace("\0", " "))
        except OSError:
            continue
    return result


@st.composite
def strong_graphs(draw) -> Network:
    """A strongly connected graph: a circle and some chords, one-way or two-way."""
    nodes = draw(st.integers(2, 9))
    ends = st.tuples(st.integers(0, nodes - 1), st.integers(0, nodes - 1))
    chords = draw(st.sets(ends.filter(lambda pair: pair[0] < pair[1]), max_size=8))
    circle = [(node, (node + 1) % nodes) for node in range(nodes)]
    two_way = draw(st.booleans())
    known = {frozenset(edge) for edge in circle} if two_way else {*circle}
    edges = circle[: 1 if two_way and nodes == 2 else nodes]
    edges += [
        edge for edge in sorted(chords) if (frozenset(edge) if two_way else edge) not in known
    ]
    return from_edges(edges, two_way=two_way)
