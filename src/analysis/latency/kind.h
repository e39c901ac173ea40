/* SPDX-License-Identifier: MIT */
/*
 * A kind of latency: where its cases come from and how a case is explained.  A new kind is this struct, in a
 * file of its own or, if model and index keep its cases as spans, in spans.c, and one line in the registry of
 * latency.c.
 *
 * Cases are found once for the whole experiment and stored (query/cases/kept.h).  If the history of a thread
 * shows them, only their places are stored (query/cases/cases.h).
 */
#ifndef ANA_LATENCY_KIND_H
#define ANA_LATENCY_KIND_H

#include "analysis/latency/latency.h"
#include "query/cases/spans.h"

/* The knowledge of threads that a kind needs. */
enum ana_latency_from {
	/* which thread ran when: only switches show it */
	ANA_LATENCY_FROM_SWITCHES,
	/* the thread of each event: switches show it, or the tracer records it with each event */
	ANA_LATENCY_FROM_THREADS,
	ANA_LATENCY_FROM_EVENTS, /* nothing: its events identify begin and end */
};

struct ana_latency_kind {
	const char *name;
	enum ana_latency_from from;
	/* Events without which there are no cases; the first without ANY and EVENT ends the list. */
	struct ana_latency_need {
		uint64_t any;      /* 1 << enum mdl_group: one of these must be recorded; 0: EVENT must be */
		const char *event; /* its name, as in ana_advice */
		const char *told;  /* name of what is missing, for messages; NULL: EVENT */
	} needs[3];
	bool of_lines;  /* a case belongs to no thread, but to an interrupt, a CPU or a host */
	bool of_device; /* as in struct ana_latency */
	bool has_texts; /* the key of a span identifies a text, for the case */
	/* Finds all cases of a thread.  NULL: see COLLECT_HOST. */
	qry_cases_walk *walk;
	/* Finds all cases of HOST.  NULL: the cases are the stored spans of kind SPAN. */
	bool (*collect_host)(struct qry_kept *cases, uint32_t host, struct base_progress *progress,
		GError **error);
	enum mdl_span_kind span;
	/* For COLLECT_HOST: true if a span can be a case, with the experiment as data (idx_spans_holds). */
	idx_spans_holds *holds;
	/* The kind of account of a case, if it is not its thread's. */
	enum ana_account_what account;
	/* Sets cpu and cause of one of the worst cases.  NULL: the cause is the account as text. */
	void (*explain)(struct qry *q, struct ana_latency_case *c);
	/* The key of a case; the caller frees; NULL if unknown, as it may be if the end is MDL_NEVER.  NULL:
	 * the kind has no key. */
	char *(*key)(struct qry *q, const struct ana_latency_case *c);
	/* Like KEY: the system call of a case, and the device. */
	char *(*call)(struct qry *q, const struct ana_latency_case *c);
	char *(*device)(struct qry *q, const struct ana_latency_case *c);
	/* Like KEY: the operation of the disk that a case waited for. */
	char *(*disk)(struct qry *q, const struct ana_latency_case *c);
};

/* The need of a kind that a wake-up begins or ends. */
#define ANA_LATENCY_WAKES                                                                               \
	{                                                                                               \
		UINT64_C(1) << MDL_GROUP_WAKING | UINT64_C(1) << MDL_GROUP_WAKEUP, "sched_waking", NULL \
	}

/* Open all cases of the rule called NAME in RULES, or of the kind called NAME if RULES is NULL; finds them
 * first if they are not stored.  False with an error, see ana_latency_new(). */
bool ana_latency_open(struct qry *q, const struct ana_rules *rules, const char *name, struct qry_spans *spans,
	struct base_progress *progress, GError **error);

/* True, with BASE_ERROR_CANCELLED, if PROGRESS (may be NULL) was cancelled. */
bool ana_cases_stopped(struct base_progress *progress, GError **error);

extern const struct ana_latency_kind ana_latency_wakeup;
extern const struct ana_latency_kind ana_latency_wait_cpu, ana_latency_preempted, ana_latency_off_cpu,
	ana_latency_blocked, ana_latency_fork;
extern const struct ana_latency_kind ana_latency_syscall, ana_latency_futex, ana_latency_irq,
	ana_latency_softirq, ana_latency_raise, ana_latency_timer, ana_latency_queue, ana_latency_work,
	ana_latency_block, ana_latency_block_queue, ana_latency_block_device, ana_latency_return;
extern const struct ana_latency_kind ana_latency_network;

/* The system call that the thread of C was in when C began, or "no system call"; NULL unknown.  The caller
 * frees. */
char *ana_latency_call_of(struct qry *q, const struct ana_latency_case *c);
/* Find what ended the wait with which C begins or ends.  False if unknown. */
bool ana_latency_source_of(struct qry *q, const struct ana_latency_case *c, struct ana_source *source);
/* The disk, interface or IRQ of ana_latency_source_of(); NULL: none, or unknown.  The caller frees. */
char *ana_latency_device_of(struct qry *q, const struct ana_latency_case *c);

/* The operation of the disk that the wait at the begin of C was for: "write of vdb"; "write of vdb by
 * jbd2/vdb-8" if jbd2/vdb-8 waited for the disk.  NULL: none, or unknown.  The caller frees. */
char *ana_latency_disk_of(struct qry *q, const struct ana_latency_case *c);

/* Explain what a thread did: its states meanwhile, most time first. */
void ana_latency_explain_thread(struct qry *q, struct ana_latency_case *c);
/* The holders of the futex for which the thread of C waited (futex.c): "wk-fighter0[471] held it 8.21 ms and
 * 1 other: futex 0x4bf360 (inferred)"; NULL unknown.  The caller frees. */
char *ana_latency_holders(struct qry *q, const struct ana_latency_case *c);

/* ---- rules: each event that a rule names is read from the trace, in order of time, and the cases are stored
 * (query/cases/kept.h) ---- */

/* Open the cases of RULES; finds those that are not stored yet.  ONLY (unless NULL) restricts that to one of
 * the rules; then SPANS are its cases.  If no trace has a rule's events or fields, idx_spans_note() says so.
 * Errors: those of qry_kept_open() and qry_events_new(). */
bool ana_rules_open(struct qry *q, const struct ana_rules *rules, const struct ana_rule *only,
	struct qry_spans *spans, struct base_progress *progress, GError **error);

/* Open all cases of BUILT_IN and of the spans of DECLARED (NULL: none), together
 * (analysis/latency/program.h). */
bool ana_rules_open_program(struct qry *q, const struct ana_rules *built_in, const struct ana_rules *declared,
	struct qry_spans *spans, struct base_progress *progress, GError **error);

/* True if the cases of RULE, one of RULES, are stored. */
bool ana_rules_at_hand(struct qry *q, const struct ana_rules *rules, const struct ana_rule *rule);

/* Make a kind of KIND, "span:NAME".  Opening it finds out if NAME exists. */
struct ana_latency_kind ana_program_kind(const char *kind);

/* Make a kind of RULE, with the rule's name. */
struct ana_latency_kind ana_rules_kind(const struct ana_rule *rule);

#endif
