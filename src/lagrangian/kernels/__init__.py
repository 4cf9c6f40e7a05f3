"""A mechanism's dynamics as machine code. A call, `dyn.mass_matrix(q)`, goes through these modules:

1. `dynamics.Dynamics` is what a user holds; its methods say what is computed. The first look-up of a method (`compiled_method`)
   puts a function into the object that takes one state straight to machine code (`llvm.vectorcall`), and all else to the method.
2. The method asks `catalogue.Kernels`, which makes each kernel of the mechanism once, for the one it needs, and calls it.
3. The `kernel.Kernel` checks its arguments and runs its machine code, on several threads where that pays.
4. The code comes from the cache (`llvm.object_cache`), or is compiled from the kernel's program (`program`, `programs`): what it
   does is recorded as a graph (`trace.node`) and put in order (`trace.schedule`), which `llvm.emit` writes as LLVM's text;
   `llvm.unrolled`, `rolled` and `long_chains` write what stands around it, and `llvm.machine_code` makes machine code of it.

A second call for one state is step 1 alone.
"""
