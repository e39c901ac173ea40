/* SPDX-License-Identifier: MIT */
/* The interface of the explorer: the data that the program passes to it, and the one call that runs it. */
#ifndef UI_H
#define UI_H

#include "base/base_progress.h"

#include <stdbool.h>

struct ana_rules;
struct qry;
struct ui_pane_ops;

/* An open experiment. */
struct ui_opened {
	/* Owned by the opener, which frees it after ui_run() or in settle(). */
	struct qry *q;
	int64_t from, to; /* ns, from qry_span() */
	uint32_t n_rows;  /* qry_row_count() */
	const char *kept; /* the file that keeps its layout (ui_kept.c); lives as long as Q; NULL: none */
	const char *note; /* shown once it is open; lives as long as Q; NULL: nothing to show */
	/* If BEGINS is set, the explorer starts at this row and time (ns), unless a pane starts elsewhere. */
	bool begins;
	uint32_t row;
	int64_t time;
};

/* The result of follow(), for a trace that is followed while it is recorded or its index is built. */
enum ui_followed {
	UI_FOLLOWED_NOTHING, /* no change */
	UI_FOLLOWED_MORE,    /* there is more to open */
	UI_FOLLOWED_OPENED,  /* follow() opened a newer state */
	UI_FOLLOWED_OVER     /* nothing more will come */
};

struct ui_options {
	const char *goto_text;           /* TIME, "#EVENT" or "EVENT#"; NULL: the whole trace */
	const char *thread;              /* as --thread; NULL: none */
	const char *from_text, *to_text; /* as --from, --to: the first window; NULL: not given */
	const char *program;             /* the command line that opens this experiment, quoted for a shell */
	bool copy;                       /* copy by OSC 52 on every type of terminal */
	const char *theme;               /* name or file; NULL: the one that fits the terminal */
	const char *config;              /* file; NULL: $XDG_CONFIG_HOME/wakepath/config, if it exists */
	const char *view;                /* the text of a scene to begin with (ui_scene.h); NULL: none */
	const char *commands;            /* file with command lines to run at the start; NULL: none */
	const char *script;              /* file with keys; NULL: use the terminal */
	const char *sync;                /* the clocks, as --sync; NULL: "auto" */
	bool ascii;                      /* draw only ASCII, whatever the locale */
	/* True if follow() reports on an index that is being built, not on a recording.  The explorer then
	 * opens every new state. */
	bool makes;
	bool overview;                          /* begin with the overview, at its most important line */
	bool show_tracer;                       /* show the tracer's threads at the start */
	bool tracer_typed;                      /* SHOW_TRACER was typed: it overrides the kept layout */
	const struct ana_rules *rules;          /* more kinds of latency, for panes; weak, NULL: none */
	const struct ui_pane_ops *const *panes; /* NULL-terminated: pane_all of src/ui/pane/pane.h */

	/* Open the experiment with the clocks SYNC, and build missing indexes.  Called in a thread of its
	 * own, while the screen shows PROGRESS and a key can cancel.  False with an error.  If the experiment
	 * was open before (the user chose other clocks), settle() follows. */
	bool (*open)(void *context, const char *sync, struct base_progress *progress,
		struct ui_opened *opened, GError **error);
	/* Convert TIME (ns) of ROW (UI_NO_ROW: of the first host) of the previous experiment to a time of the
	 * one opened last. */
	int64_t (*carry)(void *context, uint32_t row, int64_t time);
	/* Convert ROW of the previous experiment to the row of the one opened last. */
	uint32_t (*carry_row)(void *context, uint32_t row);
	/* Called after open() opened the experiment again or failed to, or follow() opened a newer state.
	 * TAKEN: the explorer uses the new experiment, and the opener can free the previous one.  Otherwise
	 * the explorer still uses the previous one, and the opener can free the new one, if there is one. */
	void (*settle)(void *context, bool taken);
	/*
	 * Look for new data of a followed trace.  Opens it, as *OPENED, if TAKE or if the index has become
	 * complete; settle() then follows.  *TEXT becomes the progress or the failure in words; NULL: none.
	 * *NOTE becomes a text to show once and to keep in the list of warnings; NULL: none.  Both are valid
	 * until the next call.  If opening fails, the present experiment stays.  NULL hook: nothing is
	 * followed.
	 */
	enum ui_followed (*follow)(void *context, bool take, struct ui_opened *opened, const char **text,
		const char **note);
	/* Return the damage that makes all answers of Q doubtful, NULL if there is none.  The explorer ends
	 * with it.  Owned by Q. */
	const GError *(*damage)(const struct qry *q);
	/* Open PATH, another recording, with the clocks that "auto" finds.  Any thread may call it.  The
	 * caller frees.  NULL with an error. */
	struct qry *(
		*open_other)(void *context, const char *path, struct base_progress *progress, GError **error);
	/* Open the recording PATH in place of this one, after ui_run() has returned. */
	void (*open_next)(void *context, const char *path);
	void *context;
};

/* Run the explorer until the user leaves.  Returns 0, or the exit status of ERROR, which is then set
 * (BASE_ERROR_CANCELLED: building was cancelled). */
int ui_run(const struct ui_options *options, GError **error);

#endif
