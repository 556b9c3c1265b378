"""Boards: the self-test of a network as a bitstream, or as a project for a vendor's tools."""

from noc.boards.boards import BOARDS, Board, board, check_registers
from noc.boards.build import Built, build
from noc.boards.clock import Clock, clock_of

__all__ = ["BOARDS", "Board", "Built", "Clock", "board", "build", "check_registers", "clock_of"]
