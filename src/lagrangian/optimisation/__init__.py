"""Dimensions, springs and gains that meet a goal best, found with exact gradients."""
