"""The lit suite: every .mlir file below test/ that starts with a RUN line."""

import os
import shutil
import sys

import lit.formats

config.name = "mha"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir"]
config.excludes = ["numeric", "docs", "embed", "lint", "dev", "mutants", "unit", "Inputs"]
# Substitutions that a test DEFINEs may use others.
config.recursiveExpansionLimit = 5
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.mha_build_dir, "test")

# Our tools first, then FileCheck, not and split-file of the LLVM that we build with.
config.environment["PATH"] = os.pathsep.join(
    [os.path.join(config.mha_build_dir, "bin"), config.llvm_tools_dir, os.environ["PATH"]])
for name in ("ASAN_OPTIONS", "LSAN_OPTIONS", "UBSAN_OPTIONS", "GCOV_PREFIX", "GCOV_PREFIX_STRIP"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

config.substitutions.append(("%python", sys.executable))
config.substitutions.append(("%mha_src", config.mha_source_dir))
config.substitutions.append(("%mha_lib", os.path.join(config.mha_build_dir, "lib")))

# The mlir-opt of the LLVM that we build with, which knows nothing of us but what the plugin brings.
plugin = os.path.join(config.mha_build_dir, "lib", "MHAPlugin.so")
stock_mlir_opt = shutil.which("mlir-opt", path=config.llvm_tools_dir)
if stock_mlir_opt and config.mha_sanitize:
    preload = config.mha_sanitizer_runtime
    stock_mlir_opt = f"env LD_PRELOAD={preload} {stock_mlir_opt}" if preload else None
if stock_mlir_opt and os.path.exists(plugin):
    config.available_features.add("stock-mlir-opt")
    config.substitutions.append(("%stock_mlir_opt", stock_mlir_opt))
    config.substitutions.append(("%mha_plugin", f"--load-dialect-plugin={plugin} --load-pass-plugin={plugin}"))
sys.path.insert(0, config.test_source_root)
import stages  # noqa: E402

config.substitutions.append(("%to_entry_points", stages.TO_ENTRY_POINTS))
config.substitutions.append(("%freed_memrefs_to_llvm", stages.FREED_MEMREFS_TO_LLVM))
config.substitutions.append(("%memrefs_to_llvm", stages.MEMREFS_TO_LLVM))
