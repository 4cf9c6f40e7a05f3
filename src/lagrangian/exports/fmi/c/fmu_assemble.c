/*
 * Where a simulation begins. Coordinates that were set stay as they are, and the others close the loops.
 *
 * A linkage can be assembled in several ways, and Newton's method from afar ends in any of them. So parameters, the time and the
 * coordinates that were set go from those of the description to the given ones in steps, and the others follow. A step is taken
 * if Newton's method closes the loops at once and not far away; else half of it is tried. So no step crosses a dead centre.
 */
#include "fmu.h"

#if MODEL_EQUATIONS

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FAR 0.5        /* rad or m: more than a step changes any coordinate by */
#define AT_ONCE 6      /* steps of Newton's method */
#define POLISH 20      /* the same from nearby */
#define CLOSED 1e-12   /* of the slopes' size: an equation that is off by less is kept */
#define EXACT 1e-15    /* and by no more than rounding */
#define TURNED 1e-9    /* what loops may miss by after angles were turned back */
#define NEAR 1e-6      /* rad or m: what was rounded when it was written */
#define PORTION 0.1    /* of the way of parameters and the time, at most in a step */
#define SHORTEST 0.01  /* of the way, or rad or m: where steps of coordinates must be shorter, there is a dead centre */
#define BRIEFEST 1e-5  /* of the way of parameters and the time */
#define TWO_PI 6.283185307179586
#define SHOWN 6        /* values that a message lists */

#if MODEL_CLOSURES

/* The time and the constants at a part of the way. */
static void go(fmu_search *s, double part)
{
    double parameters[MODEL_PARAMETERS];
    const double *from = s->from + PARAMETERS, *to = s->to + PARAMETERS;
    for (size_t i = 0; i < MODEL_PARAMETERS; ++i)
        parameters[i] = part == 1.0 ? to[i] : from[i] + part * (to[i] - from[i]);
    s->t = part == 1.0 ? s->to[TIME] : s->from[TIME] + part * (s->to[TIME] - s->from[TIME]);
    model_prepare(parameters, &s->constants);
}

/* From q to where the coordinates that are held have their targets, and the values are those that are given. */
static bool gone(fmu_search *s, double *q, const double *targets)
{
    double begin[MODEL_COORDINATES], trial[MODEL_COORDINATES], done = 0.0, longest = 0.0;
    const bool values = memcmp(s->from, s->to, INPUTS * sizeof *s->to) != 0;
    memcpy(begin, q, sizeof begin);
    for (size_t i = 0; i < MODEL_COORDINATES; ++i)
        if (s->held[i])
            longest = fmax(longest, fabs(targets[i] - q[i]));
    double size = fmin(values ? PORTION : 1.0, FAR / fmax(longest, 1e-300));
    const double least = (values ? BRIEFEST : SHORTEST) / fmax(longest, 1.0);
    while (done < 1.0 && size >= least) {
        const double part = done + 1.01 * size >= 1.0 ? 1.0 : done + size;
        memcpy(trial, q, sizeof trial);
        for (size_t i = 0; i < MODEL_COORDINATES; ++i)
            if (s->held[i])
                trial[i] = part == 1.0 ? targets[i] : begin[i] + part * (targets[i] - begin[i]);
        if (part < 1.0)
            (void)fmu_unit_quaternions(trial);
        go(s, part);
        if (fmu_newton(s, trial, AT_ONCE, FAR, CLOSED)) {
            memcpy(q, trial, sizeof trial);
            done = part;
            size = fmin(2.0 * size, values ? PORTION : 1.0);
        } else {
            size *= 0.5;
        }
    }
    return done == 1.0;
}

/* The same; whole turns are not gone, unless an equation counts them, as that of a pair of gears does. */
static bool reached(fmu_search *s, double *q, const double *targets)
{
    double begin[MODEL_COORDINATES], near[MODEL_COORDINATES];
    bool turned = false;
    for (size_t i = 0; i < MODEL_COORDINATES; ++i) {
        double dot = 0.0;
        if (!(model_traits[i] & MODEL_QUATERNION) || !s->held[i])
            continue;
        for (size_t k = i; k < i + 4; ++k)
            dot += q[k] * targets[k];
        for (size_t k = i; k < i + 4 && dot < 0.0; ++k)
            q[k] = -q[k]; /* the same orientation, nearer to the other */
    }
    memcpy(begin, q, sizeof begin);
    memcpy(near, targets, sizeof near);
    for (size_t i = 0; i < MODEL_COORDINATES; ++i) {
        const double turns = s->held[i] && model_traits[i] & MODEL_PERIODIC ? floor((targets[i] - q[i]) / TWO_PI + 0.5) : 0.0;
        near[i] -= TWO_PI * turns;
        turned = turned || turns != 0.0;
    }
    const bool arrived = gone(s, q, near);
    if (!arrived || !turned)
        return arrived;
    for (size_t i = 0; i < MODEL_COORDINATES; ++i)
        if (s->held[i])
            q[i] = targets[i];
    model_closure(s->t, q, &s->constants, s->r);
    if (fmu_largest(s->r, MODEL_CLOSURES, NULL) <= TURNED && fmu_newton(s, q, POLISH, FAR, CLOSED))
        return true;
    memcpy(q, begin, sizeof begin);
    return gone(s, q, targets);
}

/* Hold these coordinates; parts of a quaternion together. How many that are. */
static size_t hold(fmu_search *s, const bool *chosen)
{
    size_t count = 0;
    memcpy(s->held, chosen, sizeof s->held);
    for (size_t i = 0; i < MODEL_COORDINATES; ++i)
        for (size_t k = i; k < i + 4 && model_traits[i] & MODEL_QUATERNION; ++k)
            s->held[k] = chosen[i] || chosen[i + 1] || chosen[i + 2] || chosen[i + 3];
    for (size_t i = 0; i < MODEL_COORDINATES; ++i)
        count += s->held[i];
    return count;
}

/* Values of variables as a message says them. */
static void listed(const size_t *places, size_t count, const double *values, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < count && i < SHOWN && used < size; ++i) {
        const int more = snprintf(text + used, size - used, "%s%s = %.6g", i ? ", " : "", model_names[places[i]], values[places[i]]);
        used += more > 0 ? (size_t)more : 0;
    }
    if (count > SHOWN && used < size)
        (void)snprintf(text + used, size - used, " and %lu more", (unsigned long)(count - SHOWN));
}

/* Tell why a start is refused: what is given, which constraint it opens, or what would be near. */
static fmi3Status refused(const fmu_instance *fmu, fmu_search *s, double *q, const double *targets)
{
    char given[400], found[400], kept[200];
    double values[VARIABLES];
    size_t places[VARIABLES], count = 0, free_count = 0, own = 0, worst = 0;
    memcpy(values, s->to, sizeof values);
    for (size_t i = 0; i < MODEL_COORDINATES; ++i)
        if (s->held[i]) {
            values[STATES + i] = q[i] = targets[i];
            own += !s->set[i];
            places[count++] = STATES + i;
        }
    listed(places, count, values, kept, sizeof kept);
    if (own) /* nothing was set: what stays is where the description begins, and parameters or the time are the cause */
        count = 0;
    for (size_t i = 0; i < INPUTS; ++i)
        if (s->to[i] != model_start[i])
            places[count++] = i;
    listed(places, count, values, given, sizeof given);
    go(s, 1.0);
    const double off = fmu_descent(s, q, &worst);
    for (size_t i = 0; i < MODEL_COORDINATES; ++i)
        if (!s->held[i]) {
            values[STATES + i] = q[i];
            places[free_count++] = STATES + i;
        }
    listed(places, free_count, values, found, sizeof found);
    if (off <= TURNED)
        return fmu_tell(fmu, fmi3Error,
                        "%s: with %s the loops close, but not without passing a dead centre on the way from the start of the "
                        "description, so that the assembly is not known. Set all coordinates to choose it; these would close: %s.",
                        fmu->name, given, found);
    return fmu_tell(fmu, fmi3Error, "%s: no state with %s%s%s%s closes the loops: the constraint %s is off by %.3g at the nearest. %s",
                    fmu->name, given, own ? " and " : "", own ? kept : "", own ? ", as in the description," : "",
                    model_constraint_names[worst], off,
                    free_count ? "Give start values that can be reached." : "Set fewer coordinates, and the others follow.");
}

/* Where the description begins, with the values that are given; coordinates of driven joints stay. */
static bool begun(fmu_search *s, double *q)
{
    bool driven[MODEL_COORDINATES];
    for (size_t i = 0; i < MODEL_COORDINATES; ++i)
        driven[i] = model_traits[i] & MODEL_DRIVEN;
    (void)hold(s, driven);
    memcpy(q, model_start + STATES, MODEL_COORDINATES * sizeof *q);
    return reached(s, q, model_start + STATES);
}

static void followed(const fmu_instance *fmu)
{
    (void)fmu_tell(fmu, fmi3Warning, "%s: coordinates that were set to the start values of the description move, to close the loops.",
                   fmu->name);
}

static fmi3Status assembled(const fmu_instance *fmu, fmu_search *s, double *q)
{
    const fmu_values *now = &fmu->now;
    const double *start = model_start + STATES;
    double targets[MODEL_COORDINATES], trial[MODEL_COORDINATES], last[MODEL_COORDINATES];
    bool changed[MODEL_COORDINATES];
    bool any_changed = false;
    memcpy(s->to, now->values, sizeof s->to);
    memcpy(s->from, model_start, sizeof s->from);
    memcpy(s->set, now->set, sizeof s->set);
    memcpy(targets, now->values + STATES, sizeof targets);
    if (!fmu_unit_quaternions(targets))
        return fmu_tell(fmu, fmi3Error, "%s: a quaternion is zero; 1, 0, 0, 0 is no rotation.", fmu->name);
    for (size_t i = 0; i < MODEL_COORDINATES; ++i) {
        changed[i] = now->set[i] && fabs(targets[i] - start[i]) > NEAR;
        any_changed = any_changed || changed[i];
    }
    /* what is given may close the loops as it is, in whichever assembly */
    const size_t given = hold(s, now->set);
    go(s, 1.0);
    memcpy(trial, targets, sizeof trial);
    model_closure(s->t, trial, &s->constants, s->r);
    const double off = fmu_largest(s->r, MODEL_CLOSURES, NULL);
    if (off <= EXACT || (off <= NEAR && given && fmu_newton(s, trial, POLISH, FAR, CLOSED))) {
        memcpy(q, trial, sizeof trial);
        return fmi3OK;
    }
    if (off <= NEAR && given == MODEL_COORDINATES) { /* all was given, and rounded when it was written */
        static const bool none[MODEL_COORDINATES] = {false};
        (void)hold(s, none);
        memcpy(trial, targets, sizeof trial);
        if (fmu_newton(s, trial, POLISH, FAR, CLOSED)) {
            memcpy(q, trial, sizeof trial);
            return fmi3OK;
        }
    }
    /* first the values go where they are given, and then the coordinates that were set; or both together */
    const bool first = begun(s, q);
    if (first && !given)
        return fmi3OK;
    memcpy(last, first ? q : start, sizeof last);
    memcpy(s->from, first ? s->to : model_start, sizeof s->from);
    memcpy(q, last, sizeof last);
    if (given) {
        (void)hold(s, now->set);
        if (reached(s, q, targets))
            return fmi3OK;
    }
    if (!any_changed) {
        if (!first) {
            (void)begun(s, q);
            return refused(fmu, s, q, start);
        }
        followed(fmu);
        memcpy(q, last, sizeof last);
        return fmi3OK;
    }
    /* importers may set all start values: what they set to the value of the description stays only if it can */
    if (hold(s, changed) < given) {
        memcpy(trial, last, sizeof trial);
        if (reached(s, trial, targets)) {
            followed(fmu);
            memcpy(q, trial, sizeof trial);
            return fmi3OK;
        }
        (void)hold(s, now->set);
    }
    return refused(fmu, s, q, targets);
}

#else

static fmi3Status assembled(const fmu_instance *fmu, fmu_search *s, double *q)
{
    (void)fmu;
    (void)s;
    (void)fmu_unit_quaternions(q); /* nothing is to be closed */
    return fmi3OK;
}

#endif /* MODEL_CLOSURES */

fmi3Status fmu_assemble(fmu_instance *fmu)
{
    fmu_values *now = &fmu->now;
    double *x = now->values + STATES, before[MODEL_STATES], q[MODEL_COORDINATES];
    if (!now->moved)
        return fmi3OK;
    fmu_search *s = calloc(1, sizeof *s);
    if (!s)
        return fmu_tell(fmu, fmi3Error, "%s: there is not enough memory.", fmu->name);
    memcpy(before, x, sizeof before);
    memcpy(q, x, sizeof q);
    fmi3Status status = assembled(fmu, s, q);
    if (status == fmi3OK) {
        memcpy(x, q, sizeof q);
        status = fmu_speeds(fmu, s);
    }
    free(s);
    fmu_touch(now);
    if (status != fmi3OK) {
        memcpy(x, before, sizeof before); /* as it was, for other start values to be tried */
        return status;
    }
    now->moved = false;
    now->changed = now->changed || memcmp(x, before, sizeof before) != 0;
    return fmi3OK;
}

#else

fmi3Status fmu_assemble(fmu_instance *fmu)
{
    return fmu_close(fmu);
}

#endif
