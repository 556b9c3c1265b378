"""Search longer for one-port schedules and keep what is better than the best known.

    python bench/search_schedules.py star:6 scc:6 --seconds 300

For each network it verifies the schedule in the store, tries to undercut it step by step down
to the lower bound, by annealing, and with ``--exact`` (which needs the extra ``search``) first by a
solver that finishes what annealing begins. It rewrites ``noc/data/schedules.json`` when it found
something. Proofs come from ``bench/schedules.toml``.
"""

import argparse
import base64
import json
import tempfile
import time
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from noc.networks import IntArray, Network, build_network
from noc.sweep.proofs.solve import Unsatisfiable, solve
from noc.trees.fewest_steps import quality, tree_of
from noc.trees.schedule import earliest
from noc.trees.search import annealing, store
from noc.trees.search.bounds import floor, growth_bound
from noc.trees.search.formula import broadcast_formula
from noc.trees.search.matching import (
    PRIORITY_RANGE,
    Weighting,
    Workspace,
    broadcast,
    links_of,
    new_workspace,
)
from noc.trees.tree import NO_PARENT

__all__ = ["entry_of", "finished", "save"]

# Broadcasts between two looks at the clock.
TRIALS = 4000

# Steps that a solver searches after a beginning found by annealing.
LAST_STEPS = 4


@dataclass(frozen=True)
class Row:
    """What is known of one network after the search."""

    network: str
    nodes: int
    floor: int
    bound: int
    steps: int
    optimal: bool
    how: str
    seconds: float


def annealed(net: Network, steps: int, seconds: float, seed: int) -> IntArray | None:
    """Search with new seeds until the time is over."""
    end = time.monotonic() + seconds
    trials = min(TRIALS, annealing.trials_for(net, steps, 20 * annealing.WORK))
    while time.monotonic() < end:
        parents = annealing.parents_within(net, 0, steps, trials=trials, seed=seed)
        if parents is not None:
            return parents
        seed += 1
    return None


def nearly_within(net: Network, steps: int, trials: int, seed: int) -> Workspace:
    """A broadcast that leaves few nodes uninformed at the deadline: one descent's result."""
    links, space, state = links_of(net), new_workspace(net.nodes), annealing.generator(seed)
    priority = np.empty(net.nodes, dtype=np.int64)
    annealing.draw_all(state, priority)
    weighting = Weighting(PRIORITY_RANGE, 2 * PRIORITY_RANGE, 0)
    annealing.anneal(links, space, 0, priority, weighting, steps, trials, state)
    broadcast(links, space, 0, priority, weighting, steps, steps)
    return space


def finished(
    net: Network, parent: IntArray, step: IntArray, begin: int, steps: int, seconds: float
) -> IntArray | None:
    """Keep what a broadcast did up to step ``begin`` and finish it within ``steps``, if possible.

    None says only that this beginning leads nowhere, or that the time was too short. Far faster
    than a search from the root on large networks: most sends are in the last steps, and most of
    the choice in the first.
    """
    kept = (step >= 0) & (step <= begin)
    formula = broadcast_formula(net, np.flatnonzero(kept).tolist(), steps - begin)
    with tempfile.TemporaryDirectory() as name:
        cnf = Path(name) / "rest.cnf"
        cnf.write_text(formula.text(), encoding="ascii")
        answer = solve(cnf, cnf.parent, seconds)
    if answer is None or isinstance(answer, Unsatisfiable):
        return None
    parents = np.where(kept, parent, NO_PARENT)
    for _, sender, receiver in formula.schedule(answer):
        parents[receiver] = sender
    return parents


def completed(net: Network, steps: int, seconds: float, seed: int) -> IntArray | None:
    """Let a solver finish the first steps of a broadcast that annealing finds."""
    begin = steps - LAST_STEPS
    if begin < 1:
        return None
    trials = min(100, annealing.trials_for(net, steps, 20 * annealing.WORK))
    start = nearly_within(net, steps, trials, seed)
    return finished(net, start.parent, start.step, begin, steps, seconds)


def improved(
    net: Network, seconds: float, seed: int, *, use_exact: bool, path: Path
) -> store.Entry:
    """The entry after the search, starting from the store or else from the default search."""
    bound = growth_bound(net, 0)
    known = store.best_known(net, 0, path)
    parent = known[0] if known else annealing.best_parents(net, 0, bound)
    proof = known[1].proof if known else ""
    while not proof and (steps := tree_of(net, 0, parent).steps) > bound:
        parents = completed(net, steps - 1, seconds, seed) if use_exact else None
        if parents is None:
            parents = annealed(net, steps - 1, seconds, seed)
        if parents is None:
            break
        parent = parents
    return entry_of(net, parent, proof)


def entry_of(network: Network, parent: IntArray, proof: str = "") -> store.Entry:
    """Compress the schedule of a tree from node 0."""
    links = links_of(network)
    child = np.flatnonzero(parent != NO_PARENT)
    choice = np.zeros(network.nodes, dtype=np.uint8)
    chosen = np.zeros(network.nodes, dtype=bool)
    for turn in range(int(np.diff(links.first).max())):
        here = child[links.first[child] + turn < links.first[child + 1]]
        fits = links.sender[links.first[here] + turn] == parent[here]
        choice[here[fits & ~chosen[here]]] = turn
        chosen[here[fits]] = True
    packed = base64.b85encode(zlib.compress(choice.tobytes(), 9)).decode()
    steps = int(earliest(parent, store.ROOT, "one").max())
    return store.Entry(steps, proof, store.fingerprint(network), packed)


def save(entries: Mapping[str, store.Entry], path: Path) -> None:
    """Write every entry, so that equal stores are equal files."""
    document = {spec: asdict(entries[spec]) for spec in sorted(entries)}
    path.write_text(json.dumps(document, indent=1) + "\n", encoding="ascii")


def searched(spec: str, options: argparse.Namespace) -> Row:
    """Search on one network, keep the result, and say what is known now."""
    begin = time.monotonic()
    net = build_network(spec)
    entry = improved(
        net, options.seconds, options.seed, use_exact=options.exact, path=options.store
    )
    entries = store.load(options.store)
    if entries.get(net.spec) != entry:
        save({**entries, net.spec: entry}, options.store)
    known = store.best_known(net, 0, options.store)
    if known is None:
        raise SystemExit(f"{spec}: what was written cannot be read back")
    measured = quality(tree_of(net, 0, known[0]))
    proved = measured.optimal or bool(entry.proof)
    how = measured.how if measured.optimal else entry.proof or measured.how
    seconds = round(time.monotonic() - begin, 1)
    return Row(
        net.spec, net.nodes, floor(net, 0), measured.bound, entry.steps, proved, how, seconds
    )


def main() -> None:
    """Parse the arguments, search on each network, print a table or JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("networks", nargs="+", metavar="SPEC")
    parser.add_argument("--seconds", type=float, default=60, help="per number of steps tried")
    parser.add_argument("--seed", type=int, default=1, help="of the first annealing")
    parser.add_argument("--exact", action="store_true", help="try a solver first")
    parser.add_argument("--store", type=Path, default=store.FILE, help="the file to update")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rows = []
    for spec in options.networks:
        rows.append(searched(spec, options))
        if not options.json:
            row = rows[-1]
            print(
                f"{row.network:22}{row.nodes:8} nodes  floor {row.floor:2}  bound {row.bound:2}  "
                f"found {row.steps:2}  {row.how}  ({row.seconds} s)",
                flush=True,
            )
    if options.json:
        print(json.dumps([asdict(row) for row in rows], indent=1))


if __name__ == "__main__":
    main()
