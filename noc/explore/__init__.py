"""One page in which a reader watches words move: a file that any browser opens, by itself."""

from noc.explore.document import describe, describe_scene, write_page
from noc.explore.runs import Play, list_plays, usual_runs

__all__ = ["Play", "describe", "describe_scene", "list_plays", "usual_runs", "write_page"]
