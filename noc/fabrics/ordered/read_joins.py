"""The operations of a folder, and the joins of its nodes."""

from collections.abc import Mapping, Sequence

import numpy as np

from noc.errors import InputError
from noc.fabrics.ordered.describe import COLLECTIVES_CONTRACT
from noc.networks import IntArray, Network
from noc.programs.codec import TEXT, Keys, listed, named, record, whole
from noc.programs.forms import node_form
from noc.programs.joins import GroupJoins, JoinPlan, count_cycles
from noc.programs.operations import ALL, Operations, read_operations
from noc.programs.ordered import OrderedProgram
from noc.trees.tree import NO_PARENT
from noc.verify.documents import Document


def read_operations_of(manifest: Document, network: Network) -> Operations:
    """The operations that a manifest lists; one that lists none is of broadcasts only."""
    if "operations" not in manifest:
        return read_operations(network)
    if manifest.get("collectives_contract") != COLLECTIVES_CONTRACT:
        raise InputError(
            f"collectives_contract is {manifest.get('collectives_contract')!r}; this version "
            f"verifies {COLLECTIVES_CONTRACT}"
        )
    keys: Keys = {
        "operations": named(TEXT, whole()),
        "groups": named(TEXT, listed(node_form(network))),
    }
    known: Document = record(dict, keys).read(manifest)
    numbers = known["operations"]
    if sorted(numbers.values()) != list(range(len(numbers))):
        raise InputError("operations must be numbered from 0")
    groups = {name: nodes for name, nodes in known["groups"].items() if name != ALL}
    return read_operations(network, sorted(numbers, key=numbers.__getitem__), groups)


def check_children(
    key: str,
    children: Sequence[Sequence[int]],
    parent: IntArray,
    has_words: Sequence[bool],
    network: Network,
) -> None:
    """Refuse lists of children that are not those with words for their parent, each once."""
    expected: list[list[str]] = [[] for _ in children]
    for child, above in enumerate(parent.tolist()):
        if above != NO_PARENT and has_words[child]:
            expected[above].append(network.label(child))
    for node, listed_ in enumerate(children):
        found = [network.label(child) for child in sorted(listed_)]
        if found != expected[node]:
            raise InputError(
                f"{network.label(node)}: {key} must be {', '.join(expected[node]) or 'empty'}, in "
                f"any order, not {', '.join(found) or 'empty'}"
            )


def read_joins(
    program: OrderedProgram, children: Sequence[Mapping[int, tuple[int, ...]]]
) -> tuple[GroupJoins, ...]:
    """The joins of all groups, checked: a word of each member comes to the root, once.

    Parameters
    ----------
    program : OrderedProgram
        The program, whose joins are not known yet.
    children : sequence of mapping of int to tuple of int
        For each node and group the children whose words are joined there.
    """
    return tuple(
        _read_group(program, group, tuple(each.get(group, ()) for each in children))
        for group in program.operations.joined_groups
    )


def _read_group(
    program: OrderedProgram, group: int, children: tuple[tuple[int, ...], ...]
) -> GroupJoins:
    name, members = program.operations.groups[group]
    key = f"join_from.{name}"
    plans = tuple(
        next((each for each in program.plan_of(node).joins if each.group == group), None)
        for node in range(program.network.nodes)
    )
    has_words = [plan is not None for plan in plans]
    check_children(key, children, program.up_parent, has_words, program.network)
    done: dict[int, int] = {}
    for node in np.argsort(-program.up_depth, kind="stable").tolist():
        plan = plans[node]
        _check_plan(
            f"{program.network.label(node)}: {key}",
            plan,
            len(children[node]),
            node in members,
            root=node == program.root,
        )
        if plan is not None:
            done[node] = count_cycles(
                plan, [done[c] + program.up_registers[c] for c in children[node]]
            )
    return GroupJoins(group, plans, children, done[program.root])


def _check_plan(
    where: str, plan: JoinPlan | None, children: int, member: bool, *, root: bool
) -> None:
    """Refuse a plan that does not fit the number of children that have words."""
    if (0 if plan is None else plan.up) != children:
        raise InputError(f"{where}: has not as many children as its module joins")
    if (plan is not None and plan.own) != member:
        raise InputError(f"{where}: own words are joined at members of the group, and nowhere else")
    # Behind the last one lies the link to the parent, which the root has not.
    last = -1 if plan is None or root else len(plan.joins) - 1
    if plan is not None and any((j.slots == 0) != (n == last) for n, j in enumerate(plan.joins)):
        raise InputError(f"{where}: only the last join below the root has no slots")
