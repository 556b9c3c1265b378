"""Header codes: every word finds its row by them, and the search makes the tables no larger."""

from collections import Counter
from dataclasses import dataclass

import numpy as np
import pytest
from amaranth.hdl import Module, Signal
from hypothesis import given
from hypothesis import strategies as st
from ordered_runs import run_bench

from noc.hardware.gates import needed_bits, one_hot_or, table_bit
from noc.networks import build_network
from noc.programs import Automaton, Program, build_automaton, build_program
from noc.programs import build as build_module
from noc.programs.automaton import NOTHING
from noc.programs.build import Codes, choose_codes
from noc.programs.config import STANDARD, RouterConfig

# Of every family; many sites (uhc:5, incomplete-star:4,3, nk-star:5,3), several trees to a source
# (adst), and the two models.
CASES = [
    ("star:4", None, "all"),
    ("star:4", None, "one"),
    ("star:5", None, "all"),
    ("incomplete-star:4,3", None, "all"),
    ("nk-star:4,2", None, "all"),
    ("nk-star:5,3", None, "all"),
    ("arrangement:4,2", None, "one"),
    ("scc:3", None, "all"),
    ("ccc:3", None, "one"),
    ("uhc:4", None, "all"),
    ("uhc:5", None, "all"),
    ("hypercube:3", None, "all"),
    ("uhc:4", "adst", "all"),
    ("hypercube:1", None, "all"),
]
# Those with one site, whose codes are searched.
SEARCHED = [case for case in CASES if case[0] in ("star:4", "scc:3", "hypercube:3", "ccc:3")]


@dataclass
class Coded:
    """What decides codes, the codes, and the tables built with them."""

    automaton: Automaton
    codes: Codes
    program: Program


def coded(spec: str, algorithm: str | None, ports) -> Coded:
    automaton = build_automaton(build_network(spec), algorithm or "shortest", ports=ports)
    config = RouterConfig(sinks="always-ready") if automaton.slices > 1 else STANDARD
    return Coded(automaton, choose_codes(automaton), build_program(automaton, config))


def nodes_of_sites(built: Coded) -> dict[int, int]:
    """A node at each site."""
    return {site: node for node, site in reversed(list(enumerate(built.automaton.site.tolist())))}


def what_it_does(built: Coded, node: int, row: int, *, ordered: bool) -> tuple:
    """The copies that a row makes, each with its far code; and whether it is an own word's."""
    automaton = built.automaton
    sends = zip(automaton.send_port[row].tolist(), automaton.send_row[row].tolist(), strict=True)
    copies = [(port, int(built.codes.of_row[far])) for port, far in sends if port != NOTHING]
    own = row >= int(automaton.first_row[automaton.site[node], automaton.inject])
    return tuple(copies if ordered else sorted(copies)), own


def rows_of(built: Coded, site: int) -> list[int]:
    return np.flatnonzero(built.automaton.row_site == site).tolist()


@pytest.mark.cases(4, ci=5)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_code_tells_what_its_rows_do(case) -> None:
    built = coded(*case)
    inject = built.automaton.inject
    for site, node in nodes_of_sites(built).items():
        meaning, own = {}, []
        for row in rows_of(built, site):
            code = int(built.codes.of_row[row])
            assert 0 <= code < 1 << int(built.codes.bits[site])
            does = what_it_does(built, node, row, ordered=case[2] == "one")
            assert meaning.setdefault(code, does) == does
            if row >= int(built.automaton.first_row[site, inject]):
                own.append(code)
        # Every word of the node itself has a code of its own.
        assert all(meaning[code][1] for code in own)
        assert len(set(own)) == len(own) == built.program.table_of(node).trees
        assert sorted(meaning) == sorted(e.code for e in built.program.table_of(node).entries)
    # And they are the same every time.
    again = choose_codes(built.automaton)
    assert np.array_equal(again.of_row, built.codes.of_row)
    assert np.array_equal(again.bits, built.codes.bits)


def literal_part(built: Coded, entry, *, sends: bool) -> tuple[int, int]:
    """What a code says literally, and in how many bits: the out-ports, or nothing."""
    if not sends:
        return 0, 0
    used = built.automaton.send_port[built.automaton.send_port != NOTHING]
    ports = sorted(set(used.tolist()))
    mask = sum(1 << ports.index(port) for port, _ in entry.sends)
    return mask, len(ports)


@pytest.mark.parametrize(
    ("case", "sends"),
    [
        (("star:4", None, "all"), True),
        (("hypercube:3", None, "all"), True),
        (("uhc:4", None, "all"), True),
        (("star:4", None, "one"), False),
        (("scc:3", None, "one"), False),
    ],
    ids=str,
)
def test_short_headers_say_sends(case, sends: bool) -> None:
    built = coded(*case)
    for table in built.program.tables:
        literal = [literal_part(built, entry, sends=sends) for entry in table.entries]
        fixed = literal[0][1]
        for entry, (value, _) in zip(table.entries, literal, strict=True):
            assert entry.code & ((1 << fixed) - 1) == value
        shortest = (len(table.entries) - 1).bit_length()
        assert table.code_bits <= shortest + 3
        most = max(Counter(value for value, _ in literal).values())
        assert table.code_bits >= fixed + (most - 1).bit_length()


def needed(wanted: dict[int, bool], bits: int) -> int:
    """How many bits are left when each that can be done without is left out, the lowest first."""
    kept = (1 << bits) - 1
    for bit in range(bits):
        fewer = kept & ~(1 << bit)
        ones = {code & fewer for code, one in wanted.items() if one}
        zeros = {code & fewer for code, one in wanted.items() if not one}
        if not ones & zeros:
            kept = fewer
    return kept.bit_count()


def price(built: Coded) -> int:
    """Four halves of a look-up table a function of up to four bits, twice that for each further."""
    table = built.program.tables[0]
    entries, bits = table.entries, table.code_bits
    functions = [{entry.code: entry.deliver for entry in entries}]
    for port, far_bits in table.out_bits:
        sends = {entry.code: dict(entry.sends).get(port) for entry in entries}
        if not table.one_port:
            functions.append({code: far is not None for code, far in sends.items()})
        far = {code: there for code, there in sends.items() if there is not None}
        functions += [
            {code: bool(there >> bit & 1) for code, there in far.items()} for bit in range(far_bits)
        ]
    counts = [needed(wanted, bits) for wanted in functions]
    return sum(4 << max(0, count - 4) for count in counts if count > 1)


def test_searched_codes_cost_no_more_and_some_less(monkeypatch) -> None:
    searched = [price(coded(*case)) for case in SEARCHED]
    monkeypatch.setattr(build_module, "least_gates", lambda code, *_args, **_bits: code)
    plain = [price(coded(*case)) for case in SEARCHED]
    assert all(less <= more for less, more in zip(searched, plain, strict=True))
    assert searched != plain


def computed(m: Module, out: Signal, given: Signal, numbers: list[int]) -> list[int]:
    """What a module without registers makes of numbers."""
    results = []

    async def testbench(ctx):
        for number in numbers:
            ctx.set(given, number)
            results.append(ctx.get(out))

    run_bench(m, testbench)
    return results


def tables() -> st.SearchStrategy[tuple[int, dict[int, bool]]]:
    """Bits of a code, and what is wanted of the codes that can come."""
    return st.integers(1, 12).flatmap(
        lambda bits: st.tuples(
            st.just(bits),
            st.dictionaries(
                st.integers(0, (1 << bits) - 1), st.booleans(), min_size=1, max_size=24
            ),
        )
    )


@given(tables())
def test_gates_give_what_the_table_wants(table) -> None:
    bits, wanted = table
    m, code, out = Module(), Signal(bits), Signal()
    m.d.comb += out.eq(table_bit(m, "bit", code, wanted))
    assert computed(m, out, code, list(wanted)) == list(wanted.values())


@given(tables())
def test_no_bit_is_looked_at_without_need(table) -> None:
    bits, wanted = table
    kept = needed_bits(wanted, bits)
    for left_out in kept:
        mask = sum(1 << bit for bit in kept if bit != left_out)
        ones = {code & mask for code, one in wanted.items() if one}
        assert ones & {code & mask for code, one in wanted.items() if not one}
    assert len(kept) <= needed(wanted, bits)


@pytest.mark.parametrize("chosen", [0, 1, 2, 4])
def test_the_chosen_value_comes_through(chosen: int) -> None:
    m, choice, out = Module(), Signal(3), Signal(4)
    values = [Signal(4, init=number) for number in (9, 5, 3)]
    m.d.comb += out.eq(one_hot_or(choice, values))
    expected = {0: 0, 1: 9, 2: 5, 4: 3}
    assert computed(m, out, choice, [chosen]) == [expected[chosen]]
