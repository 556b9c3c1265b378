"""The signals of a link between two routers."""

from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In

__all__ = ["LinkSignature", "WordLayout"]


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


class LinkSignature(wiring.Signature):
    """One direction of a link, seen from the router that sends.

    With one class it is a plain stream. With more, the receiver also says with ``stall`` that it
    has no place for the class of the word, so that the sender turns to another class; ``valid``
    may then be taken back.

    Parameters
    ----------
    code_bits : int
        Bits of the code in the header.
    width : int
        Bits of the payload.
    classes : int
        Number of classes.

    Members
    -------
    payload : Out(WordLayout)
        The word.
    valid : Out(1)
        Whether a word is presented.
    ready : In(1)
        Whether it is taken in this cycle.
    stall : In(1)
        Whether the receiver has no place for its class; only with more than one class.
    """

    def __init__(self, *, code_bits: int, width: int, classes: int) -> None:
        self._classes = classes
        word = WordLayout(code_bits=code_bits, width=width)
        members = dict(stream.Signature(word).members)
        if classes > 1:
            members["stall"] = In(1)
        super().__init__(members)

    @property
    def classes(self) -> int:
        """Number of classes."""
        return self._classes
