"""The program of the timetable fabric, read back from the files of a folder."""

from dataclasses import replace
from operator import itemgetter

from noc.errors import CheckError, InputError
from noc.fabrics.tables import number_modules
from noc.fabrics.timetable import describe
from noc.fabrics.timetable.design import TimetableDesign
from noc.fabrics.timetable.exchange import check_operator
from noc.harness import START
from noc.networks import ABSENT, Network
from noc.programs.codec import TEXT, Key, Keys, choice, record, whole
from noc.programs.compile_rounds import build_rounds
from noc.programs.forms import node_form, rounds_form, words_form
from noc.programs.round_config import RoundConfig
from noc.programs.round_table import OWN, RoundTable, loop_of
from noc.programs.rounds import RoundProgram
from noc.trees.timetables import ALL_GATHER, Exchange
from noc.verify.documents import Document, read_nodes, read_sources, told_in


def read(manifest: Document, document: Document, network: Network) -> TimetableDesign:
    """The design that the tables of a folder are, checked: every word reaches every node once."""
    with told_in("manifest.json"):
        exchange = _read_exchange(manifest, network)
        nodes = sorted(read_nodes(manifest, network), key=itemgetter("label"))
        modules = [node["router"] for node in nodes]
        sources = read_sources(manifest, network)
        config = _read_config(manifest).check(adds=exchange.adds)
    with told_in("program.json"):
        routers: dict[str, RoundTable] = rounds_form(network).read(document)["routers"]
        number = number_modules(routers, modules)
        program = build_rounds(network, tuple(routers.values()), number, exchange, config)
        _check_ports(program)
        try:
            program.check().check_turns().check_order().check_shared()
        except CheckError as error:
            raise InputError(error.message) from None
    design = TimetableDesign(program, manifest["width"])
    with told_in("manifest.json"):
        if ([*range(network.nodes)] if sources == "all" else sources) != design.senders:
            raise InputError("sources: the tables have others")
        _check_told(manifest, design)
    return design


def _read_config(manifest: Document) -> RoundConfig:
    """How the routers are built."""
    starts = choice({START: "pulse"})
    keys: Keys = {"queue": whole(), "sinks": TEXT, "start": Key(starts, usual="always")}
    one = Key(choice({"one": "one"}), usual="each")
    keys |= {"ejects": one, "choices": one}
    config: RoundConfig = record(RoundConfig, keys).read(manifest)
    if "kept_rounds" not in manifest:
        return config
    if config.pulsed:
        raise InputError("kept_rounds: is for rounds that need no start")
    return replace(config, start="ready")


def _read_exchange(manifest: Document, network: Network) -> Exchange:
    """Who has words for whom."""
    keys: Keys = {
        "exchange": Key(TEXT, "name", usual=ALL_GATHER.name),
        "words": Key(words_form(network), usual=()),
        "root": Key(node_form(network), usual=None),
        "operator": Key(TEXT, usual=""),
    }
    exchange: Exchange = record(Exchange, keys).read(manifest)
    if exchange.rooted and exchange.root is None:
        raise InputError("root is missing")
    return check_operator(exchange.check(network))


def _check_ports(program: RoundProgram) -> None:
    """Refuse tables of other ports than their nodes have, and of rounds of different lengths."""
    network = program.network
    kind = program.gathers, program.exchange.adds
    if any((table.gathers, table.adds) != kind for table in program.tables):
        raise InputError(f"the routers' words are not those of {program.exchange}")
    loop = loop_of(network)
    looped = (loop in (*dict(table.sends), *table.in_ports) for table in program.tables)
    if any(looped) and not program.exchange.adds:
        raise InputError("a node sends to itself where no words are added up")
    if len({table.round for table in program.tables}) > 1:
        raise InputError("the routers have rounds of different lengths")
    for node in range(network.nodes):
        outs = [port for port, _ in program.table_of(node).sends if port != loop]
        if (network.neighbour[node, outs] == ABSENT).any():
            raise InputError(f"the router of {network.label(node)} sends on a port without a link")
    comes = sorted((there, arrival) for _, _, there, arrival in program.links())
    for node in range(network.nodes):
        table = program.table_of(node)
        ins = tuple(arrival for there, arrival in comes if there == node)
        ins += (loop,) * (loop in dict(table.sends))
        used = {register.in_port for register in table.registers} - {OWN}
        if table.in_ports != ins or not used <= {*ins}:
            raise InputError(
                f"the router of {network.label(node)} has other in-ports than those on which words "
                "come"
            )


def _check_told(manifest: Document, design: TimetableDesign) -> None:
    """Refuse other phases than those of the tables: by them users know whose word comes when."""
    for key, known in describe.facts(design).items():
        if manifest.get(key) != known:
            raise InputError(
                f"{key}: {manifest.get(key)!r} is not {known!r}, which the tables have"
            )
    for entry in manifest["nodes"]:
        node = design.network.node(entry["label"])
        for name, known in describe.eject_facts(design, node).items():
            if entry.get(name) != known:
                raise InputError(
                    f"node {entry['label']}: {name}: the tables have other sources, phases or "
                    "in-ports"
                )
        if not design.program.gathers and entry.get("inject_lanes") != describe.inject_lanes(
            design, node
        ):
            raise InputError(
                f"node {entry['label']}: inject_lanes: the tables have other targets, phases or "
                "out-ports"
            )
        if entry["phase"]["bits"] != design.program.table_of(node).phase_bits:
            raise InputError(f"node {entry['label']}: phase: the tables need other bits")
