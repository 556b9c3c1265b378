"""Names of what is emitted: such as every tool takes for a module, or for a port."""

import re

from noc.errors import InputError, option

#: Letters of the name of the network's module, which files have as well.
LONGEST = 80

IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

# The reserved words of SystemVerilog, IEEE 1800-2017, those of Verilog among them: many tools read
# every file as SystemVerilog.
RESERVED = """\
accept_on alias always always_comb always_ff always_latch and assert assign assume automatic before
begin bind bins binsof bit break buf bufif0 bufif1 byte case casex casez cell chandle checker class
clocking cmos config const constraint context continue cover covergroup coverpoint cross deassign
default defparam design disable dist do edge else end endcase endchecker endclass endclocking
endconfig endfunction endgenerate endgroup endinterface endmodule endpackage endprimitive endprogram
endproperty endsequence endspecify endtable endtask enum event eventually expect export extends
extern final first_match for force foreach forever fork forkjoin function generate genvar global
highz0 highz1 if iff ifnone ignore_bins illegal_bins implements implies import incdir include
initial inout input inside instance int integer interconnect interface intersect join join_any
join_none large let liblist library local localparam logic longint macromodule matches medium
modport module nand negedge nettype new nexttime nmos nor noshowcancelled not notif0 notif1 null or
output package packed parameter pmos posedge primitive priority program property protected pull0
pull1 pulldown pullup pulsestyle_ondetect pulsestyle_onevent pure rand randc randcase randsequence
rcmos real realtime ref reg reject_on release repeat restrict return rnmos rpmos rtran rtranif0
rtranif1 s_always s_eventually s_nexttime s_until s_until_with scalared sequence shortint shortreal
showcancelled signed small soft solve specify specparam static string strong strong0 strong1 struct
super supply0 supply1 sync_accept_on sync_reject_on table tagged task this throughout time
timeprecision timeunit tran tranif0 tranif1 tri tri0 tri1 triand trior trireg type typedef union
unique unique0 unsigned until until_with untyped use uwire var vectored virtual void wait wait_order
wand weak weak0 weak1 while wildcard wire with within wor xnor xor
"""

KEYWORDS = frozenset(RESERVED.split())

# Those of VHDL, IEEE 1076-2019, in which the network may be instantiated; there, case is the same.
RESERVED_IN_VHDL = """\
abs access after alias all and architecture array assert assume attribute begin block body buffer
bus case component configuration constant context cover default disconnect downto else elsif end
entity exit fairness file for force function generate generic group guarded if impure in inertial
inout is label library linkage literal loop map mod nand new next nor not null of on open or others
out package parameter port postponed procedure process property protected private pure range record
register reject release rem report restrict return rol ror select sequence severity shared signal
sla sll sra srl strong subtype then to transport type unaffected units until use variable view vmode
vpkg vprop vunit wait when while with xnor xor
"""

KEYWORDS_OF_VHDL = frozenset(RESERVED_IN_VHDL.split())


def _fault(name: str) -> str | None:
    """Why no module and no port can have a name."""
    if not IDENTIFIER.fullmatch(name):
        return "letters of ASCII, digits and _ are allowed, and no digit first"
    if name in KEYWORDS:
        return "is a keyword of Verilog or SystemVerilog"
    return "is a keyword of VHDL" if name.lower() in KEYWORDS_OF_VHDL else None


def check_own(kind: str, name: str) -> None:
    """Refuse a name that a part of the package's own cannot have; every one comes by here.

    Verilog could escape it. But a module and its instances are not always written by one tool,
    and each spells escaped names in its own way.
    """
    if fault := _fault(name):
        raise ValueError(f"{kind} {name!r}: {fault}")


def check_name(name: str) -> None:
    """Refuse a name that cannot be that of a module, and of files."""
    asked = option("name", name)
    if fault := _fault(name):
        raise InputError(f"{asked}: {fault}")
    if len(name) > LONGEST:
        raise InputError(f"{asked}: at most {LONGEST} letters are allowed, not {len(name)}")


def check_apart(name: str, text: str) -> None:
    """Refuse the name of a module that is one of its signals too, which simulators do not take."""
    if re.search(rf"^  (?:input|output|wire) (?:\[\d+:0\] )?{name}\b", text, re.MULTILINE):
        raise InputError(f"{option('name', name)}: is the name of a signal of the network")


def constant(name: str) -> str:
    """A user's name as that of a constant."""
    return re.sub(r"\W+", "_", name, flags=re.ASCII).upper()
