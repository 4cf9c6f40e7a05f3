"""Functions with the C interface of CasADi, as acados takes them, around the plain C of a mechanism."""
