/*
 * The types and functions of the Functional Mock-up Interface 3.0, as far as an FMU has to declare them.
 *
 * Where several FMUs are linked into one program, define FMI3_FUNCTION_PREFIX as the model identifier and an underscore: all
 * functions then begin with it, unless FMI3_OVERRIDE_FUNCTION_PREFIX is defined, too.
 */
#ifndef FMI3_H
#define FMI3_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef void *fmi3Instance;
typedef void *fmi3InstanceEnvironment;
typedef void *fmi3FMUState;
typedef uint32_t fmi3ValueReference;
typedef float fmi3Float32;
typedef double fmi3Float64;
typedef int8_t fmi3Int8;
typedef uint8_t fmi3UInt8;
typedef int16_t fmi3Int16;
typedef uint16_t fmi3UInt16;
typedef int32_t fmi3Int32;
typedef uint32_t fmi3UInt32;
typedef int64_t fmi3Int64;
typedef uint64_t fmi3UInt64;
typedef bool fmi3Boolean;
typedef char fmi3Char;
typedef const fmi3Char *fmi3String;
typedef uint8_t fmi3Byte;
typedef const fmi3Byte *fmi3Binary;
typedef bool fmi3Clock;

typedef enum { fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal } fmi3Status;
typedef enum { fmi3Independent, fmi3Constant, fmi3Fixed, fmi3Tunable, fmi3Discrete, fmi3Dependent } fmi3DependencyKind;
typedef enum { fmi3IntervalNotYetKnown, fmi3IntervalUnchanged, fmi3IntervalChanged } fmi3IntervalQualifier;

typedef void (*fmi3LogMessageCallback)(fmi3InstanceEnvironment, fmi3Status, fmi3String category, fmi3String message);
typedef void (*fmi3ClockUpdateCallback)(fmi3InstanceEnvironment);
typedef void (*fmi3IntermediateUpdateCallback)(fmi3InstanceEnvironment, fmi3Float64 time, fmi3Boolean set_requested,
                                               fmi3Boolean get_allowed, fmi3Boolean step_finished, fmi3Boolean can_return_early,
                                               fmi3Boolean *early_return_requested, fmi3Float64 *early_return_time);
typedef void (*fmi3LockPreemptionCallback)(void);
typedef void (*fmi3UnlockPreemptionCallback)(void);

/* How a function is declared: its name may have a prefix, and shared libraries show it. */
#define FMI3_JOINED(a, b) a##b
#define FMI3_PREFIXED(prefix, name) FMI3_JOINED(prefix, name)
#if defined(FMI3_FUNCTION_PREFIX) && !defined(FMI3_OVERRIDE_FUNCTION_PREFIX)
#define FMI3_NAME(name) FMI3_PREFIXED(FMI3_FUNCTION_PREFIX, name)
#else
#define FMI3_NAME(name) name
#endif
#ifndef FMI3_Export
#if defined(_WIN32) || defined(__CYGWIN__)
#define FMI3_Export __declspec(dllexport)
#elif defined(__GNUC__)
#define FMI3_Export __attribute__((visibility("default")))
#else
#define FMI3_Export
#endif
#endif
#define FMI3_STATUS(name) FMI3_Export fmi3Status FMI3_NAME(name)
#define FMI3_INSTANCE(name) FMI3_Export fmi3Instance FMI3_NAME(name)

/* All interface types. */
FMI3_Export const char *FMI3_NAME(fmi3GetVersion)(void);
FMI3_STATUS(fmi3SetDebugLogging)(fmi3Instance, fmi3Boolean on, size_t count, const fmi3String categories[]);
FMI3_INSTANCE(fmi3InstantiateModelExchange)(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
                                            fmi3Boolean logging, fmi3InstanceEnvironment, fmi3LogMessageCallback);
FMI3_INSTANCE(fmi3InstantiateCoSimulation)(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
                                           fmi3Boolean logging, fmi3Boolean event_mode, fmi3Boolean early_return,
                                           const fmi3ValueReference intermediate[], size_t intermediate_count,
                                           fmi3InstanceEnvironment, fmi3LogMessageCallback, fmi3IntermediateUpdateCallback);
FMI3_INSTANCE(fmi3InstantiateScheduledExecution)(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
                                                 fmi3Boolean logging, fmi3InstanceEnvironment, fmi3LogMessageCallback,
                                                 fmi3ClockUpdateCallback, fmi3LockPreemptionCallback,
                                                 fmi3UnlockPreemptionCallback);
FMI3_Export void FMI3_NAME(fmi3FreeInstance)(fmi3Instance);
FMI3_STATUS(fmi3EnterInitializationMode)(fmi3Instance, fmi3Boolean has_tolerance, fmi3Float64 tolerance, fmi3Float64 start,
                                         fmi3Boolean has_stop, fmi3Float64 stop);
FMI3_STATUS(fmi3ExitInitializationMode)(fmi3Instance);
FMI3_STATUS(fmi3EnterEventMode)(fmi3Instance);
FMI3_STATUS(fmi3Terminate)(fmi3Instance);
FMI3_STATUS(fmi3Reset)(fmi3Instance);
FMI3_STATUS(fmi3EnterConfigurationMode)(fmi3Instance);
FMI3_STATUS(fmi3ExitConfigurationMode)(fmi3Instance);

/* Values. */
#define FMI3_VALUES(name)                                                                                                       \
    FMI3_STATUS(fmi3Get##name)(fmi3Instance, const fmi3ValueReference[], size_t count, fmi3##name[], size_t values);             \
    FMI3_STATUS(fmi3Set##name)(fmi3Instance, const fmi3ValueReference[], size_t count, const fmi3##name[], size_t values)
FMI3_VALUES(Float32);
FMI3_VALUES(Float64);
FMI3_VALUES(Int8);
FMI3_VALUES(UInt8);
FMI3_VALUES(Int16);
FMI3_VALUES(UInt16);
FMI3_VALUES(Int32);
FMI3_VALUES(UInt32);
FMI3_VALUES(Int64);
FMI3_VALUES(UInt64);
FMI3_VALUES(Boolean);
FMI3_VALUES(String);
FMI3_STATUS(fmi3GetBinary)(fmi3Instance, const fmi3ValueReference[], size_t count, size_t sizes[], fmi3Binary[], size_t values);
FMI3_STATUS(fmi3SetBinary)(fmi3Instance, const fmi3ValueReference[], size_t count, const size_t sizes[], const fmi3Binary[],
                           size_t values);
FMI3_STATUS(fmi3GetClock)(fmi3Instance, const fmi3ValueReference[], size_t count, fmi3Clock[]);
FMI3_STATUS(fmi3SetClock)(fmi3Instance, const fmi3ValueReference[], size_t count, const fmi3Clock[]);

/* States of the whole FMU, dependencies and derivatives. */
FMI3_STATUS(fmi3GetFMUState)(fmi3Instance, fmi3FMUState *);
FMI3_STATUS(fmi3SetFMUState)(fmi3Instance, fmi3FMUState);
FMI3_STATUS(fmi3FreeFMUState)(fmi3Instance, fmi3FMUState *);
FMI3_STATUS(fmi3SerializedFMUStateSize)(fmi3Instance, fmi3FMUState, size_t *size);
FMI3_STATUS(fmi3SerializeFMUState)(fmi3Instance, fmi3FMUState, fmi3Byte bytes[], size_t size);
FMI3_STATUS(fmi3DeserializeFMUState)(fmi3Instance, const fmi3Byte bytes[], size_t size, fmi3FMUState *);
FMI3_STATUS(fmi3GetNumberOfVariableDependencies)(fmi3Instance, fmi3ValueReference, size_t *count);
FMI3_STATUS(fmi3GetVariableDependencies)(fmi3Instance, fmi3ValueReference dependent, size_t of_dependent[],
                                         fmi3ValueReference independents[], size_t of_independents[],
                                         fmi3DependencyKind kinds[], size_t count);
FMI3_STATUS(fmi3GetDirectionalDerivative)(fmi3Instance, const fmi3ValueReference unknowns[], size_t unknown_count,
                                          const fmi3ValueReference knowns[], size_t known_count, const fmi3Float64 seed[],
                                          size_t seed_count, fmi3Float64 sensitivity[], size_t sensitivity_count);
FMI3_STATUS(fmi3GetAdjointDerivative)(fmi3Instance, const fmi3ValueReference unknowns[], size_t unknown_count,
                                      const fmi3ValueReference knowns[], size_t known_count, const fmi3Float64 seed[],
                                      size_t seed_count, fmi3Float64 sensitivity[], size_t sensitivity_count);

/* Clocks and discrete states. */
FMI3_STATUS(fmi3GetIntervalDecimal)(fmi3Instance, const fmi3ValueReference[], size_t count, fmi3Float64 intervals[],
                                    fmi3IntervalQualifier qualifiers[]);
FMI3_STATUS(fmi3GetIntervalFraction)(fmi3Instance, const fmi3ValueReference[], size_t count, fmi3UInt64 counters[],
                                     fmi3UInt64 resolutions[], fmi3IntervalQualifier qualifiers[]);
FMI3_STATUS(fmi3GetShiftDecimal)(fmi3Instance, const fmi3ValueReference[], size_t count, fmi3Float64 shifts[]);
FMI3_STATUS(fmi3GetShiftFraction)(fmi3Instance, const fmi3ValueReference[], size_t count, fmi3UInt64 counters[],
                                  fmi3UInt64 resolutions[]);
FMI3_STATUS(fmi3SetIntervalDecimal)(fmi3Instance, const fmi3ValueReference[], size_t count, const fmi3Float64 intervals[]);
FMI3_STATUS(fmi3SetIntervalFraction)(fmi3Instance, const fmi3ValueReference[], size_t count, const fmi3UInt64 counters[],
                                     const fmi3UInt64 resolutions[]);
FMI3_STATUS(fmi3SetShiftDecimal)(fmi3Instance, const fmi3ValueReference[], size_t count, const fmi3Float64 shifts[]);
FMI3_STATUS(fmi3SetShiftFraction)(fmi3Instance, const fmi3ValueReference[], size_t count, const fmi3UInt64 counters[],
                                  const fmi3UInt64 resolutions[]);
FMI3_STATUS(fmi3EvaluateDiscreteStates)(fmi3Instance);
FMI3_STATUS(fmi3UpdateDiscreteStates)(fmi3Instance, fmi3Boolean *again, fmi3Boolean *terminate, fmi3Boolean *nominals_changed,
                                      fmi3Boolean *states_changed, fmi3Boolean *has_next_event, fmi3Float64 *next_event);

/* Model Exchange. */
FMI3_STATUS(fmi3EnterContinuousTimeMode)(fmi3Instance);
FMI3_STATUS(fmi3CompletedIntegratorStep)(fmi3Instance, fmi3Boolean no_going_back, fmi3Boolean *enter_event_mode,
                                         fmi3Boolean *terminate);
FMI3_STATUS(fmi3SetTime)(fmi3Instance, fmi3Float64 time);
FMI3_STATUS(fmi3SetContinuousStates)(fmi3Instance, const fmi3Float64 states[], size_t count);
FMI3_STATUS(fmi3GetContinuousStateDerivatives)(fmi3Instance, fmi3Float64 derivatives[], size_t count);
FMI3_STATUS(fmi3GetEventIndicators)(fmi3Instance, fmi3Float64 indicators[], size_t count);
FMI3_STATUS(fmi3GetContinuousStates)(fmi3Instance, fmi3Float64 states[], size_t count);
FMI3_STATUS(fmi3GetNominalsOfContinuousStates)(fmi3Instance, fmi3Float64 nominals[], size_t count);
FMI3_STATUS(fmi3GetNumberOfEventIndicators)(fmi3Instance, size_t *count);
FMI3_STATUS(fmi3GetNumberOfContinuousStates)(fmi3Instance, size_t *count);

/* Co-Simulation and Scheduled Execution. */
FMI3_STATUS(fmi3EnterStepMode)(fmi3Instance);
FMI3_STATUS(fmi3GetOutputDerivatives)(fmi3Instance, const fmi3ValueReference[], size_t count, const fmi3Int32 orders[],
                                      fmi3Float64 values[], size_t value_count);
FMI3_STATUS(fmi3DoStep)(fmi3Instance, fmi3Float64 point, fmi3Float64 step, fmi3Boolean no_going_back,
                        fmi3Boolean *event_handling_needed, fmi3Boolean *terminate, fmi3Boolean *early_return,
                        fmi3Float64 *last_successful_time);
FMI3_STATUS(fmi3ActivateModelPartition)(fmi3Instance, fmi3ValueReference clock, fmi3Float64 time);

#ifdef __cplusplus
}
#endif

#endif /* FMI3_H */
