"""What the checks of networks with operations see, if the plain model had a fault."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import pytest
from collective_oracle import failures
from readable_runs import Readable, differences, run_readable

from noc.model import SINKS
from noc.model.ordered import (
    Mixture,
    OrderedRun,
    Word,
    mixed_operations,
    reference,
    simulate_ordered,
)
from noc.model.ordered import parts as ordered_parts
from noc.model.ordered.parts import Join
from noc.model.ordered.reference import Fabric
from noc.programs.ordered import OrderedProgram, compile_ordered
from noc.programs.ordered_config import OrderedConfig

# Words that are sent to groups and nodes; joins with and without data, names and headers.
NETWORKS = [
    ("star:3", None, ("broadcast",), {"queue": 2}),
    ("mesh:2,3", 4, ("broadcast", "send", "all_reduce:sum", "barrier", "reduce:max@part"), {}),
    ("ring:5", 0, ("multicast@part", "reduce:min_signed", "barrier"), {"link_registers": 1}),
    ("complete:4", 2, ("gather", "all_reduce:band@part", "barrier"), {"own_words": True}),
]


@cache
def program(number: int) -> OrderedProgram:
    spec, root, operations, form = NETWORKS[number]
    config, groups = OrderedConfig(**form), {"part": [0, 1, 3]}
    return compile_ordered(spec, root=root, operations=operations, groups=groups, config=config)


_MOST_CYCLES = 500

#: What becomes of the program of the plain model.
PLANTED: dict[str, Callable[[OrderedProgram], OrderedProgram]] = {
    "program": lambda program: program
}


def runs(number: int, *, shuffled: bool) -> tuple[Readable, OrderedRun]:
    """The same words in the plain model and in the compiled one."""
    some = program(number)
    mixture = Mixture(messages=6, longest=2, wrong=20, shuffled=shuffled)
    ready = SINKS["half"](some.network.nodes, number)
    traffic = mixed_operations(some, 6, mixture, ready=ready, seed=number).whole
    # With a fault words may move for ever.
    plain = run_readable(PLANTED["program"](some), 6, traffic, _MOST_CYCLES)
    return plain, simulate_ordered(some, traffic, width=6, cycles=_MOST_CYCLES)


def seen() -> set[str]:
    """By which checks anything is seen."""
    result = set()
    for number in range(len(NETWORKS)):
        for shuffled in (False, True):
            plain, compiled = runs(number, shuffled=shuffled)
            if differences(plain, compiled):
                result.add("events")
            if not shuffled and failures(plain):
                result.add("words")
    return result


def header_of_the_second(patch) -> None:
    joined = Fabric._joined

    def swapped(fabric, group: int, first: Word, second: Word) -> Word:
        return replace(second, data=joined(fabric, group, first, second).data)

    patch.setattr(Fabric, "_joined", swapped)


def last_is_not_compared(patch) -> None:
    match = Fabric._match
    patch.setattr(
        Fabric,
        "_match",
        lambda fabric, group, first, second: match(
            fabric, group, first, replace(second, last=first.last)
        ),
    )


def names_are_always_compared(patch) -> None:
    patch.setattr(
        Fabric,
        "_match",
        lambda _fabric, _group, first, second: replace(first, data=0) == replace(second, data=0),
    )


def one_slot_that_is_two(patch) -> None:
    patch.setattr(ordered_parts.Buffer, "ready", lambda buffer, _: len(buffer.words) < 2)


def own_words_come_back(patch) -> None:
    keeps = Fabric._keeps
    patch.setattr(
        Fabric,
        "_keeps",
        lambda fabric, node, output, word: keeps(fabric, node, output, replace(word, source=-1)),
    )


def words_to_oneself_are_kept(patch) -> None:
    keeps = Fabric._keeps

    def more(fabric, node: int, output: int, word: Word) -> bool:
        own = word.source == fabric.program.numbers[node]
        drops = fabric.program.plan_of(node).drops
        last = output == len(fabric.program.down_children[node])
        return (own and drops and last) or keeps(fabric, node, output, word)

    patch.setattr(Fabric, "_keeps", more)


def words_go_to_all_children(patch) -> None:
    keeps = Fabric._keeps
    patch.setattr(
        Fabric,
        "_keeps",
        lambda fabric, node, output, word: (
            output == len(fabric.program.down_children[node]) and keeps(fabric, node, output, word)
        ),
    )


def nodes_that_are_not_there(patch) -> None:
    way = Fabric._way
    patch.setattr(
        Fabric,
        "_way",
        lambda fabric, node, word: way(
            fabric, node, replace(word, node=word.node % fabric.program.network.nodes)
        ),
    )


def fields_that_a_join_has_not(patch) -> None:
    patch.setattr(
        reference,
        "cut",
        lambda word, _: word,
    )


def another_operator(patch) -> None:
    combine = reference.combine
    patch.setattr(
        reference,
        "combine",
        lambda operator, *data: combine(operator.replace("_signed", ""), *data),
    )


def contribution_counted_twice(patch) -> None:
    joined = Fabric._joined
    patch.setattr(
        Fabric,
        "_joined",
        lambda fabric, group, first, second: joined(
            fabric, group, joined(fabric, group, first, second), second
        ),
    )


def contribution_lost(patch) -> None:
    patch.setattr(Fabric, "_joined", lambda _fabric, _group, first, _second: first)


def barrier_fires_early_at_the_root_only(patch) -> None:
    join_all = Fabric._join_all

    def planted(fabric, node: int, plan, results):
        numbers = fabric.operations.joined_in(plan.group)

        class Early(Join):
            def offers(self, output):
                word = self.inputs[0].offered()
                if word is None or self.inputs[1].offered() is not None:
                    return super().offers(output)
                kind = fabric.operations.listed[numbers[word.choice]].kind
                return word if kind == "barrier" else None

            def ready(self, input_):
                alone = input_ is self.inputs[0] and self.offers(self.outputs[0]) is not None
                return self.outputs[0].ready() if alone else super().ready(input_)

        patch.setattr(reference, "Join", Early if node == fabric.program.root else Join)
        return join_all(fabric, node, plan, results)

    patch.setattr(Fabric, "_join_all", planted)


def turn_that_does_not_pass(patch) -> None:
    patch.setattr(reference.Merge, "step", lambda _: None)


def turn_that_passes_for_any_word(patch) -> None:
    def step(merge: reference.Merge) -> None:
        if merge.outputs[0].moved is not None:
            merge.left -= 1
            if merge.left == 0:
                merge.turn = 1 - merge.turn
                merge.left = merge.weights[merge.turn]

    patch.setattr(reference.Merge, "step", step)


def sent_lost(patch) -> None:
    patch.setattr(reference.Fork, "step", lambda _: None)


def sent_kept(patch) -> None:
    def step(fork: reference.Fork) -> None:
        for number, output in enumerate(fork.outputs):
            fork.sent[number] |= output.moved is not None

    patch.setattr(reference.Fork, "step", step)


def ready_that_does_not_pass_through(patch) -> None:
    patch.setattr(reference.Buffer, "ready", lambda buffer, _: len(buffer.words) < buffer.slots)


def weight_off_by_one(patch) -> None:
    def change(program: OrderedProgram) -> OrderedProgram:
        root, plans = program.plan_of(program.root), list(program.plans)
        *before, last = root.merges
        more = replace(last, weights=(last.weights[0], last.weights[1] + 1))
        plans[program.plan[program.root]] = replace(root, merges=(*before, more))
        return replace(program, plans=tuple(plans))

    patch.setitem(PLANTED, "program", change)


def child_left_out(patch) -> None:
    def change(program: OrderedProgram) -> OrderedProgram:
        children = list(program.down_children)
        children[program.root] = children[program.root][:-1]
        return replace(program, down_children=tuple(children))

    patch.setitem(PLANTED, "program", change)


def another_slot(patch) -> None:
    def change(program: OrderedProgram) -> OrderedProgram:
        plans = (replace(plan, down_slots=min(2, 2 * plan.down_slots)) for plan in program.plans)
        return replace(program, plans=tuple(plans))

    patch.setitem(PLANTED, "program", change)


def queue_of_one_more(patch) -> None:
    def change(program: OrderedProgram) -> OrderedProgram:
        return replace(program, config=replace(program.config, queue=program.config.queue + 1))

    patch.setitem(PLANTED, "program", change)


FAULTS = {
    turn_that_does_not_pass: {"events"},
    turn_that_passes_for_any_word: {"events"},
    sent_lost: {"events", "words"},
    sent_kept: {"events", "words"},
    ready_that_does_not_pass_through: {"events"},
    weight_off_by_one: {"events"},
    child_left_out: {"events", "words"},
    another_slot: {"events"},
    queue_of_one_more: {"events"},
    header_of_the_second: {"events"},
    last_is_not_compared: {"events"},
    names_are_always_compared: {"events", "words"},
    one_slot_that_is_two: {"events"},
    own_words_come_back: {"events", "words"},
    words_to_oneself_are_kept: {"events", "words"},
    words_go_to_all_children: {"events"},
    nodes_that_are_not_there: {"events", "words"},
    fields_that_a_join_has_not: {"events", "words"},
    another_operator: {"events", "words"},
    contribution_counted_twice: {"events", "words"},
    contribution_lost: {"events", "words"},
    barrier_fires_early_at_the_root_only: {"events", "words"},
}


def test_nothing_is_seen_without_a_fault() -> None:
    assert seen() == set()


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_fault_is_seen(fault, monkeypatch) -> None:
    fault(monkeypatch)
    assert seen() == FAULTS[fault]
