"""What the manifests of both fabrics tell alike: the nodes, and which of them may send."""

from noc.design import Sources
from noc.errors import InputError
from noc.networks import Network
from noc.verify.documents import Document

__all__ = ["nodes_in_order", "read_sources"]


def nodes_in_order(manifest: Document, network: Network) -> list[Document]:
    """What the manifest says of each node, in the order of the network."""
    entries = {network.node(str(node["label"])): node for node in manifest["nodes"]}
    if len(entries) != network.nodes or len(manifest["nodes"]) != network.nodes:
        raise InputError(f"nodes are not those of {network.spec}")
    return [entries[node] for node in range(network.nodes)]


def read_sources(manifest: Document, network: Network) -> Sources | list[int]:
    """All, one at a time, or some nodes by their labels."""
    sources = manifest.get("sources", "all")
    if isinstance(sources, list) and sources:
        return [network.node(str(label)) for label in sources]
    if sources == "all":
        return "all"
    if sources == "one":
        return "one"
    raise InputError(f"sources must be all, one or labels, not {sources}")
