"""The cycle model of a design, and what its transfers are on the wires."""

from collections.abc import Iterator

from noc.design import Design
from noc.fabrics.direct.records import DirectRecords
from noc.model import simulate
from noc.model.direct import stream as stream_model
from noc.model.ordered.run import AnyTraffic
from noc.model.runs import Chunk
from noc.verify.expected import broadcasts
from noc.verify.streams import Interface


def stream(design: Design, traffic: AnyTraffic, cycles: int | None) -> Iterator[Chunk]:
    """Run the model, some cycles after the other."""
    return stream_model(design.program, broadcasts(traffic), cycles=cycles)


def count_cycles(design: Design, traffic: AnyTraffic) -> int:
    """The cycles until every word has arrived."""
    return simulate(design.program, broadcasts(traffic), events=False).cycles


def records(_design: Design, interface: Interface, traffic: AnyTraffic) -> DirectRecords:
    """What makes records of the events of a run."""
    return DirectRecords(interface, broadcasts(traffic).seed)
