/* SPDX-License-Identifier: MIT */
/*
 * Experiments made by hand, for what no recorded trace shows: written through
 * the index writer and opened by query, so that everything above is the real
 * thing.  Times are small numbers of ns; the trace is [0, END).
 */
#ifndef ANA_SYNTH_H
#define ANA_SYNTH_H

#include "analysis/path/path.h"

struct ana_synth;

/* Life: new, rows and their events in order of time, open (once), free.  CPU 0 exists, idle all the time,
 * as row 0. */
struct ana_synth *ana_synth_new(int64_t end);
/* Like ana_synth_new(), with a host called NAME (weak) instead of "host". */
struct ana_synth *ana_synth_named(const char *name, int64_t end);
/* Another host, called NAME, opened and freed with FIRST; its rows come after those of the hosts before
 * it. */
struct ana_synth *ana_synth_beside(struct ana_synth *first, const char *name);
void ana_synth_free(struct ana_synth *s);

/* A thread with TID, called "tTID", that lives from FIRST to the end.  PARENT: row of its creator, if it
 * is born at FIRST; MDL_NONE: it existed before. */
uint32_t ana_synth_thread(struct ana_synth *s, int64_t tid, int64_t first, uint32_t parent);
/* Thread ROW gets NAME. */
void ana_synth_rename(struct ana_synth *s, uint32_t row, const char *name);
/* ROW is in STATE until TO, from the end of its previous state on. */
void ana_synth_state(struct ana_synth *s, uint32_t row, int64_t to, enum mdl_state state);
/* Another CPU, without states yet: CPU 1, 2, …  Returns its row. */
uint32_t ana_synth_cpu(struct ana_synth *s);
/* CPU row CPU is in STATE until TO: with thread row THREAD on it, in context CONTEXT
 * (ana_synth_context_id()) if interrupted. */
void ana_synth_on_cpu(struct ana_synth *s, uint32_t cpu, int64_t to, enum mdl_state state, uint32_t thread,
	uint32_t context);
/* Thread ROW has PRIORITY from TIME on; calls for all threads are in order of time. */
void ana_synth_priority(struct ana_synth *s, uint32_t row, int64_t time, int16_t priority);
/* ROW was woken at TIME by WAKER through VIA; call ana_synth_context() for its contexts first. */
void ana_synth_wakeup(struct ana_synth *s, uint32_t row, int64_t time, uint32_t waker, enum mdl_via via);
/* The next wake-up has this context inside the previous ones. */
void ana_synth_context(struct ana_synth *s, enum mdl_ctx_type type, int64_t nr, const char *name);

/* The id of a context of this kind, for acts. */
uint32_t ana_synth_context_id(struct ana_synth *s, enum mdl_ctx_type type, int64_t nr, const char *name);
/* An act of THREAD at TIME on CPU 0, in no context. */
struct mdl_act ana_synth_act(uint32_t thread, int64_t time);
/* A packet was sent or received. */
void ana_synth_transfer(struct ana_synth *s, const struct mdl_transfer *transfer);

/* The next wake-up ends a wait that began at SINCE, not 0. */
void ana_synth_since(struct ana_synth *s, int64_t since);
/* The thread of the next wake-up is switched in at AT. */
void ana_synth_ran(struct ana_synth *s, int64_t at);
/* The next wake-up has this cause. */
void ana_synth_cause(struct ana_synth *s, const struct mdl_cause *cause);

/* EVENT (static), named as in info, was not recorded. */
void ana_synth_missing(struct ana_synth *s, const char *event);
/* Writes and opens the experiment, with the hosts beside it.  Owned by S. */
struct qry *ana_synth_open(struct ana_synth *s);
/* The row of the experiment for ROW of host S; after opening. */
uint32_t ana_synth_row(const struct ana_synth *s, uint32_t row);

#endif
