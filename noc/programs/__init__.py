"""Programs: trees compiled into the small ROM tables by which routers forward."""

from noc.programs.compile import compile_program, program
from noc.programs.execute import Delivery, execute
from noc.programs.program import Program, Row, Send

__all__ = ["Delivery", "Program", "Row", "Send", "compile_program", "execute", "program"]
