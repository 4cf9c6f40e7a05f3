"""Studies: a mechanism simulated for many values of its parameters, starts and gains, here or on a cluster."""
