# Builds of CMakePresets.json. Sourced by ./dev.
# shellcheck shell=bash

build_dir() { if [ "$1" = default ]; then echo build; else echo "build-$1"; fi; }

# Ninja runs CMake again by itself when a CMakeLists.txt changes, not when the presets do.
configure_preset() {
  local dir; dir=$(build_dir "$1")
  [ -f "$dir/build.ninja" ] && [ ! CMakePresets.json -nt "$dir/build.ninja" ] && [ -z "${MLIR_DIR-}" ] && return 0
  cmake --preset "$1" ${MLIR_DIR:+"-DMLIR_DIR=$MLIR_DIR"}
}

configure_and_build() {
  configure_preset "$1" && cmake --build --preset "$1" --parallel "$(job_count)"
}

# build_preset PRESET: one stage, "build" or "build-PRESET".
build_preset() {
  stage "$(build_dir "$1")" configure_and_build "$1"
}
