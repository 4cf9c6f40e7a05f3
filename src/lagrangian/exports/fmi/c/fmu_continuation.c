/*
 * Coordinates that are reached from others in the same assembly: numerical continuation.
 *
 * A linkage can be assembled in several ways, and Newton's method from afar ends in any of them. So parameters, the time and the
 * fixed coordinates go to their new values in steps, and the others follow. A step is taken if Newton's method closes the
 * loops at once and not far away; else half of it is tried. So no step crosses a dead centre, where assemblies meet.
 */
#include "fmu.h"

#if MODEL_EQUATIONS && MODEL_CLOSURES

#include <math.h>
#include <string.h>

#define MAX_CHANGE 0.5      /* rad or m: more than a step changes any coordinate by */
#define MAX_ITERATIONS 6    /* steps of Newton's method */
#define MAX_VALUE_PART 0.1  /* of the way of parameters and the time, at most in a step */
#define MIN_PART 0.01       /* of the way, or rad or m: where steps of coordinates must be shorter, there is a dead centre */
#define MIN_VALUE_PART 1e-5 /* of the way of parameters and the time */
#define TWO_PI 6.283185307179586

/* The time and the constants at a part of the way. */
void fmu_interpolate(fmu_search *s, double part)
{
    double parameters[MODEL_PARAMETERS];
    const double *from = s->from + PARAMETERS, *to = s->to + PARAMETERS;
    for (size_t i = 0; i < MODEL_PARAMETERS; ++i)
        parameters[i] = part == 1.0 ? to[i] : from[i] + part * (to[i] - from[i]);
    s->t = part == 1.0 ? s->to[TIME] : s->from[TIME] + part * (s->to[TIME] - s->from[TIME]);
    model_prepare(parameters, &s->constants);
}

/* Go from q to where the fixed coordinates have their targets, and the values are those that were set; whether it succeeds. */
static bool follow_path(fmu_search *s, double *q, const double *targets)
{
    double begin[MODEL_COORDINATES], trial[MODEL_COORDINATES], done = 0.0, longest = 0.0;
    const bool values = memcmp(s->from, s->to, INPUTS * sizeof *s->to) != 0;
    memcpy(begin, q, sizeof begin);
    for (size_t i = 0; i < MODEL_COORDINATES; ++i)
        if (s->fixed[i])
            longest = fmax(longest, fabs(targets[i] - q[i]));
    double size = fmin(values ? MAX_VALUE_PART : 1.0, MAX_CHANGE / fmax(longest, 1e-300));
    const double least = (values ? MIN_VALUE_PART : MIN_PART) / fmax(longest, 1.0);
    while (done < 1.0 && size >= least) {
        const double part = done + 1.01 * size >= 1.0 ? 1.0 : done + size;
        memcpy(trial, q, sizeof trial);
        for (size_t i = 0; i < MODEL_COORDINATES; ++i)
            if (s->fixed[i])
                trial[i] = part == 1.0 ? targets[i] : begin[i] + part * (targets[i] - begin[i]);
        if (part < 1.0)
            (void)fmu_unit_quaternions(trial);
        fmu_interpolate(s, part);
        if (fmu_newton(s, trial, MAX_ITERATIONS, MAX_CHANGE)) {
            memcpy(q, trial, sizeof trial);
            done = part;
            size = fmin(2.0 * size, values ? MAX_VALUE_PART : 1.0);
        } else {
            size *= 0.5;
        }
    }
    return done == 1.0;
}

/* The same; whole turns are left out, unless an equation counts them, as that of a pair of gears does. */
bool fmu_follow_to(fmu_search *s, double *q, const double *targets)
{
    double begin[MODEL_COORDINATES], near[MODEL_COORDINATES];
    bool turned = false;
    for (size_t i = 0; i < MODEL_COORDINATES; ++i) {
        double dot = 0.0;
        if (!(model_traits[i] & MODEL_QUATERNION) || !s->fixed[i])
            continue;
        for (size_t k = i; k < i + 4; ++k)
            dot += q[k] * targets[k];
        for (size_t k = i; k < i + 4 && dot < 0.0; ++k)
            q[k] = -q[k]; /* the same orientation, nearer to the other */
    }
    memcpy(begin, q, sizeof begin);
    memcpy(near, targets, sizeof near);
    for (size_t i = 0; i < MODEL_COORDINATES; ++i) {
        const double turns = s->fixed[i] && model_traits[i] & MODEL_PERIODIC ? floor((targets[i] - q[i]) / TWO_PI + 0.5) : 0.0;
        near[i] -= TWO_PI * turns;
        turned = turned || turns != 0.0;
    }
    const bool reached = follow_path(s, q, near);
    if (!reached || !turned)
        return reached;
    for (size_t i = 0; i < MODEL_COORDINATES; ++i)
        if (s->fixed[i])
            q[i] = targets[i];
    model_closure(s->t, q, &s->constants, s->r);
    if (fmu_largest(s->r, MODEL_CLOSURES, NULL) <= FMU_WRAPPED_TOLERANCE && fmu_newton(s, q, FMU_POLISH_STEPS, MAX_CHANGE))
        return true;
    memcpy(q, begin, sizeof begin);
    return follow_path(s, q, targets);
}

#endif
