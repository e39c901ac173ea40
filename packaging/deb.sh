#!/bin/sh
# SPDX-License-Identifier: MIT
# deb.sh ROOT DEB: make the Debian package DEB of what "make install DESTDIR=ROOT PREFIX=/usr" installed.  ROOT is changed.
# The version is that of the program; what it depends on, dpkg-shlibdeps finds, but for libraries that are loaded when they are needed.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
root=$(cd "$1" && pwd)
deb=$2
work=$(mktemp -d "${TMPDIR:-/tmp}/wakepath-deb.XXXXXX")
trap 'rm -rf "$work"' EXIT

version=$("$root/usr/bin/wakepath" --version | sed 's/^wakepath //')
doc=$root/usr/share/doc/wakepath
maintainer='wakepath developers <developers@wakepath.example>'
strip --strip-unneeded "$root/usr/bin/wakepath"
mkdir -p "$doc" "$root/usr/share/zsh/vendor-completions"
mv "$root/usr/share/zsh/site-functions/_wakepath" "$root/usr/share/zsh/vendor-completions/"
rmdir "$root/usr/share/zsh/site-functions"
perl "$here/packaging/changelog.pl" "$maintainer" "$(date -R -d "@${SOURCE_DATE_EPOCH:-$(stat -c %Y "$here/CHANGELOG.md")}")" <"$here/CHANGELOG.md" >"$doc/changelog"
cp "$here/LICENSE" "$doc/copyright"
gzip -9nf "$doc/changelog" "$root"/usr/share/man/man*/*.[0-9]
find "$root" -type d -exec chmod 755 {} +
find "$root" -type f ! -path '*/bin/*' -exec chmod 644 {} +
size=$(du -sk "$root" | cut -f1)

# dpkg-shlibdeps wants to be where a source package is.
mkdir "$work/debian"
printf 'Source: wakepath\n\nPackage: wakepath\nArchitecture: any\n' >"$work/debian/control"
depends=$(cd "$work" && dpkg-shlibdeps -O "$root/usr/bin/wakepath" | sed -n 's/^shlibs:Depends=//p')
[ -n "$depends" ] || { echo "deb.sh: dpkg-shlibdeps found nothing that $root/usr/bin/wakepath depends on" >&2; exit 1; }

mkdir -p "$root/DEBIAN"
cat >"$root/DEBIAN/control" <<END
Package: wakepath
Version: $version
Architecture: $(dpkg --print-architecture)
Maintainer: $maintainer
Section: devel
Priority: optional
Installed-Size: $size
Depends: $depends, libcairo2
Suggests: lttng-tools, lttng-modules-dkms, linux-perf, trace-cmd
Description: explore traces of the Linux kernel in a terminal
 Shows what each thread did, and what it was really waiting for: other threads,
 interrupts, disks, packets and hosts, each cause proved, inferred or unknown.
 Reads CTF traces of LTTng and perf, and files of trace-cmd
 and perf; records by LTTng, ftrace or perf.
END
dpkg-deb --root-owner-group --build "$root" "$deb" >/dev/null
