/* SPDX-License-Identifier: MIT */
/*
 * Results as text, JSON, CSV and Markdown: one function per result, and one place that writes to a file.
 * JSON keys are those of cli.md.  CSV has a header line and RFC 4180 quoting.  Text is for a terminal,
 * Markdown for a ticket.
 */
#ifndef EXP_H
#define EXP_H

#include "analysis/latency/against.h"
#include "analysis/causes/causes.h"
#include "analysis/compare/compare.h"
#include "analysis/overview/overview.h"
#include "analysis/request/exchange.h"
#include "analysis/latency/latency.h"
#include "analysis/path/path.h"
#include "analysis/request/clock.h"
#include "analysis/stacks/stacks.h"
#include "analysis/wait/why.h"
#include "analysis/watched/watched.h"
#include "query/events/events.h"
#include "query/clock/sync.h"
#include "table/table.h"

struct exp_options;
struct exp_file;
struct flt_fleet;
struct sql;

/* Appends RESULT to OUT, and a newline at the end.  False with an error if a trace that it reads cannot be
 * read, or if the progress was cancelled. */
typedef bool exp_writer(GString *out, struct qry *q, const void *result, const struct exp_options *o,
	GError **error);

/*
 * All results.  ALL(RESULT): exp_RESULT() writes it in all TABLE_FORMATS.  ONE(RESULT, FORMAT, file ending):
 * exp_RESULT_FORMAT() writes it in one more format that only this result has.  A command names its result
 * (struct app_command).  The comment gives the type of RESULT.
 */
#define EXP_RESULTS(ALL, ONE)                                                                                \
	ALL(info)    /* struct exp_info_of */                                                                \
	ALL(sql)     /* struct exp_sql_of */                                                                 \
	ALL(threads) /* NULL */                                                                              \
	ALL(states)  /* NULL: about the row of the options */                                                \
	ALL(wakeups) /* NULL: about the row of the options */                                                \
	ALL(path)    /* struct ana_path */                                                                   \
	ONE(path, folded, ".folded")                                                                         \
	ONE(path, perfetto, ".perfetto.json")                                                                \
	ONE(path, svg, ".svg")                                                                               \
	ONE(path, png, ".png")                                                                               \
	ONE(path, pdf, ".pdf")                                                                               \
	ONE(flow, svg, ".svg") /* all four: GArray of uint32_t, exp_flow_rows() */                           \
	ONE(flow, png, ".png")                                                                               \
	ONE(flow, pdf, ".pdf")                                                                               \
	ONE(flow, perfetto, ".perfetto.json")                                                                \
	ALL(requests) /* GArray of struct ana_exchange */                                                    \
	ALL(spans)    /* NULL */                                                                             \
	ALL(account)  /* NULL: about the row and the window of the options */                                \
	ALL(story)    /* struct ana_story */                                                                 \
	ONE(story, svg, ".svg")                                                                              \
	ONE(story, png, ".png")                                                                              \
	ONE(story, pdf, ".pdf")                                                                              \
	ALL(causes)   /* GArray of struct ana_causes_entry */                                                \
	ALL(machines) /* GArray of struct ana_machine */                                                     \
	ALL(stacks)   /* struct ana_stacks */                                                                \
	ONE(stacks, folded, ".folded")                                                                       \
	ALL(against) /* struct ana_against */                                                                \
	ALL(changes) /* GPtrArray of struct ana_against, one per kind */                                     \
	ALL(latency) /* struct ana_latency */                                                                \
	ALL(rules)   /* GPtrArray of struct ana_latency, one after the other; as a table only one */         \
	ALL(compare) /* struct ana_compare */                                                                \
	ONE(compare, folded, ".folded")                                                                      \
	ALL(events) /* GArray of struct qry_events_line, in the order to print */                            \
	ALL(table)  /* struct table_asked: all rows of a table, as a list of the explorer asks for them */   \
	ALL(fleet)  /* struct exp_fleet_of */                                                                \
	ALL(sync)   /* struct sync_hosts: the clocks of all hosts */                                         \
	ALL(watch)  /* struct exp_watch_of */                                                                \
	/* NULL: the travel time of each packet of the window by the clocks in use.  With columns: number, \
	 * shortest and longest travel time, for each direction between two hosts and each part of the     \
	 * window. */ \
	ALL(residuals)
#define EXP_DECLARE_ALL(result) exp_writer exp_##result;
#define EXP_DECLARE_ONE(result, format, ending) exp_writer exp_##result##_##format;
EXP_RESULTS(EXP_DECLARE_ALL, EXP_DECLARE_ONE)
#undef EXP_DECLARE_ALL
#undef EXP_DECLARE_ONE

/* One way to write a result. */
struct exp_output {
	const char *name, *ending; /* the name for --format, the file ending; static */
	enum table_format format;
	exp_writer *write;
};

/* *OUTPUT becomes format number I of RESULT; number 0 is the default.  False if there are not so many. */
bool exp_output_at(const char *result, unsigned i, struct exp_output *output);
/* *OUTPUT becomes the format of RESULT called NAME.  False with BASE_ERROR_USAGE, which lists the formats. */
bool exp_output_find(const char *result, const char *name, struct exp_output *output, GError **error);
/* The formats of RESULT as "text, json or csv", with BEHIND_DEFAULT ("" or " (default)") after the first.
 * The caller frees. */
char *exp_output_names(const char *result, const char *behind_default);

/* *OUTPUT becomes the format of RESULT whose file ending FILE has; the longest ending wins.  False if there
 * is none. */
bool exp_output_of_file(const char *result, const char *file, struct exp_output *output);
/* The file endings of RESULT, as ".txt .json .csv"; static. */
const char *exp_output_endings(const char *result);
/* Write WHAT, which is a RESULT, to FILE in the format of its ending; O->format and O->file are set.  False
 * with an error. */
bool exp_output_write(const char *result, struct qry *q, const void *what, struct exp_options *o,
	const char *file, GError **error);

/* The question, and how to write the answer.  Each result uses the members that apply to it. */
struct exp_options {
	enum table_format format;
	uint32_t row;       /* the row that the result is about */
	int64_t from, to;   /* the window, [FROM, TO) */
	const char *kind;   /* as of struct table_question */
	unsigned top;       /* maximum number of entries */
	uint32_t n_columns; /* sum over so many parts of the window; 0: list one by one */
	bool hide_tracer;   /* leave out the tracer's own threads */
	bool histogram;
	/* the colour of a theme's role on paper, 0xrrggbb; NULL: grey */
	uint32_t (*colour)(const char *role);
	const char *command; /* weak: the command line that makes the same output; NULL: not written */
	struct base_progress *progress; /* weak; NULL: never cancelled */
	struct exp_file *file; /* weak: takes long lists while they are written; NULL: OUT keeps all */
};

/* The result "sql". */
struct exp_sql_of {
	struct sql *sql;
	const char *text; /* one statement or more; each is run, and its rows are written */
};

/* The result "fleet". */
enum exp_fleet_what { EXP_FLEET_HOSTS, EXP_FLEET_LATENCY, EXP_FLEET_CAUSES, EXP_FLEET_COMPARE, EXP_FLEET_N };
struct exp_fleet_of {
	const struct flt_fleet *fleet;
	enum exp_fleet_what what;
	const char *kind; /* that was asked for; NULL: all */
};

/* The result "watch"; as a table (CSV) only the hits. */
struct exp_watch_of {
	const struct ana_watched *watched; /* its hits are explained */
	/* For each trigger: its hits against typical cases; NULL: nothing to compare, and WHY_NOT has the
	 * reason. */
	struct ana_compare *const *compares;
	char *const *why_not;
};

/* The result "info". */
struct exp_info_of {
	const struct ana_cost *costs;   /* one per host */
	const GArray *answers;          /* of struct ana_overview_line */
	const struct ana_overview *top; /* NULL: not asked for */
	const GArray *bookmarks;        /* of struct qry_bookmark; NULL: not asked for */
};

/*
 * Rows that are active in the window of O, host by host: CPUs, threads, virtual CPUs, IRQs, softirqs,
 * devices; without idle threads.  HOST: only this host; MDL_NONE: all hosts.  Returns a GArray of uint32_t;
 * the caller unrefs.
 */
GArray *exp_flow_rows(struct qry *q, const struct exp_options *o, uint32_t host);
/* PATH as text (the format of O), with at most MOST segments.  False with an error. */
bool exp_path_text(GString *out, struct qry *q, const struct ana_path *path, guint most,
	const struct exp_options *o, GError **error);
/* The steps of WHY as text. */
void exp_why(GString *out, const struct qry *q, const struct ana_why *why);
/* ---- the tables of SQL for other programs ---- */

/* The tables (of char *) in NAMES, separated by commas. NULL: all except event, because its rows are in the
 * tables of the types of events. The caller unrefs. NULL with an error. */
GPtrArray *exp_database_tables(struct sql *s, const char *names, GError **error);
/* Write TABLES to the SQLite database PATH, which is replaced; or to the new folder PATH as Parquet files,
 * TABLE/host=NAME/part-0.parquet.  LEFT_OUT (of char *) gets a line for each table that this recording cannot
 * answer; NULL: such a table is an error.  False with an error; PATH is then as it was. */
bool exp_database_sqlite(struct sql *s, const GPtrArray *tables, GPtrArray *left_out, const char *path,
	GError **error);
bool exp_database_parquet(struct sql *s, const struct qry *q, const GPtrArray *tables, GPtrArray *left_out,
	const char *path, GError **error);

/*
 * Write TEXT to the file PATH.  A regular file is written beside PATH and then renamed, so a full disk does
 * not damage the old file.  If a FIFO has no reader, wait for one (WAIT) or fail.  BASE_ERROR_IO on failure,
 * BASE_ERROR_CANCELLED if a signal stopped it.
 */
bool exp_write_file(const char *path, const GString *text, bool wait, GError **error);

/* Begin to write PATH (NULL: standard output) piece by piece, otherwise like exp_write_file(). */
struct exp_file *exp_file_new(const char *path);
/* Free FILE.  Unless exp_file_finish() succeeded, nothing is left of the new file. */
void exp_file_free(struct exp_file *file);
/* If TEXT is long, move it out of memory, except its last byte, which writers read to see where they are.
 * FILE may be NULL: then TEXT is unchanged. */
void exp_file_take(struct exp_file *file, GString *text);
/* The new file beside PATH, for a program that writes to a name. FILE owns the name. NULL after a failure,
 * which exp_file_finish() reports; a PATH that is not a regular file is a failure. */
const char *exp_file_beside(struct exp_file *file);
/* True if a part could not be written.  Further work is useless then. */
bool exp_file_failed(const struct exp_file *file);
/*
 * exp_file_hold() moves BYTES out of memory for a while if they are many; FILE may be NULL.  exp_file_give()
 * appends the next piece of them to BYTES, in the same order.  It returns false after the last piece or a
 * failure of FILE; then nothing is held any more.
 */
void exp_file_hold(struct exp_file *file, GString *bytes);
bool exp_file_give(struct exp_file *file, GString *bytes);
/* Write the rest, and finish like exp_write_file(). */
bool exp_file_finish(struct exp_file *file, const GString *rest, bool wait, GError **error);

#endif
