#!/bin/sh
# SPDX-License-Identifier: MIT
# Print the rows of the table in src/model/kernel/calls.c: tests/tools/calls.sh [FOLDER].  They come from the kernel headers in Debian's packages linux-libc-dev (x86)
# and linux-libc-dev-{arm64,armhf,riscv64,ppc64el,s390x}-cross, installed or unpacked in FOLDER (dpkg -x).  A machine without headers has -1 in its
# column, except for the calls below; "tests/tools/calls.sh --machines [FOLDER]" prints the machines that have headers.
#
# The table is in git, because a build has only its own machine's headers, and those of Debian 12 are older than many traced kernels.
# tests/tools/calls.t compares the two.
set -eu
only=
[ "${1-}" != --machines ] || { only=1; shift; }
folder=${1-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Calls that are newer than the headers of Debian 12 (Linux 6.1): scripts/syscall.tbl of Linux 7.0.  Its numbers from 424 on equal those of
# arch/{x86/entry/syscalls/syscall_{32,64},arm/tools/syscall,powerpc/kernel/syscalls/syscall,s390/kernel/syscalls/syscall}.tbl as well.
later='451 cachestat
452 fchmodat2
453 map_shadow_stack
454 futex_wake
455 futex_wait
456 futex_requeue
457 statmount
458 listmount
459 lsm_get_self_attr
460 lsm_set_self_attr
461 lsm_list_modules
462 mseal
463 setxattrat
464 getxattrat
465 listxattrat
466 removexattrat
467 open_tree_attr
468 file_getattr
469 file_setattr
470 listns
471 rseq_slice_yield'

numbers() { # MACHINE INCLUDE HEADER [OPTION…]
	machine=$1 include=$2 header=$3
	shift 3
	[ -e "$include/$header" ] || return 0
	echo "$machine" >>"$work/machines"
	echo "#include <$header>" | ${CC:-gcc} -E -dD -nostdinc -undef "-I$include" "$@" - | sed -n 's/^#define __NR_\([a-z0-9_]*\) .*/\1/p' | sort -u |
		grep -Ev '^(syscalls|syscall_base|arch_specific_syscall|oabi_syscall_base|breakpoint)$' | sed "s/.*/CALL & __NR_&/" >"$work/names"
	{ echo "#include <$header>"; cat "$work/names"; } | ${CC:-gcc} -E -P -nostdinc -undef "-I$include" "$@" - | grep ^CALL | while read -r _ name number; do
		number=$(($number)) && [ "$number" -lt 1000 ] && echo "$name $machine $number"
	done || :
}

: >"$work/machines"
{
	x86=$folder/usr/include/x86_64-linux-gnu
	[ -e "$x86" ] || x86=/usr/include/x86_64-linux-gnu
	numbers x86_64 "$x86" asm/unistd_64.h
	numbers i386 "$x86" asm/unistd_32.h
	numbers arm64 "$folder/usr/aarch64-linux-gnu/include" asm/unistd.h -D__aarch64__ -D__LP64__
	numbers arm "$folder/usr/arm-linux-gnueabihf/include" asm/unistd.h -D__ARM_EABI__
	numbers riscv64 "$folder/usr/riscv64-linux-gnu/include" asm/unistd.h -D__riscv -D__riscv_xlen=64 -D__SIZEOF_POINTER__=8 -D__LP64__
	numbers ppc64 "$folder/usr/powerpc64le-linux-gnu/include" asm/unistd_64.h
	numbers s390 "$folder/usr/s390x-linux-gnu/include" asm/unistd_64.h
	for machine in x86_64 i386 arm64 arm riscv64 ppc64 s390; do echo "$later" | while read -r number name; do echo "$name $machine $number"; done; done
	# calls of one machine: arch/x86/entry/syscalls/syscall_64.tbl (6.11, 6.18) and scripts/syscall.tbl (6.4)
	printf '%s\n' 'uretprobe x86_64 335' 'uprobe x86_64 336' 'riscv_hwprobe riscv64 258'
} >"$work/all"
if [ -n "$only" ]; then
	cat "$work/machines"
	exit
fi
awk '{ number[$1, $2] = $3; seen[$1] = 1 } END {
	n = split("x86_64 i386 arm64 arm riscv64 ppc64 s390", machines)
	for (name in seen) { row = ""; for (i = 1; i <= n; i++) row = row ", " (((name, machines[i]) in number) ? number[name, machines[i]] : -1); print "\t{ \"" name "\", { " substr(row, 3) " } }," }
}' "$work/all" | LC_ALL=C sort
