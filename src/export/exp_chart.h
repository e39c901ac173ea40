/* SPDX-License-Identifier: MIT */
/*
 * Rows over time on a page: names to the left, in each column of half a point or one bars as high as the
 * share of each kind in it, below them the axis, a legend with the sum of each kind, and remarks.  Inside the
 * library only.
 */
#ifndef EXP_CHART_H
#define EXP_CHART_H

#include "export/exp.h"
#include "picture/pic.h"

/* One of the kinds of what can be in a row. */
struct exp_chart_kind {
	const char *name; /* static */
	enum pic_pattern pattern;
	bool rests;  /* a thin line, no bar */
	bool unseen; /* neither drawn nor summed */
};

/* What is drawn. */
struct exp_chart_of {
	const char *title, *about; /* ABOUT: a sentence below it */
	const char *role;          /* what the theme calls the group of the kinds: "state" */
	const struct exp_chart_kind *kinds;
	unsigned n_kinds;
	int64_t from, to;
	unsigned n_rows; /* that will be added, headings included: at most EXP_CHART_ROWS */
};
#define EXP_CHART_ROWS 54

struct exp_chart;

/* NULL with an error as pic_new(). */
struct exp_chart *exp_chart_new(enum pic_format format, const struct exp_chart_of *of, const struct qry *q,
	const struct exp_options *o, GError **error);
/* How many columns its time has; column C begins at exp_chart_time(). */
unsigned exp_chart_columns(const struct exp_chart *chart);
int64_t exp_chart_time(const struct exp_chart *chart, unsigned c);
/* The next row: a heading. */
void exp_chart_host(struct exp_chart *chart, uint32_t host);
/* The next row, whose number is returned.  CELLS: of each column the ns of each kind. */
unsigned exp_chart_row(struct exp_chart *chart, const char *name, const int64_t *cells);
/* Write WHAT and how long it is over that stretch of ROW, where there is room. */
void exp_chart_label(struct exp_chart *chart, unsigned row, int64_t from, int64_t to, const char *what);
/* From a time of a row to one of another. */
void exp_chart_link(struct exp_chart *chart, unsigned row, int64_t at, unsigned to_row, int64_t to,
	bool inferred);
/* A line at the bottom.  Takes TEXT over. */
void exp_chart_remark(struct exp_chart *chart, char *text);
/* As pic_finish(). */
bool exp_chart_finish(struct exp_chart *chart, GString *out, GError **error);

/* exp_WHAT_svg() and so on, as EXP_RESULTS names them, of the file's own draw(). */
#define EXP_CHART_FORMATS(what)              \
	EXP_CHART_FORMAT(what, svg, PIC_SVG) \
	EXP_CHART_FORMAT(what, png, PIC_PNG) \
	EXP_CHART_FORMAT(what, pdf, PIC_PDF)
#define EXP_CHART_FORMAT(what, format, FORMAT)                                      \
	bool exp_##what##_##format(GString *out, struct qry *q, const void *result, \
		const struct exp_options *o, GError **error)                        \
	{                                                                           \
		return draw(out, q, result, o, FORMAT, error);                      \
	}

#endif
