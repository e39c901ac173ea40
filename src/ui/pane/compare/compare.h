/* SPDX-License-Identifier: MIT */
/* Internals of the pane that compares slow with fast intervals.  Only its files include this header. */
#ifndef COMPARE_H
#define COMPARE_H

#include "analysis/compare/compare.h"
#include "ui/core/ui_shell.h"
#include "ui/widget/ask_worker.h"
#include "ui/widget/compare_set.h"
#include "ui/widget/list_pane.h"
#include "ui/widget/path_rows.h"

/* The way to compare.  Texts are interned. */
struct compare_how {
	enum ana_compare_by by;
	enum ana_compare_slow slow;
	int64_t over;      /* longer intervals are slow, ns */
	double top;        /* 0 … 1: this share of the intervals is slow */
	const char *group; /* the group that counts as slow; NULL: the group with the longest mean */
	const char *keys;  /* for groups by key: the source of the key */
	/* For groups by origin: the path of another recording, or a SPEC of this one. */
	const char *against;
};

/* Another recording, or another set of intervals of this recording.  Reference-counted. */
struct compare_other {
	const struct ui_options *options; /* weak */
	const char *what;                 /* interned: a path or a SPEC */
	bool is_set;                      /* WHAT is a SPEC */
	/* owned; NULL: not open yet.  Only the worker uses it until the first question is answered */
	struct qry *q;
};

struct compare_question {
	struct compare_set *set; /* owns a reference; NULL: nothing to ask */
	struct compare_how how;
	struct compare_other *other; /* owns a reference; NULL: none */
};

/* Groups of lines, in the order of the list. */
enum compare_group {
	COMPARE_STEPS,
	COMPARE_NOISE,
	COMPARE_OUTSIDE_HEAD,
	COMPARE_OUTSIDE,
	COMPARE_UNRECORDED /* note that frequencies were not recorded */
};

/* A line of the list: a step, or other activity; with neither, a text in place of cells. */
struct compare_line {
	const struct ana_compare_row *step; /* weak, NULL: none */
	const struct ana_outside *outside;  /* weak, NULL: none */
	enum compare_group group;
};

/* One of the two paths shown side by side. */
struct compare_path {
	struct ana_path *path; /* owned; NULL: none (yet), and the next four members are invalid */
	struct path_items items;
	/* the recording of PATH if it is another one, opened for it alone; owned, else NULL */
	struct qry *other;
	GArray *turns;   /* of struct path_turn; owned */
	uint32_t *steps; /* the step of each segment, in the answer's fold; owned */
	uint32_t of;     /* index of an interval in the answer */
	unsigned side;   /* ANA_COMPARE_SLOW, … */
};

struct compare {
	struct ui_pane pane;
	struct asking ask;
	struct compare_set *set; /* owns a reference; NULL: nothing is compared yet */
	struct compare_how how;
	struct compare_set *asked_set; /* owns a reference, NULL: none */
	struct compare_how asked;
	struct compare_other *other; /* as in the last question; owns a reference, NULL: none */
	struct compare_kept {        /* a kept view */
		enum compare_what what;
		const char *name, *spec, *kind; /* weak; this and the next members as in struct compare_set */
		enum ana_request_scope scope;
		uint32_t row;
		int64_t from, to;
		bool hide_tracer;
		struct compare_how how;
		char *marks;  /* owned */
		uint64_t top; /* compare_how.top in units of 10⁻⁹ */
	} kept;
	struct ana_compare *found; /* owned; NULL: no answer */
	GArray *lines;             /* of struct compare_line: the rows of LIST; owned */
	guint noise;               /* number of noise rows, the last ones of the answer */
	bool noise_open;           /* false: many noise rows are folded into one line */
	struct list list;
	unsigned counted;       /* columns of DURATIONS; 0: not counted */
	uint64_t *durations[2]; /* number of intervals per column of duration, for each side; owned */

	/* 1 + the row of the answer whose step is highlighted in two paths; 0: show the list. */
	unsigned lit;
	struct ask_worker *walker; /* makes PAIR; owned, NULL: none */
	/* A typical and an extreme path; for two recordings, a typical path of each. */
	struct compare_path pair[2];
	char *pair_problem;    /* reason why there are no paths; owned, NULL: none */
	int64_t at;            /* the cursor, ns after the start of both paths */
	bool chosen_first;     /* true: Enter goes to the first path; false: to the second */
	unsigned pair_top;     /* scrolled lines */
	unsigned pair_left;    /* lines that both paths can be scrolled by at most, at the last draw */
	unsigned pair_columns; /* time columns at the last draw */
};

/* True if P is a path of the other recording. */
static inline bool compare_is_elsewhere(const struct compare *c, const struct ana_compare_path *p)
{
	return p->of && c->other && c->other->q;
}

/* ---- compare_rows.c: the list ---- */

extern const struct list_kind compare_kind;
/* Make the lines of the answer. */
void compare_lines_make(struct compare *c);
/* Toggle the noise rows between one line each and one line for all. */
void compare_lines_fold(struct compare *c);
/* The selected line; NULL: none.  Valid until compare_lines_make() or compare_lines_fold(). */
const struct compare_line *compare_line(const struct compare *c);
/* "+20.9 ms".  The caller frees. */
char *compare_signed_text(const struct compare *c, int64_t ns);

/* ---- compare_ask.c ---- */

extern const struct ask_kind compare_ask_kind;
/* Compare SET from now on; takes ownership.  TYPED: the user typed C->how with it. */
void compare_ask_set(struct compare *c, struct compare_set *set, bool typed);
/* If the question has changed, ask the worker.  Its answer then shows the paths of row LIT - 1; if LIT is 0,
 * the list. */
void compare_ask(struct compare *c, unsigned lit);
/* Drop the answer and everything made from it. */
void compare_drop(struct compare *c);

/* ---- compare_pair.c: another recording ---- */

/* _ref(): add a reference to OTHER.  _unref(): remove one; the last one closes the recording. */
struct compare_other *compare_other_ref(struct compare_other *other);
void compare_other_unref(struct compare_other *other);
/*
 * For the worker: find SET of Q in the other recording, over its whole time; or, if OTHER is a SPEC, find
 * that set in Q.  *ASKED becomes the recording that the result belongs to, NULL for Q; the caller frees it,
 * also after an error.  The caller frees the set.  NULL with an error of one line.
 */
struct ana_set *compare_other_find(struct compare_other *other, struct qry *q, const struct compare_set *set,
	struct qry **asked, struct base_progress *progress, GError **error);

/* ---- compare_ask.c: typed text ---- */

/* Compare by TEXT: SPEC, then "slow ..." and "group ...", or "against ...".  False, with a message, if TEXT
 * is empty or not valid. */
bool compare_line_take(struct compare *c, const char *text);
/* Add to WORDS the completions (interned) of TEXT. */
void compare_line_words(const char *text, GPtrArray *words);
/* Set from SLOW which intervals are slow, and from GROUP the source of the groups (NULL: no change).  False,
 * with a message, if a text is not valid. */
bool compare_line_how(struct compare *c, const char *slow, const char *group);
/* Set the other recording, or the SPEC of the other set, from TEXT; "": none.  False, with a message, if TEXT
 * is not valid. */
bool compare_line_against(struct compare *c, const char *text);
/* The rule for slow intervals in words: "gap", "over 5.00 ms".  The caller frees. */
char *compare_line_slow_text(const struct ui_shell *shell, const struct compare_how *how);
/* The source of the groups: "duration", "EVENT.FIELD".  Interned or static. */
const char *compare_line_group_text(const struct compare_how *how);

/* ---- compare_draw.c ---- */

/* The hook "title". */
void compare_draw_title(struct ui_pane *pane, GString *title);
/* Draw the list, with the distribution of durations above it and the selected step below it.  c->found must
 * not be NULL. */
void compare_draw(struct compare *c, const struct term_area *area);

/* ---- compare_pair.c: two paths with a highlighted step ---- */

/* The label of SIDE: "slow"; for two recordings with the name, "before (pipeline)".  The caller frees. */
char *compare_draw_side(const struct compare *c, unsigned side);
/* The look of SIDE. */
enum term_role compare_plot_role(unsigned side);

/* The row whose step is highlighted; NULL: none. */
const struct ana_compare_row *compare_pair_row(const struct compare *c);
/* Make the paths for C->lit. */
void compare_pair_ask(struct compare *c);
/* Drop both paths, and stop their worker. */
void compare_pair_drop(struct compare *c);
/* Do COMMAND if it is one for the two paths; false if it is not. */
bool compare_pair_command(struct compare *c, enum ui_command command);
/* Draw the two paths into AREA; c->pair_columns is set for moves of the cursor. */
void compare_pair_draw(struct compare *c, const struct term_area *area);

#endif
