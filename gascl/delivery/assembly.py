"""Assembles the source text for a program and a delivery; a pure function.

Kernels include some files that exist on no disk. Their texts are chosen here, so that a run
compiles no variant that it does not need:

- `program.h`: the header generated from the program;
- `active_set.cl` and `active_set_kernels.cl`: the functions and the kernels of the delivery's
  active set;
- those in `_chosen`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from gascl.codegen import constants
from gascl.codegen.header import Header
from gascl.codegen.kernel_files import kernel_text
from gascl.codegen.switches import DELIVERY, defines
from gascl.delivery.buffers import Buffer
from gascl.delivery.delivery import Delivery
from gascl.errors import Place
from gascl.language.traits import Traits

_INCLUDE = re.compile(r'^#include "([\w./]+)"$')


class Assembly:
    """OpenCL C that is put together from files, each included once.

    Args:
        given: texts that are included instead of files, by name.
        origins: by name of such a text, for each of its lines the user's line that it comes from,
            or None.
        chosen: the kernel file that is included for a name, or "" for none.

    Attributes:
        places: for each line, the user's line that it comes from, or None.
    """

    def __init__(
        self,
        given: Mapping[str, str],
        origins: Mapping[str, Sequence[Place | None]] = MappingProxyType({}),
        chosen: Mapping[str, str] = MappingProxyType({}),
    ):
        self.places: list[Place | None] = []
        self._given, self._origins, self._chosen = given, origins, chosen
        self._lines: list[str] = []
        self._seen: set[str] = set()

    def include(self, name: str) -> None:
        file = self._chosen.get(name, name)
        if file and file not in self._seen:
            self._seen.add(file)
            text = self._given[file] if file in self._given else kernel_text(file)
            self.put(text, self._origins.get(name))

    def put(self, text: str, origins: Sequence[Place | None] | None = None) -> None:
        for i, line in enumerate(text.rstrip("\n").split("\n")):
            origin = origins[i] if origins else None
            match = _INCLUDE.match(line) if origin is None else None
            if match:
                self.include(match.group(1))
            else:
                self._lines.append(line)
                self.places.append(origin)

    def __str__(self) -> str:
        return "\n".join(self._lines) + "\n"


def assemble(
    header: Header, traits: Traits, delivery: Delivery, group: int, persistent: bool = False
) -> tuple[str, list[Place | None]]:
    """The delivery's kernels, superstep.cl and the program's header, each included once.

    Args:
        group: the number of items in a work-group.
        persistent: the persistent kernel, instead of kernels for launches of each superstep.

    Returns:
        The text, and for each of its lines the user's line that it comes from, or None.
    """
    text = Assembly(
        {
            "program.h": header.text,
            "active_set.cl": delivery.active.functions,
            "active_set_kernels.cl": delivery.active.kernels,
        },
        {"program.h": header.places},
        _chosen(traits, delivery, group, persistent),
    )
    shared = constants.of_run(header.message.itemsize)
    if delivery.active.lists_receivers:
        shared |= constants.of_lists(group)
    if traits.near:
        shared |= constants.of_near_pairs(group, header.axes)
    elif traits.pairs:
        shared |= constants.of_pairs()
    if traits.shares:
        shared |= constants.of_shared_rows(group)
    if persistent:
        shared |= constants.of_persistent_kernel()
    if delivery.queues:
        shared |= constants.of_queue(group)
    if delivery.in_place:
        shared["MOST_LOOKED"] = constants.MOST_LOOKED
    if delivery.skips_parts(traits):
        shared["SENDERS_OF_WORD"] = constants.SENDERS_OF_WORD
    if traits.may_need_order:
        shared |= constants.numbered("", constants.Again)
    if delivery.tries_orders:
        shared |= constants.of_random()
    given = _of_delivery(traits, delivery, group, persistent)
    text.put("\n".join([*constants.defines(shared), *given]))
    text.include("superstep.cl")
    if traits.pairs:
        text.include("pairs/near.cl" if traits.near else "pairs.cl")
    if traits.shares:
        text.include("shared_rows.cl")
    if delivery.skips_parts(traits):
        text.include("needed_parts.cl")
    if delivery.exchanges_messages(traits):
        text.include("remote_messages.cl")
    text.put(delivery.text)
    if traits.cuts:
        text.include("cut_rows.cl")
    return str(text), text.places


def _chosen(traits: Traits, delivery: Delivery, group: int, persistent: bool) -> dict[str, str]:
    """The kernel file that each generated include name stands for; "" for none.

    One item in a work-group is the form for CPUs: it owns what the items of a larger group share.
    """
    form = "item" if group == 1 else "group"
    by_block = group > 1 and not traits.counts_once
    senders = "first_sender" if traits.first else "messages"
    posting = "reached" if delivery.reaches else senders
    reading = "singly" if traits.reads_singly else "combined"
    elected = "grouped"
    if group > 1:
        elected = "votes" if traits.votes else "hashed" if traits.hashes else "grouped"
    copying = "grouped" if traits.groups else reading
    phases = "frontier" if delivery.active.lists_receivers else "rows"
    if traits.prioritized:
        listing = "list_in_buckets"
    else:
        listing = "list_in_frontier" if traits.lists_directly else "list_by_commit"
    return {
        "inbox.cl": (
            f"inbox/{senders}.cl"
            if delivery.has_inbox(traits)
            else "in_place/sending.cl"
            if delivery.in_place
            else ""
        ),
        "clock.cl": "persistent/clock.cl" if persistent else "",
        "persistent_phases.cl": (
            f"asynchronous/{'' if group == 1 else 'gpu_'}phases.cl"
            if delivery.queues
            else f"{delivery.name if delivery.in_place else 'persistent'}/phases.cl"
        ),
        "gather_rows.cl": f"gather/{_gather(traits, delivery, group)}.cl",
        "slots_scatter.cl": f"slots/scatter_{form}.cl",
        "slots_gather.cl": f"slots/{reading}.cl",
        "outbox_entries.cl": f"outbox/{'senders' if traits.reads_edge else 'messages'}.cl",
        "outbox_gather.cl": f"outbox/{copying}.cl",
        "outbox_singly.cl": f"outbox/singly_{form}.cl",
        "outbox_grouped.cl": f"outbox/{elected}_{form}.cl",
        "groups.cl": f"groups/{'votes' if traits.votes else 'joined'}.cl",
        "pairs_of_splits.cl": f"pairs/{form}.cl",
        "near_search.cl": f"pairs/near_{'item' if group == 1 else 'group'}.cl",
        "place_sort.cl": "pairs/sort_item.cl" if group == 1 else "sort.cl",
        "share.cl": f"team/{form}.cl",
        "frontier_pieces.cl": f"frontier/pieces_{form}.cl",
        "frontier_commit.cl": f"frontier/{'buckets' if traits.prioritized else 'commit'}.cl",
        "bucket_lists.cl": f"frontier/bucket_lists_{form}.cl",
        "push_posting.cl": f"push/{posting}.cl",
        "reached_rows.cl": "push/reached_rows.cl" if delivery.reaches else "",
        "push_listing.cl": f"push/{listing}.cl",
        "step.cl": f"push/{form}.cl",
        "pull_memory.cl": (
            f"gather/{'block' if by_block else 'row'}_memory.cl" if delivery.pulls else ""
        ),
        "delivery_phases.cl": f"persistent/{phases}.cl",
        "row_phases.cl": f"{delivery.name}/phases.cl",
        "pull_rows.cl": f"push/pull_by_{'block' if by_block else 'item'}.cl",
        "push_phases.cl": f"push/{'pull' if delivery.pulls else 'push'}_step.cl",
        "step_kernels.cl": (
            f"{'asynchronous' if delivery.queues and group > 1 else 'persistent'}/"
            f"{'cpu' if group == 1 else 'gpu'}.cl"
            if persistent
            else f"{'push' if delivery.pulls else delivery.name}/launches.cl"
        ),
    }


def _gather(traits: Traits, delivery: Delivery, group: int) -> str:
    """The name of the file in kernels/gather/ for these traits."""
    if group == 1:
        return "item" if traits.lanes == 1 else "item_lanes"
    if delivery.pulls and traits.counts_once:
        return "shared_row"
    if by_component(traits, delivery, group):
        return "group_components"
    if traits.lanes == 1:
        return "group_early_exit" if traits.counts_once else "group"
    if not delivery.notes_lanes(traits):
        return "group_lanes"
    if traits.first:
        return "group_lane_bitmasks"
    return "group_lane_lists" if traits.lanes <= group else "group_lanes"


def by_component(traits: Traits, delivery: Delivery, group: int) -> bool:
    """Whether the items of a work-group share each message, which is an array in the outbox."""
    whole = traits.filters or traits.counts_once or traits.reads_singly
    in_outbox = delivery.name == "outbox" and not traits.reads_edge
    return in_outbox and group > 1 and traits.lanes == 1 and traits.sends_arrays and not whole


def _calculates(traits: Traits, delivery: Delivery) -> bool:
    """Whether it pays to calculate several messages to a vertex before they are combined: where
    that takes long, or where scatter chooses arcs, as a branch would be mispredicted."""
    in_outbox = delivery.name == "outbox" and traits.reads_edge
    if not in_outbox and delivery.name != "pull":
        return False
    if traits.every_arc_sends:
        return traits.scatter_calculates and not traits.receives
    return traits.scatter_chooses and (in_outbox or traits.scatter_draws)


def _fetches_all(traits: Traits, delivery: Delivery) -> bool:
    """Whether an arc without a message costs about as much, and whether it has one is often random:
    the identity is then combined instead of a branch."""
    if delivery.name == "outbox":
        return not traits.reads_edge
    return delivery.name == "pull" and traits.scatter_chooses and traits.scatter_reads_others


def _of_delivery(traits: Traits, delivery: Delivery, group: int, persistent: bool) -> list[str]:
    """The lines that depend on the delivery: switches, and the rest of GASCL_STATE."""
    switches = {
        "INBOX": delivery.has_inbox(traits),
        "LISTS_RECEIVERS": delivery.active.lists_receivers,
        "PERSISTENT": persistent,
        "PULLS": delivery.pulls,
        "LISTS_BITS": delivery.lists_bits,
        "REACHES": delivery.reaches,
        "AT_ONCE": delivery.queues or delivery.tries_orders,
        "IN_PLACE": delivery.in_place,
        "KNOWS_LANES": delivery.notes_lanes(traits),
        "CALCULATES": _calculates(traits, delivery),
        "FETCHES_ALL": _fetches_all(traits, delivery),
        "BY_COMPONENT": by_component(traits, delivery, group),
        "ANSWERS": delivery.keeps_answers(traits),
        "CREDITS": delivery.keeps_credits(traits),
        "OWNS_CREDITS": group == 1 and delivery.name == "pull",
        "BUNDLES": delivery.bundles_messages(traits, group),
        "SPLITS": traits.splits,
        "CUTS": traits.cuts,
        "ORDERS_CREDITS": delivery.orders_credits(traits),
    }
    return [
        *defines(DELIVERY, switches),
        *_arguments("MASKS", delivery.mask_arguments(traits)),
        *_arguments("INBOX_STATE", delivery.inbox_arguments(traits, group)),
    ]


def _arguments(name: str, buffers: list[Buffer]) -> list[str]:
    """Lines that define GASCL_name, arguments as declared, and GASCL_name_ON, as passed on."""
    return [
        f"#define GASCL_{name} {''.join(', ' + b.argument() for b in buffers)}".rstrip(),
        f"#define GASCL_{name}_ON {''.join(f', gascl_{b.name}' for b in buffers)}".rstrip(),
    ]
