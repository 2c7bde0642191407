// Ids of 64 bits, where a rank has its own vertices and its halo alone.

// The id of the vertex at a place: those of a rank's own follow each other, and those of its halo, before
// and after them, are in an array.
static long gascl_id_at(const int place, __global const gascl_run *run, __global const long *ids) {
    const int first = run->graph.gascl_first, last = run->graph.gascl_last;
    if (place >= first && place < last)
        return run->graph.gascl_base + place;
    return ids[place < first ? place : place - (last - first)];
}
