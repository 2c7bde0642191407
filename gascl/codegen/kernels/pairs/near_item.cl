// Pairs by distance, where a work-group is one item: it visits the tree for several receivers at once, which
// are neighbors in the order, over which a compiler can vectorize.

// What all vertices send to those of this process, `first_row` to `last_row`.
__kernel void gascl_near_pairs(GASCL_STATE, __global const gascl_offset *restrict order,
                               __global const gascl_node *restrict nodes, const int first_row,
                               const int last_row) {
    const int n = gascl_vertices(gascl_run_, gascl_control_);
    const gascl_tree tree = gascl_tree_of(n);
    const int blocks = n / GASCL_RECEIVERS_PER_ITEM + (n % GASCL_RECEIVERS_PER_ITEM > 0);
    GASCL_FOR_RANGE(block, blocks) GASCL_FOR_LANES {
        gascl_near_receivers to;
        gascl_box wholes[GASCL_RECEIVERS_PER_ITEM];
        bool any = false;
        gascl_near_receive(&to, (int)block * GASCL_RECEIVERS_PER_ITEM, n, order,
                           GASCL_STATE_ON GASCL_LANE_ON);
        GASCL_FOR_RECEIVERS {
            wholes[i] = gascl_box_empty();
            any |= to.ids[i] >= first_row && to.ids[i] < last_row;
        }
        for (int i = 0; i < GASCL_RECEIVERS_PER_ITEM; ++i)
            gascl_near_bound(&to, (gascl_place)(to.x[i], to.y[i], to.z[i]));
#if GASCL_WITHIN
        const real reach = gascl_reach(to.ids[0], GASCL_STATE_ON GASCL_LANE_ON);
        any &= reach >= 0;
#else
        const real reach = INFINITY;
#endif
        int level = any ? tree.levels - 1 : tree.levels, index = 0, senders = 0;
        while (level < tree.levels) {
            const gascl_node node =
                nodes[(size_t)gascl_lane * tree.nodes + tree.begins[level] + index];
            const int how = gascl_near_how(&to, node, reach, GASCL_STATE_ON GASCL_LANE_ON);
            if (how == GASCL_OPEN && level > 0) {
                --level;
                index *= GASCL_FAN_OUT;
                continue;
            }
            if (how == GASCL_OPEN) {
                gascl_near_leaf(&to, index, reach, n, order, GASCL_STATE_ON GASCL_LANE_ON);
                senders += GASCL_LEAF;
            }
#if GASCL_MERGES
            if (how == GASCL_AS_ONE) {
                gascl_near_node(&to, node, level, index, GASCL_STATE_ON GASCL_LANE_ON);
                ++senders;
            }
#endif
            if (senders >= GASCL_TILE) {
                GASCL_FOR_RECEIVERS {
                    gascl_box_add_partial(&wholes[i], gascl_partials_get(&to.parts, i));
                    gascl_partials_put(&to.parts, i, gascl_partial_empty());
                }
                senders = 0;
            }
            // The next node: behind the last one of its parent, the one behind the parent.
            ++index;
            while (level < tree.levels &&
                   (index % GASCL_FAN_OUT == 0 || index == tree.sizes[level])) {
                ++level;
                index = (index - 1) / GASCL_FAN_OUT + 1;
            }
        }
        GASCL_FOR_RECEIVERS {
            gascl_box_add_partial(&wholes[i], gascl_partials_get(&to.parts, i));
            if (to.first + i < n && to.ids[i] >= first_row && to.ids[i] < last_row)
                gascl_paired[GASCL_AT(to.ids[i])] = wholes[i];
        }
    }
}
