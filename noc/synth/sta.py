"""The clock of a netlist of cells before layout, by OpenSTA where it is installed."""

import re
import shutil
from pathlib import Path

from noc.errors import CheckError
from noc.synth.tools import Tool

#: In ns; what lies before the first registers and behind the last is another design's. In the words
#: of all releases: those of 2019 are what Debian has.
_PERIOD = 1000
_SCRIPT = """\
read_liberty {liberty}
read_verilog {netlist}
link_design {top}
set_cmd_units -time ns
create_clock -name clk -period {period} [get_ports clk]
report_checks -path_delay max -format full -digits 5
"""

_SLACK = re.compile(r"^ *(-?[\d.]+) +slack ", re.MULTILINE)

#: A netlist of millions of cells takes minutes.
_SECONDS = 3600


def find() -> Tool | None:
    """OpenSTA, if it is on PATH."""
    path = shutil.which("sta")
    return None if path is None else Tool("sta", (path, "-no_splash", "-exit"))


def measure_clock(sta: Tool, top: str, liberty: Path, netlist: Path) -> float:
    """The fastest clock in MHz that all paths from register to register allow, without wires.

    Refuses where OpenSTA tells none, as of a library that it does not read.
    """
    folder = netlist.parent
    script = _SCRIPT.format(top=top, liberty=liberty.name, netlist=netlist.name, period=_PERIOD)
    (folder / "clock.tcl").write_text(script, encoding="utf-8")
    log = sta.run(["clock.tcl"], folder, "clock.txt", seconds=_SECONDS)
    found = _SLACK.search(log)
    if found is None:
        said = [line for line in log.splitlines() if line.startswith("Error")] or [log.strip()]
        raise CheckError(f"sta says: {said[0][:200]}")
    return 1000 / (_PERIOD - float(found[1]))
