"""The functions of a mechanism that can be exported, by name."""
