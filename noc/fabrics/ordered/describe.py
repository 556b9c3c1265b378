"""What the files of a folder say of a design."""

from collections.abc import Iterator, Mapping
from typing import Any

from noc.design import OrderedDesign
from noc.emit.streams import Link, name_wires
from noc.emit.verilog import module_names, node_module
from noc.hardware import Assembly, assemble
from noc.hardware.ordered.node import compared_groups
from noc.harness import AWAY
from noc.programs.forms import ordered_config_form, ordered_form
from noc.programs.joins import count_waiting
from noc.programs.latency import Parties, count_cycles, find_parties
from noc.programs.operations import KINDS, Operation
from noc.programs.ordered import Lane, OrderedProgram
from noc.programs.word_format import Fields

#: The number of the contract in docs/ordered.md, which it keeps cycle by cycle. It changes where a
#: cycle does: models then verify older Verilog no more.
CONTRACT = 1

#: The number of the contract in docs/collectives.md.
COLLECTIVES_CONTRACT = 3

#: What lies in ``bench/`` beside the files of every fabric.
BENCH_FILES = ("certificate.py",)

#: Kinds of which one operation consists of words that follow each other.
_IN_TURN = frozenset({"gather", "scatter"})

Document = dict[str, Any]


def contracts(design: OrderedDesign) -> dict[str, int]:
    """The numbers of the contracts that a design keeps."""
    more = {} if design.operations.only_broadcast else {"collectives": COLLECTIVES_CONTRACT}
    return {"contract": CONTRACT, **more}


def facts(design: OrderedDesign) -> Document:
    """What the manifest says of the network."""
    program, net = design.program, design.network
    config = ordered_config_form(net, program.operations).write(design.config)
    # What else the configuration says comes last.
    return {
        "root": net.label(program.root),
        "hop_cycles": 1 + design.config.link_registers,
        "link_registers": config["link_registers"],
        "vcs": 1,
        "source_numbers": config["source_numbers"],
        "own_words": config["own_words"],
        **_describe_operations(design),
        **config,
    }


def certificate(design: OrderedDesign) -> list[list[int]]:
    """For each node a rank for each of its buffers that falls along every dependency.

    For the way up and for the way down.
    """
    program = design.program
    height = program.down.height
    up = program.up_depth.tolist()
    down = program.down.depth.tolist()
    return [[height + 1 + up[node], height - down[node]] for node in design.in_order]


def node_facts(design: OrderedDesign, assembly: Assembly, node: int) -> Document:
    """What the manifest says of a node."""
    program = design.program
    up = int(program.up[node])
    cycles = ({"up": up} if up >= 0 else {}) | {"down": int(program.down_cycles[node])}
    depth = program.plan_of(node).depth
    cycles |= {"queue_depth": depth} if depth else {}
    return {
        **cycles,
        **_describe_waits(program, node),
        **_describe_away(program, assembly, node),
        **_describe_alarms(design, assembly, node),
    }


def links(design: OrderedDesign) -> list[Link]:
    """The streams between nodes, with their fields and signals: the lanes of the program."""
    words = design.words
    return _on_lanes(
        design,
        {
            lane: words.inside if lane.group is None else words.join(lane.group)
            for lane in design.program.lanes
        },
    )


def stops(design: OrderedDesign) -> list[Link]:
    """The wires by which queues stop the root, as streams of words without fields."""
    return _on_lanes(design, {lane: {} for lane in design.program.stop_lanes})


def _on_lanes(design: OrderedDesign, lanes: Mapping[Lane, Fields]) -> list[Link]:
    """Streams on lanes, with these fields."""
    names, result = assemble(design).names, []
    for lane, fields in lanes.items():
        always_ready = not design.program.waits(lane)
        wires = name_wires(lane.name(names), fields, always_ready=always_ready)
        delay = 1 if design.program.announces(lane) else None
        result.append(Link(*wires, **vars(lane), payload_delay=delay))
    return result


def files(_design: OrderedDesign, _name: str | None) -> dict[str, str]:
    """None beside those of every fabric."""
    return {}


def program(design: OrderedDesign, name: str | None) -> Document:
    """The trees, merges and joins, as ``program.json`` has them."""
    plan, net, assembly = design.program, design.network, assemble(design)
    rows = [
        {
            "label": node,
            "module": node_module(design, assembly, node, name),
            "up_to": int(plan.up_parent[node]),
            "up_from": plan.up_children[node],
            "down_from": int(plan.down.parent[node]),
            "down_to": plan.down_children[node],
            "most_waited": plan.most_waited(node) if plan.plan_of(node).sends else None,
            "join_from": {j.group: j.children[node] for j in plan.joins if j.children[node]},
        }
        for node in range(net.nodes)
    ]
    modules = dict(zip(module_names(design, name), plan.plans, strict=False))
    known = {"network": net.spec, "algorithm": plan.algorithm, "root": plan.root}
    form = ordered_form(net, design.operations)
    result: Document = form.write({**known, "nodes": rows, "modules": modules})
    return result


def _describe_operations(design: OrderedDesign) -> Document:
    """The facts of a design with operations; nothing where every word is broadcast."""
    program = design.program
    wanted = program.operations
    if wanted.only_broadcast:
        return {}
    turns = [each for each in wanted.listed if each.kind in _IN_TURN]
    whole = {str(each): _whole_latency(program, each) for each in turns}
    return {
        "collectives_contract": COLLECTIVES_CONTRACT,
        "group_queue": program.config.group_queue,
        "watchdog": program.config.watchdog,
        "operations": {str(operation): n for n, operation in enumerate(wanted.listed)},
        "operation_facts": {str(operation): _facts(operation) for operation in wanted.listed},
        "groups": design.named_groups,
        "leaves": {
            wanted.groups[joins.group][0]: [
                program.network.label(node)
                for node, plan in enumerate(joins.plans)
                if plan is not None and not plan.up
            ]
            for joins in program.joins
        },
        "joined": {
            wanted.groups[joins.group][0]: program.joined_cycles(joins.group)
            for joins in program.joins
        },
        "latency": {str(each): _latency(program, each) for each in wanted.listed},
        **({"whole_latency": whole} if whole else {}),
    }


def _facts(operation: Operation) -> Document:
    """What the name of an operation says."""
    operator = {"operator": operation.operator} if operation.operator else {}
    facts = {"kind": operation.kind, **operator, "group": operation.group}
    return facts | {"joined": operation.joined, "to": KINDS[operation.kind].to}


def _describe_waits(program: OrderedProgram, node: int) -> Document:
    """How long words of a node wait for others at most, and how many can wait to be joined."""
    result: Document = {}
    if program.plan_of(node).sends:
        result["most_waited"] = program.most_waited(node)
    waiting = {
        program.operations.groups[joins.group][0]: count_waiting(
            joins, node, program.up_parent, program.up_registers
        )
        for joins in program.joins
        if node in program.operations.members(joins.group)
    }
    return result | ({"waiting": waiting} if waiting else {})


def _describe_away(program: OrderedProgram, assembly: Assembly, node: int) -> Document:
    """The input that says in which groups void words are given for a node, with its bits."""
    groups = [program.operations.groups[group][0] for n, group in program.stand_ins if n == node]
    signal = f"{AWAY}_{assembly.names[node]}"
    return {AWAY: {"signal": signal, "groups": groups}} if groups else {}


def _latency(program: OrderedProgram, operation: Operation) -> int:
    """Cycles from the words of all that give one, in one same cycle, to the last result.

    The longest over the nodes that an operation names. Of kinds in which words of one node, or for
    one node, follow each other, that of one word.
    """
    named = Operation("send") if operation.kind in _IN_TURN else operation
    return _cycles(program, named, find_parties(program, named))


def _whole_latency(program: OrderedProgram, operation: Operation) -> Document:
    """The cycles of a whole one with one word for, or from, each other node."""
    parties, label = find_parties(program, operation), program.network.label
    ends = {"from": parties.source, "to": parties.to}
    named = {name: label(node) for name, node in ends.items() if node is not None}
    return {**named, "cycles": _cycles(program, operation, parties)}


def _cycles(program: OrderedProgram, operation: Operation, parties: Parties) -> int:
    """Those of an operation with one word."""
    cycles = count_cycles(program, operation, parties, 1)
    if cycles is not None:
        return cycles
    # Seldom needed, and slow to load.
    from noc.model.ordered import measure_cycles

    return measure_cycles(program, operation, parties, 1)


def _missing(design: OrderedDesign, node: int) -> Iterator[Document]:
    """For each bit of ``late`` the group, and the members of which one may have given no word."""
    program, net = design.program, design.network
    for plan in program.plan_of(node).joins:
        members = set(program.operations.members(plan.group))
        joins = next(joins for joins in program.joins if joins.group == plan.group)
        streams = [{node}] * plan.own
        streams += [members & program.behind[child] for child in joins.children[node]]
        for join in plan.joins:
            for stream in (join.first, join.second):
                missing = [net.label(member) for member in sorted(streams[stream])]
                yield {"group": program.operations.groups[plan.group][0], "missing": missing}
            streams.append(streams[join.first] | streams[join.second])


def _describe_alarms(design: OrderedDesign, assembly: Assembly, node: int) -> Document:
    """The alarms of a node, for wrong and missing words and flips, with what each bit says."""
    wanted = design.program.operations
    result: Document = {}
    for alarm in assembly.outputs(node):
        signal = f"{alarm}_{assembly.names[node]}"
        if alarm == "mismatch":
            groups = compared_groups(design.program.plan_of(node), design.words)
            result[alarm] = {"signal": signal, "groups": [wanted.groups[g][0] for g in groups]}
        elif alarm == "late":
            result[alarm] = {"signal": signal, "bits": list(_missing(design, node))}
        elif alarm == "absent":
            result[alarm] = {"signal": signal, "bits": ["absent", "lost"]}
        elif alarm == "corrupt":
            result[alarm] = {"signal": signal, "bits": ["word", "control"]}
        else:
            result[alarm] = {"signal": signal}
    return result
