# `./dev bench`: how near compiled attention comes to what this machine can do. Sourced by ./dev.
# shellcheck shell=bash

# Where ./dev was called, as --json names a file there. NumPy checks results; its threads would be in the way.
run_bench() {
  (cd "$CALLER_DIR" &&
    OPENBLAS_NUM_THREADS=1 MHA_BUILD_DIR=$ROOT/build "$PYTHON" "$ROOT/tools/bench/bench.py" "$@")
}

command_bench() {
  hold_lock
  # What is wrong with the options is said before anything is built.
  ensure_setup && run_bench --list "$@" >/dev/null || return 1
  case " $* " in
    *" --list "*) run_bench "$@" ;;
    *) build_preset default && run_bench "$@" ;;
  esac
}
