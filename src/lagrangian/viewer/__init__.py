"""Mechanisms in three dimensions: live in the browser (viser), as one offline page, in notebooks, as pictures and films.

The motion of a page can follow sliders: the page then computes it anew.
"""
