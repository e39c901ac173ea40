/* SPDX-License-Identifier: MIT */
/* The records of a perf.data, one after the other (enum perf_event_type in include/uapi/linux/perf_event.h,
 * and perf's own in tools/lib/perf/include/perf/event.h), and the layout of samples, which depends on the
 * requested events (struct perf_event_attr, enum perf_event_sample_format). */
#ifndef TRC_PERF_RECORD_H
#define TRC_PERF_RECORD_H

#include "trace/tracefs/trc_bytes.h"
#include "trace/tracefs/trc_format.h"

#define TRC_PERF_HEAD 8 /* bytes of a record's header */

/* A record: struct perf_event_header, and its data. */
struct trc_perf_record {
	uint32_t type;
	uint16_t misc;
	uint64_t offset;       /* bytes, in the file or in the decompressed records */
	struct trc_bytes data; /* with the header */
};

enum {
	TRC_PERF_MMAP = 1,
	TRC_PERF_LOST = 2,
	TRC_PERF_COMM = 3,
	TRC_PERF_FORK = 7,
	TRC_PERF_SAMPLE = 9,
	TRC_PERF_MMAP2 = 10,
	TRC_PERF_LOST_SAMPLES = 13,
	TRC_PERF_ATTR = 64,
	TRC_PERF_TRACING_DATA = 66,
	TRC_PERF_FINISHED_ROUND = 68,
	TRC_PERF_ID_INDEX = 69,
	TRC_PERF_AUXTRACE = 71,
	TRC_PERF_FEATURE = 80,
	TRC_PERF_COMPRESSED = 81,
	TRC_PERF_COMPRESSED2 = 83
};

#define TRC_PERF_COMM_EXEC (1 << 13)     /* misc of COMM: by exec */
#define TRC_PERF_LOST_FILTERED (1 << 15) /* misc of LOST_SAMPLES: not lost, but dropped by a BPF filter */

/* Get the record at *AT in B, up to END, and advance *AT past it and past the data that follows some records.
 * False if there is none; *AT differs from END then if a record should be there. */
bool trc_perf_record_next(const struct trc_bytes *b, uint64_t *at, uint64_t end,
	struct trc_perf_record *record);

#define TRC_PERF_NOWHERE 0   /* not in a record */
#define TRC_PERF_ATTR_MIN 64 /* bytes of the oldest struct perf_event_attr */

/* A requested event. */
struct trc_perf_attr {
	uint64_t config; /* of a tracepoint: its id among the formats */
	uint64_t sample_type, read_format;
	const struct trc_format_event *event; /* weak; NULL: unknown */
	/* Weak, fields of EVENT; NULL: it has none. */
	const struct trc_format_field *common_pid, *meant; /* MEANT: the CPU on which a thread will run */
	bool is_tracepoint;
	bool is_usable;  /* its samples have time, CPU and the tracepoint's record */
	bool is_sampled; /* not every event became a record */
	bool overwrites; /* newer records overwrote older ones, on each CPU separately */
	bool has_others; /* records other than samples also have a time */
	bool has_clock;
	int32_t clock; /* clockid_t, if HAS_CLOCK */
	/* Bytes from the begin of a sample; TRC_PERF_NOWHERE if it has none. */
	unsigned id, ip, tid, time, cpu;
	unsigned fixed; /* start of the parts of variable size */
	/* Bytes from the end of another record; TRC_PERF_NOWHERE likewise. */
	unsigned other_id, other_time, other_cpu;
};

/* Contents of a sample. */
struct trc_perf_sample {
	uint64_t ip;
	/* in the PID namespace of perf; −1: unknown, or the thread has no number any more */
	int32_t pid, tid;
	int32_t global;          /* the kernel's global number of thread TID; −1: unknown */
	struct trc_bytes chain;  /* the call stack: 8 bytes each; no data: not recorded */
	struct trc_bytes record; /* of the tracepoint; no data: it does not fit */
};

/* Read the struct perf_event_attr in B, which may be shorter or longer than the known one.  False if it is
 * invalid. */
bool trc_perf_attr_read(struct trc_perf_attr *a, const struct trc_bytes *b);
/* RECORD, with its header, is a sample of A (a usable one) and has at least A->fixed bytes. */
void trc_perf_sample_read(const struct trc_perf_attr *a, const struct trc_bytes *record,
	struct trc_perf_sample *sample);
/* Return the CPU on which a thread will run, from SAMPLE of A; LIMIT if it names none below LIMIT. */
uint32_t trc_perf_sample_meant(const struct trc_perf_attr *a, const struct trc_perf_sample *sample,
	uint32_t limit);

#endif
