"""How imperative languages spell routines: one file a language."""
