"""Files for other tools: timing constraints, a core for FuseSoC, a list of files, lint rules."""

from collections.abc import Iterable

from noc import __version__
from noc.design import AnyDesign
from noc.emit.endpoints import RECEIVES, SENDS, Wrapper
from noc.emit.vectors import INSTANCE, Vectors

# Timing of the words that cross between two clocks: hints to adapt, in Tcl.

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


def build_constraints(wrapper: Wrapper, vectors: Vectors | None = None) -> dict[str, str]:
    """Constraints for the outermost module by the ends of files: SDC, and the same for Vivado."""
    above = "" if vectors is None else f"{INSTANCE}/"

    def pin(signal: str) -> str:
        return signal if vectors is None else vectors.joined(signal)

    # Where each queue is, and the clock of its node; what never sends has one queue only.
    crossings = [
        f"  {above}endpoint_{name}/{way}{number} {pin(wrapper.clock_of(node)[0])}"
        for node, name in enumerate(wrapper.names)
        for way, members in (("up", SENDS), ("down", RECEIVES))
        for number in wrapper.signals(node, members)
    ]
    clocks = (f"{clock} {pin(clock)} {pin(reset)}" for clock, reset in wrapper.clocks)
    values = {
        "top": wrapper.name if vectors is None else vectors.name,
        "crossings": "\n".join(crossings),
        "clocks_and_resets": " ".join(clocks),
    }
    return {end: (HEAD + text).format(**values) for end, text in ((".sdc", SDC), (".xdc", XDC))}


CORE_HEAD = """\
CAPI=2:
# Written by noc generate. For instance:
#   fusesoc --cores-root FOLDER run --target lint {name}
name: {name}
description: {description}

filesets:
"""

# FuseSoC's own flow for cocotb does not know cocotb 2.1 and takes a failed test for success.
TARGETS = """
targets:
  default:
    filesets: [{filesets}]
    toplevel: "{top}"
  lint: &lint
    description: Every warning of Verilator that says something is an error
    filesets: [rtl, lint]
    toplevel: "{top}"
    flow: lint
    flow_options:
      tool: verilator
      verilator_options: [-Wall]
  sim:
    <<: *lint
    description: Runs the cocotb benches with Verilator, as python3 bench/run.py does
    filesets: [rtl, lint, bench]
    hooks:
      post_build: [benches]

scripts:
  benches:
    cmd: [python3, {folder}/bench/run.py]
"""

#: For Verilator: what it says of the style of Verilog that Yosys writes, for which a field of no
#: bits is a wire [-1:0]; and that a reset is synchronous on its own side of a crossing, and on the
#: other side what a synchroniser begins with. Ports that are missing or of another width, and
#: whatever else there is to say of wiring, remain. Each rule, and which of its warnings; all,
#: where none is named.
_PASSED_VERILOG = (
    ("ASCRANGE", "*bit range: ?-1:0?"),
    ("CASEINCOMPLETE", ""),
    ("DECLFILENAME", ""),
    # Wires that stop the root carry nothing, for which there is no wire.
    ("PINMISSING", "*missing pin: 'stop*__payload'*"),
    ("PROCASSINIT", ""),
    ("SYNCASYNCNET", "Signal flopped as both synchronous and async: '*rst*'"),
    ("UNDRIVEN", "*not driven: 'stop*__payload'*"),
    ("UNUSEDSIGNAL", ""),
    ("VARHIDDEN", "*hides*: 'rom'*"),
    ("WIDTHEXPAND", "Operator EQ expects*"),
    ("WIDTHEXPAND", "Operator GTE expects*"),
    ("WIDTHTRUNC", "Logical operator LOGNOT expects*"),
    ("WIDTHTRUNC", "Operator ASSIGNW expects * bits*SHIFTR generates*"),
)

#: Not every design names all nodes and operations; a package and interfaces are in one file.
_PASSED_INTERFACES = (("DECLFILENAME", ""), ("UNUSEDPARAM", ""), ("UNUSEDSIGNAL", ""))

PASSED = {".v": _PASSED_VERILOG, ".sv": _PASSED_INTERFACES}

#: How FuseSoC calls files of constraints: to Vivado what it calls SDC may be any script, as the
#: .xdc is.
SCRIPT = "SDC"

#: The files of constraints, for a top only: one speaks of registers as Vivado names them.
CONSTRAINTS = '"is_toplevel? (tool_vivado? (xdc) !tool_vivado? (sdc))"'


def core_name(top: str) -> str:
    """Vendor, library, name and version of the core."""
    return f"arbornoc:noc:{top}:{__version__}"


def build_core(
    design: AnyDesign, top: str, files: Iterable[str], beside: Iterable[str] = ()
) -> str:
    """The core file for FuseSoC of a folder with such files, and others that benches may read."""
    listed = list(files)
    net, algorithm = design.network, design.program.algorithm
    description = f"Broadcast network {net.spec}, {algorithm} trees, {net.nodes} nodes"
    text = CORE_HEAD.format(name=core_name(top), description=_quoted(description))
    kinds = {
        "rtl": (".v", "verilogSource-2005"),
        "interfaces": (".sv", "systemVerilogSource"),
        "lint": (".vlt", "vlt"),
        "sdc": (".sdc", SCRIPT),
        "xdc": (".xdc", SCRIPT),
        # And what benches read.
        "bench": (".json", "user"),
    }
    sets = {
        name: [
            f"      - {file}: {{file_type: {kind}}}"
            for file in listed
            if file.endswith(end) or (name == "bench" and file.startswith("bench/"))
        ]
        for name, (end, kind) in kinds.items()
    }
    sets["bench"] += [f"      - {file}: {{file_type: user}}" for file in beside]
    for name, entries in sets.items():
        if entries:
            text += "\n".join([f"  {name}:", "    files:", *entries, ""])
    named = {"rtl": "rtl", "interfaces": "interfaces", "xdc": CONSTRAINTS}
    filesets = ", ".join(text for name, text in named.items() if sets[name])
    folder = "src/" + core_name(top).replace(":", "_")
    return text + TARGETS.format(filesets=filesets, top=top, folder=folder)


def _quoted(text: str) -> str:
    """A string of YAML, whatever letters the path of a graph's file has.

    JSON spells some of them as two halves, which YAML does not put together.
    """
    letters = (
        letter
        if letter.isascii() and letter.isprintable() and letter not in '"\\'
        else f"\\U{ord(letter):08x}"
        for letter in text
    )
    return f'"{"".join(letters)}"'


def build_lint(files: Iterable[str]) -> str:
    """What Verilator may pass in the Verilog files, and only there: not in a user's own."""
    lines = ["`verilator_config"]
    for name in files:
        # A star stands for any letters, slashes too: "*name" would be the user's tb_name as well.
        rules = next((passed for end, passed in PASSED.items() if name.endswith(end)), ())
        for path in (name, f"*/{name}") if rules else ():
            for rule, which in rules:
                match = f' -match "{which}"' if which else ""
                lines.append(f'lint_off -rule {rule} -file "{path}"{match}')
    return "\n".join([*lines, ""])


def list_verilog(files: Iterable[str]) -> str:
    """The Verilog files, for the option -f of most tools, or -F from another folder."""
    return "".join(f"{name}\n" for name in files if name.endswith((".v", ".sv")))
