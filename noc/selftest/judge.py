"""The checker of a node: judges the words that come."""

from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, memory, stream, wiring
from amaranth.lib.wiring import In, Out

from noc.selftest.patterns import among, expected
from noc.selftest.words import LAP_BITS, SEED_BITS, Words, following

__all__ = ["Judge", "judge_ports"]


def judge_ports(words: Words) -> dict[str, Any]:
    """The members of a judge."""
    count = len(words.listed)
    return {
        "node": In(max(1, words.node_bits)),
        "gets": In(count),
        "seed": In(SEED_BITS),
        "clear": In(1),
        "sweep": In(words.stream_bits),
        "waiting": In(1),
        "take": In(1),
        "eject": In(stream.Signature(sum(words.format.eject.values()))),
        "right": Out(count),
        "released": Out(count),
        "wrong": Out(1),
        "extra": Out(1),
    }


class Judge(wiring.Component):
    """Says of each word a few cycles after it came what it is.

    Of each source and operation the judge knows the number that comes next. A word that is sent and
    contradicts itself is wrong. One that does not, and has the expected number or one up to half
    the numbers ahead, is right, and its successor is expected then: what was skipped never counts
    as right. One that is behind, or that is not for the node, is extra.

    A result is right if it is the one that follows the last of its operation, and wrong otherwise;
    the one after it is expected in either case. A barrier's word for which nobody waits is extra.

    Parameters
    ----------
    words : Words
        How words are laid out.

    Members
    -------
    node : In(node_bits)
        The number of the node: a constant, as the next is.
    gets : In(operations)
        Of which operations words may come to the node.
    seed, clear
        As for :class:`noc.selftest.giver.Giver`; ``clear`` takes a cycle for each ``sweep``.
    sweep : In(stream_bits)
        See ``clear``.
    waiting : In(1)
        Whether the node waits for the word of a barrier.
    take : In(1)
        Whether a word may be taken in the next cycle.
    eject : In(stream.Signature(bits))
        Words from the network.
    right : Out(operations)
        Of which operation a word was judged right.
    released : Out(operations)
        Of which barrier a word comes in this cycle.
    wrong, extra : Out(1)
        Whether a word was judged so.
    """

    def __init__(self, words: Words) -> None:
        self._words = words
        super().__init__(judge_ports(words))

    def elaborate(self, platform: object) -> Module:
        """The word is held, what is expected is looked up, then computed, then compared."""
        m = Module()
        words, eject = self._words, self.eject
        stored = LAP_BITS if words.laps else words.number_bits
        m.submodules.expected = numbers = memory.Memory(
            shape=stored, depth=1 << words.stream_bits, init=[]
        )
        write = numbers.write_port()
        read = numbers.read_port(transparent_for=(write,))
        word, here, awaited = Signal(len(eject.payload)), Signal(), Signal()
        taken = eject.valid & eject.ready & ~self.clear
        m.d.sync += [eject.ready.eq(self.take), here.eq(taken), word.eq(eject.payload)]
        m.d.sync += awaited.eq(self.waiting)
        operation = self._field(eject.payload, "operation")
        for number in words.of_kind("barrier"):
            comes = taken & (operation == number) & self.gets[number]
            m.d.comb += self.released[number].eq(comes)
        looked = self._look_up(m, word, here & ~self.clear, awaited, read)
        self._compare(m, self._compute(m, looked, read, write))
        with m.If(self.clear):
            m.d.comb += [write.addr.eq(self.sweep), write.data.eq(0), write.en.eq(1)]
        return m

    def _field(self, word: Value, name: str) -> Value:
        """A field of a word that came; one that is not there is 0."""
        layout = data.StructLayout(self._words.format.eject)
        field: Value = data.View(layout, word)[name] if name in layout.members else Const(0)
        return field

    def _look_up(self, m: Module, word: Signal, here: Value, awaited: Signal, read: Any) -> Any:
        """What the word says by itself, while the number is read that is expected.

        ``gets`` says whether words of its operation may come here, ``plain`` that its source is 0
        as that of a result is. Of a word that is sent, ``sound`` says that it does not contradict
        itself, ``unwanted`` that it is not for this node, and ``number`` what it says of itself.
        """
        words, asked = self._words, self._words.operations
        flags = ("here", "joined", "gets", "plain", "last", "sound", "unwanted")
        layout = data.StructLayout(
            {
                **dict.fromkeys(flags, 1),
                "operation": max(1, asked.bits),
                "stream": words.stream_bits,
                "data": words.width,
                "number": words.number_bits,
            }
        )
        # Where all operations come to all nodes, ``gets`` is always 1, and needs no register.
        looked: Any = Signal(layout, init={"gets": 1})  # type: ignore[arg-type]
        operation = self._field(word, "operation")
        joined = among(operation, tuple(n for n, o in enumerate(words.listed) if o.joined))
        barrier = among(operation, words.of_kind("barrier"))
        name: Value = operation[: asked.bits]
        if asked.sent:
            source = self._field(word, "data")[: words.node_bits]
            name = Cat(name, Mux(joined, 0, source)[: words.node_bits])
            self._look_at_sent(m, word, looked)
        m.d.comb += read.addr.eq(name)
        m.d.sync += [
            looked.here.eq(here),
            looked.joined.eq(joined),
            looked.operation.eq(operation),
            looked.stream.eq(name),
            looked.gets.eq(self.gets.bit_select(operation, 1) & (~barrier | awaited)),
            looked.data.eq(self._field(word, "data")),
            looked.last.eq(self._field(word, "last")),
            looked.plain.eq(self._field(word, "source") == 0),
        ]
        return looked

    def _look_at_sent(self, m: Module, word: Signal, looked: Any) -> None:
        """Whether a word that is sent is sound, and whether it is for the node."""
        words, asked = self._words, self._words.operations
        text, operation = self._field(word, "data"), self._field(word, "operation")
        bits, count = words.node_bits, words.body_bits
        name = text[: words.name_bits]
        source, meant = name[:bits], name[bits + asked.bits :]
        number = words.body(0, self.seed, name) ^ text[words.name_bits :]
        first = number[: words.number_bits]
        to_node = among(operation, words.to_node)
        sound = [
            number == Cat(first[bit % len(first)] for bit in range(count)),
            name[bits : bits + asked.bits] == operation,
            among(operation, asked.sent),
        ]
        unwanted: Value = Const(0) if words.returned else ~to_node & (source == self.node)
        if words.format.source_numbers:
            sound.append(self._field(word, "source") == source)
        if "last" in words.format.eject:
            sound.append(self._field(word, "last") == first[0])
        if words.addressed:
            sound.append(to_node | (meant == source))
            unwanted = unwanted | to_node & (meant != self.node)
        m.d.sync += [
            looked.sound.eq(Cat(sound).all()),
            looked.unwanted.eq(unwanted),
            looked.number.eq(first),
        ]

    def _compute(self, m: Module, looked: Any, read: Any, write: Any) -> Any:
        """Judge what is sent, and make the result that is expected if a word ``comes`` as one."""
        words, number = self._words, read.data
        good, comes, ahead = Signal(), Signal(), Signal(words.number_bits)
        sent = looked.here & ~looked.joined
        m.d.comb += [
            comes.eq(looked.here & looked.joined & looked.gets),
            ahead.eq(looked.number - number[: words.number_bits]),
            good.eq(sent & looked.sound & looked.gets & ~looked.unwanted & ~ahead[-1]),
            write.addr.eq(looked.stream),
            write.data.eq(Mux(looked.joined, following(number), looked.number + 1)),
            write.en.eq(good | comes),
        ]
        flags = dict.fromkeys(("good", "wrong", "extra", "comes", "header"), 1)
        datas = dict.fromkeys(("data", "expected"), words.width)
        layout = data.StructLayout({**flags, "operation": max(1, words.operations.bits), **datas})
        computed = Signal(layout)
        unexpected = Mux(looked.joined, ~looked.gets, looked.sound & ~good)
        header = looked.plain & ((looked.last == number[0]) | ("last" not in words.format.eject))
        # Without results there is nothing to wait for.
        domain = m.d.sync if words.laps else m.d.comb
        domain += [
            computed.good.eq(good),
            computed.wrong.eq(sent & ~looked.sound),
            computed.extra.eq(looked.here & unexpected),
            computed.comes.eq(comes),
            computed.operation.eq(looked.operation),
            computed.data.eq(looked.data),
            computed.header.eq(header),
            computed.expected.eq(self._expected(m, looked, number)),
        ]
        return computed

    def _expected(self, m: Module, looked: Any, number: Value) -> Value:
        """The result of this number; of a barrier, whatever came."""
        words = self._words
        chosen = Signal(words.width)
        node = Mux(among(looked.operation, words.to_node), self.node, 0)
        key = Cat(looked.operation[: words.operations.bits], node[: words.node_bits])
        with m.Switch(looked.operation):
            for operation, each in enumerate(words.listed):
                if each.joined:
                    with m.Case(operation):
                        m.d.comb += chosen.eq(
                            expected(words, operation, number, self.seed, key)
                            if each.operator
                            else looked.data
                        )
        return chosen

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
