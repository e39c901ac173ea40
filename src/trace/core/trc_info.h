/* SPDX-License-Identifier: MIT */
/* What is known of a trace and of its packets.  All but the structs is for the readers only. */
#ifndef TRC_INFO_H
#define TRC_INFO_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#define TRC_GAPS_KEPT 10000

/* One stretch in which events of a CPU are missing, as the tracer reported it. */
struct trc_gap {
	uint32_t cpu;
	int64_t from, to; /* ns */
	uint64_t count;   /* events lost; 0 = unknown number (packets lost) */
};

/* A folder of a trace: as a rule there is one, a recording in chunks has several. */
struct trc_chunk {
	char *path;       /* canonical, owned */
	int64_t from, to; /* ns: range that its packets announce, BASE_TIME_NONE unknown */
};

/* A thread, as the recording has it apart from its events: as of its end. */
struct trc_saved {
	int64_t tid, pid; /* PID -1: not told */
	char *name;       /* owned, hostile; NULL: not told */
};

/* What is known of a trace.  Complete once the reader said its end; before that counts run. */
struct trc_info {
	char *path;       /* canonical folder that all of it is in */
	char *host;       /* env hostname, cleaned; "" when the trace does not say */
	char *uuid;       /* 36 characters, or "" */
	char *clock_name; /* of the clock that times come from, "" none, or several; LTTng's own is
			     "monotonic": CLOCK_MONOTONIC; cleaned */
	/* Of the clock that times come from, 36 characters, or ""; LTTng: of the host's boot. */
	char *clock_uuid;
	uint64_t clock_frequency; /* Hz, 0 unknown … */
	int64_t clock_zero;       /* … and ns from the Epoch to the clock's 0 */
	char *domain;             /* what was traced: "kernel", "ust", "" unknown; cleaned */
	char *tracer;             /* "lttng-modules 2.13.9", "perf 4.4", "" unknown; cleaned */
	char *release;            /* kernel release ("6.1.0-50-amd64"), "" unknown; cleaned */
	bool preempt_rt;          /* it says that its kernel is PREEMPT_RT; false: it need not be any other */
	char *reader;             /* who reads it: "ctf", "babeltrace2", "ctf, 1 stream by babeltrace2" */
	/*
	 * ns: range the packets announce, BASE_TIME_NONE unknown; for progress.  Where that is seen only
	 * while the trace is read, END is a guess until then, of the thread that reads.
	 */
	int64_t begin;
	_Atomic int64_t end;
	int64_t floor; /* ns: events without a time, which would come before, are put here; BASE_TIME_NONE:
			  there are none */
	/* ns: times of the first and the last event read so far, BASE_TIME_NONE before the first. */
	int64_t first, last;
	uint64_t events;    /* all events read, also those without use to the model */
	uint64_t discarded; /* events the tracer says it lost */
	uint64_t discarded_packets;
	uint64_t stepped_back; /* events whose clock stepped back and was clamped */
	uint32_t n_cpus;       /* highest CPU seen + 1 */
	bool grows;            /* it is still written: what is there is not damaged where it ends */
	GError *problem;       /* owned: why the rest cannot be read; NULL: it can */
	bool late;             /* it told of a gap only after later events were given out */
	GHashTable *classes;   /* set of event class names (char *) the metadata declares; owned */
	bool declares_more;    /* classes are also those of which no event was asked for */
	GPtrArray *warnings;   /* of char *, each one line for people: what, where, count; owned */
	GArray *chunks;        /* of struct trc_chunk in time order, owned */
	GArray *saved;         /* of struct trc_saved, owned; a thread may be told of twice */
	GArray *gaps;          /* of struct trc_gap in time order per CPU, at most TRC_GAPS_KEPT */
};

/* ---- what recordings that were made together say of virtual machines and their hosts ---- */

/* CPU of the guest whose recording is GUEST is run by thread TID. */
struct trc_guest_cpu {
	uint64_t guest;
	uint32_t cpu;
	int64_t tid;
};

struct trc_guests {
	uint64_t id;   /* of this recording; 0: not told */
	uint64_t peer; /* of the recording by whose clock its times are; 0: by their own */
	GArray *cpus;  /* owned, of struct trc_guest_cpu */
};

/* ---- */

/* What became of a trace that is still written. */
enum trc_growth {
	TRC_GROWTH_NONE,
	TRC_GROWTH_MORE, /* packets behind those that were there */
	TRC_GROWTH_OTHER /* something else: what was read before is not how it is now */
};

/*
 * A packet with events in it, after it was read.  Times are those that the
 * reader gives its events: never before an earlier event of the stream.
 */
struct trc_packet_seen {
	unsigned stream;       /* trc_reader_stream() */
	uint64_t number;       /* in its stream from 0 on, packets without events counted */
	uint64_t offset, size; /* bytes, in the stream's file; SIZE 0: not known */
	int64_t first, last;   /* ns: of its first and last event */
	uint64_t events;       /* in it, not 0 */
	uint32_t cpu;          /* MDL_NONE: its events tell, each its own */
};

/* PATH is copied.  All else is empty or unknown. */
struct trc_info *trc_info_new(const char *path);
void trc_info_free(struct trc_info *info);

/* Replace *SLOT, one of the texts of an info, by a cleaned copy of TEXT (NULL: leave it). */
void trc_info_set_text(char **slot, const char *text);

/* Where times come from: a clock of FREQUENCY whose 0 is ZERO ns after the Epoch.  UUID is left out when it
 * is not one, or all 0. */
void trc_info_set_clock(struct trc_info *info, const char *uuid, uint64_t frequency, int64_t zero);

/* Add one line to the warnings; it is cleaned, so arguments may come from the trace. */
void trc_info_warn(struct trc_info *info, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* Remember that the metadata declares the event class NAME. */
void trc_info_add_class(struct trc_info *info, const char *name);

/* The trace has the folder PATH, too, whose packets are between FROM and TO (ns, BASE_TIME_NONE unknown). */
void trc_info_add_chunk(struct trc_info *info, const char *path, int64_t from, int64_t to);

/* Let INFO and its chunks begin at INFO->floor, where they would begin before. */
void trc_info_begin_at_floor(struct trc_info *info);

/* Remember a stretch without events (not beyond TRC_GAPS_KEPT). */
void trc_info_add_gap(struct trc_info *info, uint32_t cpu, int64_t from, int64_t to, uint64_t count);

/* Between FROM and TO none of the events of CPUS (of uint32_t; may be none) were recorded, which HOW, a
 * command, would do. */
void trc_info_tell_absent(struct trc_info *info, const GArray *cpus, int64_t from, int64_t to,
	const char *how);

/* Add to INFO what PART, that of one of its streams, says of losses, CPUs and damage. */
void trc_info_absorb(struct trc_info *info, const struct trc_info *part);

/* Put the tracer's text together from its parts, each may be NULL: "lttng-modules 2.13.9". */
void trc_info_set_tracer(struct trc_info *info, const char *name, const char *version);

/* Say at the end of the trace, once and with counts, what was lost or wrong. */
void trc_info_summarise(struct trc_info *info);

#endif
