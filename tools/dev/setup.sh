# Set-up: Debian packages into the system, Python packages into .venv. Sourced by ./dev.
# Works on a bare Debian 12: uses bash, coreutils, grep, sed, apt and dpkg only.
# shellcheck shell=bash

# LLVM 22 comes from Debian 12's security suite. Should another major version replace it there, there are three
# ways out, in this order: the packages of the same names that apt.llvm.org builds for bookworm; the archived
# version at snapshot.debian.org (set the date in the sources); a release/22.x build of llvm-project by hand
# (cmake -DLLVM_ENABLE_PROJECTS=mlir -DLLVM_BUILD_LLVM_DYLIB=ON -DLLVM_LINK_LLVM_DYLIB=ON -DLLVM_INSTALL_UTILS=ON)
# chosen with MLIR_DIR=<prefix>/lib/cmake/mlir. cmake/MHAFindMLIR.cmake says which major is expected.
LLVM_PACKAGES="libmlir-22-dev mlir-22-tools llvm-22-dev llvm-22-tools"
OTHER_PACKAGES="ca-certificates ccache clang clang-format cmake g++ git libbenchmark-dev libgtest-dev libzip-dev lld
  ninja-build python3 python3-venv zlib1g-dev"
# shellcheck disable=SC2206  # lists of words
DEBIAN_PACKAGES=($LLVM_PACKAGES $OTHER_PACKAGES)
OS_RELEASE=${MHA_OS_RELEASE:-/etc/os-release}

# shellcheck disable=SC1090
os_field() { (. "$OS_RELEASE" 2>/dev/null && eval "printf '%s' \"\${$1-}\""); }

is_debian_12() { [ "$(os_field ID)" = debian ] && [ "$(os_field VERSION_ID)" = 12 ]; }

# Prints the Debian packages that are not installed.
missing_debian_packages() {
  local installed package
  installed=" $(dpkg-query -W -f '${db:Status-Status}:${Package} ' "${DEBIAN_PACKAGES[@]}" 2>/dev/null)"
  for package in "${DEBIAN_PACKAGES[@]}"; do
    [[ $installed == *" installed:$package "* ]] || printf '%s ' "$package"
  done
}

# On other systems only what must be there by hand can be looked for.
missing_tools() {
  local tool
  for tool in cmake ninja ccache ld.lld g++ git python3; do
    command -v "$tool" >/dev/null || printf '%s ' "$tool"
  done
  llvm_tool mlir-tblgen >/dev/null || printf 'mlir-tblgen '
  llvm_tool FileCheck >/dev/null || printf 'FileCheck '
}

missing_system_parts() {
  if is_debian_12; then missing_debian_packages; else missing_tools; fi
}

python_ready() {
  "$PYTHON" -c '' 2>/dev/null && cmp -s requirements.txt .venv/requirements.txt
}

# Prints the path of a tool of LLVM 22: beside MLIR_DIR, by its versioned name, or in the usual places.
llvm_tool() {
  local candidate
  for candidate in ${MLIR_DIR:+"$MLIR_DIR/../../../bin/$1"} "$1-22" "/usr/lib/llvm-22/bin/$1" "$1"; do
    command -v "$candidate" && return 0
  done
  return 1
}

# ---- What, how much, where

as_root() { if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi; }

# Apt's own two figures, "Need to get ..." and "After this operation ...", for the packages given. Lists that are
# missing or out of date are read into a folder of their own, so that asking changes nothing.
apt_figures() {
  local lists
  apt_simulate "$@" 2>/dev/null && return 0
  lists=$(mktemp -d) && chmod 755 "$lists"
  mkdir -p "$lists/lists/partial" "$lists/cache/archives/partial"
  local private=(-o "Dir::State::lists=$lists/lists" -o "Dir::Cache=$lists/cache")
  apt-get -qq "${private[@]}" update >"$lists/log" 2>&1
  apt_simulate "${private[@]}" "$@"
  local status=$?
  rm -rf "$lists"
  return $status
}

apt_simulate() {
  local output
  output=$(apt-get -o Debug::NoLocking=1 --assume-no --no-install-recommends install "$@" 2>&1)
  printf '%s\n' "$output" | grep -E '^(Need to get|After this operation)' | sed 's/^/    /' && return 0
  printf '%s\n' "$output" | grep '^E:' >&2
  return 1
}

explain_missing_packages() {
  cat >&2 <<'TEXT'
error: apt does not find the packages. LLVM and MLIR 22 are in Debian 12's security suite: the apt sources need
`bookworm` and `bookworm-security`, component main, and the network must be reachable. Then run ./dev setup again.
TEXT
  exit 1
}

print_plan() {
  local packages=$1 figures
  if [ -n "$packages" ]; then
    echo "apt packages into the system, without recommended ones:"
    printf '%s\n' "$packages" | fold -s -w 96 | sed 's/^/    /'
    # shellcheck disable=SC2086
    figures=$(apt_figures $packages) || explain_missing_packages
    printf '%s\n' "$figures"
  fi
  if ! python_ready; then
    echo "Python packages into .venv, about 20 MB to get and 90 MB on disk:"
    printf '    %s\n' "$(grep -v '^#' requirements.txt | tr '\n' ' ')"
  fi
}

confirm() {
  local answer
  if [ "$ASSUME_YES" = yes ] || ! { [ -t 0 ] && [ -t 1 ]; }; then return 0; fi
  read -r -p "install these now? [Y/n] " answer || answer=n
  case $answer in '' | y | Y | yes) ;; *) die "nothing was changed" ;; esac
}

# ---- Doing it

install_debian_packages() {
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null ||
      die "not root and no sudo; run as root: apt-get update && apt-get install --no-install-recommends $1"
    sudo -v || die "sudo was refused"
  fi
  stage setup-lists as_root apt-get update || return
  # shellcheck disable=SC2086
  stage setup-packages as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
    -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 $1
}

make_venv() {
  rm -rf .venv
  # The user's own pip configuration decides where packages come from.
  python3 -m venv .venv &&
    "$PYTHON" -m pip install --disable-pip-version-check -r requirements.txt &&
    cp requirements.txt .venv/requirements.txt
}

# setup_all DRY_RUN: everything that is missing, after saying what it is.
setup_all() {
  local missing
  missing=$(missing_system_parts)
  if [ -z "$missing" ] && python_ready; then
    echo "setup: everything is there"
    return 0
  fi
  if [ -n "$missing" ] && ! is_debian_12; then
    other_system_commands "$missing"
    exit 1
  fi
  print_plan "$missing"
  if [ "$1" = yes ]; then
    echo "dry run: nothing was changed"
    return 0
  fi
  confirm
  hold_lock
  if [ -n "$missing" ]; then install_debian_packages "$missing" || return 1; fi
  if ! python_ready; then stage setup-python make_venv || return 1; fi
}

# What the other commands call first: silent and quick when nothing is missing.
ensure_setup() {
  [ -z "$(missing_system_parts)" ] && python_ready && return 0
  setup_all no
}

# ---- Other systems

# shellcheck disable=SC2086  # lists of words
other_system_commands() {
  local system
  system=$(os_field PRETTY_NAME)
  echo "Automatic set-up knows Debian 12; this is ${system:-$(uname -s)}. Missing: $1"
  echo "Install what follows, then run ./dev again:"
  case "$(os_field ID) $(os_field ID_LIKE) $(uname -s)" in
    *debian* | *ubuntu*)
      echo "  wget https://apt.llvm.org/llvm.sh && sudo bash llvm.sh 22"
      echo "  sudo apt-get install" $LLVM_PACKAGES $OTHER_PACKAGES ;;
    *fedora* | *rhel*)
      echo "  sudo dnf install llvm-devel mlir-devel llvm-test python3-lit cmake ninja-build ccache lld gcc-c++ clang \\"
      echo "    clang-tools-extra git python3 gtest-devel google-benchmark-devel libzip-devel zlib-devel" ;;
    *arch*)
      echo "  sudo pacman -S --needed llvm mlir cmake ninja ccache lld gcc clang git python gtest benchmark libzip zlib" ;;
    *Darwin*)
      echo "  brew install llvm@22 lld cmake ninja ccache git python googletest google-benchmark libzip"
      echo "  export MLIR_DIR=\"\$(brew --prefix llvm@22)/lib/cmake/mlir\"" ;;
    *) echo "  LLVM and MLIR 22 with headers and tools, and:" $OTHER_PACKAGES ;;
  esac
  echo "LLVM and MLIR must be version 22. One that is not found by itself is chosen with"
  echo "  MLIR_DIR=<prefix>/lib/cmake/mlir ./dev build      (or cmake -DMLIR_DIR=<prefix>/lib/cmake/mlir)"
}
