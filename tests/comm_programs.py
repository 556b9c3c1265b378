"""Programs of nodes for tests; on Verilog they are loaded in a process of their own."""

import random

import pytest

from noc.comm import ANY, BXOR, MAX, MIN, SUM, run
from noc.errors import InputError

#: What the programs here need.
OPERATIONS = (
    *("broadcast", "send", "scatter", "gather", "all_gather", "reduce:max", "all_reduce:sum"),
    *("all_reduce:min_signed", "barrier", "multicast@some", "all_reduce:bxor@some"),
    "barrier@some",
)


def listed(values):
    return None if values is None else values.tolist()


async def each_operation(comm):
    """Each operation once, with the group ``some`` too."""
    first, last = comm.members[0], comm.members[-1]
    some, number = comm.group("some"), comm.rank + 1
    parts = [[node, node * node] for node in comm.members]
    results = {
        "bcast": listed(await comm.bcast([1, 2, 3] if comm.rank == last else None, root=last)),
        "scatter": listed(await comm.scatter(parts if comm.rank == first else None)),
        "gather": await comm.gather([number] * number, root=last),
        "all_gather": [listed(v) for v in await comm.all_gather([number, 0, number])],
        "reduce": listed(await comm.reduce([number, 9 - number], MAX, root=last)),
        "sum": listed(await comm.all_reduce([100, 200, number])),
        "signed sum": listed(await comm.signed.all_reduce(-number)),
        "signed min": listed(await comm.signed.all_reduce([-number, 3 - number], MIN)),
        "all_to_all": [
            listed(v) for v in await comm.all_to_all([number * n for n in comm.members])
        ],
        "reduce_scatter": listed(
            await comm.reduce_scatter([[number, n] for n in comm.members], MAX)
        ),
        "barrier": await comm.barrier(),
    }
    if results["gather"] is not None:
        results["gather"] = [listed(values) for values in results["gather"]]
    if comm.rank == first:
        await some.publish([7, 8])
    if comm.rank in some.members:
        await some.barrier()
        results["bxor"] = listed(await some.all_reduce([number, 1], BXOR))
    if comm.rank in some.members and (comm.rank != first):
        source, values = await some.published()
        results["published"] = (source, listed(values))
    sending = comm.start(comm.send([number, number], (comm.rank + 1) % comm.size))
    source, values = await comm.recv(ANY)
    await sending
    return results | {"recv": (source, listed(values))}


async def at_random(comm, seed):
    """Messages of all kinds in flight at the same time, and nodes that are late."""
    plan, own = random.Random(seed), random.Random(f"{seed} {comm.rank}")
    tasks = []
    for _ in range(12):
        kind, node, length = plan.randrange(5), plan.choice(comm.members), plan.randint(1, 4)
        values = [own.randrange(100) for _ in range(length)]
        sender = plan.choice(comm.members)
        if kind == 0:
            tasks.append(comm.start(comm.all_reduce(values, SUM)))
        elif kind == 1:
            tasks.append(comm.start(comm.reduce(values, MAX, root=node)))
        elif kind == 2:
            tasks.append(comm.start(comm.all_gather(values)))
        elif kind == 3:
            tasks.append(comm.start(comm.bcast(values, root=node)))
        elif comm.rank == sender:
            tasks.append(comm.start(comm.send(values, node)))
        if kind == 4 and comm.rank == node:
            tasks.append(comm.start(comm.recv(sender)))
        if own.random() < 0.3:
            await comm.sleep(own.randint(1, 9))
    return repr([await task for task in tasks])


async def publish_all(comm, count):
    """Everyone publishes, and notes what comes in which order."""
    for place in range(count):
        comm.start(comm.publish([comm.rank, place]))
    arrived = [await comm.published() for _ in range(count * comm.size)]
    assert all(source == values[0] for source, values in arrived)
    return [listed(values) for _, values in arrived]


async def one_after_the_other(comm, seed):
    """Several programs, with what each gave and when it ended."""
    results = []
    for program, *arguments in ((each_operation,), (at_random, seed), (publish_all, 3)):
        results += [await program(comm, *arguments), comm.cycle]
        await comm.barrier()
    return results


async def wait_for_each_other(comm):
    if comm.rank == 1:
        await comm.recv(2)
    else:
        await comm.start(comm.all_reduce(1))


async def fail_late(comm):
    await comm.sleep(5)
    return 1 // comm.rank


async def know_the_network(comm):
    return comm.label, comm.width, comm.size, comm.group("some").members


async def in_rounds(comm, seed, name, root):
    """Messages of a network with one exchange, some in flight at the same time, at any time."""
    kind, _, op = name.partition(":")
    plan, own = random.Random(seed), random.Random(f"{seed} {comm.rank}")
    tasks = []
    for _ in range(8):
        length, other = plan.randint(1, 5), plan.randrange(comm.size)
        parts = [[own.randrange(100) for _ in range(length)] for _ in comm.members]
        if kind == "reduce_scatter" and plan.random() < 0.5:
            call = comm.reduce(parts[0], op, root=other)
        elif kind in ("reduce_scatter", "all_reduce"):
            each = parts if kind == "reduce_scatter" else parts[0]
            call = getattr(comm, kind)(each, op)
        elif kind == "scatter":
            call = comm.scatter(parts if comm.rank == root else None)
        else:
            call = getattr(comm, kind)(parts if kind == "all_to_all" else parts[0])
        tasks.append(comm.start(call))
        if own.random() < 0.5:
            await comm.sleep(own.randint(1, 30))
    return repr([await task for task in tasks]), comm.cycle


async def send_around(comm, pairs):
    """Words of some nodes for others, of a network that carries no others."""
    for giver, taker in pairs:
        if comm.rank == giver:
            await comm.send([giver, taker], taker)
    return [listed((await comm.recv(a)).values) for a, b in pairs if b == comm.rank]


def refuse(on, call, message):
    """A program of one call is refused in one line."""

    async def program(comm):
        await call(comm)

    with pytest.raises((InputError, RuntimeError), match=message) as caught:
        run(program, on)
    assert "\n" not in str(caught.value)
