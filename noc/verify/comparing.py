"""Model and simulator side by side: run by run, some cycles after the other."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from noc.design import AnyDesign
from noc.model.faults import NO_FAULTS, Faults
from noc.model.timetable.waiting import Waiting
from noc.verify.expected import QUIET, Expected, expect
from noc.verify.lockstep import Lockstep, Order, start_harness
from noc.verify.records import Comparison, Tally, logged
from noc.verify.runs import Run
from noc.verify.simulation import Simulation
from noc.verify.streams import Interface

#: Cycles after the last transfer that is expected, at least, with all sinks ready.
_DRAIN = 32

#: The time limit of what a simulator does at once: seconds, and router-cycles that any machine
#: does in a second.
_SECONDS, _ROUTER_CYCLES = 300, 2_000

#: More than any cycle.
_NEVER = 2**32 - 1

#: Cycles of a run that is long, where it is not known how long.
_MANY = 1_000_000


@dataclass(frozen=True)
class RunReport:
    """One run and its comparison."""

    #: What was sent.
    run: Run
    #: Words that were offered, cycles compared, and transfers of the model.
    words: int
    cycles: int
    events: int
    #: Mismatches.
    comparison: Comparison
    #: Processor time of the simulation from reset to the end, if it came there.
    seconds: float | None
    #: Whether its log has an end.
    whole: bool
    #: Why it ended; where something dies, words may have stopped for ever.
    end: str | None
    #: What waits for a round that never becomes whole, if anything does.
    waiting: Waiting | None


class Model:
    """What the model expects of a run; its first cycles are known before all are simulated."""

    def __init__(
        self, design: AnyDesign, interface: Interface, run: Run, faults: Faults = NO_FAULTS
    ) -> None:
        self.design, self.interface, self.run, self._faults = design, interface, run, faults
        self._chunks = expect(design, interface, run, faults)
        self.first = next(self._chunks)

    def __iter__(self) -> Iterator[Expected]:
        """Some cycles after the other, which can be had once only where they are several."""
        yield self.first
        yield from self._chunks

    @property
    def cycles(self) -> int:
        """About how many cycles the run has."""
        known = self.first.cycles if self.first.end else self.run.cycles or self.run.words
        return known or _MANY

    def end(self, chunk: Expected) -> int:
        """The first cycle that is not simulated: what is left comes out, where all should have."""
        # Where words stop for ever, or a sink is given up for ever, alarms may go on.
        given_up = self._faults.sinks and self.design.sink_timeout
        if chunk.end not in QUIET or given_up:
            return chunk.cycles
        # A round that begins although words lack does so after the one that goes on.
        rounds = 2 * self.design.round
        return chunk.cycles + _DRAIN + rounds + self.design.network.nodes.bit_length()

    def seconds(self, cycles: int) -> int:
        """How long any machine takes for these cycles, at most."""
        return _SECONDS + cycles * self.design.network.nodes // _ROUTER_CYCLES

    def report(
        self, chunk: Expected, tally: Tally, seconds: float | None, *, whole: bool
    ) -> RunReport:
        """What there is to say after the last cycles that were compared."""
        words = self.run.words
        if words is None:
            # Each source offers another one when a run is cut off.
            cut = len(self.interface.inject) if chunk.end == "limit" else 0
            words = chunk.injected + cut
        # Of dead links it is not known outside what they have lost.
        if chunk.waiting is not None and whole and not self._faults.links:
            tally.add_waiting(chunk.waiting)
        return RunReport(
            *(self.run, words, chunk.cycles, tally.events, tally.comparison, seconds, whole),
            end=chunk.end,
            waiting=chunk.waiting,
        )


def compare_runs(
    simulation: Simulation,
    models: Sequence[Model],
    running: Callable[[float], None] | None,
) -> tuple[tuple[RunReport, ...], str | None]:
    """Simulate all runs and compare each; the reports, and what went wrong.

    The simulator goes on for some cycles while the model runs the next ones, so that neither keeps
    more than these. ``running`` is called with the share that is done, 0 to 1, where it takes long.
    """
    total = sum(model.cycles for model in models)
    reports: list[RunReport] = []
    with start_harness(simulation, models[0].interface) as lockstep:
        for number, model in enumerate(models):
            before = sum(model.cycles for model in models[:number])

            def show(chunk: Expected, before: int = before, model: Model = model) -> None:
                if running is not None and chunk.end is None:
                    running(min(0.99, (before + min(chunk.cycles, model.cycles)) / total))

            reports.append(_compare_run(simulation, lockstep, number, model, show))
    if running is not None and any(not model.first.end for model in models):
        running(1.0)
    return tuple(reports), lockstep.trouble


def _compare_run(
    simulation: Simulation,
    lockstep: Lockstep,
    number: int,
    model: Model,
    show: Callable[[Expected], None],
) -> RunReport:
    tally, chunks = Tally(model.design.network, model.interface), iter(model)
    pending = next(chunks)
    _order(lockstep, number, model, pending, 0)
    while True:
        following = next(chunks, None)
        going = lockstep.wait()
        # The next order puts another log in its place.
        got, whole = logged(simulation.runs / f"{number}.log", model.interface)
        if going and following is not None:
            _order(lockstep, number, model, following, pending.cycles)
        tally.add(pending.records, pending.words, got)
        show(pending)
        if not going or following is None:
            return model.report(pending, tally, lockstep.seconds if going else None, whole=whole)
        pending = following


def _order(lockstep: Lockstep, number: int, model: Model, chunk: Expected, begin: int) -> None:
    until = model.end(chunk)
    order = Order(
        run=number,
        until=until,
        busy=_NEVER if chunk.end is None else chunk.cycles,
        last=chunk.end is not None,
        seconds=model.seconds(until - begin),
    )
    lockstep.order(order, chunk.offered)
