"""`Traits`: what follows from a program's snippets, for code generation and for the deliveries."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from operator import or_

from gascl.language.combiners import EXPRESSION, FIRST, SUM
from gascl.language.keywords import words_to
from gascl.language.message_loops import by_windows, looks_ahead, only_indexes
from gascl.language.reductions import neighbor_loops
from gascl.language.snippet import Snippet
from gascl.language.spec import ProgramSpec

#: An expression that returns one of its two operands.
_SELECTION = re.compile(r"\?\s*\(?\s*[ab]\s*\)?\s*:\s*\(?\s*[ab]\s*\)?\s*$")
#: What may keep a statement from being executed.
_BRANCH = re.compile(r"\b(?:if|for|while|switch|return|goto)\b|\?|&&|\|\|")
#: The two ends of an arc, as arguments.
_ENDS = ("e.src,e.dst", "e.dst,e.src")
#: An expression that prefers the group with the most messages.
_MOST = re.compile(r"\s*(a\s*\.\s*count\s*>\s*b|b\s*\.\s*count\s*<\s*a)\s*\.\s*count\s*")
#: Functions that compilers for CPUs calculate for several arguments at once.
_AT_ONCE = ("exp", "exp2", "exp10", "tanh")
#: What is followed by a parenthesis, and what of that takes little time.
_CALLED = re.compile(r"\b([A-Za-z_]\w*)\s*\(")
_PLAIN = ("if", "send", "hash", "uniform", "min", "max", "abs", "int", "uint", "long", "ulong")
#: The words that put vertices into the mask.
_SET_MASK = ("set_mask", "set_mask_of")


@dataclass(frozen=True)
class Traits:
    """Properties of a program, derived from its spec; each is computed on first use.

    Attributes:
        lanes: the number of runs at once.
        debug: in debug mode nothing is fused or skipped, so that every fault is reported in time.
        shares: vertices with many neighbors apply later than the others, each by a whole
            work-group, which shares the loops of apply that only reduce (language/reductions.py).
        splits: work-groups first share the segments of very long rows (kernels/gather/group.cl).
        cuts: ranks first share the segments of rows that are longer than a rank's share.
    """

    spec: ProgramSpec
    lanes: int
    debug: bool
    shares: bool
    splits: bool
    cuts: bool

    @classmethod
    def of(
        cls,
        spec: ProgramSpec,
        lanes: int | None = None,
        debug: bool = False,
        shares: bool = False,
        splits: bool = False,
        cuts: bool = False,
    ) -> Traits:
        """The traits of a program; `lanes` are those of its class unless given."""
        return cls(spec, spec.lanes if lanes is None else lanes, debug, shares, splits, cuts)

    # --- snippets ---

    @cached_property
    def _scatter(self) -> Snippet:
        return self.spec.snippet("scatter")

    @cached_property
    def _gather(self) -> Snippet:
        return self.spec.snippet("gather")

    @cached_property
    def _prefer(self) -> Snippet:
        return self.spec.snippet("prefer")

    @cached_property
    def _apply(self) -> Snippet:
        return self.spec.snippet("apply")

    @cached_property
    def _receive_if(self) -> Snippet:
        return self.spec.snippet("receive_if")

    @cached_property
    def _init(self) -> Snippet:
        return self.spec.snippet("init")

    @cached_property
    def _statements(self) -> list[Snippet]:
        """The snippets that consist of statements."""
        return [self._init, self._scatter, self._gather, self._apply]

    @cached_property
    def _first_values(self) -> list[Snippet]:
        """The init expressions of vertex fields."""
        return [self.spec.snippet(f"{name}.init") for name in self.spec.vertex_fields]

    def _uses(self, *words: str) -> bool:
        """Whether any snippet uses one of these words."""
        return any(snippet.uses(*words) for snippet in (*self._statements, *self._first_values))

    def _read_of_others(self, *snippets: Snippet) -> tuple[str, ...]:
        """The fields that these snippets read of other vertices (`FIELD_of`)."""
        names = self.spec.vertex_fields
        return tuple(n for n in names if any(each.uses(f"{n}_of") for each in snippets))

    # --- messages ---

    @cached_property
    def scatters(self) -> bool:
        """Whether there is a scatter snippet."""
        return bool(self._scatter)

    @cached_property
    def scatters_on_all(self) -> bool:
        """Whether every vertex scatters in every superstep."""
        return self.spec.scatter_on == "all"

    @cached_property
    def applies_to_all(self) -> bool:
        """Whether every vertex applies in every superstep."""
        return self.spec.apply_on == "all"

    @cached_property
    def only_receivers(self) -> bool:
        """Whether a superstep leaves vertices without a message as they are, and has no sums of
        floats."""
        others = self.applies_to_all or self.spec.apply_on == "mask" or self.pairs or self.sends_to
        return not (others or self.spec.aggregates)

    @cached_property
    def only_applies(self) -> bool:
        """Whether a superstep is the apply of all vertices, and nothing is sent along arcs."""
        return self.applies_to_all and not self.scatters and not self.pairs

    @cached_property
    def sends_only(self) -> bool:
        """Whether scatter's only effect is `send`, so that its message can be recomputed
        anywhere."""
        return (
            self._scatter.uses("send")
            and not self._scatter.uses(*_SET_MASK, "send_to")
            and not self._scatter.reads("e") & set(self.spec.arc_fields)
        )

    @cached_property
    def scatters_once(self) -> bool:
        """Whether scatter may have other effects than `send`, if it runs once for each arc: it
        calls `send_to`, and every vertex sends and receives in every superstep."""
        if not self.scatter_sends_to or self._scatter.uses(*_SET_MASK):
            return False
        wants_all = not (self.receives or self.counts_once or self.reads_singly)
        return wants_all and self.scatters_on_all and not self.arc_state and self.lanes == 1

    @cached_property
    def answers(self) -> bool:
        """Whether scatter sends to the sender itself, by `send_to(e.src, ...)`, so that what it
        sends can be kept for each arc first."""
        return self.scatters_once and any(self._answering)

    @cached_property
    def only_answers(self) -> bool:
        """Whether all uses of `send_to` are such."""
        return self.answers and all(self._answering) and not self.apply_sends_to

    @cached_property
    def _answering(self) -> list[bool]:
        return self._scatter.call_with("send_to", "e.src")

    @cached_property
    def keeps_by_arc(self) -> bool:
        """Whether some messages of `send_to` can be kept for each arc first."""
        return self.answers or self.credits or self.ordered_credits

    @cached_property
    def ordered_credits(self) -> bool:
        """Whether scatter sends floats to common neighbors, which are added up, and besides only to
        the sender: where one item visits all arcs that end in a vertex, they can be kept for each
        arc and combined in order. It visits common neighbors in one loop,
        `for_common(w, e.src, e.dst)`."""
        scatter, combiner = self._scatter, self.spec.combiner
        if not self.scatters_once or self.apply_sends_to or self.overflows:
            return False
        loops = [call.first for call in scatter.calls("for_common")]
        if len(loops) != 1 or combiner is None or combiner.name != "sum":
            return False
        (common,) = loops
        rows = any(scatter.has(f"for_common({common},{ends})") for ends in _ENDS)
        sent = scatter.call_with("send_to", common)
        to_both = any(sent) and all(map(or_, sent, self._answering))
        return rows and to_both and not scatter.assigns(common)  # nor is it another variable

    @cached_property
    def credits(self) -> bool:
        """Whether scatter sends to common neighbors, whose messages are added up as integers, so
        that they can be added up for each arc first."""
        combiner = self.spec.combiner
        visits = self.scatters_once and self.scatter_finds_common
        return visits and combiner is not None and combiner.name == "sum" and self.overflows

    @cached_property
    def skips(self) -> bool:
        """Whether scatter need not run on an arc whose message would be dropped or change nothing:
        it only sends, and it cannot fail."""
        return self.sends_only and not self._scatter_can_fail

    @cached_property
    def _scatter_can_fail(self) -> bool:
        of_vertices = ("get_mask_of", *(f"{name}_of" for name in self.spec.vertex_fields))
        return (
            self.debug
            or self._scatter.uses(*self._adjacency_words)
            or not all(self._scatter.asks_of_ends(word) for word in of_vertices)
            # The sum of several messages along one arc may not fit, even where it is dropped.
            or (self.overflows and self._scatter.may_send_again)
        )

    @cached_property
    def scatter_repeatable(self) -> bool:
        """Whether scatter may run again for an arc while apply runs, with the same result and no
        other effect."""
        return not (self._scatter.writes("e") or self._scatter.uses(*_SET_MASK))

    @cached_property
    def every_arc_sends(self) -> bool:
        """Whether every arc carries a message in every superstep."""
        sends = self._scatter.sends_always and not self.scatter_sends_to
        return self.scatters_on_all and sends and not self.filters

    @cached_property
    def scatter_calculates(self) -> bool:
        """Whether a CPU calculates several messages in the time of one, if nothing else is done in
        between."""
        return self._scatter.uses(*_AT_ONCE)

    @cached_property
    def scatter_chooses(self) -> bool:
        """Whether scatter decides for each arc whether to send, and does nothing else, so that it
        may as well run for arcs along which it sends nothing."""
        if not self.scatters or self.every_arc_sends or self.filters:
            return False
        only = self.scatters_on_all and self.scatter_repeatable and not self.scatter_sends_to
        plain = {*_PLAIN, *(f"{name}_of" for name in self.spec.vertex_fields)}
        called = set(_CALLED.findall(self._scatter.text))
        return only and called <= plain and not self._scatter.may_send_again

    @cached_property
    def scatter_draws(self) -> bool:
        """Whether scatter draws numbers."""
        return self._scatter.uses("hash", "uniform")

    @cached_property
    def reads_singly(self) -> bool:
        """Whether the messages to a vertex are not combined into one: a gather snippet reads them
        one by one, or they are grouped by key."""
        return bool(self._gather) or self.groups

    @cached_property
    def groups(self) -> bool:
        """Whether messages are grouped by key."""
        return self.spec.grouping is not None

    @cached_property
    def votes(self) -> bool:
        """Whether messages are keys of 32 bits, of which the most frequent one counts."""
        if self.spec.grouping is None or self.spec.grouping.key:
            return False
        return bool(_MOST.fullmatch(self._prefer.text)) and (
            self.spec.message_type("float32").itemsize == 4
        )

    @cached_property
    def hashes(self) -> bool:
        """Whether groups can be made in any order of the messages, in tables of keys of 32 bits:
        the one with the highest score counts, and its only value is a sum of integers."""
        grouping = self.spec.grouping
        if grouping is None or not (grouping.key and self.scores and self.every_arc_sends):
            return False
        members = dict(self.spec.message_type("float32").members)
        values = [(members[name], combiner) for name, combiner in grouping.values]
        if len(values) != 1 or members[grouping.key].itemsize > 4:
            return False
        (type_, combiner), *_ = values
        return combiner is SUM and type_.width == 1 and not (type_.all_floats or type_.members)

    @cached_property
    def prefers(self) -> bool:
        """Whether, of a vertex's groups, the preferred one counts."""
        return bool(self._prefer)

    @cached_property
    def scores(self) -> bool:
        """Whether `prefer` is a score of a group, and does not compare two."""
        return self.prefers and not self._prefer.uses("b")

    @cached_property
    def indexes_messages(self) -> bool:
        """Whether the gather snippet only uses `messages[i]`, which may then be in local memory."""
        return bool(self._gather) and not self.groups and only_indexes(self._gather)

    @cached_property
    def gathers_by_windows(self) -> bool:
        """Whether the gather snippet can read the messages in windows, parts that a work-group has
        loaded together. All items of the group run it then, so that it must not fail."""
        if self.groups or self._read_of_others(self._gather):
            return False
        return not self._gather.uses(*self._adjacency_words) and bool(by_windows(self._gather))

    @cached_property
    def looks_ahead(self) -> bool:
        """Whether the items of a work-group look for the messages that change what the gather
        snippet keeps."""
        return self.gathers_by_windows and looks_ahead(self._gather)

    @cached_property
    def sends_to(self) -> bool:
        """Whether a snippet uses `send_to`."""
        return self._uses("send_to")

    @cached_property
    def scatter_sends_to(self) -> bool:
        """Whether scatter uses `send_to`."""
        return self._scatter.uses("send_to")

    @cached_property
    def apply_sends_to(self) -> bool:
        """Whether apply uses `send_to`; its messages arrive in the next superstep."""
        return self._apply.uses("send_to")

    @cached_property
    def pairs(self) -> bool:
        """Whether there is a pairs snippet."""
        return "pairs" in self.spec.snippets

    @cached_property
    def near(self) -> bool:
        """Whether pairs are found by the places of their vertices (`pairs_at`)."""
        return self.spec.pairs_at is not None

    @cached_property
    def merges(self) -> bool:
        """Whether a group of vertices may send to others as one (`pairs_merge`)."""
        return "pairs_merge" in self.spec.snippets

    @cached_property
    def sends_arrays(self) -> bool:
        """Whether a message is an array."""
        return self.spec.message_type("float32").boxed

    @cached_property
    def adds_identity(self) -> bool:
        """Whether combining a message with the identity costs little."""
        combiner, message = self.spec.combiner, self.spec.message_type("float32")
        named = combiner is not None and combiner is not EXPRESSION and not self.counts_once
        return named and message.width == 1 and message.scalar.kind in "iuf"

    @cached_property
    def overflows(self) -> bool:
        """Whether the combiner is an integer sum or product, which is checked for overflow."""
        combiner = self.spec.combiner
        return combiner is not None and combiner.overflows(self.spec.message_type("float32"))

    @cached_property
    def first(self) -> bool:
        """Whether, of a vertex's messages, that of the smallest sender counts."""
        return self.spec.combiner is FIRST

    @cached_property
    def selects(self) -> bool:
        """Whether a combined message is one of the messages, so that most of those that come later
        change nothing: their minimum, for example, or an expression such as `a.x < b.x ? a : b`."""
        combiner = self.spec.combiner
        if combiner is EXPRESSION:
            return _SELECTION.search(self.spec.snippets["combine"].text) is not None
        return combiner is not None and combiner.name in ("min", "max", "first")

    @cached_property
    def combines(self) -> bool:
        """Whether the inbox combines messages; otherwise it keeps the first sender."""
        return not self.first

    @cached_property
    def receives(self) -> bool:
        """Whether there is a `receive_if`."""
        return bool(self._receive_if)

    @cached_property
    def filters(self) -> bool:
        """Whether `receive_if` reads the message."""
        return self._receive_if.uses("msg")

    @cached_property
    def counts_once(self) -> bool:
        """Whether all messages to a vertex count as one (`first`, `enough`)."""
        return self.first or "enough" in self.spec.snippets

    @cached_property
    def may_split(self) -> bool:
        """Whether work-groups can share a very long row: all of its messages are combined, or are
        copied for a gather snippet."""
        apart = self.groups or self.counts_once or self.ordered_credits
        return self.scatters and self.lanes == 1 and not apart

    @cached_property
    def fusable(self) -> bool:
        """Whether what a vertex puts into its outbox for the next superstep, a message or what
        scatter reads of the vertex, can be computed directly after its apply, before this superstep
        has been reduced over all vertices."""
        return (self.reads_edge or self._scatters_ahead) and not self.shares

    @cached_property
    def _scatters_ahead(self) -> bool:
        return (
            self.scatters_on_all
            and not self.debug
            and not self.overflows  # a superstep that never runs must not report an overflow
            and self.scatters
            # Only this superstep's arcs are known: a vertex without arcs in the next one would
            # scatter, and could report a fault that never happens.
            and not (self.spec.alternates and self.can_trap)
            and not self._scatter.reads("prev")
            and not self._scatter.uses("get_mask", "get_mask_of", *self._adjacency_words)
            and not self.scatter_reads_others
        )

    @cached_property
    def any_order(self) -> bool:
        """Whether messages may be applied in any order, one by one, and several times."""
        return self.spec.order == "any"

    @cached_property
    def applies_in_place(self) -> bool:
        """Whether all vertices may apply in any order, and see at once what others have changed."""
        return self.any_order and self.applies_to_all

    @cached_property
    def may_need_order(self) -> bool:
        """Whether a run in any order may have to begin again, in supersteps."""
        return bool(self.why_order)

    @cached_property
    def why_order(self) -> str:
        """Why a run in any order has to begin again, in supersteps, if it has to: a snippet calls
        needs_order(); apply sends, which it cannot do in place while it receives; or it changes
        what a vertex sends without set_mask(), so that one that is listed could get lost. "" if it
        never has to."""
        if not self.any_order:
            return ""
        if self._uses("needs_order"):
            return "the order of messages matters for these values"
        if self.applies_in_place:
            return "apply called send_to() for a vertex that had a message" * self.apply_sends_to
        why = "apply changed a field that scatter or priority reads, and did not call set_mask()"
        return why * (not self._always_sets_mask)

    @property
    def _always_sets_mask(self) -> bool:
        """Whether apply is certain to call `set_mask`: it has no branch."""
        return self._apply.uses("set_mask") and not _BRANCH.search(self._apply.text)

    # --- edges and other vertices ---

    @cached_property
    def reads_hub(self) -> bool:
        """Whether a snippet reads `g.hub`."""
        return any("hub" in snippet.reads("g") for snippet in self.spec.snippets.values())

    @cached_property
    def reads_edge(self) -> bool:
        """Whether scatter reads `e`."""
        return bool(self._scatter.reads("e"))

    @cached_property
    def reads_ids_of_edges(self) -> bool:
        """Whether scatter reads `e.id` or `e.reversed`, or the init of an arc field does."""
        inits = [self.spec.snippet(f"{name}.init") for name in self.spec.arc_fields]
        read = frozenset[str]().union(*(text.reads("e") for text in (self._scatter, *inits)))
        return bool(read & {"id", "reversed", ""})

    @cached_property
    def arc_state(self) -> bool:
        """Whether there are arc fields, used by scatter or not."""
        return bool(self.spec.arc_fields)

    @cached_property
    def alternates(self) -> bool:
        """Whether the arcs of a superstep are those of the previous one, reversed."""
        return self.spec.alternates

    @cached_property
    def reads_others(self) -> tuple[str, ...]:
        """The fields that are read of other vertices (`FIELD_of`)."""
        return self._read_of_others(*self._statements, self._prefer)

    @cached_property
    def scatter_reads_others(self) -> bool:
        """Whether scatter reads fields of other vertices."""
        return bool(self._read_of_others(self._scatter))

    @cached_property
    def reads_written(self) -> bool:
        """Whether fields that apply writes are read of other vertices."""
        return not self._written.isdisjoint(self.reads_others)

    @cached_property
    def snapshots(self) -> tuple[str, ...]:
        """The fields that apply changes while gather, prefer or apply reads them of others."""
        late = self._read_of_others(self._gather, self._prefer, self._apply)
        return tuple(name for name in late if name in self._written)

    @cached_property
    def _written(self) -> set[str]:
        return self._apply.writes("v") | {*self.spec.added_to}

    @cached_property
    def scatter_independent(self) -> bool:
        """Whether scatter reads nothing that apply writes, so that it may run for some vertices
        while apply runs for others."""
        of_others = self._read_of_others(self._scatter)
        return self._written.isdisjoint({*self._scatter.reads("v"), *of_others})

    @cached_property
    def applies_by_row(self) -> bool:
        """Whether delivery `pull` may apply a vertex as soon as its messages are combined, while
        scatter still runs for others, which then need not be stored. Loops over neighbors in apply
        are better divided evenly."""
        only_sends = self.scatters and self.skips and self.scatter_independent
        return only_sends and not (self.lane_words or self.reads_neighbors)

    @cached_property
    def reads_to(self) -> tuple[str, ...]:
        """The edge fields that are read of arcs to neighbors (`FIELD_to`, `FIELD_from_first`)."""
        return tuple(name for name in self.spec.edge_fields if self._uses(*words_to(name)))

    @cached_property
    def _adjacency_words(self) -> tuple[str, ...]:
        """The words that read the adjacency and can fail."""
        fields = (f"{name}_to" for name in self.reads_to)
        common = ("common", "for_common")
        return ("neighbor", "neighbor_of", "num_neighbors_of", "has_edge", *common, *fields)

    @cached_property
    def reads_neighbors(self) -> bool:
        """Whether snippets read neighbors."""
        return self._uses("num_neighbors", *self._adjacency_words)

    @cached_property
    def own_neighbors(self) -> bool:
        """Whether it reads neighbors, and only where gather and apply run for a vertex: its own."""
        others = {*self._adjacency_words} - {"neighbor", "num_neighbors_of"}
        early = (self._scatter, self.spec.snippets.get("init"), *self._first_values)
        elsewhere = any(each is not None and each.uses("neighbor") for each in early)
        return self.reads_neighbors and not (self._uses(*others) or elsewhere or self.alternates)

    @cached_property
    def reads_arcs(self) -> bool:
        """Whether snippets read arcs, degrees or neighbors."""
        degrees = {"in_degree", "out_degree"}
        of_vertices = any(s.reads("v") & degrees for s in self.spec.snippets.values())
        return self.reads_edge or of_vertices or self.reads_neighbors

    @cached_property
    def finds_common(self) -> bool:
        """Whether snippets look for the common neighbors of two vertices."""
        return self._uses("common", "for_common")

    @cached_property
    def scatter_finds_common(self) -> bool:
        """Whether scatter looks for the common neighbors of two vertices."""
        return self._scatter.uses("common", "for_common")

    @cached_property
    def apply_visits_neighbors(self) -> bool:
        """Whether apply reads neighbors of other vertices, so that its work grows with their
        degrees."""
        return self._apply.uses("neighbor_of", "has_edge", "common", "for_common")

    @cached_property
    def apply_loops(self) -> bool:
        """Whether apply has loops over the neighbors of its own vertex."""
        return bool(neighbor_loops(self.spec, "float32"))

    @cached_property
    def can_trap(self) -> bool:
        """Whether a snippet can fail in a way that the device must report with its line."""
        words = ("set_mask_of", "get_mask_of", "send_to", *self._adjacency_words)
        fields = self.reads_others or self.spec.added_to
        return self.reads_singly or self._uses(*words) or bool(fields)

    @cached_property
    def can_fail(self) -> bool:
        """Whether a snippet may fail or overflow."""
        return self.overflows or self.can_trap or self.debug

    @cached_property
    def scatter_reads_ids(self) -> bool:
        """Whether scatter reads ids that differ from arc to arc, other than to compare the two ends
        of an arc."""
        if not self.reads_edge:
            return False  # a scatter that does not read the arc reads its sender's id only once
        return self.scatter_reads_ends or bool(self._scatter.reads("v") & {"id", ""})

    @cached_property
    def scatter_reads_ends(self) -> bool:
        """Whether scatter reads the ends of an arc, other than to compare the two."""
        read = self._scatter.reads("e") & {"src", "dst", ""}
        return bool(read) and ("" in read or not self._scatter.only_compares("e.src", "e.dst"))

    @cached_property
    def renumbers(self) -> bool:
        """Whether the vertices may be renumbered on the device, and that can pay: every vertex
        sends along all arcs in every superstep, and no id is used as an index or decides
        anything."""
        gathers = self.scatters_on_all and self.sends_only and not self.reads_singly
        by_id = (
            self.can_trap
            or self.reads_neighbors
            or self.first
            or self.overflows
            or self.scatter_reads_ids
            or self.reads_hub
        )
        return gathers and not (by_id or self.masked or self.pairs or self.lanes > 1)

    # --- the mask ---

    @cached_property
    def masked(self) -> bool:
        """Whether the program keeps a mask."""
        return not self.scatters_on_all or self.reads_mask or self._uses("unset_mask", *_SET_MASK)

    @cached_property
    def reads_mask(self) -> bool:
        """Whether the mask decides anything other than which vertices scatter."""
        return self.asks_mask or self.spec.apply_on == "mask" or self.pairs

    @cached_property
    def asks_mask(self) -> bool:
        """Whether a snippet tests if a vertex is in the mask."""
        return self._uses("get_mask", "get_mask_of") or self._receive_if.uses("get_mask")

    @cached_property
    def own_mask(self) -> bool:
        """Whether a vertex enters the next mask only by its own apply."""
        return not (self._scatter.uses("set_mask") or self._uses("set_mask_of"))

    @cached_property
    def reaches_masks(self) -> bool:
        """Whether a snippet reads or sets the mask of other vertices, or scatter sets any."""
        return not self.own_mask or self._uses("get_mask_of")

    @cached_property
    def marks(self) -> bool:
        """Whether apply both sets the mask of other vertices and unsets its own. These need
        separate memory, so that the result does not depend on the order of vertices."""
        return self._apply.uses("set_mask_of") and self._apply.uses("unset_mask")

    @cached_property
    def init_marks(self) -> bool:
        """Whether init sets the mask of other vertices."""
        return self._init.uses("set_mask_of")

    @cached_property
    def init_adds(self) -> bool:
        """Whether init adds to an aggregator."""
        return self._init.uses(*(f"aggregate_{n}" for n in self.spec.aggregates))

    @cached_property
    def prioritized(self) -> bool:
        """Whether there is a `priority`."""
        return "priority" in self.spec.snippets

    @cached_property
    def lists_directly(self) -> bool:
        """Whether a vertex that puts itself into the mask can be listed at once: nothing else sets
        or reads the mask, and no vertex waits."""
        own = self.masked and self.own_mask and not self.reads_mask
        return own and not self.prioritized and not self.scatters_on_all

    @cached_property
    def keeps_flags(self) -> bool:
        """Whether a list of active vertices needs flags for each vertex besides."""
        return self.masked and not self.lists_directly

    @cached_property
    def lane_words(self) -> bool:
        """Whether it pays to record, for each vertex in the mask, the lanes in which it sends:
        messages are recomputed, and few of those to a vertex are needed."""
        by_vertex = self.masked and not self.scatters_on_all and not self.reads_edge
        return self.lanes > 1 and self.counts_once and by_vertex and self.skips
