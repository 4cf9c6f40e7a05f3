/* Instances: how they are made, which mode they are in, and what they tell the importer. */
#include "fmu.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const CATEGORIES[3] = {"logStatusWarning", "logStatusDiscard", "logStatusError"};

static int category_of(fmi3Status status)
{
    return status == fmi3Warning ? 0 : status == fmi3Discard ? 1 : 2;
}

fmi3Status fmu_tell(const fmu_instance *fmu, fmi3Status status, const char *format, ...)
{
    const int category = category_of(status);
    if (fmu->log && (fmu->logged[category] || category == 2)) {
        char text[1024];
        va_list arguments;
        va_start(arguments, format);
        (void)vsnprintf(text, sizeof text, format, arguments);
        va_end(arguments);
        fmu->log(fmu->environment, status, CATEGORIES[category], text);
    }
    return status;
}

static const char *mode_name(unsigned mode)
{
    switch (mode) {
    case INSTANTIATED: return "the state Instantiated";
    case INITIALIZATION: return "Initialization Mode";
    case EVENT: return "Event Mode";
    case CONTINUOUS_TIME: return "Continuous-Time Mode";
    case STEP: return "Step Mode";
    default: return "the state Terminated";
    }
}

bool fmu_is_in(const fmu_instance *fmu, unsigned modes, const char *function)
{
    if (!fmu)
        return false;
    if (fmu->now.mode & modes)
        return true;
    (void)fmu_tell(fmu, fmi3Error, "%s cannot be called in %s.", function, mode_name(fmu->now.mode));
    return false;
}

static fmu_instance *instance_of(fmu_kind kind, fmi3String name, fmi3String token, fmi3Boolean logging,
                                 fmi3InstanceEnvironment environment, fmi3LogMessageCallback log)
{
    fmu_instance refused = {0};
    refused.environment = environment;
    refused.log = log;
    if (!name || !name[0]) {
        (void)fmu_tell(&refused, fmi3Error, "The instance has no name.");
        return NULL;
    }
    if (!token || strcmp(token, MODEL_TOKEN) != 0) {
        (void)fmu_tell(&refused, fmi3Error, "%s: the instantiation token is that of another FMU.", name);
        return NULL;
    }
    fmu_instance *fmu = calloc(1, sizeof *fmu);
    char *own_name = malloc(strlen(name) + 1);
    if (!fmu || !own_name) {
        free(fmu);
        free(own_name);
        (void)fmu_tell(&refused, fmi3Error, "%s: there is not enough memory.", name);
        return NULL;
    }
    fmu->kind = kind;
    fmu->name = strcpy(own_name, name);
    fmu->environment = environment;
    fmu->log = log;
    for (int i = 0; i < 3; ++i)
        fmu->logged[i] = logging;
    fmu_start(&fmu->now);
    return fmu;
}

FMI3_Export const char *FMI3_NAME(fmi3GetVersion)(void)
{
    return "3.0";
}

FMI3_INSTANCE(fmi3InstantiateModelExchange)(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
                                            fmi3Boolean logging, fmi3InstanceEnvironment environment,
                                            fmi3LogMessageCallback log)
{
    (void)resources;
    (void)visible;
    return instance_of(MODEL_EXCHANGE, name, token, logging, environment, log);
}

FMI3_INSTANCE(fmi3InstantiateCoSimulation)(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
                                           fmi3Boolean logging, fmi3Boolean event_mode, fmi3Boolean early_return,
                                           const fmi3ValueReference intermediate[], size_t intermediate_count,
                                           fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
                                           fmi3IntermediateUpdateCallback update)
{
    (void)resources;
    (void)visible;
    (void)early_return;
    (void)intermediate;
    (void)update;
    if (event_mode || intermediate_count) {
        fmu_instance refused = {0};
        refused.environment = environment;
        refused.log = log;
        (void)fmu_tell(&refused, fmi3Error, "Co-Simulation of this FMU has no %s.",
                       event_mode ? "Event Mode" : "intermediate variables");
        return NULL;
    }
    return instance_of(CO_SIMULATION, name, token, logging, environment, log);
}

FMI3_INSTANCE(fmi3InstantiateScheduledExecution)(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
                                                 fmi3Boolean logging, fmi3InstanceEnvironment environment,
                                                 fmi3LogMessageCallback log, fmi3ClockUpdateCallback update,
                                                 fmi3LockPreemptionCallback lock, fmi3UnlockPreemptionCallback unlock)
{
    fmu_instance refused = {0};
    (void)name;
    (void)token;
    (void)resources;
    (void)visible;
    (void)logging;
    (void)update;
    (void)lock;
    (void)unlock;
    refused.environment = environment;
    refused.log = log;
    (void)fmu_tell(&refused, fmi3Error, "This FMU is for Model Exchange and Co-Simulation, and not for Scheduled Execution.");
    return NULL;
}

FMI3_Export void FMI3_NAME(fmi3FreeInstance)(fmi3Instance instance)
{
    fmu_instance *fmu = instance;
    if (fmu)
        free(fmu->name);
    free(fmu);
}

FMI3_STATUS(fmi3SetDebugLogging)(fmi3Instance instance, fmi3Boolean on, size_t count, const fmi3String categories[])
{
    fmu_instance *fmu = instance;
    if (!fmu_is_in(fmu, ANY, "fmi3SetDebugLogging"))
        return fmi3Error;
    for (int i = 0; i < 3 && !count; ++i)
        fmu->logged[i] = on;
    for (size_t k = 0; k < count; ++k) {
        int category = 0;
        while (category < 3 && strcmp(categories[k], CATEGORIES[category]) != 0)
            ++category;
        if (category == 3)
            return fmu_tell(fmu, fmi3Error, "There is no log category %.200s.", categories[k]);
        fmu->logged[category] = on;
    }
    return fmi3OK;
}

FMI3_STATUS(fmi3EnterInitializationMode)(fmi3Instance instance, fmi3Boolean has_tolerance, fmi3Float64 tolerance,
                                         fmi3Float64 start, fmi3Boolean has_stop, fmi3Float64 stop)
{
    fmu_instance *fmu = instance;
    (void)has_tolerance;
    (void)tolerance;
    if (!fmu_is_in(fmu, INSTANTIATED, "fmi3EnterInitializationMode"))
        return fmi3Error;
    if (!fmu_finite(&start, 1))
        return fmu_tell(fmu, fmi3Error, "The start time is not finite.");
    fmu_values *now = &fmu->now;
    now->has_stop = has_stop;
    now->stop = stop;
    if (MODEL_TIMED && now->values[TIME] != start)
        now->moved = true; /* constraints may be elsewhere at this time */
    now->values[TIME] = start;
    now->mode = INITIALIZATION;
    fmu_touch(now);
    return fmi3OK;
}

FMI3_STATUS(fmi3ExitInitializationMode)(fmi3Instance instance)
{
    fmu_instance *fmu = instance;
    if (!fmu_is_in(fmu, INITIALIZATION, "fmi3ExitInitializationMode"))
        return fmi3Error;
    const fmi3Status status = fmu_assemble(fmu);
    if (status == fmi3OK)
        fmu->now.mode = fmu->kind == MODEL_EXCHANGE ? EVENT : STEP;
    return status;
}

FMI3_STATUS(fmi3Terminate)(fmi3Instance instance)
{
    fmu_instance *fmu = instance;
    if (!fmu_is_in(fmu, INITIALIZED, "fmi3Terminate"))
        return fmi3Error;
    fmu->now.mode = TERMINATED;
    return fmi3OK;
}

FMI3_STATUS(fmi3Reset)(fmi3Instance instance)
{
    fmu_instance *fmu = instance;
    if (!fmu_is_in(fmu, ANY, "fmi3Reset"))
        return fmi3Error;
    fmu_start(&fmu->now);
    return fmi3OK;
}
