"""LLVM: traces and programs are written as its IR, compiled, cached and called."""
