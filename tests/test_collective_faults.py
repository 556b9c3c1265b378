"""What the checks of networks with operations see, if the plain model had a fault."""

import sys
from dataclasses import replace
from functools import cache
from unittest import mock

import pytest
import readable_ordered as readable
from collective_oracle import failures
from readable_ordered import Buffer, Fabric, Fork, Join, Merge
from readable_runs import Readable, differences, run_readable

from noc.model import SINKS
from noc.model.ordered import (
    Mixture,
    OrderedRun,
    Word,
    mixed_operations,
    simulate_ordered,
)
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


def changed(program: OrderedProgram) -> OrderedProgram:
    """What becomes of the program of the plain model."""
    return program


def runs(number: int, *, shuffled: bool) -> tuple[Readable, OrderedRun]:
    """The same words in the plain model and in the compiled one."""
    some = program(number)
    mixture = Mixture(messages=6, longest=2, wrong=20, shuffled=shuffled)
    ready = SINKS["half"](some.network.nodes, number)
    traffic = mixed_operations(some, 6, mixture, ready=ready, seed=number).whole
    # With a fault words may move for ever.
    plain = run_readable(changed(some), 6, traffic, _MOST_CYCLES)
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


def turn_for_any_word(merge: Merge) -> None:
    if merge.outputs[0].moved is not None:
        merge.left -= 1
        if merge.left == 0:
            merge.turn = 1 - merge.turn
            merge.left = merge.weights[merge.turn]


def sent_kept(fork: Fork) -> None:
    for number, output in enumerate(fork.outputs):
        fork.sent[number] |= output.moved is not None


def own_words_kept(keeps):
    def more(fabric, node: int, output: int, word: Word) -> bool:
        own = word.source == fabric.program.numbers[node]
        drops = fabric.program.plan_of(node).drops
        last = output == len(fabric.program.down_children[node])
        return (own and drops and last) or keeps(fabric, node, output, word)

    return more


def to_all_children(keeps):
    def more(fabric, node: int, *of) -> bool:
        last = of[0] == len(fabric.program.down_children[node])
        return last and keeps(fabric, node, *of)

    return more


def nodes_that_are_not_there(way):
    def wrapped(fabric, node: int, word: Word):
        return way(fabric, node, replace(word, node=word.node % fabric.program.network.nodes))

    return wrapped


def early_at_the_root(join_all):
    """Barriers only."""

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

        join = Early if node == fabric.program.root else Join
        with mock.patch.object(readable, "Join", join):
            return join_all(fabric, node, plan, results)

    return planted


def weight_off_by_one(program: OrderedProgram) -> OrderedProgram:
    root, plans = program.plan_of(program.root), list(program.plans)
    *before, last = root.merges
    more = replace(last, weights=(last.weights[0], last.weights[1] + 1))
    plans[program.plan[program.root]] = replace(root, merges=(*before, more))
    return replace(program, plans=tuple(plans))


def child_left_out(program: OrderedProgram) -> OrderedProgram:
    children = list(program.down_children)
    children[program.root] = children[program.root][:-1]
    return replace(program, down_children=tuple(children))


def another_slot(program: OrderedProgram) -> OrderedProgram:
    plans = (replace(plan, down_slots=min(2, 2 * plan.down_slots)) for plan in program.plans)
    return replace(program, plans=tuple(plans))


def queue_of_one_more(program: OrderedProgram) -> OrderedProgram:
    return replace(program, config=replace(program.config, queue=program.config.queue + 1))


def instead(something):
    return lambda _: something


HERE, EVENTS, BOTH = sys.modules[__name__], {"events"}, {"events", "words"}

#: What has which attribute, what that becomes, and by which checks it is seen. Methods of the
#: fabric get it, a group or a node and an output, and words.
FAULTS = {
    "a turn does not pass": (Merge, "step", instead(lambda _: None), EVENTS),
    "a turn passes for any word": (Merge, "step", instead(turn_for_any_word), EVENTS),
    "what was sent is lost": (Fork, "step", instead(lambda _: None), BOTH),
    "what was sent is kept": (Fork, "step", instead(sent_kept), BOTH),
    "ready does not pass through": (
        *(Buffer, "ready", instead(lambda buffer, _: len(buffer.words) < buffer.slots), EVENTS),
    ),
    "one slot is two": (Buffer, "ready", instead(lambda it, _: len(it.words) < 2), EVENTS),
    "a weight off by one": (HERE, "changed", instead(weight_off_by_one), EVENTS),
    "a child left out": (HERE, "changed", instead(child_left_out), BOTH),
    "another slot": (HERE, "changed", instead(another_slot), EVENTS),
    "a queue of one more": (HERE, "changed", instead(queue_of_one_more), EVENTS),
    "the header of the second": (
        *(Fabric, "_joined", lambda of: lambda *a: replace(a[3], data=of(*a).data), EVENTS),
    ),
    "the last is not compared": (
        *(Fabric, "_match", lambda of: lambda *a: of(*a[:3], replace(a[3], last=a[2].last))),
        EVENTS,
    ),
    "names are always compared": (
        *(Fabric, "_match", instead(lambda *a: replace(a[2], data=0) == replace(a[3], data=0))),
        BOTH,
    ),
    "own words come back": (
        *(Fabric, "_keeps", lambda of: lambda *a: of(*a[:3], replace(a[3], source=-1)), BOTH),
    ),
    "words to oneself are kept": (Fabric, "_keeps", own_words_kept, BOTH),
    "words go to all children": (Fabric, "_keeps", to_all_children, EVENTS),
    "nodes that are not there": (Fabric, "_way", nodes_that_are_not_there, BOTH),
    "fields that a join has not": (readable, "cut", instead(lambda word, _: word), BOTH),
    "another operator": (
        *(
            readable,
            "combine",
            lambda of: lambda name, *a: of(name.replace("_signed", ""), *a),
        ),
        BOTH,
    ),
    "a contribution counted twice": (
        *(Fabric, "_joined", lambda of: lambda *a: of(*a[:2], of(*a), a[3]), BOTH),
    ),
    "a contribution lost": (Fabric, "_joined", instead(lambda *a: a[2]), BOTH),
    "a barrier fires early at the root": (Fabric, "_join_all", early_at_the_root, BOTH),
}


def test_nothing_is_seen_without_a_fault() -> None:
    assert seen() == set()


@pytest.mark.cases(6, ci=13)
@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_seen(name: str, monkeypatch) -> None:
    owner, attribute, wrong, checks = FAULTS[name]
    monkeypatch.setattr(owner, attribute, wrong(getattr(owner, attribute)))
    assert seen() == checks
