"""The five papers: who wrote them, and where they were published."""

from dataclasses import dataclass

__all__ = ["REFERENCES", "Reference"]


@dataclass(frozen=True)
class Reference:
    """A paper.

    Parameters
    ----------
    name : str
        The paper's name in this project, as in ``noc paper scc``.
    authors : tuple of str
        In the order of the title page; empty where our copy does not name them.
    title : str
        The title.
    where : str
        Where and when it was published, as far as we know it for certain.
    year : int, or None
        The year; None where our copy has none.
    doi : str, or None
        The digital object identifier, where there is one that we are sure of.
    """

    name: str
    authors: tuple[str, ...]
    title: str
    where: str
    year: int | None
    doi: str | None = None

    def __str__(self) -> str:
        by = ", ".join(self.authors) + ": " if self.authors else ""
        doi = f" doi:{self.doi}" if self.doi else ""
        return f"{by}{self.title}. {self.where}.{doi}"


#: Every paper by name.
REFERENCES: dict[str, Reference] = {
    reference.name: reference
    for reference in (
        Reference(
            "star-trees",
            ("Tzung-Shi Chen", "Yu-Chee Tseng", "Jang-Ping Sheu"),
            "Balanced Spanning Trees in Complete and Incomplete Star Graphs",
            "IEEE Transactions on Parallel and Distributed Systems, July 1996",
            1996,
            "10.1109/71.508251",
        ),
        Reference(
            "nk-star",
            (),
            "Optimum Broadcasting Algorithms in (n, k)-Star Graphs Using Spanning Trees",
            "Our copy prints neither authors nor year",
            None,
        ),
        Reference(
            "arrangement",
            ("Leqiang Bai", "Hajime Maeda", "Hiroyuki Ebara", "Hideo Nakano"),
            "A Broadcasting Algorithm with Time and Message Optimum on Arrangement Graphs",
            "Journal of Graph Algorithms and Applications 2(2), pp. 1–17, 1998",
            1998,
            "10.7155/jgaa.00005",
        ),
        Reference(
            "scc",
            ("Marcelo Moraes de Azevedo", "Nader Bagherzadeh", "Shahram Latifi"),
            "The Star-Connected Cycles: a Fixed-Degree Interconnection Network for Massively "
            "Parallel Systems",
            "Technical Report ECE 93-02, University of California, Irvine, March 1993",
            1993,
        ),
        Reference(
            "uhc",
            ("Huang-Ming Huang", "Chang-Biau Yang"),
            "Broadcasting on Uni-directional Hypercubes",
            "National Sun Yat-sen University, Kaohsiung; our copy has no date",
            None,
        ),
    )
}
