"""Model and simulator side by side: run by run, some cycles after the other."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from noc.design import AnyDesign
from noc.errors import InputError, option
from noc.verify.bench import Sizes
from noc.verify.compare import Comparison, Tally
from noc.verify.expected import WordArray, logged
from noc.verify.lockstep import Lockstep, Order, start_harness
from noc.verify.models import Expected, expect
from noc.verify.runs import Run
from noc.verify.simulator import Simulation
from noc.verify.stimulus import write_words
from noc.verify.streams import Interface

__all__ = ["Logged", "Model", "RunReport", "compare_driven"]

#: After the last transfer that is expected, at least so many cycles more, with all sinks ready.
_DRAIN = 32

#: Wall-clock seconds of what a simulator does at a time: a fixed part, and router-cycles that any
#: machine does in a second.
_SECONDS, _ROUTER_CYCLES = 300, 2_000

#: Transfers of a run, at most, where all words and the whole log are kept.
MOST_LOGGED = 20_000_000

#: More than any cycle.
_NEVER = 2**32 - 1

#: Cycles of a run that is long, where it is not known how long.
_MANY = 1_000_000


@dataclass(frozen=True)
class RunReport:
    """One run and what the comparison found.

    Parameters
    ----------
    run : Run
        What was sent.
    words : int
        How many words were offered.
    cycles : int
        Cycles compared.
    events : int
        Transfers of the model.
    comparison : Comparison
        Mismatches.
    seconds : float or None
        Processor time of the simulation from reset to the end, if it came there.
    whole : bool
        Whether its log has an end.
    """

    run: Run
    words: int
    cycles: int
    events: int
    comparison: Comparison
    seconds: float | None
    whole: bool


class Model:
    """What the model expects of a run; its first cycles are known before all is built.

    Parameters
    ----------
    design : AnyDesign
        The network.
    interface : Interface
        Its streams.
    run : Run
        What is sent.
    """

    def __init__(self, design: AnyDesign, interface: Interface, run: Run) -> None:
        self.design, self.interface, self.run = design, interface, run
        self._chunks = expect(design, interface, run)
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
        if chunk.end != "drained":
            return chunk.cycles
        return chunk.cycles + _DRAIN + self.design.network.nodes.bit_length()

    def seconds(self, cycles: int) -> int:
        """How long any machine takes for so many cycles, at most."""
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
        return RunReport(
            *(self.run, words, chunk.cycles, tally.events, tally.comparison, seconds, whole)
        )


def compare_driven(
    simulation: Simulation,
    models: Sequence[Model],
    running: Callable[[float], None] | None,
) -> tuple[tuple[RunReport, ...], str | None]:
    """Have the C++ program simulate all runs; what was found, and what went wrong.

    The program simulates some cycles while the model runs the next ones, so that neither keeps
    more than these.

    Parameters
    ----------
    simulation : Simulation
        What was built.
    models : sequence of Model
        Those of all runs.
    running : callable, optional
        Told how much is done, 0 to 1, where it takes long.
    """
    with start_harness(simulation) as lockstep:
        reports = []
        for number, model in enumerate(models):
            tell = _share(models, number, running)
            reports.append(_drive(simulation, lockstep, number, model, tell))
    if running is not None and any(not model.first.end for model in models):
        running(1.0)
    return tuple(reports), lockstep.trouble


def _share(
    models: Sequence[Model], number: int, running: Callable[[float], None] | None
) -> Callable[[Expected], None]:
    """What tells of the share that is done, after some cycles of a run."""
    before = sum(model.cycles for model in models[:number])
    total = sum(model.cycles for model in models)

    def tell(chunk: Expected) -> None:
        if running is not None and chunk.end is None:
            running(min(0.99, (before + min(chunk.cycles, models[number].cycles)) / total))

    return tell


def _drive(
    simulation: Simulation,
    lockstep: Lockstep,
    number: int,
    model: Model,
    tell: Callable[[Expected], None],
) -> RunReport:
    tally, chunks = Tally(model.design.network, model.interface), iter(model)
    pending, whole = next(chunks), False
    _order(lockstep, number, model, pending, 0)
    while True:
        following = next(chunks, None)
        going = lockstep.wait()
        records, whole = logged(simulation.runs / f"{number}.log", model.interface)
        # The program will write another log in its place.
        got = np.array(records)
        if going and following is not None:
            _order(lockstep, number, model, following, pending.cycles)
        tally.add(pending.records, pending.words, got)
        tell(pending)
        if not going or following is None:
            return model.report(pending, tally, lockstep.seconds if going else None, whole=whole)
        pending = following


def _order(lockstep: Lockstep, number: int, model: Model, chunk: Expected, begin: int) -> None:
    until = model.end(chunk)
    lockstep.order(
        Order(
            run=number,
            until=until,
            busy=_NEVER if chunk.end is None else chunk.cycles,
            last=chunk.end is not None,
            seconds=model.seconds(until - begin),
        ),
        chunk.given,
    )


class Logged:
    """Runs of a bench that reads all words before it begins, and logs all transfers.

    The model runs before the simulation, which must know when each run ends, and again after it.

    Parameters
    ----------
    simulation : Simulation
        What will be built.
    models : sequence of Model
        Those of all runs.
    """

    def __init__(self, simulation: Simulation, models: Sequence[Model]) -> None:
        self._simulation, self._models = simulation, models
        self._seconds, words = [], 0
        for number, model in enumerate(models):
            given, last = self._read(model)
            words, end = max(words, len(given)), model.end(last)
            plan = last.cycles, end, model.run.traffic.ready.shape[0]
            write_words(simulation.runs, number, model.interface, given, plan)
            self._seconds.append(model.seconds(end))
        period = max(model.run.traffic.ready.shape[0] for model in models)
        #: What the bench has to hold: the largest of all runs.
        self.sizes = Sizes(words, period)

    @staticmethod
    def _read(model: Model) -> tuple[WordArray, Expected]:
        given, events = [], 0
        for chunk in model:
            given.append(chunk.given)
            events += len(chunk.records)
            if events > MOST_LOGGED:
                raise InputError(
                    f"{model.run.name}: more than {MOST_LOGGED:,} transfers, which only "
                    f"{option('simulator', 'verilator')} compares, without waveforms; use fewer "
                    f"{option('words')} or {option('cycles')}"
                )
        return np.concatenate(given), chunk

    def compare(self) -> tuple[tuple[RunReport, ...], str | None]:
        """Simulate; what was found, and what went wrong."""
        trouble = self._simulation.run(self._seconds)
        return tuple(map(self._compare, range(len(self._models)), self._models)), trouble

    def _compare(self, number: int, model: Model) -> RunReport:
        files = self._simulation.runs / str(number)
        records, whole = logged(files.with_suffix(".log"), model.interface)
        tally, begin = Tally(model.design.network, model.interface), 0
        again = (
            [model.first] if model.first.end else Model(model.design, model.interface, model.run)
        )
        for chunk in again:
            until = _NEVER if chunk.end else chunk.cycles
            end = begin + int(np.searchsorted(records[begin:, 0], until))
            tally.add(chunk.records, chunk.words, np.array(records[begin:end]))
            begin = end
        clock = files.with_suffix(".seconds")
        seconds = float(clock.read_text(encoding="ascii")) if clock.is_file() else None
        return model.report(chunk, tally, seconds, whole=whole)
