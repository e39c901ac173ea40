/* SPDX-License-Identifier: MIT */
/*
 * Results as text, JSON and CSV: one function per result and one place that
 * writes to a file.  JSON keys are those of cli.md; CSV has a header line and
 * RFC 4180 quoting; text is for people.
 */
#ifndef EXP_H
#define EXP_H

#include "analysis/ana_causes.h"
#include "analysis/ana_cost.h"
#include "analysis/ana_exchange.h"
#include "analysis/ana_latency.h"
#include "analysis/ana_path.h"
#include "analysis/ana_residuals.h"
#include "analysis/ana_why.h"
#include "query/qry_events.h"
#include "query/qry_sync.h"

enum exp_format { EXP_TEXT, EXP_JSON, EXP_CSV };

/* "text", "json", "csv"; false with BASE_ERROR_USAGE for another name. */
bool exp_format_parse(const char *name, enum exp_format *format, GError **error);

/* What was asked for and how it is to be told; a result looks at what concerns it. */
struct exp_options {
	enum exp_format format;
	uint32_t row;       /* whose result it is */
	int64_t from, to;   /* the window, [FROM, TO) */
	unsigned top;       /* no more than the first so many */
	uint32_t n_columns; /* sums over so many parts of the window; 0: one by one */
	bool hide_tracer;   /* without the tracer's own */
	bool histogram;
	struct base_progress *progress; /* weak; NULL: never cancelled */
};

/*
 * Each appends the whole result to OUT, which ends with a newline.  Those that read the traces are false with
 * an error when one cannot be read, or when the progress was cancelled.
 */
/* COSTS: of each host, in their order. */
void exp_info(GString *out, struct qry *q, const struct ana_cost *costs, const struct exp_options *o);
void exp_threads(GString *out, struct qry *q, const struct exp_options *o);
void exp_states(GString *out, struct qry *q, const struct exp_options *o);
bool exp_wakeups(GString *out, struct qry *q, const struct exp_options *o, GError **error);
bool exp_path(GString *out, struct qry *q, const struct ana_path *path, const struct exp_options *o,
	GError **error);
/* As text, with no more than the first MOST segments. */
void exp_path_text(GString *out, struct qry *q, const struct ana_path *path, guint most);
/* The account of the window of a thread, and the steps of the longest wait for others in it. */
bool exp_account(GString *out, struct qry *q, const struct exp_options *o, GError **error);
/* The steps of WHY as text. */
void exp_why(GString *out, const struct qry *q, const struct ana_why *why);
/* ENTRIES: of struct ana_causes_entry. */
void exp_causes(GString *out, struct qry *q, const GArray *entries, const struct exp_options *o);
void exp_latency(GString *out, struct qry *q, const struct ana_latency *l, const struct exp_options *o);
/* EXCHANGES: of struct ana_exchange. */
void exp_requests(GString *out, struct qry *q, const GArray *exchanges, const struct exp_options *o);
/* The clocks HOSTS of the hosts of Q. */
void exp_sync(GString *out, struct qry *q, const struct sync_hosts *hosts, const struct exp_options *o);
/*
 * How long the packets of WINDOW were on their way by the clocks in use: each of them, or, with columns, for
 * each way from host to host and each of so many parts of the window their number, the shortest and the
 * longest time.
 */
bool exp_residuals(GString *out, struct qry *q, const struct ana_residuals_window *window,
	const struct exp_options *o, GError **error);
/* LINES (of struct qry_events_line) in their order; MORE: there are more behind them. */
void exp_events(GString *out, struct qry *q, const GArray *lines, bool more, const struct exp_options *o);

/*
 * Write TEXT to the file PATH: beside it and renamed, so that a full disk
 * leaves what was there.  A FIFO that nobody reads is waited for (WAIT) or refused.  BASE_ERROR_IO on
 * failure, BASE_ERROR_CANCELLED when a signal stopped it.
 */
bool exp_write_file(const char *path, const GString *text, bool wait, GError **error);

/* The error of a write to PATH that failed with SAVED_ERRNO, as of exp_write_file(). */
void exp_set_unwritten(GError **error, int saved_errno, const char *path);

#endif
