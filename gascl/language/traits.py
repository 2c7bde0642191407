"""What a program's snippets do, as data for code generation and for the choice of deliveries."""

from __future__ import annotations

from dataclasses import dataclass

from gascl.language.combiners import FIRST
from gascl.language.snippet import Snippet
from gascl.language.spec import ProgramSpec


@dataclass(frozen=True)
class Facts:
    """What deliveries and codegen need to know about a program.

    Attributes:
        scatters: there is a scatter snippet.
        sends_only: scatter's only effect is `send`, so that its message can be recomputed anywhere.
        skips: scatter need not run on an arc whose message would be dropped or change nothing: it
            only sends, and it cannot fail.
        asks_again: scatter gives the same when it runs again for an arc in the same superstep.
        reads_edge: scatter reads `e`.
        arc_state: there are arc fields, whether or not scatter uses them.
        every_arc_sends: every arc carries a message in every superstep.
        reads_singly: a gather snippet reads the messages one by one.
        sends_to: a snippet uses `send_to`.
        scatter_sends_to: scatter does.
        apply_sends_to: apply does; its messages arrive in the next superstep.
        masked: the program keeps a mask.
        marks: apply both sets the mask of other vertices and unsets its own; these need separate
            memory, so that the result does not depend on the order of vertices.
        fusable: what a vertex puts into its outbox for the next superstep, a message or what
            scatter reads of it, may be found directly after its apply, before anything of this
            superstep is reduced over all vertices.
        overflows: the combiner is an integer sum or product, checked for overflow.
        snapshots: the fields that apply writes while gather or apply reads them of other vertices.
        reads_others: the fields that are read of other vertices (`FIELD_of`).
        reads_to: the edge fields that are read of the arc to a neighbor (`FIELD_to`).
        scatter_asks: scatter reads fields of other vertices.
        adjacent: snippets read neighbors.
        walks: apply reads neighbors of other vertices, so that its work grows with their degrees.
        can_trap: something can go wrong that the device must report with its line.
        lanes: the number of runs at once.
        pairs: there is a pairs snippet.
        scatters_on_all: every vertex scatters in every superstep.
        applies_to_all: every vertex applies in every superstep.
        first: of a vertex's messages, that of the smallest sender counts.
        receives: there is a `receive_if`.
        filters: it reads the message.
        counts_once: all messages to a vertex count as one (`first`, `enough`).
        prioritized: there is a `priority`.
        scatter_stays: scatter reads nothing that apply writes, so that it may run for some vertices
            while apply runs for others.
        own_mask: only a vertex itself puts itself into the next mask, in apply.
        reads_mask: something besides the choice of who scatters depends on the mask.
        alternates: the arcs of a superstep are those of the one before, turned round.
        names_ends: scatter reads ids that differ from arc to arc, other than to compare the two
            ends of an arc.
    """

    scatters: bool
    sends_only: bool
    skips: bool
    asks_again: bool
    reads_edge: bool
    arc_state: bool
    every_arc_sends: bool
    reads_singly: bool
    sends_to: bool
    scatter_sends_to: bool
    apply_sends_to: bool
    masked: bool
    marks: bool
    fusable: bool
    overflows: bool
    snapshots: tuple[str, ...]
    reads_others: tuple[str, ...]
    reads_to: tuple[str, ...]
    scatter_asks: bool
    adjacent: bool
    walks: bool
    can_trap: bool
    lanes: int
    pairs: bool
    scatters_on_all: bool
    applies_to_all: bool
    first: bool
    receives: bool
    filters: bool
    counts_once: bool
    prioritized: bool
    scatter_stays: bool
    own_mask: bool
    reads_mask: bool
    alternates: bool
    names_ends: bool

    @property
    def lists_directly(self) -> bool:
        """Whether a vertex that puts itself into the mask can be listed at once, since nothing else
        sets the mask or asks for it, and nobody waits."""
        own = self.masked and self.own_mask and not self.reads_mask
        return own and not self.prioritized and not self.scatters_on_all

    @property
    def combines(self) -> bool:
        """Whether the inbox combines messages; otherwise it remembers the first sender."""
        return not self.first

    @property
    def keeps_flags(self) -> bool:
        """Whether a list of active vertices needs flags beside each vertex."""
        return self.masked and not self.lists_directly

    @property
    def lane_words(self) -> bool:
        """Whether it pays to note, for each vertex in the mask, in which lanes it sends: where
        messages are recomputed, and of those to a vertex few are."""
        by_vertex = self.masked and not self.scatters_on_all and not self.reads_edge
        return self.lanes > 1 and self.counts_once and by_vertex and self.skips

    @property
    def scatter_moves(self) -> bool:
        """Whether apply must wait until every vertex has pulled."""
        return not self.scatter_stays

    @property
    def renumbers(self) -> bool:
        """Whether vertices may have other numbers than the user's, and it can pay: what every
        vertex sends is gathered along all arcs in every superstep, and no id is the place of a
        vertex, or decides anything."""
        gathers = self.scatters_on_all and self.sends_only and not self.reads_singly
        by_id = self.can_trap or self.adjacent or self.first or self.overflows or self.names_ends
        return gathers and not (by_id or self.masked or self.pairs or self.lanes > 1)

    @classmethod
    def of(cls, spec: ProgramSpec, lanes: int | None = None, debug: bool = False) -> Facts:
        """The facts of a program. In debug mode nothing is fused or skipped: traps are reported,
        and in time."""
        snippets = spec.snippets
        scatter, apply = snippets.get("scatter"), snippets.get("apply")
        gather = snippets.get("gather")
        present = [s for s in (snippets.get("init"), scatter, gather, apply) if s is not None]
        on_all = spec.scatter_on == "all"
        combiner, message = spec.combiner, spec.message_type("float32")
        overflows = combiner is not None and combiner.overflows(message)

        def used(*words: str) -> bool:
            return any(s.uses(*words) for s in present)

        def others(*read: Snippet) -> list[str]:
            return [n for n in spec.vertex_fields if any(f"{n}_of" in s.words for s in read)]

        written = apply.writes("v") if apply is not None else set()
        seen = set(others(scatter)) | scatter.reads("v") if scatter is not None else set()
        receive_if = snippets.get("receive_if")
        filters = receive_if is not None and receive_if.uses("msg")
        first = combiner is FIRST
        set_by_others = used("set_mask_of") or (scatter is not None and scatter.uses("set_mask"))
        asks = used("get_mask", "get_mask_of") or (
            receive_if is not None and receive_if.uses("get_mask")
        )
        reads_mask = asks or spec.apply_on == "mask" or "pairs" in snippets
        late = others(*(s for s in (gather, apply) if s is not None))
        masks = ("set_mask", "set_mask_of")
        reads_to = tuple(n for n in spec.edge_fields if used(f"{n}_to"))
        checked = (
            *("neighbor", "neighbor_of", "num_neighbors_of", "has_edge"),
            *(f"{n}_to" for n in reads_to),
        )
        can_trap = (
            gather is not None
            or used("set_mask_of", "get_mask_of", "send_to", *checked)
            or bool(others(*present))
        )
        reads_edge = scatter is not None and bool(scatter.reads("e"))
        sends_only = (
            scatter is not None
            and scatter.uses("send")
            and not scatter.uses(*masks, "send_to")
            and not scatter.reads("e") & set(spec.arc_fields)
        )
        asked = ("get_mask_of", *(f"{n}_of" for n in spec.vertex_fields))
        fails = scatter is not None and (
            debug
            or scatter.uses(*checked)
            or not all(scatter.asks_of_ends(word) for word in asked)
            # The sum of several messages along one arc may not fit, even where it is dropped.
            or (overflows and scatter.may_send_again)
        )
        ahead = (
            on_all
            and not debug
            and not overflows  # an overflow in a superstep that never runs must not be reported
            and scatter is not None
            # A vertex must not scatter where it could fail in vain: which have arcs in the next
            # superstep, this one's arcs do not tell then.
            and not (spec.alternates and can_trap)
            and not scatter.reads("prev")
            and not scatter.uses("get_mask", "get_mask_of", *checked)
            and not others(scatter)
        )
        return cls(
            scatters=scatter is not None,
            sends_only=sends_only,
            skips=sends_only and not fails,
            asks_again=scatter is None or not scatter.writes("e"),
            reads_edge=reads_edge,
            arc_state=bool(spec.arc_fields),
            every_arc_sends=on_all and scatter is not None and scatter.sends_always and not filters,
            reads_singly=gather is not None,
            sends_to=used("send_to"),
            scatter_sends_to=scatter is not None and scatter.uses("send_to"),
            apply_sends_to=apply is not None and apply.uses("send_to"),
            masked=not on_all or reads_mask or used("unset_mask", *masks),
            marks=apply is not None and apply.uses("set_mask_of") and apply.uses("unset_mask"),
            fusable=reads_edge or ahead,
            overflows=overflows,
            snapshots=tuple(n for n in late if n in written),
            reads_others=tuple(others(*present)),
            reads_to=reads_to,
            scatter_asks=scatter is not None and bool(others(scatter)),
            adjacent=used("num_neighbors", *checked),
            walks=apply is not None and apply.uses("neighbor_of", "has_edge"),
            can_trap=can_trap,
            lanes=spec.lanes if lanes is None else lanes,
            pairs="pairs" in snippets,
            scatters_on_all=on_all,
            applies_to_all=spec.apply_on == "all",
            first=first,
            receives=receive_if is not None,
            filters=filters,
            counts_once=first or "enough" in snippets,
            prioritized="priority" in snippets,
            scatter_stays=not seen & written,
            own_mask=not set_by_others,
            reads_mask=reads_mask,
            alternates=spec.alternates,
            names_ends=scatter is not None and _names_ends(scatter),
        )


def _names_ends(scatter: Snippet) -> bool:
    ends = scatter.reads("e") & {"src", "dst"}
    if ends and not scatter.only_compares("e.src", "e.dst"):
        return True
    # Of a sender alone, a scatter that does not read the arc reads the id once.
    return bool(scatter.reads("e")) and bool(scatter.reads("v") & {"id", ""})
