#!/bin/sh
# usage: deps.sh PACKAGE...   Installs the Debian packages that are missing; does nothing when none is.
set -eu
if ! command -v dpkg-query >/dev/null 2>&1 || ! command -v apt-get >/dev/null 2>&1; then
  echo "deps: this is not Debian or Ubuntu; install the equivalents of: $*" >&2
  exit 0
fi

missing=
for package in "$@"; do
  case $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true) in
    installed*) ;;
    *) missing="$missing $package" ;;
  esac
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" -eq 0 ]; then
  sudo=
elif command -v sudo >/dev/null 2>&1; then
  sudo=sudo
else
  echo "deps: please install as root:$missing" >&2
  exit 1
fi

echo "deps: installing$missing" >&2
# shellcheck disable=SC2086  # lists of words
install_missing() {
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing
}
# Lists that are absent or too old show as a package that cannot be found or fetched: refresh them, then try again.
if ls /var/lib/apt/lists/*_Packages* >/dev/null 2>&1 && install_missing; then exit 0; fi
$sudo apt-get update -q
install_missing
