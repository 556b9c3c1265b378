"""Timing constraints for the words that cross between two clocks: hints to adapt, in Tcl."""

from collections.abc import Iterator

from noc.emit.endpoints import Wrapper
from noc.emit.vectors import INSTANCE, Vectors

__all__ = ["build_sdc", "build_xdc"]

HEAD = """\
# Timing of {top}, where words cross between the network's clock and the nodes'.
# All crossings are queues with Gray-coded pointers: the bits of a pointer must not arrive further
# apart than a period of the clock that they come from. A reset belongs to the clock of its side
# and is timed there (of a pin set_input_delay says when it comes): all its registers must leave it
# in one cycle. The other side takes it through a synchroniser.
"""

SDC = """\
# For tools that read SDC, where this module is the top and its ports are pins of the chip: it
# speaks of clocks, and so covers all paths between them, whatever they belong to. Within a larger
# design, say the same of the registers of the queues alone, as the .xdc does.
# Set the periods, in ns; leave create_clock out where the clocks are created elsewhere. A clock
# that stands here twice is created once, and is no crossing with itself.
set network_period 10.0
set node_period 10.0
create_clock -name clk -period $network_period [get_ports clk]
set created [list clk]
foreach {{clock pin reset}} {{{clocks_and_resets}}} {{
  if {{[lsearch -exact $created $clock] >= 0}} continue
  lappend created $clock
  create_clock -name $clock -period $node_period [get_ports $pin]
  set_max_delay $network_period -from [get_clocks clk] -to [get_clocks $clock]
  set_min_delay [expr {{-$network_period}}] -from [get_clocks clk] -to [get_clocks $clock]
  set_max_delay $node_period -from [get_clocks $clock] -to [get_clocks clk]
  set_min_delay [expr {{-$node_period}}] -from [get_clocks $clock] -to [get_clocks clk]
  set_false_path -from [get_ports rst] -to [get_clocks $clock]
  set_false_path -from [get_ports $reset] -to [get_clocks clk]
}}
"""

# A binary pointer has the same upper bit as its Gray code: synthesis keeps one of the two.
XDC = """\
# For Vivado, after the clocks are created; a script, so that it can say what it does not find:
#   read_xdc -unmanaged -ref {top} {top}.xdc
# It speaks of the registers of the queues alone, and so holds for this module only, wherever it
# stands in a design, and whether the clocks are one or two.
foreach {{crossing clock}} {{
{crossings}
}} {{
  foreach {{name patterns}} {{
    produced {{produce_w_gry_reg* produce_w_bin_reg*}}
    consumed {{consume_r_gry_reg* consume_r_bin_reg*}}
    produced_seen {{produce_cdc/stage0_reg*}}
    consumed_seen {{consume_cdc/stage0_reg*}}
    words {{storage_reg*}}
    word_read {{_0__reg*}}
    synchronisers {{produce_cdc/stage?_reg* consume_cdc/stage?_reg* rst_cdc/stage?_reg*}}
    resets {{rst_cdc/stage?_reg*}}
  }} {{
    set paths [list]
    foreach pattern $patterns {{ lappend paths $crossing/queue/$pattern }}
    set cells($name) [get_cells -quiet $paths]
    if {{[llength $cells($name)] == 0}} {{ error "{top}.xdc: there is no cell $paths" }}
  }}
  set presets [get_pins -quiet -of_objects $cells(resets) -filter {{REF_PIN_NAME == PRE}}]
  if {{[llength $presets] == 0}} {{ error "{top}.xdc: no preset in $crossing/queue/rst_cdc" }}
  # The shorter period: a word has to be there when its pointer is seen.
  set period [get_property -min PERIOD [get_clocks -of_objects [get_ports [list clk $clock]]]]
  set_max_delay -datapath_only $period -from $cells(produced) -to $cells(produced_seen)
  set_max_delay -datapath_only $period -from $cells(consumed) -to $cells(consumed_seen)
  set_max_delay -datapath_only $period -from $cells(words) -to $cells(word_read)
  # Nothing leads to these but the reset of the other side.
  set_false_path -to $presets
  set_property ASYNC_REG TRUE $cells(synchronisers)
}}
"""


def build_sdc(wrapper: Wrapper, vectors: Vectors | None = None) -> str:
    """Constraints in the common format, for the outermost module."""
    return _filled(HEAD + SDC, wrapper, vectors)


def build_xdc(wrapper: Wrapper, vectors: Vectors | None = None) -> str:
    """Constraints for Vivado, likewise."""
    return _filled(HEAD + XDC, wrapper, vectors)


def _crossings(wrapper: Wrapper, vectors: Vectors | None) -> Iterator[str]:
    """Where each queue stands, and the clock of its node; what never sends has one queue only."""
    above = "" if vectors is None else f"{INSTANCE}/"
    for name, streams in zip(wrapper.names, wrapper.streams(), strict=True):
        for way in ("up", "down") if streams.send else ("down",):
            yield f"  {above}endpoint_{name}/{way} {_pin(streams.clock, vectors)}"


def _pin(signal: str, vectors: Vectors | None) -> str:
    return signal if vectors is None else vectors.joined(signal)


def _filled(text: str, wrapper: Wrapper, vectors: Vectors | None) -> str:
    return text.format(
        top=wrapper.name if vectors is None else vectors.name,
        crossings="\n".join(_crossings(wrapper, vectors)),
        clocks_and_resets=" ".join(
            f"{clock} {_pin(clock, vectors)} {_pin(reset, vectors)}"
            for clock, reset in wrapper.clocks
        ),
    )
