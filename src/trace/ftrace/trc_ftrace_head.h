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
	struct trc_budget budget; /* what may still be made of it */
	struct trc_places places; /* owned: of its parts */
	unsigned long_size;       /* of the traced kernel: 4 or 8 */
	uint32_t page_size;       /* of the rings that do not tell theirs */
	uint64_t cpus;            /* of the machine; 0 not told */
	enum trc_unpack_kind packing;
	char *uname; /* "": unknown; owned, hostile */
	struct trc_ftrace_clock clock;
	struct trc_guests guests;   /* owned */
	struct trc_formats formats; /* of events */
	GArray *streams;            /* owned, of struct trc_ftrace_stream */
	GHashTable *refused; /* owned: CPU → uint64_t *, owned: events that its buffers refused, as they were
				full */
	struct trc_ftrace_absent *absent; /* owned: CPUs that were not recorded; NULL: not looked for */
	uint64_t kallsyms;                /* byte of the file at which they are told; 0: nowhere */
	uint64_t printk;                  /* the same of the texts of trace_printk() */
	uint64_t cmdlines;                /* the same of the names of threads, its length in 64 bits */
	char *tgids;                      /* lines "TID TGID"; owned, hostile; NULL: not told */
	bool is_7;                        /* of format 7 */
	char *buffer_clock; /* what the first buffer with events calls it, hostile, owned; … */
	bool clocks_differ; /* … and another one has another */
	bool clock_behind;  /* of format 6: its name is not among the options */
	bool cut;           /* something did not fit */
};

/* Whether the file PATH begins as a trace.dat does goes to *IS; false with errno when it cannot be read. */
bool trc_ftrace_head_detect(const char *path, bool *is);
/* NULL with BASE_ERROR_IO, or BASE_ERROR_DATA where nothing can be read. */
struct trc_ftrace_head *trc_ftrace_head_open(const char *path, GError **error);
void trc_ftrace_head_free(struct trc_ftrace_head *h);
/* Return how many events of CPU were dropped, over all its buffers. */
uint64_t trc_ftrace_head_refused(const struct trc_ftrace_head *h, uint32_t cpu);
/* The text of /proc/kallsyms in H, *LENGTH bytes and a NUL; the caller frees.  NULL: there is none. */
char *trc_ftrace_head_kallsyms(struct trc_ftrace_head *h, gsize *length);
/* The names of threads as of the end, lines "TID NAME", hostile; no data: there are none.  *UNPACKED is for
 * the caller to free, behind it. */
struct trc_bytes trc_ftrace_head_cmdlines(struct trc_ftrace_head *h, uint8_t **unpacked);

#endif
