// Pairs by distance, where a work-group has several items: GASCL_RECEIVERS_TOGETHER neighbors in the order are
// the receivers of a group, and several items have the same one. All items look at nodes that are on a stack,
// each at another one, and list those that send as one, and the leaves whose vertices send by themselves.
// Then the items of a receiver divide these lists among themselves. The order is always the same, since each
// item knows from sums how much the items before it put on the stack and on the lists.
#define GASCL_WORKERS (GASCL_GROUP / GASCL_RECEIVERS_TOGETHER)
// A node that is taken from a stack that is nearly full leaves up to GASCL_FAN_OUT - 1 more, in each level.
#define GASCL_SPARE (GASCL_FAN_OUT * GASCL_MOST_LEVELS)
#define GASCL_STACK (6 * GASCL_GROUP + GASCL_SPARE)
#define GASCL_LISTED (2 * GASCL_GROUP)
// Three numbers in one: how many nodes are listed, how many leaves, and how many go on the stack. Each fits into 10
// bits, since a group has at most MOST_SEARCHERS items (constants.py).
#define GASCL_COUNTS(listed, leaves, children) ((uint)(listed) | (uint)(leaves) << 10 | (uint)(children) << 20)

typedef struct {
    int index;
    int level;
} gascl_at_node;

typedef struct {
    gascl_at_node stack[GASCL_STACK], listed[GASCL_LISTED];
    int leaves[GASCL_LISTED];
    uint counts[GASCL_GROUP];
    gascl_box boxes[GASCL_GROUP];
} gascl_near_memory;

// The sum of the counts of all items before this one, and that of all. All items must call it.
static uint gascl_near_before(const uint mine, __local uint *counts, uint *whole) {
    const int item = get_local_id(0);
    uint sum = mine;
    counts[item] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = 1; step < GASCL_GROUP; step *= 2) {
        const uint other = item >= step ? counts[item - step] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += other;
        counts[item] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    *whole = counts[GASCL_GROUP - 1];
    return sum - mine;
}

// What all vertices send to those of this process, `first_row` to `last_row`.
__kernel void gascl_near_pairs(GASCL_STATE, __global const gascl_offset *restrict order,
                               __global const gascl_node *restrict nodes, const int first_row,
                               const int last_row) {
    __local gascl_near_memory memory;
    const int n = gascl_vertices(gascl_run_, gascl_control_), item = get_local_id(0);
    const gascl_tree tree = gascl_tree_of(n);
    const int worker = item / GASCL_RECEIVERS_TOGETHER;
    for (long begin = (long)get_group_id(0) * GASCL_RECEIVERS_TOGETHER; begin < n;
         begin += (long)get_num_groups(0) * GASCL_RECEIVERS_TOGETHER) GASCL_FOR_LANES {
        __global const gascl_node *of_lane = nodes + (size_t)gascl_lane * tree.nodes;
        gascl_near_receivers to;
        gascl_box whole = gascl_box_empty();
        gascl_near_receive(&to, (int)begin + item % GASCL_RECEIVERS_TOGETHER, n, order,
                           GASCL_STATE_ON GASCL_LANE_ON);
        bool any = false;
        for (int i = (int)begin; i < (int)min((long)n, begin + GASCL_RECEIVERS_TOGETHER); ++i) {
            const int id = gascl_ordered(order, n, i GASCL_LANE_ON);
            gascl_near_bound(&to, gascl_place_of(id, GASCL_STATE_ON GASCL_LANE_ON));
            any |= id >= first_row && id < last_row;
        }
#if GASCL_WITHIN
        const real reach = gascl_reach(to.ids[0], GASCL_STATE_ON GASCL_LANE_ON);
        any &= reach >= 0;
#else
        const real reach = INFINITY;
#endif
        if (item == 0) {
            memory.stack[0].index = 0;
            memory.stack[0].level = tree.levels - 1;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int size = any, listed = 0, leaves = 0, senders = 0;
        while (size > 0) {
            const int take = min(min(size, GASCL_GROUP),
                                 max(1, (GASCL_STACK - GASCL_SPARE - size) / (GASCL_FAN_OUT - 1)));
            const int top = size - take;
            int level = 0, index = 0, how = GASCL_FAR, children = 0;
            if (item < take) {
                level = memory.stack[top + item].level;
                index = memory.stack[top + item].index;
                how = gascl_near_how(&to, of_lane[tree.begins[level] + index], reach,
                                     GASCL_STATE_ON GASCL_LANE_ON);
                if (how == GASCL_OPEN && level > 0)
                    children = min(GASCL_FAN_OUT, tree.sizes[level - 1] - index * GASCL_FAN_OUT);
            }
            const bool leaf = how == GASCL_OPEN && level == 0;
            uint all;
            const uint before = gascl_near_before(
                GASCL_COUNTS(how == GASCL_AS_ONE, leaf, children), memory.counts, &all);
            if (how == GASCL_AS_ONE) {
                memory.listed[listed + (before & 1023)].level = level;
                memory.listed[listed + (before & 1023)].index = index;
            }
            if (leaf)
                memory.leaves[leaves + (before >> 10 & 1023)] = index;
            for (int i = 0; i < children; ++i) {
                memory.stack[top + (before >> 20) + i].level = level - 1;
                memory.stack[top + (before >> 20) + i].index = index * GASCL_FAN_OUT + i;
            }
            size = top + (all >> 20);
            listed += all & 1023;
            leaves += all >> 10 & 1023;
            barrier(CLK_LOCAL_MEM_FENCE);
            if (size == 0 || max(listed, leaves) > GASCL_LISTED - GASCL_GROUP) {
#if GASCL_MERGES
                for (int i = worker; i < listed; i += GASCL_WORKERS) {
                    const int at = memory.listed[i].level, of = memory.listed[i].index;
                    gascl_near_node(&to, of_lane[tree.begins[at] + of], at, of,
                                    GASCL_STATE_ON GASCL_LANE_ON);
                    ++senders;
                }
#endif
                for (int i = worker; i < leaves; i += GASCL_WORKERS) {
                    gascl_near_leaf(&to, memory.leaves[i], reach, n, order,
                                    GASCL_STATE_ON GASCL_LANE_ON);
                    senders += GASCL_LEAF;
                    if (senders >= GASCL_TILE) {
                        gascl_box_add_partial(&whole, gascl_partials_get(&to.parts, 0));
                        gascl_partials_put(&to.parts, 0, gascl_partial_empty());
                        senders = 0;
                    }
                }
                listed = leaves = 0;
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        gascl_box_add_partial(&whole, gascl_partials_get(&to.parts, 0));
        memory.boxes[item] = whole;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (worker == 0) {
            for (int i = item + GASCL_RECEIVERS_TOGETHER; i < GASCL_GROUP; i += GASCL_RECEIVERS_TOGETHER)
                gascl_box_merge(&whole, memory.boxes[i]);
            if (to.first < n && to.ids[0] >= first_row && to.ids[0] < last_row)
                gascl_paired[GASCL_AT(to.ids[0])] = whole;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
