"""The linear cost model: closed forms against brute force."""

from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noc.errors import InputError
from noc.research.papers.cost import LinearCost

heights = st.integers(1, 40)
lengths = st.integers(1, 3000)
costs = st.builds(LinearCost, st.floats(0.01, 1000), st.floats(0.01, 100))


@given(costs, heights, lengths)
def test_least_time_is_the_closed_form_where_cutting_pays(cost, height, length) -> None:
    closed = (sqrt((height - 1) * cost.start_up) + sqrt(length * cost.per_byte)) ** 2
    if cost.best_packet_size(height, length) < length:
        assert cost.least_time(height, length) == pytest.approx(closed)
    else:
        assert cost.least_time(height, length) == height * cost.hop_time(length)


@given(costs, heights, lengths, st.floats(0.001, 1))
def test_no_packet_size_beats_the_best(cost, height, length, part) -> None:
    other = cost.pipelined_time(height, length, length * part)
    assert cost.least_time(height, length) <= other * (1 + 1e-12)


@given(costs, heights, lengths)
def test_best_segments_by_search(cost, height, length) -> None:
    best = min(cost.segmented_time(height, length, p) for p in range(1, 2 * length + 2))
    result = cost.segmented_time(height, length, cost.best_segments(height, length))
    ideal = sqrt((height - 1) * length * cost.per_byte / cost.start_up)
    assert result <= best * (1 + 1e-12) or ideal > 2 * length


@pytest.mark.parametrize("constants", [(0, 1), (1, 0), (-1, 1), (1, float("nan"))])
def test_constants_must_be_positive(constants) -> None:
    with pytest.raises(InputError, match="must be more than 0"):
        LinearCost(*constants)
