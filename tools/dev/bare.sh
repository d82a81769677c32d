# `./dev test --bare`: the README's two commands in a Debian 12 that has git and nothing else. Sourced by ./dev.
# shellcheck shell=bash

BARE=$ROOT/build/bare
BARE_ROOT=$BARE/root
# Downloaded packages, kept for the next time.
BARE_DEBS=$BARE/debs

run_bare() {
  check_bare_possible
  trap remove_bare_root EXIT
  mkdir -p "$BARE_DEBS"
  remove_bare_root
  stage bare-debian make_bare_debian || return 1
  stage bare-clone git clone -q --no-hardlinks "$ROOT" "$BARE_ROOT/root/mha" || return 1
  stage bare-demo in_bare ./dev demo || return 1
  local status=0
  stage bare-test in_bare ./dev test || status=1
  tail -n 1 "$LOG_DIR/bare-test.log"
  return $status
}

check_bare_possible() {
  local tool
  [ "$(id -u)" -eq 0 ] || die "--bare makes a chroot: run it as root"
  is_debian_12 || die "--bare uses the host's apt sources: expected Debian 12, found $(os_field PRETTY_NAME)"
  for tool in debootstrap unshare git; do
    command -v $tool >/dev/null || die "$tool was not found: apt-get install debootstrap util-linux git"
  done
  git rev-parse --quiet --verify HEAD >/dev/null || die "--bare tests the last commit, and there is none"
  [ -z "$(git status --porcelain)" ] || echo "note: --bare tests the last commit, without what is not committed"
}

# The mirror comes from the host's sources, so that whatever works here works there.
make_bare_debian() {
  local mirror
  # shellcheck disable=SC2016  # apt's own variables
  mirror=$(apt-get indextargets --format '$(REPO_URI) $(CODENAME) $(COMPONENT)' 'Created-By: Packages' |
    sed -n 's/ bookworm main$//p' | head -n 1)
  [ -n "$mirror" ] || { echo "error: the apt sources have no bookworm main"; return 1; }
  cp -nl /var/cache/apt/archives/*.deb "$BARE_DEBS" 2>/dev/null || cp -n /var/cache/apt/archives/*.deb "$BARE_DEBS" || true
  debootstrap --variant=minbase --include=git --cache-dir="$BARE_DEBS" bookworm "$BARE_ROOT" "$mirror" &&
    copy_host_configuration
}

# How this machine reaches its packages: apt's sources, keys and proxies, pip's configuration, certificates.
copy_host_configuration() {
  local file
  rm -f "$BARE_ROOT/etc/apt/sources.list"
  for file in /etc/apt /usr/share/keyrings /usr/local/share/ca-certificates /etc/pip.conf "$HOME/.pip" \
    "$HOME/.config/pip" /etc/resolv.conf ${PIP_CERT:+"$PIP_CERT"}; do
    [ -e "$file" ] || continue
    mkdir -p "$BARE_ROOT$(dirname "$file")"
    cp -aL --remove-destination "$file" "$BARE_ROOT$(dirname "$file")/" || return 1
  done
}

# in_bare COMMAND...: in the clone, with a clean environment, /proc and the kept packages. The mounts are in a
# namespace of the command and end with it.
in_bare() {
  local kept=() name
  for name in $(compgen -e | grep -E '^PIP_|^(https?|ftp|no|all)_proxy$|^(HTTPS?|NO|ALL)_PROXY$'); do
    kept+=("$name=${!name}")
  done
  # shellcheck disable=SC2016
  unshare --mount --propagation private bash -c '
    set -e
    root=$1 debs=$2; shift 2
    mount -t proc proc "$root/proc"
    mount --bind "$debs" "$root/var/cache/apt/archives"
    exec chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
      "$@"' in_bare "$BARE_ROOT" "$BARE_DEBS" ${kept[@]+"${kept[@]}"} bash -c 'cd ~/mha && exec "$@"' in_bare "$@"
}

# Keeps the logs of the inner run. Stays within the file system: should a mount be left, it is not emptied.
remove_bare_root() {
  [ -d "$BARE_ROOT" ] || return 0
  rm -rf "$BARE/log"
  cp -r "$BARE_ROOT/root/mha/build/log" "$BARE/log" 2>/dev/null
  rm -rf --one-file-system "$BARE_ROOT"
}
