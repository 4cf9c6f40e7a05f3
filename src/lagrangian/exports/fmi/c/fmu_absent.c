/* Functions of what this FMU does not have: every FMU has all functions, and these tell the importer so. */
#include "fmu.h"

static fmi3Status refuse(const fmu_instance *fmu, const char *function, const char *what)
{
    return fmu ? fmu_tell(fmu, fmi3Error, "%s: this FMU has no %s.", function, what) : fmi3Error;
}

/* No variables is what an importer may ask for of every type. */
#define NO_VALUES(name)                                                                                                         \
    FMI3_STATUS(fmi3Get##name)(fmi3Instance instance, const fmi3ValueReference references[], size_t count,                       \
                               fmi3##name values[], size_t value_count)                                                          \
    {                                                                                                                            \
        (void)references;                                                                                                        \
        (void)values;                                                                                                            \
        (void)value_count;                                                                                                       \
        return instance && !count ? fmi3OK : refuse(instance, "fmi3Get" #name, "variables of the type " #name);                  \
    }                                                                                                                            \
    FMI3_STATUS(fmi3Set##name)(fmi3Instance instance, const fmi3ValueReference references[], size_t count,                       \
                               const fmi3##name values[], size_t value_count)                                                    \
    {                                                                                                                            \
        (void)references;                                                                                                        \
        (void)values;                                                                                                            \
        (void)value_count;                                                                                                       \
        return instance && !count ? fmi3OK : refuse(instance, "fmi3Set" #name, "variables of the type " #name);                  \
    }

NO_VALUES(Float32)
NO_VALUES(Int8)
NO_VALUES(UInt8)
NO_VALUES(Int16)
NO_VALUES(UInt16)
NO_VALUES(Int32)
NO_VALUES(UInt32)
NO_VALUES(Int64)
NO_VALUES(UInt64)
NO_VALUES(Boolean)
NO_VALUES(String)

/* The arguments that are left alone. */
#define UNUSED2(a, b) ((void)(a), (void)(b))
#define UNUSED3(a, b, c) (UNUSED2(a, b), (void)(c))
#define UNUSED4(a, b, c, d) (UNUSED2(a, b), UNUSED2(c, d))
#define UNUSED5(a, b, c, d, e) (UNUSED3(a, b, c), UNUSED2(d, e))

FMI3_STATUS(fmi3GetBinary)(fmi3Instance instance, const fmi3ValueReference references[], size_t count, size_t sizes[],
                           fmi3Binary values[], size_t value_count)
{
    UNUSED4(references, sizes, values, value_count);
    return instance && !count ? fmi3OK : refuse(instance, "fmi3GetBinary", "variables of the type Binary");
}

FMI3_STATUS(fmi3SetBinary)(fmi3Instance instance, const fmi3ValueReference references[], size_t count, const size_t sizes[],
                           const fmi3Binary values[], size_t value_count)
{
    UNUSED4(references, sizes, values, value_count);
    return instance && !count ? fmi3OK : refuse(instance, "fmi3SetBinary", "variables of the type Binary");
}

FMI3_STATUS(fmi3GetClock)(fmi3Instance instance, const fmi3ValueReference references[], size_t count, fmi3Clock values[])
{
    UNUSED2(references, values);
    return instance && !count ? fmi3OK : refuse(instance, "fmi3GetClock", "clocks");
}

FMI3_STATUS(fmi3SetClock)(fmi3Instance instance, const fmi3ValueReference references[], size_t count, const fmi3Clock values[])
{
    UNUSED2(references, values);
    return instance && !count ? fmi3OK : refuse(instance, "fmi3SetClock", "clocks");
}

FMI3_STATUS(fmi3GetIntervalDecimal)(fmi3Instance instance, const fmi3ValueReference references[], size_t count,
                                    fmi3Float64 intervals[], fmi3IntervalQualifier qualifiers[])
{
    UNUSED4(references, count, intervals, qualifiers);
    return refuse(instance, "fmi3GetIntervalDecimal", "clocks");
}

FMI3_STATUS(fmi3GetIntervalFraction)(fmi3Instance instance, const fmi3ValueReference references[], size_t count,
                                     fmi3UInt64 counters[], fmi3UInt64 resolutions[], fmi3IntervalQualifier qualifiers[])
{
    UNUSED5(references, count, counters, resolutions, qualifiers);
    return refuse(instance, "fmi3GetIntervalFraction", "clocks");
}

FMI3_STATUS(fmi3GetShiftDecimal)(fmi3Instance instance, const fmi3ValueReference references[], size_t count,
                                 fmi3Float64 shifts[])
{
    UNUSED3(references, count, shifts);
    return refuse(instance, "fmi3GetShiftDecimal", "clocks");
}

FMI3_STATUS(fmi3GetShiftFraction)(fmi3Instance instance, const fmi3ValueReference references[], size_t count,
                                  fmi3UInt64 counters[], fmi3UInt64 resolutions[])
{
    UNUSED4(references, count, counters, resolutions);
    return refuse(instance, "fmi3GetShiftFraction", "clocks");
}

FMI3_STATUS(fmi3SetIntervalDecimal)(fmi3Instance instance, const fmi3ValueReference references[], size_t count,
                                    const fmi3Float64 intervals[])
{
    UNUSED3(references, count, intervals);
    return refuse(instance, "fmi3SetIntervalDecimal", "clocks");
}

FMI3_STATUS(fmi3SetIntervalFraction)(fmi3Instance instance, const fmi3ValueReference references[], size_t count,
                                     const fmi3UInt64 counters[], const fmi3UInt64 resolutions[])
{
    UNUSED4(references, count, counters, resolutions);
    return refuse(instance, "fmi3SetIntervalFraction", "clocks");
}

FMI3_STATUS(fmi3SetShiftDecimal)(fmi3Instance instance, const fmi3ValueReference references[], size_t count,
                                 const fmi3Float64 shifts[])
{
    UNUSED3(references, count, shifts);
    return refuse(instance, "fmi3SetShiftDecimal", "clocks");
}

FMI3_STATUS(fmi3SetShiftFraction)(fmi3Instance instance, const fmi3ValueReference references[], size_t count,
                                  const fmi3UInt64 counters[], const fmi3UInt64 resolutions[])
{
    UNUSED4(references, count, counters, resolutions);
    return refuse(instance, "fmi3SetShiftFraction", "clocks");
}

FMI3_STATUS(fmi3EvaluateDiscreteStates)(fmi3Instance instance)
{
    return refuse(instance, "fmi3EvaluateDiscreteStates", "discrete states");
}

FMI3_STATUS(fmi3EnterConfigurationMode)(fmi3Instance instance)
{
    return refuse(instance, "fmi3EnterConfigurationMode", "structural parameters");
}

FMI3_STATUS(fmi3ExitConfigurationMode)(fmi3Instance instance)
{
    return refuse(instance, "fmi3ExitConfigurationMode", "structural parameters");
}

FMI3_STATUS(fmi3EnterStepMode)(fmi3Instance instance)
{
    return refuse(instance, "fmi3EnterStepMode", "Event Mode in Co-Simulation");
}

FMI3_STATUS(fmi3GetOutputDerivatives)(fmi3Instance instance, const fmi3ValueReference references[], size_t count,
                                      const fmi3Int32 orders[], fmi3Float64 values[], size_t value_count)
{
    UNUSED5(references, count, orders, values, value_count);
    return refuse(instance, "fmi3GetOutputDerivatives", "derivatives of outputs");
}

FMI3_STATUS(fmi3ActivateModelPartition)(fmi3Instance instance, fmi3ValueReference clock, fmi3Float64 time)
{
    UNUSED2(clock, time);
    return refuse(instance, "fmi3ActivateModelPartition", "Scheduled Execution");
}

FMI3_STATUS(fmi3GetNumberOfVariableDependencies)(fmi3Instance instance, fmi3ValueReference reference, size_t *count)
{
    UNUSED2(reference, count);
    return refuse(instance, "fmi3GetNumberOfVariableDependencies", "dependencies of elements");
}

FMI3_STATUS(fmi3GetVariableDependencies)(fmi3Instance instance, fmi3ValueReference dependent, size_t of_dependent[],
                                         fmi3ValueReference independents[], size_t of_independents[],
                                         fmi3DependencyKind kinds[], size_t count)
{
    UNUSED3(dependent, of_dependent, independents);
    UNUSED3(of_independents, kinds, count);
    return refuse(instance, "fmi3GetVariableDependencies", "dependencies of elements");
}

FMI3_STATUS(fmi3GetDirectionalDerivative)(fmi3Instance instance, const fmi3ValueReference unknowns[], size_t unknown_count,
                                          const fmi3ValueReference knowns[], size_t known_count, const fmi3Float64 seed[],
                                          size_t seed_count, fmi3Float64 sensitivity[], size_t sensitivity_count)
{
    UNUSED4(unknowns, unknown_count, knowns, known_count);
    UNUSED4(seed, seed_count, sensitivity, sensitivity_count);
    return refuse(instance, "fmi3GetDirectionalDerivative", "directional derivatives");
}

FMI3_STATUS(fmi3GetAdjointDerivative)(fmi3Instance instance, const fmi3ValueReference unknowns[], size_t unknown_count,
                                      const fmi3ValueReference knowns[], size_t known_count, const fmi3Float64 seed[],
                                      size_t seed_count, fmi3Float64 sensitivity[], size_t sensitivity_count)
{
    UNUSED4(unknowns, unknown_count, knowns, known_count);
    UNUSED4(seed, seed_count, sensitivity, sensitivity_count);
    return refuse(instance, "fmi3GetAdjointDerivative", "adjoint derivatives");
}
