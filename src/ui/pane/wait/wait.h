/* SPDX-License-Identifier: MIT */
/* The inside of the pane that explains a wait, shared by its files; no other pane includes it. */
#ifndef WAIT_H
#define WAIT_H

#include "analysis/cpu/cpuwait.h"
#include "analysis/wait/why.h"
#include "ui/core/ui_shell.h"
#include "ui/widget/ask_worker.h"
#include "ui/widget/list_view.h"

enum wait_line_kind {
	WAIT_HOP,
	WAIT_EVENT,   /* one of the events behind the hop above */
	WAIT_MISSING, /* the event that would have proved it */
	WAIT_WOKEN,   /* the thread that waited */
	WAIT_TURN,    /* of a wait for a CPU: a turn, */
	WAIT_PART,    /* or a part of the sum */
};

struct wait_line {
	enum wait_line_kind kind;
	unsigned hop;   /* WAIT_TURN, WAIT_PART: number of that */
	unsigned event; /* WAIT_EVENT: in evidence */
};

struct wait {
	struct ui_pane pane;
	struct ana_why *why;     /* owned; NULL: see cpu, */
	struct ana_cpuwait *cpu; /* a wait for a CPU; owned; NULL: see problem */
	/* Another wait is opened, or was, from one of its turns: "back" leads back to it. */
	bool drilling, drilled;
	bool sums;        /* of a wait for a CPU: summed up by who had it, else turn by turn */
	char *problem;    /* why there is nothing; owned, NULL */
	uint32_t own_row; /* while row and cursor are those that this pane set, no other wait is shown */
	int64_t own_cursor;
	/* Of each event in evidence, "" unknown; owned, NULL: not there yet, or see no_fields. */
	char **fields;
	GError *no_fields; /* why there are none; owned */
	bool *open;        /* owned: whether the events of each hop are listed */
	GArray *lines;     /* owned, of struct wait_line */
	bool fresh;        /* not drawn yet: how much is open depends on the room there is */
	struct list_view view;
	uint32_t kept_row; /* for the time while it is kept: whose wait, when it ended, what is open (owned)
			    */
	int64_t kept_end;
	char *kept_open;
};

static inline const struct ana_why_hop *wait_hop(const struct wait *w, unsigned i)
{
	return &g_array_index(w->why->hops, struct ana_why_hop, i);
}

static inline const struct ana_evidence *wait_event(const struct wait *w, unsigned i)
{
	return &g_array_index(w->why->evidence, struct ana_evidence, i);
}

static inline const struct wait_line *wait_line(const struct wait *w, unsigned i)
{
	return &g_array_index(w->lines, struct wait_line, i);
}

/* ---- wait_lines.c: what of it is listed ---- */

/* Open all hops when their events fit into ROOM lines, else none. */
void wait_lines_start(struct wait *w, unsigned room);
/* Open or close the hop of the selected line. */
void wait_lines_toggle(struct wait *w);
/* Which hops are open, as a text, NULL none; the caller frees.  And open those that TEXT says. */
char *wait_lines_open_text(const struct wait *w);
void wait_lines_set_open(struct wait *w, const char *text);
/* Open all, or close all when all are open. */
void wait_lines_toggle_all(struct wait *w);

/* TEXT from column X on over one or, where LINES allows and it is wider than ROOM, two lines; returns how
 * many it took. */
unsigned wait_lines_words(const struct term_area *area, unsigned x, unsigned room, unsigned lines,
	const char *text);

/* ---- wait_fields.c: the fields of the events ---- */

/* Read the fields of all events behind the wait. */
void wait_fields_ask(struct wait *w);
void wait_fields_drop(struct wait *w);
/* The fields of event number EVENT of the evidence; NULL: none, or not yet. */
const char *wait_fields_of(const struct wait *w, unsigned event);

/* ---- wait_cpu.c: a wait for a CPU ---- */

/* List its turns, or the parts of their sum. */
void wait_cpu_lines(struct wait *w);
/* "wk-victim[546] was preempted for 3.66 ms until +0.276 s". */
void wait_cpu_title(const struct wait *w, GString *title);
void wait_cpu_draw(struct wait *w, const struct term_area *area);
/* The row and time of the selected line; the CPU's row where no thread was there, MDL_NONE none. */
void wait_cpu_where(const struct wait *w, uint32_t *row, int64_t *time);
/* When the thread of the selected turn was woken from the wait before it; MDL_NEVER: it did not wait. */
int64_t wait_cpu_woken(const struct wait *w);

/* ---- wait_draw.c ---- */

/* Of the hook "title": "wk-ioburst[957] waited 3.24 ms in read until +0.276 s". */
void wait_draw_title(struct ui_pane *pane, GString *title);
/* The headline and the lines, scrolled so that the selected one is in view. */
void wait_draw(struct wait *w, const struct term_area *area);

#endif
