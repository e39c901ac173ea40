/* SPDX-License-Identifier: MIT */
/* The inside of the pane that compares slow with fast, shared by its files; no other pane includes it. */
#ifndef COMPARE_H
#define COMPARE_H

#include "analysis/compare/compare.h"
#include "ui/core/ui_shell.h"
#include "ui/widget/asking.h"
#include "ui/widget/compare_set.h"
#include "ui/widget/list_view.h"
#include "ui/widget/path_rows.h"

/* How it is to be compared.  Texts are interned. */
struct compare_how {
	enum ana_compare_by by;
	enum ana_compare_slow slow;
	int64_t over;      /* ns */
	double top;        /* 0 … 1 */
	const char *group; /* the group that is the slow one; NULL: the one with the longest mean */
	const char *keys;  /* by key: what makes the groups */
	/* By origin: the path of another recording, or a SPEC of this one. */
	const char *against;
};

/* Another recording, or another set.  Counted. */
struct compare_other {
	const struct ui_options *options; /* weak */
	const char *what;                 /* interned: path, or SPEC */
	bool is_set;                      /* it is a SPEC */
	struct qry *q; /* owned; NULL: not open yet.  The worker sets it, nobody else before its answer */
};

struct compare_question {
	struct compare_set *set; /* a reference of its own; NULL: there is nothing to ask */
	struct compare_how how;
	struct compare_other *other; /* the same; NULL: none */
};

enum compare_order { COMPARE_BY_DIFFERENCE, COMPARE_BY_P, COMPARE_BY_CORRELATION, COMPARE_ORDERS };

/* One of the two paths that are shown beside each other. */
struct compare_path {
	struct ana_path *path; /* owned; NULL: it is not there (yet), and nothing of the next ones */
	struct path_items items;
	struct qry *other; /* of another recording: asked about this path alone; owned, NULL */
	GArray *turns;     /* of struct path_turn; owned */
	uint32_t *steps;   /* of each segment, of the answer's fold; owned */
	uint32_t of;       /* interval of the answer */
	unsigned side;     /* ANA_COMPARE_SLOW, … */
};

struct compare {
	struct ui_pane pane;
	struct asking ask;
	struct compare_set *set; /* a reference; NULL: nothing is compared yet */
	struct compare_how how;
	struct compare_set *asked_set; /* a reference, NULL */
	struct compare_how asked;
	struct compare_other *other;    /* of what was asked; a reference, NULL */
	struct compare_kept {           /* of a view */
		struct compare_set set; /* owned texts */
		struct compare_how how;
		char *marks, *group, *keys, *against; /* owned */
		uint64_t top;                         /* in 10⁻⁹ */
	} kept;
	struct ana_compare *found; /* owned; NULL: no answer */
	GArray *rows;              /* of guint: rows of the answer as they stand in the list; owned */
	guint noise;               /* how many of them, at the end, are noise */
	bool noise_open;           /* which are one line else, where they are many */
	enum compare_order order;
	struct list_view view;
	unsigned counted;       /* in so many columns; 0: they are not */
	uint64_t *durations[2]; /* how many of each side take how long; owned */

	/* 1 + the row of the answer whose step is lit in two paths; 0: the list is shown. */
	unsigned lit;
	struct ask_worker *walker; /* for these paths; owned, NULL */
	/* The typical one, the extreme one; of two recordings a typical one of each. */
	struct compare_path pair[2];
	char *pair_problem;    /* why they are not there; owned, NULL */
	int64_t at;            /* of the cursor, ns from where both begin */
	bool chosen_first;     /* Enter goes to the first one, else to the other */
	unsigned pair_top;     /* lines scrolled */
	unsigned pair_columns; /* of time, as drawn last */
};

/* Is P a path of another recording? */
static inline bool compare_is_elsewhere(const struct compare *c, const struct ana_compare_path *p)
{
	return p->of && c->other && c->other->q;
}

/* How many lines the list has. */
guint compare_lines(const struct compare *c);
/* The row on LINE; NULL: it is the line of those that are noise, or below the rows. */
const struct ana_compare_row *compare_line(const struct compare *c, guint line);
bool compare_line_is_noise(const struct compare *c, guint line);
/* The last line, which says that frequencies were not recorded. */
bool compare_line_is_unrecorded(const struct compare *c, guint line);
/* What else went on, below the rows and a heading; NULL: the line is none of that. */
const struct ana_outside *compare_line_outside(const struct compare *c, guint line);

/* ---- compare_view.c: what a view of it has ---- */

extern const struct ui_field compare_fields[];
/* Of the hooks "to_keep" and "restore". */
bool compare_view_to_keep(struct ui_pane *pane);
bool compare_view_restore(struct ui_pane *pane, const char *kept, GError **error);
void compare_view_clear(struct compare *c);

/* ---- compare_ask.c ---- */

extern const struct ask_kind compare_ask_kind;
/* Compare SET, which is taken over, from now on; TYPED: C->how was said together with it. */
void compare_ask_set(struct compare *c, struct compare_set *set, bool typed);
/* Ask what is wanted now, unless it was; then the paths of row LIT - 1 are shown, or (0) the list. */
void compare_ask(struct compare *c, unsigned lit);
void compare_drop(struct compare *c);
/* Put the rows in order. */
void compare_sort(struct compare *c);

/* ---- compare_other.c: another recording ---- */

/* WHAT is interned; nothing is opened yet. */
struct compare_other *compare_other_new(const struct ui_options *options, const char *what);
struct compare_other *compare_other_ref(struct compare_other *other);
void compare_other_unref(struct compare_other *other);
/* What the recording Q, or, unless it is open (NULL), WHAT is called; the caller frees. */
char *compare_other_name(const char *what, const struct qry *q);
/* For the worker: what SET of Q is there, over its whole time, asked of *ASKED, or of Q where that is NULL;
 * the caller frees both.  NULL with an error, one line; *ASKED may be there all the same. */
struct ana_set *compare_other_find(struct compare_other *other, struct qry *q, const struct compare_set *set,
	struct qry **asked, struct base_progress *progress, GError **error);

/* ---- compare_line.c: what is typed ---- */

/* Compare what TEXT says: SPEC, then "slow ..." and "group ...", or "against ...".  False: it says nothing,
 * or it was said why not. */
bool compare_line_take(struct compare *c, const char *text);
/* What may stand in place of TEXT; of interned texts. */
void compare_line_words(const char *text, GPtrArray *words);
/* Take TEXT as which are slow, as what makes the groups.  False: it was said why not. */
bool compare_line_slow(struct compare *c, const char *text);
bool compare_line_group(struct compare *c, const char *text);
/* Take TEXT as the other recording, or the SPEC of another set; "": none. */
bool compare_line_against(struct compare *c, const char *text);
/* "gap", "over 5.00 ms": which are slow; the caller frees. */
char *compare_line_slow_text(const struct ui_shell *shell, const struct compare_how *how);
/* "duration", "EVENT.FIELD". */
const char *compare_line_group_text(const struct compare_how *how);

/* ---- compare_draw.c, compare_plot.c ---- */

extern const char *const compare_order_names[COMPARE_ORDERS];
/* Of the hook "title". */
void compare_draw_title(struct ui_pane *pane, GString *title);
void compare_draw(struct compare *c, const struct term_area *area);
/* "slow"; with the name of the recording "before (pipeline)".  The caller frees. */
char *compare_draw_side(const struct compare *c, unsigned side);
/* How long all take, with the border, on line Y. */
void compare_plot_durations(struct compare *c, const struct term_area *area, unsigned y, unsigned lines);
/* The answer is another one. */
void compare_plot_drop(struct compare *c);
/* How long the step of R takes in both, on two lines from Y on; P (NULL: it is said elsewhere): how likely it
 * is by chance. */
void compare_plot_step(const struct compare *c, const struct term_area *area, unsigned y,
	const struct ana_compare_row *r, const char *p);
/* ---- compare_pair.c, compare_pair_draw.c: two paths with a step lit ---- */

/* The row whose step is lit; NULL: none. */
const struct ana_compare_row *compare_pair_row(const struct compare *c);
/* Have the paths of C->lit. */
void compare_pair_ask(struct compare *c);
void compare_pair_drop(struct compare *c);
void compare_pair_free(struct compare *c);
/* ns: of the longer one. */
int64_t compare_pair_length(const struct compare *c);
bool compare_pair_command(struct compare *c, enum ui_command command);
void compare_pair_draw(struct compare *c, const struct term_area *area);

/* The looks of both sides. */
enum term_role compare_plot_role(unsigned side);

#endif
