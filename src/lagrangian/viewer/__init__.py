"""Mechanisms in three dimensions: live in the browser, as one offline page, as pictures and films."""


# MERGED lagrangian.viewer.compute: Pages whose motion follows sliders: what goes into them, and the script that computes and
# draws it anew.


# MERGED lagrangian.viewer.live: The live viewer in the web browser (viser).


# MERGED lagrangian.viewer.notebook: Animations in the cells of notebooks.
