"""What has come to a node, and what its program asks for."""

from collections import defaultdict
from typing import NamedTuple

from noc.comm.tasks import Event
from noc.programs.operations import Operation

__all__ = ["ANY", "Arrival", "Mailbox"]

#: Any source.
ANY = None


class Arrival(NamedTuple):
    """A message as it came; ``source`` is None where words of several nodes were joined."""

    source: int | None
    words: tuple[int, ...]


class Mailbox:
    """Gives each message to the request that fits it; both are served in their order."""

    def __init__(self) -> None:
        self._arrived: defaultdict[Operation, list[Arrival]] = defaultdict(list)
        self._asked: defaultdict[Operation, list[tuple[int | None, Event[Arrival]]]]
        self._asked = defaultdict(list)

    def put(self, operation: Operation, arrival: Arrival) -> None:
        """A message has come."""
        asked = self._asked[operation]
        for place, (source, event) in enumerate(asked):
            if source in (ANY, arrival.source):
                del asked[place]
                event.set(arrival)
                return
        self._arrived[operation].append(arrival)

    def ask(self, operation: Operation, source: int | None, event: Event[Arrival]) -> None:
        """Let an event happen with the next message from a source, or any."""
        arrived = self._arrived[operation]
        for place, arrival in enumerate(arrived):
            if source in (ANY, arrival.source):
                event.set(arrived.pop(place))
                return
        self._asked[operation].append((source, event))
