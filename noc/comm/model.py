"""Programs on the cycle model of a network with operations."""

from collections.abc import Sequence
from typing import Any

from noc.comm.rounds import Offer, begin_session
from noc.comm.session import Fields, Program
from noc.comm.setup import describe_design
from noc.comm.world import Run
from noc.design import AnyDesign
from noc.model.ordered.parts import Source
from noc.model.ordered.reference import Fabric
from noc.model.ordered.streams import Word
from noc.model.ordered.traffic import as_traffic
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


class _LiveFabric(Fabric):
    """A network whose words are offered while it runs; its sinks are always ready."""

    def __init__(self, design: AnyDesign) -> None:
        program, order = design.program, design.in_order
        super().__init__(program, design.width, as_traffic(program, [[] for _ in order]))
        streams = {
            (named.kind, named.node): stream for stream in self.streams for named in stream.named
        }
        #: By rank.
        self._inject = [streams.get(("inject", node)) for node in order]
        self._eject = [streams["eject", node] for node in order]

    def move(self, offers: list[Fields | None]) -> tuple[list[int], list[tuple[int, Fields]]]:
        """One cycle: the nodes whose words are taken, and the words that come."""
        for stream, word in zip(self._inject, offers, strict=True):
            if stream is not None and word is not None:
                assert isinstance(stream.source, Source)
                if not stream.source.left:
                    stream.source.left.append((self.cycle, Word(**word)))
        self.step()
        # Nobody asks for them, and runs are long.
        self.events.clear()
        self.order.clear()
        inject, eject = enumerate(self._inject), enumerate(self._eject)
        taken = [rank for rank, stream in inject if stream and stream.moved is not None]
        came = [(rank, self._read(s.moved)) for rank, s in eject if s.moved is not None]
        return taken, came

    def _read(self, word: Word) -> Fields:
        return {name: getattr(word, name) for name in self.format.eject}
