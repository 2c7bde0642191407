// Kernels that move values by index. Before this file is included:
//   GASCL_OFFSET   int or long, the type of places
//   GASCL_VALUE    a type of the size of a value

// Gathers values by index, such as an edge field in the order of the sorted arcs.
__kernel void gascl_gather_values(__global const GASCL_VALUE *restrict values,
                                  __global const GASCL_OFFSET *restrict places,
                                  __global GASCL_VALUE *restrict to, const long count) {
    for (long i = get_global_id(0); i < count; i += get_global_size(0))
        to[i] = values[places[i]];
}

// Reads rows of several values from places given by index, such as what other ranks need.
__kernel void gascl_get_rows(__global const GASCL_VALUE *restrict rows,
                             __global const GASCL_OFFSET *restrict places,
                             __global GASCL_VALUE *restrict to, const long count,
                             const int width) {
    for (long i = get_global_id(0); i < count * width; i += get_global_size(0))
        to[i] = rows[(size_t)places[i / width] * width + i % width];
}

// Writes rows of several values to places given by index, such as what other ranks have sent.
__kernel void gascl_put_rows(__global const GASCL_VALUE *restrict rows,
                             __global const GASCL_OFFSET *restrict places,
                             __global GASCL_VALUE *restrict to, const long count,
                             const int width) {
    for (long i = get_global_id(0); i < count * width; i += get_global_size(0))
        to[(size_t)places[i / width] * width + i % width] = rows[i];
}

// Lists the vertices of a frontier, each of which has one piece that is its first. Each item counts those
// among some pieces before it takes places for them: an atomic operation for each would take longer.
//   lengths            of the frontier at `frontier`; of the list at `listed`, 0 before
#define GASCL_LISTS_AT_ONCE 32
__kernel void gascl_list_vertices(__global const int2 *restrict pieces, const long first,
                                  __global int *restrict lengths, const int frontier,
                                  const int listed, __global int *restrict vertices) {
    const long end = first + lengths[frontier];
    for (long begin = first + (long)get_global_id(0) * GASCL_LISTS_AT_ONCE; begin < end;
         begin += (long)get_global_size(0) * GASCL_LISTS_AT_ONCE) {
        const long last = min(end, begin + GASCL_LISTS_AT_ONCE);
        int found = 0;
        for (long i = begin; i < last; ++i)
            found += pieces[i].y == 0;
        int at = found ? atomic_add(&lengths[listed], found) : 0;
        for (long i = begin; i < last; ++i)
            if (pieces[i].y == 0)
                vertices[at++] = pieces[i].x;
    }
}
