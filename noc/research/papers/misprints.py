"""What the papers print wrong where they define something that one builds from or relies on.

Each entry has a name and says what is right. A row of ``noc paper`` shows each with a computation
that bears it out, and code that departs from the print names the entry in brackets, as in
``[uhc-figure-4]``; tests hold all three together.
"""

__all__ = ["MISPRINTS"]

#: By name, which begins with the paper's.
MISPRINTS: dict[str, str] = {
    "star-trees-equation-2": "g(i) of a(i) is the root again; b(i,j) is g(j) of a(i)",
    "star-trees-equation-3": "c(n,j) is c(j,n) once more, so i stops at n-1",
    "star-trees-rule-r4b": "Lemma 1 has no C(i,n), and C(n,i) holds the node",
    "star-trees-node-set": "one symbol is fixed, which gives k(n-1)! nodes",
    "star-trees-example-1": "a label has 6 symbols; only *****1 makes a partition",
    "star-trees-theorem-2-quotients": (
        "the two quotients are exchanged: least k-1+s parts, most k"
    ),
    "star-trees-theorem-2-ceiling": (
        "the ceiling is k-1 for k > 2, as the next line of the proof needs"
    ),
    "nk-star-theorem-6": (
        "case 2.1 fetches the root's first symbol, which the label may hold already; the symbol "
        "that it lacks is fetched, whichever that is"
    ),
    "nk-star-corollary-1": "if and only-if are exchanged: adjacent nodes are at such levels",
    "nk-star-corollary-2": (
        "the kinds of farthest nodes are not all for even n: with the first symbol in place, an "
        "external cycle may have two positions, or one less of them be there"
    ),
    "nk-star-section-4-2": (
        "headed all-to-all, and along trees rooted at R^i(Id); the section is about one-to-all "
        "broadcasting from Id, of which the tree is rooted at Id"
    ),
    "arrangement-section-3-level": "p(2) and the source part on level 2, in A^2, not in A^1",
    "arrangement-phase-3-redundancy": "without message redundancy, not with it",
    "arrangement-phase-3-comment": "p(k) serves a subgraph as well: i ≤ k, not k-1",
    "arrangement-theorem-2": (
        "the induction needs the hypothesis up to l+1 = k-1; up to k-2 it never leaves its basis"
    ),
    "arrangement-phase-2-call": (
        "the call that ends Phase 2 passes p for p_out: its symbols are those of the label, so "
        "that exchanging one for another gives no label"
    ),
    "arrangement-phase-3-level": (
        "p(I) and the source share I-1 symbols: l := I-1; with l := I nodes of that subgraph get "
        "nothing"
    ),
    "arrangement-phase-3-loop": (
        "with l := I = k the loop's stride is a multiple of k-l = 0, so that i never passes n-1; "
        "with l := I-1 it does"
    ),
    "scc-section-2-diameter": "rounded up; the floor, printed elsewhere, is what search gives",
    "scc-lemma-1": (
        "the proof shows that the labels are no subgroup of S(n+1), not that no other group "
        "serves: the relabellings that keep all ports act regularly, on SCC 4 as 72 of them"
    ),
    "scc-cycles-ascending": (
        "only the first symbol of a cycle is its least: the others come in the order of the cycle, "
        "and laterals in ascending order sort something else"
    ),
    "scc-routes": (
        "T_p counts the routes that finish each cycle before the next; a cycle may also be "
        "executed between two laterals of another"
    ),
    "scc-figure-4": (
        "3 and 2 are exchanged: by the report's own definition of a cycle the printed word ends at "
        "16245378, the other one at the identity"
    ),
    "scc-algorithm-3": (
        "cycles nested in one another are missed; among the orders of whole cycles the rule finds "
        "the best"
    ),
    "scc-section-8-1-digits": (
        "positions counted from 0 are meant: of those from 1 to 8 the last two, 7 and 8, can be "
        "dropped, and then every ring is informed"
    ),
    "scc-section-8-1-size": "2^⌈log n⌉ is meant: its own example takes the network for 8",
    "scc-table-1-total": (
        "the sum of two figures that were cut off each, the lateral and the local steps; the whole "
        "of Equation 3, cut off once, is one more"
    ),
    "scc-theorem-4": (
        "n-1 stages of n/2 switches need an even n; for odd n, n-1 stages of (n-1)/2 sort only "
        "some permutations and it takes n stages"
    ),
    "scc-theorem-7-length": (
        "the proof counts a move to the next stage after each of the n-1 stages; after the last "
        "there is none to move to"
    ),
    "scc-theorem-7-order": (
        "(5,6) is a switch of the first stage; the second has (4,5), which is 5-4-5, and without "
        "it nodes are missed"
    ),
    "scc-sequence-ends": (
        "the sequence brings the word to every ring, but not to every node of those reached last: "
        "they need up to n/2 local steps more"
    ),
    "scc-section-9-1": (
        "with both local links no node receives later than with one, and the last node receives "
        "earlier"
    ),
    "scc-table-7-ccc-4": (
        "8 is meant: the lateral steps and as much time again for the local ones, as in the other "
        "rows"
    ),
    "uhc-notation": (
        "by the polarity function ports 0 and 2 are the out-ports of 0000; 1 and 3 are those of "
        "the negative UHC"
    ),
    "uhc-figure-4": "the figure is captioned BT2 and is the children function of BT1",
    "uhc-algorithm-1-case": (
        "after in-port i-1, in-port i has no case in print; sending as with tag i, all receive"
    ),
    "uhc-algorithm-1-port": (
        "j ≤ i+1 names one port more than there is at the source's child on the highest out-port"
    ),
    "uhc-algorithm-2-table": (
        "6-BT3's 111111 sends by out-ports 0 and 2, not 1: no highest out-port says that"
    ),
    "uhc-algorithm-2-bound": (
        "the printed bound fits n that 6 does not divide; for the others it is j + 3k"
    ),
    "uhc-figure-6-none": (
        "l = -1 where no superdimension is left gives an empty range of out-ports; l = j is right"
    ),
    "uhc-figure-6-back": (
        "the last node of the path of three must not send by out-port j, back to the root"
    ),
    "uhc-figure-6-empty": "the range l-1, …, j+1 is empty where l = j+1, not where l = j-1",
    "uhc-figure-6-state": (
        "the last case names 01 with out-port bit 0, which the fourth and fifth have; 10 with "
        "out-port bit 0 is meant, as in the second"
    ),
}
