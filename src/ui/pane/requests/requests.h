/* SPDX-License-Identifier: MIT */
/* The inside of the pane of requests, shared by its files; no other pane includes it. */
#ifndef REQUESTS_H
#define REQUESTS_H

#include "analysis/request/request.h"
#include "ui/core/ui_shell.h"
#include "ui/widget/asking.h"
#include "ui/widget/compare_set.h"
#include "ui/widget/list_view.h"

/* Whether SCOPE is the same whatever is selected. */
static inline bool requests_are_everybodys(enum ana_request_scope scope)
{
	return scope == ANA_REQUEST_ALL || scope == ANA_REQUEST_INSIDE;
}

/* What the list is sorted by; by those from NET on the path of each has to be summed up first. */
enum requests_order {
	REQUESTS_BY_LENGTH,
	REQUESTS_BY_SERVED,
	REQUESTS_BY_NET,
	REQUESTS_BY_WAITING,
	REQUESTS_BY_CPU,
	REQUESTS_BY_BEGIN,
	REQUESTS_BY_ASKER,
	REQUESTS_BY_SERVER,
	REQUESTS_ORDER_N
};

struct requests_line {
	struct ana_request r;
	bool summed;
};

struct requests {
	struct ui_pane pane;
	enum ana_request_scope scope;
	enum requests_order order;
	struct asking ask;
	struct ana_request_asked asked;
	GArray *lines; /* of struct requests_line, sorted; owned; NULL: no answer */
	/* Paths are summed up by a worker of their own, a few lines at a time; owned. */
	struct ask_worker *sums;
	unsigned batch;   /* the first line of those that are asked for */
	unsigned summed;  /* how many are */
	bool all;         /* those that are not in view too, for the sake of the order */
	int64_t drawn_at; /* g_get_monotonic_time() when sums were shown last */
	struct list_view view;
	struct ana_exchange opened;   /* handed to the shell */
	GArray *marks;                /* of those to be compared with the rest; owned, NULL none */
	char *kept_marks;             /* the same as a text, of a view; owned */
	struct compare_set *compared; /* handed to the shell; a reference, NULL */
	bool leads;                   /* it was just now: what comes of that is no new question */
};

static inline struct requests_line *requests_line(const struct requests *r, unsigned i)
{
	return &g_array_index(r->lines, struct requests_line, i);
}

/* ---- requests_sum.c ---- */

/* Sort as R->order says; where that needs what is not there yet, once it is. */
void requests_sort(struct requests *r);
/* Sum up what is in view, or needed, for a moment.  True: there is more to do. */
bool requests_sum_work(struct requests *r);
/* False: nothing but what is in view is looked at. */
bool requests_sum_stop(struct requests *r);

/* ---- requests_draw.c ---- */

extern const char *const requests_order_names[REQUESTS_ORDER_N];
/* "all hosts", "both ends recorded": whose requests the list has; the caller frees. */
char *requests_draw_whose(const struct requests *r);
/* Of the hook "title". */
void requests_draw_title(struct ui_pane *pane, GString *title);
void requests_draw(struct requests *r, const struct term_area *area);

#endif
