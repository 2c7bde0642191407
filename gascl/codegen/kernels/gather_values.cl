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

// Writes rows of several values to places given by index, such as what other ranks have sent.
__kernel void gascl_put_rows(__global const GASCL_VALUE *restrict rows,
                             __global const GASCL_OFFSET *restrict places,
                             __global GASCL_VALUE *restrict to, const long count,
                             const int width) {
    for (long i = get_global_id(0); i < count * width; i += get_global_size(0))
        to[(size_t)places[i / width] * width + i % width] = rows[i];
}
