#!/bin/sh
# SPDX-License-Identifier: MIT
# packages.sh run|check: install the missing Debian 12 packages for "make run" or "make check".
set -eu

# Needed to build and run; the only list of packages:
run="gcc libc6-dev pkg-config libglib2.0-dev libncurses-dev libbabeltrace2-dev libxxhash-dev libelf-dev zlib1g-dev libzstd-dev libtraceevent-dev libtracefs-dev libcairo2-dev libsqlite3-dev"
# Also needed to test:
check="clang clang-format clang-tidy libclang-rt-14-dev babeltrace2 perl libcpanel-json-xs-perl tmux procps zstd trace-cmd linux-perf dpkg-dev r-base-core sqlite3"

case ${1-} in
run)	want=$run ;;
check)	want="$run $check" ;;
*)	echo "usage: packages.sh run|check" >&2; exit 2 ;;
esac

os_release=${OS_RELEASE:-/etc/os-release}
ID= VERSION_ID= PRETTY_NAME="this system"
if [ -r "$os_release" ]; then
	. "$os_release"
fi
if [ "$ID" != debian ] || [ "$VERSION_ID" != 12 ]; then
	echo "wakepath: packages are installed on Debian 12 only, and this is $PRETTY_NAME." >&2
	echo "wakepath: install what these Debian packages hold: make $want" >&2
	echo "wakepath: then type \"make\" (or \"make tests\"), which installs nothing." >&2
	exit 1
fi

missing=
for p in $want; do
	case $(dpkg-query -W -f '${db:Status-Status}' "$p" 2>/dev/null || true) in
	installed) ;;
	*) missing="$missing $p" ;;
	esac
done
if [ -z "$missing" ]; then
	exit 0
fi

echo "wakepath: installing$missing"
if [ "$(id -u)" = 0 ]; then
	sudo=
elif command -v sudo >/dev/null; then
	sudo=sudo
else
	echo "wakepath: these packages are missing, and there is neither root nor sudo to install them: $missing" >&2
	exit 1
fi
$sudo apt-get update
$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing
