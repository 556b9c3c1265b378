"""Counts that watchers keep."""

from amaranth.hdl import Module, Signal, Value, ValueLike


def counted(
    m: Module, event: ValueLike, *, most: int, during: Value, name: str | None = None
) -> Signal:
    """How often something has happened while a condition has held, up to so often."""
    count = Signal(range(most + 1), name=name or "count")
    with m.If(~during):
        m.d.sync += count.eq(0)
    with m.Elif(Value.cast(event) & (count != most)):
        m.d.sync += count.eq(count + 1)
    return count
