"""A user's own graph, from a JSON or GraphML file."""

from noc.networks.spec import Family

__all__ = ["FAMILIES"]

FAMILIES: tuple[Family, ...] = ()
