/* SPDX-License-Identifier: MIT */
/* Private to analysis/overview. */
#ifndef ANA_OVERVIEW_PARTS_H
#define ANA_OVERVIEW_PARTS_H

#include "analysis/causes/causes.h"
#include "analysis/overview/overview.h"

/* ---- lines.c ---- */

/* Free what LINE (struct ana_overview_line) owns. */
void ana_overview_line_clear(void *line);

/* Append PART of WHOLE: "17 %", below 1 % "0.4 %". */
void ana_overview_put_share(GString *text, int64_t part, int64_t whole);

/* True if NAME is that of a remote shell, which carries the session in which the user records. */
bool ana_overview_is_remote_shell(const char *name);

/* Kinds of causes; after them: the loss of the virtual CPU of a guest, while it was outside the guest. */
#define ANA_OVERVIEW_STOLEN ANA_KIND_N
#define ANA_OVERVIEW_KINDS (ANA_KIND_N + 1)

/* The time that a thread lost to a kind, and the two largest causes of that; their texts are weak, NULL:
 * none. */
struct ana_overview_kind {
	int64_t time;
	struct ana_causes_entry most, next;
};
/* The losses of thread ROW.  Times are ns. */
struct ana_overview_losses {
	struct qry *q; /* weak */
	uint32_t row;
	uint64_t alike;    /* threads with its name, including this one */
	int64_t life, ran; /* RAN: without the times that are losses, such as spinning for an IPI */
	struct ana_overview_kind kinds[ANA_OVERVIEW_KINDS];
	unsigned first, second; /* the two kinds that took most */
	int64_t lost;           /* the sum of KINDS */
	uint64_t count;         /* number of waits in it */
	/* ALL: LOST, and waits for the exit of children if those are left out; DIRECT: the part that counts
	 * even if the thread does not work; ENDS: such waits for children. */
	int64_t all, direct, ends;
};

/* ---- losses.c ---- */

/* ns from the begin of thread ROW to its exit. */
int64_t ana_overview_length(struct qry *q, uint32_t row);
/* ns that thread ROW waited on its CPU, as the user declared; states count it as running. */
int64_t ana_overview_spun(struct qry *q, uint32_t row);
/* True if time of thread ROW in the cause E was lost between pieces of its work. */
bool ana_overview_is_loss(struct qry *q, uint32_t row, const struct ana_causes_entry *e);
/* Fill L, all zero, with the losses of thread ROW by its CAUSES and STOLEN (of ana_overview_stolen(); NULL:
 * nothing), whose texts must stay.  ANY: all its waits count except own sleeps and unknown ones. */
void ana_overview_lose(struct ana_overview_losses *l, struct qry *q, uint32_t row, const GArray *causes,
	const GArray *stolen, bool any);

/* ---- sentence.c ---- */

/* The sentence about L: two rows of 78 columns, longer only if the largest cause alone needs that.  The
 * caller frees. */
char *ana_overview_sentence(const struct ana_overview_losses *l);
/* True if TEXT fits in these rows. */
bool ana_overview_fits(const char *text);
/* True if thread ROW is a real-time or deadline thread at the end of its life. */
bool ana_overview_is_real_time(struct qry *q, uint32_t row);
/* ns of the whole wait of thread ROW that contains the longest part of E, a cause of KIND. For late timers,
 * work for memory, and virtual CPUs outside the guest it is that part itself. */
int64_t ana_overview_whole(struct qry *q, uint32_t row, unsigned kind, const struct ana_causes_entry *e);

/* ---- stolen.c ---- */

/* True if a virtual CPU of a guest was taken away from a thread of LIFE. */
bool ana_overview_lost_cpu(const struct qry_cell *life);
/* The owners of the host's CPU while thread ROW of a guest had a virtual CPU that was outside the guest
 * (GArray of struct ana_causes_entry, most time first; a count is the number of times without the CPU).  The
 * caller unrefs.  NULL with BASE_ERROR_CANCELLED. */
GArray *ana_overview_stolen(struct qry *q, uint32_t row, struct base_progress *progress, GError **error);

/* ---- pairs.c ---- */

struct ana_request;
/* ns that R took, as in the list of requests: from the first packet of the request to the last of the
 * reply. */
int64_t ana_overview_took(const struct ana_request *r);

/* Find pairs of client and server, each with its requests (GArray of struct ana_request, shortest first): all
 * requests of Q whose begin and end are known, grouped by the names of both threads, except those of remote
 * shells and, with HIDE_TRACER, of the tracer (GPtrArray of GArray; the pair with the slowest request
 * first).  The caller unrefs.  NULL with BASE_ERROR_CANCELLED. */
GPtrArray *ana_overview_pairs(struct qry *q, bool hide_tracer, struct base_progress *progress,
	GError **error);

/* ---- answers.c ---- */

/*
 * Append the lines of ANA_OVERVIEW_ANSWER to LINES: at most TOP (5 at most), the largest loss first.  A loss
 * is time between pieces of work of the same thread: waits for a CPU, disks, locks, late timers, and, if the
 * thread works, for other threads.  Its own sleep, waits for the exit of a child and for the next request are
 * no losses.  Threads that share a name share an answer.  The first real-time thread always has one, and so
 * have the spans of ana_overview_marked().  Costs as much as the causes of the threads that can be among the
 * first, up to a limit.  False with BASE_ERROR_CANCELLED.
 */
bool ana_overview_answers(struct qry *q, unsigned top, bool hide_tracer, struct base_progress *progress,
	GArray *lines, GError **error);

/* ---- meet.c ---- */

/* A span. */
struct ana_overview_case {
	int64_t length, start; /* ns */
	uint32_t row;
};

/* Sum of all waits of one thread for another. */
struct ana_overview_wait {
	uint32_t waiter, target, count;
	int64_t time;     /* ns */
	int64_t from, to; /* the longest */
};

/* Threads that waited for each other. */
struct ana_overview_meeting {
	char *name;               /* of the spans in which they did; owned; NULL: found by causes */
	unsigned threads, rounds; /* of the spans */
	uint32_t last;            /* the thread that was waited for most */
	int64_t waited;           /* ns, by all others together; 0: there is no meeting */
	GArray *waits;            /* of struct ana_overview_wait for LAST, longest first; owned */
};
/* Add a wait of TIME, of which the longest is FROM to TO, to WAITS (of struct ana_overview_wait). */
void ana_overview_wait_add(GArray *waits, uint32_t waiter, uint32_t target, int64_t from, int64_t to,
	int64_t time);
/* Set *BEST to M if the others waited longer for one thread in WAITS (taken) than in *BEST; else clear M. */
void ana_overview_meeting_take(struct ana_overview_meeting *best, struct ana_overview_meeting *m,
	GArray *waits);
/* True if ALL (of struct ana_overview_case), called NAME, are a meeting: sets *BEST to it if more time was
 * lost in it. */
bool ana_overview_meets(const struct qry *q, const char *name, const GArray *all,
	struct ana_overview_meeting *best);
/* The sentence about M.  The caller frees. */
char *ana_overview_meeting_text(const struct qry *q, const struct ana_overview_meeting *m);
void ana_overview_meeting_clear(struct ana_overview_meeting *m);

/* ---- marked.c ---- */

/* The spans of one name. */
struct ana_overview_marked {
	char *name;       /* owned, clean; NULL: there are none worth an answer */
	char *who;        /* ana_group_name() of the thread of the worst span; owned */
	bool others;      /* threads of other names have some, too */
	uint64_t count;   /* at least 8 */
	int64_t p50, sum; /* ns */
	int64_t lost;     /* ns over P50, of the spans that took longer */
	uint32_t row;     /* of the worst span, which took more than 3 times P50 */
	int64_t from, to;
};
/*
 * Set *MEETING (_clear() frees) to the meeting in which most time was lost, if spans show one, and *MARKED
 * (_clear() frees) to the spans of the one other name in which most time was lost over the median; this also
 * leaves out spans of other names around or inside these.  In kernel traces of more than 2 million events
 * only declared spans are looked for.  Spans that cannot be read are a warning.  False with
 * BASE_ERROR_CANCELLED.
 */
bool ana_overview_marked(struct qry *q, struct ana_overview_marked *marked,
	struct ana_overview_meeting *meeting, struct base_progress *progress, GError **error);
void ana_overview_marked_clear(struct ana_overview_marked *marked);

/* ---- stored parts (keep.c) ---- */

struct ana_overview_keep {
	char *name, *key; /* owned */
};
/* The name and the key for storing PART with these options. */
struct ana_overview_keep ana_overview_keep(struct qry *q, const char *part, unsigned top, bool hide_tracer);
void ana_overview_keep_clear(struct ana_overview_keep *keep);
/* Append the stored lines to LINES, which is empty; false: none are stored. */
bool ana_overview_keep_read(const struct ana_overview_keep *keep, struct qry *q, GArray *lines);
/* Store LINES (of struct ana_overview_line) beside the index, under the name of KEEP. */
void ana_overview_keep_write(const struct ana_overview_keep *keep, struct qry *q, const GArray *lines);

#endif
