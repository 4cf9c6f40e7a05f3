"""Mechanisms in three dimensions: live in the browser, as one offline page, as pictures and films."""
