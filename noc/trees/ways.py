"""The two trees of the ordered fabric: one down from the root, and one up to it."""

from dataclasses import dataclass

from noc.networks import IntArray
from noc.trees.even import in_tree
from noc.trees.tree import Tree


@dataclass(frozen=True, eq=False)
class Ways:
    """Along which links words come down from the root, and climb to it."""

    #: The out-tree.
    down: Tree
    #: The in-tree, as an out-tree of the network with all links turned round. Without, words climb
    #: by the links by which they come down, or, where these have no way back, by few links.
    up: Tree | None = None

    @property
    def climbing(self) -> tuple[IntArray, IntArray]:
        """Parent and out-port of every node on its way to the root; ``NO_PARENT`` at the root."""
        if self.up is None:
            return in_tree(self.down)
        # The out-port of a link is the in-port of the turned link.
        return self.up.parent, self.up.arrival().astype(self.down.port.dtype)
