"""Mechanisms and their functions for other programs: source code, FMUs, functions of other packages, robot files."""


# MERGED lagrangian.exports.acados: Functions with the C interface of CasADi, as acados takes them, around the plain C of a
# mechanism.


# MERGED lagrangian.exports.closed_form: Functions written as the closed form has them: a formula an entry, with the names
# that a reader knows.
