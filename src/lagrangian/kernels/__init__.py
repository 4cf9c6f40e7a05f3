"""A mechanism's dynamics as machine code. This is the way of a call, `dyn.mass_matrix(q)`:

1. `dynamics.Dynamics` is what a user holds; its methods say what is computed. The first look-up of a method (`direct`) puts a
   function into the object that takes one state straight to machine code (`llvm.fastcall`), and all else to the method.
2. The method asks `collection.Kernels`, which makes each kernel of the mechanism once, for the one it needs, and calls it.
3. The `kernel.Kernel` checks its arguments (`arguments`) and runs its `code`, on several `threads` where that pays.
4. The code comes from the cache (`llvm.cache`), or is compiled from the kernel's program (`program`, `programs`): what it does
   is recorded as a graph (`trace.node`) and put in order (`trace.schedule`), which `llvm.emit` spells as LLVM's text; `unrolled`
   and `rolled` write what stands around it, and `llvm.jit` makes machine code of it.

A second call for one state is step 1 alone.
"""
