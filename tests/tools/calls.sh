#!/bin/sh
# SPDX-License-Identifier: MIT
# Print the rows of calls.h (src/model) from the kernel's headers: tests/tools/calls.sh FOLDER, in which Debian's packages
# linux-libc-dev-{arm64,armhf,riscv64,ppc64el,s390x}-cross are unpacked (dpkg -x); those of x86 are in linux-libc-dev.
set -eu
folder=$1
numbers() { # MACHINE INCLUDE HEADER [OPTION…]
	machine=$1 include=$2 header=$3
	shift 3
	echo "#include <$header>" | ${CC:-gcc} -E -dD -nostdinc -undef "-I$include" "$@" - | sed -n 's/^#define __NR_\([a-z0-9_]*\) .*/\1/p' | sort -u |
		grep -Ev '^(syscalls|syscall_base|arch_specific_syscall|oabi_syscall_base|breakpoint)$' | sed "s/.*/CALL & __NR_&/" >"$folder/names"
	{ echo "#include <$header>"; cat "$folder/names"; } | ${CC:-gcc} -E -P -nostdinc -undef "-I$include" "$@" - | grep ^CALL | while read -r _ name number; do
		number=$(($number)) && [ "$number" -lt 1000 ] && echo "$name $machine $number"
	done || :
}
{
	numbers x86_64 /usr/include/x86_64-linux-gnu asm/unistd_64.h
	numbers i386 /usr/include/x86_64-linux-gnu asm/unistd_32.h
	numbers arm64 "$folder/usr/aarch64-linux-gnu/include" asm/unistd.h -D__aarch64__ -D__LP64__
	numbers arm "$folder/usr/arm-linux-gnueabihf/include" asm/unistd.h -D__ARM_EABI__
	numbers riscv64 "$folder/usr/riscv64-linux-gnu/include" asm/unistd.h -D__riscv -D__riscv_xlen=64 -D__SIZEOF_POINTER__=8 -D__LP64__
	numbers ppc64 "$folder/usr/powerpc64le-linux-gnu/include" asm/unistd_64.h
	numbers s390 "$folder/usr/s390x-linux-gnu/include" asm/unistd_64.h
} | awk '{ number[$1, $2] = $3; seen[$1] = 1 } END {
	n = split("x86_64 i386 arm64 arm riscv64 ppc64 s390", machines)
	for (name in seen) { row = ""; for (i = 1; i <= n; i++) row = row ", " (((name, machines[i]) in number) ? number[name, machines[i]] : -1); print "\t{ \"" name "\", { " substr(row, 3) " } }," }
}' | LC_ALL=C sort
