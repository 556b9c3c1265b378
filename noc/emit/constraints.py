"""Timing constraints for the words that cross between two clocks: hints to adapt, in Tcl."""

from noc.emit.endpoints import Wrapper

__all__ = ["sdc", "xdc"]

HEAD = """\
# Timing of {top}, where words cross between the network's clock and the nodes'.
# All crossings are queues with Gray-coded pointers: the bits of a pointer must not arrive further
# apart than a period of the clock that they come from. A reset belongs to the clock of its side
# and is timed there (of a pin set_input_delay says when it comes): all its registers must leave it
# in one cycle. The other side takes it through a synchroniser.
"""

SDC = """\
# For tools that read SDC. Set the periods, in ns; leave create_clock out where the clocks are
# created elsewhere.
set network_period 10.0
set node_period 10.0
create_clock -name clk -period $network_period [get_ports clk]
foreach {{clock reset}} {{{clocks_and_resets}}} {{
  create_clock -name $clock -period $node_period [get_ports $clock]
  set_max_delay $network_period -from [get_clocks clk] -to [get_clocks $clock]
  set_min_delay [expr {{-$network_period}}] -from [get_clocks clk] -to [get_clocks $clock]
  set_max_delay $node_period -from [get_clocks $clock] -to [get_clocks clk]
  set_min_delay [expr {{-$node_period}}] -from [get_clocks $clock] -to [get_clocks clk]
  set_false_path -from [get_ports rst] -to [get_clocks $clock]
  set_false_path -from [get_ports $reset] -to [get_clocks clk]
}}
"""

XDC = """\
# For Vivado, after the clocks are created; for this module alone, wherever it stands in a design:
#   read_xdc -ref {top} {top}.xdc
set network [get_clocks -of_objects [get_ports clk]]
set network_period [get_property PERIOD $network]
foreach port {{{clocks}}} {{
  set node [get_clocks -of_objects [get_ports $port]]
  set node_period [get_property PERIOD $node]
  set_max_delay -datapath_only $network_period -from $network -to $node
  set_max_delay -datapath_only $node_period -from $node -to $network
}}
set_property ASYNC_REG TRUE [get_cells -hierarchical -filter {{NAME =~ *_cdc/stage?_reg*}}]
"""


def sdc(wrapper: Wrapper) -> str:
    """Constraints in the common format."""
    return _filled(HEAD + SDC, wrapper)


def xdc(wrapper: Wrapper) -> str:
    """Constraints for Vivado."""
    return _filled(HEAD + XDC, wrapper)


def _filled(text: str, wrapper: Wrapper) -> str:
    return text.format(
        top=wrapper.name,
        clocks=" ".join(clock for clock, _ in wrapper.clocks),
        clocks_and_resets=" ".join(f"{clock} {reset}" for clock, reset in wrapper.clocks),
    )
