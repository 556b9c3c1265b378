# amaranth: UnusedElaboratable=no
"""The modules of the hardware, and how they are joined."""

from functools import partial

from amaranth.lib import data

from noc.design import OrderedDesign
from noc.hardware.assembly import Assembly, Instance, Link, Part, node_names
from noc.hardware.ordered import STOP, Node, word_shape
from noc.hardware.ordered.operators import check_operator
from noc.programs.ordered import Lane
from noc.streams import Register, TwoSlots


def assemble(design: OrderedDesign) -> Assembly:
    """The nodes, and the lanes between them with their buffers."""
    return _Ordered(design, tuple(node_names(design.network))).assembly()


class _Ordered:
    """Nodes of the ordered fabric, with the buffers in their links."""

    def __init__(self, design: OrderedDesign, names: tuple[str, ...]) -> None:
        self._design, self._program, self._names = design, design.program, names
        self._buffers: list[Instance] = []
        #: The buffers of links, as modules, by the ends of their names.
        self._kinds: dict[str, Part] = {}
        self._links: list[Link] = []

    def assembly(self) -> Assembly:
        program, names = self._program, self._names
        self._check_operators()
        nodes = tuple(self._node(node) for node in range(program.network.nodes))
        for lane in (*program.lanes, *program.stop_lanes):
            self._add(lane)
        parts = [self._part(number) for number in range(len(program.plans))]
        parts += self._kinds.values()
        return Assembly(tuple(parts), (*nodes, *self._buffers), tuple(self._links), names)

    def _check_operators(self) -> None:
        """Refuse a user's operator with wrong ports before anything is built of it."""
        operators = {each.operator for each in self._program.operations.listed} - {""}
        for name in sorted(operators):
            check_operator(name, self._design.width)

    def _node(self, node: int) -> Instance:
        program = self._program
        numbered = program.plan_of(node).sends and program.source_bits
        return Instance(
            f"node_{self._names[node]}",
            int(program.plan[node]),
            (self._numbers(node) if numbered else {}) | self._ways_down(node),
            f"node {program.network.label(node)}",
        )

    def _numbers(self, node: int) -> dict[str, int]:
        """Its own number, and what that adds to parities."""
        number, words = self._program.numbers[node], self._design.words
        parity = {"number_parity": words.parity_of("source", number)} if words.parity else {}
        return {"number": number, **parity}

    def _ways_down(self, node: int) -> dict[str, int]:
        """Which nodes each output leads to, where words are for some nodes only."""
        program, wanted = self._program, self._program.operations
        children = program.down_children[node]
        result = {}
        if wanted.routed_groups:
            for output, child in enumerate((*children, None)):
                below = {node} if child is None else program.below[child]
                reached = [bool(below & set(wanted.members(g))) for g in wanted.routed_groups]
                result[f"groups__{output}"] = sum(bit << n for n, bit in enumerate(reached))
        if wanted.names_nodes:
            result |= {f"first__{n}": program.numbers[child] for n, child in enumerate(children)}
        return result

    def _add(self, lane: Lane) -> None:
        """The links of a lane, with its buffers between them; the first has the lane's name."""
        sender, receiver = self._ends(lane)
        # Names of buffers and of the wires behind them are names that no node can lead to.
        name = lane.name(self._names)
        wires = name
        for stage in range(lane.registers):
            buffer = self._program.network.nodes + len(self._buffers)
            part = len(self._program.plans) + self._buffer(lane)
            self._buffers.append(Instance(f"buffer_{stage}_{name}", part))
            self._links.append(Link(wires, sender, (buffer, "i")))
            wires = f"after_{stage}_{name}"
            sender = buffer, "o"
        self._links.append(Link(wires, sender, receiver))

    def _ends(self, lane: Lane) -> tuple[tuple[int, str], tuple[int, str]]:
        """The instance and port that a lane leaves, and those that it leads to."""
        program, sender, receiver = self._program, lane.sender, lane.receiver
        if lane.carries == "down":
            number = program.down_children[sender].index(receiver)
            return (sender, f"down_out__{number}"), (receiver, "down_in")
        if lane.carries == "stop":
            number = program.stop_children[receiver].index(sender)
            return (sender, "stop_out"), (receiver, f"stop_in__{number}")
        if lane.carries == "up":
            number = program.up_children[receiver].index(sender)
            return (sender, "up_out"), (receiver, f"up_in__{number}")
        (joins,) = (each for each in program.joins if each.group == lane.group)
        number = joins.children[receiver].index(sender)
        return (sender, f"join_{lane.group}_out"), (receiver, f"join_{lane.group}_in__{number}")

    def _part(self, number: int) -> Part:
        program, words = self._program, self._design.words
        plan, config = program.plans[number], program.config
        return Part(
            f"node_{number}" if len(program.plans) > 1 else "node",
            partial(
                Node,
                plan,
                words,
                queue=config.queue,
                stand_ins=config.stand_ins,
                watchdog=config.watchdog,
                sinks=config.sinks,
                sink_timeout=config.sink_timeout,
                lookahead=config.lookahead,
                detects=self._design.protect == "detect",
            ),
        )

    def _buffer(self, lane: Lane) -> int:
        """The number of the buffers of a lane among those of all lanes."""
        words, waits = self._design.words, self._program.waits(lane)
        if lane.carries == "stop":
            shape, suffix = STOP.members["payload"].shape, "stop_register"
        elif lane.group is None:
            shape = word_shape(words.inside)
            suffix = "link_register" if waits else "down_register"
        else:
            shape = data.StructLayout(words.join(lane.group))
            suffix = f"join_{lane.group}_register"
        waiting = partial(TwoSlots, announced=self._program.announces(lane))
        build = partial(waiting if waits else Register, shape)
        self._kinds.setdefault(suffix, Part(suffix, build))
        return list(self._kinds).index(suffix)
