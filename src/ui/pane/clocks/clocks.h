/* SPDX-License-Identifier: MIT */
/* The inside of the pane of clocks, shared by its files; no other pane includes it. */
#ifndef CLOCKS_H
#define CLOCKS_H

#include "analysis/kind/clock.h"
#include "analysis/request/residuals.h"
#include "ui/core/ui_shell.h"
#include "ui/widget/ask_worker.h"
#include "ui/widget/list_view.h"

/* What is asked of the worker. */
struct clocks_question {
	struct ana_residuals_window window;
	uint32_t n_columns;
};

struct clocks {
	struct ui_pane pane;
	struct clocks_question asked; /* what the residuals answer, or the worker is busy with */
	bool has_asked;
	struct ana_residuals *residuals; /* owned; NULL: see problem */
	char *problem;                   /* why there are none; owned, NULL while they are being made */
	bool with_all; /* residuals of the packets exchanged with all others, not only with the host on the
			  way to the first one */
	struct list_view view; /* of the hosts */
	uint32_t kept_host;    /* the host looked at, while it is kept */
};

/* The selected host. */
static inline uint32_t clocks_host(const struct clocks *c)
{
	return c->pane.shell->clock_host;
}

/* ---- clocks_sync.c: other clocks ---- */

/* The text for --sync that moves HOST by OFFSET ("-2.5ms") and leaves the other clocks of SYNC (NULL "auto")
 * as they are.  The caller frees. */
char *clocks_sync_with(const char *sync, const char *host, const char *offset);
/* Ask by how much to move the selected host's own time. */
void clocks_sync_ask_offset(struct clocks *c);
/* Ask which clocks to use. */
void clocks_sync_ask(struct clocks *c);
/* Ask for a file and write the clocks there. */
void clocks_sync_save(struct clocks *c);

/* ---- clocks_plot.c: the residuals drawn ---- */

/* All packets of one direction in column COLUMN; of all for UINT32_MAX.  Residuals must be there. */
struct ana_residuals_cell clocks_cell(const struct clocks *c, bool to_host, uint32_t column);
/* Over all of AREA, aligned with the columns of the control flow. */
void clocks_plot_draw(const struct clocks *c, const struct term_area *area);

#endif
