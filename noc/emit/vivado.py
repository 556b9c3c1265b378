"""A script by which Vivado packages a network with AXI-Streams as an IP of its catalog."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from noc import __version__
from noc.emit.streams import streams_of
from noc.emit.vectors import INTO, OUT_OF

#: The kinds of interfaces, and how Vivado calls their two sides.
_MODES = {INTO[1]: "slave", OUT_OF[1]: "master"}

SCRIPT = """\
# Packages {top} for the IP catalog of Vivado:
#   vivado -mode batch -source DIR/{top}_ip.tcl -tclargs FOLDER
# makes FOLDER, with component.xml and copies of the Verilog; name it among the IP repositories of a
# project, and place {top} in a block design. Each stream of a node is an AXI-Stream there, and
# each clock knows which of them it belongs to.{crossing}
set here [file dirname [file normalize [info script]]]
set there [file normalize [expr {{$argc > 0 ? [lindex $argv 0] : "{top}_ip"}}]]
create_project -force {top} $there.project
foreach name {{
{files}
}} {{
  add_files -norecurse [file join $here $name]
}}
set_property top {top} [current_fileset]
update_compile_order -fileset [current_fileset]
ipx::package_project -root_dir $there -vendor arbornoc -library noc -taxonomy /UserIP \\
  -import_files -force
set core [ipx::current_core]
set_property name {top} $core
set_property version {version} $core
set_property display_name {{{display}}} $core
set_property description {{{description}}} $core
# The Verilog is for every family, and not only for that of the project here.
set_property supported_families {{}} $core
set_property auto_family_support_level level_2 $core

# What Vivado has found by names is made anew, so that nothing depends on what it finds.
proc bus {{core name type mode ports}} {{
  if {{[llength [ipx::get_bus_interfaces -quiet $name -of_objects $core]] > 0}} {{
    ipx::remove_bus_interface $name $core
  }}
  set bus [ipx::add_bus_interface $name $core]
  set_property abstraction_type_vlnv xilinx.com:${{type}}_rtl:1.0 $bus
  set_property bus_type_vlnv xilinx.com:${{type}}:1.0 $bus
  set_property interface_mode $mode $bus
  foreach {{logical physical}} $ports {{
    set_property physical_name $physical [ipx::add_port_map $logical $bus]
  }}
  return $bus
}}
foreach {{clock reset}} {{
{clocks}
}} {{
  bus $core $clock signal:clock slave [list CLK $clock]
  set bus [bus $core $reset signal:reset slave [list RST $reset]]
  set_property value ACTIVE_HIGH [ipx::add_bus_parameter POLARITY $bus]
  ipx::associate_bus_interfaces -clock $clock -reset $reset $core
}}
foreach {{name mode clock ports}} {{
{streams}
}} {{
  bus $core $name interface:axis $mode $ports
  ipx::associate_bus_interfaces -busif $name -clock $clock $core
}}
ipx::create_xgui_files $core
ipx::update_checksums $core
ipx::check_integrity $core
ipx::save_core $core
close_project
file delete -force $there.project
"""

CROSSING = """
# It does not hold {top}.xdc, which is a script. In the project that uses the IP, synthesise it with
# the rest (not out of context), and say
#   read_xdc -unmanaged -ref {top} DIR/{top}.xdc
# for the module of that name; where Vivado has given it another, name that one."""


def build_ip(manifest: Mapping[str, Any], files: Iterable[str]) -> str:
    """The script, for the module with endpoints of a manifest, and Verilog files beside it."""
    axis = manifest["axis"]
    top, nodes = axis["top"], axis["nodes"]
    own = [(axis["clock"], axis["reset"])]
    clocks = dict.fromkeys(own + [(node["clock"], node["reset"]) for node in nodes])
    spec, algorithm = manifest["network"], manifest["algorithm"]
    return SCRIPT.format(
        top=top,
        version=".".join(__version__.split(".")[:2]),
        display=f"Broadcast network, {len(nodes)} nodes",
        description=_plain(f"{spec}, {algorithm} trees, {len(nodes)} nodes, by arbornoc"),
        crossing=CROSSING.format(top=top) if len(clocks) > 1 else "",
        files="\n".join(f"  {name}" for name in files if name.endswith(".v")),
        clocks="\n".join(f"  {clock} {reset}" for clock, reset in clocks),
        streams="\n".join(_streams(nodes)),
    )


def _streams(nodes: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Each stream: its name, which side the network is, its clock, and its ports."""
    for node in nodes:
        listed = [(mode, each) for side, mode in _MODES.items() for each in streams_of(node, side)]
        for mode, (_, stream) in listed:
            ports = {kind: name for kind, name in stream.items() if isinstance(name, str)}
            name = ports["tvalid"].removesuffix("_tvalid")
            mapped = " ".join(f"{kind.upper()} {port}" for kind, port in ports.items())
            yield f"  {name} {mode} {node['clock']} {{{mapped}}}"


def _plain(text: str) -> str:
    """Without what means something to Tcl within braces, or that not every shell can print."""
    return "".join(c if c.isascii() and c.isprintable() and c not in "{}\\" else "_" for c in text)
