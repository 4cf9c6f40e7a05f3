"""Motions as bytes of a netCDF file, and back: whole, checked, and never more than they say."""
