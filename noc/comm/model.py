"""Programs on the cycle model of a network with operations."""

from collections.abc import Sequence
from typing import Any

from noc.comm.rounds import Offer, begin_session
from noc.comm.session import Fields, Program
from noc.comm.setup import describe_design
from noc.comm.world import Run
from noc.design import AnyDesign
from noc.model.ordered.live import LiveOrdered
from noc.model.timetable.live import LiveRounds


def run_model(
    design: AnyDesign, program: Program, arguments: Sequence[Any], limit: int | None = None
) -> Run:
    """Run a program at every node of a design."""
    setup = describe_design(design)
    network = _LiveRounds(design) if setup.rounds else _LiveFabric(design)
    with begin_session(setup, program, arguments, limit) as session:
        while (offers := session.begin()) is not None:
            session.end(*network.move(offers))
        return session.result()


class _LiveRounds:
    """A network whose nodes send by the clock."""

    def __init__(self, design: AnyDesign) -> None:
        self._model = LiveRounds(design.program, design.width)
        self._key = "sum" if design.program.exchange.adds else "source"

    def move(
        self, offers: list[Offer]
    ) -> tuple[list[tuple[int, int]], list[tuple[int, Fields]], bool]:
        """One cycle: whose words are taken, the words that come, and whether all moved on."""
        taken, came, moved = self._model.move(offers)
        return taken, [(node, {"data": d, self._key: key}) for node, d, key in came], moved


class _LiveFabric:
    """A network whose words say what they are."""

    def __init__(self, design: AnyDesign) -> None:
        self._model = LiveOrdered(design.program, design.width)
        #: By rank.
        self._order, self._rank = design.in_order, design.numbers

    def move(self, offers: list[Fields | None]) -> tuple[list[int], list[tuple[int, Fields]]]:
        """One cycle: the nodes whose words are taken, and the words that come."""
        ranked = zip(self._order, offers, strict=True)
        taken, came = self._model.move({node: word for node, word in ranked if word is not None})
        ranks = self._rank
        return [ranks[node] for node in taken], [(ranks[node], word) for node, word in came]
