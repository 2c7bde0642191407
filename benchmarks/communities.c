// Particles that are attracted by neighbors and repelled by all others, until they are at rest: the
// formula and the step of programs/particle_communities.py, in float32, on one thread.
#include <math.h>
#include <stdlib.h>

typedef struct {
    float alpha, beta, gamma, softening, step, tolerance;
} values;

// offsets (V + 1) and arcs are the neighbors of each vertex; x, y and z are updated. Returns the number
// of supersteps: until none is faster than the tolerance, or `most`.
int to_rest(const int n, const int *restrict offsets, const int *restrict arcs, float *restrict x,
            float *restrict y, float *restrict z, const values p, const int most) {
    float *const vx = calloc(n, sizeof *vx), *const vy = calloc(n, sizeof *vy);
    float *const vz = calloc(n, sizeof *vz);
    // The velocity that each has kept, and for how many supersteps the force has not turned against it.
    float *const kx = calloc(n, sizeof *kx), *const ky = calloc(n, sizeof *ky);
    float *const kz = calloc(n, sizeof *kz), *const steady = calloc(n, sizeof *steady);
    const float soft = p.softening * p.softening;
    int superstep = 0;
    for (float strongest = INFINITY; superstep < most && strongest >= p.tolerance; ++superstep) {
        for (int i = 0; i < n; ++i) {
            const float xi = x[i], yi = y[i], zi = z[i];
            float fx = 0, fy = 0, fz = 0;
            for (int j = 0; j < n; ++j) {  // includes i itself, which adds 0
                const float dx = xi - x[j], dy = yi - y[j], dz = zi - z[j];
                const float far = sqrtf(dx * dx + dy * dy + dz * dz + soft);
                const float force = p.beta * expf(-p.gamma * far) / far;
                fx += force * dx;
                fy += force * dy;
                fz += force * dz;
            }
            for (int a = offsets[i]; a < offsets[i + 1]; ++a) {
                const int j = arcs[a];
                const float dx = xi - x[j], dy = yi - y[j], dz = zi - z[j];
                const float far = sqrtf(dx * dx + dy * dy + dz * dz + soft);
                const float force = (p.alpha + p.beta * expf(-p.gamma * far)) / far;
                fx -= force * dx;
                fy -= force * dy;
                fz -= force * dz;
            }
            const int degree = offsets[i + 1] - offsets[i];
            const float share = degree ? 1.0f / degree : 0;
            vx[i] = fx * share;
            vy[i] = fy * share;
            vz[i] = fz * share;
        }
        strongest = -INFINITY;
        for (int i = 0; i < n; ++i) {
            const float force = sqrtf(vx[i] * vx[i] + vy[i] * vy[i] + vz[i] * vz[i]);
            steady[i] = vx[i] * kx[i] + vy[i] * ky[i] + vz[i] * kz[i] > 0 ? steady[i] + 1 : 0;
            const float keep = fminf(steady[i] / (steady[i] + 3), 0.9f);
            kx[i] = vx[i] + keep * kx[i];
            ky[i] = vy[i] + keep * ky[i];
            kz[i] = vz[i] + keep * kz[i];
            const float speed = sqrtf(kx[i] * kx[i] + ky[i] * ky[i] + kz[i] * kz[i]);
            const float share = 1 / fmaxf(p.step * p.gamma * speed, 1);
            x[i] += p.step * (kx[i] *= share);
            y[i] += p.step * (ky[i] *= share);
            z[i] += p.step * (kz[i] *= share);
            if (offsets[i] < offsets[i + 1])
                strongest = fmaxf(strongest, force);
        }
    }
    free(kx);
    free(ky);
    free(kz);
    free(steady);
    free(vx);
    free(vy);
    free(vz);
    return superstep;
}
