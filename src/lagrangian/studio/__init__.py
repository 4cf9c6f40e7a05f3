"""The studio: a page on this machine to design a mechanism in."""
