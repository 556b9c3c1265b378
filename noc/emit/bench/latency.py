"""How many cycles a word takes that travels alone, by manifest.json and program.json."""

import json
from collections import deque

from folder import FOLDER, MANIFEST, NODES, ORDERED, list_receivers


def expect_latency(source: int, tree: int = 0) -> dict[int, int]:
    """Cycles from the acceptance of a word to its coming out, for each node that gets it."""
    if ORDERED:
        up = NODES[source]["up"]
        return {node: up + NODES[node]["down"] for node in list_receivers(source)}
    eject = MANIFEST["eject_cycles"]
    return {node: cycles + eject for node, cycles in follow(source, tree).items() if node != source}


def follow(source: int, tree: int) -> dict[int, int]:
    """Cycles until a word is in each router, by running the program of the direct fabric.

    Where a router uses one port at a time, each copy leaves a cycle after the one before.
    """
    one_port = MANIFEST["ports"] == "one"
    own_code = ROUTERS[NODES[source]["router"]]["own_codes"][tree]
    result, queue = {source: MANIFEST["inject_cycles"]}, deque([(source, own_code)])
    while queue:
        node, code = queue.popleft()
        for turn, send in enumerate(SENDS[NODES[node]["router"]][code]):
            there = LEADS[NODES[node]["label"], send["port"]]
            assert there not in result, f"{NODES[there]['label']} is reached twice"
            result[there] = result[node] + MANIFEST["hop_cycles"] + (turn if one_port else 0)
            queue.append((there, send["code"]))
    return result


ROUTERS = {}
if not ORDERED:
    ROUTERS = json.loads((FOLDER / MANIFEST["program"]).read_text(encoding="utf-8"))["routers"]

# For each router what it sends, by code.
SENDS = {
    router: {entry["code"]: entry["sends"] for entry in table["codes"]}
    for router, table in ROUTERS.items()
}

# Where every out-port leads.
INDEX = {node["label"]: number for number, node in enumerate(NODES)}
LEADS = {(link["from"], link["out_port"]): INDEX[link["to"]] for link in MANIFEST["links"]}
