/* SPDX-License-Identifier: MIT */
/*
 * Results as text, JSON, CSV and Markdown: one function per result and one place that
 * writes to a file.  JSON keys are those of cli.md; CSV has a header line and
 * RFC 4180 quoting; text is for people, Markdown for people who read it in a ticket.
 */
#ifndef EXP_H
#define EXP_H

#include "analysis/latency/against.h"
#include "analysis/causes/causes.h"
#include "analysis/compare/compare.h"
#include "analysis/causes/cost.h"
#include "analysis/request/exchange.h"
#include "analysis/latency/latency.h"
#include "analysis/overview/overview.h"
#include "analysis/path/path.h"
#include "analysis/request/residuals.h"
#include "analysis/stacks/stacks.h"
#include "analysis/wait/why.h"
#include "query/events/events.h"
#include "query/clock/sync.h"

struct exp_options;
struct exp_file;

/* Appends RESULT to OUT, which then ends with a newline.  False with an error where it reads the traces and
 * one cannot be read, or when the progress was cancelled. */
typedef bool exp_writer(GString *out, struct qry *q, const void *result, const struct exp_options *o,
	GError **error);

/* The formats that each result has, whose rows exp_rows.c writes: F(ID, name, ending of files).  The first is
 * the default. */
#define EXP_FORMATS(F)           \
	F(TEXT, "text", ".txt")  \
	F(JSON, "json", ".json") \
	F(CSV, "csv", ".csv")    \
	F(MARKDOWN, "markdown", ".md")
enum exp_format {
#define EXP_FORMAT_ID(id, name, ending) EXP_##id,
	EXP_FORMATS(EXP_FORMAT_ID)
#undef EXP_FORMAT_ID
};

/*
 * All results.  ALL(RESULT): exp_RESULT() writes it in these formats.  ONE(RESULT, FORMAT, ending of files):
 * exp_RESULT_FORMAT() writes it in one more, which only it has.  A command names its result (struct
 * app_command).
 */
#define EXP_RESULTS(ALL, ONE)                                                                                  \
	ALL(info)    /* struct exp_info_of */                                                                  \
	ALL(threads) /* NULL */                                                                                \
	ALL(states)  /* NULL, of the row asked for; as the next */                                             \
	ALL(wakeups)                                                                                           \
	ALL(path) /* struct ana_path */                                                                        \
	ONE(path, folded, ".folded")                                                                           \
	ONE(path, perfetto, ".perfetto.json")                                                                  \
	ONE(path, svg, ".svg")                                                                                 \
	ONE(path, png, ".png")                                                                                 \
	ONE(path, pdf, ".pdf")                                                                                 \
	ONE(flow, svg, ".svg") /* GArray of uint32_t: exp_flow_rows(), as the next */                          \
	ONE(flow, png, ".png")                                                                                 \
	ONE(flow, pdf, ".pdf")                                                                                 \
	ONE(flow, perfetto, ".perfetto.json")                                                                  \
	ALL(requests) /* GArray of struct ana_exchange */                                                      \
	ALL(account)  /* NULL, of the row and the window asked for */                                          \
	ALL(causes)   /* GArray of struct ana_causes_entry */                                                  \
	ALL(machines) /* GArray of struct ana_machine */                                                       \
	ALL(stacks)   /* struct ana_stacks */                                                                  \
	ONE(stacks, folded, ".folded")                                                                         \
	ALL(against) /* struct ana_against */                                                                  \
	ALL(changes) /* GPtrArray of struct ana_against, each of a kind of its own */                          \
	ALL(latency) /* struct ana_latency */                                                                  \
	ALL(rules)   /* GPtrArray of struct ana_latency: one after the other, as a table only one */           \
	ALL(compare) /* struct ana_compare */                                                                  \
	ONE(compare, folded, ".folded")                                                                        \
	ALL(events) /* GArray of struct qry_events_line, in their order */                                     \
	ALL(sync)   /* struct sync_hosts: the clocks of all hosts */                                           \
	/* struct ana_residuals_window: how long its packets were on their way by the clocks in use: each of \
	 * them, or, with columns, for each way from host to host and each of so many parts of the window    \
	 * their number, the shortest and the longest time */ \
	ALL(residuals)
#define EXP_DECLARE_ALL(result) exp_writer exp_##result;
#define EXP_DECLARE_ONE(result, format, ending) exp_writer exp_##result##_##format;
EXP_RESULTS(EXP_DECLARE_ALL, EXP_DECLARE_ONE)
#undef EXP_DECLARE_ALL
#undef EXP_DECLARE_ONE

/* One way to write a result. */
struct exp_output {
	const char *name, *ending; /* as --format has it; of files; static */
	enum exp_format format;
	exp_writer *write;
};

/* The one number I that RESULT has, from 0 on, the default; false: it has not so many. */
bool exp_output_at(const char *result, unsigned i, struct exp_output *output);
/* The one called NAME; false with BASE_ERROR_USAGE, which names those there are. */
bool exp_output_find(const char *result, const char *name, struct exp_output *output, GError **error);
/* "text, json or csv", DEFAULT ("", " (default)") behind the first.  The caller frees. */
char *exp_output_names(const char *result, const char *behind_default);

/* The one whose ending FILE has, the longest, as one may end like another; false: it has none. */
bool exp_output_of_file(const char *result, const char *file, struct exp_output *output);
/* The endings of files that RESULT has: ".txt .json .csv"; static. */
const char *exp_output_endings(const char *result);
/* Write WHAT of RESULT to FILE in the format that its ending tells, which O->format becomes.  False with an
 * error. */
bool exp_output_write(const char *result, struct qry *q, const void *what, struct exp_options *o,
	const char *file, GError **error);

/* What was asked for and how it is to be told; a result looks at what concerns it. */
struct exp_options {
	enum exp_format format;
	uint32_t row;       /* whose result it is */
	int64_t from, to;   /* the window, [FROM, TO) */
	unsigned top;       /* no more than the first so many */
	uint32_t n_columns; /* sums over so many parts of the window; 0: one by one */
	bool hide_tracer;   /* without the tracer's own */
	bool histogram;
	bool more;                            /* there are more lines than those told */
	uint32_t (*colour)(const char *role); /* of a role of themes on paper, 0xrrggbb; NULL: grey */
	const char *command;            /* weak: the command line that does the same; NULL: it is not told */
	struct base_progress *progress; /* weak; NULL: never cancelled */
	struct exp_file *file; /* weak: takes long lists while they are written; NULL: nothing does */
};

/* What info tells. */
struct exp_info_of {
	const struct ana_cost *costs;   /* of each host */
	const struct ana_overview *top; /* NULL: not asked for */
	const GArray *bookmarks;        /* of struct qry_bookmark; NULL: not asked for */
};

/* The rows that do anything in the window of O, host by host: CPUs, threads, interrupts.  HOST: only its;
 * MDL_NONE: those of all.  GArray of uint32_t, the caller unrefs. */
GArray *exp_flow_rows(struct qry *q, const struct exp_options *o, uint32_t host);
/* As text, the format of O, with no more than the first MOST segments. */
void exp_path_text(GString *out, struct qry *q, const struct ana_path *path, guint most,
	const struct exp_options *o);
/* The steps of WHY as text. */
void exp_why(GString *out, const struct qry *q, const struct ana_why *why);
/*
 * Write TEXT to the file PATH: beside it and renamed, so that a full disk
 * leaves what was there.  A FIFO that nobody reads is waited for (WAIT) or refused.  BASE_ERROR_IO on
 * failure, BASE_ERROR_CANCELLED when a signal stopped it.
 */
bool exp_write_file(const char *path, const GString *text, bool wait, GError **error);

/* The same, bit by bit: text on its way to PATH (NULL: standard output). */
struct exp_file *exp_file_new(const char *path);
/* What is not finished leaves nothing behind. */
void exp_file_free(struct exp_file *file);
/* Once TEXT is long take it out of memory, but for its last byte, by which who goes on writing tells where it
 * is.  FILE NULL: it stays; as of the next. */
void exp_file_take(struct exp_file *file, GString *text);
/* Could something of it not be written?  Then there is no use in going on. */
bool exp_file_failed(const struct exp_file *file);
/* Once BYTES are many take them out of memory for a while; exp_file_give() appends the next of them to BYTES,
 * in pieces, as they were taken.  False: that was all, or FILE has failed; then none is held any more. */
void exp_file_hold(struct exp_file *file, GString *bytes);
bool exp_file_give(struct exp_file *file, GString *bytes);
/* The rest of it: as exp_write_file(). */
bool exp_file_finish(struct exp_file *file, const GString *rest, bool wait, GError **error);

#endif
