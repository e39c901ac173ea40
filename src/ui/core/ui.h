/* SPDX-License-Identifier: MIT */
/* The explorer on the screen: what the program hands it, and the one call that runs it. */
#ifndef UI_H
#define UI_H

#include "base/base_progress.h"

#include <stdbool.h>

struct ana_rules;
struct qry;
struct ui_pane_ops;

/* An open experiment. */
struct ui_opened {
	/* Stays with whoever opened it, who frees it after ui_run(), or when told to settle(). */
	struct qry *q;
	int64_t from, to; /* qry_span() */
	uint32_t n_rows;  /* qry_row_count() */
	const char *kept; /* the file that keeps how it looks (ui_kept.h), as long; NULL none */
	const char *note; /* shown once it is open; lives as long as Q; NULL nothing to tell */
	/* Where to begin, unless where panes do. */
	bool begins;
	uint32_t row;
	int64_t time;
};

/* What became of a trace that is followed while it is recorded. */
enum ui_followed {
	UI_FOLLOWED_NOTHING, /* as it was */
	UI_FOLLOWED_MORE,    /* there is more to open */
	UI_FOLLOWED_OPENED,
	UI_FOLLOWED_OVER /* nothing more comes */
};

struct ui_options {
	const char *goto_text;           /* TIME, "#EVENT" or "EVENT#"; NULL the whole trace */
	const char *thread;              /* as --thread; NULL */
	const char *from_text, *to_text; /* as --from, --to: the first window; NULL */
	const char *program;             /* what to type to open this experiment, quoted for a shell */
	bool copy;                       /* texts are copied whatever the terminal is */
	const char *theme;               /* name or file; NULL what fits the terminal */
	const char *config;              /* file; NULL $XDG_CONFIG_HOME/wakepath/config, where it exists */
	const char *view;                /* the text of a scene to begin with (ui_scene.h); NULL none */
	const char *commands;            /* file with lines that are done at the start; NULL none */
	const char *script;              /* file with keys; NULL the terminal */
	const char *sync;                /* which clocks, as --sync; NULL "auto" */
	bool ascii;                      /* only ASCII, whatever the locale says */
	/* What is followed is not a recording but the making of an index: all that is new is taken. */
	bool makes;
	bool overview;                          /* begin with the overview, at what is most worth a look */
	bool show_tracer;                       /* do not hide the threads of the tracer at the start, */
	bool tracer_typed;                      /* whatever was kept of that */
	const struct ana_rules *rules;          /* further kinds of latencies, for panes; weak, NULL none */
	const struct ui_pane_ops *const *panes; /* NULL-terminated: pane_all of src/ui/pane/pane.h */

	/*
	 * Open the experiment with the clocks SYNC, building indexes where needed.  Runs in a thread
	 * of its own, while the screen shows PROGRESS and a key may cancel it.
	 * False with an error when it cannot.  Called again for other clocks, and then followed by settle().
	 */
	bool (*open)(void *context, const char *sync, struct base_progress *progress,
		struct ui_opened *opened, GError **error);
	/* TIME of ROW (UI_NO_ROW: of the first host) as the experiment before shows it, as the one opened
	 * last does. */
	int64_t (*carry)(void *context, uint32_t row, int64_t time);
	/* And what ROW of the experiment before is in the one opened last. */
	uint32_t (*carry_row)(void *context, uint32_t row);
	/* Opened again: the experiment before is not used any more, or, when it was not TAKEN, the one opened
	 * last (if it could be opened) will not be. */
	void (*settle)(void *context, bool taken);
	/*
	 * Look what is new of a trace that is followed, and, TAKE, open that; settle() follows where it was
	 * opened.  *TEXT becomes what is to be said of it, good until the next call, and *NOTE what is to be
	 * said and kept, once, else NULL.  A failure is said there, and all stays as it is.  NULL: nothing is
	 * followed.
	 */
	enum ui_followed (*follow)(void *context, bool take, struct ui_opened *opened, const char **text,
		const char **note);
	/* Open the recording PATH, another one, with clocks as they are found; the caller frees it.  For any
	 * thread.  NULL with an error. */
	struct qry *(
		*open_other)(void *context, const char *path, struct base_progress *progress, GError **error);
	void *context;
};

/*
 * Run the explorer until the user leaves.  0; or the exit status of ERROR,
 * which is then set (BASE_ERROR_CANCELLED: building was cancelled).
 */
int ui_run(const struct ui_options *options, GError **error);

#endif
