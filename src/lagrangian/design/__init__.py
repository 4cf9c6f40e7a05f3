"""Analyses of a design without a simulation: workspaces, singular configurations, and the cycle of a linkage."""
