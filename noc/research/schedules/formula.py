"""A formula that can be satisfied if, and only if, a broadcast takes at most a number of steps.

docs/schedules.md says what it means, so that others can write it again. Nothing is left out of it
that a solver could find by itself: its clauses are to be understood, and proofs hold for them.
"""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

from noc.errors import InputError
from noc.networks import Network
from noc.research.schedules.interchange import interchangeable, links_of_pairs

Clauses = Iterator[list[int]]

#: A step, the sender and the receiver.
Send = tuple[int, int, int]


@dataclass(frozen=True, eq=False)
class Formula:
    """Who has the word after each step, and who sends it to whom."""

    #: What it is about, in one line.
    name: str
    nodes: int
    #: By sender and receiver, ascending.
    links: tuple[tuple[int, int], ...]
    #: The nodes that have the word at the beginning.
    informed: tuple[int, ...]
    #: The steps allowed.
    steps: int
    #: Sets of receivers of the root to which it sends, if at all, in this order.
    order: tuple[tuple[int, ...], ...] = ()

    def has(self, node: int, step: int) -> int:
        """The variable: the node has the word after the step, 0 for the beginning."""
        return 1 + node * (self.steps + 1) + step

    def sends(self, link: int, step: int) -> int:
        """The variable: the word takes the link in the step, from 1 on."""
        return self.nodes * (self.steps + 1) + link * self.steps + step

    @property
    def variables(self) -> int:
        """The number of variables."""
        return self.nodes * (self.steps + 1) + len(self.links) * self.steps

    def clauses(self, kinds: Mapping[str, Callable[["Formula"], Clauses]] | None = None) -> Clauses:
        """All clauses, kind after kind; or those of some kinds."""
        for kind in (KINDS if kinds is None else kinds).values():
            yield from kind(self)

    def text(self) -> str:
        """The formula as a file in the DIMACS format."""
        lines = [" ".join(map(str, (*clause, 0))) for clause in self.clauses()]
        head = [f"c {self.name}", f"p cnf {self.variables} {len(lines)}"]
        return "\n".join([*head, *lines, ""])

    def digest(self) -> str:
        """The SHA-256 of the file."""
        return hashlib.sha256(self.text().encode()).hexdigest()

    def schedule(self, true: Container[int]) -> list[Send]:
        """The sends of an assignment that satisfies the formula, the first to each node only."""
        having, sends = set(self.informed), []
        for step in range(1, self.steps + 1):
            for number, (sender, receiver) in enumerate(self.links):
                if receiver not in having and self.sends(number, step) in true:
                    having.add(receiver)
                    sends.append((step, sender, receiver))
        return sends


def broadcast_formula(
    network: Network, root: int | Sequence[int], steps: int, *, order: bool = True
) -> Formula:
    """The formula of a one-port broadcast from a node, or from several, in a number of steps.

    With ``order`` a single root sends to receivers that can change places in ascending order.
    """
    if steps < 1:
        raise InputError(f"steps: {steps} is out of range; 1 is the least")
    informed = (root,) if isinstance(root, int) else tuple(root)
    labels = ", ".join(network.label(node) for node in informed)
    return Formula(
        name=f"one-port broadcast on {network.spec} from {labels} in {steps} steps",
        nodes=network.nodes,
        links=tuple(sorted(links_of_pairs(network))),
        informed=informed,
        steps=steps,
        order=interchangeable(network, informed[0]) if order and len(informed) == 1 else (),
    )


def _begin(formula: Formula) -> Clauses:
    """At the beginning the root has the word, and nobody else."""
    for node in range(formula.nodes):
        sign = 1 if node in formula.informed else -1
        yield [sign * formula.has(node, 0)]


def _end(formula: Formula) -> Clauses:
    """After the last step every node has it."""
    for node in range(formula.nodes):
        yield [formula.has(node, formula.steps)]


def _cause(formula: Formula) -> Clauses:
    """Who has the word had it a step before, or somebody sent it."""
    into: dict[int, list[int]] = defaultdict(list)
    for number, (_, receiver) in enumerate(formula.links):
        into[receiver].append(number)
    for node in range(formula.nodes):
        for step in range(1, formula.steps + 1):
            sent = [formula.sends(number, step) for number in into[node]]
            yield [-formula.has(node, step), formula.has(node, step - 1), *sent]


def _sender(formula: Formula) -> Clauses:
    """Who sends the word had it a step before."""
    for number, (sender, _) in enumerate(formula.links):
        for step in range(1, formula.steps + 1):
            yield [-formula.sends(number, step), formula.has(sender, step - 1)]


def _one_port(formula: Formula) -> Clauses:
    """No node sends twice in a step."""
    out: dict[int, list[int]] = defaultdict(list)
    for number, (sender, _) in enumerate(formula.links):
        out[sender].append(number)
    for numbers in out.values():
        for one, other in combinations(numbers, 2):
            for step in range(1, formula.steps + 1):
                yield [-formula.sends(one, step), -formula.sends(other, step)]


def _order(formula: Formula) -> Clauses:
    """Before it sends to a receiver of a set, the root has sent to the one before it."""
    number = {link: index for index, link in enumerate(formula.links)}
    for members in formula.order:
        (root,) = formula.informed
        for first, second in pairwise(members):
            for step in range(1, formula.steps + 1):
                earlier = range(1, step)
                before = [formula.sends(number[root, first], each) for each in earlier]
                yield [-formula.sends(number[root, second], step), *before]


#: The kinds of clauses, in the order of the file.
KINDS: Mapping[str, Callable[[Formula], Clauses]] = {
    "begin": _begin,
    "end": _end,
    "cause": _cause,
    "sender": _sender,
    "one port": _one_port,
    "order": _order,
}
