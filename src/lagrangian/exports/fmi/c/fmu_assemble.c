/* Where a simulation begins: coordinates that were set stay as they are, and the others close the loops. */
#include "fmu.h"

#if MODEL_EQUATIONS

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXACT_TOLERANCE 1e-15    /* what an equation is off by that is kept but for rounding */
#define ROUNDED_TOLERANCE 1e-6   /* rad or m: what was rounded when it was written */
#define MAX_CLOSING_DISTANCE 0.5 /* rad or m: further than from there to where it is closed */
#define MAX_LISTED 6             /* values that a message lists */

#if MODEL_CLOSURES

/* Hold these coordinates; parts of a quaternion together. How many that are. */
static size_t fix_coordinates(fmu_search *s, const bool *chosen)
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
static void list_values(const size_t *places, size_t count, const double *values, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < count && i < MAX_LISTED && used < size; ++i) {
        const char *name = model_names[places[i]];
        const int more = snprintf(text + used, size - used, "%s%s = %.6g", i ? ", " : "", name, values[places[i]]);
        used += more > 0 ? (size_t)more : 0;
    }
    if (count > MAX_LISTED && used < size)
        (void)snprintf(text + used, size - used, " and %lu more", (unsigned long)(count - MAX_LISTED));
}

/* Tell why a start is refused: what is given, which constraint it opens, or what would be near. */
static fmi3Status refused(const fmu_instance *fmu, fmu_search *s, double *q, const double *targets)
{
    char start_text[400], closed_text[400], kept_text[200];
    double values[VARIABLES];
    size_t places[VARIABLES], count = 0, free_count = 0, own = 0, worst = 0;
    memcpy(values, s->to, sizeof values);
    for (size_t i = 0; i < MODEL_COORDINATES; ++i)
        if (s->held[i]) {
            values[STATES + i] = q[i] = targets[i];
            own += !s->set[i];
            places[count++] = STATES + i;
        }
    list_values(places, count, values, kept_text, sizeof kept_text);
    if (own) /* nothing was set: what stays is where the description begins, and parameters or the time are the cause */
        count = 0;
    for (size_t i = 0; i < INPUTS; ++i)
        if (s->to[i] != model_start[i])
            places[count++] = i;
    list_values(places, count, values, start_text, sizeof start_text);
    fmu_go(s, 1.0);
    const double off = fmu_descent(s, q, &worst);
    for (size_t i = 0; i < MODEL_COORDINATES; ++i)
        if (!s->held[i]) {
            values[STATES + i] = q[i];
            places[free_count++] = STATES + i;
        }
    list_values(places, free_count, values, closed_text, sizeof closed_text);
    if (off <= FMU_WRAPPED_TOLERANCE)
        return fmu_tell(fmu, fmi3Error,
                        "%s: with %s the loops close, but not without passing a dead centre on the way from the start of the "
                        "description, so that the assembly is not known. Set all coordinates to choose it; these would "
                        "close: %s.",
                        fmu->name, start_text, closed_text);
    return fmu_tell(fmu, fmi3Error,
                    "%s: no state with %s%s%s%s closes the loops: the constraint %s is off by %.3g at the nearest. %s",
                    fmu->name, start_text, own ? " and " : "", own ? kept_text : "", own ? ", as in the description," : "",
                    model_constraint_names[worst], off,
                    free_count ? "Give start values that can be reached." : "Set fewer coordinates, and the others follow.");
}

/* Where the description begins, with the values that are given; coordinates of driven joints stay. */
static bool begun(fmu_search *s, double *q)
{
    bool driven[MODEL_COORDINATES];
    for (size_t i = 0; i < MODEL_COORDINATES; ++i)
        driven[i] = model_traits[i] & MODEL_DRIVEN;
    (void)fix_coordinates(s, driven);
    memcpy(q, model_start + STATES, MODEL_COORDINATES * sizeof *q);
    return fmu_reached(s, q, model_start + STATES);
}

static void warn_of_moved_start(const fmu_instance *fmu)
{
    (void)fmu_tell(fmu, fmi3Warning,
                   "%s: coordinates that were set to the start values of the description move, to close the loops.", fmu->name);
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
        changed[i] = now->set[i] && fabs(targets[i] - start[i]) > ROUNDED_TOLERANCE;
        any_changed = any_changed || changed[i];
    }
    /* what is given may close the loops as it is, in whichever assembly */
    const size_t set_count = fix_coordinates(s, now->set);
    fmu_go(s, 1.0);
    memcpy(trial, targets, sizeof trial);
    model_closure(s->t, trial, &s->constants, s->r);
    const double off = fmu_largest(s->r, MODEL_CLOSURES, NULL);
    if (off <= EXACT_TOLERANCE
        || (off <= ROUNDED_TOLERANCE && set_count && fmu_newton(s, trial, FMU_POLISH_STEPS, MAX_CLOSING_DISTANCE))) {
        memcpy(q, trial, sizeof trial);
        return fmi3OK;
    }
    if (off <= ROUNDED_TOLERANCE && set_count == MODEL_COORDINATES) { /* all was given, and rounded when it was written */
        static const bool none[MODEL_COORDINATES] = {false};
        (void)fix_coordinates(s, none);
        memcpy(trial, targets, sizeof trial);
        if (fmu_newton(s, trial, FMU_POLISH_STEPS, MAX_CLOSING_DISTANCE)) {
            memcpy(q, trial, sizeof trial);
            return fmi3OK;
        }
    }
    /* first the values go where they are given, and then the coordinates that were set; or both together */
    const bool first = begun(s, q);
    if (first && !set_count)
        return fmi3OK;
    memcpy(last, first ? q : start, sizeof last);
    memcpy(s->from, first ? s->to : model_start, sizeof s->from);
    memcpy(q, last, sizeof last);
    if (set_count) {
        (void)fix_coordinates(s, now->set);
        if (fmu_reached(s, q, targets))
            return fmi3OK;
    }
    if (!any_changed) {
        if (!first) {
            (void)begun(s, q);
            return refused(fmu, s, q, start);
        }
        warn_of_moved_start(fmu);
        memcpy(q, last, sizeof last);
        return fmi3OK;
    }
    /* importers may set all start values: what they set to the value of the description stays only if it can */
    if (fix_coordinates(s, changed) < set_count) {
        memcpy(trial, last, sizeof trial);
        if (fmu_reached(s, trial, targets)) {
            warn_of_moved_start(fmu);
            memcpy(q, trial, sizeof trial);
            return fmi3OK;
        }
        (void)fix_coordinates(s, now->set);
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
