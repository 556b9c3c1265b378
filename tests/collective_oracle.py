"""What nodes must receive in a network with operations, from the words that are given alone.

No cycles and no trees: this knows the table of kinds in docs/collectives.md, and numpy.
"""

from collections import Counter
from dataclasses import dataclass

import numpy as np
from readable_runs import Readable, at

from noc.model.ordered import CollectiveTraffic, OrderedRun
from noc.model.ordered.streams import ordered_streams
from noc.programs.ordered import OrderedProgram


@dataclass(frozen=True)
class Message:
    """A word that comes down; None for what the contract leaves open."""

    data: int
    operation: int
    last: int
    source: int
    named: int | None
    to: frozenset[int]


@dataclass(frozen=True)
class Expected:
    """The words of each source and of each group in their order, and how many each node loses."""

    sent: dict[int, list[Message]]
    joined: dict[str, list[Message]]
    dropped: Counter[int]


def split(operation: object) -> tuple[str, str, str]:
    """Kind, operator and group of an operation."""
    name, _, group = str(operation).partition("@")
    kind, _, operator = name.partition(":")
    return kind, operator, group or "all"


def reduced(operator: str, data: list[int], width: int) -> int:
    """All data by one operator."""
    values = np.array(data, dtype=object if width > 62 else np.int64)
    half, whole = 1 << (width - 1), 1 << width
    signed = np.where(values >= half, values - whole, values)
    result = {
        "sum": lambda: np.add.reduce(values.astype(object)),
        "min": lambda: np.minimum.reduce(values),
        "max": lambda: np.maximum.reduce(values),
        "min_signed": lambda: np.minimum.reduce(signed),
        "max_signed": lambda: np.maximum.reduce(signed),
        "band": lambda: np.bitwise_and.reduce(values),
        "bor": lambda: np.bitwise_or.reduce(values),
        "bxor": lambda: np.bitwise_xor.reduce(values),
    }[operator]()
    return int(result) % whole


def expect(program: OrderedProgram, width: int, traffic: CollectiveTraffic) -> Expected:
    """What must come down, if all members of each group give its words in one order."""
    operations = [split(operation) for operation in program.operations.listed]
    groups = {name: frozenset(nodes) for name, nodes in program.operations.groups}
    nodes = program.network.nodes
    at = {program.numbers[node]: node for node in range(nodes)}
    sent: dict[int, list[Message]] = {node: [] for node in range(nodes)}
    given: dict[str, dict[int, list[int]]] = {
        name: {node: [] for node in sorted(members)} for name, members in groups.items()
    }
    dropped: Counter[int] = Counter()
    for word in range(len(traffic.data)):
        node, number = int(traffic.source[word]), int(traffic.operation[word])
        kind, _, group = operations[number] if number < len(operations) else ("", "", "")
        one = kind in ("send", "scatter", "gather", "reduce")
        joined = kind in ("reduce", "all_reduce", "barrier")
        allowed = groups.get(group, ()) if joined else program.sources
        named = int(traffic.node[word])
        if not kind or node not in allowed or (one and named not in at):
            dropped[node] += 1
        elif joined:
            given[group][node].append(word)
        else:
            to = {at[named]} if one else groups[group] - ({node} - own(program))
            sent[node].append(
                Message(
                    data=traffic.data[word],
                    operation=number,
                    last=int(traffic.last[word]),
                    source=program.numbers[node] if program.config.source_numbers else 0,
                    named=named,
                    to=frozenset(to),
                )
            )
    joined_words = {}
    for group, words in given.items():
        usual = next((o for _, o, g in operations if g == group and o), "")
        joined_words[group] = []
        for all_words in zip(*words.values(), strict=True):
            together = [word for word in all_words if not traffic.void[word]]
            if not together:
                continue
            first = together[0]
            number = int(traffic.operation[first])
            kind, operator, _ = operations[number]
            data = [traffic.data[word] for word in together]
            result = reduced(operator or usual, data, width) if operator or usual else 0
            named = int(traffic.node[first]) if kind == "reduce" else None
            to = groups[group] if named is None else frozenset([at[named]])
            last = int(traffic.last[first])
            joined_words[group].append(Message(result, number, last, 0, named, to))
    return Expected(sent, joined_words, dropped)


def own(program: OrderedProgram) -> frozenset[int]:
    """The nodes that get their own words back."""
    return frozenset(range(program.network.nodes) if program.config.own_words else ())


def failures(run: OrderedRun | Readable) -> list[str]:
    """What of a run that drained is not as it must be."""
    expected = expect(run.program, run.width, run.traffic)
    left = {("sent", node): list(words) for node, words in expected.sent.items()}
    left |= {("joined", group): list(words) for group, words in expected.joined.items()}
    wrong = [] if run.end == "drained" else [run.end]
    arrive: dict[int, list[Message]] = {node: [] for node in range(run.program.network.nodes)}
    numbered = run.program.config.source_numbers
    for _, fields in passed(run):
        # Which source or group a word is of, the root's order tells. It is the next one there, but
        # that cannot be seen of words that are sent without the number of their source.
        candidates = (
            (words, place)
            for (what, _), words in left.items()
            for place in range(len(words) if what == "sent" and not numbered else len(words[:1]))
            if is_it(fields, words[place])
        )
        words, place = next(candidates, ([], 0))
        if not words:
            wrong.append(f"{fields} is not next")
            continue
        message = words.pop(place)
        for node in message.to:
            arrive[node].append(message)
    wrong += [f"{key}: {len(words)} missing" for key, words in left.items() if words]
    for node, messages in arrive.items():
        got = [fields for _, fields in at(run, "eject", node)]
        if len(got) != len(messages) or not all(map(is_it, got, messages)):
            wrong.append(f"node {node} got {got} instead of {messages}")
    streams = ordered_streams(run.program)
    kinds = Counter(
        (streams[stream].kind, streams[stream].node)
        for _, stream, _ in run.bits
        if streams[stream].kind in ("dropped", "mismatch")
    )
    if kinds != Counter({("dropped", n): count for n, count in expected.dropped.items()}):
        wrong.append(f"alarms {kinds}, not {expected.dropped}")
    return wrong


def passed(run: OrderedRun | Readable) -> list[tuple[int, dict[str, int]]]:
    """The words that passed the root."""
    result = []
    for cycle, bits in run.passing:
        fields = {}
        for name, width in run.program.words(run.width).inside.items():
            fields[name] = bits % (1 << width)
            bits >>= width
        result.append((cycle, fields))
    return result


def is_it(fields: dict[str, int], message: Message) -> bool:
    """Whether a word, of which not all fields need be there, is the expected one."""
    wanted = {
        "data": message.data,
        "operation": message.operation,
        "last": message.last,
        "source": message.source,
        "node": message.named,
    }
    return all(wanted[name] in (None, value) for name, value in fields.items())
