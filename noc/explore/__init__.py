"""One page in which a reader watches words move: a file that any browser opens, by itself."""

from noc.explore.document import describe, describe_scene
from noc.explore.plays import Play
from noc.explore.runs import usual_runs
from noc.explore.write import write_page

__all__ = ["Play", "describe", "describe_scene", "usual_runs", "write_page"]
