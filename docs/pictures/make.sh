#!/bin/sh
# SPDX-License-Identifier: MIT
# make.sh [NAME...]: write the pictures of the README and of the guide, and the story that asciinema plays, anew: the real program on sample traces, in tmux, by the keys below.
set -eu

top=$(cd "$(dirname "$0")/../.." && pwd)
program=${WAKEPATH:-$top/build/wakepath}
tmp=$(mktemp -d)
wanted=" $* "
socket=
trap 'tmux -S "$socket" kill-server 2>/dev/null || :; rm -rf "$tmp"' EXIT
unset TMUX NO_COLOR COLORTERM
export TZ=UTC LC_ALL=C.UTF-8 XDG_CACHE_HOME="$tmp/cache" XDG_CONFIG_HOME="$tmp/config"

# With OPTION -e the colours, too.
screen() {
	tmux -S "$socket" capture-pane -N -p "$@"
}

# Until the screen shows TEXT and has stood still for half a second.
wait_for() {
	tries=0 before=
	while now=$(screen); [ "$now" != "$before" ] || ! screen | grep -qF -- "$1"; do
		before=$now tries=$((tries + 1))
		[ $tries -lt 60 ] || { echo "make.sh: \"$1\" does not appear:" >&2; screen >&2; exit 1; }
		sleep 0.5
	done
}

# Until what a key asked for is there: the screen has stood still for a while.
wait_still() {
	before=
	while now=$(screen); [ "$now" != "$before" ]; do
		before=$now
		sleep 0.3
	done
}

# started NAME COLUMNS ROWS TRACE [OPTIONS]: the program shows TRACE.  False if NAME is not wanted.
started() {
	socket=$tmp/$1.socket	# a server that is ending may still hold the last one
	case $wanted in "  " | *" $1 "*) ;; *) return 1 ;; esac
	# Keys that come while an index is made find a part of the trace.
	case $4 in docs/*) trace="$top/$4" ;; *) trace="$top/sample-traces/$4" ;; esac
	"$program" index "${trace%% *}" >/dev/null
	tmux -S "$socket" -f /dev/null new-session -d -x "$2" -y "$3" "$program $trace --fresh"
	tmux -S "$socket" set -g status off
	tmux -S "$socket" resize-window -x "$2" -y "$3"
	wait_for "? keys"
}

# picture NAME COLUMNS ROWS TEXT TITLE TRACE KEY...: TEXT is what the screen must show at the end.
picture() {
	name=$1 text=$4 title=$5
	started "$1" "$2" "$3" "$6" || return 0
	shift 6
	for key; do
		tmux -S "$socket" send-keys "$key"
		wait_still
	done
	wait_for "$text"
	screen -e | "$top/docs/pictures/svg.pl" "$title" > "$top/docs/pictures/$name.svg"
	tmux -S "$socket" kill-server
}

# cast NAME COLUMNS ROWS TEXT TRACE KEY...: NAME.cast, which "asciinema play" plays: the screen at first and after each key, two seconds each.  A key
# with a comma behind it shows no screen of its own.
cast() {
	name=$1 columns=$2 rows=$3 text=$4
	started "$1" "$2" "$3" "$5" || return 0
	shift 5
	at=0
	printf '{"version": 2, "width": %d, "height": %d}\n' "$columns" "$rows" > "$tmp/cast"
	for key in '' "$@"; do
		[ -z "$key" ] || tmux -S "$socket" send-keys "${key%,}"
		wait_still
		case $key in *?,) continue ;; esac
		screen -e | AT=$at perl -MJSON::PP -0777 -ne 's/\s+\z//; s/\n/\r\n/g; utf8::decode($_);
			print JSON::PP->new->ascii->encode([$ENV{AT} + 0, "o", "\e[0m\e[H\e[2J$_"]), "\n"' >> "$tmp/cast"
		at=$((at + 2))
	done
	wait_for "$text"
	cp "$tmp/cast" "$top/docs/pictures/$name.cast"
	tmux -S "$socket" kill-server
}

picture pipeline 100 34 "Path of wk-pipe-main" "Threads over time, and below them the critical path of the selected one" \
	pipeline / wk-pipe-main Enter g 430ms Enter + + + p
picture shares 100 28 "Path of wk-ioburst" "The critical path of a thread over its whole life, by kind and actor" \
	ioburst-ipi / wk-ioburst Enter p S S
picture write 100 28 "Path of wk-ioburst" "Some of the writes, and the path through disk, interrupt, IPI and softirq" \
	ioburst-ipi / wk-ioburst Enter g 56.2ms Enter + + + + + + + p
picture wait 100 20 "ended by: block" "One wait, step by step" \
	ioburst-ipi / wk-ioburst Enter g 56.3ms Enter Enter z
picture request 100 34 "Path of client/wk-client" "A request over three hosts" \
	rpc-chain / wk-client Enter '"' '"' '"'
picture story-overview 100 40 "wk-pipe-main[434]: 392 ms" "What is in a trace, before any key" \
	pipeline
picture story-request 100 34 "ath of client/wk-client" "The slowest request whose both ends were recorded, over three hosts" \
	rpc-chain J req Enter Enter
picture story-slow 130 20 "of that 21.3 ms in the step" "A typical fast request and the extreme slow one, with the step lit that only slow ones have" \
	rpc-chain / wk-client Enter = Enter z
picture story-wakeup 100 24 "Account of wk-rt" "Who had the CPU while a woken thread waited for it" \
	preempt J wak Enter Enter
picture story-disk 100 24 "ended by: block" "The slowest operation of a disk, and the thread that waited for it" \
	ioburst-ipi J dis Enter Enter ]
picture story-write 100 24 "Account of wk-ioburst" "What fsync() waited for: the journal's thread, and the disk that it had write" \
	ioburst-ipi J wr Enter Enter
picture story-lock 100 24 "Account of wk-fighter1" "Who held the lock that a thread waited for" \
	lockfight J loc Enter Enter
picture story-vm 100 30 "preempted: wk-pulse" "What the host took from a virtual CPU" \
	vm-preempt J vir Enter z
picture story-spans 104 32 "ath of wk-ioburst" "The reads of a program as it marks them, above its row, and what they wait for" \
	ioburst-ipi / wk-ioburst Enter M-p @ Enter p
picture story-mpi 110 34 "ath of mpi-rank0" "Ranks that spin in a barrier, their states above them, and the path through the last one of each round" \
	"docs/pictures/mpi --spans $top/docs/mpi.states" / mpi-rank0 Enter : "sql SELECT ts, dur, value AS name, utid FROM state" Enter @ p

# The story of the README.
cast story 100 28 "ended by: block" ioburst-ipi / wk-ioburst, Enter p S S S g, 56.2ms, Enter +, +, +, +, +, +, + Enter z
