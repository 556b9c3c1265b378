"""Netlists are kept from one network to the next."""

from pathlib import Path

from noc.emit.module import Module
from noc.synth import family, synthesise
from noc.synth.netlist import _FILES
from noc.synth.tools import Tool

COUNTER = """module {0}(input clk, rst, output reg [3:0] q, output half);
  always @(posedge clk) q <= rst ? 0 : q + 3;
  {0}_half inner (.q(q), .on(rst), .half(half));
endmodule
module {0}_half(input [3:0] q, input on, output half); assign half = on & ^q[3:1]; endmodule
"""


def files(folder: Path, name: str) -> list[bytes]:
    return [(folder / f"{name}{ending}").read_bytes() for ending in _FILES]


def test_a_module_of_another_name_is_not_mapped_again(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("noc.synth.kept.cache_folder", lambda *_: tmp_path)
    first = synthesise(Module("first", COUNTER.format("first")), family("ecp5"), tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr("noc.synth.netlist.kept_for", lambda *_: None)
        fresh = synthesise(Module("other", COUNTER.format("other")), family("ecp5"), tmp_path)
    expected = files(fresh.folder, "other")
    for path in fresh.folder.iterdir():
        path.unlink()
    # Only what is different is given to Yosys.
    asked: list[str] = []
    run = Tool.run
    monkeypatch.setattr(
        Tool, "run", lambda *args, **named: asked.append(args[2].name) or run(*args, **named)
    )
    second = synthesise(Module("other", COUNTER.format("other")), family("ecp5"), tmp_path)
    assert (asked, second.cells) == ([], first.cells)
    assert files(second.folder, "other") == expected
    text = COUNTER.format("third").replace("+ 3", "+ 5")
    synthesise(Module("third", text), family("ecp5"), tmp_path)
    assert asked == ["third.0"]
    for path in tmp_path.glob("*.zip"):
        path.write_bytes(path.read_bytes()[:-30])
    again = synthesise(Module("third", text), family("ecp5"), tmp_path)
    assert asked == ["third.0"] * 2
    assert again.cells["TRELLIS_FF"] == 4
