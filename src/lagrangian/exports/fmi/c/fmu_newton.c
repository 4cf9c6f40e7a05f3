/* Newton's method on the equations of coordinates: the coordinates that are not fixed close the loops. */
#include "fmu.h"

#if MODEL_EQUATIONS

#include <math.h>
#include <string.h>

#define RESIDUAL_TOLERANCE 1e-14 /* of the slopes' size: equations that are off by rounding */
#define CLOSED_TOLERANCE 1e-12   /* of the slopes' size: an equation that is off by less is kept */
#define STEP_TOLERANCE 1e-8      /* rad or m: after a step this short the next one would be rounding */
#define MAX_STEP 1.0             /* rad or m, in a step */
#define MIN_DAMPING 1e-13        /* damping, with which equations may depend on each other */
#define RAISED_DAMPING 1e-6      /* and after a step that did not help */
#define MAX_DAMPING 1e8          /* and at the end */
#define MAX_DESCENT_STEPS 200    /* steps of damped descent */

double fmu_largest(const double *x, size_t count, size_t *which)
{
    double largest = 0.0;
    for (size_t i = 0; i < count; ++i)
        if (!(fabs(x[i]) <= largest)) {
            largest = fabs(x[i]);
            if (which)
                *which = i;
        }
    return largest;
}

bool fmu_unit_quaternions(double *q)
{
    bool all = true;
    for (size_t i = 0; i < MODEL_COORDINATES; ++i) {
        if (!(model_traits[i] & MODEL_QUATERNION))
            continue;
        const double length = sqrt(q[i] * q[i] + q[i + 1] * q[i + 1] + q[i + 2] * q[i + 2] + q[i + 3] * q[i + 3]);
        all = all && length > 0.0;
        for (size_t k = i; k < i + 4 && length > 0.0 && length != 1.0; ++k)
            q[k] /= length;
    }
    return all;
}

#if MODEL_CLOSURES

/* The equations and, for fixed coordinates, that they do not change, as rows along the speeds; how many rows. */
static size_t constraint_slopes(fmu_search *s, const double *q)
{
    double rates[MODEL_COORDINATES], unit[MODEL_SPEEDS] = {0};
    size_t rows = MODEL_CLOSURES;
    model_constraint_jacobian(s->t, q, &s->constants, s->psi);
    for (size_t i = 0; i < MODEL_CLOSURES; ++i)
        memcpy(s->a + i * MODEL_SPEEDS, s->psi + model_holonomic[i] * MODEL_SPEEDS, MODEL_SPEEDS * sizeof *s->a);
    for (size_t k = 0; k < MODEL_SPEEDS; ++k) {
        size_t row = MODEL_CLOSURES;
        unit[k] = 1.0;
        model_coordinate_rates(q, unit, &s->constants, rates);
        unit[k] = 0.0;
        for (size_t i = 0; i < MODEL_COORDINATES; ++i)
            if (s->fixed[i]) {
                s->r[row] = 0.0;
                s->a[row++ * MODEL_SPEEDS + k] = rates[i];
            }
        rows = row;
    }
    return rows;
}

/* One step from q, which may also be where it ends; how far it goes. */
static double take_step(fmu_search *s, const double *q, double damping, double *reached)
{
    double x[MODEL_SPEEDS], rates[MODEL_COORDINATES], turn = 0.0;
    int remaining_parts = 0; /* parts of a quaternion that are to come */
    const size_t rows = constraint_slopes(s, q);
    fmu_least_squares(s->a, s->r, rows, MODEL_SPEEDS, damping, s->work, x);
    double length = fmu_largest(x, MODEL_SPEEDS, NULL);
    for (size_t k = 0; k < MODEL_SPEEDS && length > MAX_STEP; ++k)
        x[k] *= MAX_STEP / length;
    length = fmin(length, MAX_STEP);
    model_coordinate_rates(q, x, &s->constants, rates);
    for (size_t i = 0; i < MODEL_COORDINATES; ++i) {
        double next = q[i] + rates[i];
        if (model_traits[i] & MODEL_QUATERNION) { /* a turn at these rates: q cos(a) + rates sin(a) / a, and a is their size */
            double square = 0.0;
            for (size_t k = i; k < i + 4; ++k)
                square += rates[k] * rates[k];
            turn = sqrt(square);
            remaining_parts = 4;
        }
        if (remaining_parts) {
            --remaining_parts;
            next = q[i] * cos(turn) + rates[i] * (turn > 0.0 ? sin(turn) / turn : 1.0);
        }
        reached[i] = s->fixed[i] ? q[i] : next;
    }
    (void)fmu_unit_quaternions(reached);
    return length;
}

bool fmu_newton(fmu_search *s, double *q, int steps, double reach)
{
    double distance = 0.0, size = 1.0;
    model_closure(s->t, q, &s->constants, s->r);
    for (int k = 0; k < steps && fmu_largest(s->r, MODEL_CLOSURES, NULL) > RESIDUAL_TOLERANCE * size; ++k) {
        const double length = take_step(s, q, MIN_DAMPING, q);
        size = fmax(1.0, fmu_largest(s->a, MODEL_CLOSURES * MODEL_SPEEDS, NULL));
        distance += length;
        model_closure(s->t, q, &s->constants, s->r);
        if (length < STEP_TOLERANCE || !(distance <= reach))
            break;
    }
    const double violation = fmu_largest(s->r, MODEL_CLOSURES, NULL);
    return fmu_finite(q, MODEL_COORDINATES) && violation <= CLOSED_TOLERANCE * size && distance <= reach;
}

double fmu_descent(fmu_search *s, double *q, size_t *worst)
{
    double trial[MODEL_COORDINATES], before[MODEL_CLOSURES], damping = MIN_DAMPING;
    model_closure(s->t, q, &s->constants, before);
    for (int k = 0; k < MAX_DESCENT_STEPS && damping <= MAX_DAMPING; ++k) {
        double error = 0.0, after = 0.0;
        memcpy(s->r, before, MODEL_CLOSURES * sizeof *before);
        const double length = take_step(s, q, damping, trial);
        model_closure(s->t, trial, &s->constants, s->r);
        for (size_t i = 0; i < MODEL_CLOSURES; ++i) {
            error += before[i] * before[i];
            after += s->r[i] * s->r[i];
        }
        if (after < error) {
            memcpy(q, trial, sizeof trial);
            memcpy(before, s->r, MODEL_CLOSURES * sizeof *before);
            if (length < STEP_TOLERANCE && damping <= MIN_DAMPING)
                break;
            damping = fmax(damping / 10.0, MIN_DAMPING);
        } else {
            damping = fmax(10.0 * damping, RAISED_DAMPING);
        }
    }
    return fmu_largest(before, MODEL_CLOSURES, worst);
}

#endif /* MODEL_CLOSURES */

#endif /* MODEL_EQUATIONS */
