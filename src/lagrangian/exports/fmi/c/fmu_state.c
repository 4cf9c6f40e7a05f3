/* States of the whole FMU: copies of all that changes, also as bytes. */
#include "fmu.h"

#include <stdlib.h>
#include <string.h>

/* Bytes begin with the token, so that those of another FMU are known. */
#define HEAD (sizeof MODEL_TOKEN)

FMI3_STATUS(fmi3GetFMUState)(fmi3Instance instance, fmi3FMUState *state)
{
    fmu_instance *fmu = instance;
    if (!fmu_is_in(fmu, ANY, "fmi3GetFMUState"))
        return fmi3Error;
    if (!*state)
        *state = malloc(sizeof fmu->now);
    if (!*state)
        return fmu_tell(fmu, fmi3Error, "%s: there is not enough memory for a state.", fmu->name);
    memcpy(*state, &fmu->now, sizeof fmu->now);
    return fmi3OK;
}

FMI3_STATUS(fmi3SetFMUState)(fmi3Instance instance, fmi3FMUState state)
{
    fmu_instance *fmu = instance;
    if (!fmu_is_in(fmu, ANY, "fmi3SetFMUState"))
        return fmi3Error;
    if (!state)
        return fmu_tell(fmu, fmi3Error, "fmi3SetFMUState: there is no state.");
    memcpy(&fmu->now, state, sizeof fmu->now);
    return fmi3OK;
}

FMI3_STATUS(fmi3FreeFMUState)(fmi3Instance instance, fmi3FMUState *state)
{
    fmu_instance *fmu = instance;
    if (!fmu_is_in(fmu, ANY, "fmi3FreeFMUState"))
        return fmi3Error;
    if (state) {
        free(*state);
        *state = NULL;
    }
    return fmi3OK;
}

FMI3_STATUS(fmi3SerializedFMUStateSize)(fmi3Instance instance, fmi3FMUState state, size_t *size)
{
    fmu_instance *fmu = instance;
    (void)state;
    if (!fmu_is_in(fmu, ANY, "fmi3SerializedFMUStateSize"))
        return fmi3Error;
    *size = HEAD + sizeof fmu->now;
    return fmi3OK;
}

FMI3_STATUS(fmi3SerializeFMUState)(fmi3Instance instance, fmi3FMUState state, fmi3Byte bytes[], size_t size)
{
    fmu_instance *fmu = instance;
    if (!fmu_is_in(fmu, ANY, "fmi3SerializeFMUState"))
        return fmi3Error;
    if (!state || size < HEAD + sizeof fmu->now)
        return fmu_tell(fmu, fmi3Error, "fmi3SerializeFMUState: %s.", state ? "the bytes are too few" : "there is no state");
    memcpy(bytes, MODEL_TOKEN, HEAD);
    memcpy(bytes + HEAD, state, sizeof fmu->now);
    return fmi3OK;
}

FMI3_STATUS(fmi3DeserializeFMUState)(fmi3Instance instance, const fmi3Byte bytes[], size_t size, fmi3FMUState *state)
{
    fmu_instance *fmu = instance;
    if (!fmu_is_in(fmu, ANY, "fmi3DeserializeFMUState"))
        return fmi3Error;
    if (size != HEAD + sizeof fmu->now || memcmp(bytes, MODEL_TOKEN, HEAD) != 0)
        return fmu_tell(fmu, fmi3Error, "fmi3DeserializeFMUState: these bytes are no state of this FMU.");
    if (!*state)
        *state = malloc(sizeof fmu->now);
    if (!*state)
        return fmu_tell(fmu, fmi3Error, "%s: there is not enough memory for a state.", fmu->name);
    memcpy(*state, bytes + HEAD, sizeof fmu->now);
    return fmi3OK;
}
