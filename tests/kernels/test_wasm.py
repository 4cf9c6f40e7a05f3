"""WebAssembly modules: linked, they have the functions that were asked for and need nothing but the mathematical library."""

from __future__ import annotations

import math
import shutil
import subprocess

import pytest

from lagrangian.kernels.wasm import WasmReader, compile_wasm, encode_signed, encode_unsigned, imports_of, link, mark_exports

TEXT = """
@table = internal constant [2 x double] [double 3.0, double 4.0], align 8
define internal double @of_table(ptr %x) noinline nounwind {
  %a = load double, ptr %x
  %b = load double, ptr getelementptr (double, ptr @table, i64 1)
  %c = fmul double %a, %b
  ret double %c
}
define internal double @stacked(ptr %x) noinline nounwind {
  %room = alloca [16 x double], align 64
  %a = load double, ptr %x
  store volatile double %a, ptr %room
  %b = load volatile double, ptr %room
  %c = call double @exp(double %b)
  ret double %c
}
declare double @exp(double)
"""


@pytest.mark.parametrize("n", [0, 1, 63, 64, 127, 128, 300, 2**31 - 1, 2**40])
def test_numbers_are_read_as_they_are_written(n):
    assert WasmReader(encode_unsigned(n)).read_unsigned() == n
    assert WasmReader(encode_signed(n)).read_signed() == n
    assert WasmReader(encode_signed(-n)).read_signed() == -n


def test_functions_that_are_not_there_are_refused():
    with pytest.raises(LookupError, match="other"):
        link(compile_wasm(mark_exports(TEXT, ["of_table"]), 1, ()), ["of_table", "other"])
    with pytest.raises(ValueError, match="no WebAssembly"):
        link(b"ELF", [])


def test_a_module_imports_the_mathematical_library_alone():
    names = ["of_table", "stacked"]
    module = link(compile_wasm(mark_exports(TEXT, names), 1, ()), names)
    assert imports_of(module) == ["exp"]


def test_a_module_runs(tmp_path):
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node here")
    names = ["of_table", "stacked"]
    (tmp_path / "m.wasm").write_bytes(link(compile_wasm(mark_exports(TEXT, names), 1, ()), names))
    script = """
    const bytes = require("fs").readFileSync(process.argv[2]);
    const { exports: x } = new WebAssembly.Instance(new WebAssembly.Module(bytes), { env: { exp: Math.exp } });
    const given = new Float64Array(x.memory.buffer, x.heap.value, 1);
    given[0] = 2.5;
    console.log(JSON.stringify([x.of_table(x.heap.value), x.stacked(x.heap.value), given[0], x.heap.value % 64]));
    """
    (tmp_path / "run.cjs").write_text(script)
    done = subprocess.run([node, str(tmp_path / "run.cjs"), str(tmp_path / "m.wasm")], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == f"[10,{math.exp(2.5)!r},2.5,0]"
