"""Traffic: the same on every machine, and what its names promise."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from noc.errors import InputError
from noc.model import (
    SINKS,
    TRAFFIC,
    Traffic,
    all_sources,
    back_to_back,
    broadcast,
    endless,
    mixing,
    random_words,
    sinks,
)
from noc.networks import build_network
from noc.programs import build_automaton
from noc.programs.word_format import MOST_WIDTH

STAR = build_automaton(build_network("star:4"), "balanced")
FAMILY = build_automaton(build_network("uhc:4"), "adst")


def test_draws_are_splitmix64() -> None:
    # The first outputs of the published generator from state 0.
    first = [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]
    place = np.arange(1, 4, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    assert mixing._scrambled(place).tolist() == first
    assert mixing.key(0) == first[0]


def test_payloads_never_change() -> None:
    traffic = broadcast(STAR, 0, seed=1)
    assert [traffic.payload(0, width) for width in (1, 8, 33)] == [0, 227, 7808726283]
    assert traffic.payload(5, 512) >> 448 == 0x8F5424F8C5A5034A


@given(st.integers(1, MOST_WIDTH), st.integers(0, 2**31 - 1), st.integers(0, 2**63))
def test_payloads_fit_their_width(width: int, word: int, seed: int) -> None:
    traffic = broadcast(STAR, 0, seed=seed)
    assert 0 <= traffic.payload(word, width) < 2**width
    assert traffic.payload(word, width) == broadcast(STAR, 3, seed=seed).payload(word, width)


@pytest.mark.parametrize("width", [8, 64, 65, 512])
def test_every_payload_bit_is_used(width: int) -> None:
    drawn = [broadcast(STAR, 0).payload(word, width) for word in range(64)]
    union = intersection = drawn[0]
    for payload in drawn:
        union, intersection = union | payload, intersection & payload
    assert (union, intersection) == (2**width - 1, 0)


@pytest.mark.parametrize("width", [0, 513])
def test_width_out_of_range(width: int) -> None:
    with pytest.raises(InputError, match=rf"^width: {width} is out of range"):
        broadcast(STAR, 0).payload(0, width)


def test_shapes_of_traffic() -> None:
    assert back_to_back(FAMILY, 3, 5).source.tolist() == [3] * 5
    assert broadcast(FAMILY, 2).source.tolist() == [2]
    every = all_sources(FAMILY, 3)
    assert np.bincount(every.source).tolist() == [3] * 16


def test_traffic_without_end_offers_a_word_in_each_cycle() -> None:
    built = endless(FAMILY, 7)
    assert np.bincount(built.source).tolist() == [7] * 16
    assert not built.release.any()


@given(st.integers(0, 3), st.integers(0, 10**6))
def test_random_words_keep_their_gaps(gap: int, seed: int) -> None:
    built = random_words(FAMILY, 200, gap=gap, seed=seed)
    waits = np.diff(built.release, prepend=0)
    assert set(waits.tolist()) == set(range(2 * gap + 1))
    assert set(built.source.tolist()) == set(range(16))


@pytest.mark.parametrize("name", sorted(TRAFFIC))
def test_named_traffic_has_so_many_words_of_a_source(name: str) -> None:
    built, again = TRAFFIC[name](STAR, 4, 9).whole, TRAFFIC[name](STAR, 4, 9).whole
    assert built.words == 4 * 24
    for field in ("source", "release"):
        assert np.array_equal(getattr(built, field), getattr(again, field))
    built.check(STAR)


@pytest.mark.parametrize("name", sorted(SINKS))
@pytest.mark.parametrize("nodes", [1, 6, 24])
def test_every_sink_is_ready_at_some_time(name: str, nodes: int) -> None:
    for seed in range(5):
        ready = SINKS[name](nodes, seed)
        assert ready.dtype == np.bool_
        assert ready.shape[1] == nodes
        assert ready.any(axis=0).all()
        assert np.array_equal(ready, SINKS[name](nodes, seed))


def test_random_sinks_have_the_density_asked_for() -> None:
    assert abs(sinks.random(50, percent=30, period=400).mean() - 0.3) < 0.02
    assert sinks.random(10, percent=0, period=4).sum(axis=0).tolist() == [1] * 10


def test_bursts_are_as_long_as_asked_for() -> None:
    flips = np.diff(sinks.bursty(50, burst=10, period=800).astype(int), axis=0) != 0
    assert abs(flips.mean() - 0.1) < 0.01


def test_adversarial_sinks() -> None:
    slow = sinks.one_slow(6, 2, every=9)
    assert slow.sum(axis=0).tolist() == [9, 9, 1, 9, 9, 9]
    assert sinks.phases(2, cycles=3).tolist() == [[True] * 2] * 3 + [[False] * 2] * 3
    moving = sinks.moving_stall(6, groups=3, cycles=2)
    assert (~moving).sum(axis=0).tolist() == [2] * 6
    assert (~moving).sum(axis=1).tolist() == [2] * 6


WRONG = [
    ({"source": [24]}, "^traffic: node 24 is not among the sources"),
    ({"release": [0, 0]}, "^traffic: source and release"),
    ({"ready": [[True] * 23]}, "^ready: must be an array"),
    ({"ready": np.ones((0, 24), dtype=bool)}, "^ready: must be an array"),
]


@pytest.mark.parametrize(("change", "message"), WRONG)
def test_traffic_that_a_program_cannot_carry(change, message: str) -> None:
    good = {"source": [0], "release": [0], "ready": [[True] * 24]}
    built = Traffic(**{name: np.array(value) for name, value in {**good, **change}.items()})
    with pytest.raises(InputError, match=message):
        built.check(STAR)


def test_only_the_sources_of_the_program_may_send() -> None:
    some = build_automaton(build_network("star:4"), "balanced", sources=[1, 2])
    assert set(all_sources(some, 1).source.tolist()) == {1, 2}
    with pytest.raises(InputError, match=r"^traffic: node 0 "):
        broadcast(STAR, 0).check(some)
