"""Plots of motions: good by default, units on every axis, colours that everybody can tell apart."""
