"""A proof about whole networks whose queues stop others: no word comes to a queue that is full.

In the ordered fabric they stop the root, in the timetable fabric all nodes.

Unbounded, by ABC's property directed reachability, for all words that nodes give, and all stalls.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from amaranth.asserts import AnySeq
from amaranth.hdl import Assert, Assume, Cat, Module, ResetSignal, Signal, Value
from amaranth.lib import wiring
from formal import tool
from formal.planting import planted

from noc.chips import Cut, cut, divide, stops
from noc.chips.stops import Stops, falls
from noc.design import AnyDesign, OrderedDesign, build_design
from noc.fabrics.timetable import assembly
from noc.fabrics.timetable.design import TimetableDesign
from noc.hardware import BroadcastNetwork, broadcast_network
from noc.hardware.ordered import chip_ends, node
from noc.hardware.timetable import paced_router, pacer
from noc.hardware.timetable.merge import MergedRouter
from noc.hardware.timetable.pacer import Tally
from noc.links import ChipLink
from noc.networks import build_network
from noc.programs.rounds import RoundProgram
from noc.streams import Queue

pytestmark = tool.proofs


class WatchedQueue(Queue):
    """A queue that is never to get a word for which it has no room."""

    def elaborate(self, platform: object) -> Module:
        m = super().elaborate(platform)
        m.d.comb += Assert(~(self.i.valid & (self.level == self._depth)))
        return m


class AskedQueue(Queue):
    """A queue that is never to be asked for a word that it has not."""

    def elaborate(self, platform: object) -> Module:
        m = super().elaborate(platform)
        m.d.comb += Assert(self.o.valid | ~self.o.ready)
        return m


class WatchedMerge(MergedRouter):
    """Memories whose words are read before others are written in their places."""

    def elaborate(self, platform: object) -> Module:
        """Rounds of which a lane has all words, and that have not left, are no more than fit in.

        A round that is read has come by all lanes: of each there is one at least, but for the last
        word that is on offer.
        """
        m = super().elaborate(platform)
        for number, lane in enumerate(self._router.eject):
            here = Signal(range(self._rounds + 2), name=f"here_{number}")
            ends = lane.valid & self.row.ends[number]
            m.d.sync += here.eq(here + ends - self.freed.valid)
            m.d.comb += [
                Assert(~(lane.valid & (here == self._rounds))),
                Assert(~((self.row.valid | self.eject.valid) & (here == 0))),
            ]
        return m


class WatchedTally(Tally):
    """A tally none of whose counts is ever to be more than it may be."""

    def elaborate(self, platform: object) -> Module:
        m = super().elaborate(platform)
        for number, told in enumerate(self.i):
            first = self._first * (number == 0)
            count = Signal(range(self._most + 2), name=f"watched_{number}", init=first)
            m.d.sync += count.eq(count + told - self.o)
            m.d.comb += Assert(count <= self._most)
        return m


class NetworkBench(wiring.Component):
    """A network with free surroundings, from reset on; phases of its nodes are the same."""

    def __init__(self, design: AnyDesign) -> None:
        super().__init__({})
        self.network: Any = BroadcastNetwork(design)

    @property
    def ports(self) -> list[Any]:
        """All handshakes; data decide nothing."""
        return tool.ports_of(self.network, "valid", "ready", "start")

    def elaborate(self, _platform: object) -> Module:
        m = Module()
        m.submodules.network = self.network
        m.d.comb += Assume(~ResetSignal())
        members, names = self.network.signature.members, self.network.names
        phases = [getattr(self.network, f"phase_{n}") for n in names if f"phase_{n}" in members]
        m.d.comb += Assert(Cat(phase == phases[0] for phase in phases).all())
        return m


def proven(folder: Path, design: AnyDesign) -> str:
    """Whether no queue overflows, and all nodes stand still together: PASS or FAIL."""
    return tool.prove(folder, NetworkBench(design), traces=False).check("PASS", "FAIL")


NETWORKS = {
    "ring": ("ring:3", {}),
    "one-way": ("uhc:3", {"queue": 5}),
    "star": ("star:4", {}),
    "registers": ("mesh:2,3", {"link_registers": 1}),
    "few sources": ("star:3", {"sources": [1, 4]}),
    "look-ahead": ("star:3", {"lookahead": True}),
    "other root": ("tree:2,2", {"root": 6, "queue": 3}),
}


@pytest.fixture(params=NETWORKS)
def design(request, monkeypatch) -> OrderedDesign:
    spec, options = NETWORKS[request.param]
    monkeypatch.setattr(node, "Queue", WatchedQueue)
    usual = {"sinks": "queued", "queue": 2, "width": 1, "source_numbers": False}
    return build_design(spec, **usual | options)


@pytest.mark.cases(1, ci=3)
def test_no_queue_that_stops_the_root_gets_a_word_when_it_is_full(design, tmp_path) -> None:
    assert proven(tmp_path, design) == "PASS"


@pytest.mark.cases(0, ci=1)
def test_no_queue_could_have_a_word_less(design, tmp_path) -> None:
    program = design.program
    for number, plan in enumerate(program.plans):
        plans = list(program.plans)
        plans[number] = replace(plan, depth=plan.depth - 1)
        folder = tmp_path / str(number)
        folder.mkdir()
        shorter = replace(design, program=replace(program, plans=tuple(plans)))
        assert proven(folder, shorter) == "FAIL", number


@pytest.mark.cases(1, ci=2)
def test_a_stop_that_is_not_passed_on_is_caught(design, tmp_path, monkeypatch) -> None:
    stops = [number for number, plan in enumerate(design.program.plans) if plan.stop_inputs]

    def deaf(self: node.Node, m: Module, full: Value) -> None:
        self.stop_in = []
        stop(self, m, full)

    stop = node.Node._stop
    monkeypatch.setattr(node.Node, "_stop", deaf)
    assert stops
    assert proven(tmp_path, design) == "FAIL"


#: Networks on chips: into each but one words come from another chip, and from some they go on.
CHIPS = {
    "star": ("star:3", 2, {}),
    "two ways": ("uhc:4", 2, {}),
    "one behind the other": ("ring:8", 4, {"queue": 3}),
    "registers": ("mesh:2,3", 3, {"link_registers": 2}),
}


def free_link(self: ChipLink, _platform: object) -> Module:
    """An end of a link that gives words whenever it likes, and takes them so."""
    m = Module()
    for name in self.signature.members:
        if name.startswith(("i_", "o_")):
            end = getattr(self, name)
            m.d.comb += (end.ready if name.startswith("i_") else end.valid).eq(AnySeq(1))
    return m


@pytest.fixture(params=CHIPS)
def chips(request, monkeypatch) -> Cut:
    """Chips with free surroundings, none of whose queues is ever to get a word when it is full."""
    spec, count, options = CHIPS[request.param]
    monkeypatch.setattr(node, "Queue", WatchedQueue)
    monkeypatch.setattr(chip_ends, "Queue", WatchedQueue)
    monkeypatch.setattr(ChipLink, "elaborate", free_link)
    division, ways = divide(build_network(spec), count)
    usual = {"sinks": "queued", "queue": 2, "width": 1, "source_numbers": False}
    return cut(build_design(division.network, ways, **usual | options), division, 4)


def proven_chip(folder: Path, chips: Cut, chip: int) -> str:
    """Whether no queue of a chip overflows: PASS or FAIL."""
    folder.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(broadcast_network, "assemble", lambda _: chips.assembly(chip))
        return proven(folder, chips.design)


@pytest.mark.cases(1, ci=2)
def test_no_queue_of_a_chip_gets_a_word_when_it_is_full(chips, tmp_path) -> None:
    for chip in range(chips.division.chips):
        assert proven_chip(tmp_path / str(chip), chips, chip) == "PASS", chip


@pytest.mark.cases(1, ci=1)
def test_no_queue_of_words_for_another_chip_could_have_a_word_less(
    chips, tmp_path, monkeypatch
) -> None:
    depth = Stops._depth
    ways = [way for channel in chips.channels for way in channel.both]
    for here, there in [way.chips for way in ways if any(map(falls, way.goes))]:

        def shorter(self: Stops, chip: int, short: int = there) -> int:
            return depth(self, chip) - (chip == short)

        monkeypatch.setattr(Stops, "_depth", shorter)
        assert proven_chip(tmp_path / str(there), replace(chips), here) == "FAIL", there


@pytest.mark.cases(0, ci=1)
@pytest.mark.parametrize(
    ("part", "right", "wrong"),
    [("Exit", ">= self._queue", "> self._queue"), ("Entrance", ".eq(self.stop.valid)", ".eq(0)")],
)
def test_an_end_of_a_link_that_stops_too_late_is_caught(
    part: str, right: str, wrong: str, chips, tmp_path, monkeypatch
) -> None:
    where = "hardware.ordered.chip_ends"
    faulty = planted((where,), where, right, wrong)
    monkeypatch.setattr(faulty, "Queue", WatchedQueue)
    monkeypatch.setattr(stops, part, getattr(faulty, part))
    numbers = range(chips.division.chips)
    assert "FAIL" in [proven_chip(tmp_path / str(chip), chips, chip) for chip in numbers]


ROUNDS = {
    "star": ("star:3", {}),
    "two levels": ("ring:5", {"queue": 3}),
    "pulses": ("mesh:2,2", {"start": "pulse"}),
    "an exchange": ("best:4", {"exchange": "all_to_all"}),
}


def built(spec: str, options: dict[str, Any]) -> TimetableDesign:
    """A design of the timetable fabric with words of one bit."""
    design = build_design(spec, fabric="timetable", width=1, **options)
    assert isinstance(design, TimetableDesign)
    return design


@pytest.fixture(params=ROUNDS)
def rounds(request, monkeypatch) -> TimetableDesign:
    spec, options = ROUNDS[request.param]
    monkeypatch.setattr(paced_router, "Queue", WatchedQueue)
    return built(spec, {"sinks": "queued", "queue": 2} | options)


@pytest.mark.cases(0, ci=2)
def test_no_queue_that_stops_all_gets_a_word_when_it_is_full(rounds, tmp_path) -> None:
    assert proven(tmp_path, rounds) == "PASS"


@pytest.mark.cases(0, ci=2)
def test_no_queue_of_rounds_could_have_a_word_less(rounds, tmp_path, monkeypatch) -> None:
    shorter = property(lambda program: program.config.queue + 2 * program.pace_levels + 1)
    monkeypatch.setattr(RoundProgram, "queue_depth", shorter)
    assert proven(tmp_path, rounds) == "FAIL"


COMPLETE = {
    "all for all": ("ring:3", {}),
    "sinks that stall": ("mesh:2,2", {"sinks": "queued", "queue": 2}),
    "sums": ("ring:3", {"exchange": "all_reduce:bor"}),
    "one giver": ("best:4", {"exchange": "scatter"}),
}

#: Networks whose nodes have one eject stream.
ONE = {
    "all for all": ("ring:3", {}),
    "sums": ("complete:2", {"exchange": "all_reduce:bor"}),
    "one giver": ("best:4", {"exchange": "scatter"}),
}


@pytest.fixture(params=COMPLETE)
def complete(request, monkeypatch) -> TimetableDesign:
    spec, options = COMPLETE[request.param]
    monkeypatch.setattr(paced_router, "Queue", AskedQueue)
    monkeypatch.setattr(paced_router, "Tally", WatchedTally)
    monkeypatch.setattr(pacer, "Tally", WatchedTally)
    return built(spec, {"start": "ready"} | options)


@pytest.mark.cases(0, ci=1)
def test_a_round_that_begins_has_all_its_words(complete, tmp_path) -> None:
    """No router takes a word that is not there, and no count of rounds overflows."""
    assert proven(tmp_path, complete) == "PASS"


@pytest.fixture
def watched(monkeypatch) -> None:
    """One eject stream, with room for a round each before and behind the routers."""
    monkeypatch.setattr(paced_router, "Queue", AskedQueue)
    monkeypatch.setattr(paced_router, "Tally", WatchedTally)
    monkeypatch.setattr(pacer, "Tally", WatchedTally)
    monkeypatch.setattr(assembly, "MergedRouter", WatchedMerge)
    monkeypatch.setattr(RoundProgram, "room_rounds", 1)
    monkeypatch.setattr(RoundProgram, "kept_rounds", 1)


@pytest.mark.usefixtures("watched")
@pytest.mark.cases(1, ci=2)
@pytest.mark.parametrize("name", ONE)
def test_no_word_is_written_where_one_is_to_be_read(name: str, tmp_path) -> None:
    """And no word is read before all of its round have come."""
    spec, options = ONE[name]
    design = built(spec, {"start": "ready", "ejects": "one"} | options)
    assert proven(tmp_path, design) == "PASS"


@pytest.mark.usefixtures("watched")
@pytest.mark.cases(1, ci=1)
@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("waiting + whole - (named & last)", "waiting + seen.valid[lane] - (named & last)"),
        ("whole = seen.valid[lane] & row.ends[lane]", "whole = row.ends[lane]"),
    ],
)
def test_a_round_that_is_read_too_early_is_caught(
    right: str, wrong: str, tmp_path, monkeypatch
) -> None:
    design = built("star:3", {"start": "ready", "ejects": "one"})
    where = "hardware.timetable.merge"
    monkeypatch.setattr(assembly, "Reader", planted((where,), where, right, wrong).Reader)
    assert proven(tmp_path, design) == "FAIL"


@pytest.mark.usefixtures("watched")
def test_a_round_for_which_there_is_no_room_is_caught(tmp_path, monkeypatch) -> None:
    """Nodes that tell of room for one round more than they have."""
    monkeypatch.setattr(RoundProgram, "kept_rounds", 2)
    design = built("ring:3", {"start": "ready", "ejects": "one"})
    faulty = planted(
        ("hardware.timetable.pacer", "hardware.timetable.paced_router"),
        "hardware.timetable.paced_router",
        "first=self._room\n",
        "first=self._room + 1\n",
    )
    monkeypatch.setattr(faulty, "Tally", Tally)
    monkeypatch.setattr(assembly, "FilledRouter", faulty.FilledRouter)
    assert proven(tmp_path, design) == "FAIL"


@pytest.mark.cases(0, ci=2)
@pytest.mark.parametrize(
    ("where", "right", "wrong"),
    [
        ("pacer", "(count != 0)", "(count == 0)"),
        ("pacer", "- (ends & some_kept)", ""),
        ("pacer", "opens.eq(some_kept)", "opens.eq(1)"),
    ],
)
def test_a_round_that_begins_without_words_is_caught(
    where: str, right: str, wrong: str, tmp_path, monkeypatch
) -> None:
    design = build_design("star:3", fabric="timetable", start="ready", width=1)
    names = [f"hardware.timetable.{name}" for name in ("pacer", "paced_router")]
    faulty = planted(
        (*names, "fabrics.timetable.assembly"), f"hardware.timetable.{where}", right, wrong
    )
    monkeypatch.setattr(assembly, "Pacer", faulty.Pacer)
    monkeypatch.setattr(paced_router, "Queue", AskedQueue)
    assert proven(tmp_path, design) == "FAIL"


@pytest.mark.cases(0, ci=2)
def test_a_node_that_goes_on_alone_is_caught(rounds, tmp_path, monkeypatch) -> None:
    where, right = "hardware.timetable.pacer", "register.eq(above[number // FAN])"
    faulty = planted((where,), where, right, "register.eq(above[number // FAN] if number else 1)")
    monkeypatch.setattr(assembly, "Pacer", faulty.Pacer)
    assert proven(tmp_path, rounds) == "FAIL"
