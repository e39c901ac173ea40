/* SPDX-License-Identifier: MIT */
/* Traces of Perfetto (.pftrace, .perfetto-trace): the events of the kernel in them.  The schema is
 * protos/perfetto/trace of github.com/google/perfetto. */
#ifndef TRC_PERFETTO_H
#define TRC_PERFETTO_H

#include "base/base_time.h"
#include "trace/core/trc_budget.h"
#include "trace/core/trc_input.h"
#include "trace/perfetto/trc_perfetto_wire.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

extern const struct trc_input_ops trc_perfetto_input;
extern const struct trc_source_ops trc_perfetto_ops;
extern const struct trc_paging_ops trc_perfetto_paging; /* of trc_perfetto_ops */

/* ---- kinds of events ---- */

/* limit of the field numbers in FtraceEvent for which Perfetto has messages */
#define TRC_PERFETTO_TYPED 1024
/* Field numbers of some events. */
enum {
	TRC_PERFETTO_SWITCH = 4,
	TRC_PERFETTO_WAKING = 20,
	TRC_PERFETTO_NEWTASK = 235,
	TRC_PERFETTO_FORK = 239,
	TRC_PERFETTO_GENERIC = 327
};

/* The characters of names of events and fields; others are replaced. */
#define TRC_PERFETTO_WORD G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "_.:-"

/* An event for which Perfetto has a message; all text is static. */
struct trc_perfetto_typed {
	unsigned number;    /* number of its field in FtraceEvent */
	const char *name;   /* "sched:sched_switch" */
	const char *fields; /* "NAME/KIND" of each from number 1 on, see trc_perfetto_typed.c */
};

/* Return the event with NUMBER; NULL: it is not known. */
const struct trc_perfetto_typed *trc_perfetto_typed_find(unsigned number);
/* Return the name by which the model knows the event NAME in GROUP ("": unknown); the caller frees. */
char *trc_perfetto_typed_name(const char *group, const char *name);
/* NAME is weak. */
typedef void (*trc_perfetto_typed_func)(void *data, const char *name);
/* Call FUNC for each event that PATTERN selects, as in FtraceConfig ("sched/sched_switch", "sched_switch",
 * "irq/\*"), and that the kernel of MACHINE (uname -m; NULL: unknown) may write. */
void trc_perfetto_typed_asked(const char *pattern, const char *machine, trc_perfetto_typed_func func,
	void *data);

struct trc_perfetto_class;
struct trc_perfetto_classes;

/* BUDGET must outlive the result. */
struct trc_perfetto_classes *trc_perfetto_classes_new(struct trc_budget *budget);
/* ALL may be NULL. */
void trc_perfetto_classes_free(struct trc_perfetto_classes *all);
/* Note the events that BUNDLE, an FtraceEventBundle, describes. */
void trc_perfetto_classes_describe(struct trc_perfetto_classes *all, struct trc_wire bundle);
/* Return the class of events with NUMBER; NULL: nothing describes them.  Weak. */
const struct trc_perfetto_class *trc_perfetto_class_of(struct trc_perfetto_classes *all, unsigned number);
struct trc_perfetto_event;
/* Return the class of E; NULL: nothing describes it.  Weak. */
const struct trc_perfetto_class *trc_perfetto_class_for(struct trc_perfetto_classes *all,
	const struct trc_perfetto_event *e);
/* Return the name of C; weak. */
const char *trc_perfetto_class_name(const struct trc_perfetto_class *c);
/* Return the kind of the events of C. */
enum mdl_kind trc_perfetto_class_kind(const struct trc_perfetto_class *c);
/* Fill in kind, label, arguments and texts of TO, which was just added to Q, from PAYLOAD. */
void trc_perfetto_class_read(const struct trc_perfetto_class *c, struct trc_queue *q, struct mdl_event *to,
	struct trc_wire payload);
/* Append the fields of PAYLOAD to TO, which ends with "{ ", and pass each to TAKER (may be NULL). */
void trc_perfetto_class_fields(const struct trc_perfetto_class *c, struct trc_wire payload, GString *to,
	const struct trc_taker *taker);
/* Append one field, a number (KIND 'i' is signed, 'u' is not) or a text. */
void trc_perfetto_text_number(GString *to, const char *name, char kind, uint64_t number,
	const struct trc_taker *taker);
void trc_perfetto_text_bytes(GString *to, const char *name, const struct trc_wire *bytes,
	const struct trc_taker *taker);

/* ---- packets, in blocks ---- */

/* The parts of a TracePacket that wakepath uses. */
struct trc_perfetto_packet {
	uint64_t offset; /* bytes, in the file: of the packet, or of the one that it is packed in */
	bool is_packed;
	uint64_t time;       /* timestamp; valid if HAS_TIME */
	bool has_time;       /* TIME was given */
	uint32_t clock;      /* timestamp_clock_id; 0: none */
	uint32_t sequence;   /* trusted_packet_sequence_id */
	uint32_t machine;    /* machine_id; 0: the host that has the service */
	bool dropped, first; /* previous_packet_dropped, first_packet_on_sequence */
	/* sequence_flags. CLEARED: the state of the sequence from before is invalid. NEEDS: the packet needs
	 * that state */
	bool cleared, needs;
	unsigned kind; /* number of BODY in TracePacket, or OTHER; 0: it was left out */
	uint32_t cpu;  /* of a bundle; TRC_CPU_UNKNOWN: the packet is no bundle, or a damaged one */
	struct trc_wire body;
	struct trc_wire interned, defaults; /* interned_data, trace_packet_defaults; no bytes: none */
};

/* Ids of clocks: below OWN those of the system, below OWN_END those of one sequence, from there on those of
 * the whole trace. */
enum {
	TRC_PERFETTO_OF_DAY = 1,
	TRC_PERFETTO_MONOTONIC = 3,
	TRC_PERFETTO_BOOT = 6,
	TRC_PERFETTO_OWN = 64,
	TRC_PERFETTO_OWN_END = 128
};

/* The kinds that wakepath uses. */
enum {
	TRC_PERFETTO_FTRACE = 1,
	TRC_PERFETTO_TREE = 2,
	TRC_PERFETTO_CLOCKS = 6,
	TRC_PERFETTO_TRACK = 11,
	TRC_PERFETTO_CONFIG = 33,
	TRC_PERFETTO_STATS = 34,
	TRC_PERFETTO_BUFFERS = 35,
	TRC_PERFETTO_PROCESS = 43,
	TRC_PERFETTO_THREAD = 44,
	TRC_PERFETTO_SYSTEM = 45,
	TRC_PERFETTO_DEFLATE = 50,
	TRC_PERFETTO_DESCRIPTOR = 60,
	TRC_PERFETTO_REMOTE = 107, /* RemoteClockSync: becomes packets of the kind CLOCKS */
	TRC_PERFETTO_ZSTD = 133,
	TRC_PERFETTO_OTHER = 10000 /* a packet whose body is not used */
};

struct trc_perfetto_file {
	char *path;               /* owned */
	bool is_part;             /* only packets of one machine are read, as if it were the host: … */
	uint32_t machine;         /* … of this machine */
	bool has_remote;          /* RemoteClockSync is used */
	uint64_t own, all;        /* bytes of packets read so far: of this part, of all parts */
	GHashTable *others;       /* owned: set of other machines with events; NULL: not IS_PART */
	int fd;                   /* owned */
	uint64_t size;            /* bytes */
	GError *problem;          /* owned: why it cannot be read, or is refused; NULL: no problem */
	struct trc_budget budget; /* what reading it may still cost */
	/* what unpacking may still cost; packets that are unpacked again cost again */
	struct trc_budget unpack;
	unsigned share; /* an unpacked byte costs 1/SHARE of UNPACK */
};

/* Set *IS to true if the file PATH begins like a trace of Perfetto. False with errno if it cannot be read. */
bool trc_perfetto_file_detect(const char *path, bool *is);
/* Open the file PATH, or the part PATH.  NULL with BASE_ERROR_IO. */
struct trc_perfetto_file *trc_perfetto_file_open(const char *path, GError **error);
void trc_perfetto_file_free(struct trc_perfetto_file *f);
/* Return the name of the part with the packets of MACHINE; the caller frees. */
char *trc_perfetto_part_name(uint32_t machine);

/* A run of packets that follow each other in the file. */
struct trc_perfetto_block {
	uint64_t offset, size; /* bytes, in the file */
	bool cut;              /* its last bytes, and everything after them, are damaged or missing */
	/* of struct trc_perfetto_packet, owned: the packets that are used, in the order of the file */
	GArray *packets;
	uint64_t skipped;    /* packets that are too large, or cannot be unpacked */
	uint8_t *bytes;      /* owned */
	size_t room;         /* size of BYTES */
	GPtrArray *unpacked; /* of GByteArray *, owned */
	gint refs;
};

struct trc_perfetto_block *trc_perfetto_block_new(void);
struct trc_perfetto_block *trc_perfetto_block_ref(struct trc_perfetto_block *b);
/* B may be NULL. */
void trc_perfetto_block_unref(struct trc_perfetto_block *b);
/* Read into B the block at OFFSET of F, which ends at END: the end of the file, or of a block that is known.
 * False at the end of the file, or if F->problem says why. */
bool trc_perfetto_block_read(struct trc_perfetto_block *b, struct trc_perfetto_file *f, uint64_t offset,
	uint64_t end);

/* ---- machines ---- */

#define TRC_PERFETTO_MACHINES_MOST 16 /* most machines of a file; each is read as a recording of its own */

/* Return the machines of the file PATH (of uint32_t, sorted; the host is 0); the caller unrefs. If there are
 * too many, only the first one. Empty if there are fewer than two, or if the file cannot be read. */
GArray *trc_perfetto_machines_in(const char *path);
/* See trc_input_ops.parts. */
void trc_perfetto_machines_parts(const char *path, GPtrArray *parts);

/* ---- events of a bundle in the order of time ---- */

/* An FtraceEventBundle before its events are decoded. */
struct trc_perfetto_bundle {
	uint32_t cpu;
	bool describes;  /* it has descriptions of events */
	bool lost;       /* events were lost before it */
	bool has_before; /* it refers to the previous bundle of its CPU: … */
	/* … BEFORE is the time of the last event of that, by the clock of the events; 0: none */
	uint64_t before;
	/* BEFORE of older versions of Perfetto, which only the first bundle has; 0: unknown */
	uint64_t last_read;
	unsigned errors; /* pages of the ring that traced could not parse */
	/* ns to add, modulo 2^64, to the times of its events, which are by another clock */
	uint64_t ahead;
	struct trc_wire events;  /* all of the bundle */
	struct trc_wire compact; /* CompactSched; no bytes: none */
};

/* False if BODY has no CPU. */
bool trc_perfetto_bundle_read(struct trc_perfetto_bundle *b, struct trc_wire body);

struct trc_perfetto_event {
	uint64_t time;        /* ns, BOOTTIME */
	unsigned number;      /* number of its class; also set if it is COMPACT: SWITCH or WAKING */
	int64_t tid;          /* TID of the thread on the CPU; -1: unknown */
	int64_t flags;        /* common_flags; -1: unknown */
	const uint8_t *place; /* weak: where it begins */
	bool compact;
	struct trc_wire payload; /* its fields; no bytes if COMPACT, then the members below are set */
	int64_t state, thread, priority, target;
	struct trc_wire comm;
};

/* A walk through the switches, or the wakings, of CompactSched. */
struct trc_perfetto_run {
	struct base_varints time, state, thread, priority, target, comm, flags;
	bool has_flags, has; /* HAS: AT is the next event */
	struct trc_perfetto_event at;
};

struct trc_perfetto_walk {
	const struct trc_perfetto_bundle *bundle; /* weak */
	struct trc_wire events;
	struct trc_perfetto_event event; /* the next event with a message … */
	bool has;                        /* … if there is one */
	struct trc_perfetto_run switches, wakings;
	GArray *names; /* of struct trc_wire, owned: intern_table */
	bool damaged;
};

void trc_perfetto_walk_init(struct trc_perfetto_walk *w);
void trc_perfetto_walk_clear(struct trc_perfetto_walk *w);
/* Begin to walk over the events of B, whose bytes must outlive the walk. */
void trc_perfetto_walk_begin(struct trc_perfetto_walk *w, const struct trc_perfetto_bundle *b);
/* Get the next event. False at the end, or if the rest is damaged (W->damaged). */
bool trc_perfetto_walk_next(struct trc_perfetto_walk *w, struct trc_perfetto_event *e);

/* ---- facts besides the events ---- */

/* A thread, as traced found it in /proc. */
struct trc_perfetto_thread {
	uint64_t time;          /* ns, BOOTTIME; 0: unknown */
	int64_t tid, pid, ppid; /* -1: unknown */
	char *name;             /* owned, hostile; NULL: unknown */
};

/* Readings of the time of day. NS becomes final (trc_perfetto_zero_is_settled()) at the same block, however
 * much of the file is read. */
struct trc_perfetto_zero {
	unsigned n;     /* number of readings that count so far … */
	int64_t ns;     /* … and the least of them: ns from the Epoch to the zero of BOOTTIME */
	int64_t latest; /* the latest of all readings */
	unsigned steps; /* how often the time of day was set (it jumped) … */
	int64_t step;   /* … and the largest of these jumps, ns */
};

struct trc_perfetto_facts {
	struct trc_budget *budget; /* weak */
	/* the facts are of one of several machines; the configuration is for all of them */
	bool is_part;
	struct trc_perfetto_zero zero;
	GArray *threads;     /* of struct trc_perfetto_thread, owned */
	GPtrArray *asked;    /* of char *, owned: patterns of events in the configuration … */
	GPtrArray *failed;   /* … and those that were not switched on */
	bool some_calls;     /* the configuration names only some system calls */
	bool some_threads;   /* … only some threads */
	uint32_t full;       /* 1 << number of each buffer of traced that was full and discarded packets */
	GHashTable *writers; /* owned: sequence → 1 + the number of its buffer */
	GHashTable *rings;   /* owned: CPU → struct trc_perfetto_ring *, owned */
	char *release, *machine, *version; /* owned, hostile; NULL: unknown */
	uint32_t cpus;                     /* number of CPUs of the machine; 0: unknown */
	char *mask; /* owned: the CPUs to record, a hexadecimal mask, hostile; NULL: all */
	bool rt;    /* the kernel is PREEMPT_RT */
};

/* Buffers of traced that are distinguished. */
#define TRC_PERFETTO_BUFFERS_MOST 32

/* The kernel's counts for the ring buffer of a CPU. */
struct trc_perfetto_ring {
	bool has_start; /* the members …_START are known: the counts when the recording began */
	/* Events that were overwritten. */
	uint64_t overrun_start, overrun;
	/* Events that a full ring refused. */
	uint64_t dropped_start, dropped;
};

void trc_perfetto_facts_init(struct trc_perfetto_facts *f, struct trc_budget *budget);
void trc_perfetto_facts_clear(struct trc_perfetto_facts *f);
/* Take the facts in P, a packet of the host in block number BLOCK. */
void trc_perfetto_facts_take(struct trc_perfetto_facts *f, const struct trc_perfetto_packet *p, guint block);
/* True if no packet in block number BLOCK or later changes Z->ns. */
bool trc_perfetto_zero_is_settled(const struct trc_perfetto_zero *z, guint block);
/* True if the buffer of SEQUENCE was full; if its buffer is unknown, true if any buffer was full. */
bool trc_perfetto_facts_full(const struct trc_perfetto_facts *f, uint32_t sequence);
/* True if CPU was to be recorded. */
bool trc_perfetto_facts_has(const struct trc_perfetto_facts *f, uint32_t cpu);
/* Return the number of lost events of CPU, and set *REFUSED to the number of these that a full ring
 * refused. */
uint64_t trc_perfetto_facts_lost(const struct trc_perfetto_facts *f, uint32_t cpu, uint64_t *refused);

/* ---- the survey ---- */

/* N consecutive blocks, from number FIRST on. */
struct trc_perfetto_blocks {
	uint32_t first, n;
};

/* The events that one sequence of packets has of one CPU, or of programs. Usually one sequence has the events
 * of all CPUs. */
struct trc_perfetto_stream {
	char *name;    /* owned: "cpu0"; "cpu0.7" if another sequence has events of CPU 0, too; "program7" */
	bool is_marks; /* it has events of programs (track events), not of a CPU */
	uint32_t acts; /* 1 << enum trc_perfetto_act of each kind of track events */
	uint32_t cpu, sequence, machine;
	uint64_t first, last; /* ns, BOOTTIME, of its events; FIRST is UINT64_MAX if it has none */
	GArray *blocks;       /* of struct trc_perfetto_blocks, owned: the blocks that have its bundles */
	uint64_t bytes;       /* of its bundles */
	uint64_t refused;     /* events that a full ring dropped, at unknown places */
	bool full;            /* its last packets were discarded because a buffer of traced was full */
	uint64_t typed[TRC_PERFETTO_TYPED / 64]; /* set of the numbers of its events … */
	GHashTable *others; /* … and of the classes of events with higher numbers, owned; NULL: none */
};

/* Packets of SEQUENCE (0: any) were dropped before the one at OFFSET. */
struct trc_perfetto_drop {
	uint64_t offset;
	uint32_t sequence;
};

struct trc_perfetto_clocks;
struct trc_perfetto_survey {
	struct trc_perfetto_file *file;       /* owned */
	struct trc_perfetto_classes *classes; /* owned */
	struct trc_perfetto_clocks *clocks;   /* owned */
	GArray *offsets;     /* of uint64_t, owned: where each block begins, and the end of the last one */
	GPtrArray *streams;  /* of struct trc_perfetto_stream *, owned, by CPU */
	GPtrArray *programs; /* of struct trc_perfetto_stream *, owned, by sequence: streams of programs */
	GArray *drops;       /* of struct trc_perfetto_drop, owned, by place */
	struct trc_perfetto_facts facts;
	uint64_t first, last; /* ns, BOOTTIME, of all events of the kernel */
	bool cut;             /* the rest of the file cannot be read */
	uint64_t skipped;     /* packets that were left out */
	uint64_t damaged;     /* bundles whose rest was left out */
	uint64_t errors;      /* pages of rings that traced could not parse */
	GArray *absent;       /* of uint32_t, owned: CPUs that were not recorded */
	unsigned machines;    /* other machines with events */
	unsigned sequences;   /* sequences with events of a CPU of which another sequence has events, too */
	/* Counts of track events, by the reader: */
	uint64_t lost; /* left out because the state on which they depend was lost */
	uint64_t late; /* written after later events of their sequence, so they got the time of those */
	/* left out because they are before the first event of the kernel or after the last */
	uint64_t outside;
};

/* True if S has events of the kernel. */
static inline bool trc_perfetto_survey_has_kernel(const struct trc_perfetto_survey *s)
{
	return s->first != UINT64_MAX;
}

/* Take over F and survey the whole file. NULL with BASE_ERROR_IO, BASE_ERROR_REFUSED, or BASE_ERROR_DATA if
 * it has no events. */
struct trc_perfetto_survey *trc_perfetto_survey_new(struct trc_perfetto_file *f, GError **error);
/* S may be NULL. */
void trc_perfetto_survey_free(void *s);
/* Convert TIME, ns of BOOTTIME, to ns since the Epoch. */
static inline int64_t trc_perfetto_time(const struct trc_perfetto_zero *z, uint64_t time)
{
	return base_time_shift((int64_t)MIN(time, BASE_TIME_FARTHEST), z->ns);
}

#endif
