/* SPDX-License-Identifier: MIT */
/* Internals of the clocks pane.  Only its files include this header. */
#ifndef CLOCKS_H
#define CLOCKS_H

#include "analysis/request/clock.h"
#include "ui/core/ui_shell.h"
#include "ui/widget/ask_worker.h"
#include "ui/widget/list_view.h"

/* A question for the worker. */
struct clocks_question {
	struct ana_residuals_window window;
	uint32_t n_columns;
};

struct clocks {
	struct ui_pane pane;
	/* the last question: RESIDUALS answers it, or the worker is busy with it */
	struct clocks_question asked;
	bool has_asked;
	struct ana_residuals *residuals; /* owned; NULL: see problem */
	char *problem;                   /* reason for no residuals; owned, NULL while computed */
	/* 1: residuals of the packets exchanged with all hosts; 0: only with the next host on the way to the
	 * first host */
	unsigned with_all;
	struct list_view view; /* of the table of hosts */
	uint32_t kept_host;    /* clocks_host(), for a kept view */
};

/* The selected host, an index; 0: the first host. */
static inline uint32_t clocks_host(const struct clocks *c)
{
	return c->pane.shell->clock_host;
}

/* SYNC, a text for --sync (NULL: "auto"), with the clock of HOST moved by OFFSET ("-2.5ms").  The clocks of
 * the other hosts stay.  The caller frees. */
char *clocks_sync_with(const char *sync, const char *host, const char *offset);

/* ---- clocks_plot.c: drawing the residuals ---- */

/* The packets that the host received (TO_HOST), or sent, in COLUMN of the residuals; UINT32_MAX: in all
 * columns.  c->residuals must not be NULL. */
struct ana_residuals_cell clocks_cell(const struct clocks *c, bool to_host, uint32_t column);
/* Draw the residuals over the whole AREA, aligned with the columns of the control flow.  c->residuals must
 * not be NULL. */
void clocks_plot_draw(const struct clocks *c, const struct term_area *area);

#endif
