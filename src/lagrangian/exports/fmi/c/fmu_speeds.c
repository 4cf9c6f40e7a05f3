/* Speeds that keep the constraints at the start: those that were set stay, and the others follow. */
#include "fmu.h"

#if MODEL_EQUATIONS

#include <math.h>
#include <string.h>

#define EXACT_TOLERANCE 1e-15
#define RATE_TOLERANCE 1e-9   /* of the speeds' size: rates of constraints that are rounding */
#define ROUNDED_TOLERANCE 1e-6
#define MIN_DAMPING 1e-13 /* damping, with which equations may depend on each other */
#define MAX_REFINEMENTS 3 /* that what the damping leaves is solved again */

/*
 * The speeds that keep the constraints and are nearest to those of x, as the mass matrix M measures it; fixed speeds stay.
 * M + c Psi^T Psi gives the same, for all that keep the constraints have the same Psi qd, also where links have no mass.
 */
static bool project_speeds(fmu_search *s, double *x, const bool *fixed)
{
    size_t free_speeds[MODEL_SPEEDS], n = 0;
    double change[MODEL_SPEEDS], y[MODEL_SPEEDS], masses = 0.0, squares = 0.0, largest_slope = 0.0, fastest = 0.0;
    double *qd = x + MODEL_COORDINATES;
    for (size_t k = 0; k < MODEL_SPEEDS; ++k)
        if (!fixed[k])
            free_speeds[n++] = k;
    model_constraint_jacobian(s->t, x, &s->constants, s->psi);
    model_mass_matrix(x, &s->constants, s->masses);
    for (size_t k = 0; k < MODEL_SPEEDS; ++k)
        masses += s->masses[k * MODEL_SPEEDS + k];
    for (size_t i = 0; i < MODEL_EQUATIONS * MODEL_SPEEDS; ++i)
        squares += s->psi[i] * s->psi[i];
    const double c = squares > 0.0 ? masses / squares : 0.0;
    for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j < n; ++j) {
            double sum = s->masses[free_speeds[i] * MODEL_SPEEDS + free_speeds[j]];
            for (size_t k = 0; k < MODEL_EQUATIONS; ++k)
                sum += c * s->psi[k * MODEL_SPEEDS + free_speeds[i]] * s->psi[k * MODEL_SPEEDS + free_speeds[j]];
            s->factor[i * n + j] = sum;
        }
    fmu_factor(s->factor, n, fmax(1e-15 * masses, 1e-300));
    for (size_t i = 0; i < MODEL_EQUATIONS; ++i) { /* each row becomes L^-1 of it */
        double *row = s->a + i * n;
        for (size_t k = 0; k < n; ++k)
            row[k] = s->psi[i * MODEL_SPEEDS + free_speeds[k]];
        fmu_forward(s->factor, n, row);
    }
    for (int k = 0; k < MAX_REFINEMENTS; ++k) {
        model_constraint_rates(s->t, x, &s->constants, s->r);
        fmu_least_squares(s->a, s->r, MODEL_EQUATIONS, n, MIN_DAMPING, s->work, y);
        memcpy(change, y, n * sizeof *y);
        fmu_backward(s->factor, n, change);
        for (size_t i = 0; i < n; ++i)
            qd[free_speeds[i]] += change[i];
    }
    model_constraint_rates(s->t, x, &s->constants, s->r);
    largest_slope = fmu_largest(s->psi, MODEL_EQUATIONS * MODEL_SPEEDS, NULL);
    fastest = fmu_largest(qd, MODEL_SPEEDS, NULL);
    const double violation = fmu_largest(s->r, MODEL_EQUATIONS, NULL);
    return fmu_finite(qd, MODEL_SPEEDS) && violation <= RATE_TOLERANCE * (1.0 + largest_slope * fastest);
}

fmi3Status fmu_speeds(fmu_instance *fmu, fmu_search *s)
{
    fmu_values *now = &fmu->now;
    double *x = now->values + STATES, trial[MODEL_STATES];
    const double *start = model_start + STATES + MODEL_COORDINATES;
    const bool *set = now->set + MODEL_COORDINATES;
    bool fixed[MODEL_SPEEDS], any = false, changed = false;
    size_t worst = 0;
    s->t = now->values[TIME];
    s->constants = now->constants;
    model_constraint_rates(s->t, x, &s->constants, s->r);
    if (fmu_largest(s->r, MODEL_EQUATIONS, NULL) <= EXACT_TOLERANCE)
        return fmi3OK;
    for (size_t k = 0; k < MODEL_SPEEDS; ++k)
        any = any || set[k];
    /* what was set stays; else what was set to another value than the description's; else speeds of driven joints; else none */
    for (int attempt = any ? 0 : 2; attempt < 4; ++attempt) {
        for (size_t k = 0; k < MODEL_SPEEDS; ++k) {
            const bool other = set[k] && fabs(x[MODEL_COORDINATES + k] - start[k]) > ROUNDED_TOLERANCE;
            changed = changed || other;
            fixed[k] = attempt == 0 ? set[k] : attempt == 1 ? other : attempt == 2 && model_driven_speeds[k];
        }
        if ((attempt == 1 && !changed) || (attempt == 2 && changed))
            continue;
        memcpy(trial, x, sizeof trial);
        if (project_speeds(s, trial, fixed)) {
            if (attempt == 3 && changed)
                (void)fmu_tell(fmu, fmi3Warning,
                               "%s: the speeds that were set do not keep the constraints; the nearest that do are taken.",
                               fmu->name);
            memcpy(x, trial, sizeof trial);
            return fmi3OK;
        }
    }
    (void)fmu_largest(s->r, MODEL_EQUATIONS, &worst);
    return fmu_tell(fmu, fmi3Error, "%s: no speeds keep the constraint %s: its rate is left at %.3g, as at a dead centre.",
                    fmu->name, model_constraint_names[MODEL_CLOSURES + worst], s->r[worst]);
}

#endif
