/* SPDX-License-Identifier: MIT */
/* The inside of the pane of requests.  Only its files include it. */
#ifndef REQUESTS_H
#define REQUESTS_H

#include "analysis/request/request.h"
#include "ui/core/ui_shell.h"
#include "ui/widget/ask_worker.h"
#include "ui/widget/compare_set.h"
#include "ui/widget/list_view.h"

/* True if SCOPE does not depend on the selected row. */
static inline bool requests_are_everybodys(enum ana_request_scope scope)
{
	return scope == ANA_REQUEST_ALL || scope == ANA_REQUEST_INSIDE;
}

/* Orders of the list.  NET, WAITING and CPU need the sum of each request's path first. */
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
	/* Computes the sums of paths, a few lines at a time; owned. */
	struct ask_worker *sums;
	unsigned batch;   /* the first line of the present question to it */
	unsigned summed;  /* number of lines with sums */
	bool all;         /* compute sums also for lines out of view, for the order */
	int64_t drawn_at; /* g_get_monotonic_time() at the last draw of sums, µs */
	struct list_view view;
	struct ana_exchange opened;   /* passed to the shell */
	GArray *marks;                /* of requests to compare with the rest; owned, NULL: none */
	char *kept_marks;             /* the marks as a text, for a view that is kept; owned */
	struct compare_set *compared; /* passed to the shell; owns a reference, NULL */
	bool leads; /* a request was just opened: the changes that follow are not a new question */
};

static inline struct requests_line *requests_line(const struct requests *r, unsigned i)
{
	return &g_array_index(r->lines, struct requests_line, i);
}

/* ---- requests_draw.c ---- */

extern const char *const requests_order_names[REQUESTS_ORDER_N];
/* The scope of the list: "all hosts", "both ends recorded".  The caller frees. */
char *requests_draw_whose(const struct requests *r);
/* The hook "title". */
void requests_draw_title(struct ui_pane *pane, GString *title);
void requests_draw(struct requests *r, const struct term_area *area);

#endif
