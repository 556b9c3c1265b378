"""The cycle model of a design, and what its transfers are on the wires."""

from collections.abc import Iterator

from noc.design import OrderedDesign
from noc.fabrics.ordered.records import OrderedRecords
from noc.model.ordered import simulate_ordered, stream_ordered
from noc.model.ordered.run import AnyTraffic
from noc.model.runs import Chunk
from noc.verify.streams import Interface


def stream(design: OrderedDesign, traffic: AnyTraffic, cycles: int | None) -> Iterator[Chunk]:
    """Run the model, some cycles after the other."""
    return stream_ordered(design.program, traffic, width=design.width, cycles=cycles)


def count_cycles(design: OrderedDesign, traffic: AnyTraffic) -> int:
    """The cycles until every word has arrived."""
    return simulate_ordered(design.program, traffic, events=False).cycles


def records(design: OrderedDesign, interface: Interface, traffic: AnyTraffic) -> OrderedRecords:
    """What makes records of the events of a run."""
    return OrderedRecords(interface, design.program, getattr(traffic, "seed", None))
