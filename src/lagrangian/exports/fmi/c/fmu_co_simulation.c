/* Co-Simulation: the FMU integrates, by the classical method of Runge and Kutta, and returns to the constraints. */
#include "fmu.h"

#include <math.h>
#include <string.h>

#define MAX_STEPS 1e9       /* within one communication step */
#define STABILITY_LIMIT 2.0 /* a step times the fastest rate of the motion; the method is stable up to 2.78 */
#define MAX_HALVINGS 6      /* of a step at most, so that what jumps does not take forever */

/*
 * One step from t to t + h; the inputs are held, and the torques of the description are not. It gives the step times the fastest
 * rate of the motion, as the second and third stages, which are at the same time, let it be seen; 0 if they are too close.
 */
static double runge_kutta(const fmu_values *now, double t, double h, double *x)
{
    static const double PLACES[3] = {0.5, 0.5, 1.0};
    double slope[4][MODEL_STATES], stage[MODEL_STATES], apart = 0.0, changed = 0.0, size = 1.0;
    fmu_rates(now, t, x, slope[0]);
    for (int k = 0; k < 3; ++k) {
        const double part = PLACES[k] * h;
        for (size_t i = 0; i < MODEL_STATES; ++i)
            stage[i] = x[i] + part * slope[k][i];
        fmu_rates(now, t + part, stage, slope[k + 1]);
    }
    for (size_t i = 0; i < MODEL_STATES; ++i) {
        apart = fmax(apart, 0.5 * h * fabs(slope[1][i] - slope[0][i]));
        changed = fmax(changed, h * fabs(slope[2][i] - slope[1][i]));
        size = fmax(size, fabs(x[i]));
        x[i] += h / 6.0 * (slope[0][i] + 2.0 * (slope[1][i] + slope[2][i]) + slope[3][i]);
    }
#if MODEL_PROJECTED
    for (int k = 0; k < 2; ++k) {
        model_project(t + h, x, &now->constants, stage);
        memcpy(x, stage, sizeof stage);
    }
#endif
    return apart > 1e-9 * size ? changed / apart : 0.0;
}

/* A step, or two of half the length where the motion is so fast that the method would be unstable, and so on. */
static void advance(const fmu_values *now, double t, double h, double *x, int halvings)
{
    double reached[MODEL_STATES];
    memcpy(reached, x, sizeof reached);
    const double stiffness = runge_kutta(now, t, h, reached);
    if (halvings && (stiffness > STABILITY_LIMIT || !fmu_finite(reached, MODEL_STATES))) {
        advance(now, t, 0.5 * h, x, halvings - 1);
        advance(now, t + 0.5 * h, 0.5 * h, x, halvings - 1);
    } else {
        memcpy(x, reached, sizeof reached);
    }
}

FMI3_STATUS(fmi3DoStep)(fmi3Instance instance, fmi3Float64 point, fmi3Float64 step, fmi3Boolean no_going_back,
                        fmi3Boolean *event_handling_needed, fmi3Boolean *terminate, fmi3Boolean *early_return,
                        fmi3Float64 *last_successful_time)
{
    fmu_instance *fmu = instance;
    (void)no_going_back;
    if (!fmu_is_in(fmu, STEP, "fmi3DoStep"))
        return fmi3Error;
    fmu_values *now = &fmu->now;
    const double largest = now->values[MODEL_LARGEST_STEP], before = now->values[TIME];
    *event_handling_needed = *terminate = *early_return = false;
    *last_successful_time = before;
    if (!isfinite(point) || !isfinite(step) || !(step > 0.0))
        return fmu_tell(fmu, fmi3Error, "fmi3DoStep: a step of %g s from %g s cannot be made.", step, point);
    if (fabs(point - before) > 1e-6 * step + 1e-12 * fabs(before))
        return fmu_tell(fmu, fmi3Error, "fmi3DoStep: the step begins at %.17g s, and the FMU is at %.17g s.", point, before);
    if (now->has_stop && point + step > now->stop + 1e-6 * step + 1e-12 * fabs(now->stop))
        return fmu_tell(fmu, fmi3Error, "fmi3DoStep: %.17g s is after the stop time, %.17g s.", point + step, now->stop);
    /* a communication step that is a multiple of the largest one but for rounding has no step more for it */
    const double count = fmax(1.0, ceil(step / largest * (1.0 - 1e-9)));
    if (!(count <= MAX_STEPS))
        return fmu_tell(fmu, fmi3Error, "%s is %g s, which is too small for a communication step of %g s.",
                        model_names[MODEL_LARGEST_STEP], largest, step);
    const fmi3Status status = fmu_close(fmu);
    if (status != fmi3OK)
        return status;
    double x[MODEL_STATES];
    memcpy(x, now->values + STATES, sizeof x);
    for (double k = 0.0; k < count; k += 1.0) {
        const double t = point + step * (k / count);
        advance(now, t, step / count, x, MAX_HALVINGS);
        if (!fmu_finite(x, MODEL_STATES))
            return fmu_tell(fmu, fmi3Discard, "The state is not finite after the step from %.17g s on; %s may be too large.", t,
                            model_names[MODEL_LARGEST_STEP]);
    }
    memcpy(now->values + STATES, x, sizeof x);
    *last_successful_time = now->values[TIME] = point + step;
    now->changed = false;
    fmu_touch(now);
    return fmi3OK;
}
