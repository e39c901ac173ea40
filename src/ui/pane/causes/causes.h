/* SPDX-License-Identifier: MIT */
/* The inside of the pane of causes, shared by its files; no other pane includes it. */
#ifndef CAUSES_H
#define CAUSES_H

#include "analysis/ana_causes.h"
#include "ui/core/ui_shell.h"
#include "ui/widget/asking.h"
#include "ui/widget/list_view.h"
#include "ui/widget/scope_title.h"

enum causes_order { CAUSES_BY_TIME, CAUSES_BY_LONGEST, CAUSES_BY_COUNT, CAUSES_BY_GRADE, CAUSES_ORDER_N };

/* What the list answers. */
struct causes_question {
	enum scope scope; /* whose waits, always within the selection or the window */
	uint32_t row;     /* MDL_NONE: all threads */
	int64_t from, to;
	bool hide_tracer; /* of all threads, without the tracer's own */
	enum ana_causes_by by;
};

struct causes {
	struct ui_pane pane;
	enum scope scope;
	enum causes_order order;
	enum ana_causes_by by;
	struct asking ask; /* without a worker: the list is made in slices */
	struct causes_question asked;
	struct ana_causes *work; /* owned; NULL: nothing asked, or a problem */
	bool busy;               /* there are more waits to look at */
	uint64_t done, all;      /* waits looked at, and how many there are */
	int64_t drawn_at;        /* g_get_monotonic_time() when the list was shown last */
	GArray *entries;         /* of struct ana_causes_entry as sorted here; owned, with their labels */
	int64_t total;           /* ns of all entries */
	const char *problem;     /* static or the experiment's; NULL none */
	struct list_view view;
};

static inline const struct ana_causes_entry *causes_entry(const struct causes *c, unsigned i)
{
	return &g_array_index(c->entries, struct ana_causes_entry, i);
}

/* ---- causes_list.c: the question and the list ---- */

/* What answers ASKED, before any work; *ALL: how many waits there are to look at.  In any thread. */
struct ana_causes *causes_list_new(struct qry *q, const struct causes_question *asked, uint64_t *all);
/* Ask what is wanted now, unless it was. */
void causes_list_ask(struct causes *c);
/* Ask Q, unless it was, and stay with it; sort as C->order says. */
void causes_list_ask_again(struct causes *c, const struct causes_question *q);
/* Of the hook "work": look at waits for some ms, and make the list anew from time to time. */
bool causes_list_work(struct ui_pane *pane);
/* Sort the list as C->order says; the selected cause stays so. */
void causes_list_sort(struct causes *c);
void causes_list_drop(struct causes *c);

/* ---- causes_draw.c ---- */

extern const char *const causes_order_names[CAUSES_ORDER_N];
/* Of the hook "title": "Causes of waiting: wk-ioburst[957] in the 439 ms in view". */
void causes_draw_title(struct ui_pane *pane, GString *title);
/* The list, scrolled so that the selected line is in view, and what was not recorded. */
void causes_draw(struct causes *c, const struct term_area *area);

#endif
