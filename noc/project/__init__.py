"""A small project of the user's own: a network with a processing element at each node."""

from noc.project.write import EXAMPLE, Written, check_folder, write_project

__all__ = ["EXAMPLE", "Written", "check_folder", "write_project"]
