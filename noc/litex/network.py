"""The network of a folder as a LiteX module: a stream.Endpoint for each stream of its nodes."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from litex.gen import LiteXModule
from litex.soc.interconnect import stream
from litex.soc.interconnect.csr import CSRStatus, CSRStorage
from litex.soc.interconnect.csr_eventmanager import EventManager, EventSourcePulse
from migen import Cat, ClockSignal, Constant, Instance, Mux, ResetSignal, Signal

from noc import fabric as fabrics
from noc.errors import InputError
from noc.harness import ALARMS, AWAY, IDLE, LOAD, LOADING, MOVES, PHASE, START

#: What the network says of itself as a whole, and the one input of that kind.
_OUTPUTS = (IDLE, LOADING, MOVES)

#: A word came to a node whose endpoint did not take it, where words cannot wait.
MISSED = "missed"

#: Nodes whose bits lie in one register, as software reads it at once.
_BITS = 32

#: The endpoint of a node, or a list where it has several.
Streams = Any


class BroadcastNetwork(LiteXModule):  # type: ignore[misc]
    """The network of a folder that ``noc generate`` wrote, in the clock domain ``sys``.

    An eject stream that is not taken stops the network: :meth:`drop` takes the words of nodes that
    need none.

    Parameters
    ----------
    platform : GenericPlatform
        That of the SoC, which is given the Verilog.
    folder : path
        The folder.

    Attributes
    ----------
    manifest : dict
        The folder's ``manifest.json``.
    names : dict
        How each node is called in signals, by its label.
    inject, eject : dict
        The ``stream.Endpoint`` of each node by its label, or a list where a node has several.
        Fields are those of the manifest; ``last`` is the endpoint's own.
    alarm : dict
        For each node one bit for each alarm that some node has, in the order of ``alarms``.
    alarms : list of str
        These, and ``missed`` where sinks must be ready: a word came that was not taken, and is
        lost. Each has a register of its name with a bit for each node, or several for 32 nodes each
        with a number behind the name. A bit stays until a one is written to it. Each bit that
        becomes 1 is an event.
    away_NAME : CSRStorage
        With stand-ins, for each node of a group a register with a bit for each of its groups: while
        it is 1, void words are given there for the node.
    phase : dict
        In the timetable fabric, the cycle of its round at each node.
    load : stream.Endpoint
        Where tables can be written, the stream of their rows.
    idle, loading, moves, start : Signal
        The ports of the network of these names, where it has them.
    """

    def __init__(self, platform: Any, folder: Path | str) -> None:
        self.folder = Path(folder).resolve()
        self.manifest = read_manifest(self.folder)
        add_verilog(platform, self.folder, list_sources(self.manifest))
        self._claimed: set[str] = set()
        self.names: dict[str, str] = {}
        self.inject: dict[str, Streams] = {}
        self.eject: dict[str, Streams] = {}
        self.phase: dict[str, Any] = {}
        self.alarm: dict[str, Any] = {}
        self._ports: dict[str, Any] = {
            f"i_{self.manifest['clock']}": ClockSignal(),
            f"i_{self.manifest['reset']}": ResetSignal(),
        }
        nodes = self.manifest["nodes"]
        # For each alarm, the bit of each node.
        rows: dict[str, list[Any]] = {
            alarm: [] for alarm in ALARMS if any(alarm in node for node in nodes)
        }
        for node in nodes:
            self._add_node(node, rows)
        if self.manifest.get("sinks") == "always-ready":
            rows[MISSED] = [self._missed(node["label"]) for node in nodes]
        self.alarms = list(rows)
        self._add_whole()
        if rows:
            self._keep(rows)
        self.specials += Instance(self.manifest["top"], **self._ports)

    def claim(self, label: str, *, gives: bool = False) -> None:
        """Note that a node that gets words, or only gives some, is used: one thing may do so."""
        known, what = (self.names, "gives or gets") if gives else (self.eject, "gets")
        if label not in known:
            raise InputError(
                f"{label}: no node of {self.folder} that {what} words; these do: {', '.join(known)}"
            )
        if label in self._claimed:
            raise InputError(f"{label}: this node of {self.folder} is used twice")
        self._claimed.add(label)

    def drop(self, label: str) -> None:
        """Take all words of a node and use none."""
        self.claim(label)
        self.comb += [endpoint.ready.eq(1) for endpoint in as_list(self.eject[label])]

    def _add_node(self, node: Mapping[str, Any], rows: Mapping[str, list[Any]]) -> None:
        """The streams, alarms and phase of a node."""
        label = node["label"]
        for side, add in (("inject", self._add_sink), ("eject", self._add_source)):
            told = node.get(side)
            if told is not None:
                several = isinstance(told, list)
                getattr(self, side)[label] = list(map(add, told)) if several else add(told)
                first = told[0] if several else told
                self.names[label] = first["valid"].split("__")[0].removeprefix(f"{side}_")
        for alarm, row in rows.items():
            row.append(self._raised(node.get(alarm)))
        self.alarm[label] = Cat(*(row[-1] for row in rows.values()))
        if AWAY in node:
            self._add_away(f"{AWAY}_{self.names[label]}", node[AWAY])
        if PHASE in node:
            self.phase[label] = self._output(node[PHASE]["signal"], node[PHASE]["bits"])

    def _add_away(self, name: str, told: Mapping[str, Any]) -> None:
        """A register that says for which groups of a node void words are given in its place."""
        about = f"Bits of its groups ({', '.join(told['groups'])}): 1 while nobody waits for it."
        register = CSRStorage(len(told["groups"]), name=name, description=about)
        setattr(self, name, register)
        self._ports[f"i_{told['signal']}"] = register.storage

    def _add_sink(self, told: Mapping[str, Any]) -> Any:
        """An endpoint of which the network takes words."""
        endpoint = make_endpoint(told)
        self._ports[f"i_{told['valid']}"] = endpoint.valid
        if told.get("ready"):
            self._ports[f"o_{told['ready']}"] = endpoint.ready
        else:
            self.comb += endpoint.ready.eq(1)
        if told["fields"]:
            self._ports[f"i_{told['payload']}"] = Cat(*list_parts(endpoint, told))
        return endpoint

    def _add_source(self, told: Mapping[str, Any]) -> Any:
        """An endpoint to which the network gives words."""
        endpoint = make_endpoint(told)
        self._ports[f"o_{told['valid']}"] = endpoint.valid
        if told.get("ready"):
            self._ports[f"i_{told['ready']}"] = endpoint.ready
        if told["fields"]:
            bits = sum(field["bits"] for field in told["fields"])
            payload = self._output(told["payload"], bits)
            self.comb += Cat(*list_parts(endpoint, told)).eq(payload)
        return endpoint

    def _raised(self, told: Mapping[str, Any] | None) -> Any:
        """Whether any bit of an alarm is 1, which never is of one that a node has not."""
        if told is None:
            return Constant(0)
        bits = told.get("bits") or told.get("groups") or [told["signal"]]
        return self._output(told["signal"], len(bits)) != 0

    def _output(self, port: str, bits: int) -> Any:
        signal = Signal(bits, name=port)
        self._ports[f"o_{port}"] = signal
        return signal

    def _missed(self, label: str) -> Any:
        """Whether a word of a node is offered and not taken."""
        endpoints = as_list(self.eject.get(label, []))
        if not endpoints:
            return Constant(0)
        return Cat(*(each.valid & ~each.ready for each in endpoints)) != 0

    def _add_whole(self) -> None:
        """The ports of the network as a whole."""
        for name in _OUTPUTS:
            if name in self.manifest:
                setattr(self, name, self._output(self.manifest[name], 1))
        if START in self.manifest:
            self.start = Signal()
            self._ports[f"i_{self.manifest[START]}"] = self.start
        if LOAD in self.manifest:
            self.load = self._add_sink(self.manifest[LOAD])

    def _keep(self, rows: Mapping[str, list[Any]]) -> None:
        """Registers in which what has happened stays, and an event for each kind."""
        self.ev = EventManager()
        for name, row in rows.items():
            event = EventSourcePulse(name, description=_about(name))
            setattr(self.ev, name, event)
            parts = [row[first : first + _BITS] for first in range(0, len(row), _BITS)]
            names = [name] if len(parts) == 1 else [f"{name}_{n}" for n in range(len(parts))]
            news = [self._keep_part(*each) for each in zip(names, parts, strict=True)]
            self.comb += event.trigger.eq(Cat(*news) != 0)
        self.ev.finalize()

    def _keep_part(self, name: str, row: Sequence[Any]) -> Any:
        """A register with the bits of some nodes; which of them are new."""
        register = CSRStatus(len(row), name=name, description=_about(name), read_only=False)
        setattr(self, name, register)
        kept, raised = register.status, Cat(*row)
        cleared = Mux(register.re, register.r, 0)
        self.sync += kept.eq((kept & ~cleared) | raised)
        return raised & ~kept


def list_parts(endpoint: Any, told: Mapping[str, Any]) -> list[Any]:
    """The signals of an endpoint that are the fields of a stream, from the lowest bit up."""
    return [getattr(endpoint, field["name"]) for field in told["fields"]]


def make_endpoint(told: Mapping[str, Any]) -> Any:
    """An endpoint for a stream, which has the field ``last`` anyway."""
    fields = [(each["name"], each["bits"]) for each in told["fields"] if each["name"] != "last"]
    return stream.Endpoint(fields)


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a folder, of which all Verilog must be there."""
    path = folder / "manifest.json"
    try:
        manifest: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        lacking = [name for name in list_sources(manifest) if not (folder / name).is_file()]
        around = [name for name in ("axis", "node_clocks") if name in manifest]
        fabric, contract = manifest.get("fabric", "direct"), manifest["contract"]
        known = fabrics.module(fabric, "describe").CONTRACT
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise InputError(f"{folder}: no folder of noc generate: {error}") from None
    if lacking:
        raise InputError(f"{folder}: {lacking[0]} is missing")
    if contract != known:
        raise InputError(
            f"{folder}: the {fabric} fabric is of contract {contract!r}, where this version of "
            f"arbornoc knows contract {known}; write it anew"
        )
    if around:
        raise InputError(
            f"{folder}: endpoints are LiteX's here; write it without AXI-Stream and without clocks "
            "of the nodes"
        )
    return manifest


def add_verilog(platform: Any, folder: Path, names: Sequence[str]) -> None:
    """Give a platform files of a folder, of which none may have the name of another folder's."""
    known = {Path(path).name: Path(path).parent for path, *_ in platform.sources}
    for path in (folder / name for name in names):
        if known.get(path.name, path.parent) != path.parent:
            raise InputError(
                f"{folder}: {path.name} is in {known[path.name]}, too; give one of the networks "
                "another name"
            )
        platform.add_source(str(path))


def list_sources(manifest: Mapping[str, Any]) -> list[str]:
    """The Verilog files of the network: what stands beside it has folders of its own."""
    return [name for name in manifest["files"] if name.endswith(".v") and "/" not in name]


def as_list(streams: Streams) -> list[Any]:
    """What there is of each stream of a node, which may have one."""
    return streams if isinstance(streams, list) else [streams]


def _about(name: str) -> str:
    """What a register and its event say."""
    what = "a word came that was not taken" if name == MISSED else f"``{name}`` was 1"
    return f"Nodes at which {what}, in the order of the manifest; write ones to clear."
