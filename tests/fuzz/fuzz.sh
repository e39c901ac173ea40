#!/bin/sh
# SPDX-License-Identifier: MIT
# fuzz.sh SECONDS PROGRAM...: run each libFuzzer program for SECONDS, from the seeds that it makes and those of its folder in corpus/.
# Failing inputs are kept as crash-* in the folder that the message names.
set -eu
seconds=$1
shift

corpus=$(cd "$(dirname "$0")/corpus" && pwd)
export SAMPLES="${SAMPLES:-$corpus/../../../sample-traces}"
work=${FUZZ_DIR:-$(mktemp -d "${TMPDIR:-/tmp}/wakepath-fuzz.XXXXXX")}
for program; do
	name=$(basename "$program")
	mkdir -p "$work/$name/seeds" "$work/$name/found"
	echo "# $name for $seconds s, in $work/$name"
	FUZZ_SEEDS="$work/$name/seeds" TMPDIR="$work/$name" "$program" -runs=0 >/dev/null 2>&1 || true
	"$program" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=1024 -max_len=40000 -print_final_stats=1 \
		-artifact_prefix="$work/$name/crash-" "$work/$name/found" "$work/$name/seeds" "$corpus/$name" >"$work/$name/log" 2>&1 || {
		tail -n 40 "$work/$name/log"
		echo "$name failed: see $work/$name" >&2
		exit 1
	}
	grep -E 'stat::(number_of_executed_units|average_exec_per_sec)' "$work/$name/log" | sed 's/^/# /'
done
