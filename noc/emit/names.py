"""Names that a user gives to what is emitted: such as every tool takes for a module."""

import re

from noc.errors import InputError, option

__all__ = ["KEYWORDS", "LONGEST", "check_apart", "check_name"]

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


def check_name(name: str) -> None:
    """Refuse a name that cannot be that of a module, and of files."""
    asked = option("name", name)
    if not IDENTIFIER.fullmatch(name):
        raise InputError(f"{asked}: letters of ASCII, digits and _ are allowed, and no digit first")
    if name in KEYWORDS:
        raise InputError(f"{asked}: is a keyword of Verilog or SystemVerilog")
    if len(name) > LONGEST:
        raise InputError(f"{asked}: at most {LONGEST} letters are allowed, not {len(name)}")


def check_apart(name: str, text: str) -> None:
    """Refuse the name of a module that is one of its signals too, which simulators do not take."""
    if re.search(rf"^  (?:input|output|wire) (?:\[\d+:0\] )?{name}\b", text, re.MULTILINE):
        raise InputError(f"{option('name', name)}: is the name of a signal of the network")
