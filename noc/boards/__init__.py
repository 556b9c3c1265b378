"""Boards: the self-test of a network as a bitstream, or as a project for a vendor's tools."""

from noc.boards.boards import BOARDS, Board, board, check_registers
from noc.boards.build import Built, build, make_bitstream
from noc.boards.platform_top import Clock, Content, clock_of, plan_content

__all__ = [
    "BOARDS",
    "Board",
    "Built",
    "Clock",
    "Content",
    "board",
    "build",
    "check_registers",
    "clock_of",
    "make_bitstream",
    "plan_content",
]
