"""The tour: six things one can do, each a chapter of one page."""
