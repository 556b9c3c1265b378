"""Write what FuseSoC asks for, which calls this with a file of its wishes: see system.core."""

import json
import sys
from pathlib import Path

import yaml  # FuseSoC needs it, too.

sys.path[0] = str(Path(__file__).resolve().parent.parent)

from hardware.__main__ import BOARDS, VERILOG, board_files, system_text  # noqa: E402

#: How FuseSoC calls files, by how they end.
KINDS = {".v": "verilogSource", ".lpf": "LPF", ".xdc": "xdc"}


def main() -> None:
    """The files, and a core that lists them, in the folder in which this is called."""
    asked = yaml.safe_load(Path(sys.argv[1]).read_text(encoding="utf-8"))
    what = asked["parameters"]["what"]
    texts = board_files(what) if what in BOARDS else {"system.v": system_text()}
    texts |= {path.name: path.read_text(encoding="utf-8") for path in VERILOG}
    for name, text in texts.items():
        Path(name).write_text(text, encoding="utf-8")
    listed = [{name: {"file_type": KINDS[Path(name).suffix]}} for name in texts]
    core = {
        "name": asked["vlnv"],
        "filesets": {"rtl": {"files": listed}},
        "targets": {"default": {"filesets": ["rtl"]}},
    }
    # What is JSON is YAML, too.
    Path("generated.core").write_text(f"CAPI=2:\n{json.dumps(core, indent=1)}\n", encoding="utf-8")


main()
