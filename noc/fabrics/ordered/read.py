"""The program of the ordered fabric, read back from the files of a folder."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from operator import itemgetter

import numpy as np

from noc.design import OrderedDesign
from noc.errors import CheckError, InputError
from noc.fabrics.ordered.describe import COLLECTIVES_CONTRACT
from noc.networks import IntArray, Network
from noc.programs.codec import TEXT, Keys, listed, named, record, whole
from noc.programs.forms import node_form, ordered_config_form, ordered_form
from noc.programs.joins import GroupJoins, JoinPlan, count_cycles
from noc.programs.operations import ALL, Operations, read_operations
from noc.programs.ordered import OrderedProgram, queue_depths
from noc.programs.ordered_config import OrderedConfig
from noc.trees import Tree
from noc.trees.tree import NO_PARENT, depths
from noc.verify.documents import Document, check_nodes, read_nodes, read_sources, told_in


def read(manifest: Document, document: Document, network: Network) -> OrderedDesign:
    """The design that the trees and merges of a folder are, checked."""
    with told_in("manifest.json"):
        sources = read_sources(manifest, network)
        if sources == "one":
            raise InputError("the ordered fabric is not for one source at a time")
        numbers = np.argsort([node["label"] for node in read_nodes(manifest, network)])
        operations = read_operations_of(manifest, network)
        config = ordered_config_form(network, operations).read(manifest)
        config.check(network)
    with told_in("program.json"):
        known = ordered_form(network, operations).read(document)
        program = _program(known, network, config, operations, tuple(numbers.tolist()))
    everyone = tuple(range(network.nodes))
    senders = everyone if isinstance(sources, str) else tuple(sorted(set(sources)))
    if program.sources != (senders if operations.sent else ()):
        raise InputError("program.json: the nodes that inject are not the sources of the manifest")
    return OrderedDesign(program, manifest["width"])


def _program(
    known: Document,
    network: Network,
    config: OrderedConfig,
    operations: Operations,
    numbers: tuple[int, ...],
) -> OrderedProgram:
    check_nodes([row["label"] for row in known["nodes"]], network)
    rows = sorted(known["nodes"], key=itemgetter("label"))
    number = {module: number for number, module in enumerate(known["modules"])}
    for row in rows:
        if row["module"] not in number:
            label = network.label(row["label"])
            raise InputError(f"there is no module {row['module']!r}, which {label} is to be")
    plans, plan = tuple(known["modules"].values()), [number[row["module"]] for row in rows]
    nodes, root = np.arange(network.nodes), known["root"]
    up_parent, down_parent = _parents("up_to", rows, root), _parents("down_from", rows, root)
    if depths(up_parent, root) is None:
        raise InputError("not every node leads up to the root")
    up_registers = config.registers(nodes, up_parent)
    program = OrderedProgram(
        network=network,
        down=_tree(network, known["algorithm"], root, down_parent),
        up_parent=up_parent,
        up_port=_ports(network, nodes, up_parent),
        sources=tuple(node for node in nodes.tolist() if plans[plan[node]].sends),
        plans=plans,
        plan=np.array(plan, dtype=np.int64),
        up_children=tuple(row["up_from"] for row in rows),
        down_children=tuple(row["down_to"] for row in rows),
        up_registers=up_registers,
        down_registers=config.registers(down_parent, nodes),
        config=config,
        operations=operations,
        numbers=numbers,
    )
    _check(program, rows)
    return replace(program, joins=read_joins(program, [row["join_from"] for row in rows]))


def _parents(key: str, rows: list[Document], root: int) -> IntArray:
    if [row["label"] for row in rows if row[key] == NO_PARENT] != [root]:
        raise InputError(f"{key} must be null at the root, and there alone")
    return np.array([row[key] for row in rows], dtype=np.int32)


def _tree(network: Network, algorithm: str, root: int, parent: IntArray) -> Tree:
    """The out-tree; what a step is does not matter in this fabric."""
    depth = depths(parent, root)
    if depth is None:
        raise InputError("not every node is reached from the root on the way down")
    port = _ports(network, parent, np.arange(parent.size))
    try:
        return Tree(network, algorithm, "all", root, parent, port, depth).check()
    except CheckError as error:
        raise InputError(error.message) from None


def _ports(network: Network, sender: IntArray, receiver: IntArray) -> IntArray:
    """The first out-port of each sender that leads to its receiver, where there is one."""
    port = np.full(sender.size, NO_PARENT, dtype=np.int32)
    for place, (here, there) in enumerate(zip(sender.tolist(), receiver.tolist(), strict=True)):
        if NO_PARENT not in (here, there):
            links = np.flatnonzero(network.neighbour[here] == there)
            if not links.size:
                ends = network.label(here), network.label(there)
                raise InputError(f"there is no link from {ends[0]} to {ends[1]}")
            port[place] = links[0]
    return port


def _check(program: OrderedProgram, rows: list[Document]) -> None:
    """Every word must come to the root, and from there to every node once."""
    network, plans = program.network, [program.plan_of(row["label"]) for row in rows]
    climbing = [plan.climbs for plan in plans]
    check_children("up_from", program.up_children, program.up_parent, climbing, network)
    falling = [True] * network.nodes
    check_children("down_to", program.down_children, program.down.parent, falling, network)
    for row, plan in zip(rows, plans, strict=True):
        label, module = network.label(row["label"]), row["module"]
        if (len(row["up_from"]), len(row["down_to"])) != (plan.up, plan.down):
            raise InputError(f"{label} has not as many children as its module, {module}")
        if plan.root != (row["label"] == program.root):
            allowed = "1 or 2" if plan.root else "0"
            raise InputError(f"{module}.down_slots: must be {allowed} for {label}")
        if plan.turn_slots > (plan.root and program.config.lookahead):
            raise InputError(f"{module}.turn_slots: must be 0 for {label}")
    _check_stops(program, rows)


def _check_stops(program: OrderedProgram, rows: list[Document]) -> None:
    """Queues must stop the root in time, and all nodes must pass that on, or none."""
    registers = program.up_registers, program.down_registers
    turn_slots = program.plan_of(program.root).turn_slots
    depths = queue_depths(program.down, program.up_parent, *registers, program.config, turn_slots)
    for row in rows:
        node, plan = row["label"], program.plan_of(row["label"])
        stops = len(program.stop_children[node]) if program.config.stops else 0
        for key, right in (("stop_inputs", stops), ("depth", depths[node])):
            if getattr(plan, key) != right:
                label = program.network.label(node)
                raise InputError(f"{row['module']}.{key}: must be {right} for {label}")


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

    ``children`` are, for each node and group, those whose words are joined there.
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
