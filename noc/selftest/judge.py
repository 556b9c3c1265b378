"""The checker of a node: judges the words that come."""

from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, memory, stream, wiring
from amaranth.lib.wiring import In, Out

from noc.selftest.patterns import LAP_BITS, SEED_BITS, following, spread
from noc.selftest.words import Words, among, expected, held


class Judge(wiring.Component):
    """Judges each word, a few cycles after it came.

    Of each source and operation the judge knows the number that comes next. A word that is sent and
    contradicts itself is wrong. One that does not, and has the expected number or one up to half
    the numbers ahead, is right, and its successor is expected then: what was skipped never counts
    as right. One that is behind, or that is not for the node, is extra.

    A result is right if it is the one that follows the last of its operation, and wrong otherwise;
    the one after it is expected in either case. A barrier's word for which nobody waits is extra.

    On a chip of several it also tells where words are missing, and whether one of the ``watched``
    stream has come since ``again``.
    """

    def __init__(self, words: Words) -> None:
        self._words = words
        count = len(words.listed)
        super().__init__(
            {
                # Constants: the number of the node, and the operations of which words may come.
                "node": In(max(1, words.number_bits)),
                "gets": In(count),
                # As for the giver; ``clear`` takes a cycle for each ``sweep``.
                "seed": In(SEED_BITS),
                "clear": In(1),
                "sweep": In(words.stream_bits),
                # The node waits for the word of a barrier.
                "waiting": In(1),
                # A word may be taken in the next cycle.
                "take": In(1),
                "eject": In(stream.Signature(sum(words.eject.values()))),
                # The operation of which a word was judged right.
                "right": Out(count),
                # The barrier of which a word comes in this cycle.
                "released": Out(count),
                "wrong": Out(1),
                "extra": Out(1),
                **(self._watching() if words.apart else {}),
            }
        )

    def _watching(self) -> dict[str, Any]:
        bits = self._words.stream_bits
        return {
            # A constant: the streams of which words must come.
            "streams": In(1 << bits),
            "watched": In(bits),
            "again": In(1),
            # Of the watched one no word has come.
            "silent": Out(1),
            # A word was right that is not the next one.
            "missing": Out(1),
        }

    def elaborate(self, platform: object) -> Module:
        """The word is held, what is expected is looked up, then computed, then compared."""
        m = Module()
        words, eject = self._words, self.eject
        stored = LAP_BITS if words.laps else words.count_bits
        m.submodules.expected = numbers = memory.Memory(
            shape=stored, depth=1 << words.stream_bits, init=[]
        )
        write = numbers.write_port()
        read = numbers.read_port(transparent_for=(write,))
        taken = eject.valid & eject.ready & ~self.clear
        m.d.sync += eject.ready.eq(self.take)
        operation = self._field(eject.payload, "operation")
        for number in words.of_kind("barrier"):
            comes = taken & (operation == number) & self.gets[number]
            m.d.comb += self.released[number].eq(comes)
        come = held(m.d.sync, "come", here=taken, word=eject.payload, awaited=self.waiting)
        looked = self._look_up(m, come, read)
        self._compare(m, self._compute(m, looked, read.data, write))
        with m.If(self.clear):
            m.d.comb += [write.addr.eq(self.sweep), write.data.eq(0), write.en.eq(1)]
        return m

    def _field(self, word: Value, name: str) -> Value:
        """A field of a word that came; one that is not there is 0."""
        layout = data.StructLayout(self._words.eject)
        field: Value = data.View(layout, word)[name] if name in layout.members else Const(0)
        return field

    def _look_up(self, m: Module, come: Any, read: Any) -> Any:
        """What the word says by itself, while the number is read that is expected.

        ``comes`` says that it is a result which may come here, ``plain`` that its source is 0 as
        that of a result is.
        """
        words, asked = self._words, self._words.operations
        fields = {n: self._field(come.word, n) for n in ("operation", "data", "last", "source")}
        operation = fields["operation"]
        joined = among(operation, tuple(n for n, o in enumerate(words.listed) if o.joined))
        barrier = among(operation, words.of_kind("barrier"))
        gets = self.gets.bit_select(operation, 1)
        stream: Value = operation[: asked.bits]
        sent = {}
        if asked.sent:
            source = Mux(joined, 0, fields["data"][: words.number_bits])
            stream = Cat(stream, source[: words.number_bits])
            sent = self._look_at_sent(gets=gets, **fields)
        m.d.comb += read.addr.eq(stream)
        return held(
            m.d.sync,
            "looked",
            here=come.here & ~self.clear,
            joined=joined,
            comes=joined & gets & (~barrier | come.awaited),
            operation=operation,
            stream=stream,
            data=fields["data"],
            last=fields["last"],
            plain=fields["source"] == 0,
            **sent,
        )

    def _look_at_sent(
        self, *, gets: Value, operation: Value, data: Value, last: Value, source: Value
    ) -> dict[str, Value]:
        """What a word that is sent says by itself.

        ``sound`` says that it does not contradict itself, ``unwanted`` that it is not for this
        node, and ``number`` is its number.
        """
        words, asked = self._words, self._words.operations
        bits, count = words.number_bits, words.body_bits
        name = data[: words.name_bits]
        sender, meant = name[:bits], name[bits + asked.bits :]
        body = words.body(0, self.seed, name) ^ data[words.name_bits :]
        number, to_node = body[: words.count_bits], among(operation, words.to_node)
        sound = [
            body == spread(number, words.count_bits, count),
            name[bits : bits + asked.bits] == operation,
            among(operation, asked.sent),
        ]
        unwanted = ~gets if words.returned else ~gets | ~to_node & (sender == self.node)
        if words.source_numbers:
            sound.append(source == sender)
        if "last" in words.eject:
            sound.append(last == number[0])
        if words.addressed:
            sound.append(to_node | (meant == sender))
            unwanted = unwanted | to_node & (meant != self.node)
        return {"sound": Cat(sound).all(), "unwanted": unwanted, "number": number}

    def _compute(self, m: Module, looked: Any, number: Value, write: Any) -> Any:
        """Judge what is sent, and make the result that is expected if a word ``comes`` as one."""
        words, good = self._words, Signal()
        comes = looked.here & looked.comes
        next_number, wrong, unexpected = following(number), Const(0), ~looked.comes
        if words.operations.sent:
            ahead = (looked.number - number)[: words.count_bits]
            sound = looked.sound & ~looked.joined
            m.d.comb += good.eq(looked.here & sound & ~looked.unwanted & ~ahead[-1])
            if words.apart:
                m.d.sync += self.missing.eq(good & (ahead != 0))
            next_number = Mux(looked.joined, next_number, looked.number + 1)
            wrong = looked.here & ~looked.joined & ~looked.sound
            unexpected = Mux(looked.joined, unexpected, sound & ~good)
        m.d.comb += [
            write.addr.eq(looked.stream),
            write.data.eq(next_number),
            write.en.eq(good | comes),
        ]
        if words.apart:
            with m.If(self.again):
                m.d.sync += self.silent.eq(self.streams.bit_select(self.watched, 1))
            with m.Elif((good | comes) & (looked.stream == self.watched)):
                m.d.sync += self.silent.eq(0)
        # Without results there is nothing to wait for.
        return held(
            m.d.sync if words.laps else m.d.comb,
            "computed",
            good=good,
            wrong=wrong,
            extra=looked.here & unexpected,
            comes=comes,
            operation=looked.operation,
            data=looked.data,
            header=looked.plain & (looked.last == number[0] if "last" in words.eject else 1),
            expected=self._result(m, looked, number),
        )

    def _result(self, m: Module, looked: Any, number: Value) -> Value:
        """The result of this number; of a barrier, whatever came."""
        words, result = self._words, Signal(self._words.width)
        node = Mux(among(looked.operation, words.to_node), self.node, 0)
        key = Cat(looked.operation[: words.operations.bits], node[: words.number_bits])
        with m.Switch(looked.operation):
            for operation, each in enumerate(words.listed):
                with m.Case(operation):
                    if each.operator:
                        m.d.comb += result.eq(expected(words, operation, number, self.seed, key))
                    else:
                        m.d.comb += result.eq(looked.data)
        return result

    def _compare(self, m: Module, computed: Any) -> None:
        """Tell what the word is."""
        equal = computed.header & (computed.data == computed.expected)
        right = computed.good | computed.comes & equal
        operations = range(len(self._words.listed))
        m.d.sync += [
            self.right.eq(Cat(right & (computed.operation == n) for n in operations)),
            self.wrong.eq(computed.wrong | computed.comes & ~equal),
            self.extra.eq(computed.extra),
        ]
