"""mha as a part of another project."""

import pytest

from conftest import BUILD_DIR, PROJECTS, ROOT, build_project, cache_entry, configure, succeed

SUBPROJECT = PROJECTS / "subproject"


def test_add_subdirectory(tmp_path, program):
    """In a project that uses MLIR itself. Only the smallest library is built: the others take long."""
    build_project(SUBPROJECT, tmp_path, "attention-parser", MHA_SOURCE_DIR=ROOT,
                  MLIR_DIR=cache_entry("MLIR_DIR"))
    expected = succeed(BUILD_DIR / "bin/mha-opt", program)
    assert succeed(tmp_path / "attention-parser", program).rstrip() == expected.rstrip()
    succeed("cmake", "--install", tmp_path, "--prefix", tmp_path / "prefix")
    installed = [path.relative_to(tmp_path / "prefix") for path in (tmp_path / "prefix").rglob("*") if path.is_file()]
    assert [str(path) for path in installed] == ["bin/attention-parser"]


@pytest.mark.parametrize("by", ["add_subdirectory", "FetchContent"])
def test_it_brings_libraries_only(tmp_path, by):
    """In a project that does not look for MLIR."""
    succeed(*configure(SUBPROJECT, tmp_path, MHA_SOURCE_DIR=ROOT, MHA_BY=by))
    # Everything that all libraries need has a rule.
    commands = succeed("ninja", "-C", tmp_path, "-n", "-v", "attention-compiler")
    assert "libMHAPipelines.a" in commands and "mlir-tblgen" in commands
    targets = succeed("ninja", "-C", tmp_path, "-t", "targets", "all")
    for name in ("mha-opt", "mha-unit-tests", "check-mha", "MHAPlugin"):
        assert name not in targets
    # The choices of the project are its own.
    assert "CMAKE_BUILD_TYPE:STRING=\n" in (tmp_path / "CMakeCache.txt").read_text()
    assert not (tmp_path / "compile_commands.json").exists()
