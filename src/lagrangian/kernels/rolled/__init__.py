"""Kernels for large mechanisms: loops over the links."""
