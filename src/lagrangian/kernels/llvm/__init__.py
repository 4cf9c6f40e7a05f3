"""LLVM: traces and programs written as its IR, compiled, kept and called."""
