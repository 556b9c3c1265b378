"""What the cycle models say that streams show is what the Verilog's waveform shows.

A quick one of these is in test_waves.
"""

from pathlib import Path

import pytest
from shown import differences, told_by_model

from noc.design import build_design
from noc.networks import build_network
from noc.verify import run, verify

DESIGNS = {
    "ordered": ("ring:4", {}),
    "larger": ("mesh:3,2", {}),
    "one VC": ("star:3", {"fabric": "direct", "sources": "one"}),
    "one port": ("star:3", {"fabric": "direct", "ports": "one"}),
    "relays": ("star:3", {"fabric": "direct", "sources": "one", "link_registers": 1, "queue": 2}),
    "registers": ("star:3", {"link_registers": 2, "queue": 2}),
    "some sources": ("uhc:3", {"sources": [2, 5], "own_words": "returned"}),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", DESIGNS)
def test_streams_show_what_the_waveform_shows(name: str, tmp_path: Path) -> None:
    spec, options = DESIGNS[name]
    built = build_design(build_network(spec), width=16, **options)
    pattern = "single:half" if options.get("sources") == "one" else "full:half"
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
