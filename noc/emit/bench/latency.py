"""How many cycles a word takes that travels alone, by manifest.json and program.json."""

import json
from collections import Counter, deque
from collections.abc import Iterator
from itertools import chain

from folder import FOLDER, LABELS, MANIFEST, NODES, ORDERED, QUEUED, RETURNED, ROUND, TURNS


def expect_latency(source: int) -> dict[int, int]:
    """Cycles from the acceptance of a broadcast to its coming out, for each node that gets it."""
    cycles = count_cycles(source)
    return {node: cycles[node] for node in cycles if RETURNED or node != source}


def count_cycles(source: int) -> dict[int, int]:
    """Cycles of a word to each node, whether it gets it or not."""
    if ORDERED:
        return {node: NODES[source]["up"] + NODES[node]["down"] for node in range(len(NODES))}
    if ROUND:
        return dict(follow_rounds(source))
    eject = MANIFEST["eject_cycles"]
    ways = [follow(source, code) for code in ROUTERS[NODES[source]["router"]]["own_codes"]]
    if len(ways) == 1:
        return {node: cycles + eject for node, cycles in ways[0].items()}
    # Slices wait for each other, so that words come to all nodes at once.
    entries = [entry for router in ROUTERS.values() for entry in router["codes"]]
    height = 1 + max(entry.get("wait", 0) for entry in entries)
    together = MANIFEST["inject_cycles"] + MANIFEST["hop_cycles"] * height + eject
    enough, copies = len(ways) - MANIFEST.get("survive", 0), Counter(chain.from_iterable(ways))
    return {node: together for node, count in copies.items() if count >= enough}


def follow_rounds(source: int) -> Iterator[tuple[int, int]]:
    """Cycles until a word comes to each other node, by the phases of a round."""
    # A word that is taken in the last phase leaves in the next cycle; a queue takes one, too.
    before = int(MANIFEST["inject_phase"] > 0) + QUEUED
    for number, node in enumerate(NODES):
        for lane in node["lanes"]:
            if LABELS[source] in lane["sources"]:
                ejected = lane["sources"].index(LABELS[source])
                yield number, (ejected - 1) % ROUND + 1 + before


def follow(source: int, own_code: int) -> dict[int, int]:
    """Cycles until a word, or a slice of it, is in each router, by running the program.

    Where a router uses one port at a time, each copy leaves a cycle after the one before.
    """
    one_port = MANIFEST["ports"] == "one"
    result, queue = {source: MANIFEST["inject_cycles"]}, deque([(source, own_code)])
    while queue:
        node, code = queue.popleft()
        for turn, send in enumerate(SENDS[NODES[node]["router"]][code]):
            if (NODES[node]["label"], send["port"]) in DEAD:
                continue
            there = LEADS[NODES[node]["label"], send["port"]]
            assert there not in result, f"{NODES[there]['label']} is reached twice"
            result[there] = result[node] + MANIFEST["hop_cycles"] + (turn if one_port else 0)
            queue.append((there, send["code"]))
    return result


ROUTERS = {}
if TURNS:
    ROUTERS = json.loads((FOLDER / MANIFEST["program"]).read_text(encoding="utf-8"))["routers"]

# For each router what it sends, by code.
SENDS = {
    router: {entry["code"]: entry["sends"] for entry in table["codes"]}
    for router, table in ROUTERS.items()
}

# Links that carry nothing.
DEAD = {(link["from"], link["out_port"]) for link in MANIFEST.get("dead_links", ())}

# Where every out-port leads.
INDEX = {label: number for number, label in enumerate(LABELS)}
LEADS = {(link["from"], link["out_port"]): INDEX[link["to"]] for link in MANIFEST["links"]}
