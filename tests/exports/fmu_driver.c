/* Runs an FMU through all of its functions, right and wrong; a sanitizer watches. It ends with 0 if all went as it should. */
#include "fmi3.h"
#include "fmu_model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 4096
#define CHECK(condition)                                                                                                         \
    do {                                                                                                                         \
        if (!(condition)) {                                                                                                      \
            printf("line %d: %s\n", __LINE__, #condition);                                                                       \
            exit(1);                                                                                                             \
        }                                                                                                                        \
    } while (0)

static int told = 0;

static void log_message(fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category, fmi3String message)
{
    CHECK(environment == &told);
    CHECK(status != fmi3OK && strlen(category) && strlen(message));
    ++told;
}

static fmi3Instance made(bool exchange)
{
    if (exchange)
        return fmi3InstantiateModelExchange("one", TOKEN, NULL, false, true, &told, log_message);
    return fmi3InstantiateCoSimulation("two", TOKEN, NULL, false, true, false, false, NULL, 0, &told, log_message, NULL);
}

/* All values of all variables are got, until there is no further one. */
static size_t all_values(fmi3Instance fmu)
{
    fmi3ValueReference reference = 0;
    double value;
    while (fmi3GetFloat64(fmu, &reference, 1, &value, 1) == fmi3OK)
        ++reference;
    return reference;
}

static void exchange(void)
{
    fmi3Instance fmu = made(true);
    bool again, terminate, nominals, values, has_next, event;
    double next, states[MOST], rates[MOST];
    size_t count;
    CHECK(fmu);
    CHECK(all_values(fmu) > 1);
    CHECK(fmi3EnterInitializationMode(fmu, true, 1e-6, 0.0, true, 1.0) == fmi3OK);
    CHECK(fmi3ExitInitializationMode(fmu) == fmi3OK);
    CHECK(fmi3UpdateDiscreteStates(fmu, &again, &terminate, &nominals, &values, &has_next, &next) == fmi3OK);
    CHECK(!again && !terminate && !has_next);
    CHECK(fmi3EnterContinuousTimeMode(fmu) == fmi3OK);
    CHECK(fmi3GetNumberOfContinuousStates(fmu, &count) == fmi3OK && count > 0 && count < MOST);
    CHECK(fmi3GetNominalsOfContinuousStates(fmu, rates, count) == fmi3OK);
    CHECK(fmi3GetEventIndicators(fmu, NULL, 0) == fmi3OK);
    for (int k = 0; k < 100; ++k) {
        CHECK(fmi3SetTime(fmu, 1e-3 * k) == fmi3OK);
        CHECK(fmi3GetContinuousStates(fmu, states, count) == fmi3OK);
        CHECK(fmi3GetContinuousStateDerivatives(fmu, rates, count) == fmi3OK);
        for (size_t i = 0; i < count; ++i)
            states[i] += 1e-3 * rates[i];
        CHECK(fmi3SetContinuousStates(fmu, states, count) == fmi3OK);
        CHECK(fmi3CompletedIntegratorStep(fmu, true, &event, &terminate) == fmi3OK && !event && !terminate);
    }
    CHECK(fmi3GetContinuousStates(fmu, states, count + 1) == fmi3Error);
    states[0] = NAN;
    CHECK(fmi3SetContinuousStates(fmu, states, count) == fmi3Discard);
    CHECK(fmi3EnterEventMode(fmu) == fmi3OK);
    CHECK(fmi3EnterEventMode(fmu) == fmi3Error);
    CHECK(fmi3Terminate(fmu) == fmi3OK);
    CHECK(all_values(fmu) > 1);
    CHECK(fmi3Reset(fmu) == fmi3OK);
    fmi3FreeInstance(fmu);
}

static void simulation(void)
{
    fmi3Instance fmu = made(false), other = made(false);
    fmi3FMUState state = NULL, copy = NULL;
    bool event, terminate, early;
    double last, first[MOST], second[MOST];
    fmi3ValueReference references[MOST];
    size_t count, size;
    CHECK(fmu && other);
    CHECK(fmi3EnterInitializationMode(fmu, false, 0.0, 0.0, false, 0.0) == fmi3OK);
    CHECK(fmi3ExitInitializationMode(fmu) == fmi3OK);
    count = all_values(fmu);
    CHECK(count < MOST);
    for (size_t i = 0; i < count; ++i)
        references[i] = (fmi3ValueReference)i;
    CHECK(fmi3GetFMUState(fmu, &state) == fmi3OK);
    for (int run = 0; run < 2; ++run) {
        for (int k = 0; k < 20; ++k) {
            CHECK(fmi3DoStep(fmu, 0.0037 * k, 0.0037, true, &event, &terminate, &early, &last) == fmi3OK);
            CHECK(fabs(last - 0.0037 * (k + 1)) < 1e-12);
        }
        CHECK(fmi3GetFloat64(fmu, references, count, run ? second : first, count) == fmi3OK);
        CHECK(fmi3SetFMUState(fmu, state) == fmi3OK);
    }
    CHECK(!memcmp(first, second, count * sizeof *first));
    CHECK(fmi3SerializedFMUStateSize(fmu, state, &size) == fmi3OK);
    fmi3Byte *bytes = malloc(size);
    CHECK(bytes && fmi3SerializeFMUState(fmu, state, bytes, size) == fmi3OK);
    CHECK(fmi3SerializeFMUState(fmu, state, bytes, size - 1) == fmi3Error);
    CHECK(fmi3DeserializeFMUState(other, bytes, size, &copy) == fmi3OK);
    CHECK(fmi3DeserializeFMUState(other, bytes, size - 1, &copy) == fmi3Error);
    CHECK(fmi3SetFMUState(other, copy) == fmi3OK);
    CHECK(fmi3DoStep(other, 0.0, 1e-9, true, &event, &terminate, &early, &last) == fmi3OK);
    CHECK(fmi3FreeFMUState(fmu, &state) == fmi3OK && !state);
    CHECK(fmi3FreeFMUState(other, &copy) == fmi3OK && !copy);
    CHECK(fmi3FreeFMUState(other, &copy) == fmi3OK);
    free(bytes);
    fmi3FreeInstance(fmu);
    fmi3FreeInstance(other);
    fmi3FreeInstance(NULL);
}

/* A coordinate that is set stays; where too many are set, the start is refused, and begins anew after a reset. */
static void starts(void)
{
    const fmi3ValueReference first = 1 + MODEL_PARAMETERS + MODEL_INPUTS, one[1] = {first + COORDINATE};
    fmi3ValueReference all[MODEL_STATES];
    double values[MODEL_STATES], found = 0.0;
    const double wanted[1] = {VALUE};
    fmi3Instance fmu = made(false);
    for (size_t i = 0; i < MODEL_STATES; ++i) {
        all[i] = first + (fmi3ValueReference)i;
        values[i] = 5.0 + (double)i;
    }
    CHECK(fmi3SetFloat64(fmu, all, MODEL_COORDINATES, values, MODEL_COORDINATES) == fmi3OK);
    CHECK(fmi3EnterInitializationMode(fmu, false, 0.0, 0.0, false, 0.0) == fmi3OK);
    CHECK(fmi3ExitInitializationMode(fmu) == fmi3Error);
    CHECK(fmi3Reset(fmu) == fmi3OK);
    CHECK(fmi3SetFloat64(fmu, one, 1, wanted, 1) == fmi3OK);
    CHECK(fmi3SetFloat64(fmu, all + MODEL_COORDINATES, 2, values, 2) == fmi3OK);
    CHECK(fmi3EnterInitializationMode(fmu, false, 0.0, 0.0, false, 0.0) == fmi3OK);
    CHECK(fmi3ExitInitializationMode(fmu) == fmi3OK);
    CHECK(fmi3GetFloat64(fmu, one, 1, &found, 1) == fmi3OK && found == VALUE);
    fmi3FreeInstance(fmu);
}

static void refusals(void)
{
    const fmi3ValueReference one[1] = {0};
    fmi3Instance fmu = made(false);
    fmi3Int32 whole = 0;
    fmi3String text = NULL;
    fmi3Binary binary = NULL;
    const fmi3String categories[2] = {"logStatusError", "no such category"};
    size_t size = 0, count = 0;
    const int before = told;
    CHECK(!fmi3InstantiateCoSimulation("x", TOKEN, NULL, false, true, true, false, NULL, 0, &told, log_message, NULL));
    CHECK(!fmi3InstantiateScheduledExecution("x", TOKEN, NULL, false, true, &told, log_message, NULL, NULL, NULL));
    CHECK(!fmi3InstantiateModelExchange("x", "another token", NULL, false, true, &told, log_message));
    CHECK(!fmi3InstantiateModelExchange("", TOKEN, NULL, false, true, NULL, NULL));
    CHECK(fmi3GetInt32(fmu, one, 1, &whole, 1) == fmi3Error && fmi3GetInt32(fmu, one, 0, &whole, 0) == fmi3OK);
    CHECK(fmi3GetString(fmu, one, 1, &text, 1) == fmi3Error);
    CHECK(fmi3GetBinary(fmu, one, 1, &size, &binary, 1) == fmi3Error);
    CHECK(fmi3GetDirectionalDerivative(fmu, one, 1, one, 1, NULL, 0, NULL, 0) == fmi3Error);
    CHECK(fmi3GetNumberOfVariableDependencies(fmu, 0, &count) == fmi3Error);
    CHECK(fmi3EnterStepMode(fmu) == fmi3Error && fmi3EnterConfigurationMode(fmu) == fmi3Error);
    CHECK(fmi3SetDebugLogging(fmu, true, 1, categories) == fmi3OK);
    CHECK(fmi3SetDebugLogging(fmu, true, 2, categories) == fmi3Error);
    CHECK(fmi3SetDebugLogging(fmu, false, 0, NULL) == fmi3OK);
    CHECK(fmi3GetNumberOfContinuousStates(fmu, &count) == fmi3Error);
    CHECK(fmi3Terminate(fmu) == fmi3Error && fmi3Terminate(NULL) == fmi3Error);
    CHECK(told - before == 13);
    fmi3FreeInstance(fmu);
}

int main(void)
{
    CHECK(!strcmp(fmi3GetVersion(), "3.0"));
    exchange();
    simulation();
    starts();
    refusals();
    return 0;
}
