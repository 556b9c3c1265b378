"""The options of a design, each once: the command line, sweeps, and what a fabric refuses."""

from typing import Literal, NamedTuple, get_args

#: Up one tree and down another, trees of each source, or all sources in rounds.
FabricName = Literal["ordered", "direct", "timetable"]

#: What keeps a flip-flop that changes its value from harm: nothing, two more copies of it, or an
#: alarm.
Protection = Literal["none", "tmr", "detect"]

#: When rounds of the timetable fabric begin.
Start = Literal["always", "pulse", "ready"]

#: Whether a node of the timetable fabric has an eject stream for each in-port, or one for all.
Ejects = Literal["each", "one"]
Choices = Literal["each", "one"]

#: How the table of a router is built: gates, a block RAM, or a memory with a row for each source,
#: which can be written while the network runs.
Rom = Literal["logic", "block", "writable"]

#: Who has words for whom in each round of the timetable fabric.
ExchangeName = Literal[
    "all_gather", "all_to_all", "scatter", "gather", "reduce_scatter", "all_reduce"
]


class DesignOption(NamedTuple):
    """One option, an argument of :func:`noc.design.build_design`."""

    name: str
    help: str
    #: The name of its value in help.
    metavar: str = ""
    #: How its value is read; ``list`` has commas, and ``repeated`` texts.
    kind: Literal["text", "number", "choice", "switch", "list", "repeated"] = "text"
    choices: tuple[str, ...] = ()
    #: Where nothing is asked for; None leaves it to the design.
    default: "int | list[str] | None" = None
    #: The fabrics that have it.
    fabrics: tuple[FabricName, ...] = get_args(FabricName)
    #: Of the command line, if it is not the name.
    flag: str = ""

    @property
    def on_command_line(self) -> str:
        """Its flag, with the dashes."""
        return f"--{(self.flag or self.name).replace('_', '-')}"


#: By name, in the order in which help shows them.
OPTIONS: dict[str, DesignOption] = {
    option.name: option
    for option in (
        DesignOption(
            "algorithm",
            "how to build the trees; 'noc list' lists the algorithms (default: even in the ordered "
            "fabric, shortest in the direct; the timetable fabric has one of its own)",
            "A",
        ),
        DesignOption(
            "ports",
            "whether a node may send on all of its ports in a step or on one (default: all if the "
            "algorithm supports it)",
            kind="choice",
            choices=("all", "one"),
            fabrics=("ordered", "direct"),
        ),
        DesignOption(
            "sources",
            "which nodes may send: all at the same time, one at a time, or those with these labels "
            "at the same time; fewer sources need less hardware (default: all, or one with "
            "--fabric direct)",
            "all|one|A,B,…",
        ),
        DesignOption(
            "fabric",
            "ordered: words move up one tree to its root and down another, and all nodes receive "
            "them in one order; direct: each source has trees of its own; timetable: all nodes "
            "send in rounds, with nearly all links busy in every cycle (default: ordered if "
            "several nodes may send at the same time, else direct)",
            kind="choice",
            choices=get_args(FabricName),
        ),
        DesignOption(
            "width", "bits of data in a word, 1 to 512 (default: 32)", "W", "number", default=32
        ),
        DesignOption(
            "link_registers",
            "registers in each link: a higher clock where wires are long, one cycle of latency "
            "each; in the ordered fabric 0 to 64, or a JSON file with a list of {from, to, "
            "registers} (other links get 0); in the direct fabric 0, or 1 with one source at a "
            "time; in the timetable fabric 0 (default: 0)",
            "N|FILE",
        ),
        DesignOption(
            "hop_cycles", "cycles of a hop, the same as --link-registers H-1", "H", "number"
        ),
        DesignOption(
            "queue",
            "words in the queue between the network and the sink of each node, 0 to 1024; with "
            "queued sinks, which alone have any in the timetable fabric, from 2 on, and the queue "
            "has room for more (default: 0, or with --ejects one what full speed takes)",
            "N",
            "number",
            default=0,
        ),
        DesignOption(
            "sinks",
            "whether sinks may stall, or all are always ready to take a word: then the network is "
            "smaller and faster, and its eject streams have no ready; queued ones may stall, and "
            "stop the root of the ordered fabric, or all nodes of the timetable fabric, while "
            "--queue words wait for any of them (default: stalling; in the timetable fabric "
            "always-ready, or with --ejects one queued)",
            kind="choice",
            choices=("stalling", "always-ready", "queued"),
        ),
        DesignOption(
            "root",
            "the root of both trees, or in the timetable fabric the node that scatters or gathers "
            "(default: a centre of the network, or its first node)",
            "LABEL",
            fabrics=("ordered", "timetable"),
        ),
        DesignOption(
            "source_numbers",
            "whether a word carries the number of its source (default: yes)",
            kind="switch",
            fabrics=("ordered",),
        ),
        DesignOption(
            "own_words",
            "whether a node gets its own words back, at their position in the order (default: "
            "drop; return without source numbers)",
            kind="choice",
            choices=("drop", "return"),
            fabrics=("ordered",),
        ),
        DesignOption(
            "operations",
            "what words can ask for, such as broadcast,send,barrier,all_reduce:sum or "
            "all_reduce:max@GROUP (docs/collectives.md; default: every word is broadcast)",
            "A,B,…",
            "list",
            fabrics=("ordered",),
        ),
        DesignOption(
            "groups",
            "nodes that operations name as a group, or, as NAME=all-but:A,B,…, all nodes but "
            "these; may be repeated",
            "NAME=A,B,…",
            "repeated",
            default=[],
            fabrics=("ordered",),
            flag="group",
        ),
        DesignOption(
            "group_queue",
            "words that a node can give to a group before the other members have given theirs, "
            "while it goes on with other words, 1 to 1024 (default: 1)",
            "N",
            "number",
            default=1,
            fabrics=("ordered",),
        ),
        DesignOption(
            "void_words",
            "whether a node can give a void word instead of one that is joined: the others' words "
            "are joined without it, so that a node that leaves a group, or whoever speaks for it, "
            "holds up nobody (docs/collectives.md; default: no)",
            kind="switch",
            fabrics=("ordered",),
        ),
        DesignOption(
            "stand_ins",
            "whether each member of a group has an input 'away' with a bit for each of its groups: "
            "while it is 1, void words are given there for the member, so that nobody waits for "
            "one that is dead or taken out (with --void-words; default: no)",
            kind="switch",
            fabrics=("ordered",),
        ),
        DesignOption(
            "watchdog",
            "after how many cycles outputs 'late' name the nodes and groups that a word still "
            "waits for (default: 0, never)",
            "CYCLES",
            "number",
            default=0,
            fabrics=("ordered",),
        ),
        DesignOption(
            "sink_timeout",
            "after how many cycles a sink that takes no word is given none any more, so that the "
            "others go on: words for it are lost, which outputs 'absent' tell, until it takes the "
            "one that it refused (default: 0, never)",
            "CYCLES",
            "number",
            default=0,
            fabrics=("ordered",),
        ),
        DesignOption(
            "lookahead",
            "whether it is settled a cycle ahead, on the way up, which word goes on: a cycle more "
            "at a higher clock, mostly with fewer LUTs, for a register more at each source; with "
            "sinks that are always ready or queued (docs/ordered.md; default: no)",
            kind="switch",
            fabrics=("ordered",),
        ),
        DesignOption(
            "survive",
            "how many dead links lose no word (or dead nodes, with --algorithm independent), where "
            "each source has several trees, and sinks are always ready: 0, each tree carries a "
            "part of every word; 1, one tree carries the sum of all parts; or the number of trees "
            "less 1, each carries whole words (default: 0)",
            "F",
            "number",
            default=0,
            fabrics=("direct",),
        ),
        DesignOption(
            "dead",
            "links FROM/TO that carry nothing, and nodes that send nothing, to see what becomes of "
            "words; with --survive",
            "LOST,…",
            fabrics=("direct",),
        ),
        DesignOption(
            "exchange",
            "who has words for whom in each round: all_gather, one word of each node for all "
            "others; all_to_all, a word of each node for each other; scatter, a word of the root "
            "for each other node; gather, one of each for the root; reduce_scatter:OPERATOR, sums "
            "of words of all nodes, one for each node; all_reduce:OPERATOR, such sums for all; or "
            "a JSON file with a list of {from, to}, a word for each (default: all_gather)",
            "|".join((*get_args(ExchangeName), "FILE")),
            fabrics=("timetable",),
        ),
        DesignOption(
            "round",
            "the cycles of a round of an all_reduce: longer ones have more sums for each cycle, up "
            "to what links allow, and larger routers (default: 1)",
            "CYCLES",
            kind="number",
            default=1,
            fabrics=("timetable",),
        ),
        DesignOption(
            "start",
            "when rounds begin: always, one after the other from reset on; pulse, one for each "
            "cycle in which the input start is 1; or ready, when every node has given all its "
            "words for it, which wait in queues (default: always)",
            kind="choice",
            choices=get_args(Start),
            fabrics=("timetable",),
        ),
        DesignOption(
            "ejects",
            "whether a node has an eject stream for each in-port, or one, by which the words of a "
            "round leave in the order of their sources: with --start ready; sinks may stall, and a "
            "round begins when all nodes have room for its words (default: each)",
            kind="choice",
            choices=get_args(Ejects),
            fabrics=("timetable",),
        ),
        DesignOption(
            "choices",
            "whether each router has the registers that say what it sends, or one part for all "
            "that have the same table: the network is smaller and faster, if its nodes are not far "
            "apart (default: each)",
            kind="choice",
            choices=get_args(Choices),
            fabrics=("timetable",),
        ),
        DesignOption(
            "protect",
            "tmr: each register of the network has three copies and a vote, so that one that flips "
            "changes nothing; detect (ordered fabric): words have a parity and all other registers "
            "two copies, so that one that flips raises an alarm, if it matters (default: none)",
            kind="choice",
            choices=get_args(Protection),
        ),
        DesignOption(
            "rom",
            "whether the routers' ROMs are logic or block RAM; or writable, memories with a row "
            "for each source, so that words can be led around what fails later (docs/repair.md; "
            "default: logic)",
            kind="choice",
            choices=get_args(Rom),
            fabrics=("direct",),
        ),
    )
}
