"""One offline page about a run: the mechanism, its equations, plots, animation and tables."""
