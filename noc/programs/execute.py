"""Follow words hop by hop, knowing only the tables and the wires: it must give the trees back."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from noc.errors import CheckError, InputError
from noc.networks import IntArray
from noc.programs.automaton import NOTHING
from noc.programs.program import Program
from noc.trees.tree import NO_PARENT


@dataclass(frozen=True)
class Delivery:
    """What one injected word did.

    Parameters
    ----------
    parent, port : arrays (nodes)
        From whom, and by which of the sender's out-ports, each node received the word;
        ``NO_PARENT`` at the source.
    step : array (nodes)
        When, if each router sends as early as the model allows: the number of hops, or in
        one-port use the turns waited for as well.
    row : array (nodes)
        The row by which each node looks the word up.
    """

    parent: IntArray
    port: IntArray
    step: IntArray
    row: IntArray


def execute(program: Program, source: int, tree: int = 0, *, lost: Sequence[int] = ()) -> Delivery:
    """Inject one word at a source and follow every copy, or every copy of one of its slices.

    Raises :class:`~noc.errors.CheckError` if a node receives twice, or,
    unless it is lost, not at all.
    """
    network = program.network
    if source not in program.sources:
        label = network.label(source)
        raise InputError(f"source {label} is not among the sources of the program")
    parent = np.full(network.nodes, NO_PARENT, dtype=np.int32)
    port, step = np.full_like(parent, NO_PARENT), np.zeros_like(parent)
    row_of = np.zeros(network.nodes, dtype=np.int64)
    reached = np.zeros(network.nodes, dtype=bool)
    reached[source] = True
    node = np.array([source], dtype=np.int64)
    row = np.array([program.own_row(source, tree)], dtype=np.int64)
    part, row_of[source] = program.slice_of[row[0]], row[0]
    if program.delivers[row].any():
        raise _error(program, source, f"{network.label(source)} gets its own word")
    while node.size:
        which, slot = np.nonzero(program.send_port[row] != NOTHING)
        sender, by = node[which], program.send_port[row[which], slot]
        receiver = network.neighbour[sender, by]
        if (receiver < 0).any():
            stray = network.label(int(sender[receiver < 0][0]))
            raise _error(program, source, f"{stray} sends on a port without a link")
        _check_first(program, source, reached, receiver)
        parent[receiver], port[receiver] = sender, by
        step[receiver] = step[sender] + (1 if program.ports == "all" else slot + 1)
        row = program.next_rows(row[which], slot, receiver)
        if not program.delivers[row].all():
            passed = network.label(int(receiver[~program.delivers[row]][0]))
            raise _error(program, source, f"{passed} passes it on and does not get it")
        if (program.slice_of[row] != part).any():
            wrong = network.label(int(receiver[program.slice_of[row] != part][0]))
            raise _error(program, source, f"{wrong} takes it for another slice")
        row_of[receiver] = row
        node = receiver.astype(np.int64)
    reached[list(lost)] = True
    if not reached.all():
        missed = np.flatnonzero(~reached)
        raise _error(
            program,
            source,
            f"{missed.size} nodes received nothing, {network.label(int(missed[0]))} the first",
        )
    return Delivery(parent, port, step, row_of)


def arrivals(program: Program, source: int) -> list[tuple[Delivery, npt.NDArray[np.bool_]]]:
    """For each slice of the words of a source its way, and the nodes to which it comes.

    Those that lie behind a dead link get nothing.
    """
    result = []
    for number in range(program.slices):
        tree = execute(program, source, number)
        comes = np.zeros(program.network.nodes, dtype=np.bool_)
        comes[source] = True
        for node in np.argsort(tree.step, kind="stable")[1:].tolist():
            above, port = int(tree.parent[node]), int(tree.port[node])
            comes[node] = comes[above] and (above, port) not in program.dead
        result.append((tree, comes))
    return result


def alive(program: Program) -> list[int]:
    """The sources that have a link that is not dead."""
    senders = {node for node, port, *_ in program.links() if (node, port) not in program.dead}
    return [source for source in program.sources if source in senders]


def lacking(program: Program) -> list[tuple[int, int]]:
    """The sources and nodes between which so many links are dead that words are lost.

    A source all of whose links are dead sends nothing: nobody lacks words of it.
    """
    result = []
    for source in alive(program) if program.dead else ():
        comes = np.stack([there for _, there in arrivals(program, source)])
        nodes = np.flatnonzero(comes.sum(axis=0) < program.parts).tolist()
        result += [(source, node) for node in nodes]
    return result


def check_spanning(program: Program) -> None:
    """Refuse a program by which the words of some source do not reach every other node once.

    No two slices of a word may use one link, and all must be ejected in one cycle.
    """
    for source in program.sources:
        trees = [execute(program, source, tree) for tree in range(program.slices)]
        _check_apart(program, source, trees)
        for tree in trees if program.slices > 1 else ():
            _check_together(program, source, tree)


def _check_together(program: Program, source: int, tree: Delivery) -> None:
    """Refuse a slice that waits at some node for longer than others, or not as long."""
    ejected = tree.step + program.wait_of[tree.row]
    ejected[source] = program.height
    for node in np.flatnonzero(ejected != program.height)[:1].tolist():
        wrong, part = program.network.label(node), int(program.slice_of[tree.row[node]])
        what = f"{wrong} ejects slice {part} after {ejected[node]} hops, not {program.height}"
        raise _error(program, source, what)


def _check_apart(program: Program, source: int, slices: Sequence[Delivery]) -> None:
    """Refuse slices that meet on a link."""
    used = np.full(program.network.neighbour.shape, NOTHING)
    for number, tree in enumerate(slices):
        sends = np.flatnonzero(tree.parent != NO_PARENT)
        links = tree.parent[sends], tree.port[sends]
        for place in np.flatnonzero(used[links] != NOTHING)[:1].tolist():
            label, other = program.network.label, int(used[links][place])
            link = f"{label(int(links[0][place]))} to {label(int(sends[place]))}"
            raise _error(program, source, f"slices {other} and {number} meet on the link {link}")
        used[links] = number


def _check_first(
    program: Program, source: int, reached: npt.NDArray[np.bool_], receiver: IntArray
) -> None:
    """Refuse a word that comes to a node again, and mark the nodes that it reaches."""
    again = receiver[reached[receiver]]
    if again.size:
        name = program.network.label(int(again[0]))
        raise _error(program, source, f"a copy returns to {name}, which has it")
    reached[receiver] = True
    nodes, copies = np.unique(receiver, return_counts=True)
    if nodes.size != receiver.size:
        name = program.network.label(int(nodes[copies > 1][0]))
        raise _error(program, source, f"two copies meet at {name}")


def _error(program: Program, source: int, what: str) -> CheckError:
    network = program.network
    return CheckError(f"{network.spec}: a word of {network.label(source)}: {what}")
