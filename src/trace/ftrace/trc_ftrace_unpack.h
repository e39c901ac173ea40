/* SPDX-License-Identifier: MIT */
/* Compressed parts of a trace.dat. */
#ifndef TRC_FTRACE_UNPACK_H
#define TRC_FTRACE_UNPACK_H

#include "trace/tracefs/trc_bytes.h"

enum trc_ftrace_packing { TRC_FTRACE_PLAIN, TRC_FTRACE_ZSTD, TRC_FTRACE_ZLIB, TRC_FTRACE_OTHER };

/* Of NAME, as the file has it: "none", "zstd", "zlib". */
enum trc_ftrace_packing trc_ftrace_packing_of(const char *name);
/* What the SIZE bytes at FROM hold, exactly ROOM bytes, into TO; false: they do not. */
bool trc_ftrace_unpack(enum trc_ftrace_packing packing, const uint8_t *from, uint64_t size, uint8_t *to,
	uint64_t room);

#endif
