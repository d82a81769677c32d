# The test suites: lit, GoogleTest, pytest, sanitizers, unreached diagnostics. Sourced by ./dev.
# shellcheck shell=bash disable=SC2034

RESULTS=build/test-results
LAST_FAILED=build/last-failed.txt

# A folder of test/ with a test_*.py is a suite of pytest, test/unit is GoogleTest's, everything else is lit's.
pytest_suites() { printf '%s\n' test/*/test_*.py | sed 's|test/\(.*\)/.*|\1|' | sort -u; }

summary() { python3 tools/dev/sum_results.py "$@"; }

# suite NAME COMMAND...: a stage whose report is $RESULTS/NAME.{json,xml}. A failing suite does not stop the others.
suite() {
  local name=$1 status=0 RESUME="./dev test --last-failed"
  STAGE_NOTE_COMMAND="summary note $RESULTS $name"
  stage "$@" || status=$?
  STAGE_NOTE_COMMAND=
  echo "$status" >"$RESULTS/$name.status"
}

# A build that fails counts as one failure; one that works is not a test.
build_for_tests() {
  build_preset "$1" && return 0
  echo 1 >"$RESULTS/$(build_dir "$1").status"
  return 1
}

suite_prefix() { [ "$1" = default ] || echo "$1-"; }

# run_lit PRESET LIT_ARGUMENT...: paths are below <build>/test.
run_lit() {
  local preset=$1 name lit; shift
  name=$(suite_prefix "$preset")lit
  lit=$(llvm_tool lit) || lit=$(llvm_tool llvm-lit) || die "lit was not found; it comes with llvm-22-tools"
  suite "$name" "$lit" -v -j "$(job_count)" -o "$RESULTS/$name.json" "$@"
}

# run_unit PRESET FILTER
run_unit() {
  local name dir
  name=$(suite_prefix "$1")unit dir=$(build_dir "$1")
  suite "$name" "$dir/bin/mha-unit-tests" --gtest_color=no "--gtest_filter=$2" "--gtest_output=json:$RESULTS/$name.json"
}

# run_pytest NAME PYTEST_ARGUMENT...
run_pytest() {
  local name=$1; shift
  suite "$name" pytest -o junit_family=xunit1 "--junitxml=$RESULTS/$name.xml" "$@"
}

# Status 5 says that nothing was selected: fine with a name to look for, as long as it is not so everywhere.
pytest() {
  local status=0
  MHA_BUILD_DIR=$ROOT/build "$PYTHON" -m pytest -q -p no:cacheprovider --rootdir "$ROOT" "$@" || status=$?
  [ $status -eq 5 ] && [[ " $* " == *" -k "* ]] || return $status
}

# ---- Everything

run_default_suites() {
  local name
  run_lit default build/test
  run_unit default '*'
  for name in $(pytest_suites); do run_pytest "$name" -n "$(job_count)" "test/$name"; done
}

# libMLIR is not instrumented: what it does to containers and bump allocators that our objects share with it cannot be
# followed. Leaks are looked for, without suppressions. An allocation that is too large returns null, as without
# sanitizers. A program and a plugin may both have our libraries: equal variables twice are no error. gcov data goes below
# the build directory wherever the objects were compiled (ccache may have them from another clone).
with_sanitizers() {
  local -x ASAN_OPTIONS=detect_container_overflow=0:allow_user_poisoning=0:allocator_may_return_null=1
  ASAN_OPTIONS+=:detect_leaks=1:detect_odr_violation=1
  local -x UBSAN_OPTIONS=print_stacktrace=1
  local -x GCOV_PREFIX="$ROOT/build-asan/gcda"
  "$@"
}

run_sanitizer_suites() {
  build_for_tests asan || return 0
  rm -rf build-asan/gcda
  with_sanitizers run_lit asan build-asan/test
  with_sanitizers run_unit asan '*'
  suite diagnostics python3 tools/lint/unreached_diagnostics.py build-asan
}

run_clang_suites() {
  build_for_tests clang || return 0
  run_lit clang build-clang/test
  run_unit clang '*'
}

run_everything() {
  build_for_tests default || return 0
  run_default_suites
  run_sanitizer_suites
  [ "$1" = yes ] && run_clang_suites
  return 0
}

# ---- A selection

run_paths() {
  local path lit_paths=() python_paths=() unit_filter=
  for path in "$@"; do
    case $path in
      test/unit) unit_filter='*' ;;
      test/unit/*) unit_filter+=$(unit_filter_of "$path") || exit 1 ;;
      *) if is_pytest_path "$path"; then python_paths+=("$path"); else lit_paths+=("build/$path"); fi ;;
    esac
  done
  build_for_tests default || return 0
  [ ${#lit_paths[@]} -eq 0 ] || run_lit default "${lit_paths[@]}"
  [ -z "$unit_filter" ] || run_unit default "$unit_filter"
  [ ${#python_paths[@]} -eq 0 ] || run_pytest python "${python_paths[@]}"
}

is_pytest_path() {
  local folder=${1#test/}
  grep -qx "${folder%%/*}" <<<"$(pytest_suites)"
}

# Prints a path below test/, relative to the root, for one relative to where ./dev was called or to the root.
# A Python test may carry ::name.
test_path() {
  local file=${1%%::*} rest="" path
  [ "$file" = "$1" ] || rest=::${1#*::}
  for path in "$CALLER_DIR/$file" "$ROOT/$file" "$file"; do
    path=$(realpath -- "$path" 2>/dev/null) || continue
    [ -e "$path" ] && [[ $path == "$ROOT"/test/* ]] && printf '%s%s' "${path#"$ROOT"/}" "$rest" && return 0
  done
  die "no test at '$1'; expected a file or folder below test/"
}

# The GoogleTest suites of a source file, also as instances of parameterised ones.
unit_filter_of() {
  local suites
  suites=$(grep -oE '^ *(TYPED_)?TEST(_F|_P)?\([A-Za-z0-9_]+' "$1" | sed 's/.*(//' | sort -u)
  [ -n "$suites" ] || die "no TEST in $1"
  printf '%s\n' "$suites" | sed 's|.*|&.*:*/&.*:|' | tr -d '\n'
}

run_named() {
  local pattern folders
  folders=$(pytest_suites | sed 's|^|test/|')
  pattern=$(printf '%s' "$1" | sed 's/[][\.*^$+?(){}|/]/\\&/g')
  build_for_tests default || return 0
  run_lit default --allow-empty-runs --filter "$pattern" build/test
  run_unit default "*$1*"
  # shellcheck disable=SC2086
  run_pytest python -k "$1" $folders
}

# last-failed.txt has a line "SUITE TEST" for each failed test and a line "STEP" for each step or suite that failed
# as a whole; such a one is run again as a whole.
run_last_failed() {
  cp $LAST_FAILED $LAST_FAILED.old
  if failed_step build; then
    run_everything no
    return
  fi
  build_for_tests default || return 0
  rerun_failures_of default
  rerun_python_failures
  if failed_step build-asan || failed_step diagnostics; then
    run_sanitizer_suites
  elif grep -q '^asan-' $LAST_FAILED.old; then
    build_for_tests asan && with_sanitizers rerun_failures_of asan
  fi
  if failed_step build-clang; then
    run_clang_suites
  elif grep -q '^clang-' $LAST_FAILED.old; then
    build_for_tests clang && rerun_failures_of clang
  fi
}

failed_step() { grep -qx "$1" $LAST_FAILED.old; }

failed_tests() { sed -n "s/^$1 //p" $LAST_FAILED.old; }

rerun_failures_of() {
  local preset=$1 prefix tests=() test
  prefix=$(suite_prefix "$preset")
  while IFS= read -r test; do tests+=("$(build_dir "$preset")/test/$test"); done < <(failed_tests "${prefix}lit")
  if failed_step "${prefix}lit"; then tests=("$(build_dir "$preset")/test"); fi
  [ ${#tests[@]} -eq 0 ] || run_lit "$preset" "${tests[@]}"
  test=$(failed_tests "${prefix}unit" | tr '\n' ':')
  if failed_step "${prefix}unit"; then test='*'; fi
  [ -z "$test" ] || run_unit "$preset" "$test"
}

rerun_python_failures() {
  local tests=() name test
  for name in $(pytest_suites) python; do
    while IFS= read -r test; do tests+=("$test"); done < <(failed_tests "$name")
    if failed_step "$name" && [ "$name" != python ]; then tests+=("test/$name"); fi
  done
  [ ${#tests[@]} -eq 0 ] || run_pytest python "${tests[@]}"
}

# ---- The command

choose_mode() {
  [ "$mode" = everything ] || [ "$mode" = "$1" ] ||
    die "expected one of PATH, -k NAME, --last-failed, --all and --bare, found two"
  mode=$1
}

command_test() {
  local all=no mode=everything name="" path paths=()
  while [ $# -gt 0 ]; do
    case $1 in
      --all) all=yes ;;
      --bare) choose_mode bare ;;
      --last-failed)
        choose_mode last_failed
        [ -s $LAST_FAILED ] || die "no failure is on record ($LAST_FAILED)" ;;
      -k)
        choose_mode named
        [ $# -ge 2 ] || die "-k expects a name"
        name=$2; shift ;;
      -*) die "unknown option '$1' of 'test'; './dev help' lists what there is" ;;
      *)
        choose_mode paths
        path=$(test_path "$1") || exit 1
        paths+=("$path") ;;
    esac
    shift
  done
  [ "$all" = no ] || choose_mode everything
  hold_lock
  [ $mode != bare ] || { run_bare; return; }
  ensure_setup || return 1
  rm -rf $RESULTS && mkdir -p $RESULTS
  case $mode in
    everything) run_everything $all ;;
    named) run_named "$name" ;;
    paths) run_paths "${paths[@]}" ;;
    last_failed) run_last_failed ;;
  esac
  summary total $RESULTS $LAST_FAILED
}
