// Pairs by distance: by a tree of all vertices, a receiver finds those that are near it. Groups of vertices that
// are far from it may send as one (Barnes and Hut, A Hierarchical O(N log N) Force-Calculation Algorithm, 1986).
//
// Vertices are ordered along a curve (pairs/order.cl). GASCL_LEAF that follow each other are a leaf of the
// tree, GASCL_FAN_OUT nodes that follow each other are a node of the next level: no links are needed, and a
// dense crowd is as good as any other. A node has the mean place of its senders, and how far they are from
// it at most. Sums are in the order of the tree, which depends only on the places.
#include "runtime.cl"
#include "pairs/order.cl"
#include "pairs/partial.cl"

// The levels of a tree of n vertices: where their nodes begin, leaves first, and how many they have.
typedef struct {
    int levels, nodes, begins[GASCL_MOST_LEVELS], sizes[GASCL_MOST_LEVELS];
} gascl_tree;

static gascl_tree gascl_tree_of(const int n) {
    gascl_tree tree;
    tree.levels = tree.nodes = 0;
    for (int size = n / GASCL_LEAF + (n % GASCL_LEAF > 0), last = 0; n > 0 && last != 1;
         last = size, size = (size + GASCL_FAN_OUT - 1) / GASCL_FAN_OUT) {
        tree.begins[tree.levels] = tree.nodes;
        tree.sizes[tree.levels++] = size;
        tree.nodes += size;
    }
    return tree;
}

// The vertex at a place of a lane's order.
static int gascl_ordered(__global const gascl_offset *order, const int n, const int i GASCL_LANE) {
    const size_t begin = (size_t)gascl_lane * n;
    return (int)(order[begin + i] - (gascl_offset)begin);
}

static real gascl_length(const real x, const real y, const real z) {
    return sqrt(x * x + y * y + z * z);
}

// More than what rounding can take away from a distance or a radius.
#define GASCL_WIDENED (1 + (real)(sizeof(real) == 4 ? 1e-6 : 1e-14))

static gascl_node gascl_node_empty(void) {
    gascl_node node;
    node.x = node.y = node.z = node.radius = 0;
    node.count = 0;
#if GASCL_MERGES
    gascl_node_keep(&node, gascl_average_begin());
#endif
    return node;
}

// Moves the mean place of a node by a share of the way to another one.
static void gascl_node_move(gascl_node *node, const real x, const real y, const real z, const real share) {
    node->x += (x - node->x) * share;
    node->y += (y - node->y) * share;
    node->z += (z - node->z) * share;
}

// Widens a node so that what is within a distance of a place is within its radius. Of a place that is not
// finite, no distance is known: no radius is enough.
static void gascl_node_widen(gascl_node *node, const real x, const real y, const real z, const real more) {
    const real far = gascl_length(x - node->x, y - node->y, z - node->z) + more;
    node->radius = isnan(far) ? INFINITY : fmax(node->radius, far * GASCL_WIDENED);
}

// The leaves.
__kernel void gascl_near_leaves(GASCL_STATE, __global const gascl_offset *restrict order,
                                __global gascl_node *restrict nodes) {
    const int n = gascl_vertices(gascl_run_, gascl_control_);
    const gascl_tree tree = gascl_tree_of(n);
    GASCL_FOR_RANGE(leaf, n / GASCL_LEAF + (n % GASCL_LEAF > 0)) GASCL_FOR_LANES {
        gascl_node node = gascl_node_empty();
#if GASCL_MERGES
        gascl_vertex mean = gascl_average_begin();
#endif
        const int begin = leaf * GASCL_LEAF, end = min(n, begin + GASCL_LEAF);
        for (int i = begin; i < end; ++i) {
            const int id = gascl_ordered(order, n, i GASCL_LANE_ON);
            if (!GASCL_SCATTERS(id))
                continue;
            const gascl_place at = gascl_place_of(id, GASCL_STATE_ON GASCL_LANE_ON);
            const real share = (real)1 / ++node.count;
            gascl_node_move(&node, at.x, at.y, at.z, share);
#if GASCL_MERGES
            gascl_average(&mean, gascl_pair_sender(id, GASCL_STATE_ON GASCL_LANE_ON), share);
#endif
        }
        for (int i = begin; i < end; ++i) {
            const int id = gascl_ordered(order, n, i GASCL_LANE_ON);
            const gascl_place at = gascl_place_of(id, GASCL_STATE_ON GASCL_LANE_ON);
            if (GASCL_SCATTERS(id))
                gascl_node_widen(&node, at.x, at.y, at.z, 0);
        }
#if GASCL_MERGES
        gascl_node_keep(&node, mean);
#endif
        nodes[(size_t)gascl_lane * tree.nodes + leaf] = node;
    }
}

// The nodes of the levels from `first_level` to before `last_level`; of several, by one group. When the run has
// ended, there are no vertices and no levels.
__kernel void gascl_near_levels(GASCL_STATE, __global gascl_node *restrict nodes, const int first_level,
                                const int last_level) {
    const int n = gascl_vertices(gascl_run_, gascl_control_);
    const gascl_tree tree = gascl_tree_of(n);
    for (int level = first_level; level < min(last_level, tree.levels); ++level) {
        GASCL_FOR_RANGE(i, tree.sizes[level]) GASCL_FOR_LANES {
            __global gascl_node *whole = nodes + (size_t)gascl_lane * tree.nodes;
            __global const gascl_node *below = whole + tree.begins[level - 1];
            const int begin = i * GASCL_FAN_OUT;
            const int end = min(tree.sizes[level - 1], begin + GASCL_FAN_OUT);
            gascl_node node = gascl_node_empty();
#if GASCL_MERGES
            gascl_vertex mean = gascl_average_begin();
#endif
            for (int child = begin; child < end; ++child) {
                const gascl_node one = below[child];
                if (!one.count)
                    continue;
                node.count += one.count;
                const real share = (real)one.count / node.count;
                gascl_node_move(&node, one.x, one.y, one.z, share);
#if GASCL_MERGES
                gascl_average(&mean, gascl_node_sender(one), share);
#endif
            }
            for (int child = begin; child < end; ++child) {
                const gascl_node one = below[child];
                if (one.count)
                    gascl_node_widen(&node, one.x, one.y, one.z, one.radius);
            }
#if GASCL_MERGES
            gascl_node_keep(&node, mean);
#endif
            whole[tree.begins[level] + i] = node;
        }
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}

#include "pairs/receivers.cl"

// The receivers of an item: their ids, where they are, what is read of them, and what they are sent. They
// follow each other in the order; past the last vertex, it is repeated.
typedef struct {
    int first;
    int ids[GASCL_RECEIVERS_PER_ITEM];
    real x[GASCL_RECEIVERS_PER_ITEM], y[GASCL_RECEIVERS_PER_ITEM], z[GASCL_RECEIVERS_PER_ITEM];
    real low[3], high[3];  // their bounds
    gascl_pair_receivers known;
    gascl_partials parts;
} gascl_near_receivers;

// Widens the bounds by a place.
static void gascl_near_bound(gascl_near_receivers *to, const gascl_place at) {
    to->low[0] = fmin(to->low[0], at.x);
    to->low[1] = fmin(to->low[1], at.y);
    to->low[2] = fmin(to->low[2], at.z);
    to->high[0] = fmax(to->high[0], at.x);
    to->high[1] = fmax(to->high[1], at.y);
    to->high[2] = fmax(to->high[2], at.z);
}

// Makes the vertices from `first` in the order the receivers, whose bounds do not contain anything yet.
static void gascl_near_receive(gascl_near_receivers *to, const int first, const int n,
                               __global const gascl_offset *order, GASCL_STATE GASCL_LANE) {
    to->first = first;
    for (int axis = 0; axis < 3; ++axis) {
        to->low[axis] = INFINITY;
        to->high[axis] = -INFINITY;
    }
    GASCL_FOR_RECEIVERS {
        const int id = gascl_ordered(order, n, min(first + i, n - 1) GASCL_LANE_ON);
        const gascl_place at = gascl_place_of(id, GASCL_STATE_ON GASCL_LANE_ON);
        to->ids[i] = id;
        to->x[i] = at.x;
        to->y[i] = at.y;
        to->z[i] = at.z;
        gascl_pair_receivers_put(&to->known, i, gascl_pair_receiver(id, GASCL_STATE_ON GASCL_LANE_ON));
        gascl_partials_put(&to->parts, i, gascl_partial_empty());
    }
}

// What u sends to the i-th receiver.
static void gascl_near_pair(gascl_near_receivers *to, const int i, const gascl_vertex u,
                            GASCL_STATE GASCL_LANE) {
    gascl_partial part = gascl_partials_get(&to->parts, i);
    gascl_pair(gascl_pair_receivers_get(&to->known, i, to->ids[i]), u, &part,
               GASCL_STATE_ON GASCL_LANE_ON);
    gascl_partials_put(&to->parts, i, part);
}

#if GASCL_MERGES
// What so many equal senders send to the i-th receiver.
static void gascl_near_merged(gascl_near_receivers *to, const int i, const gascl_vertex u,
                              const int times, GASCL_STATE GASCL_LANE) {
    gascl_partial part = gascl_partials_get(&to->parts, i), one = gascl_partial_empty();
    gascl_pair(gascl_pair_receivers_get(&to->known, i, to->ids[i]), u, &one,
               GASCL_STATE_ON GASCL_LANE_ON);
    gascl_partial_add_times(&part, one, times);
    gascl_partials_put(&to->parts, i, part);
}
#endif

// How near the place of a node is to the nearest receiver at least, and how far from the farthest at most.
static real gascl_nearest(const gascl_near_receivers *to, const gascl_node node) {
    return gascl_length(fmax(fmax(to->low[0] - node.x, node.x - to->high[0]), (real)0),
                        fmax(fmax(to->low[1] - node.y, node.y - to->high[1]), (real)0),
                        fmax(fmax(to->low[2] - node.z, node.z - to->high[2]), (real)0));
}

#if GASCL_WITHIN && GASCL_MERGES
static real gascl_farthest(const gascl_near_receivers *to, const gascl_node node) {
    return gascl_length(fmax(node.x - to->low[0], to->high[0] - node.x),
                        fmax(node.y - to->low[1], to->high[1] - node.y),
                        fmax(node.z - to->low[2], to->high[2] - node.z));
}
#endif

// What the vertices of a leaf send, one by one.
static void gascl_near_leaf(gascl_near_receivers *to, const int leaf, const real reach, const int n,
                            __global const gascl_offset *order, GASCL_STATE GASCL_LANE) {
    const int begin = leaf * GASCL_LEAF, end = min(n, begin + GASCL_LEAF);
    const bool own = begin < to->first + GASCL_RECEIVERS_PER_ITEM && to->first < end;
    for (int at = begin; at < end; ++at) {
        const int other = gascl_ordered(order, n, at GASCL_LANE_ON);
        if (!GASCL_SCATTERS(other))
            continue;
        const gascl_vertex u = gascl_pair_sender(other, GASCL_STATE_ON GASCL_LANE_ON);
#if GASCL_WITHIN
        const gascl_place place = gascl_place_of(other, GASCL_STATE_ON GASCL_LANE_ON);
        GASCL_FOR_RECEIVERS {
            const real x = to->x[i] - place.x, y = to->y[i] - place.y, z = to->z[i] - place.z;
            if (x * x + y * y + z * z <= reach * reach && to->ids[i] != other)
                gascl_near_pair(to, i, u, GASCL_STATE_ON GASCL_LANE_ON);
        }
#else
        if (!own) {
            GASCL_FOR_RECEIVERS gascl_near_pair(to, i, u, GASCL_STATE_ON GASCL_LANE_ON);
        } else {
            GASCL_FOR_RECEIVERS
                if (to->ids[i] != other)
                    gascl_near_pair(to, i, u, GASCL_STATE_ON GASCL_LANE_ON);
        }
#endif
    }
}

#if GASCL_MERGES
// What the vertices of a node send as one, the one with this index in its level. A receiver among them gets
// what the others send.
static void gascl_near_node(gascl_near_receivers *to, const gascl_node node, const int level,
                            const int index, GASCL_STATE GASCL_LANE) {
    long width = GASCL_LEAF;
    for (int below = 0; below < level; ++below)
        width *= GASCL_FAN_OUT;
    const long begin = index * width;
    const gascl_vertex mean = gascl_node_sender(node);
    if (begin >= to->first + GASCL_RECEIVERS_PER_ITEM || to->first >= begin + width) {
        GASCL_FOR_RECEIVERS
            gascl_near_merged(to, i, mean, node.count, GASCL_STATE_ON GASCL_LANE_ON);
        return;
    }
    GASCL_FOR_RECEIVERS {
        const int at = to->first + i;
        gascl_vertex others = mean;
        int count = node.count;
        if (at >= begin && at < begin + width && GASCL_SCATTERS(to->ids[i])) {
            --count;
            gascl_average(&others, gascl_pair_sender(to->ids[i], GASCL_STATE_ON GASCL_LANE_ON),
                          (real)-1 / max(count, 1));
        }
        if (count)
            gascl_near_merged(to, i, others, count, GASCL_STATE_ON GASCL_LANE_ON);
    }
}
#endif

enum { GASCL_FAR, GASCL_AS_ONE, GASCL_OPEN };

// Whether a node is too far from all receivers, or sends to them as one, or its members do by themselves.
static int gascl_near_how(const gascl_near_receivers *to, const gascl_node node, const real reach,
                          GASCL_STATE GASCL_LANE) {
    const real near = gascl_nearest(to, node) / GASCL_WIDENED;
    if (!node.count || near > reach * GASCL_WIDENED + node.radius)
        return GASCL_FAR;
#if GASCL_MERGES
    bool merges = isfinite(node.radius) &&
                  gascl_merges(near, node.radius, to->ids[0], GASCL_STATE_ON GASCL_LANE_ON);
#if GASCL_WITHIN
    merges = merges && gascl_farthest(to, node) * GASCL_WIDENED + node.radius <= reach;
#endif
    if (merges)
        return GASCL_AS_ONE;
#endif
    return GASCL_OPEN;
}

// gascl_near_pairs(): gascl/delivery/assembly.py puts pairs/near_item.cl here where a work-group is one item, and
// otherwise pairs/near_group.cl.
#include "near_search.cl"
