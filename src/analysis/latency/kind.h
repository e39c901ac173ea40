/* SPDX-License-Identifier: MIT */
/*
 * A kind of latency: where cases come from and how one is explained.  A new
 * kind is one file with such a struct and one line in the registry of
 * analysis/latency/latency.c.  Cases are found once, of the whole experiment, and kept (query/cases/kept.h);
 * of those that are of threads and that their history tells (query/cases/cases.h), where they are.
 */
#ifndef ANA_LATENCY_KIND_H
#define ANA_LATENCY_KIND_H

#include "analysis/latency/latency.h"
#include "query/cases/spans.h"

struct ana_latency_kind {
	const char *name;
	const char *needs[2]; /* events without which there are no cases, as ana_advice has them; NULL: none
				 but switches */
	bool of_lines;        /* a case is of no thread: of an interrupt, a CPU, a host */
	bool of_device;       /* as in struct ana_latency */
	/* Finds all cases of a thread; NULL: */
	qry_cases_walk *walk;
	/* Find all cases of HOST; NULL: they are the spans of */
	bool (*collect_host)(struct qry_kept *cases, uint32_t host, struct base_progress *progress,
		GError **error);
	enum mdl_span_kind span;
	/* Of what the account of a case is, where that is not of its thread. */
	enum ana_account_what account;
	/* Fill cpu and cause of one of the worst cases.  NULL: the cause is the account in words. */
	void (*explain)(struct qry *q, struct ana_latency_case *c);
	/* The key of a case, which the caller frees, NULL when it is not known, as that of one whose end is
	 * MDL_NEVER may be.  NULL: the kind has none. */
	char *(*key)(struct qry *q, const struct ana_latency_case *c);
	/* The same of the system call, and of the device, that a case has to do with. */
	char *(*call)(struct qry *q, const struct ana_latency_case *c);
	char *(*device)(struct qry *q, const struct ana_latency_case *c);
	/* What a disk did that a case waited for. */
	char *(*disk)(struct qry *q, const struct ana_latency_case *c);
};

/* Have all cases of KIND open; they are found first where they are not kept.  False with an error, as
 * ana_latency_new(). */
bool ana_cases_open(struct qry *q, const struct ana_latency_kind *kind, struct qry_spans *spans,
	struct base_progress *progress, GError **error);

/* The same of the kind, or of the rule of RULES (not NULL), that is called NAME. */
bool ana_latency_open(struct qry *q, const struct ana_rules *rules, const char *name, struct qry_spans *spans,
	struct base_progress *progress, GError **error);

/* Was PROGRESS (may be NULL) cancelled?  Then with BASE_ERROR_CANCELLED. */
bool ana_cases_stopped(struct base_progress *progress, GError **error);

extern const struct ana_latency_kind ana_latency_wakeup;
extern const struct ana_latency_kind ana_latency_wait_cpu, ana_latency_preempted, ana_latency_off_cpu,
	ana_latency_blocked, ana_latency_fork;
extern const struct ana_latency_kind ana_latency_syscall, ana_latency_futex, ana_latency_irq,
	ana_latency_softirq, ana_latency_raise, ana_latency_timer, ana_latency_queue, ana_latency_work,
	ana_latency_block, ana_latency_block_queue, ana_latency_block_device, ana_latency_return;
extern const struct ana_latency_kind ana_latency_network;

/* The call in which the thread of C was as that began, "no system call"; NULL: not known.  The caller frees.
 */
char *ana_latency_call_of(struct qry *q, const struct ana_latency_case *c);
/* What ended the wait that C begins with, or with whose end; false: not known. */
bool ana_latency_source_of(struct qry *q, const struct ana_latency_case *c, struct ana_source *source);
/* The disk, interface or interrupt line in that; NULL: none, or not known.  The caller frees. */
char *ana_latency_device_of(struct qry *q, const struct ana_latency_case *c);

/* What a disk did that the wait was for that C begins with: "write of vdb", "write of vdb by jbd2/vdb-8"
 * where that is who waited for the disk; NULL: none, or not known.  The caller frees. */
char *ana_latency_disk_of(struct qry *q, const struct ana_latency_case *c);

/* The explanation of a wait for a CPU: who ran there instead. */
void ana_latency_explain_cpu(struct qry *q, struct ana_latency_case *c);
/* The explanation of what a thread did: its states meanwhile, most time first. */
void ana_latency_explain_thread(struct qry *q, struct ana_latency_case *c);

#endif
