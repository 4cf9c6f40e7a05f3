"""One offline page about a run: the mechanism, its equations, plots, animation and tables."""


# MERGED lagrangian.report.parts: The sections of a report, one a file.


# MERGED lagrangian.report.tour: The tour: six things one can do, each a chapter of one page.
