/* SPDX-License-Identifier: MIT */
/* The inside of the pane of latencies, shared by its files; no other pane includes it. */
#ifndef LATENCY_H
#define LATENCY_H

#include "analysis/ana_latency.h"
#include "ui/core/ui_shell.h"
#include "ui/widget/ask_worker.h"
#include "ui/widget/list_view.h"

/* Whose latencies. */
enum latency_scope { LATENCY_ALL, LATENCY_THREAD, LATENCY_SCOPE_N };

/* What is asked of the worker. */
struct latency_question {
	const char *kind; /* of ana_latency_kinds() */
	enum latency_scope scope;
	uint32_t row;     /* MDL_NONE: all threads */
	int64_t from, to; /* the selection, else the window */
	bool hide_tracer; /* of all threads, without the tracer's own */
};

struct latency {
	struct ui_pane pane;
	struct ask_worker *worker; /* owned; NULL until the experiment is there */
	enum latency_scope scope;
	unsigned kind;                 /* of ana_latency_kinds() */
	struct latency_question asked; /* what the list answers, or the worker is busy with */
	bool has_asked;
	struct ana_latency *list; /* owned; NULL: see problem */
	char *problem;            /* why there is none; owned, NULL while it is being made */
	struct list_view view;
	bool gone;   /* the selected case is on the screen: "next worst" goes to the one after it */
	int pending; /* 1, -1: "next worst", "previous worst" waits for the list; 0 neither */
	int64_t own_from, own_to; /* while the window is this one, made by going to a case, or */
	uint32_t own_row; /* the row the one that a wait opened here led to, the list stays what it is */
};

static inline const struct ana_latency_case *latency_case(const struct latency *l, unsigned i)
{
	return &g_array_index(l->list->worst, struct ana_latency_case, i);
}

/* ---- latency_draw.c ---- */

/* Is it the kind from a wake-up to running, for which there are words of its own? */
static inline bool latency_is_wakeup(const struct latency *l)
{
	return l->kind == 0;
}

/* "Worst latencies: all threads  1234 wake-ups". */
void latency_draw_title(const struct latency *l, GString *title);
/* Whose case C is: "wk-rt[547]", "IRQ 28 virtio2-req.0", "vdb write".  The caller frees. */
char *latency_label(const struct latency *l, const struct ana_latency_case *c);
/* Statistics, histogram and the list, which is scrolled so that the selected line is in view. */
void latency_draw(struct latency *l, const struct term_area *area);

#endif
