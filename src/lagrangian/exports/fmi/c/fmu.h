/*
 * An instance of the FMU, and what its source files share.
 *
 * All variables are numbers of one array, whose places are their value references: the time, the parameters, the inputs, the
 * continuous states, their derivatives, the outputs. Derivatives and outputs are computed when they are asked for.
 */
#ifndef FMU_H
#define FMU_H

#include "fmi3.h"
#include "fmu_model.h"

#define TIME 0
#define PARAMETERS 1
#define INPUTS (PARAMETERS + MODEL_PARAMETERS)
#define STATES (INPUTS + MODEL_INPUTS)
#define DERIVATIVES (STATES + MODEL_STATES)
#define OUTPUTS (DERIVATIVES + MODEL_STATES)
#define VARIABLES (OUTPUTS + MODEL_OUTPUTS)

typedef enum { MODEL_EXCHANGE, CO_SIMULATION } fmu_kind;

/* Modes are bits, so that a function can say in which it may be called. */
enum { INSTANTIATED = 1, INITIALIZATION = 2, EVENT = 4, CONTINUOUS_TIME = 8, STEP = 16, TERMINATED = 32 };
#define INITIALIZED (EVENT | CONTINUOUS_TIME | STEP)
#define ANY (INSTANTIATED | INITIALIZATION | INITIALIZED | TERMINATED)

/* All that changes in a simulation: a copy of it is a state of the FMU. */
typedef struct {
    double values[VARIABLES];
    model_constants constants;
    double stop;
    unsigned mode;
    bool set[MODEL_STATES]; /* which states were given start values */
    bool has_stop;
    bool derivatives_known;
    bool outputs_known;
    bool moved;   /* whether states or parameters were set, so that the constraints may be open */
    bool changed; /* whether the states were brought back to the constraints, which the importer is to be told */
} fmu_values;

typedef struct {
    fmu_kind kind;
    char *name;
    fmi3InstanceEnvironment environment;
    fmi3LogMessageCallback log;
    bool logged[3]; /* whether warnings, discarded steps and errors are logged */
    fmu_values now;
} fmu_instance;

/* Tell the importer what is wrong, and give the status back. */
fmi3Status fmu_tell(const fmu_instance *fmu, fmi3Status status, const char *format, ...);

/* Whether an instance is in one of these modes; if not, the importer is told so. */
bool fmu_is_in(const fmu_instance *fmu, unsigned modes, const char *function);

/* The default values of everything. */
void fmu_start(fmu_values *now);

/* Take note that what is computed is out of date. */
void fmu_touch(fmu_values *now);

/* Compute derivatives, and the outputs that go with them; or all outputs. */
void fmu_derivatives(fmu_values *now);
void fmu_outputs(fmu_values *now);

/* The rates of the states at a time and state, without any correction. */
void fmu_rates(const fmu_values *now, double t, const double *x, double *rates);

/* Bring states that were set on the way back to the constraints, if they are off. */
fmi3Status fmu_close(fmu_instance *fmu);

/* Close the loops at the start: what was set stays, and the others follow. */
fmi3Status fmu_assemble(fmu_instance *fmu);

/* Whether all numbers are finite. */
bool fmu_finite(const double *x, size_t count);

/* The factor L of a positive definite matrix, in its lower triangle; and x becomes L^-1 x, or L^-T x. */
void fmu_factor(double *a, size_t n, double least);
void fmu_forward(const double *l, size_t n, double *x);
void fmu_backward(const double *l, size_t n, double *x);

/*
 * The smallest x with a x = -r, by least squares where rows depend on each other: -a^T (a a^T + damping I)^-1 r, with the damping
 * in mean squares of the rows. `work` has room for rows (rows + 1) numbers.
 */
void fmu_least_squares(const double *a, const double *r, size_t rows, size_t columns, double damping, double *work, double *x);

#if MODEL_EQUATIONS
#define FMU_POLISH_STEPS 20        /* steps of Newton's method from nearby */
#define FMU_WRAPPED_TOLERANCE 1e-9 /* the violation of loops that is allowed after angles were reduced */
#define MAX_ROWS (MODEL_EQUATIONS + MODEL_COORDINATES)

/* A search for a start: on the way from values to others, with room to compute in. */
typedef struct {
    double from[VARIABLES], to[VARIABLES];
    double t;
    model_constants constants;
    bool set[MODEL_COORDINATES], fixed[MODEL_COORDINATES];
    double psi[MODEL_EQUATIONS * MODEL_SPEEDS], a[MAX_ROWS * MODEL_SPEEDS], r[MAX_ROWS], work[MAX_ROWS * (MAX_ROWS + 1)];
    double masses[MODEL_SPEEDS * MODEL_SPEEDS], factor[MODEL_SPEEDS * MODEL_SPEEDS];
} fmu_search;

/* The largest of the numbers, without their signs; what is not finite is the largest. */
double fmu_largest(const double *x, size_t count, size_t *which);

/* Bring quaternions to length one; whether none is zero. */
bool fmu_unit_quaternions(double *q);

/* Newton's method from q, where the fixed coordinates stay; whether it closes the loops and goes no further than `reach`. */
bool fmu_newton(fmu_search *s, double *q, int steps, double reach);

/* The same from afar, by steps that help; how far the worst equation is off at the end. */
double fmu_descent(fmu_search *s, double *q, size_t *worst);

/* The time and the constants at a part of the way from values to others. */
void fmu_interpolate(fmu_search *s, double part);

/* Go from closed loops at q to where the values are those that were set, and the fixed coordinates have their targets. */
bool fmu_follow_to(fmu_search *s, double *q, const double *targets);

/* Find speeds that keep the constraints. */
fmi3Status fmu_speeds(fmu_instance *fmu, fmu_search *s);
#endif

#endif /* FMU_H */
