"""The CMake package MHA: what is in it, where it works, and what it refuses.

The foreign programs are those of docs/examples/embed. What they print is compared with what mha-opt prints.
"""

import re

import pytest

from conftest import BUILD_DIR, EXAMPLES, PROJECTS, ROOT, build_project, cache_entry, configure, fail, run, succeed

MHA_OPT = BUILD_DIR / "bin/mha-opt"
HAS_SHARED_MLIR = (BUILD_DIR / "lib/MHAPlugin.so").exists()


def check_compiler(compiler, program):
    """Single passes, a pipeline and passes by name, each called as the compiler's source says."""
    for step, passes in [("definition", "convert-mha-to-linalg,canonicalize"), ("compile", "mha-cpu-pipeline"),
                         ("mha-promote-floats,cse", "mha-promote-floats,cse")]:
        expected = succeed(MHA_OPT, program, f"--pass-pipeline=builtin.module({passes})")
        assert succeed(compiler, program, step).rstrip() == expected.rstrip(), step


# ---- Where it works


def test_installed_package(tmp_path, prefix, program):
    build_project(EXAMPLES / "compiler", tmp_path, CMAKE_PREFIX_PATH=prefix)
    check_compiler(tmp_path / "attention-compiler", program)


def test_package_of_the_build_tree(tmp_path, program):
    build_project(EXAMPLES / "compiler", tmp_path, MHA_DIR=BUILD_DIR / "lib/cmake/MHA")
    check_compiler(tmp_path / "attention-compiler", program)


def test_library_with_dependencies_of_its_own(tmp_path, prefix):
    build_project(PROJECTS / "execution", tmp_path, CMAKE_PREFIX_PATH=prefix)
    assert succeed(tmp_path / "read-npz") == "no-such.npz: No such file or directory\n"


def test_runtime_without_mlir(tmp_path, prefix):
    """In C, where MLIR cannot be found."""
    build_project(EXAMPLES / "caller", tmp_path, CMAKE_PREFIX_PATH=prefix, CMAKE_DISABLE_FIND_PACKAGE_MLIR="ON")
    assert succeed(tmp_path / "attention-caller") == "attention: the sizes of the arguments do not fit together\n"
    assert not re.search("LLVM|MLIR|stdc\\+\\+", succeed("ldd", tmp_path / "attention-caller"))


@pytest.mark.parametrize("library", ["MHARuntimeOpenMP", "MHARuntimeSerial"])
def test_threads_without_mlir(tmp_path, prefix, library):
    """The sum of n * n for n below 100 is 99 * 100 * 199 / 6."""
    target = f"squares-{library}"
    build_project(PROJECTS / "threads", tmp_path, target, CMAKE_PREFIX_PATH=prefix, CMAKE_DISABLE_FIND_PACKAGE_MLIR="ON")
    assert succeed(tmp_path / target) == "328350\n"


def test_installed_tools(prefix, program):
    expected = succeed(MHA_OPT, program, "--mha-cpu-pipeline")
    assert succeed(prefix / "bin/mha-opt", program, "--mha-cpu-pipeline") == expected
    assert "verified, max error" in succeed(prefix / "bin/mha-run", program, "--input=random:1", "--verify")


@pytest.mark.skipif(not HAS_SHARED_MLIR, reason="MLIR is not the shared library")
def test_installed_plugin(prefix, program):
    plugin = prefix / "lib/MHAPlugin.so"
    expected = succeed(MHA_OPT, program, "--mha-cpu-pipeline")
    assert succeed(f"{cache_entry('MLIR_DIR')}/../../../bin/mlir-opt", program, f"--load-dialect-plugin={plugin}",
                   f"--load-pass-plugin={plugin}", "--pass-pipeline=builtin.module(mha-cpu-pipeline)") == expected


# ---- What is in it


def test_no_path_of_this_machine(prefix, first_prefix):
    """Neither of the source tree, nor of the build tree, nor of where it was installed first."""
    files = list((prefix / "lib/cmake/MHA").iterdir())
    assert len(files) > 4
    for path in (ROOT, BUILD_DIR, first_prefix, prefix):
        named = [file.name for file in files if str(path) in file.read_text()]
        assert not named, f"{path} in {named}"


def test_programs_find_libraries_beside_them(prefix):
    for program in [*(prefix / "bin").iterdir(), *(prefix / "lib").glob("*.so")]:
        path = re.search(r"RUNPATH.*\[(.*)\]", succeed("readelf", "-d", program)).group(1)
        assert "$ORIGIN/../lib" in path and str(ROOT) not in path and str(BUILD_DIR) not in path, path


def test_all_headers(prefix):
    written = {path.relative_to(ROOT / "include") for path in (ROOT / "include").rglob("*.h")}
    written |= {path.relative_to(ROOT / "include") for path in (ROOT / "include").rglob("*.td")}
    generated = {path.relative_to(BUILD_DIR / "include") for path in (BUILD_DIR / "include").rglob("*.h.inc")}
    assert written and generated
    installed = {path.relative_to(prefix / "include") for path in (prefix / "include").rglob("*") if path.is_file()}
    assert installed == written | generated


def test_all_libraries(prefix):
    """Each library of the build is installed and has its target; nothing of the tests is."""
    built = {path.name for path in (BUILD_DIR / "lib").glob("libMHA*")}
    assert built
    plugin = {"MHAPlugin.so"} if HAS_SHARED_MLIR else set()
    assert {path.name for path in (prefix / "lib").iterdir() if path.is_file()} == built | plugin
    assert {path.name for path in (prefix / "bin").iterdir()} >= {"mha-opt", "mha-run"}
    assert not (prefix / "bin/mha-unit-tests").exists()
    exported = "".join(path.read_text() for path in (prefix / "lib/cmake/MHA").glob("*Targets.cmake"))
    targets = set(re.findall(r"^add_library\(MHA::(\w+) ", exported, re.M))
    assert targets == {re.sub(r"^lib(\w+)\..*", r"\1", name) for name in built}


# ---- What it refuses


def find_mha(tmp_path, prefix, arguments="REQUIRED", **variables):
    """The command that configures a project without languages, which only finds the package."""
    (tmp_path / "CMakeLists.txt").write_text(
        f"cmake_minimum_required(VERSION 3.20)\nproject(finder LANGUAGES NONE)\nfind_package(MHA {arguments})\n")
    return configure(tmp_path, tmp_path / "build", CMAKE_PREFIX_PATH=prefix, **variables)


def fake_mlir(tmp_path, version):
    """An MLIR of that version, without a library."""
    (tmp_path / "MLIRConfig.cmake").write_text(f"set(LLVM_PACKAGE_VERSION {version})\n")
    return tmp_path


def mlir_version():
    config = open(f"{cache_entry('MLIR_DIR')}/MLIRConfig.cmake", encoding="utf-8").read()
    return re.search(r"LLVM_VERSION (\d+\.\d+)\.\d+", config).group(1)


@pytest.mark.parametrize("version", ["21.1.8", "{}0.8", "1{}.8"])
def test_another_mlir_is_refused(tmp_path, prefix, version):
    version = version.format(mlir_version())
    output = fail(*find_mha(tmp_path, prefix, MLIR_DIR=fake_mlir(tmp_path, version)))
    assert f"expected MLIR {mlir_version()}, found {version} in {tmp_path}; pass -DMLIR_DIR=" in output


def test_a_missing_mlir_is_named(tmp_path, prefix):
    output = fail(*find_mha(tmp_path, prefix, CMAKE_IGNORE_PATH=cache_entry("MLIR_DIR")))
    assert 'Could not find a package configuration file provided by "MLIR"' in output


@pytest.mark.skipif(not HAS_SHARED_MLIR, reason="MLIR is not the shared library")
def test_a_static_mlir_in_place_of_the_shared_one_is_refused(tmp_path, prefix):
    output = fail(*find_mha(tmp_path, prefix, MLIR_DIR=fake_mlir(tmp_path, f"{mlir_version()}.0")))
    assert f"expected the shared libMLIR, found only static libraries in {tmp_path}" in output


def test_an_unknown_component_is_named(tmp_path, prefix):
    output = fail(*find_mha(tmp_path, prefix, "REQUIRED COMPONENTS Runtime Python"))
    assert "expected the components Compiler or Runtime, found 'Python'" in output
    succeed(*find_mha(tmp_path, prefix, "REQUIRED COMPONENTS Runtime OPTIONAL_COMPONENTS Python"))


def test_where_it_is_not_required_it_is_only_not_found(tmp_path, prefix):
    find = "QUIET)\nif(NOT MHA_FOUND)\nmessage(NOTICE \"not found\")\nendif("
    assert "not found" in succeed(*find_mha(tmp_path, prefix, find, MLIR_DIR=fake_mlir(tmp_path, "21.1.8")))
    assert "not found" not in succeed(*find_mha(tmp_path, prefix, find.replace("QUIET", "QUIET COMPONENTS Runtime")))


def test_version(tmp_path, prefix):
    """Before 1.0 each minor version may break what was."""
    version = re.search(r"^  VERSION (\S+)$", (ROOT / "CMakeLists.txt").read_text(), re.M).group(1)
    major, minor, _ = version.split(".")
    runtime = "REQUIRED COMPONENTS Runtime"
    succeed(*find_mha(tmp_path, prefix, f"{version} {runtime}"))
    succeed(*find_mha(tmp_path, prefix, f"{major}.{minor} {runtime}"))
    for other in (int(minor) - 1, int(minor) + 1):
        assert f"version: {version}" in fail(*find_mha(tmp_path, prefix, f"{major}.{other} {runtime}"))


def test_without_libzip_only_its_library_is_unusable(tmp_path, prefix):
    (tmp_path / "a").mkdir()
    succeed(*configure(EXAMPLES / "compiler", tmp_path / "a", CMAKE_PREFIX_PATH=prefix, MHA_ZIP_LIBRARY="OFF"))
    output = fail(*configure(PROJECTS / "execution", tmp_path / "b", CMAKE_PREFIX_PATH=prefix, MHA_ZIP_LIBRARY="OFF"))
    assert "MHA::libzip but the target was not found" in output


# ---- The checks of others


def test_the_fakes_are_seen(tmp_path):
    """Without the package in the way, CMake takes the fake MLIR."""
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.20)\nproject(finder LANGUAGES NONE)\nfind_package(MLIR REQUIRED CONFIG)\n")
    assert run(*configure(tmp_path, tmp_path / "build", MLIR_DIR=fake_mlir(tmp_path, "21.1.8"))).returncode == 0
