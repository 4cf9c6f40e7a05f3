/* Model Exchange: the importer integrates. */
#include "fmu.h"

#include <string.h>

static bool right_count(const fmu_instance *fmu, size_t count, size_t expected, const char *function)
{
    if (count == expected)
        return true;
    (void)fmu_tell(fmu, fmi3Error, "%s: %lu numbers are given, and %lu are needed.", function, (unsigned long)count,
                   (unsigned long)expected);
    return false;
}

static bool of_model_exchange(const fmu_instance *fmu, unsigned modes, const char *function)
{
    if (!fmu_is_in(fmu, modes, function))
        return false;
    if (fmu->kind == MODEL_EXCHANGE)
        return true;
    (void)fmu_tell(fmu, fmi3Error, "%s is for Model Exchange, and this is an instance for Co-Simulation.", function);
    return false;
}

FMI3_STATUS(fmi3EnterEventMode)(fmi3Instance instance)
{
    fmu_instance *fmu = instance;
    if (!of_model_exchange(fmu, CONTINUOUS_TIME, "fmi3EnterEventMode"))
        return fmi3Error;
    fmu->now.mode = EVENT;
    return fmi3OK;
}

FMI3_STATUS(fmi3EnterContinuousTimeMode)(fmi3Instance instance)
{
    fmu_instance *fmu = instance;
    if (!of_model_exchange(fmu, EVENT, "fmi3EnterContinuousTimeMode"))
        return fmi3Error;
    const fmi3Status status = fmu_close(fmu);
    if (status == fmi3OK)
        fmu->now.mode = CONTINUOUS_TIME;
    return status;
}

FMI3_STATUS(fmi3UpdateDiscreteStates)(fmi3Instance instance, fmi3Boolean *again, fmi3Boolean *terminate,
                                      fmi3Boolean *nominals_changed, fmi3Boolean *states_changed, fmi3Boolean *has_next_event,
                                      fmi3Float64 *next_event)
{
    fmu_instance *fmu = instance;
    if (!of_model_exchange(fmu, EVENT, "fmi3UpdateDiscreteStates"))
        return fmi3Error;
    const fmi3Status status = fmu_close(fmu);
    *again = *terminate = *nominals_changed = *has_next_event = false;
    *states_changed = fmu->now.changed;
    *next_event = 0.0;
    fmu->now.changed = false;
    return status;
}

FMI3_STATUS(fmi3CompletedIntegratorStep)(fmi3Instance instance, fmi3Boolean no_going_back, fmi3Boolean *enter_event_mode,
                                         fmi3Boolean *terminate)
{
    (void)no_going_back;
    if (!of_model_exchange(instance, CONTINUOUS_TIME, "fmi3CompletedIntegratorStep"))
        return fmi3Error;
    *enter_event_mode = *terminate = false;
    return fmi3OK;
}

FMI3_STATUS(fmi3SetTime)(fmi3Instance instance, fmi3Float64 time)
{
    fmu_instance *fmu = instance;
    if (!of_model_exchange(fmu, EVENT | CONTINUOUS_TIME, "fmi3SetTime"))
        return fmi3Error;
    if (!fmu_finite(&time, 1))
        return fmu_tell(fmu, fmi3Error, "fmi3SetTime: the time is not finite.");
    if (time != fmu->now.values[TIME])
        fmu_touch(&fmu->now);
    fmu->now.values[TIME] = time;
    return fmi3OK;
}

FMI3_STATUS(fmi3SetContinuousStates)(fmi3Instance instance, const fmi3Float64 states[], size_t count)
{
    fmu_instance *fmu = instance;
    if (!of_model_exchange(fmu, EVENT | CONTINUOUS_TIME, "fmi3SetContinuousStates") ||
        !right_count(fmu, count, MODEL_STATES, "fmi3SetContinuousStates"))
        return fmi3Error;
    if (!fmu_finite(states, count))
        return fmu_tell(fmu, fmi3Discard, "fmi3SetContinuousStates: a state is not finite.");
    memcpy(fmu->now.values + STATES, states, count * sizeof *states);
    fmu->now.moved = fmu->now.moved || fmu->now.mode == EVENT;
    fmu_touch(&fmu->now);
    return fmi3OK;
}

FMI3_STATUS(fmi3GetContinuousStateDerivatives)(fmi3Instance instance, fmi3Float64 derivatives[], size_t count)
{
    fmu_instance *fmu = instance;
    if (!of_model_exchange(fmu, INITIALIZATION | EVENT | CONTINUOUS_TIME | TERMINATED, "fmi3GetContinuousStateDerivatives") ||
        !right_count(fmu, count, MODEL_STATES, "fmi3GetContinuousStateDerivatives"))
        return fmi3Error;
    fmu_derivatives(&fmu->now);
    const double *current = fmu->now.values + DERIVATIVES;
    memcpy(derivatives, current, count * sizeof *current);
    for (size_t i = 0; i < count; ++i)
        if (!fmu_finite(current + i, 1))
            return fmu_tell(fmu, fmi3Discard, "%s is not finite at time %.17g.", model_names[DERIVATIVES + i],
                            fmu->now.values[TIME]);
    return fmi3OK;
}

FMI3_STATUS(fmi3GetContinuousStates)(fmi3Instance instance, fmi3Float64 states[], size_t count)
{
    fmu_instance *fmu = instance;
    if (!of_model_exchange(fmu, INITIALIZATION | EVENT | CONTINUOUS_TIME | TERMINATED, "fmi3GetContinuousStates") ||
        !right_count(fmu, count, MODEL_STATES, "fmi3GetContinuousStates"))
        return fmi3Error;
    memcpy(states, fmu->now.values + STATES, count * sizeof *states);
    return fmi3OK;
}

FMI3_STATUS(fmi3GetNominalsOfContinuousStates)(fmi3Instance instance, fmi3Float64 nominals[], size_t count)
{
    fmu_instance *fmu = instance;
    if (!of_model_exchange(fmu, ANY, "fmi3GetNominalsOfContinuousStates") ||
        !right_count(fmu, count, MODEL_STATES, "fmi3GetNominalsOfContinuousStates"))
        return fmi3Error;
    for (size_t i = 0; i < count; ++i)
        nominals[i] = 1.0;
    return fmi3OK;
}

FMI3_STATUS(fmi3GetNumberOfContinuousStates)(fmi3Instance instance, size_t *count)
{
    if (!of_model_exchange(instance, ANY, "fmi3GetNumberOfContinuousStates"))
        return fmi3Error;
    *count = MODEL_STATES;
    return fmi3OK;
}

FMI3_STATUS(fmi3GetNumberOfEventIndicators)(fmi3Instance instance, size_t *count)
{
    if (!of_model_exchange(instance, ANY, "fmi3GetNumberOfEventIndicators"))
        return fmi3Error;
    *count = 0;
    return fmi3OK;
}

FMI3_STATUS(fmi3GetEventIndicators)(fmi3Instance instance, fmi3Float64 indicators[], size_t count)
{
    fmu_instance *fmu = instance;
    (void)indicators;
    if (!of_model_exchange(fmu, INITIALIZATION | EVENT | CONTINUOUS_TIME | TERMINATED, "fmi3GetEventIndicators") ||
        !right_count(fmu, count, 0, "fmi3GetEventIndicators"))
        return fmi3Error;
    return fmi3OK;
}
