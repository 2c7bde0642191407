"""Every kernel, by name, under Oclgrind's race and bounds checks; and that these find errors."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from support.oclgrind import MISSING, Report, kernel_names, run

from gascl.delivery.registry import DELIVERIES

pytestmark = pytest.mark.skipif(bool(MISSING), reason=MISSING)

#: Items of a work-group and the work of a block, of both scripts, which take turns with blocks of
#: many short rows and of few; the GPUs' shape, the CPUs', in which alone there is debug mode, and
#: the GPUs' in full size. Oclgrind's device says that it is a CPU.
SHAPES = [
    pytest.param({"workload": (8, 1024), "language": (8, 16)}, id="group8"),
    pytest.param({"workload": (1, 1024), "language": (1, 1024)}, id="group1"),
    pytest.param({"workload": (8, 16), "language": (8, 1024)}, id="group8-others"),
    pytest.param({"workload": (256, 1024), "language": (256, 1024)}, id="group256"),
]
#: The kernels that only run where a work-group has several items.
ONLY_GROUPS = {
    launch.kernel
    for delivery in DELIVERIES.values()
    for launch in delivery.launches
    if launch.only_groups
}


def run_shape(script: str, shape: tuple[int, int]) -> Report:
    return run(f"{script}.py", *map(str, shape), seconds=1500)


@pytest.mark.slow
@pytest.mark.parametrize("shapes", SHAPES)
def test_every_kernel_runs_and_is_clean(shapes: dict[str, tuple[int, int]]) -> None:
    """One test, since each script runs all of its programs at once."""
    with ThreadPoolExecutor(2) as pool:
        reports = list(pool.map(run_shape, *zip(*shapes.items(), strict=True)))
    for report in reports:
        assert report.status == 0, report.output
        assert not report.findings, "\n\n".join(map(str, report.findings[:5]))
    # In groups of one item, some kernels have no launch.
    never = ONLY_GROUPS if shapes["language"][0] == 1 else set()
    assert set(kernel_names()) - reports[0].ran - reports[1].ran <= never


# That errors are found ------------------------------------------------------------------------

PLANTED = """
import numpy as np
import pyopencl as cl

TEXT = '''
__kernel void neighbors(__global int *a, __global const int *b) {
    const int i = get_global_id(0);
    a[i] = b[i];
    barrier(CLK_GLOBAL_MEM_FENCE);
    a[i] += a[i ^ RACE];
}
__kernel void beyond(__global int *a, __global const int *b) {
    const int i = get_global_id(0);
    a[i] = b[i + BEYOND];
}
'''
context = cl.Context(cl.get_platforms()[0].get_devices())
queue = cl.CommandQueue(context)
a, b = (cl.Buffer(context, cl.mem_flags.READ_WRITE, 32) for _ in "ab")
cl.enqueue_copy(queue, b, np.arange(8, dtype=np.int32))
built = cl.Program(context, TEXT).build()
for kernel in built.all_kernels():
    kernel(queue, (8,), (8,), a, b)
queue.finish()
"""


@pytest.mark.parametrize(
    ("race", "beyond", "kernel", "message"),
    [
        (1, 0, "neighbors", "Read-write data race at global memory"),
        (0, 1, "beyond", "Invalid read of size 4 at global memory"),
        (0, 0, "", ""),
    ],
    ids=["race", "out-of-bounds", "neither"],
)
def test_finds_what_is_planted(race: int, beyond: int, kernel: str, message: str) -> None:
    code = PLANTED.replace("RACE", str(race)).replace("BEYOND", str(beyond))
    report = run("-c", code)
    assert report.status == 0, report.output  # whatever it found
    assert report.ran == {"neighbors", "beyond"}
    assert {f.kernel for f in report.findings} == ({kernel} if kernel else set())
    assert all(f.message.startswith(message) for f in report.findings)


INVALID_READ, INVALID_WRITE = "Invalid read", "Invalid write"
READ_WRITE, WRITE_WRITE = "Read-write data race", "Write-write data race"
#: kernel -> the error in it, the file, the text there and what it is replaced by.
SPOILT = {
    "gascl_gather_segments": (
        INVALID_WRITE,
        "gather/group.cl",
        "segments[segment.last] = whole;",
        "segments[segment.last + 100000] = whole;",
    ),
    "gascl_start": (INVALID_WRITE, "superstep.cl", "gascl_init(id,", "gascl_init(id + 1,"),
    "gascl_commit": (
        READ_WRITE,
        "runtime.cl",
        "shared->counts[item] = mine;\n    barrier(CLK_LOCAL_MEM_FENCE);",
        "shared->counts[item] = mine;",
    ),
    "gascl_finish": (
        READ_WRITE,
        "runtime.cl",
        "barrier(CLK_LOCAL_MEM_FENCE);\n        if (item < stride) {\n            // In the first",
        "if (item < stride) {\n            // In the first",
    ),
    "gascl_slots_scatter": (
        WRITE_WRITE,
        "slots.cl",
        "messages[GASCL_SLOT(slot[arc], offsets)] =",
        "messages[GASCL_SLOT(slot[arc], offsets) / 2] =",
    ),
    "gascl_slots_gather": (
        WRITE_WRITE,
        "gather/group.cl",
        "boxes[item] = gascl_combine_share(",
        "boxes[item / 2] = gascl_combine_share(",
    ),
    "gascl_pull_gather": (INVALID_WRITE, "pull.cl", "AT(row)] = in", "AT(row) + 1] = in"),
    "gascl_pull_apply": (INVALID_READ, "pull.cl", "pulled[GASCL_AT(row)]", "pulled[row + 999]"),
    "gascl_outbox_scatter": (
        INVALID_READ,
        "outbox/messages.cl",
        "SCATTERS(id)",
        "SCATTERS(id + 999)",
    ),
    "gascl_outbox_gather": (
        INVALID_READ,
        "outbox/messages.cl",
        "*x = outbox[GASCL_AT(source)]",
        "*x = outbox[GASCL_AT(source + 999)]",
    ),
    "gascl_probe": (INVALID_READ, "atomics_probe.cl", "&cells[", "&cells[999 + "),
    "gascl_sort_keys": (INVALID_WRITE, "sort_arcs.cl", "keys_to[at] =", "keys_to[at + 9999] ="),
    "gascl_sort_count": (INVALID_READ, "sort.cl", "DIGIT(keys[i])", "DIGIT(keys[i + 9999])"),
    "gascl_sort_sum": (INVALID_READ, "sort.cl", "+= counts[i]", "+= counts[i + 9999]"),
    "gascl_sort_add": (
        READ_WRITE,
        "sort.cl",
        "sums[item] = sum;\n        barrier(CLK_LOCAL_MEM_FENCE);",
        "sums[item] = sum;",
    ),
    "gascl_sort_move": (WRITE_WRITE, "sort.cl", "keys_to[place] =", "keys_to[place / 2] ="),
    "gascl_sort_ends": (INVALID_WRITE, "sort_arcs.cl", "ends[i] =", "ends[i + 9999] ="),
    "gascl_sort_offsets": (INVALID_WRITE, "sort_arcs.cl", "row <= rows", "row <= rows + 9"),
    "gascl_gather_values": (
        INVALID_READ,
        "gather_values.cl",
        "values[places[i]]",
        "values[places[i] + 9999]",
    ),
    "gascl_get_rows": (INVALID_READ, "gather_values.cl", "= rows[(", "= rows[9999 + ("),
    "gascl_put_rows": (INVALID_WRITE, "gather_values.cl", "to[(size_t)", "to[9999 + (size_t)"),
    "gascl_list_vertices": (
        INVALID_WRITE,
        "gather_values.cl",
        "vertices[at++] =",
        "vertices[9999 + at++] =",
    ),
    "gascl_lane_sums": (INVALID_READ, "lane_sums.cl", "* lanes + lane]", "* lanes + lane + 9999]"),
    "gascl_contract_rows": (INVALID_READ, "contract/item.cl", "group[end]", "group[end + 9999]"),
    "gascl_contract_move": (WRITE_WRITE, "contract/item.cl", "ends[at] =", "ends[at / 2] ="),
    "gascl_contract_degrees": (
        INVALID_READ,
        "contract/group.cl",
        "sum += offsets[v + 1]",
        "sum += offsets[v + 1] + (offsets[v + 9999] & 0)",
    ),
    "gascl_contract_sizes": (
        INVALID_WRITE,
        "contract/group.cl",
        "degrees[i] = i <",
        "degrees[i + 9999] = i <",
    ),
    "gascl_contract_insert": (
        INVALID_READ,
        "contract/group.cl",
        "end = ends[i];",
        "end = ends[i] | (ends[i + 9999] & 0);",
    ),
    "gascl_contract_count": (
        INVALID_READ,
        "contract/group.cl",
        "mine += keys[i] != GASCL_NO_ENTRY;\n        const",
        "mine += keys[i + 9999] != GASCL_NO_ENTRY;\n        const",
    ),
    "gascl_contract_pack": (
        WRITE_WRITE,
        "contract/group.cl",
        "places_to[at++] =",
        "places_to[at++ / 2] =",
    ),
    "gascl_contract_weights": (
        INVALID_WRITE,
        "contract/group.cl",
        "weights[i] =",
        "weights[i + 9999] =",
    ),
    "gascl_trial": (INVALID_WRITE, "device_check.cl", "sums[item] =", "sums[item + 1] ="),
    "gascl_serial": (INVALID_WRITE, "serial.cl", "id < n", "id <= n"),
}


RACE = (READ_WRITE, WRITE_WRITE)
#: What is spoilt -> the kernel in which that shows, and as above; with the other script.
SPOILT_WORDS = {
    "pieces of the frontier": ("gascl_push_scatter", WRITE_WRITE, "push/group.cl",
                               "sources[item] =", "sources[item / 2] ="),
    "the scan of a frontier's arcs": (
        "gascl_push_scatter",
        RACE,
        "push/group.cl",
        "ends[item] = arcs;\n        barrier(CLK_LOCAL_MEM_FENCE);\n        if (item %",
        "ends[item] = arcs;\n        if (item %",
    ),
    "messages to the same vertex": (
        "gascl_push_scatter",
        RACE,
        "push/group.cl",
        "barrier(CLK_LOCAL_MEM_FENCE);\n    for (int i = item; i < count; i += GASCL_GROUP) {",
        "for (int i = item; i < count; i += GASCL_GROUP) {",
    ),
    "receivers of messages": ("gascl_push_apply", INVALID_READ, "push/group.cl",
                                 "gascl_receivers[i]",
                                 "(gascl_receivers[i] | (gascl_receivers[i + 999] & 0))"),
    "vertices outside the mask": ("gascl_push_apply", RACE, "push.cl",
                               "if (!receives && !GASCL_SCATTER_ALL)", "if (!receives)"),
    "the frontier of all": ("gascl_all_scatter", INVALID_WRITE, "frontier_kernels.cl",
                            "frontier[at + i]", "frontier[at + i + 999]"),
    "vertices with flags": ("gascl_commit", INVALID_READ, "frontier/commit.cl",
                             "gascl_listed[j]", "gascl_listed[j + 999]"),
    "a mask that becomes a list": ("gascl_enter", INVALID_READ, "frontier_kernels.cl",
                                   "if (mask[id])", "if (mask[id + 1])"),
    "senders in lanes": ("gascl_pull_lanes", INVALID_WRITE, "pull.cl", "sending[id] = lanes",
                         "sending[id + 999] = lanes"),
    "words of lanes": ("gascl_pull_gather", WRITE_WRITE, "gather/group_lane_bitmasks.cl",
                       "memory->sent[item] =", "memory->sent[item / 2] ="),
    "lanes that are open": ("gascl_pull_gather", WRITE_WRITE, "gather/group_lane_bitmasks.cl",
                            "memory->open[i] =", "memory->open[i / 2] ="),
    "lists of arcs with senders": ("gascl_pull_gather", WRITE_WRITE, "gather/group_lane_lists.cl",
                                   "memory->counts[item] =", "memory->counts[item / 2] ="),
    "the boxes of crews": ("gascl_pull_gather", WRITE_WRITE, "gather/group_lane_lists.cl",
                           "boxes[item] = part;", "boxes[item / 2 * 2] = part;"),
    "a list that becomes bits": ("gascl_frontier_clear", INVALID_WRITE, "push/pull_step.cl",
                                 "now[word] = 0", "now[word + 999] = 0"),
    "bits that become a list": ("gascl_frontier_convert", INVALID_READ, "push/pull_step.cl",
                                "now[id / 32] >>", "(now[id / 32] | (now[id / 32 + 999] & 0)) >>"),
    "bits that become a list for ranks": ("gascl_frontier_list", INVALID_READ, "push/launches.cl",
                                          "GASCL_PUSHED_ON, bits,\n                    &memory",
                                          "GASCL_PUSHED_ON, bits + 999,\n &memory"),
    "outboxes before a frontier is pulled": ("gascl_frontier_fill", INVALID_WRITE,
                                             "push/pull_step.cl", "outbox[id].sent =",
                                             "outbox[id + 999].sent ="),
    "the rest of long rows": ("gascl_push_search", INVALID_READ, "push/pull_by_item.cl",
                              "gascl_receivers[at];", "gascl_receivers[at + 999];"),
    "marks of a frontier": ("gascl_push_scatter", INVALID_WRITE, "push/reached.cl",
                            "gascl_sent_in[(piece).x] =", "gascl_sent_in[(piece).x + 999] ="),
    "rows that are reached": ("gascl_pull_reached_short", INVALID_READ, "push/reached_rows.cl",
                              "gascl_receivers[i];", "gascl_receivers[i + 999];"),
    "long rows that are reached": ("gascl_pull_reached_long", INVALID_READ,
                                   "push/reached_rows.cl", "row = gascl_listed[at];",
                                   "row = gascl_listed[at] | (gascl_listed[at + 999] & 0);"),
    "a frontier that is put back": ("gascl_return_near", INVALID_READ, "frontier/buckets.cl",
                                  "? to.frontier[i]", "? to.frontier[i + 999]"),
    "the lowest bucket nearby": ("gascl_scan_near", INVALID_READ, "frontier/buckets.cl",
                                 "const int id = list[i];",
                                 "const int id = list[i] | (list[i + 999] & 0);"),
    "the lowest bucket": ("gascl_scan_far", INVALID_READ, "frontier/buckets.cl",
                          "const int id = list[i];",
                          "const int id = list[i] | (list[i + 999] & 0);"),
    "vertices of the bucket": ("gascl_split_near", INVALID_READ, "frontier/buckets.cl",
                               "listed ? list[i] :", "listed ? list[i] | (list[i + 999] & 0) :"),
    "vertices of the bucket, of all": ("gascl_split_far", INVALID_READ, "frontier/buckets.cl",
                                "listed ? list[i] :", "listed ? list[i] | (list[i + 999] & 0) :"),
    "buckets by bytes": ("gascl_select_bucket", INVALID_READ, "mask_kernels.cl",
                       "if (gascl_mask[id] &&", "if (gascl_mask[id + 1] &&"),
    "a persistent kernel": ("gascl_persistent", INVALID_WRITE, "persistent/phases.cl",
                    "counts[2 * i] =", "counts[2 * i + 999] ="),
    "a message in any order": ("gascl_persistent", INVALID_READ, "asynchronous/visits.cl",
                               "gascl_packed before = *word;",
                               "gascl_packed before = word[(word[999] & 0)];"),
    "a visit in any order": ("gascl_persistent", INVALID_READ, "asynchronous/relax.cl",
                             "there[i] = targets[at];",
                             "there[i] = targets[at] | (targets[at + 999] & 0);"),
    "fields in a word": ("gascl_persistent", INVALID_WRITE, "asynchronous/gpu_phases.cl",
                         "words[id] = word;", "words[id + 999] = word;"),
    "a random schedule": ("gascl_random", INVALID_READ, "random.cl",
                          "const int target = targets[arc];",
                          "const int target = targets[arc] | (targets[arc + 9999] & 0);"),
    "a message in place": ("gascl_persistent", INVALID_READ, "in_place/transactions.cl",
                           "gascl_packed before = *word;",
                           "gascl_packed before = word[(word[999] & 0)];"),
    "parts of a superstep": ("gascl_persistent", INVALID_WRITE, "persistent/rows.cl",
                             "&tallies[part]", "&tallies[part + 999]"),
    "flags that become a mask": ("gascl_leave", INVALID_WRITE, "frontier_kernels.cl",
                                "mask[id] = 1;", "mask[id + 999] = 1;"),
    "bits without atomics": ("gascl_push_scatter", RACE, "frontier.cl",
                             "atomic_or(&flags[id], flag | GASCL_LISTED)",
                             "flags[id]; flags[id] = before | flag | GASCL_LISTED"),
    "the list of arcs": ("gascl_edges_scatter", INVALID_READ, "edges.cl", "sources[arc]",
                         "sources[arc + 1]"),
    "a new inbox": ("gascl_empty", INVALID_WRITE, "superstep.cl", "inbox[i] =", "inbox[i + 1] ="),
    "an inbox": ("gascl_edges_apply", INVALID_READ, "edges.cl", "gascl_apply(id,",
                 "gascl_apply(id + 1,"),
    "counts without atomics": ("gascl_slots_scatter", RACE, "inbox/messages.cl",
                               "atomic_inc(&arrived[GASCL_AT(id)])", "++arrived[GASCL_AT(id)]"),
    "messages to anyone": ("gascl_slots_gather", INVALID_WRITE, "inbox/messages.cl",
                           "gascl_post((int)id,", "gascl_post((int)id + 999,"),
    "bundles of another group": ("gascl_edges_scatter", RACE, "inbox/bundles.cl",
                                 "get_group_id(0) *", "0 *"),
    "fields that may be NaN": ("gascl_nans", INVALID_READ, "superstep.cl",
                               "rows = gascl_run_->graph.gascl_rows",
                               "rows = gascl_run_->graph.gascl_rows + 999"),
    "values of some vertices": ("gascl_start", INVALID_READ, "superstep.cl", "partly[id]",
                                "partly[id + 999]"),
    "copies of fields": ("gascl_snapshot", INVALID_READ, "superstep.cl", "gascl_copy_fields(id",
                         "gascl_copy_fields(id + 1"),
    "the beginning of arc state": ("gascl_start_arcs", INVALID_READ, "superstep.cl",
                                   "targets[arc], arc", "targets[arc + 1], arc"),
    "arc state": ("gascl_slots_scatter", RACE, "slots.cl", "gascl_store_arc(e, arc",
                  "gascl_store_arc(e, arc / 2"),
    "parts of a loop": ("gascl_apply_shared_rows", RACE, "shared_rows.cl",
                        "    barrier(CLK_LOCAL_MEM_FENCE);\n    const int mine",
                        "    const int mine"),
    "the adjacency": ("gascl_slots_gather", INVALID_READ, "intrinsics.cl", "(entries[0] == b)",
                      "(entries[999] == b)"),
    "common neighbors": ("gascl_slots_gather", INVALID_READ, "common.cl", "row[high] < x",
                         "row[high + 9999] < x"),
    "messages to common neighbors": ("gascl_credit", INVALID_READ, "arc_messages_kernels.cl",
                                     "= gascl_credits[arc];", "= gascl_credits[arc + 9999];"),
    "floats to common neighbors": ("gascl_credit_in_order", INVALID_READ,
                                   "arc_messages_kernels.cl", "if (!gascl_credits[arc].count",
                                   "if (!gascl_credits[arc + 9999].count"),
    "messages to senders": ("gascl_answer", INVALID_READ, "arc_messages_kernels.cl",
                            "gascl_answers[slot[arc]]", "gascl_answers[slot[arc] + 9999]"),
    "lanes": ("gascl_start", INVALID_WRITE, "intrinsics.cl", "GASCL_LANES + gascl_lane)",
              "GASCL_LANES + gascl_lane + 1)"),
    "tiles of senders": ("gascl_pairs", READ_WRITE, "pairs/group.cl",
                                 "barrier(CLK_LOCAL_MEM_FENCE);\n            gascl_partial",
                                 "gascl_partial"),
    "bounds of places": ("gascl_near_bounds", RACE, "pairs/order.cl",
                         "barrier(CLK_LOCAL_MEM_FENCE);\n        for (int side",
                         "for (int side"),
    "keys of places": ("gascl_near_keys", INVALID_WRITE, "pairs/order.cl", "places[i] =",
                       "places[i + 9999] ="),
    "a sort by one item": ("gascl_near_sort", INVALID_WRITE, "pairs/sort_item.cl", "to[at] =",
                           "to[at + 9999] ="),
    "leaves of a tree": ("gascl_near_leaves", INVALID_WRITE, "pairs/near.cl", "+ leaf] = node",
                         "+ leaf + 9999] = node"),
    "levels of a tree": ("gascl_near_levels", INVALID_WRITE, "pairs/near.cl",
                         "begins[level] + i] = node", "begins[level] + i + 9999] = node"),
    "pairs by distance": ("gascl_near_pairs", INVALID_WRITE, "pairs/near_group.cl",
                          "gascl_paired[GASCL_AT(to.ids[0])] =",
                          "gascl_paired[GASCL_AT(to.ids[0] + 9999)] ="),
    "boxes of ranges": ("gascl_pairs_join", INVALID_READ, "pairs.cl", "boxes[(size_t)i * n",
                        "boxes[(size_t)(i + 9) * n"),
    "parts with arcs of senders": ("gascl_needed", INVALID_READ, "needed_parts.cl",
                                              "reaches[id / GASCL_SENDERS_OF_WORD]",
                                              "reaches[id + 999]"),
    "inboxes of others": ("gascl_clear_remote_inboxes", INVALID_WRITE, "remote_messages.cl",
                          "GASCL_EMPTY(id, _next)", "GASCL_EMPTY(id + 999, _next)"),
    "messages from others": ("gascl_receive_remote", INVALID_WRITE, "remote_messages.cl",
                             "messages[i].place,", "messages[i].place + 999,"),
    "boxes of segments": ("gascl_join_segments", INVALID_WRITE, "cut_rows.cl", "joined[at] =",
                          "joined[at + 999] ="),
    "the total of a rank's tallies": ("gascl_total", INVALID_WRITE, "superstep.cl",
                                      "COPY_CONTROL(total->control,",
                                      "COPY_CONTROL(total[9].control,"),
    "an outbox of what scatter reads": ("gascl_outbox_gather", INVALID_READ, "outbox/senders.cl",
                                        "gascl_read_outbox_entry(&outbox[at],",
                                        "gascl_read_outbox_entry(&outbox[at + 999],"),
    "windows of messages": ("gascl_outbox_gather", RACE, "gather/windows.cl",
                            "from + i];\n    barrier(CLK_LOCAL_MEM_FENCE);", "from + i];"),
    "single messages": ("gascl_slots_gather", RACE, "runtime.cl", "messages[count++] = ",
                        "messages[slots - ++count + 2] = "),
}  # fmt: skip


def check_spoilt(script: str, kernel: str, message: str | tuple[str, ...], *patch: str) -> None:
    report = run(f"{script}.py", "8", "16", *patch)  # may not end: what it found is in the log
    found = [f.message for f in report.findings if f.kernel == kernel]
    assert any(m.startswith(message) for m in found), f"{set(found)}\n{report.output}"


#: One or two of each kind of error, of different deliveries and parts of the language.
QUICK = {
    *("gascl_slots_scatter", "gascl_pull_apply", "a persistent kernel"),
    *("bits without atomics", "tiles of senders"),
}


def quick_first(names: Iterable[str]) -> list[Any]:
    return [n if n in QUICK else pytest.param(n, marks=pytest.mark.slow) for n in names]


@pytest.mark.parametrize("kernel", quick_first(SPOILT))
def test_finds_what_is_spoilt(kernel: str) -> None:
    check_spoilt("workload", kernel, *SPOILT[kernel])


@pytest.mark.parametrize("name", quick_first(SPOILT_WORDS))
def test_finds_what_is_spoilt_of_the_language(name: str) -> None:
    check_spoilt("language", *SPOILT_WORDS[name])


def test_an_error_is_planted_in_every_kernel() -> None:
    assert {*SPOILT, *SPOILT_WORDS} >= QUICK
    assert {*SPOILT, *(kernel for kernel, *_ in SPOILT_WORDS.values())} == set(kernel_names())
