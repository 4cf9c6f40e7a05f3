"""Answers to homework, compared with the equations by proof."""
