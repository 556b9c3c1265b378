"""Nodes behind a bus: what their registers do, behind both buses."""

import random
from typing import Any

import pytest
from amaranth.hdl import Value
from ordered_runs import run_bench

from noc.bus import AxiLiteEnd, BusEnd, WishboneEnd
from noc.bus.registers import BITS, GIVE_DATA, TAKE_DATA, count_data
from noc.design import build_design
from noc.endpoints.crossing import list_streams
from noc.programs.word_format import WordFormat

OPERATIONS = "broadcast,send,all_reduce:sum,barrier"

DESIGNS: dict[str, Any] = {
    "plain": {"width": 8, "source_numbers": False},
    "numbers": {"width": 32},
    "wide": {"width": 70},
    "operations": {"width": 40, "operations": OPERATIONS},
    "rounds": {
        "fabric": "timetable",
        "start": "ready",
        "ejects": "one",
        "exchange": "reduce_scatter:sum",
    },
}

#: Inject streams, if there are several.
STREAMS = {"rounds": 3}

DEPTH = 3


def words_of(kind: str) -> WordFormat:
    return build_design("star:3", **DESIGNS[kind]).words


class Model:
    """The registers in plain Python."""

    def __init__(self, words: WordFormat, streams: int = 1) -> None:
        self.words, self.count, self.streams = words, count_data(words), streams
        #: Each with its stream.
        self.given: list[tuple[int, int]] = []
        self.came: list[int] = []
        self.moved = 0
        self.head = self.enabled = self.alarm = 0
        self.parts = [0] * self.count

    def field(self, word: int, fields: dict[str, int], name: str) -> int:
        first = 0
        for each, bits in fields.items():
            if each == name:
                return word >> first & (1 << bits) - 1
            first += bits
        return 0

    def read(self, address: int) -> tuple[int, bool]:
        """What is read, and whether a word is taken by it."""
        word = self.came[0] if self.came else None
        eject = self.words.eject
        if address == 0:
            return 0x4E4F4301, False
        if address == 1:
            return self.count | self.words.width << 8, False
        if address == 2:
            return DEPTH - len(self.given) | len(self.came) << 16, False
        if address == 3:
            return self.enabled, False
        if address == 4:
            return self.interrupt, False
        if address == 5:
            return self.alarm, False
        if address == 6:
            return self.head, False
        if address == 7 and word is not None:
            places = {"source": 0, "sum": 0, "operation": 16, "last": 24, "end_of_round": 24}
            return sum(self.field(word, eject, n) << places[n] for n in places), False
        if TAKE_DATA <= address < TAKE_DATA + self.count:
            value = 0 if word is None else self.field(word, eject, "data")
            place = address - TAKE_DATA
            return value >> BITS * place & 2**BITS - 1, place == self.count - 1
        return 0, False

    @property
    def interrupt(self) -> int:
        return bool(self.came) | (len(self.given) < DEPTH) << 1 | bool(self.alarm) << 2

    def write(self, address: int, value: int) -> tuple[int, int] | None:
        """What is given by it, and by which stream."""
        if address == 3:
            self.enabled = value & 7
        elif address == 5:
            self.alarm &= ~value
        elif address == 6:
            self.head = value & (1 << (32 if self.streams > 1 else 25)) - 1
        elif GIVE_DATA <= address < GIVE_DATA + self.count:
            self.parts[address - GIVE_DATA] = value
            if address == GIVE_DATA + self.count - 1:
                known = {
                    "data": sum(part << BITS * n for n, part in enumerate(self.parts)),
                    "node": self.head & 0xFFFF,
                    "operation": self.head >> 16 & 0xFF,
                    "last": self.head >> 24 & 1,
                }
                word = first = 0
                for name, bits in self.words.inject.items():
                    word |= (known[name] & (1 << bits) - 1) << first
                    first += bits
                return word, self.head >> 25 if self.streams > 1 else 0
        return None

    def advance(
        self,
        access: tuple[int, int | None] | None,
        offered: int | None,
        alarm: int,
        *,
        ready: bool,
    ) -> None:
        """What a cycle changes: an access, a word that is offered, alarms; whether one may go."""
        happens, room = alarm << 2, len(self.came) < DEPTH
        full, waited = len(self.given) == DEPTH, bool(self.given)
        gives, takes = None, False
        if access is not None and access[1] is None:
            takes = self.read(access[0])[1]
        elif access is not None:
            gives = self.write(access[0], access[1])
        if takes:
            happens |= 0 if self.came else 2
            del self.came[:1]
        if waited and ready:
            self.moved += 1
            self.given.pop(0)
        if gives is not None:
            lost = full or gives[1] >= self.streams
            happens |= lost
            self.given += [gives] * (not lost)
        if offered is not None and room:
            self.moved += 1
            self.came.append(offered)
        self.alarm |= happens

    def knows(self, address: int) -> bool:
        data = range(self.count)
        return address < 8 or address - GIVE_DATA in data or address - TAKE_DATA in data


ENDS = {"wishbone": WishboneEnd, "axi4-lite": AxiLiteEnd}


class Master:
    """One access after the other, with pauses; the answers by number."""

    def __init__(self, bus: Any, lots: random.Random) -> None:
        self.bus, self.lots = bus, lots

    async def access(self, ctx, address: int, value: int | None, strobe: int):
        raise NotImplementedError


class WishboneMaster(Master):
    async def access(self, ctx, address: int, value: int | None, strobe: int):
        """The cycle in which it is made is the first one; it is seen a cycle later."""
        bus = self.bus
        for name, each in (("cyc", 1), ("stb", 1), ("we", value is not None), ("adr", address)):
            ctx.set(getattr(bus, name), each)
        ctx.set(bus.dat_w, value or 0)
        ctx.set(bus.sel, strobe)
        yield "made"
        yield ctx.get(bus.dat_r), bool(ctx.get(bus.err)), bool(ctx.get(bus.ack) | ctx.get(bus.err))
        ctx.set(bus.cyc, 0)
        ctx.set(bus.stb, 0)


class AxiMaster(Master):
    async def access(self, ctx, address: int, value: int | None, strobe: int):
        bus = self.bus
        writes = value is not None
        address <<= 2
        if writes:
            for name, each in (("awaddr", address), ("awvalid", 1), ("wdata", value)):
                ctx.set(getattr(bus, name), each)
            ctx.set(bus.wstrb, strobe)
            # Data may come behind the address: nothing is taken before.
            while self.lots.random() < 0.3:
                assert not ctx.get(bus.awready)
                yield "waits"
            ctx.set(bus.wvalid, 1)
            assert ctx.get(bus.awready) & ctx.get(bus.wready)
            yield "made"
            ctx.set(bus.awvalid, 0)
            ctx.set(bus.wvalid, 0)
        else:
            ctx.set(bus.araddr, address)
            ctx.set(bus.arvalid, 1)
            assert ctx.get(bus.arready)
            yield "made"
            ctx.set(bus.arvalid, 0)
        valid, ready = (bus.bvalid, bus.bready) if writes else (bus.rvalid, bus.rready)
        ctx.set(ready, 0)
        while self.lots.random() < 0.4:
            # An answer that is not taken stays.
            assert ctx.get(valid)
            yield "waits"
        ctx.set(ready, 1)
        response = ctx.get(bus.bresp if writes else bus.rresp)
        assert response in (0, 2)
        yield ctx.get(bus.rdata), response == 2, bool(ctx.get(valid))
        ctx.set(ready, 0)


MASTERS = {"wishbone": WishboneMaster, "axi4-lite": AxiMaster}


class Player:
    """Random accesses to an end, with words and alarms beside them, and the model of it."""

    def __init__(self, kind: str, bus: str, seed: int, built=None) -> None:
        words, self.lots = words_of(kind), random.Random(seed)
        streams = STREAMS.get(kind, 1)
        self.end = (built or ENDS[bus])(words, depth=DEPTH, alarms=2, streams=streams)
        self.model = Model(words, streams)
        self.bits = sum(words.eject.values())
        self.master = MASTERS[bus](self.end.bus, self.lots)
        data = self.model.count
        self.addresses = [*range(8), 9, 63, *range(GIVE_DATA - 1, GIVE_DATA + data + 1)]
        self.addresses += [*range(TAKE_DATA - 1, TAKE_DATA + data + 1)] * 3
        self.addresses += [GIVE_DATA + data - 1] * 4

    async def cycle(self, ctx, access: tuple[int, int | None] | None = None) -> None:
        """What happens beside an access in a cycle, and by it."""
        lots, end, model = self.lots, self.end, self.model
        offered, ready = lots.getrandbits(self.bits), False
        offers, alarm = lots.random() < 0.5, lots.choice([0] * 9 + [1, 2, 3])
        ctx.set(end.eject.valid, offers)
        ctx.set(Value.cast(end.eject.payload), offered)
        streams = list_streams(end, "inject").values()
        for number, inject in enumerate(streams):
            takes = lots.random() < 0.4
            ctx.set(inject.ready, takes)
            gives = bool(model.given) and model.given[0][1] == number
            assert ctx.get(inject.valid) == gives
            if gives:
                assert ctx.get(Value.cast(inject.payload)) == model.given[0][0]
                ready = takes
        ctx.set(end.alarm, alarm)
        assert ctx.get(end.irq) == bool(model.interrupt & model.enabled)
        assert ctx.get(end.eject.ready) == (len(model.came) < DEPTH)
        model.advance(access, offered if offers else None, alarm, ready=ready)
        await ctx.tick()

    async def access(self, ctx) -> None:
        """One access, and what is answered."""
        lots, model = self.lots, self.model
        address = lots.choice(self.addresses)
        value = lots.getrandbits(BITS) if lots.random() < 0.5 else None
        if value is not None and lots.random() < 0.9:
            # A stream that there may be.
            value &= (1 << 27) - 1
        strobe = 15 if lots.random() < 0.9 else lots.randrange(15)
        wrong = not model.knows(address) or (value is not None and strobe != 15)
        async for step in self.master.access(ctx, address, value, strobe):
            if step == "made":
                expected = model.read(address)[0]
                await self.cycle(ctx, None if wrong else (address, value))
            elif step == "waits":
                await self.cycle(ctx)
            else:
                result, error, answered = step
                assert answered
                assert error == wrong
                assert value is not None or wrong or result == expected, address
                await self.cycle(ctx)

    async def play(self, ctx) -> None:
        for _ in range(900):
            while self.lots.random() < 0.3:
                await self.cycle(ctx)
            await self.access(ctx)


def play(kind: str, bus: str, seed: int, built=None) -> int:
    """How many words went both ways."""
    player = Player(kind, bus, seed, built)
    run_bench(player.end, player.play)
    return player.model.moved


@pytest.mark.cases(2, ci=4)
@pytest.mark.parametrize("kind", DESIGNS)
@pytest.mark.parametrize("bus", ENDS)
def test_registers_do_what_is_told_of_them(kind: str, bus: str) -> None:
    assert play(kind, bus, seed=1) > 80


class Forgetful(WishboneEnd):
    """Its alarms do not stay."""

    def __init__(self, words: WordFormat, **options: Any) -> None:
        super().__init__(words, **options)
        tell = self._end._tell

        def forget(m, shown, *rest) -> None:
            tell(m, shown, *rest)
            m.d.sync += shown[5].eq(0)

        self._end._tell = forget


def test_a_write_goes_before_a_read() -> None:
    end = AxiLiteEnd(words_of("numbers"))

    async def bench(ctx) -> None:
        for name in ("awvalid", "wvalid", "arvalid", "bready", "rready"):
            ctx.set(getattr(end.bus, name), 1)
        for name, value in (("awaddr", 12), ("araddr", 12), ("wdata", 5), ("wstrb", 15)):
            ctx.set(getattr(end.bus, name), value)
        assert (ctx.get(end.bus.awready), ctx.get(end.bus.arready)) == (1, 0)
        await ctx.tick()
        ctx.set(end.bus.awvalid, 0)
        assert (ctx.get(end.bus.bvalid), ctx.get(end.bus.rvalid)) == (1, 0)
        assert ctx.get(end.bus.arready)
        await ctx.tick()
        assert (ctx.get(end.bus.rvalid), ctx.get(end.bus.rdata)) == (1, 5)

    run_bench(end, bench)


def test_a_planted_fault_is_seen() -> None:
    with pytest.raises(AssertionError):
        play("numbers", "wishbone", seed=1, built=Forgetful)


def test_words_that_leave_by_other_streams_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def exchanged(component: Any, member: str) -> dict[str, Any]:
        return dict(reversed(list_streams(component, member).items()))

    monkeypatch.setattr("noc.bus.end.list_streams", exchanged)
    with pytest.raises(AssertionError):
        play("rounds", "wishbone", seed=1)


def test_what_cannot_be_built_is_refused() -> None:
    words = words_of("plain")
    wrong = ("depth", 0), ("depth", 1025), ("alarms", 31), ("streams", 0), ("streams", 129)
    for name, value in wrong:
        with pytest.raises(ValueError, match=rf"^{name} must be from "):
            BusEnd(words, **{name: value})
