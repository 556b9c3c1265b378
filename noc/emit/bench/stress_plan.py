"""What stress.cpp sends into the network in the folder above, and what it expects to come out."""

import random
from collections.abc import Iterator
from dataclasses import dataclass

from folder import MANIFEST, NODES, ORDERED, RETURNED, SOURCES, find_field
from latency import expect_latency

#: The words are sent in so many rounds, each with another load and other stalls.
ROUNDS = 16

#: For so many pairs of a source and a receiver, at most, the latency is looked at.
PAIRS = 400_000

#: Chances are given in these parts.
CERTAIN = 1 << 16

#: Whether one source sends at a time.
TURNS = MANIFEST["sources"] == "one"

#: Whether nodes are told who sent a word, or it is known.
TOLD = TURNS or find_field(NODES[0]["eject"], "source") is not None


@dataclass(frozen=True)
class Flow:
    """The words of one source that take one of its trees."""

    source: int
    tree: int


@dataclass(frozen=True)
class Round:
    """What is random, and how much.

    A source that has no word to send gets one in a cycle with the chance of the load. A sink is not
    ready with the chance of the stall, and stays as it is for some cycles.
    """

    load: float
    stall: float
    hold: int
    words: int

    @property
    def patience(self) -> int:
        """Cycles within which something surely moves."""
        return int(1000 * self.hold / (1 - self.stall)) + 100 * len(NODES)

    @property
    def line(self) -> str:
        """As a program reads it."""
        load, stall = max(1, round(self.load * CERTAIN)), round(self.stall * CERTAIN)
        return f"round {load} {stall} {self.hold} {self.words} {self.patience}"


def mean_deliveries() -> float:
    """To how many nodes a word comes."""
    return max(1.0, len(NODES) - (not RETURNED))


def list_flows() -> list[Flow]:
    """Every source with each of its trees."""
    return [Flow(node, tree) for node in SOURCES for tree in range(NODES[node].get("trees", 1))]


def draw_rounds(words: int, seed: int, load: float | None, stall: float | None) -> list[Round]:
    """So many words with this load and stall; where none is given, the extremes and random ones."""
    lots = random.Random(seed)
    each, rounds = max(1, -(-words // ROUNDS)), []
    for number, first in enumerate(range(0, words, each)):
        chosen_load, chosen_stall, hold = draw_chances(number, lots)
        rounds.append(
            Round(
                chosen_load if load is None else load,
                chosen_stall if stall is None else stall,
                hold,
                min(each, words - first),
            )
        )
    return rounds


def draw_chances(number: int, lots: random.Random) -> tuple[float, float, int]:
    """Load, stall and hold of a round."""
    at_once = 1 if TURNS else len(SOURCES)
    extremes = ((1.0, 0.0, 1), (1.0, 0.5, 1), (0.3 / at_once, 0.0, 1))
    if number < len(extremes):
        return extremes[number]
    # From a network that is nearly empty to one in which all sources wait.
    load = min(1.0, 10 ** lots.uniform(-1, 1) / at_once)
    stall = lots.choice([0.0, lots.uniform(0, 0.3), lots.uniform(0.3, 0.8)])
    # Sinks that rest for long slow down the network: every word waits for all of them.
    return load, stall, lots.choice([1, 1, 16]) if stall < 0.3 else 1


def draw_lone(flows: list[Flow], seed: int) -> list[int]:
    """The places of the flows of which a word travels alone: all, or as many as are quick."""
    most = max(16, PAIRS // len(NODES))
    return sorted(random.Random(seed).sample(range(len(flows)), min(most, len(flows))))


def list_plan(seed: int, rounds: list[Round]) -> Iterator[str]:
    """The lines that the program reads."""
    eject, flows = NODES[0]["eject"], list_flows()
    nothing = {"first": 0, "bits": 0}
    yield f"seed {seed}"
    for name in ("data", "source"):
        field = find_field(eject, name) or nothing
        yield f"{name} {field['first']} {field['bits']}"
    yield f"facts {ORDERED:d} {RETURNED:d} {TURNS:d} {bool(MANIFEST['queue']):d}"
    for entry in NODES:
        yield f"label {entry['label']}"
    for flow in flows:
        data = find_field(NODES[flow.source]["inject"], "data")
        yield f"flow {flow.source} {flow.tree} {data['first']}"
    for place in draw_lone(flows, seed):
        cycles = expect_latency(flows[place].source, flows[place].tree)
        listed = (cycles.get(node, -1) for node in range(len(NODES)))
        yield " ".join(map(str, ("lone", place, *listed)))
    for each in rounds:
        yield each.line
