"""The functions of a mechanism as programs to compile."""
