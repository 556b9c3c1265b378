"""The self-test as a whole: an endpoint at each node, the conductor, and the report."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from amaranth.hdl import Cat, ClockSignal, Const, Instance, Module, Mux, ResetSignal, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import Out

from noc.design import AnyDesign
from noc.emit.module import Module as Verilog
from noc.emit.module import Port, convert, ports_of
from noc.emit.verilog import common_ports, modules, node_ports, top_name
from noc.hardware import Assembly, assemble
from noc.harness import MOVES, PHASE
from noc.selftest.conductor import Conductor, Lengths, Signals, count, delay
from noc.selftest.giver import Giver
from noc.selftest.judge import Judge
from noc.selftest.patterns import SEED_BITS
from noc.selftest.report import Reporter, Transmitter, template
from noc.selftest.round_ends import RoundGiver, RoundJudge
from noc.selftest.rounds import RoundWords
from noc.selftest.words import Words

#: Bits a second on the serial line.
BAUD = 115_200

#: The names of the whole, and of the modules at each node.
TOP = "noc_selftest"
GIVER, JUDGE = f"{TOP}_giver", f"{TOP}_judge"

#: Random bits, and the two of them of which the next is made.
_RANDOM_BITS, _TAPS = 63, (62, 61)

#: Letters of a network's name in a report, at most: of a path the end.
_SPEC = 80


@dataclass(frozen=True)
class Settings:
    """What does not depend on the network."""

    #: Frequency of the clock, which is printed.
    clock_hz: float
    #: Cycles of a round in which the sources send.
    cycles: int = 1 << 20
    #: Chooses words and stalls.
    seed: int = 0
    #: Clock cycles of a bit on the serial line, where they should not follow from the clock.
    divisor: int | None = None

    @property
    def bit_cycles(self) -> int:
        """Clock cycles of a bit on the serial line."""
        return self.divisor or max(2, round(self.clock_hz / BAUD))


def words_of(design: AnyDesign) -> Words | RoundWords:
    """The words for a design; refuses a width that cannot tell them apart."""
    return (RoundWords if design.in_rounds else Words)(design).check()


def lengths(design: AnyDesign, settings: Settings) -> Lengths:
    """The parts of a round of the self-test of a design."""
    phases = len(design.program.sources) if design.sources == "one" else 1
    words = words_of(design)
    settle = delay(max(words.injects, words.ejects)) + 8
    return Lengths(
        phases=phases,
        cycles=max(settle, settings.cycles // phases),
        sweep=max(settle, 1 << words.stream_bits),
        settle=settle,
    )


def header(design: AnyDesign, settings: Settings) -> str:
    """The first line of every report; the digest covers all that is not spelled out."""
    spec = design.network.spec.encode("ascii", "replace").decode("ascii")
    plain = spec.replace("{", "(").replace("}", ")")[-_SPEC:]
    what = f"{plain} {design.program.algorithm} {design.kind}"
    giving, nodes = len(design.senders), design.network.nodes
    sources = design.sources if giving == nodes else f"{giving} of {nodes}"
    hardware = f"sources {sources} width {design.width} design {design.digest}"
    return f"arbornoc {what} {hardware} clock {settings.clock_hz / 1e6:.6g} MHz"


class SelfTest(wiring.Component):
    """A network that tests itself and reports on a serial line, ``uart``.

    ``running`` changes with every round, ``passed`` is of the last round, ``failed`` of any round.
    The network and the two endpoints of each node, of which the signatures are given by their
    names, are instances of the Verilog modules of :func:`verilog`. ``pins`` of what is tested are
    its own.
    """

    def __init__(
        self,
        design: AnyDesign,
        settings: Settings,
        endpoints: dict[str, wiring.Signature],
        words: Words | RoundWords,
        pins: Mapping[str, Any] | None = None,
    ) -> None:
        self._words, self._endpoints = words, endpoints
        self._design, self._settings = design, settings
        shown = {name: Out(1) for name in ("uart", "running", "passed", "failed")}
        super().__init__({**shown, **(pins or {})})

    def elaborate(self, platform: object) -> Module:
        """Place everything around the network."""
        m = Module()
        m.submodules.conductor = conductor = self._conductor()
        self._nodes(m, conductor)
        self._report(m, conductor)
        return m

    # What a chip of several has of its own: what leads, what is tested, and what is said of it.

    def _conductor(self) -> Any:
        return Conductor(self._words, lengths(self._design, self._settings))

    def _tested(self) -> tuple[str, Assembly, Sequence[int]]:
        """The module that is tested, what it is made of, and its nodes."""
        assembly = assemble(self._design)
        return top_name(self._design), assembly, range(len(assembly.names))

    def lines(self) -> list[str]:
        """Those of a report before the verdict."""
        return template(header(self._design, self._settings), self._words.reported)

    def _verdicts(self, conductor: Any) -> tuple[tuple[str, ...], Value]:
        """How a report ends, and which of these it is."""
        return ("FAIL", "PASS"), conductor.passed

    def _told(self, conductor: Any) -> dict[str, Any]:
        """What all endpoints are told beside what those of one chip need."""
        return {}

    def _count(
        self,
        m: Module,
        conductor: Any,
        common: Signals,
        givers: Sequence[Signals],
        judges: Sequence[Signals],
    ) -> None:
        """Add up what they signal; ``common`` has the outputs of what is tested as a whole."""
        count(m, self._words, conductor, givers, judges)

    def _report(self, m: Module, conductor: Any) -> None:
        verdicts, verdict = self._verdicts(conductor)
        texts = ["\r\n".join([*self.lines(), end, ""]) for end in verdicts]
        numbers = conductor.numbers
        m.submodules.reporter = reporter = Reporter(texts, count=len(numbers))
        m.submodules.transmitter = transmitter = Transmitter(self._settings.bit_cycles)
        wiring.connect(m, reporter.bytes, transmitter.bytes)
        m.d.comb += [
            reporter.start.eq(conductor.report),
            reporter.choice.eq(verdict),
            conductor.report_busy.eq(reporter.busy),
            *(to.eq(of) for to, of in zip(reporter.numbers, numbers, strict=True)),
            self.uart.eq(transmitter.line),
            self.running.eq(numbers[0][0]),
            self.passed.eq(conductor.passed),
            self.failed.eq(conductor.failed),
        ]

    def _nodes(self, m: Module, conductor: Any) -> None:
        """The network and the endpoints."""
        random = Signal(_RANDOM_BITS, init=_first_random(self._settings.seed))
        seed, clear, grant = Signal(SEED_BITS), Signal(), Signal()
        m.d.sync += random.eq(Cat(random[_TAPS[0]] ^ random[_TAPS[1]], random))
        m.d.sync += [clear.eq(conductor.clear), grant.eq(conductor.grant)]
        with m.If(conductor.clear & (conductor.sweep == 0)):
            m.d.sync += seed.eq(random)
        words = self._words
        sweep = conductor.sweep[: words.stream_bits]
        shared = {"seed": seed, "clear": clear, "sweep": sweep, "grant": grant}
        shared |= self._told(conductor)
        clock, reset = ClockSignal(), ResetSignal(allow_reset_less=True)
        network: dict[str, Any] = {"i_clk": clock, "i_rst": clear | reset}
        # Where nothing says so, all nodes move on in each cycle.
        shared[MOVES] = Const(1)
        tested, assembly, nodes = self._tested()
        for port in common_ports(assembly):
            shared[port.name] = network[_keyword(port)] = self._common(port)
        sides = [{p.name: p for _, p in ports_of(self._endpoints[end])} for end in (GIVER, JUDGE)]
        givers, judges = [], []
        pace = self._common_pace(m)
        for node, outer in zip(nodes, node_ports(assembly), strict=True):
            signals: dict[str, Any] = shared | self._paces(m, conductor, random, node)
            for name in sides[0].keys() & sides[1].keys():
                # What the giver and the judge of a node tell each other.
                if sides[0][name].output != sides[1][name].output:
                    signals[name] = Signal(sides[0][name].bits, name=f"{name}_{node}")
            # Alarms, and phases.
            for port in outer:
                side = port.name.partition("_")[0]
                if side not in ("inject", "eject"):
                    signals[side] = network[_keyword(port)] = Signal(
                        port.bits, name=f"{side}_{node}"
                    )
            ends = {
                "inject": self._ends(m, GIVER, node, words.giver_constants(node), signals | pace),
                "eject": self._ends(m, JUDGE, node, words.judge_constants(node), signals),
            }
            network |= _join(node, outer, ends)
            givers += ends["inject"]
            judges += ends["eject"]
        if pace:
            m.d.comb += pace[MOVES].eq(~Cat(each["holds"] for each in givers).any())
        m.submodules.network = Instance(tested, **network)
        self._count(m, conductor, shared, givers, judges)

    def _common(self, port: Port) -> Value:
        """What is at a port of the network that is no node's."""
        if port.name in self.signature.members:
            pin: Value = getattr(self, port.name)
            return pin
        # Rounds follow one another where they need pulses.
        return Signal(name=port.name) if port.output else Const(1)

    def _common_pace(self, m: Module) -> dict[str, Signal]:
        """The phase of all givers, where words wait for their round, and whether it moves on.

        Those of the network say nothing of them then.
        """
        if not self._design.complete:
            return {}
        length = self._design.round
        phase, moves = Signal(self._words.phase_bits, name="given_phase"), Signal(name="all_given")
        with m.If(moves):
            m.d.sync += phase.eq(Mux(phase == length - 1, 0, phase + 1))
        return {PHASE: phase, MOVES: moves}

    def _ends(
        self,
        m: Module,
        name: str,
        node: int,
        constants: Sequence[Mapping[str, int]],
        signals: Mapping[str, Any],
    ) -> list[dict[str, Any]]:
        """An endpoint for each stream of a node, and the signals that it is joined to.

        What they are told is the same for all of a node; what they tell is their own.
        """
        ports = [port for _, port in ports_of(self._endpoints[name])]
        ends = []
        for lane, known in enumerate(constants):
            own = dict(signals)
            for port in ports:
                if port.name in known:
                    own[port.name] = Const(known[port.name], port.bits)
                own.setdefault(port.name, Signal(port.bits, name=f"{port.name}_{node}_{lane}"))
            joined = {_keyword(port): own[port.name] for port in ports}
            m.submodules[f"{name}_{node}_{lane}"] = Instance(
                name, i_clk=ClockSignal(), i_rst=ResetSignal(allow_reset_less=True), **joined
            )
            ends.append(own)
        return ends

    def _paces(self, m: Module, conductor: Any, random: Signal, node: int) -> dict[str, Signal]:
        """When a node may send, take, and send what is joined: rounds differ in this.

        Odd rounds stall the sinks at random, every other of them more, and members of a group come
        late: otherwise they would be at a barrier at the same time, after the word before it that
        they gave together. Four rounds send as much as they can, then four so little that the
        network is not full.
        """
        rounds = conductor.numbers[0]
        bits = [random[place] for place in _places(node)]
        paces = {name: Signal(name=f"{name}_{node}") for name in ("send", "take", "joined")}
        calm, hard, seldom = ~rounds[0], rounds[1], rounds[2]
        # Nodes whose words are added up give them in the same rounds.
        late = [random[place] for place in _places(0 if self._words.together else node)[2:]]
        may_send = ~seldom | Cat(late, random[:4]).all()
        if not self._words.laps:
            # Nothing else ends what a node sends.
            may_send &= conductor.sending
        sources = list(self._design.program.sources)
        if self._design.sources == "one" and node in sources:
            may_send &= conductor.phase == sources.index(node)
        m.d.sync += [
            paces["send"].eq(may_send),
            paces["take"].eq(
                1
                if self._design.always_ready
                else conductor.listening | calm | bits[0] & (bits[1] | ~hard)
            ),
            paces["joined"].eq(calm | bits[0] & bits[2] & bits[3]),
        ]
        return paces


def _join(
    node: int, ports: Sequence[Port], ends: Mapping[str, Sequence[dict[str, Any]]]
) -> Signals:
    """The streams of a node at the network, whose outputs are inputs of what is at their ends."""
    joined = {}
    for port in ports:
        side, (*others, name) = port.name.partition("_")[0], port.name.split("__")
        if side in ends:
            lane = int(others[-1]) if len(ends[side]) > 1 else 0
            whose, own = ends[side][lane], f"{side}__{name}"
            signal = whose.setdefault(own, Signal(port.bits, name=f"{own}_{node}"))
            joined[_keyword(port)] = signal
    return joined


def _keyword(port: Port) -> str:
    """How an instance names the connection of a port."""
    return f"{'o' if port.output else 'i'}_{port.name}"


def _first_random(seed: int) -> int:
    """Random bits to begin with: about half of them set, for it takes long to get there."""
    digest = hashlib.blake2b(str(seed).encode(), digest_size=8).digest()
    return int.from_bytes(digest) % ((1 << _RANDOM_BITS) - 1) + 1


def _places(node: int) -> list[int]:
    """Which random bits a node uses, in their order.

    The first 63 nodes differ in the first bit already. Nodes 63 apart share it, and so the stalls
    of every fourth round; some, like 0 and 63, share all bits and stall alike in all rounds.
    """
    lap = node // _RANDOM_BITS
    strides = ((5, 0), (11 + lap, 17), (23 + lap, 31), (29, 47))
    return [(stride * node + start) % _RANDOM_BITS for stride, start in strides]


def verilog(design: AnyDesign, settings: Settings) -> list[Verilog]:
    """All of the self-test as Verilog, its top first: what is simulated, and built for a board."""
    # What refuses a design comes first.
    words, network = words_of(design), modules(design)
    giver: Giver | RoundGiver
    judge: Judge | RoundJudge
    if isinstance(words, RoundWords):
        giver, judge = RoundGiver(words), RoundJudge(words)
    else:
        giver, judge = Giver(words), Judge(words)
    endpoints = {GIVER: giver.signature, JUDGE: judge.signature}
    return [
        convert(SelfTest(design, settings, endpoints, words), TOP),
        *network,
        convert(giver, GIVER),
        convert(judge, JUDGE),
    ]
