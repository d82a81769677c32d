#!/usr/bin/env python3
"""Writes the reference that mlir-tblgen makes from the .td files.

    generate_docs.py OUTPUT_DIR

./dev docs writes docs/generated, ./dev lint compares it with a fresh one.
"""

import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

# file, source, generator
PAGES = (
    ("MHADialect.md", "include/mha/IR/MHAOps.td", ["--gen-dialect-doc", "--dialect=mha"]),
    ("TransformsPasses.md", "include/mha/Transforms/Passes.td", ["--gen-pass-doc"]),
    ("ConversionPasses.md", "include/mha/Conversion/Passes.td", ["--gen-pass-doc"]),
)


def find_mlir():
    """mlir-tblgen and MLIR's include folder: of MLIR_DIR, else of the versioned packages."""
    prefixes = [pathlib.Path("/usr/lib/llvm-22")]
    if os.environ.get("MLIR_DIR"):
        prefixes.insert(0, pathlib.Path(os.environ["MLIR_DIR"]).resolve().parents[2])
    tool = shutil.which("mlir-tblgen-22") or shutil.which("mlir-tblgen")
    if tool:
        prefixes.append(pathlib.Path(tool).resolve().parents[1])
    for prefix in prefixes:
        if (prefix / "bin/mlir-tblgen").exists() and (prefix / "include/mlir/IR/OpBase.td").exists():
            return prefix / "bin/mlir-tblgen", prefix / "include"
    raise SystemExit("error: mlir-tblgen and the headers of MLIR 22 were not found\nrepair: ./dev setup")


def generate(page, source, generator):
    tblgen, include = find_mlir()
    result = subprocess.run([tblgen, *generator, f"-I{ROOT}/include", f"-I{include}", ROOT / source],
                            text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if result.returncode:
        raise SystemExit(f"error: {page}: mlir-tblgen failed on {source}\n{result.stderr}")
    # Trailing blanks would fail our own lint; [TOC] is shown as it is by most readers of Markdown.
    text = "\n".join(line.rstrip() for line in result.stdout.splitlines()) + "\n"
    return text.replace("\n[TOC]\n", "").rstrip("\n") + "\n"


def main(arguments):
    (output,) = arguments
    pathlib.Path(output).mkdir(parents=True, exist_ok=True)
    for page, source, generator in PAGES:
        text = generate(page, source, generator)
        target = pathlib.Path(output) / page
        if not target.exists() or target.read_text() != text:
            target.write_text(text)
            print(f"wrote {target}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
