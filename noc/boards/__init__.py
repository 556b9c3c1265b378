"""Boards: the self-test of a network as a bitstream, or as a project for a vendor's tools."""

from noc.boards.boards import BOARDS, Board, board
from noc.boards.build import Built, build
from noc.boards.clock import Clock, clock_of
from noc.boards.sizes import check_nodes

__all__ = ["BOARDS", "Board", "Built", "Clock", "board", "build", "check_nodes", "clock_of"]
