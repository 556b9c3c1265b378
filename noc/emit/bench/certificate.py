"""Check the certificate in manifest.json: no dependency cycle can close, so nothing deadlocks.

    python certificate.py

A word that waits in a buffer of a node may wait for a slot in one of a neighbour. The certificate
gives each buffer of each node a rank: in the direct fabric that of each virtual channel, in the
ordered one that of the way up and that of the way down. If the rank falls along every dependency,
they make no cycle. Needs nothing but Python and the two JSON files.
"""

import json
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent


def dependencies(manifest: dict, program: dict):
    """Every dependency: node and buffer of the word, and of the slot that it may wait for."""
    ordered = manifest.get("fabric") == "ordered"
    return (ordered_dependencies if ordered else direct_dependencies)(manifest, program)


def ordered_dependencies(manifest: dict, program: dict):
    """On the way up (0) and down (1): for the parent, at the root to turn round, for children."""
    up, down = 0, 1
    yield (program["root"], up), (program["root"], down)
    for link in manifest["links"]:
        buffer = up if link["carries"] == "up" else down
        yield (link["from"], buffer), (link["to"], buffer)


def direct_dependencies(manifest: dict, program: dict):
    """In each virtual channel."""
    routers = {
        name: {entry["code"]: entry for entry in table["codes"]}
        for name, table in program["routers"].items()
    }
    router_of = {node["label"]: node["router"] for node in manifest["nodes"]}
    leads = {(link["from"], link["out_port"]): link["to"] for link in manifest["links"]}
    for label, router in router_of.items():
        for entry in routers[router].values():
            for send in entry["sends"]:
                there = leads[label, send["port"]]
                next_entry = routers[router_of[there]][send["code"]]
                yield (label, entry["vc"]), (there, next_entry["vc"])


def check(manifest: dict, program: dict) -> int:
    """Count the dependencies; ValueError names one along which the rank does not fall."""
    rows = zip(manifest["nodes"], manifest["certificate"], strict=True)
    rank = {node["label"]: row for node, row in rows}
    count = 0
    for (node, buffer), (there, awaited) in dependencies(manifest, program):
        if rank[node][buffer] <= rank[there][awaited]:
            raise ValueError(
                f"buffer {buffer} at {node}, rank {rank[node][buffer]}, may wait for "
                f"buffer {awaited} at {there}, rank {rank[there][awaited]}"
            )
        count += 1
    return count


def main() -> None:
    """Read the files of the folder above and check them."""
    manifest, program = (
        json.loads((FOLDER / name).read_text(encoding="utf-8"))
        for name in ("manifest.json", "program.json")
    )
    if manifest["certificate"] is None:
        sys.exit("no certificate: this network is for one source at a time")
    try:
        count = check(manifest, program)
    except ValueError as error:
        sys.exit(f"the certificate is WRONG: {error}")
    print(f"{count} dependencies, each to a lower rank: no cycle can close")


if __name__ == "__main__":
    main()
