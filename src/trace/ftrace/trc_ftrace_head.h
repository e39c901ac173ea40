/* SPDX-License-Identifier: MIT */
/* Everything in a trace.dat except its events: trace-cmd.dat.v6(5), trace-cmd.dat.v7(5). */
#ifndef TRC_FTRACE_HEAD_H
#define TRC_FTRACE_HEAD_H

#include "trace/tracefs/trc_bytes.h"
#include "trace/core/trc_info.h"
#include "trace/tracefs/trc_format.h"
#include "trace/ftrace/trc_ftrace_clock.h"
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

/* Events that the full buffer of a CPU dropped. */
struct trc_ftrace_refused {
	uint32_t cpu;
	uint64_t n;
};

struct trc_ftrace_head {
	GMappedFile *file;      /* owned */
	struct trc_bytes bytes; /* of the file */
	unsigned long_size;     /* bytes of a long in the traced kernel: 4 or 8 */
	uint32_t page_size;     /* bytes, for rings without a page size of their own */
	uint64_t cpus;          /* of the machine; 0: unknown */
	enum trc_unpack_kind packing;
	char *uname; /* "": unknown; owned, hostile */
	struct trc_ftrace_clock clock;
	struct trc_guests guests;         /* owned */
	struct trc_formats formats;       /* of events */
	GArray *streams;                  /* owned, of struct trc_ftrace_stream */
	GArray *refused;                  /* owned, of struct trc_ftrace_refused */
	struct trc_ftrace_absent *absent; /* owned: CPUs that were not recorded; NULL: not searched */
	uint64_t kallsyms;                /* offset of kallsyms in the file, bytes; 0: none */
	uint64_t printk;                  /* likewise, of the texts of trace_printk() */
	uint64_t cmdlines;  /* likewise, of the names of threads; their length there has 64 bits */
	char *tgids;        /* lines "TID TGID"; owned, hostile; NULL: unknown */
	bool is_7;          /* format 7 */
	char *buffer_clock; /* clock of the first buffer with events, hostile, owned; … */
	bool clocks_differ; /* … another buffer has another clock */
	bool clock_behind;  /* format 6, and the name of the clock is not among the options */
	bool cut;           /* something did not fit into the file */
};

/* True if the file PATH begins like a trace.dat. */
bool trc_ftrace_head_detect(const char *path);
/* Open PATH.  NULL with BASE_ERROR_IO, or with BASE_ERROR_DATA if nothing can be read. */
struct trc_ftrace_head *trc_ftrace_head_open(const char *path, GError **error);
void trc_ftrace_head_free(struct trc_ftrace_head *h);
/* Return how many events of CPU were dropped, over all its buffers. */
uint64_t trc_ftrace_head_refused(const struct trc_ftrace_head *h, uint32_t cpu);
/* Return the text of /proc/kallsyms in H, *LENGTH bytes and a NUL; the caller frees.  NULL if there is
 * none. */
char *trc_ftrace_head_kallsyms(struct trc_ftrace_head *h, gsize *length);
/* Return the names of threads at the end of the recording, lines "TID NAME"; hostile; the caller frees.  NULL
 * if there are none. */
char *trc_ftrace_head_cmdlines(struct trc_ftrace_head *h);

#endif
