"""The self-test as a whole: an endpoint at each node, the conductor, and the report."""

import hashlib
from dataclasses import dataclass
from typing import Any

from amaranth.hdl import Cat, ClockSignal, Const, Instance, Module, ResetSignal, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import Out

from noc.design import AnyDesign, OrderedDesign, senders
from noc.emit.module import Module as Verilog
from noc.emit.module import convert
from noc.emit.verilog import modules, top_name, top_ports
from noc.selftest.conductor import Conductor
from noc.selftest.report import Reporter
from noc.selftest.stations import Stations, stations
from noc.selftest.tally import delay
from noc.selftest.text import template
from noc.selftest.uart import Transmitter
from noc.selftest.words import SEED_BITS

__all__ = [
    "BAUD",
    "ENDPOINT",
    "TOP",
    "Lengths",
    "SelfTest",
    "Settings",
    "header",
    "lengths",
    "verilog",
]

#: Bits a second on the serial line.
BAUD = 115_200

#: The names of the whole, and of the module that stands at each node.
TOP = "noc_selftest"
ENDPOINT = "noc_selftest_endpoint"

#: Random bits, and the two of them of which the next is made.
_RANDOM_BITS, _TAPS = 63, (62, 61)

#: Letters of a network's name in a report, at most: of a path the end.
_SPEC = 80


@dataclass(frozen=True)
class Settings:
    """What does not depend on the network.

    Parameters
    ----------
    clock_hz : float
        Frequency of the clock; it is printed.
    cycles : int
        For how many cycles the sources send in a round.
    seed : int
        Chooses words and stalls.
    divisor : int or None
        Clock cycles of a bit on the serial line, where they should not follow from the clock.
    """

    clock_hz: float
    cycles: int = 1 << 20
    seed: int = 0
    divisor: int | None = None

    @property
    def bit_cycles(self) -> int:
        """Clock cycles of a bit on the serial line."""
        return self.divisor or max(2, round(self.clock_hz / BAUD))


@dataclass(frozen=True)
class Lengths:
    """How long the parts of a round last, as :class:`noc.selftest.conductor.Conductor` takes them.

    Parameters
    ----------
    phases : int
        How many sources send one after the other.
    cycles : int
        Cycles in which the sources of a phase send.
    sweep : int
        Cycles for clearing everything.
    settle : int
        Cycles after which a new word is certainly counted.
    """

    phases: int
    cycles: int
    sweep: int
    settle: int


def lengths(design: AnyDesign, settings: Settings) -> Lengths:
    """The parts of a round of the self-test of a design."""
    phases = len(design.program.sources) if design.sources == "one" else 1
    settle = delay(design.network.nodes) + 8
    return Lengths(
        phases=phases,
        cycles=max(settle, settings.cycles // phases),
        sweep=max(settle, 1 << stations(design).sweep_bits),
        settle=settle,
    )


def header(design: AnyDesign, settings: Settings) -> str:
    """The first line of every report; the digest stands for all that is not spelled out."""
    spec = design.network.spec.encode("ascii", "replace").decode("ascii")
    plain = spec.replace("{", "(").replace("}", ")")[-_SPEC:]
    kind = "ordered" if isinstance(design, OrderedDesign) else f"ports {design.program.ports}"
    what = f"{plain} {design.program.algorithm} {kind}"
    giving, nodes = len(senders(design)), design.network.nodes
    sources = design.sources if giving == nodes else f"{giving} of {nodes}"
    hardware = f"sources {sources} width {design.width} design {design.digest}"
    return f"arbornoc {what} {hardware} clock {settings.clock_hz / 1e6:.6g} MHz"


class SelfTest(wiring.Component):
    """A network that tests itself and tells about it.

    The network and the endpoint are instances of the Verilog modules of
    :func:`verilog`.

    Parameters
    ----------
    design : Design or OrderedDesign
        The network.
    settings : Settings
        Clock, length, and seed.

    Members
    -------
    uart : Out(1)
        The serial line.
    running : Out(1)
        Changes with every round.
    passed : Out(1)
        Whether the last round passed.
    failed : Out(1)
        Whether any round failed.
    """

    def __init__(self, design: AnyDesign, settings: Settings) -> None:
        self._stations = stations(design)
        self._design, self._settings = design, settings
        super().__init__({name: Out(1) for name in ("uart", "running", "passed", "failed")})

    def elaborate(self, platform: object) -> Module:
        """Place everything around the network."""
        m = Module()
        design, settings = self._design, self._settings
        m.submodules.conductor = conductor = Conductor(
            design.network.nodes,
            **self._stations.counting(),
            **vars(lengths(design, settings)),
        )
        self._nodes(m, conductor)
        self._report(m, conductor)
        return m

    def _report(self, m: Module, conductor: Conductor) -> None:
        lines = template(header(self._design, self._settings), self._stations.operations)
        fail, passed = ("\r\n".join([*lines, end, ""]) for end in ("FAIL", "PASS"))
        numbers = conductor.numbers
        m.submodules.reporter = reporter = Reporter((fail, passed), count=len(numbers))
        m.submodules.transmitter = transmitter = Transmitter(self._settings.bit_cycles)
        wiring.connect(m, reporter.bytes, transmitter.bytes)
        m.d.comb += [
            reporter.start.eq(conductor.report),
            reporter.choice.eq(conductor.passed),
            conductor.report_busy.eq(reporter.busy),
            *(to.eq(of) for to, of in zip(reporter.numbers, numbers, strict=True)),
            self.uart.eq(transmitter.line),
            self.running.eq(numbers[0][0]),
            self.passed.eq(conductor.passed),
            self.failed.eq(conductor.failed),
        ]

    def _nodes(self, m: Module, conductor: Conductor) -> None:
        """The network and the endpoints."""
        random = Signal(_RANDOM_BITS, init=_first_random(self._settings.seed))
        seed, clear, grant = Signal(SEED_BITS), Signal(), Signal()
        m.d.sync += random.eq(Cat(random[_TAPS[0]] ^ random[_TAPS[1]], random))
        m.d.sync += [clear.eq(conductor.clear), grant.eq(conductor.grant)]
        with m.If(conductor.clear & (conductor.sweep == 0)):
            m.d.sync += seed.eq(random)
        design, kind = self._design, self._stations
        shared = {
            "i_clk": ClockSignal(),
            "i_rst": ResetSignal(allow_reset_less=True),
            "i_seed": seed,
            "i_clear": clear,
            "i_sweep": conductor.sweep[: kind.sweep_bits],
            **({"i_grant": grant} if kind.operations else {}),
        }
        connections = {"i_clk": ClockSignal(), "i_rst": clear | ResetSignal(allow_reset_less=True)}
        sides = [_Sides(kind, node) for node in range(design.network.nodes)]
        for node, ports in enumerate(top_ports(design)):
            send, take, joined = self._paces(m, conductor, random, node)
            constants = {f"i_{n}": Const(value, bits) for n, value, bits in kind.of_node(node)}
            m.submodules[f"endpoint_{node}"] = Instance(
                ENDPOINT,
                **shared,
                **constants,
                i_send=send,
                i_take=take,
                **({"i_joined": joined} if kind.operations else {}),
                **sides[node].of_endpoint(),
            )
            connections |= {
                f"{'o' if port.output else 'i'}_{port.name}": sides[node].of_network(
                    port.name, port.bits
                )
                for port in ports
            }
        m.submodules.network = Instance(top_name(design), **connections)
        events = {name: [side.events[name] for side in sides] for name in kind.events}
        alarms = {name: [side.alarm(name) for side in sides] for name in ("dropped", "mismatch")}
        kind.count(m, conductor, events, alarms)

    def _paces(self, m: Module, conductor: Conductor, random: Any, node: int) -> Any:
        """When a node may send, take, and send what is joined: rounds differ in this.

        Odd rounds stall the sinks at random, every other of them more, and members of a group come
        late: otherwise they would be at a barrier at the same time, after the word before it that
        they gave together. Four rounds send as much as they can, then four so little that the
        network is not full.
        """
        rounds = conductor.numbers[0]
        bits = [random[place] for place in _places(node)]
        names = ("send", "take", "joined")
        send, take, joined = (Signal(name=f"{name}_{node}") for name in names)
        calm, hard, seldom = ~rounds[0], rounds[1], rounds[2]
        m.d.sync += take.eq(conductor.listening | calm | bits[0] & (bits[1] | ~hard))
        sources = list(self._design.program.sources)
        paced = ~seldom | bits[2] & bits[3] & random[:4].all()
        if self._stations.operations:
            # What it may send it knows by the laps.
            m.d.sync += [send.eq(paced), joined.eq(calm | bits[0] & bits[2] & bits[3])]
        elif node in sources:
            paced &= conductor.sending
            phase = conductor.phase == sources.index(node) if self._design.sources == "one" else 1
            m.d.sync += send.eq(paced & phase)
        return send, take, joined


class _Sides:
    """The signals between an endpoint and its node of the network, and what both tell."""

    def __init__(self, kind: Stations, node: int) -> None:
        self._node = node
        self._below = {
            name: Signal(bits, name=f"{name}_{node}") for name, bits in kind.below.items()
        }
        self._signals = {
            f"{side}__{signal}": Signal(bits, name=f"{side}_{node}__{signal}")
            for side, payload in zip(("inject", "eject"), kind.payload_bits, strict=True)
            for signal, bits in (("valid", 1), ("ready", 1), ("payload", payload))
        }
        self.events = {
            name: Signal(bits, name=f"{name}_{node}") for name, bits in kind.events.items()
        }
        self._alarms: dict[str, Signal] = {}

    def of_endpoint(self) -> dict:
        """The connections of the endpoint."""
        outputs = ("inject__valid", "inject__payload", "eject__ready")
        names = {"inject": "offered", "eject": "arriving"}
        told = self._below | self.events
        connections = {f"o_{name}": signal for name, signal in told.items()}
        for name, signal in self._signals.items():
            side, _, rest = name.partition("__")
            direction = "o" if name in outputs else "i"
            connections[f"{direction}_{names[side]}__{rest}"] = signal
        return connections

    def of_network(self, port: str, bits: int) -> Any:
        """What is connected to a port of the network."""
        side, signal = port.partition("_")[0], port.rpartition("__")[2]
        if side not in ("inject", "eject"):
            return self._alarms.setdefault(side, Signal(bits, name=f"{side}_{self._node}"))
        wire = self._signals[f"{side}__{signal}"]
        return Cat(*self._below.values(), wire) if (side, signal) == ("inject", "payload") else wire

    def alarm(self, name: str) -> Any:
        """An alarm of the network here; one that cannot be raised is 0."""
        return self._alarms.get(name, Const(0))


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
    """All of the self-test as Verilog, its top first: what is simulated, and stands on a board."""
    return [
        convert(SelfTest(design, settings), TOP),
        *modules(design),
        convert(stations(design).endpoint(), ENDPOINT),
    ]
