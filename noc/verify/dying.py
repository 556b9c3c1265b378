"""Links and sinks that die in the Verilog, in the cycle in which they do in the model."""

from collections.abc import Iterator

from noc.design import AnyDesign
from noc.errors import InputError, option
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
    for stream in dead:
        assert stream.ends is not None
        # A word that was passed on before is still to be seen.
        signals = ("valid", "ready") if stream.delay else ("valid", "ready", "payload")
        yield from _hold(stream, signals, faults.links[stream.ends])


def _hold(stream: Stream, signals: tuple[str, ...], cycle: int) -> Iterator[str]:
    """Signals of a stream are 0 from a cycle on, until the next run."""
    names = [name_signal(stream, signal) for signal in signals if getattr(stream, signal)]
    # Between the edges by which registers take their values.
    yield f"  always @(negedge clk) if (!rst && cycle >= {cycle}) begin"
    yield from (f"    force {name} = 0;" for name in names)
    yield "  end else begin"
    yield from (f"    release {name};" for name in names)
    yield "  end"
