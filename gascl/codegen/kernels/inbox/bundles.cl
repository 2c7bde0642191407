// Messages of send_to that an item combines before it posts them, where a work-group is one item, as on CPUs:
// where several cores post to one vertex, its line of the cache goes from one to the other for each message.
// Only vertices that already have many messages are worth it, so that others cost no more than a look. A bundle
// is for one vertex and lane; a group has one for those with the same remainder.
typedef struct {
    long place;
    gascl_cell cell;
    uint count;  // 0: nothing is in it
    int wraps;
} gascl_message_bundle;

// A hint: others may add to it at the same time.
#if GASCL_OCLGRIND  // takes a plain read for a race
#define GASCL_PEEK_ARRIVED(place) atomic_or(&arrived[place], 0u)
#else
#define GASCL_PEEK_ARRIVED(place) (*(volatile __global uint *)&arrived[place])
#endif

static __global gascl_message_bundle *gascl_bundle_at(const long place,
                                                      __global gascl_message_bundle *bundles) {
    return &bundles[get_group_id(0) * GASCL_BUNDLES_OF_GROUP + place % GASCL_BUNDLES_OF_GROUP];
}

static void gascl_post_bundle(__global gascl_message_bundle *bundle,
                              volatile __global gascl_cell *inbox, __global uint *arrived,
                              __global int *wraps) {
    if (bundle->count)
        gascl_post_all(bundle->place, bundle->cell, bundle->count, bundle->wraps, inbox, arrived,
                       wraps);
    bundle->count = 0;
}

// Adds a message to the bundle of a vertex; returns false if it must be posted at once.
static bool gascl_bundle(const long place, const gascl_accumulator x,
                         volatile __global gascl_cell *inbox, __global uint *arrived,
                         __global int *wraps, __global gascl_message_bundle *bundles) {
    if (GASCL_PEEK_ARRIVED(place) < GASCL_MANY_ARRIVED)
        return false;
    __global gascl_message_bundle *bundle = gascl_bundle_at(place, bundles);
    const gascl_cell more = gascl_cell_of(x);
    if (bundle->count && bundle->place == place) {
        bundle->wraps += gascl_cell_wrap(bundle->cell, more);
        bundle->cell = gascl_cell_after(bundle->cell, x);
        ++bundle->count;
        return true;
    }
    gascl_post_bundle(bundle, inbox, arrived, wraps);
    bundle->place = place;
    bundle->cell = more;
    bundle->wraps = 0;
    bundle->count = 1;
    return true;
}

static void gascl_post_bundles(volatile __global gascl_cell *inbox, __global uint *arrived,
                               __global int *wraps, __global gascl_message_bundle *bundles) {
    for (int i = 0; i < GASCL_BUNDLES_OF_GROUP; ++i)
        gascl_post_bundle(gascl_bundle_at(i, bundles), inbox, arrived, wraps);
}
#define GASCL_POST_BUNDLES(when) \
    gascl_post_bundles(gascl_inbox##when, gascl_arrived##when, gascl_wraps##when, gascl_bundles)
