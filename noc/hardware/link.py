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

    With one VC it is a plain stream. With more, the receiver also says with ``vc_full`` that the VC
    of the word has no free slot, so that the sender turns to another VC; ``valid`` may then fall.

    Parameters
    ----------
    code_bits : int
        Bits of the code in the header.
    width : int
        Bits of the payload.
    vcs : int
        Number of VCs.

    Members
    -------
    payload : Out(WordLayout)
        The word.
    valid : Out(1)
        Whether a word is presented.
    ready : In(1)
        Whether it is taken in this cycle.
    vc_full : In(1)
        Whether its VC has no free slot at the receiver; only with more than one VC.
    """

    def __init__(self, *, code_bits: int, width: int, vcs: int) -> None:
        word = WordLayout(code_bits=code_bits, width=width)
        members = dict(stream.Signature(word).members)
        if vcs > 1:
            members["vc_full"] = In(1)
        super().__init__(members)
