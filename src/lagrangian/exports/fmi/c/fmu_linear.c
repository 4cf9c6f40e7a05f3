/* Small dense systems of linear equations, which may depend on each other. */
#include "fmu.h"

#include <math.h>

/* a = L L^T; squares of pivots are no smaller than `least`. */
void fmu_factor(double *a, size_t n, double least)
{
    for (size_t j = 0; j < n; ++j) {
        for (size_t i = j; i < n; ++i) {
            double sum = a[i * n + j];
            for (size_t k = 0; k < j; ++k)
                sum -= a[i * n + k] * a[j * n + k];
            a[i * n + j] = i == j ? sqrt(fmax(sum, least)) : sum / a[j * n + j];
        }
    }
}

void fmu_forward(const double *l, size_t n, double *x)
{
    for (size_t i = 0; i < n; ++i) {
        for (size_t k = 0; k < i; ++k)
            x[i] -= l[i * n + k] * x[k];
        x[i] /= l[i * n + i];
    }
}

void fmu_backward(const double *l, size_t n, double *x)
{
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; ++k)
            x[i] -= l[k * n + i] * x[k];
        x[i] /= l[i * n + i];
    }
}

void fmu_least_squares(const double *a, const double *r, size_t rows, size_t columns, double damping, double *work, double *x)
{
    double *gram = work, *y = work + rows * rows, scale = 0.0;
    for (size_t i = 0; i < rows; ++i) {
        for (size_t j = 0; j <= i; ++j) {
            double sum = 0.0;
            for (size_t k = 0; k < columns; ++k)
                sum += a[i * columns + k] * a[j * columns + k];
            gram[i * rows + j] = sum;
        }
        scale += gram[i * rows + i];
        y[i] = -r[i];
    }
    scale = fmax(scale / (double)(rows ? rows : 1), 1e-30);
    for (size_t i = 0; i < rows; ++i)
        gram[i * rows + i] += damping * scale;
    fmu_factor(gram, rows, 0.1 * damping * scale);
    fmu_forward(gram, rows, y);
    fmu_backward(gram, rows, y);
    for (size_t k = 0; k < columns; ++k) {
        x[k] = 0.0;
        for (size_t i = 0; i < rows; ++i)
            x[k] += a[i * columns + k] * y[i];
    }
}
