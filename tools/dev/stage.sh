# Stages: one line each with its time, the whole output in a log. Sourced by ./dev.
# shellcheck shell=bash disable=SC2034

LOG_DIR=build/log

die() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

job_count() { echo "${MHA_JOBS:-$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN)}"; }

# Two terminals must not build in one folder at a time. Commands started by ./dev itself (a documentation
# test that runs it, say) are inside the lock already.
hold_lock() {
  [ -z "${MHA_DEV_LOCK_HELD-}" ] && command -v flock >/dev/null || return 0
  exec 9<"$ROOT/tools/dev/stage.sh"
  if ! flock --nonblock 9; then
    echo "another ./dev works in this folder; waiting for it"
    flock 9
  fi
  export MHA_DEV_LOCK_HELD=1
}

# stage_line NAME RESULT SECONDS [NOTE]
stage_line() {
  [ -t 1 ] && printf '\r\033[K'
  printf '%-16s %-6s %4d s%s\n' "$1" "$2" "$3" "${4:+   $4}"
}

show_log_end() {
  local log=$1 resume=$2
  echo "---- last lines of $log"
  tail -n 20 "$log"
  echo "---- whole log: $log"
  echo "---- once repaired, go on with: $resume   (what is done stays done)"
}

# stage NAME COMMAND...: runs the command, prints the line. STAGE_NOTE_COMMAND may print a note for the line.
# RESUME, set by ./dev, is what the user types to go on after a failure.
STAGE_NOTE_COMMAND=
stage() {
  local name=$1 start=$SECONDS status=0 note=; shift
  local log=$LOG_DIR/$name.log
  mkdir -p "$LOG_DIR"
  [ -t 1 ] && printf '%-16s ...' "$name"
  { printf '$'; printf ' %q' "$@"; printf '\n'; } >"$log"
  "$@" >>"$log" 2>&1 </dev/null 9<&- || status=$?
  [ -n "$STAGE_NOTE_COMMAND" ] && note=$($STAGE_NOTE_COMMAND)
  if [ "$status" -eq 0 ]; then
    stage_line "$name" ok $((SECONDS - start)) "$note"
  else
    stage_line "$name" FAILED $((SECONDS - start)) "$note"
    # shellcheck disable=SC2153
    show_log_end "$log" "$RESUME"
  fi
  return "$status"
}
