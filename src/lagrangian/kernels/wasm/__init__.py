"""WebAssembly: modules that a browser runs, made from the same LLVM text as native code, without a linker."""
