/* SPDX-License-Identifier: MIT */
/* The list of causes under construction.  Private to analysis/causes. */
#ifndef ANA_CAUSES_PARTS_H
#define ANA_CAUSES_PARTS_H

#include "analysis/causes/causes.h"
#include "analysis/cpu/cpuwait.h"

/* An entry, and its part in the current wait. */
struct ana_causes_sum {
	struct ana_causes_entry entry; /* must be the first member */
	bool touched;                  /* the entry has a part in the current wait: NS, DOUBTS */
	int64_t ns;
	mdl_doubts doubts; /* about that part */
};

/* The sums, and the current wait. */
struct ana_causes_table {
	struct qry *q; /* weak */
	enum ana_causes_by by;
	GHashTable *by_key; /* "kind/host/set/name", owned → struct ana_causes_sum *, owned */
	struct ana_causes_sum **by_thread[ANA_KIND_N]; /* by row: its entry in BY_KEY, weak; NULL: none */
	GArray *waits;      /* of int64_t: each wait, ns; NULL unless values are kept */
	GPtrArray *touched; /* of struct ana_causes_sum, weak: those with a part in the current wait */
	bool mixed; /* waits do not come row by row; of equally long ones, that of the first row wins */
};

/* ---- analysis/causes/table.c ---- */

/* Initialise T without entries; clear frees them. */
void ana_causes_table_init(struct ana_causes_table *t, struct qry *q, enum ana_causes_by by);
void ana_causes_table_clear(struct ana_causes_table *t);
/* Return the entry of an actor, which may be new: of THREAD; of THREAD while it runs GUEST, a thread of a
 * guest; of anything else, called TAKE_NAME (taken) on HOST, with the row ROW of its IRQ or softirq
 * (MDL_NONE: none). T owns it. */
struct ana_causes_sum *ana_causes_of_thread(struct ana_causes_table *t, enum ana_kind kind, uint32_t thread);
struct ana_causes_sum *ana_causes_of_guest(struct ana_causes_table *t, enum ana_kind kind, uint32_t thread,
	uint32_t guest);
struct ana_causes_sum *ana_causes_of_thing(struct ana_causes_table *t, enum ana_kind kind, uint32_t host,
	uint32_t row, char *take_name);
/* Count NS of the current wait for SUM. */
void ana_causes_add(struct ana_causes_table *t, struct ana_causes_sum *sum, int64_t ns, mdl_doubts doubts);
/* End the current wait, of thread ROW, at END.  Waits of a row must come in order. */
void ana_causes_end_wait(struct ana_causes_table *t, uint32_t row, int64_t end);

/* See ana_causes_measured() (analysis/causes/measured.c). */
struct ana_latency *ana_causes_table_measured(struct ana_causes_table *t);

/* ---- causes stored beside the index (analysis/causes/keep.c) ---- */

struct ana_causes_keep {
	char *name, *key; /* owned; NULL: not stored */
};
/* Set KEEP, of zeros, to the name of the answer to ASKED. */
void ana_causes_keep_name(struct ana_causes_keep *keep, struct qry *q, const struct ana_causes_asked *asked);
void ana_causes_keep_clear(struct ana_causes_keep *keep);
/* Fill T, which is empty, with the stored entries; false: none are stored. */
bool ana_causes_keep_read(const struct ana_causes_keep *keep, struct ana_causes_table *t);
/* Store ENTRIES (of struct ana_causes_entry) beside the index, under the name of KEEP. */
void ana_causes_keep_write(const struct ana_causes_keep *keep, struct qry *q, const GArray *entries);

/* ---- analysis/causes/awake.c ---- */

struct ana_causes_awake;
struct ana_causes_awake *ana_causes_awake_new(struct qry *q);
void ana_causes_awake_free(struct ana_causes_awake *a);
/* Prepare for questions about times in [FROM, TO). */
void ana_causes_awake_stretch(struct ana_causes_awake *a, int64_t from, int64_t to);
/* The N states of ROW that touch the stretch, not clipped, by time.  Owned by A; valid until the next
 * call. */
const struct mdl_interval *ana_causes_states(struct ana_causes_awake *a, uint32_t row, guint *n);
/* True if thread ROW was never blocked, gone or unknown in [FROM, TO). */
bool ana_causes_is_awake(struct ana_causes_awake *a, uint32_t row, int64_t from, int64_t to);

/* ---- owners of CPUs (analysis/causes/holder.c, analysis/causes/line.c) ---- */

/* An owner of a CPU. */
struct ana_causes_holder {
	struct ana_blame_part part;
	mdl_doubts doubts;              /* the doubts that the causes show */
	uint32_t group;                 /* the first holder that shares its sums; itself if alone */
	struct ana_causes_sum *sums[2]; /* sums of its time, by kind; weak; NULL: not made yet */
	/* For the first of a group: the sums of the group, its number of members, and how many have their
	 * sum. */
	struct ana_causes_sum *all[2];
	uint32_t members, told[2];
};

struct ana_causes_span {
	int64_t from, to;
};

/* Holders of GROUP have the CPU from FROM on. */
struct ana_causes_turn {
	int64_t from;
	uint32_t group;
	guint first; /* its first mark */
};

/* By kind: the part of a turn in which all marks have their sums. */
struct ana_causes_told {
	struct ana_causes_span by[2];
};

/* The holder of an interval; valid as long as ana_chain_hidden() is HIDDEN. */
struct ana_causes_memo {
	uint32_t holder; /* number of the holder plus 1; 0: not looked up */
	mdl_doubts hidden;
};

/* A CPU from the begin of the stretch to TO. */
struct ana_causes_line {
	uint32_t host, cpu, row; /* MDL_NONE: unknown */
	int64_t to;
	GArray *marks;              /* of struct mark */
	GArray *turns;              /* of struct ana_causes_turn */
	GArray *told;               /* of struct ana_causes_told, by turn */
	struct mdl_interval before; /* its last state */
	GArray *idle;               /* of struct ana_causes_span: idle times */
	guint at;                   /* the turn found last */
	GArray *buckets;            /* of guint: the turn in which each bucket begins */
	GArray *blocks, *shares;    /* of struct block, struct share: sums of turns */
	struct ana_causes_memo nobody[MDL_IDLE_N];
	GArray *contexts; /* of struct ana_causes_memo, by context */
};

struct ana_causes_cpus {
	struct ana_causes_table *t; /* weak */
	int64_t from, to;           /* the stretch */
	int64_t limit;              /* how far lines may go beyond it */
	unsigned width;             /* of a bucket of a line: 2^WIDTH ns, the first begins with the stretch */
	uint64_t looked;            /* number of look-ups of owners of a CPU */
	GArray *holders;            /* of struct ana_causes_holder */
	GHashTable *by_key;         /* int64_t[3], owned → number in HOLDERS */
	GHashTable *groups; /* "host/grade/name" of threads, owned → number of the first in HOLDERS */
	/* Of struct ana_causes_line, owned, by row of the CPU, last that of an unknown CPU; NULL: not needed
	 * yet. */
	GPtrArray *lines;
	GArray *threads; /* of struct ana_causes_memo, by row */
	GArray *states;  /* of struct mdl_interval: room to fill lines */
};

struct ana_causes_cpus *ana_causes_cpus_new(struct ana_causes_table *t);
void ana_causes_cpus_free(struct ana_causes_cpus *c);
/* Prepare for waits that begin in [*FROM, *END).  Moves *FROM to where something is recorded.  False if
 * nothing is recorded up to TO. */
bool ana_causes_cpus_stretch(struct ana_causes_cpus *c, int64_t *from, int64_t to, int64_t *end);
/* The line of CPU of HOST, up to TO or the limit; owned by C. */
struct ana_causes_line *ana_causes_line(struct ana_causes_cpus *c, uint32_t host, uint32_t cpu, int64_t to);
/* Count a wait of KIND in [FROM, TO) for the owners of the CPU of LINE, as far as LINE goes; returns how
 * far. */
int64_t ana_causes_turns(struct ana_causes_cpus *c, struct ana_causes_line *line, enum ana_kind kind,
	int64_t from, int64_t to, mdl_doubts doubts);
static inline struct ana_causes_holder *ana_causes_nth_holder(const struct ana_causes_cpus *c, uint32_t i)
{
	return &g_array_index(c->holders, struct ana_causes_holder, i);
}

static inline bool ana_causes_is_thread(const struct ana_blame_part *part)
{
	return part->what == ANA_BLAME_THREAD && part->row != MDL_NONE;
}

/* Three functions: initialise the holders; return the number of the holder of PART, which may be new; return
 * the sum for the time of HOLDER in waits of KIND. */
void ana_causes_holders_init(struct ana_causes_cpus *c);
uint32_t ana_causes_holder_of(struct ana_causes_cpus *c, const struct ana_blame_part *part);
struct ana_causes_sum *ana_causes_holder_sum(struct ana_causes_cpus *c, uint32_t holder, enum ana_kind kind);
/* Count the time of SPAN for its owner. */
void ana_causes_put_down(struct ana_causes_cpus *c, const struct ana_blame_part *span, enum ana_kind kind,
	mdl_doubts doubts);
/* True if the CPU of LINE idled at TIME. */
bool ana_causes_idle_at(const struct ana_causes_cpus *c, struct ana_causes_line *line, int64_t time);

/* ---- waits for a CPU (analysis/causes/cpu.c) ---- */

/* The states of a thread in order: all that touch the stretch. */
struct ana_causes_states {
	struct qry *q; /* weak */
	uint32_t row;
	struct ana_wait_near near; /* facts around all waits of the thread */
	const struct mdl_interval *all;
	guint n;
};

/* The number of the state after the wait for a CPU that state AT of S is in; AT + 1 if AT is no such wait. */
guint ana_causes_cpu_end(const struct ana_causes_states *s, guint at);
/* Count the part in [FROM, TO) of the wait for a CPU that begins with state AT of S, in the stretch or before
 * FROM.  Returns the number of the state after it. */
guint ana_causes_cpu_wait(struct ana_causes_cpus *c, const struct ana_causes_states *s, guint at,
	int64_t from, int64_t to);

/* True if state AT of S is a wait for a CPU. */
bool ana_causes_waits(const struct ana_causes_states *s, guint at);

/* True if a thread in IV is runnable and has no CPU. */
static inline bool ana_causes_is_queued(const struct mdl_interval *iv)
{
	return iv->state == MDL_ST_PREEMPTED || iv->state == MDL_ST_WAIT_CPU;
}

#endif
