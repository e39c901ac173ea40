/* SPDX-License-Identifier: MIT */
/* Facts about a trace and its packets.  Only readers use the functions; the structs are for all. */
#ifndef TRC_INFO_H
#define TRC_INFO_H

#include "trace/core/trc_cut.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#define TRC_GAPS_KEPT 10000

/* An interval in which events of a CPU are lost, as the tracer reported it. */
struct trc_gap {
	uint32_t cpu;
	int64_t from, to; /* ns */
	uint64_t count;   /* lost events; 0: unknown number (lost packets) */
};

/* One folder of a trace: usually the only one; a recording in chunks has several. */
struct trc_chunk {
	char *path;       /* canonical, owned */
	int64_t from, to; /* ns: interval that its packets announce; BASE_TIME_NONE: unknown */
};

/* A thread that the recording lists apart from its events: its state at the end of the recording. */
struct trc_saved {
	int64_t tid, pid; /* PID is -1 if unknown */
	char *name;       /* owned, hostile; NULL: unknown */
};

/* Facts about a trace.  Complete once the reader has reported the end; counters grow until then. */
/* Bytes of a file. */
struct trc_piece {
	uint64_t offset, size;
};

struct trc_info {
	char **beside; /* owned: as in struct trc_recording; NULL: none */
	char *path;    /* canonical folder that all of it is in */
	uint64_t size; /* bytes of its files with events */
	char *host;    /* host name, cleaned; "": unknown */
	char *uuid;    /* 36 characters, or "" */
	/* name of the clock of all times; "": no clock, or several; cleaned. LTTng calls CLOCK_MONOTONIC
	 * "monotonic" */
	char *clock_name;
	/* Its UUID, 36 characters, or "". With LTTng it identifies the boot of the host. */
	char *clock_uuid;
	uint64_t clock_frequency; /* Hz of that clock, 0: unknown … */
	int64_t clock_zero;       /* … and its 0, in ns since the Epoch */
	char *domain;             /* traced domain: "kernel", "ust", "programs"; "": unknown; cleaned */
	char *tracer;             /* "lttng-modules 2.13.9", "perf 4.4"; "": unknown; cleaned */
	char *machine;            /* as uname -m prints it ("x86_64"); "": unknown; cleaned */
	char *release;            /* kernel release ("6.1.0-50-amd64"); "": unknown; cleaned */
	char *format; /* "ctf 1.8", "ctf 2", "trace.dat", "perf.data", "pftrace", as cli.md has it */
	char *reader; /* its reader: "ctf", "babeltrace2", "ctf, 1 stream by babeltrace2" */
	/* ns: interval that the packets announce, BASE_TIME_NONE: unknown; used for progress.  If the end is
	 * known only after reading, END is a guess until then, and the reading thread updates it. */
	int64_t begin;
	_Atomic int64_t end;
	/* ns: events without a time get this one; they would otherwise come before all others;
	 * BASE_TIME_NONE: there are none */
	int64_t floor;
	/* ns: times of the first and the last event read so far; BASE_TIME_NONE before the first. */
	int64_t first, last;
	uint64_t events;    /* all events read, including those that the model does not use */
	uint64_t discarded; /* lost events that the tracer reported */
	uint64_t discarded_packets;
	uint64_t stepped_back; /* events whose clock stepped back; they got the time of the event before */
	uint64_t stepped_on;   /* number of times that the clock was set forward … */
	int64_t longest_step;  /* … by no more than that, ns */
	uint32_t n_cpus;       /* highest CPU seen, plus 1 */
	/* number of streams that are left out because the CPU of their events is unknown */
	unsigned cpuless;
	bool preempt_rt;         /* the trace shows that its kernel is PREEMPT_RT; false: unknown */
	bool may_be_rt;          /* nothing in the trace shows whether its kernel is PREEMPT_RT */
	bool grows;              /* the trace is still written: an incomplete end is no damage */
	bool late;               /* the mark of a gap came too late: the merge had delivered later events */
	bool some_threads;       /* only some threads were recorded */
	bool away_only;          /* switches were recorded only when one of some threads left its CPU */
	bool declares_more;      /* CLASSES also has classes that were not enabled */
	GError *problem;         /* owned: why the rest cannot be read; NULL: all can be read */
	GHashTable *classes;     /* set of event class names (char *) that the metadata declares; owned */
	char *counters;          /* samples of each counter, for people; "": none; cleaned */
	GPtrArray *warnings;     /* of char *, one line for people each: what, where, count; owned */
	GArray *chunks;          /* of struct trc_chunk in time order, owned */
	GArray *saved;           /* of struct trc_saved, owned; a thread may occur twice */
	struct trc_cut_mark cut; /* owned: the recording is a window of another one */
	/* owned, of struct trc_piece, ascending: where the file has records that a cut of any window can need
	 * (perf.data); empty: unknown */
	GArray *common;
	GArray *offline; /* of struct trc_gap without COUNT, at most TRC_GAPS_KEPT: a CPU was off-line */
	GArray *gaps;    /* of struct trc_gap, in time order per CPU, at most TRC_GAPS_KEPT */
};

/* ---- relations between recordings of virtual machines and of their hosts ---- */

/* Thread TID of the host runs virtual CPU CPU of the guest whose recording is GUEST. */
struct trc_guest_cpu {
	uint64_t guest;
	uint32_t cpu;
	int64_t tid;
};

struct trc_guests {
	uint64_t id;   /* of this recording; 0: unknown */
	uint64_t peer; /* the recording whose clock its times use; 0: its own clock */
	GArray *cpus;  /* owned, of struct trc_guest_cpu */
};

/* ---- */

/* How a trace that is still written has changed. */
enum trc_growth {
	TRC_GROWTH_NONE,
	TRC_GROWTH_MORE, /* packets behind those that were there */
	/* Not everything can be read now: a folder is being moved, or a system call failed. The caller must
	 * look again later. */
	TRC_GROWTH_UNSEEN,
	TRC_GROWTH_OTHER /* something else: what was read before has changed */
};

/* A packet with events, after it was read.  Its times are those that the reader gives its events: never
 * before an earlier event of the stream. */
struct trc_packet_seen {
	unsigned stream;       /* trc_reader_stream() */
	uint64_t number;       /* within its stream, from 0 on; packets without events count */
	uint64_t offset, size; /* bytes, in the stream's file; SIZE 0: unknown */
	int64_t first, last;   /* ns: of its first and last event */
	uint64_t events;       /* number of events, not 0 */
	uint32_t cpu;          /* MDL_NONE: each event has its own CPU; TRC_CPU_NONE: its events have none */
};

/* Return a new info in which everything except PATH (copied) is empty or unknown. */
struct trc_info *trc_info_new(const char *path);
void trc_info_free(struct trc_info *info);

/* Replace *SLOT, one of the texts of an info, by a cleaned copy of TEXT.  NULL leaves it unchanged. */
void trc_info_set_text(char **slot, const char *text);

/* Set the clock of all times: FREQUENCY in Hz, and ZERO, the ns from the Epoch to its 0.  UUID is ignored if
 * it is not valid or all zeros. */
void trc_info_set_clock(struct trc_info *info, const char *uuid, uint64_t frequency, int64_t zero);

/* Add one line to the warnings, unless there are too many already.  It is cleaned, so arguments may come from
 * the trace. */
void trc_info_warn(struct trc_info *info, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* Note, with a warning, that the stream NAME is left out because the CPU of its events is unknown. */
void trc_info_tell_cpuless(struct trc_info *info, const char *name);

/* Warn that the end of the file cannot be read. */
void trc_info_tell_cut_off(struct trc_info *info);

/* Note that the metadata declares the event class NAME. */
void trc_info_add_class(struct trc_info *info, const char *name);

/* Add the folder PATH, whose packets are between FROM and TO (ns, BASE_TIME_NONE: unknown). */
void trc_info_add_chunk(struct trc_info *info, const char *path, int64_t from, int64_t to);

/* Clamp the begin of INFO and of its chunks to INFO->floor at the earliest. */
void trc_info_begin_at_floor(struct trc_info *info);

/* Add an interval of lost events (ns), unless there are TRC_GAPS_KEPT already. */
void trc_info_add_gap(struct trc_info *info, uint32_t cpu, int64_t from, int64_t to, uint64_t count);

/* CPU was off-line between FROM and TO (ns). */
void trc_info_add_offline(struct trc_info *info, uint32_t cpu, int64_t from, int64_t to);

/* Add the warning and the gaps for CPUS (of uint32_t; may be empty), which were not recorded between FROM and
 * TO (ns).  HOW is the command that records them. */
void trc_info_tell_absent(struct trc_info *info, const GArray *cpus, int64_t from, int64_t to,
	const char *how);

/* Add the losses, CPUs, damage and reading problem of PART, the info of one of its streams, to INFO. */
void trc_info_absorb(struct trc_info *info, const struct trc_info *part);

/* Set INFO->tracer from its parts, each may be NULL: "lttng-modules 2.13.9". */
void trc_info_set_tracer(struct trc_info *info, const char *name, const char *version);

/* Call once at the end of the trace: sorts the gaps and warns, with counts, of losses and clock steps. */
void trc_info_summarise(struct trc_info *info);

#endif
