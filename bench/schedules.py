"""Bring what is known of one-port schedules up to date: python bench/schedules.py.

From the table of ``noc sweep bench/schedules.toml -o docs/schedules.csv`` it takes schedules that
are better than those of ``noc/research/schedules/schedules.json``, and the names of certificates,
into that file, and writes the table of docs/schedules.md. Files in docs/certificates that no row
names are removed.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from tables import DOCS, ROOT, markdown, write

from noc.networks import IntArray, Network, build_network
from noc.research.schedules import store
from noc.research.sweep import Row, read_plan, read_table
from noc.research.sweep.proofs import play, read_sends
from noc.research.sweep.table import index, keys_of
from noc.trees import build_tree
from noc.trees.tree import NO_PARENT

PLAN = ROOT / "bench" / "schedules.toml"
TABLE, PAGE = DOCS / "schedules.csv", "schedules.md"


def planned() -> list[Row]:
    """The rows of the table that belong to the plan, in its order, but for refused ones."""
    rows = index(read_table(TABLE))
    keys = [key for task in read_plan(PLAN).tasks for key in keys_of(task)]
    return [rows[key] for key in keys if key in rows and not rows[key]["refused"]]


def root_of(row: Row, network: Network) -> int:
    """The node where the broadcast of a row begins."""
    return 0 if row["sources"] in ("one", "all") else network.node(row["sources"])


def parents_of(row: Row, network: Network) -> IntArray:
    """The tree of a row: the one that the search found, or else the one that is built anyhow."""
    if not row["schedule"]:
        return build_tree(network, "fewest-steps", ports="one").parent
    sends = read_sends(ROOT / row["certificates"] / row["schedule"])
    play(network, 0, sends)
    parent = np.full(network.nodes, NO_PARENT, dtype=np.int32)
    _, sender, receiver = np.array(sends).T
    parent[receiver] = sender
    return parent


def entries_from(rows: Sequence[Row]) -> Iterator[tuple[str, store.Entry]]:
    """The entries of the store that the rows improve."""
    known = store.load()
    for row in rows:
        network = build_network(row["network"])
        if root_of(row, network):
            continue
        proof = f"{row['certificates']}/{row['certificate']}" if row["certificate"] else ""
        entry = known.get(network.spec)
        if entry is None or entry.steps > int(row["broadcast_steps"]):
            entry = store.entry_of(network, parents_of(row, network))
        yield network.spec, replace(entry, proof=proof)


def table_of(rows: Sequence[Row]) -> str:
    """What a reader wants to see of the table."""
    heads = ["network", "from", " nodes", " steps", " floor", "proven", "by", " bytes"]
    lines = []
    for row in rows:
        network = build_network(row["network"])
        steps, least = int(row["broadcast_steps"]), int(row["least_steps"])
        proven = "optimal" if steps == least else f"{least} at least"
        name = row["certificate"]
        by = f"[{name}](certificates/{name})" if name else row["proven_by"]
        start = network.label(root_of(row, network)) if not network.symmetric else "any node"
        lines.append(
            [
                *(f"`{row['network']}`", start, f"{network.nodes:,}", steps, row["floor"]),
                *(proven, by, row["certificate_bytes"], row["checked_by"]),
            ]
        )
    return markdown([*heads, "checked by"], lines)


def clean(rows: Sequence[Row]) -> None:
    """Remove the certificates that no row names, and schedules, which the store has now."""
    named = {Path(row["certificates"]) / row["certificate"] for row in rows}
    for folder in {row["certificates"] for row in rows}:
        for path in (ROOT / folder).iterdir():
            if path.relative_to(ROOT) not in named:
                path.unlink()


if __name__ == "__main__":
    improved = planned()
    store.save({**store.load(), **dict(entries_from(improved))})
    write(PAGE, {"table": table_of(improved)})
    clean(improved)
