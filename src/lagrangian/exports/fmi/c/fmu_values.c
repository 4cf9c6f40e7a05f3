/* Values of variables: what they are at the start, how the others follow from them, how they are got and set. */
#include "fmu.h"

#include <math.h>
#include <string.h>

#define MAX_PROJECTIONS 50
#define CLOSED_TOLERANCE 1e-8 /* what an equation may be off by: less is rounding, and what iterations leave */

void fmu_start(fmu_values *now)
{
    memset(now, 0, sizeof *now);
    memcpy(now->values, model_start, sizeof now->values);
    model_prepare(now->values + PARAMETERS, &now->constants);
    now->mode = INSTANTIATED;
}

void fmu_touch(fmu_values *now)
{
    now->derivatives_known = now->outputs_known = false;
}

bool fmu_finite(const double *x, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        if (!isfinite(x[i]))
            return false;
    return true;
}

void fmu_rates(const fmu_values *now, double t, const double *x, double *rates)
{
    double tau[MODEL_SPEEDS];
    model_forces(t, x, now->values, &now->constants, tau);
    model_rates(t, x, tau, &now->constants, rates);
}

void fmu_derivatives(fmu_values *now)
{
    if (now->derivatives_known)
        return;
    double *values = now->values, *rates = values + DERIVATIVES;
    const double *x = values + STATES;
    fmu_rates(now, values[TIME], x, rates);
    memcpy(values + OUTPUTS, rates + MODEL_COORDINATES, MODEL_SPEEDS * sizeof *rates);
#if MODEL_PROJECTED
    /* The solver's errors leave the constraints. This correction leads back to them, and is zero on them. */
    double projected[MODEL_STATES];
    const double rate = values[MODEL_STABILISATION];
    model_project(values[TIME], x, &now->constants, projected);
    for (size_t i = 0; i < MODEL_STATES; ++i)
        rates[i] += rate * (projected[i] - x[i]);
#endif
    now->derivatives_known = true;
}

void fmu_outputs(fmu_values *now)
{
    if (now->outputs_known)
        return;
    double tau[MODEL_SPEEDS], *values = now->values;
    fmu_derivatives(now);
    model_forces(values[TIME], values + STATES, values, &now->constants, tau);
    model_outputs(values[TIME], values + STATES, tau, &now->constants, values + OUTPUTS);
    now->outputs_known = true;
}

fmi3Status fmu_close(fmu_instance *fmu)
{
    fmu_values *now = &fmu->now;
#if MODEL_PROJECTED
    double *x = now->values + STATES, before[MODEL_STATES], projected[MODEL_STATES];
    const double t = now->values[TIME];
    size_t worst = 0;
    if (!now->moved)
        return fmi3OK;
    memcpy(before, x, sizeof before);
    for (int k = 0; k < MAX_PROJECTIONS; ++k) {
        double change = 0.0;
        model_project(t, x, &now->constants, projected);
        for (size_t i = 0; i < MODEL_STATES; ++i)
            change = fmax(change, fabs(projected[i] - x[i]) / (1.0 + fabs(x[i])));
        memcpy(x, projected, sizeof projected);
        if (!(change > 1e-14))
            break;
    }
    fmu_touch(now);
    const double violation = model_violation(t, x, &now->constants, &worst);
    if (!fmu_finite(x, MODEL_STATES) || !(violation <= CLOSED_TOLERANCE)) {
        memcpy(x, before, sizeof before);
        return fmu_tell(fmu, fmi3Error, "%s: no state near the one that is given keeps the constraint %s: it is off by %g.",
                        fmu->name, model_constraint_names[worst], violation);
    }
    now->changed = now->changed || memcmp(x, before, sizeof before) != 0;
#endif
    now->moved = false;
    return fmi3OK;
}

FMI3_STATUS(fmi3GetFloat64)(fmi3Instance instance, const fmi3ValueReference references[], size_t count, fmi3Float64 values[],
                            size_t value_count)
{
    fmu_instance *fmu = instance;
    if (!fmu_is_in(fmu, ANY, "fmi3GetFloat64"))
        return fmi3Error;
    if (value_count != count)
        return fmu_tell(fmu, fmi3Error, "fmi3GetFloat64: %lu values are asked for of %lu scalar variables.",
                        (unsigned long)value_count, (unsigned long)count);
    for (size_t i = 0; i < count; ++i) {
        const fmi3ValueReference place = references[i];
        if (place >= VARIABLES)
            return fmu_tell(fmu, fmi3Error, "fmi3GetFloat64: there is no variable with the value reference %lu.",
                            (unsigned long)place);
        if (place >= OUTPUTS)
            fmu_outputs(&fmu->now);
        else if (place >= DERIVATIVES)
            fmu_derivatives(&fmu->now);
        values[i] = fmu->now.values[place];
    }
    return fmi3OK;
}

/* In which modes a variable can be set. */
static unsigned settable_modes(fmi3ValueReference place)
{
    if (place >= DERIVATIVES || place < PARAMETERS)
        return 0;
    if (place >= STATES)
        return INSTANTIATED | INITIALIZATION | EVENT | CONTINUOUS_TIME;
    if (place >= INPUTS)
        return INSTANTIATED | INITIALIZATION | INITIALIZED;
    return INSTANTIATED | INITIALIZATION | EVENT | STEP;
}

FMI3_STATUS(fmi3SetFloat64)(fmi3Instance instance, const fmi3ValueReference references[], size_t count,
                            const fmi3Float64 values[], size_t value_count)
{
    fmu_instance *fmu = instance;
    if (!fmu_is_in(fmu, ANY & ~(unsigned)TERMINATED, "fmi3SetFloat64"))
        return fmi3Error;
    if (value_count != count)
        return fmu_tell(fmu, fmi3Error, "fmi3SetFloat64: %lu values are given for %lu scalar variables.",
                        (unsigned long)value_count, (unsigned long)count);
    fmu_values *now = &fmu->now;
    for (size_t i = 0; i < count; ++i) { /* nothing is set unless all can be */
        const fmi3ValueReference place = references[i];
        if (place >= VARIABLES)
            return fmu_tell(fmu, fmi3Error, "fmi3SetFloat64: there is no variable with the value reference %lu.",
                            (unsigned long)place);
        if (!(settable_modes(place) & now->mode))
            return fmu_tell(fmu, fmi3Error, "%s %s.", model_names[place],
                            settable_modes(place) ? "cannot be set in this mode" : "is computed by the FMU and cannot be set");
        if (!isfinite(values[i]))
            return fmu_tell(fmu, fmi3Error, "%s cannot be %g: a finite number is needed.", model_names[place], values[i]);
        if (place == MODEL_LARGEST_STEP && !(values[i] > 0.0))
            return fmu_tell(fmu, fmi3Error, "%s cannot be %g: a positive number is needed.", model_names[place], values[i]);
    }
    bool prepare = false;
    for (size_t i = 0; i < count; ++i) {
        now->values[references[i]] = values[i];
        prepare = prepare || references[i] < INPUTS;
        if (references[i] >= STATES)
            now->set[references[i] - STATES] = true;
        now->moved = now->moved || references[i] < INPUTS || (references[i] >= STATES && now->mode != CONTINUOUS_TIME);
    }
    if (prepare)
        model_prepare(now->values + PARAMETERS, &now->constants);
    if (count)
        fmu_touch(now);
    return fmi3OK;
}
