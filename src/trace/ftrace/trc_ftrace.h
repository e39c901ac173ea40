/* SPDX-License-Identifier: MIT */
/* Files of trace-cmd (trace.dat, formats 6 and 7). */
#ifndef TRC_FTRACE_H
#define TRC_FTRACE_H

#include "trace/core/trc_input.h"
#include "trace/tracefs/trc_format.h"

extern const struct trc_input_ops trc_ftrace_input;
extern const struct trc_source_ops trc_ftrace_ops;

/* ---- the times of a trace.dat, in ns ---- */

/* A clock of the kernel ("trace_clock") with its data from the file. */
struct trc_ftrace_clock {
	char *name;           /* "mono"; "": unknown; owned, hostile */
	uint32_t mult, shift; /* of x86-tsc: ns = cycles · MULT >> SHIFT; MULT 0: unknown */
	int64_t ahead;        /* ns to add: from --date and --ts-offset of trace-cmd */
	/* owned, of GArray *: for each CPU of a guest its struct trc_ftrace_shift in time order; NULL:
	 * none */
	GPtrArray *shifts;
	bool between;  /* interpolate between two of these */
	uint64_t peer; /* the recording (of the host) whose clock they convert to */
};

/* From TIME (guest cycles) on: host cycles = guest cycles · SCALING >> BITS, + OFFSET. */
struct trc_ftrace_shift {
	uint64_t time;
	int64_t offset;
	uint64_t scaling, bits;
};

void trc_ftrace_clock_init(struct trc_ftrace_clock *c);
void trc_ftrace_clock_clear(struct trc_ftrace_clock *c);
/* Read the option TIME_SHIFT, at the cost of BUDGET.  False if it is invalid; then it is left out. */
bool trc_ftrace_clock_read_shifts(struct trc_ftrace_clock *c, struct trc_bytes *option,
	struct trc_budget *budget);
/* Return COUNT of the clock on CPU in ns. */
int64_t trc_ftrace_clock_time(const struct trc_ftrace_clock *c, uint32_t cpu, uint64_t count);
/* Return a static warning about times by C, with a remedy; NULL if there is none. */
const char *trc_ftrace_clock_problem(const struct trc_ftrace_clock *c);

/* ---- everything in a trace.dat except its events: trace-cmd.dat.v6(5), trace-cmd.dat.v7(5) ---- */

struct trc_ftrace_absent;

/* The events of one CPU in one buffer. */
struct trc_ftrace_stream {
	char *name; /* "cpu0"; in the instance wk "wk/cpu0"; owned, hostile */
	uint32_t cpu;
	uint64_t offset, size; /* bytes of the file */
	uint32_t page_size;    /* bytes, of its ring */
	bool packed;           /* compressed in chunks */
};

/* Ids of options (trace-cmd.dat.v7(5)). */
enum {
	TRC_OPTION_DONE = 0,
	TRC_OPTION_DATE = 1,
	TRC_OPTION_STATS = 2,
	TRC_OPTION_BUFFER = 3,
	TRC_OPTION_CLOCK = 4,
	TRC_OPTION_UNAME = 5,
	TRC_OPTION_OFFSET = 7,
	TRC_OPTION_CPUCOUNT =
		8,              /* also of saved_tgids, where it is longer than a number: GpuVis' trace-cmd */
	TRC_OPTION_VERSION = 9, /* of the program that wrote the file */
	TRC_OPTION_PROCMAPS = 10, /* names of programs' files */
	TRC_OPTION_TRACEID = 11,
	TRC_OPTION_TIME_SHIFT = 12,
	TRC_OPTION_GUEST = 13,
	TRC_OPTION_TSC2NSEC = 14,
	TRC_OPTION_HEADER_INFO = 16,
	TRC_OPTION_FTRACE_EVENTS = 17,
	TRC_OPTION_EVENT_FORMATS = 18,
	TRC_OPTION_KALLSYMS = 19,
	TRC_OPTION_PRINTK = 20,
	TRC_OPTION_CMDLINES = 21
};

struct trc_ftrace_head {
	GMappedFile *file;        /* owned */
	struct trc_bytes bytes;   /* of the file */
	struct trc_budget budget; /* what reading it may still cost */
	struct trc_places places; /* owned: of its parts */
	unsigned long_size;       /* of the traced kernel: 4 or 8 */
	uint32_t page_size;       /* of rings without a page size of their own */
	uint64_t cpus;            /* of the machine; 0: unknown */
	enum trc_unpack_kind packing;
	char *uname; /* "": unknown; owned, hostile */
	struct trc_ftrace_clock clock;
	struct trc_guests guests;   /* owned */
	struct trc_formats formats; /* of events */
	GArray *streams;            /* owned, of struct trc_ftrace_stream */
	GHashTable *refused; /* owned: CPU → uint64_t *, owned: events that its full buffers dropped */
	/* owned: CPUs that were not recorded; NULL: they were not searched for */
	struct trc_ftrace_absent *absent;
	uint64_t kallsyms; /* offset in the file, bytes; 0: not there */
	uint64_t printk;   /* offset of the texts of trace_printk(); 0: not there */
	uint64_t cmdlines; /* offset of the names of threads, with a length of 64 bits; 0: not there */
	/* Of format 7: sections of header_page, of the formats of ftrace and of all systems. */
	uint64_t parts[3];
	GByteArray *options;      /* owned: the options that every copy keeps, as format 6 writes them */
	struct trc_cut_mark mark; /* owned */
	char *tgids;              /* lines "TID TGID"; owned, hostile; NULL: not there */
	bool is_7;                /* of format 7 */
	char *buffer_clock;       /* name of the clock of the first buffer with events, hostile, owned; … */
	bool clocks_differ;       /* … true if another buffer has another clock */
	/* format 6: the name of the clock is not among the options but after the CPUs */
	bool clock_behind;
	bool cut;   /* something did not fit */
	bool exact; /* it has only the formats of recorded events, because wakepath wrote it */
};

/* Set *IS to true if the file PATH begins like a trace.dat.  False with errno if it cannot be read. */
bool trc_ftrace_head_detect(const char *path, bool *is);
/* NULL with BASE_ERROR_IO, or with BASE_ERROR_DATA if nothing can be read. */
struct trc_ftrace_head *trc_ftrace_head_open(const char *path, GError **error);
void trc_ftrace_head_free(struct trc_ftrace_head *h);
/* Return how many events of CPU were dropped, over all its buffers. */
uint64_t trc_ftrace_head_refused(const struct trc_ftrace_head *h, uint32_t cpu);
/* Return the bytes of the section at OFFSET (format 7); no data if there are none. The caller frees *UNPACKED
 * after the last use of the result. */
struct trc_bytes trc_ftrace_head_section(struct trc_ftrace_head *h, uint64_t offset, uint8_t **unpacked);
/* Return the text of /proc/kallsyms in H, *LENGTH bytes and a NUL.  The caller frees.  NULL if there is none.
 */
char *trc_ftrace_head_kallsyms(struct trc_ftrace_head *h, gsize *length);
/* Return the names that threads had at the end: lines "TID NAME", hostile; no data if there are none. The
 * caller frees *UNPACKED after the last use of the result. */
struct trc_bytes trc_ftrace_head_cmdlines(struct trc_ftrace_head *h, uint8_t **unpacked);

/* ---- pages of the kernel's ring buffer, and the records in them (kernel/trace/ring_buffer.c) ---- */

/* A page.  It ends early at a record that does not fit. */
struct trc_ftrace_page {
	uint64_t offset; /* bytes, in the uncompressed stream */
	uint64_t time;   /* cycles: its begin */
	bool has_lost;   /* events were lost before it */
	uint64_t lost;   /* their number, 0: unknown */
	bool damaged;    /* its records do not fit */
	struct trc_bytes records;
};

/* A record. */
struct trc_ftrace_record {
	uint64_t time;   /* cycles */
	uint32_t offset; /* bytes, of its data in the page */
	struct trc_bytes data;
};

/* Reads the pages of a stream one after the other. */
struct trc_ftrace_pages;
struct trc_ftrace_pages *trc_ftrace_pages_new(const struct trc_ftrace_head *h,
	const struct trc_ftrace_stream *s);
void trc_ftrace_pages_free(struct trc_ftrace_pages *p);
/* Set *ALL to the bytes of its decompressed pages, and *MOST to those that are in memory at the same time; 0
 * if they are not compressed. */
void trc_ftrace_pages_room(const struct trc_ftrace_pages *p, uint64_t *all, uint64_t *most);
/* Return the number of pages. */
uint64_t trc_ftrace_pages_count(const struct trc_ftrace_pages *p);
/* Go to the page at OFFSET (bytes), a multiple of the page size. */
void trc_ftrace_pages_seek(struct trc_ftrace_pages *p, uint64_t offset);
/* Get the next page, valid until the next call.  False if there is none; *CUT is true then if the stream ends
 * too early. */
bool trc_ftrace_pages_next(struct trc_ftrace_pages *p, struct trc_ftrace_page *page, bool *cut);
/* Get the next record of PAGE that has data.  False if there is none. */
bool trc_ftrace_page_next(struct trc_ftrace_page *page, struct trc_ftrace_record *record);

/* trc_input_ops.cut */
bool trc_ftrace_cut(char *const *folders, struct trc_cut *cut, GError **error);

/* ---- CPUs that were not recorded: tracing_cpumask, which trace-cmd record -M sets ---- */

struct trc_ftrace_absent;

/* Find CPUs of H that were not recorded, by a sample of events from all over the file; the caller frees. */
struct trc_ftrace_absent *trc_ftrace_absent_new(const struct trc_ftrace_head *h);
/* A may be NULL. */
void trc_ftrace_absent_free(struct trc_ftrace_absent *a);
/* True if RECORD, which was just read, shows that *CPU was not recorded, and that was not known before. */
bool trc_ftrace_absent_take(struct trc_ftrace_absent *a, const struct trc_ftrace_record *record,
	uint32_t *cpu);
/* Return all found so far, of uint32_t, in the order of discovery. */
const GArray *trc_ftrace_absent_cpus(const struct trc_ftrace_absent *a);

#endif
