// The loop of PageRank in C with OpenMP, and the machine's copy bandwidth.
// pagerank.py compiles this and calls it through ctypes.
#include <math.h>
#include <omp.h>
#include <stdlib.h>

// kind is OpenMP's number of a schedule: 1 static, 2 dynamic, 3 guided; chunk 0 is the default.
void set_schedule(int threads, int kind, int chunk) {
    omp_set_num_threads(threads);
    omp_set_schedule((omp_sched_t)kind, chunk);
}

// Pull over the in-arcs (CSC): what a vertex sends along each of its arcs, out[u], is computed
// once. rank, out and next have n floats each; rank is the result. seconds has one entry per superstep.
// Returns the change of the ranks in the last superstep (L1).
double pagerank(int n, const int *offsets, const int *sources, const int *out_degree,
                double damping, int supersteps, float *rank, float *out, float *next,
                double *seconds) {
    const float d = damping;
    double lost = 0, change = 0;
#pragma omp parallel for schedule(static) reduction(+ : lost)
    for (int v = 0; v < n; ++v) {
        rank[v] = 1.0f / n;
        out[v] = rank[v] / out_degree[v];  // nobody reads it for a vertex without out-arcs
        if (out_degree[v] == 0)
            lost += rank[v];
    }
    for (int step = 0; step < supersteps; ++step) {
        const double start = omp_get_wtime();
        const float base = (1 - d + d * (float)lost) / n;
        double new_lost = 0;
        change = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : new_lost, change)
        for (int v = 0; v < n; ++v) {
            float sum = 0;
            for (int k = offsets[v]; k < offsets[v + 1]; ++k)
                sum += out[sources[k]];
            const float new = d * sum + base;
            change += fabsf(new - rank[v]);
            if (out_degree[v] == 0)
                new_lost += new;
            rank[v] = new;
            next[v] = new / out_degree[v];
        }
        lost = new_lost;
        float *const swap = out;
        out = next;
        next = swap;
        seconds[step] = omp_get_wtime() - start;
    }
    return change;
}

// STREAM's copy: c[i] = a[i] over arrays of `count` doubles, the best of `rounds`. Returns bytes per
// second, counting 8 bytes read and 8 written per element; a negative number if there is no memory.
double copy_bandwidth(long count, int rounds) {
    double *a = malloc(count * sizeof *a), *c = malloc(count * sizeof *c);
    double best = -1;
    if (a && c) {
#pragma omp parallel for schedule(static)
        for (long i = 0; i < count; ++i) {
            a[i] = i;
            c[i] = 0;
        }
        for (int round = 0; round < rounds; ++round) {
            const double start = omp_get_wtime();
#pragma omp parallel for schedule(static)
            for (long i = 0; i < count; ++i)
                c[i] = a[i];
            const double rate = 16.0 * count / (omp_get_wtime() - start);
            if (rate > best && c[count - 1] == count - 1)
                best = rate;
        }
    }
    free(a);
    free(c);
    return best;
}
