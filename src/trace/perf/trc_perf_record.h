/* SPDX-License-Identifier: MIT */
/* The records of a perf.data, one behind the other (enum perf_event_type in include/uapi/linux/perf_event.h,
 * and those of perf's own in tools/lib/perf/include/perf/event.h), and what is where in them by the events
 * that perf was asked for (struct perf_event_attr, enum perf_event_sample_format). */
#ifndef TRC_PERF_RECORD_H
#define TRC_PERF_RECORD_H

#include "trace/tracefs/trc_bytes.h"
#include "trace/tracefs/trc_format.h"

#define TRC_PERF_HEAD 8 /* bytes of a record before what it holds */

/* A record: struct perf_event_header, and what follows. */
struct trc_perf_record {
	uint32_t type;
	uint16_t misc;
	uint64_t offset;       /* of it in the file, or in what was unpacked of it */
	struct trc_bytes data; /* with its head */
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

#define TRC_PERF_COMM_EXEC (1 << 13)     /* of the misc of COMM: by exec */
#define TRC_PERF_LOST_FILTERED (1 << 15) /* of LOST_SAMPLES: not lost, but left out by a filter in BPF */

/*
 * The record at *AT in B, up to END, and *AT behind it and the data that some have behind them.  False: there
 * is none, and *AT is not END where there should be one.
 */
bool trc_perf_record_next(const struct trc_bytes *b, uint64_t *at, uint64_t end,
	struct trc_perf_record *record);

#define TRC_PERF_NOWHERE 0   /* no place within a record */
#define TRC_PERF_ATTR_MIN 64 /* bytes of the first struct perf_event_attr there was */

/* An event that perf was asked for. */
struct trc_perf_attr {
	uint64_t config; /* of a tracepoint: its number among the formats */
	uint64_t sample_type, read_format;
	const struct trc_format_event *event; /* weak; NULL: not known */
	/* Weak, of EVENT; NULL: it has none. */
	const struct trc_format_field *common_pid, *meant; /* MEANT: the CPU that a thread is to run on */
	bool is_tracepoint;
	bool is_usable;  /* its samples have time, CPU and the tracepoint's record */
	bool is_sampled; /* not each event became a record */
	bool overwrites; /* newer records took the place of older ones, on each CPU by itself */
	bool has_others; /* records that are no samples tell their time, too */
	bool has_clock;
	int32_t clock; /* with HAS_CLOCK: clockid_t */
	/* Bytes from the begin of a sample; NOWHERE: it does not tell that. */
	unsigned id, ip, tid, time, cpu;
	unsigned fixed; /* where what differs in size begins */
	/* The same from the end of another record. */
	unsigned other_id, other_time, other_cpu;
};

/* What a sample holds. */
struct trc_perf_sample {
	uint64_t ip;
	int32_t pid, tid; /* in the namespace of who recorded; −1: not told, or the thread has no number any
			     more */
	int32_t global;   /* TID, as the kernel itself calls the thread; −1: not told */
	struct trc_bytes chain;  /* the stack of calls: 8 bytes each; no data: none was recorded */
	struct trc_bytes record; /* of the tracepoint; no data: it does not fit */
};

/* Read the struct perf_event_attr in B, which may be shorter or longer than those known here; false: it makes
 * no sense. */
bool trc_perf_attr_read(struct trc_perf_attr *a, const struct trc_bytes *b);
/* RECORD, with its head, is a sample of A, a usable one, and has at least A->fixed bytes. */
void trc_perf_sample_read(const struct trc_perf_attr *a, const struct trc_bytes *record,
	struct trc_perf_sample *sample);
/* The CPU that a thread is to run on by SAMPLE, one of A; LIMIT: it tells none below that. */
uint32_t trc_perf_sample_meant(const struct trc_perf_attr *a, const struct trc_perf_sample *sample,
	uint32_t limit);

#endif
