"""Scripts by which other tools make something of a whole folder, where one asks for them."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from noc.emit.vivado import build_ip
from noc.errors import InputError, option

#: The clock of a chip, in ns, to adapt.
PERIOD = 10.0

SDC = """\
# The clock of {top}, and what is left of it outside; to adapt. In ns, for libraries that count so.
set period {period}
create_clock -name {clock} -period $period [get_ports {clock}]
set_input_delay [expr {{0.2 * $period}}] -clock {clock} [all_inputs -no_clocks]
set_output_delay [expr {{0.2 * $period}}] -clock {clock} [all_outputs]
"""

SILICONCOMPILER = '''\
"""{top} as a layout, by SiliconCompiler: python3 {top}_siliconcompiler.py [TARGET]

TARGET is one of siliconcompiler.targets; without one it is skywater130_demo. What is made lies in
the folder build/ where it is run.
"""

import sys
from pathlib import Path

from siliconcompiler import ASIC, Design, targets

HERE = Path(__file__).resolve().parent

FILES = {files}


def build(target: str = "skywater130_demo") -> ASIC:
    """The project."""
    design = Design("{top}")
    design.set_topmodule("{top}", fileset="rtl")
    for name in FILES:
        design.add_file(str(HERE / name), fileset="rtl")
    design.add_file(str(HERE / "{sdc}"), fileset="sdc")
    project = ASIC(design)
    project.add_fileset(["rtl", "sdc"])
    load = getattr(targets, target, None)
    if load is None:
        known = [name for name in dir(targets) if name.endswith("_demo")]
        sys.exit(f"{{target}} is no target; these are: {{', '.join(known)}}")
    load(project)
    return project


if __name__ == "__main__":
    project = build(*sys.argv[1:])
    project.run()
    project.summary()
'''

#: What is known of a folder: its manifest, the outermost module, and the files so far.
_Writer = Callable[[Mapping[str, Any], str, Sequence[str]], dict[str, str]]


def _vivado(manifest: Mapping[str, Any], _top: str, files: Sequence[str]) -> dict[str, str]:
    if "axis" not in manifest:
        raise InputError(
            f"{option('scripts', 'vivado')}: Vivado knows AXI-Streams, not the network's own "
            "streams; add AXI-Stream"
        )
    return {f"{manifest['axis']['top']}_ip.tcl": build_ip(manifest, files)}


def _librelane(manifest: Mapping[str, Any], top: str, files: Sequence[str]) -> dict[str, str]:
    config: dict[str, Any] = {
        "meta": {"version": 2, "flow": "Classic"},
        "DESIGN_NAME": top,
        "VERILOG_FILES": [f"dir::{name}" for name in _verilog(files)],
        "CLOCK_PORT": manifest["clock"],
        "CLOCK_PERIOD": PERIOD,
    }
    if f"{top}.sdc" in files:
        config |= dict.fromkeys(("PNR_SDC_FILE", "SIGNOFF_SDC_FILE"), f"dir::{top}.sdc")
    return {f"{top}_librelane.json": json.dumps(config, indent=2) + "\n"}


def _siliconcompiler(manifest: Mapping[str, Any], top: str, files: Sequence[str]) -> dict[str, str]:
    listed = json.dumps(_verilog(files), indent=4).replace('"\n]', '",\n]')
    written, sdc = {}, f"{top}.sdc"
    # Where nodes have clocks of their own, it is there.
    if sdc not in files:
        sdc = f"{top}_siliconcompiler.sdc"
        written[sdc] = SDC.format(top=top, period=PERIOD, clock=manifest["clock"])
    script = SILICONCOMPILER.format(top=top, files=listed, sdc=sdc)
    return written | {f"{top}_siliconcompiler.py": script}


#: Who reads each, by its name.
SCRIPTS: dict[str, _Writer] = {
    "vivado": _vivado,
    "librelane": _librelane,
    "siliconcompiler": _siliconcompiler,
}


def build_scripts(
    names: Sequence[str], manifest: Mapping[str, Any], top: str, files: Sequence[str]
) -> dict[str, str]:
    """The scripts of these names by their paths, for the outermost module and the files so far."""
    for name in names:
        if name not in SCRIPTS:
            asked = option("scripts", ",".join(names))
            raise InputError(f"{asked}: {', '.join(SCRIPTS)} are allowed")
    return {k: text for name in names for k, text in SCRIPTS[name](manifest, top, files).items()}


def _verilog(files: Sequence[str]) -> list[str]:
    return [name for name in files if name.endswith(".v")]
