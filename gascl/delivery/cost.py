"""The cost model: about how long a superstep takes by each delivery.

It is a function of a program's traits, the size of the graph and the rates of a kind of device.
`auto` chooses by it, `frontier` changes between pushing and pulling by it, and `explain` and the
trace show it. Only ratios matter: it decides how a result is computed, never which.

What all deliveries have in common is left out, such as the program's own snippets.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from gascl.codegen.constants import SORTED_ROW, VERY_LONG_ROW
from gascl.delivery.admission import Demand
from gascl.language.combiners import EXPRESSION
from gascl.language.program import VertexProgram
from gascl.language.traits import Traits
from gascl.language.types import Type


@dataclass(frozen=True)
class Size:
    """The size of a graph.

    Attributes:
        arcs: of the program's direction, of all ranks.
        hub: the largest number of arcs that end in one vertex.
    """

    vertices: int
    arcs: int
    hub: int = 0

    @property
    def row(self) -> float:
        """About the number of arcs of a row that a random arc is part of: a degree between the mean
        and the largest one."""
        mean = self.arcs / max(self.vertices, 1)
        return max(mean, (mean * self.hub) ** 0.5)

    @property
    def starry(self) -> bool:
        """Whether one vertex has arcs to all others, and a quarter of all arcs, so that two
        supersteps reach everything, and in each many vertices send."""
        return self.hub >= self.vertices - 1 and self.hub > self.arcs / 4

    @property
    def dense(self) -> bool:
        """Whether rows are so alike that a CPU learns which of their neighbors send, and which
        messages change nothing."""
        return self.arcs > self.vertices**2 / 4


#: Where no graph is known.
TYPICAL = Size(2**20, 2**24, 2**12)


@dataclass(frozen=True)
class Rates:
    """What parts of a superstep take on a kind of device, in nanoseconds: of one core of a CPU, or
    of a GPU.

    Attributes:
        vertex: by delivery, a vertex that it visits.
        arc: by delivery, an arc that it visits.
        message: by delivery, a message beyond its arc, if it is not posted in the inbox.
        post: by delivery and way, a message that is posted: as `_way` says, or "learned" if a
            processor learns which messages are dropped.
        active: a vertex in a list of active ones.
        marked: an active vertex in a frontier that is pulled.
        first: the first message to a vertex that is listed for it, where most others are dropped.
        mask: an arc whose sender may be in the mask, by delivery, where receivers visit arcs.
        shared: a component of an array that may not be sent, where the items of a work-group share
            each message.
        doubt: by delivery, an arc of which that is as likely as not, if a branch is mispredicted
            then.
        sorting: an arc whose sender a frontier sorts out without a branch, in rows that are long
            enough.
        row: a row whose messages a gather snippet reads one by one, by delivery.
        entry: a byte of what the outbox of a vertex holds, if that is not its message but what
            scatter reads of it.
        fill: a vertex whose outbox is not filled together with its apply.
        stored: by delivery, a byte beyond the fourth of what is read at the sender, or stored for
            an arc.
        array: the same where messages are arrays, if it differs.
        component: one of an array in the outbox of a vertex, where the items of a work-group share
            each message.
        box: a component of the array that a vertex has pulled before it applies: where all pull
            from a frontier, or those that it has reached.
        state: an arc field that scatter may change, by delivery.
        choosing: by delivery, an arc that scatter reads before it decides whether to send.
        lane: by delivery, how much of the time of the first lane each other one takes; 1 if it is
            not here.
        edge: a byte of edge fields.
        filter: by delivery, an arc whose message `receive_if` reads.
        wait: by delivery and way, a message to a vertex to which others are being posted.
        alone: by what is asked of an arc, and by delivery, an arc of the largest row, which a core
            or work-group has to itself; on CPUs, that takes as long as any other.
        alone_stored: as `stored`, in such a row.
        launches: those of a superstep, by delivery, where no launch runs several supersteps; and
            what `frontier` does for each superstep beyond pushing.
        together: a superstep of `pull` or `outbox` in a persistent kernel, in which all work-groups
            wait for each other, while one alone would follow a small frontier.
        common: by delivery, an arc whose scatter looks for common neighbors, in rows of a hundred
            arcs or so; "" is any other delivery. On CPUs, pull has a table of the receiver's.
        open: how many of the arcs are visited where `receive_if` closes vertices.
        once: a vertex, and an arc, of a run in any order in which each vertex scatters, or applies,
            once, by delivery.
        chain: a vertex that waits for the one before it in such a run.
    """

    vertex: Mapping[str, float]
    arc: Mapping[str, float]
    message: Mapping[str, float]
    post: Mapping[str, Mapping[str, float]]
    active: float
    marked: float
    first: float
    mask: Mapping[str, float]
    shared: float
    doubt: Mapping[str, float]
    sorting: float
    row: Mapping[str, float]
    entry: float
    fill: float
    stored: Mapping[str, float]
    array: Mapping[str, float]
    component: float
    box: Mapping[str, float]
    state: Mapping[str, float]
    choosing: Mapping[str, float]
    lane: Mapping[str, float]
    edge: float
    filter: Mapping[str, float]
    wait: Mapping[str, Mapping[str, float]]
    alone: Mapping[str, Mapping[str, float]]
    alone_stored: Mapping[str, float]
    launches: Mapping[str, float]
    together: float
    common: Mapping[str, float]
    open: float
    once: Mapping[str, tuple[float, float]]
    chain: float


#: Up to this many vertices and arcs, in all lanes, a persistent kernel also runs the supersteps of
#: deliveries that visit all of them. With 10 arcs a vertex, PageRank on two cores takes a third of
#: the time up to 2**16, three quarters at 2**17, and as long as by launches from 2**18 on; if other
#: work keeps the cores busy, it may take longer there.
WHOLE = {"CPU": 2**17, "GPU": 2**16}
#: Up to this many vertices, in all lanes, it does so where nothing is sent along arcs. On an H100,
#: three launches take longer than a superstep of 2**20 vertices.
WHOLE_APPLY = {"CPU": 2**17, "GPU": 2**21}

#: One core of an AMD EPYC with PoCL: processor time of benchmarks/kinds.py's programs with one
#: thread, scale 14, on R-MAT and uniform graphs, a grid, a star, a path and a clique.
CPU = Rates(
    vertex={"pull": 1.2, "outbox": 1.2, "slots": 2, "edges": 1.7, "push": 1.5, "frontier": 1.6,
            "reached": 1.6},
    arc={"pull": 0.38, "outbox": 0.25, "slots": 0.23, "edges": 0.35, "push": 0, "frontier": 0.3,
         "reached": 0.8},
    message={"pull": 0.42, "outbox": 0.5, "slots": 1.9, "frontier": 0.3},
    post={
        "push": {"dropped": 1.4, "native": 1.6, "checked": 3.8, "cas": 4, "learned": 0.6},
        "edges": {"dropped": 0.7, "native": 3.6, "checked": 5.5, "cas": 6},
    },
    active=3,
    marked=0.5,
    first=7,
    mask={"pull": 0.15, "outbox": 0.25, "frontier": 0.5},
    shared=0,
    doubt={"pull": 3.4, "outbox": 3.4, "slots": 4},
    sorting=0.2,
    row={"outbox": 1.5, "slots": 0},
    entry=0.08,
    fill=1,
    stored={"pull": 0.02, "outbox": 0.01, "slots": 0.1, "frontier": 0.02},
    array={},
    component=0,
    box={"frontier": 21, "reached": 7},
    state={"slots": 2},
    choosing={"pull": 0.2},
    lane={"pull": 0.15, "outbox": 0.15},
    edge=0.015,
    filter={"pull": 0.2, "outbox": 0.4, "frontier": 0.3, "slots": 1},
    wait={},
    alone={},
    alone_stored={},
    launches={"slots": 15_000, "edges": 15_000},
    together=0,
    common={"pull": 80, "": 125},
    open=0.4,
    # ShortestPaths on a grid and on kron 18, divided by their vertices and arcs; and a program
    # whose vertices apply once, and read a field of each neighbor.
    once={"asynchronous": (38, 4.9), "in_place": (5, 1.8)},
    chain=100,  # reachability on a path of 2^16 vertices
)  # fmt: skip
#: One H100: the same programs on R-MAT 20 (benchmarks/results/kinds-h100.csv); rows and hubs by a
#: star with 2^20 leaves.
GPU = Rates(
    vertex={"pull": 0.03, "outbox": 0.03, "slots": 0.05, "edges": 0.03, "push": 0.04,
            "frontier": 0.05, "reached": 0.05},
    arc={"pull": 0.0035, "outbox": 0.0035, "slots": 0.007, "edges": 0.0065, "push": 0,
         "frontier": 0.009, "reached": 0.03},
    message={"pull": 0.004, "outbox": 0.0038, "slots": 0.03, "frontier": 0.004},
    post={
        "push": {"dropped": 0.0175, "native": 0.02, "checked": 0.04, "cas": 0.19},
        "edges": {"dropped": 0.004, "native": 0.03, "checked": 0.025, "cas": 0.28},
    },
    active=0.05,
    marked=0,
    first=0,
    mask={"pull": 0.007, "outbox": 0.007, "frontier": 0.007},
    shared=0.0012,
    doubt={},
    sorting=0,
    row={"outbox": 0, "slots": 0},
    entry=0,
    fill=0,
    stored={"pull": 0.0013, "outbox": 0.0006, "slots": 0.0022, "frontier": 0.0013},
    array={"pull": 0.003},
    component=0.015,
    box={"frontier": 0.004, "reached": 0.004},
    state={"slots": 0.07},
    choosing={},
    lane={"pull": 0.6, "outbox": 0.6},
    edge=0.0004,
    filter={"outbox": 0.004},
    wait={
        "push": {"dropped": 0.1, "native": 0.25, "checked": 1, "cas": 4.4},
        "edges": {"dropped": 0.1, "native": 0.75, "checked": 0.85, "cas": 4.5},
    },
    alone={
        "nothing": {"pull": 0.5, "outbox": 0.45, "slots": 0.45, "frontier": 0.7},
        "field": {"pull": 3.8, "outbox": 3.6, "slots": 0.7, "frontier": 4},
        "message": {"pull": 0.8, "outbox": 0.9, "slots": 2.3, "frontier": 1},
        "mask": {"pull": 2.4, "outbox": 0.95, "slots": 2, "frontier": 2.7},
        "state": {"slots": 2.1},
        "order": {"outbox": 8, "slots": 24},
    },
    alone_stored={"pull": 0.9, "outbox": 0.25, "slots": 0.4, "frontier": 0.9},
    launches={"pull": 40_000, "outbox": 30_000, "slots": 50_000, "edges": 50_000, "frontier": 1000},
    together=20_000,  # a path of 2^14 vertices, an H200
    common={"edges": 4, "": 10},
    open=0.9,
    once={"asynchronous": (0.07, 0.055)},  # ShortestPaths on R-MAT 22 and 24, an H200
    chain=3600,  # breadth-first search by depth on a grid of 3000^2 vertices, the same
)  # fmt: skip
FEW = 1 / 1000
ALL_BUT_FEW = 1 - 1e-6
#: The deliveries in which work-groups that share very long rows do so along all arcs.
SPLITTING = ("pull", "outbox")
#: Shares of the arcs that go out from vertices that send, where the mask decides on that, and how
#: many supersteps of each there are. Runs with a mask mostly end with many supersteps in which few
#: vertices send: GreedyColoring has 1,580 on R-MAT 20, which took 0.05 ms each by `push` and 0.49
#: by `slots` on an H100.
SHARES = {1 / 2: 1, 1 / 16: 1, FEW: 10, 1e-6: 10}
#: The same for a superstep in which all send, if the program chooses those that begin; and the most
#: for those with few senders, if there is a `receive_if`, which ends most runs soon, or if all
#: vertices always apply, so that few of them is never known.
RARELY, SOON = 0.1, 2


@dataclass(frozen=True)
class Costs:
    """About how long the supersteps of a program take on a graph and a device.

    Attributes:
        rates, units: of the device, and how many such units it has: cores of a CPU, or 1 GPU.
        way: how messages are combined in the inbox: "dropped" if most change nothing there,
            "native" by one atomic operation, "checked" by one for a sum and one for its overflow,
            or "cas" in a loop of compare-and-swap.
        scatters: there are messages along arcs.
        filters: `receive_if` reads the message.
        closes: `receive_if` does not read it: some vertices receive nothing any more.
        masked: only the vertices in the mask send.
        begins: the first mask has every vertex.
        everywhere: every vertex applies, also if it receives nothing.
        only_applies: as `Traits.only_applies`.
        singly: a gather snippet reads the messages one by one.
        splits: work-groups can share very long rows (`Traits.splits`).
        whole: a launch of `pull` or `outbox` runs several supersteps.
        reads_edge: scatter reads its arc.
        first: the first message is enough for a vertex.
        keeps: arcs have fields that scatter may change.
        adds: on a CPU, `outbox` adds the identity where no message is sent, without a branch.
        chooses: scatter decides for each arc whether to send.
        fills: the outbox is filled before all vertices gather, not as they apply.
        common: scatter looks for common neighbors along all arcs.
        components: of a message that is an array; otherwise 0.
        lanes, knows_lanes: the number of lanes; pull knows in which of them each vertex sends.
        message, sender, edge: the bytes of a message, and those that scatter reads of the sender,
            and of the edge's fields.
    """

    rates: Rates
    units: int
    size: Size
    way: str
    scatters: bool
    filters: bool
    closes: bool
    masked: bool
    begins: bool
    everywhere: bool
    only_applies: bool
    singly: bool
    splits: bool
    whole: bool
    reads_edge: bool
    first: bool
    keeps: bool
    adds: bool
    chooses: bool
    fills: bool
    common: bool
    components: int
    lanes: int
    knows_lanes: bool
    message: int
    sender: int
    edge: int

    def estimate(self, delivery: str, share: float = 1.0) -> dict[str, float]:
        """About how many seconds a superstep takes, by what takes them.

        Args:
            share: of the arcs, how many go out from vertices that send; if all send, 1.

        Returns:
            Nothing of a delivery whose rates are not known.
        """
        if delivery not in self.rates.vertex:
            return {}
        if delivery in ("frontier", "reached"):
            pushing = self.listed(delivery, share)
            pushing |= self._terms(launches=self._launches("frontier"))
            # Where all vertices always send, their arcs are not counted, and it never pulls.
            pulls = self.masked and self.scatters
            ways = (pushing, self.pulling(share)) if pulls else (pushing,)
            return min(ways, key=lambda terms: sum(terms.values()))
        if delivery == "push":
            return self.pushing(share)
        terms = self._visiting(delivery, share)
        if self.splits and delivery in SPLITTING and self.size.hub > VERY_LONG_ROW:
            terms.pop("hub", None)
        return terms

    def in_any_order(self, delivery: str, chain: float = 0) -> dict[str, float]:
        """About how many seconds a run takes without supersteps in which each vertex scatters, or
        applies, once; nothing of a delivery whose rates are not known.

        Args:
            chain: of how many vertices each waits for the one before it.
        """
        if delivery not in self.rates.once:
            return {}
        vertex, arc = self.rates.once[delivery]
        return self._terms(
            vertices=self.size.vertices * vertex,
            arcs=self.size.arcs * arc,
            chain=chain * self.rates.chain * self.units,
        )

    def seconds(self, delivery: str, share: float = 1.0) -> float:
        """About how many seconds a superstep takes."""
        return sum(self.estimate(delivery, share).values())

    def pushing(self, share: Any) -> dict[str, Any]:
        """`estimate` where senders are listed, and post their messages; `share` may be an array, as
        the seconds are then."""
        rates, vertices = self.rates, self.size.vertices
        listed = share * vertices * rates.active
        post = rates.post["push"]
        learned = self.size.dense and self.filters
        each = post.get("learned" if learned else self.way, post[self.way])
        each += self._edge + self._looking("push")
        arcs = share * self.size.arcs
        return self._terms(
            vertices=listed + self.everywhere * vertices * rates.vertex["push"],
            messages=self.scatters * (arcs * each + self._firsts(arcs)),
            hub=self._waits("push", share),
        )

    def reaching(self, share: Any) -> dict[str, Any]:
        """`estimate` where senders are listed, and mark the vertices that then pull their rows;
        `share` as in `pushing`."""
        rates, size = self.rates, self.size
        messages = share * size.arcs
        rows = size.arcs * -np.expm1(-share * size.row)
        stored = max(self.sender - 4, 0) * rates.stored["frontier"]
        row = size.hub * (self._alone("frontier") or rates.arc["reached"])
        receivers = np.minimum(messages, size.vertices)
        applied = size.vertices if self.everywhere else receivers
        return self._terms(
            vertices=share * size.vertices * rates.active
            + receivers * rates.first
            + applied * (rates.vertex["reached"] + self._box("reached")),
            arcs=messages * rates.post["push"]["dropped"] + rows * rates.arc["reached"],
            messages=messages * (rates.message["frontier"] + stored + self._edge),
            hub=-np.expm1(-share * size.hub) * row,
        )

    def listed(self, delivery: str, share: Any) -> dict[str, Any]:
        """`estimate` of `push`, `frontier` or `reached` where they follow the list of senders."""
        return self.reaching(share) if delivery == "reached" else self.pushing(share)

    def pulling(self, share: float) -> dict[str, float]:
        """`estimate` where all vertices pull from a frontier."""
        return self._visiting("frontier", share)

    def share_to_pull(self, delivery: str = "frontier") -> float:
        """From which share of the arcs on all vertices pull from a frontier; above 1: never."""
        low, high = 0.0, 1.0
        if not self.scatters or self._list_is_faster(delivery, high):
            return 2.0
        for _ in range(20):
            middle = (low + high) / 2
            faster = self._list_is_faster(delivery, middle)
            low, high = (middle, high) if faster else (low, middle)
        return min(high, ALL_BUT_FEW)  # if all send, pulling need not look for senders

    def _list_is_faster(self, delivery: str, share: float) -> bool:
        return sum(self.listed(delivery, share).values()) < sum(self.pulling(share).values())

    def total(self, delivery: str) -> float:
        """About how many seconds a run takes in whose supersteps all vertices send, half of them,
        few and next to none, as often as `SHARES` says; if every vertex always sends, one
        superstep."""
        every = self.seconds(delivery)
        if not self.masked:
            return every
        soon = self.filters or self.closes or self.everywhere
        most = SOON if soon else max(SHARES.values())
        if self.size.starry and not (self.everywhere or self.filters):
            most = 0
        fewer = sum(
            min(times, most) * self.seconds(delivery, share) for share, times in SHARES.items()
        )
        return (1 if self.begins else RARELY) * every + fewer

    def _visiting(self, delivery: str, share: float) -> dict[str, float]:
        """`estimate` where all vertices and arcs are visited."""
        rates, size = self.rates, self.size
        posts = rates.post.get(delivery)
        lanes = 1 + (self.lanes - 1) * rates.lane.get(delivery, 1)
        holds_fields = delivery == "outbox" and self.reads_edge
        vertex = lanes * (rates.vertex[delivery] + self.singly * rates.row.get(delivery, 0))
        vertex += holds_fields * self.sender * rates.entry
        vertex += (delivery == "outbox" and self.fills) * rates.fill
        if delivery == "outbox" and not holds_fields:
            vertex += self.components * rates.component
        vertex += (delivery == "frontier") * share * rates.marked + self._box(delivery)
        launches = self._launches(delivery)
        if not self.scatters and delivery in ("pull", "frontier"):
            return self._terms(vertices=size.vertices * vertex, launches=launches)
        arcs = size.arcs * (1 if delivery == "pull" and self.knows_lanes else lanes)
        if self.first and delivery in ("pull", "frontier"):  # a row up to the first message
            arcs = min(arcs, size.vertices / max(share, min(SHARES)))
        opened = rates.open if self.closes and not posts and delivery != "slots" else 1.0
        arcs *= opened
        some = self.masked and (share < 1 or delivery != "frontier")  # which knows if all send
        adds = self.adds and delivery == "outbox"
        learned = adds or (self.size.dense and delivery != "slots")
        doubt = 0.0 if learned else rates.doubt.get(delivery, 0) * 4 * share * (1 - share) * opened
        sorts = delivery == "frontier" and size.arcs >= SORTED_ROW * size.vertices
        shared = (delivery == "outbox") * self.components * rates.shared
        in_doubt = some * (rates.mask.get(delivery, 0) + doubt + sorts * rates.sorting + shared)
        kept = self.keeps * rates.state.get(delivery, 0) * (not size.dense)
        stores = delivery in ("outbox", "slots") and not holds_fields
        wide: float = (self.message if stores else self.sender) - 4
        if delivery != "slots":  # which stores the messages of all lanes
            wide /= self.lanes
        wide = max(wide, 0)
        message = posts[self.way] if posts else 0.0
        if not posts:
            stored = rates.stored[delivery]
            if self.components:
                stored = rates.array.get(delivery, stored)
            message = rates.message[delivery] + wide * stored
        sent = 1.0 if adds else share
        firsts = self._firsts(arcs * share) if posts else 0.0
        visited = rates.arc[delivery] + self._edge + kept
        visited += self.chooses * rates.choosing.get(delivery, 0)
        visited += self._looking(delivery)
        visited += self.filters * rates.filter.get(delivery, 0)
        terms = self._terms(
            vertices=size.vertices * vertex,
            arcs=arcs * visited,
            mask=arcs * in_doubt,
            messages=self.scatters * (arcs * sent * message + firsts),
            hub=self._waits(delivery, share),
            launches=launches,
        )
        if not posts and not self.first:
            arc = self._alone(delivery) or visited + in_doubt + sent * message
            arc += wide * rates.alone_stored.get(delivery, 0)
            row = opened * size.hub * arc / 1e9
            if row > sum(terms.values()):  # the others have finished by then
                terms["hub"] = row - sum(terms.values())
        return terms

    def waits_for_row(self, delivery: str) -> bool:
        """Whether a superstep in which all send waits for the work-group that has the largest
        row, unless others share it."""
        return "hub" in self._visiting(delivery, 1.0)

    def _launches(self, delivery: str) -> float:
        if self.whole and delivery in ("pull", "outbox"):
            return self.masked * self.rates.together * self.units
        return self.rates.launches.get(delivery, 0) * self.units

    def _alone(self, delivery: str) -> float:
        """What an arc of a row takes that has a work-group to itself; 0: it is not known."""
        asks = {
            "field": self.edge,
            "message": self.filters,
            "mask": self.masked,
            "state": self.keeps,
            "order": self.singly,
        }
        asked = ["nothing", *(name for name, holds in asks.items() if holds)]
        return max(self.rates.alone.get(name, {}).get(delivery, 0) for name in asked)

    def _looking(self, delivery: str) -> float:
        return self.common * self.rates.common.get(delivery, self.rates.common[""])

    def _firsts(self, messages: Any) -> Any:
        """What the first message to each vertex that is listed for it takes beyond others."""
        if self.everywhere:
            return 0.0
        return np.minimum(messages, self.size.vertices) * self.rates.first

    def _box(self, delivery: str) -> float:
        return self.components * self.rates.box.get(delivery, 0)

    @property
    def _edge(self) -> float:
        return self.edge * self.rates.edge

    def _waits(self, delivery: str, share: Any) -> Any:
        """How long the messages to the largest hub wait for each other."""
        wait = self.rates.wait.get(delivery, {}).get(self.way, 0)
        return self.scatters * share * self.size.hub * wait

    def _terms(self, **nanoseconds: Any) -> dict[str, Any]:
        return {
            name: each / self.units / 1e9
            for name, each in nanoseconds.items()
            if isinstance(each, np.ndarray) or each
        }


def fits_one_launch(traits: Traits, size: Size, kind: str) -> bool:
    """Whether a persistent kernel runs the supersteps of a delivery that visits all vertices."""
    visits = traits.apply_visits_neighbors or traits.apply_loops
    waits = kind == "GPU" and visits  # with half as many items at a time
    if traits.only_applies and not waits:
        return size.vertices * traits.lanes <= WHOLE_APPLY.get(kind, 0)
    return (size.vertices + size.arcs) * traits.lanes <= WHOLE.get(kind, 0)


def costs_of(
    program: VertexProgram, demand: Demand, size: Size, on_gpu: bool = False, cores: int = 1
) -> Costs:
    """The costs of a program on a graph of this size, on a GPU or a CPU with this many cores."""
    spec, traits = program.spec, demand.traits
    scatter, init = spec.snippet("scatter"), spec.snippet("init")
    fields = {name: f.resolve(program.dtype) for name, f in spec.vertex_fields.items()}
    edges = {name: f.resolve(program.dtype) for name, f in spec.edge_fields.items()}
    of_sender, of_edge = scatter.reads("v"), scatter.reads("e")
    degrees = 4 * len(of_sender & {"out_degree", "in_degree", "degree"})
    message = spec.message_type(program.dtype)
    return Costs(
        rates=GPU if on_gpu else CPU,
        units=1 if on_gpu else max(cores, 1),
        size=size,
        way=_way(demand),
        scatters=traits.scatters,
        filters=traits.filters,
        closes=traits.receives and not traits.filters,
        masked=not traits.scatters_on_all,
        begins="mask" not in spec.snippets and not init.uses("set_mask", "set_mask_of"),
        everywhere=traits.applies_to_all,
        only_applies=traits.only_applies,
        singly=traits.reads_singly,
        splits=on_gpu and traits.may_split and not traits.reads_singly,
        whole=fits_one_launch(traits, size, "GPU" if on_gpu else "CPU"),
        reads_edge=traits.reads_edge,
        first=traits.first,
        keeps=traits.arc_state,
        chooses=traits.reads_edge and not scatter.sends_always,
        fills=not traits.fusable,
        adds=not on_gpu and _adds_identity(program, traits, message),
        common=traits.scatter_finds_common and traits.scatters_on_all,
        components=message.width if message.boxed else 0,
        lanes=traits.lanes,
        knows_lanes=traits.lane_words,
        message=message.itemsize * traits.lanes,
        sender=_bytes(fields, of_sender) * traits.lanes + degrees,
        edge=_bytes(edges, of_edge),
    )


def _adds_identity(program: VertexProgram, traits: Traits, message: Type) -> bool:
    """Whether `outbox` adds the identity where a vertex sends nothing, in the only lane."""
    named = not traits.counts_once and program.spec.combiner not in (None, EXPRESSION)
    branches = traits.filters or traits.reads_edge or traits.lanes > 1
    return named and not branches and message.width == 1 and not message.members


def _bytes(types: Mapping[str, Type], names: Iterable[str]) -> int:
    """The bytes of those fields that have these names."""
    return sum(types[name].itemsize for name in types.keys() & set(names))


def _way(demand: Demand) -> str:
    """How messages are combined in the inbox."""
    traits = demand.traits
    if traits.filters or traits.counts_once:
        return "dropped"
    if demand.atomic == "cas" and not traits.selects:
        return "cas"
    return "checked" if traits.overflows else "native"
