"""What a link between two routers carries."""

from amaranth.lib import data

__all__ = ["WordLayout"]


class WordLayout(data.StructLayout):
    """A word on a link: the code of its row at the receiver, and the payload.

    Parameters
    ----------
    code_bits : int
        Bits of the code; 0 where the in-port knows one row only.
    width : int
        Bits of the payload.
    """

    def __init__(self, *, code_bits: int, width: int) -> None:
        super().__init__({"code": code_bits, "data": width})
