"""Links and sinks that die in the Verilog, in the cycle in which they do in the model."""

from collections.abc import Iterator

from noc.design import AnyDesign
from noc.errors import InputError, option
from noc.hardware.combine import neutral
from noc.harness import name_signal
from noc.model.faults import Faults
from noc.verify.streams import Interface, Stream


def let_die(design: AnyDesign, interface: Interface, faults: Faults) -> Iterator[str]:
    """What the module around a network does so that nothing passes by streams that are dead."""
    network = design.network
    for node, cycle in faults.sinks.items():
        if design.always_ready:
            raise InputError(
                f"{option('faults')}: {option('sinks', 'always-ready')}: the sink of "
                f"{network.label(node)} has no ready, and takes every word"
            )
        for stream in interface.eject:
            if stream.node == node:
                yield from _hold(stream, ("ready",), cycle)
    dead = [stream for stream in interface.links if stream.ends in faults.links]
    if faults.links and not dead:
        start, end = map(network.label, min(faults.links))
        raise InputError(
            f"{option('faults')}: no words go by the link from {start} to {end}, or the manifest "
            "names no stream there"
        )
    # What comes by links in rounds is added up, words or not.
    adds = design.operators if design.in_rounds else ()
    payload = next((neutral(each, design.width) for each in adds), 0)
    for stream in dead:
        assert stream.ends is not None
        # A word that was passed on before is still to be seen.
        signals = ("valid", "ready") if stream.delay else ("valid", "ready", "payload")
        yield from _hold(stream, signals, faults.links[stream.ends], payload)


def _hold(stream: Stream, signals: tuple[str, ...], cycle: int, payload: int = 0) -> Iterator[str]:
    """Signals of a stream are 0 from a cycle on, until the next run, or have such a payload."""
    usual = {"payload": f"{stream.bits}'h{payload:x}"}
    held = {
        name_signal(stream, signal): usual.get(signal, "0")
        for signal in signals
        if getattr(stream, signal)
    }
    # Between the edges by which registers take their values.
    yield f"  always @(negedge clk) if (!rst && cycle >= {cycle}) begin"
    yield from (f"    force {name} = {value};" for name, value in held.items())
    yield "  end else begin"
    yield from (f"    release {name};" for name in held)
    yield "  end"
