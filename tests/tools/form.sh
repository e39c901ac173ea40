#!/bin/sh
# SPDX-License-Identifier: MIT
# Check the form of all C below src and tests: clang-format, the licence on the first line, no comparison with NULL.
set -u
files=$(find src tests -name '*.[ch]')
wrong=0

for f in $files; do
	read -r first < "$f"
	[ "$first" = '/* SPDX-License-Identifier: MIT */' ] || { echo "$f:1: the licence line is missing"; wrong=1; }
done
grep -nE '[!=]= NULL\b' $files /dev/null && { echo "say !x, or x, not a comparison with NULL"; wrong=1; }
echo "$files" | xargs -n 50 -P "$(nproc)" clang-format --dry-run -Werror || { echo "clang-format -i FILE mends that"; wrong=1; }
exit $wrong
