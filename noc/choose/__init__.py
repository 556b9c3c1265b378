"""Which network for so many nodes, this load and so much of a chip: answered from the atlas."""

from noc.choose.answer import Answer, Ranked, choose
from noc.choose.atlas import ATLAS, Atlas, read_atlas
from noc.choose.candidates import Candidate, list_candidates
from noc.choose.question import Question

__all__ = [
    "ATLAS",
    "Answer",
    "Atlas",
    "Candidate",
    "Question",
    "Ranked",
    "choose",
    "list_candidates",
    "read_atlas",
]
