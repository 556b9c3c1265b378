"""One page in which a reader watches words move: a file that any browser opens, by itself."""

from noc.explore.document import describe, describe_scene
from noc.explore.runs import usual_runs
from noc.explore.schedules import Play, list_plays
from noc.explore.write import write_page

__all__ = ["Play", "describe", "describe_scene", "list_plays", "usual_runs", "write_page"]
