"""What the cycle models say that streams show is what the Verilog's waveform shows.

A quick one of these is in test_waves, and one against the plain model in test_collective_model.
"""

from pathlib import Path

import pytest
from own_operators import own_operators
from shown import differences, told_by_model

from noc.design import build_design
from noc.networks import build_network
from noc.verify import run, verify
from noc.verify.runs import name_runs

DESIGNS = {
    "ordered": ("ring:4", {}),
    "larger": ("mesh:3,2", {}),
    "one VC": ("star:3", {"fabric": "direct", "sources": "one"}),
    "one port": ("star:3", {"fabric": "direct", "ports": "one"}),
    "relays": ("star:3", {"fabric": "direct", "sources": "one", "link_registers": 1, "queue": 2}),
    "registers": ("star:3", {"link_registers": 2, "queue": 2}),
    "some sources": ("uhc:3", {"sources": [2, 5], "own_words": "return"}),
}

SOME = {"groups": {"some": ["0.0", "1.1", "2.0"]}}
OPERATIONS = {
    "joins": ("ring:4", {"operations": ["all_reduce:sum", "barrier"]}),
    "all": ("tree:2,2", {"operations": ["broadcast", "send", "gather", "reduce:max", "barrier"]}),
    "groups": ("mesh:3,2", {"operations": ["multicast@some", "barrier@some"], **SOME}),
    "waiting": ("ring:4", {"operations": ["broadcast", "all_reduce:sum"], "group_queue": 4}),
    "own": ("ring:4", {"operations": ["broadcast", "reduce:bor"], "own_words": "return"}),
    "own operator": ("tree:2,2", {"operations": ["broadcast", "all_reduce:own-late", "barrier"]}),
    "both": ("uhc:3", {"operations": ["send", "barrier"], "link_registers": 2, "queue": 2}),
}


@pytest.fixture(autouse=True)
def _own_operators():
    with own_operators():
        yield


@pytest.mark.cocotb
@pytest.mark.slow
@pytest.mark.parametrize("name", DESIGNS)
def test_streams_show_what_the_waveform_shows(name: str, tmp_path: Path) -> None:
    spec, options = DESIGNS[name]
    built = build_design(build_network(spec), width=16, **options)
    pattern = "single:half" if built.sources == "one" else "full:half"
    one = run(built, pattern, words=5, cycles=None, seed=1)
    path = tmp_path / "w.vcd"
    assert verify(built, [one], tmp_path, waves=path).passed
    assert differences(built, one.traffic, path) == []
    # Words waited, and streams were ready without one.
    shown = {
        (word is not None, ready)
        for stream in told_by_model(built, one.traffic).values()
        for word, ready in stream
    }
    assert len(shown) == 4


@pytest.mark.cocotb
@pytest.mark.slow
@pytest.mark.parametrize("name", OPERATIONS)
def test_streams_of_operations_show_what_the_waveform_shows(name: str, tmp_path: Path) -> None:
    spec, options = OPERATIONS[name]
    built = build_design(spec, width=16, **options)
    # Without pauses links are full, so that one kind of words waits where another goes on.
    traffic = "mixed:bursty" if name in ("all", "both") else "wrong:half"
    (one,) = name_runs(built, traffic, words=20, seed=1)
    path = tmp_path / "w.vcd"
    assert verify(built, [one], tmp_path, waves=path).passed
    assert differences(built, one.traffic, path) == []
    shown = {
        (word is not None, ready)
        for stream in told_by_model(built, one.traffic).values()
        for word, ready in stream
    }
    assert len(shown) == 4
