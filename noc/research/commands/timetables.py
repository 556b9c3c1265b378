"""The plays of ``noc steps`` in which all links carry words in all steps, by a timetable."""

import argparse
from collections.abc import Iterable
from functools import partial
from typing import Any

from noc.cli import arguments, output
from noc.cli.output import Result, Table
from noc.cli.parsers import declare
from noc.errors import InputError
from noc.fabrics.timetable.exchange import read_exchange
from noc.networks import ABSENT, Network, build_network
from noc.research.commands.plays import Plays, play
from noc.trees.bounds import all_gather_bound
from noc.trees.timetables import (
    ALL_GATHER,
    Exchange,
    Row,
    Timetable,
    backwards,
    bound_of,
    find_routes,
    find_sums,
    find_timetable,
    sum_bound,
)

#: By the name that users type.
PLAYS: Plays = {}

_play = partial(play, PLAYS)


def _add_search(parser: argparse.ArgumentParser) -> None:
    declare(
        parser,
        """
        --kept N  the most steps for which a node may keep a word before it sends it; with 0 it
            sends at once what arrives, or not at all (default: as many as fewest steps need)
        --tries N  give a limit up after so many attempts (default: as many as take some seconds)
        --seed S  the seed of the search (default: 0)
        """,
        seed={"default": 0},
    )


@_play("noc steps all-gather star:4", _add_search)
def _all_gather(options: argparse.Namespace) -> Result:
    """Send a word of every node to all others, all links busy: an all-gather by timetable.

    All-gather in lockstep: in each step every link carries one word. The timetable says which;
    words that all travel by the clock need no header. On a symmetric network it is one tree, since
    all nodes do the same, and the rows are those of one node's word.
    """
    network = build_network(options.spec)
    timetable = _find(options, network)
    return _result([timetable], network, timetable.rows(), inputs=timetable.inputs)


@_play("noc steps reduce-scatter star:4", _add_search)
def _reduce_scatter(options: argparse.Namespace) -> Result:
    """Add up a vector of which every node keeps one sum: an all-gather backwards, by timetable.

    Reduce-scatter in lockstep: every node has a word for each node, and each gets the sum of those
    for it. A node adds what it receives for a node to its own word for that node, and sends that
    on once.
    """
    network = build_network(options.spec)
    timetable = _find(options, network.reversed())
    return _result([timetable], network, backwards(timetable, network))


def _add_round(parser: argparse.ArgumentParser) -> None:
    declare(
        parser,
        """
        --round N  steps after which the next round begins (default: as few as keep nearly all links
            busy)
        """,
    )
    _add_search(parser)


@_play("noc steps all-reduce mesh:4,4", _add_round)
def _all_reduce(options: argparse.Namespace) -> Result:
    """Add up vectors at all nodes: along spanning trees that share all links.

    All-reduce of vectors in lockstep: every node gets all sums. Each word of a round has a tree: it
    is added up on its way to the root, and its sum comes back by the same links. Rounds overlap,
    so that steps count from the first step of a round on. Where links carry words one way only, a
    reduce-scatter and then an all-gather do it, for a word of each node.
    """
    network = build_network(options.spec)
    if network.two_way:
        return _sums(options, network)
    if options.round is not None:
        raise InputError(f"--round: {network.spec} has links that carry words one way only")
    there = _find(options, network.reversed())
    back = _find(options, network)
    later = [row._replace(step=row.step + there.steps) for row in back.rows()]
    return _result([there, back], network, [*backwards(there, network), *later])


def _sums(options: argparse.Namespace, network: Network) -> Result:
    """An all-reduce in which rounds overlap."""
    arguments.check_positive(options, "round")
    arguments.check_positive(options, "tries")
    if options.kept is not None:
        raise InputError(f"--kept {options.kept}: in an all-reduce a word waits less than a round")
    sums = find_sums(
        network,
        Exchange("all_reduce"),
        length=options.round,
        tries=options.tries,
        seed=options.seed,
        progress=output.stages(),
    )
    facts: dict[str, Any] = {
        "network": network.spec,
        "nodes": network.nodes,
        "words": sums.words,
        "round": sums.round,
        "bound": sum_bound(network, sums.words),
        "words a step": round(sums.words / sums.round, 3),
        "steps": sums.steps,
        "kept": sums.kept,
    }
    table = Table(
        {
            "step": hop.step,
            "word": hop.tree,
            "from": network.label(hop.sender),
            "port": network.out_ports[hop.port],
            "to": network.label(hop.receiver),
            "carries": "sum so far" if hop.up else "sum",
        }
        for hop in sorted(sums.hops, key=lambda hop: (hop.step, hop.tree, hop.sender))
        if hop.port != ABSENT
    )
    return Result(facts | {"rows": table}, [output.words(facts), table])


def _add_exchange(parser: argparse.ArgumentParser) -> None:
    names = "all_to_all|scatter|gather|FILE"
    declare(
        parser,
        f"""
        --exchange {names}  who has a word for whom: each node for each other, the root for all
            others, or these for it; or a JSON file with a list of {{from, to}} (default:
            all_to_all)
        --root LABEL  the node that scatters or gathers (default: the first)
        """,
        exchange={"default": "all_to_all"},
    )
    _add_search(parser)


@_play("noc steps exchange star:4 --exchange scatter", _add_exchange)
def _exchange(options: argparse.Namespace) -> Result:
    """Send words that are for one node each, such as an all-to-all, by timetable.

    Every word has a source and a target, and no link carries two in a step. If all nodes do the
    same, the rows are those of the first node's words. A scatter or a gather takes the fewest steps
    there are, whatever the tries and the seed.
    """
    network = build_network(options.spec)
    exchange = read_exchange(network, options.exchange, options.root)
    if exchange == ALL_GATHER:
        raise InputError("--exchange all_gather: is 'noc steps all-gather'")
    if exchange.adds:
        name = exchange.name.replace("_", "-")
        raise InputError(f"--exchange {exchange}: is 'noc steps {name}'")
    arguments.check_positive(options, "tries")
    how = {name: getattr(options, name) for name in ("kept", "tries", "seed")}
    routes = find_routes(network, exchange, **how, progress=output.stages())
    facts: dict[str, Any] = {
        "network": network.spec,
        "exchange": exchange.name,
        "nodes": network.nodes,
        "steps": routes.steps,
        "bound": bound_of(network, exchange),
        "kept": routes.kept,
        "inputs": routes.inputs,
        "alike": routes.translated,
    }
    label = network.label
    table = Table(
        {
            "step": hop.step,
            "source": label(int(routes.source[hop.route])),
            "target": label(int(routes.target[hop.route])),
            "from": label(hop.sender),
            "port": network.out_ports[hop.port],
            "to": label(hop.receiver),
        }
        for hop in routes.in_order()
    )
    return Result(facts | {"rows": table}, [output.words(facts), table])


def _find(options: argparse.Namespace, network: Network) -> Timetable:
    arguments.check_positive(options, "tries")
    return find_timetable(
        network,
        kept=options.kept,
        tries=options.tries,
        seed=options.seed,
        progress=output.stages(),
    )


def _result(
    timetables: list[Timetable], network: Network, rows: Iterable[Row], **more: int
) -> Result:
    """What a user wants to know of timetables that follow one another."""
    facts: dict[str, Any] = {
        "network": network.spec,
        "nodes": network.nodes,
        "steps": sum(timetable.steps for timetable in timetables),
        "bound": sum(all_gather_bound(timetable.network) for timetable in timetables),
        "kept": max(timetable.kept for timetable in timetables),
        **more,
        "symmetric": network.symmetric,
    }
    table = Table(
        {
            "step": row.step,
            "source": network.label(row.source),
            "from": network.label(row.sender),
            "port": network.out_ports[row.port],
            "to": network.label(row.receiver),
        }
        for row in rows
    )
    return Result(facts | {"rows": table}, [output.words(facts), table])
