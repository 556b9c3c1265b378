"""What the page shows of a design: its program, and the transfers of a run."""

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from noc.design import OrderedDesign
from noc.explore.recording import MOST_DATA, OUTSIDE, PLACES, Recording, Stream, list_spans
from noc.model import Traffic
from noc.model.ordered import (
    CollectiveTraffic,
    OrderedRun,
    OrderedStream,
    simulate_ordered,
    watch_ordered,
)
from noc.model.ordered.data import FIRST_RESULT
from noc.model.ordered.run import AnyTraffic
from noc.networks import IntArray
from noc.programs.ordered import Lane, NodePlan


def facts(design: OrderedDesign) -> dict[str, Any]:
    """What a reader sees of the hardware."""
    program = design.program
    cycles = [program.cycles_to_all(source) for source in program.sources]
    more = {"cycles to all, mean": round(float(np.mean(cycles)), 2)} if cycles else {}
    return {"node modules": len(program.plans)} | more


def record(design: OrderedDesign, traffic: AnyTraffic, cycles: int | None) -> Recording:
    """Run the cycle model, and list its transfers."""
    traffic = traffic.whole
    run = simulate_ordered(design.program, traffic, width=design.width, cycles=cycles)
    events, signals = run.events, watch_ordered(design.program, traffic, run.cycles)
    word, more = events.word, {}
    if isinstance(traffic, Traffic):
        words = {"source": traffic.source.tolist(), "release": traffic.release.tolist()}
    else:
        named = identify(run, traffic)
        words = {"source": named.source, "operation": named.operation}
        word, signals = named.of(word), replace(signals, word=named.of(signals.word))
        if design.width <= MOST_DATA:
            more["data"] = run.values.data @ PLACES[: run.values.data.shape[1]]
    lanes: dict[tuple[str, int, int], Lane] = {
        (lane.carries, lane.node, lane.group or 0): lane for lane in design.program.lanes
    }
    return Recording(
        streams=[
            _stream(each, lanes.get((each.kind, each.node, each.group))) for each in events.streams
        ],
        stream=events.stream,
        cycle=events.cycle,
        word=word,
        more=more,
        words=words,
        cycles=run.cycles,
        end=run.end,
        spans=list_spans(signals, np.arange(len(events.streams)), run.cycles),
    )


def _stream(stream: OrderedStream, lane: Lane | None) -> Stream:
    """The two ends of a stream of the ordered fabric, which is a lane or a node's own."""
    node, kind = stream.node, stream.kind
    if lane is not None:
        return Stream(kind, lane.sender, lane.receiver, lane.out_port, stream.group)
    if kind == "inject":
        return Stream(kind, OUTSIDE, node)
    if kind == "eject":
        return Stream(kind, node, OUTSIDE)
    return Stream(kind, node, node, group=stream.group)


def describe_program(design: OrderedDesign) -> dict[str, Any]:
    """The trees, and the plans of nodes."""
    program = design.program
    nodes = np.arange(program.network.nodes)
    return {
        "fabric": "ordered",
        "sources": list(program.sources),
        "root": program.root,
        "upParent": program.up_parent.tolist(),
        "upPort": program.up_port.tolist(),
        "downParent": program.down.parent.tolist(),
        "downPort": program.down.port.tolist(),
        "upCycles": program.up.tolist(),
        "downCycles": program.down_cycles.tolist(),
        "upRegisters": list(program.up_registers),
        "downRegisters": list(program.down_registers),
        "mostWaited": [
            program.most_waited(node) if program.plan_of(node).sends else None
            for node in nodes.tolist()
        ],
        "upChildren": [list(children) for children in program.up_children],
        "downChildren": [list(children) for children in program.down_children],
        "queue": program.config.queue,
        "ownWords": program.config.own_words,
        "plans": [_plan(plan) for plan in program.plans],
        "plan": program.plan.tolist(),
        **_operations(design),
    }


def _plan(plan: NodePlan) -> dict[str, Any]:
    return {
        "sends": plan.sends,
        "merges": [
            {"streams": [m.first, m.second], "weights": m.weights, "slots": m.slots}
            for m in plan.merges
        ],
        "stored": plan.stored,
        "downSlots": plan.down_slots + plan.turn_slots,
        "drops": plan.drops,
        "joins": [
            {
                "group": join.group,
                "own": join.own,
                "joins": [{"streams": [j.first, j.second], "slots": j.slots} for j in join.joins],
            }
            for join in plan.joins
        ],
    }


def _operations(design: OrderedDesign) -> dict[str, Any]:
    program, wanted = design.program, design.program.operations
    if wanted.only_broadcast:
        return {}
    return {
        "operations": [
            {"name": str(each), "joined": each.joined, "group": wanted.group_of(number)}
            for number, each in enumerate(wanted.listed)
        ],
        "groups": [{"name": name, "nodes": list(nodes)} for name, nodes in wanted.groups],
        "joinChildren": {
            str(joins.group): [list(children) for children in joins.children]
            for joins in program.joins
        },
    }


@dataclass(frozen=True)
class Identities:
    """The words of a run."""

    #: Which word that of the traffic is, and which the result of a join.
    given: IntArray
    results: IntArray
    #: Of each word the node that sent it, or -1 where several nodes' words become one.
    source: list[int]
    #: Of each word its operation.
    operation: list[int]

    def of(self, numbers: IntArray) -> IntArray:
        """The words of some numbers of the model."""
        result = np.full(numbers.size, OUTSIDE)
        given, joined = numbers >= 0, numbers <= FIRST_RESULT
        result[given] = self.given[numbers[given]]
        result[joined] = self.results[FIRST_RESULT - numbers[joined]]
        return result


def identify(run: OrderedRun, traffic: CollectiveTraffic) -> Identities:
    """Number the words of a run with operations, as nodes give them.

    The first words that all members of a group give to be joined become one, then the second ones,
    and so on.
    """
    operations = run.program.operations
    dropped = _dropped(run)
    accepted = np.where(run.accepted < 0, run.cycles, run.accepted)
    given = np.full(traffic.words, OUTSIDE)
    turns: Counter[tuple[int, int]] = Counter()
    messages: dict[tuple[int, int], int] = {}
    source: list[int] = []
    operation: list[int] = []
    for word in np.argsort(accepted, kind="stable").tolist():
        node = int(traffic.source[word])
        number = min(int(traffic.operation[word]), len(operations.listed) - 1)
        joined = word not in dropped and operations.listed[number].joined
        message = len(source)
        if joined:
            group = operations.group_of(number)
            message = messages.setdefault((group, turns[node, group]), message)
            turns[node, group] += 1
        given[word] = message
        if message == len(source):
            source.append(OUTSIDE if joined else node)
            operation.append(number)
    found = Identities(given, np.full(len(run.events.joins), OUTSIDE), source, operation)
    # Each is made of earlier ones.
    first = run.events.header.numbers(run.events.joins[:, 0]).tolist()
    for number, operand in enumerate(first):
        found.results[number] = (
            given[operand] if operand >= 0 else found.results[FIRST_RESULT - operand]
        )
    return found


def _dropped(run: OrderedRun) -> set[int]:
    """The words that no operation takes."""
    events, alarms = run.events.of_kind("inject"), run.events.of_kind("dropped")
    node = np.array([stream.node for stream in events.streams])
    told = set(zip(alarms.cycle.tolist(), node[alarms.stream].tolist(), strict=True))
    given = zip(events.cycle.tolist(), node[events.stream].tolist(), strict=True)
    return {word for word, at in zip(events.word.tolist(), given, strict=True) if at in told}
