/* SPDX-License-Identifier: MIT */
/* Everything in a trace.dat except its events: trace-cmd.dat.v6(5), trace-cmd.dat.v7(5). */
#ifndef TRC_FTRACE_HEAD_H
#define TRC_FTRACE_HEAD_H

#include "trace/tracefs/trc_bytes.h"
#include "trace/core/trc_budget.h"
#include "trace/core/trc_info.h"
#include "trace/tracefs/trc_format.h"
#include "trace/ftrace/trc_ftrace_clock.h"
#include "trace/tracefs/trc_places.h"
#include "trace/tracefs/trc_unpack.h"

struct trc_ftrace_absent;

/* The events of one CPU in one buffer. */
struct trc_ftrace_stream {
	char *name; /* "cpu0"; in the instance wk "wk/cpu0"; owned, hostile */
	uint32_t cpu;
	uint64_t offset, size; /* bytes of the file */
	uint32_t page_size;    /* bytes, of its ring */
	bool packed;           /* compressed in chunks */
};

struct trc_ftrace_head {
	GMappedFile *file;        /* owned */
	struct trc_bytes bytes;   /* of the file */
	struct trc_budget budget; /* what it may still cost */
	struct trc_places places; /* owned: of its parts */
	unsigned long_size;       /* of the traced kernel: 4 or 8 */
	uint32_t page_size;       /* of rings without a page size of their own */
	uint64_t cpus;            /* of the machine; 0 not told */
	enum trc_unpack_kind packing;
	char *uname; /* "": unknown; owned, hostile */
	struct trc_ftrace_clock clock;
	struct trc_guests guests;   /* owned */
	struct trc_formats formats; /* of events */
	GArray *streams;            /* owned, of struct trc_ftrace_stream */
	GHashTable *refused; /* owned: CPU → uint64_t *, owned: events that its full buffers dropped */
	struct trc_ftrace_absent *absent; /* owned: CPUs that were not recorded; NULL: not looked for */
	uint64_t kallsyms;                /* offset in the file, bytes; 0: not there */
	uint64_t printk;                  /* offset of the texts of trace_printk(); 0: not there */
	uint64_t cmdlines;  /* offset of the names of threads, with a length of 64 bits; 0: not there */
	char *tgids;        /* lines "TID TGID"; owned, hostile; NULL: not there */
	bool is_7;          /* of format 7 */
	char *buffer_clock; /* its name in the first buffer with events, hostile, owned; … */
	bool clocks_differ; /* … another buffer has another clock */
	bool clock_behind;  /* format 6: its name is not among the options */
	bool cut;           /* something did not fit */
};

/* Set *IS to true if the file PATH begins like a trace.dat.  False with errno if it cannot be read. */
bool trc_ftrace_head_detect(const char *path, bool *is);
/* NULL with BASE_ERROR_IO, or with BASE_ERROR_DATA if nothing can be read. */
struct trc_ftrace_head *trc_ftrace_head_open(const char *path, GError **error);
void trc_ftrace_head_free(struct trc_ftrace_head *h);
/* Return how many events of CPU were dropped, over all its buffers. */
uint64_t trc_ftrace_head_refused(const struct trc_ftrace_head *h, uint32_t cpu);
/* Return the text of /proc/kallsyms in H, *LENGTH bytes and a NUL.  The caller frees.  NULL if there is none.
 */
char *trc_ftrace_head_kallsyms(struct trc_ftrace_head *h, gsize *length);
/* Return the names of threads as of the end: lines "TID NAME", hostile; no data if there are none.  The
 * caller frees *UNPACKED after the last use of the result. */
struct trc_bytes trc_ftrace_head_cmdlines(struct trc_ftrace_head *h, uint8_t **unpacked);

#endif
