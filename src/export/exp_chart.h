/* SPDX-License-Identifier: MIT */
/*
 * Rows over time on a page.  Names are on the left.  Time is divided into columns of half a point or one
 * point; each column has one bar per kind, as high as the kind's share.  Below the rows: the axis, a legend
 * with the sum of each kind, and remarks.  Only for the export library.
 */
#ifndef EXP_CHART_H
#define EXP_CHART_H

#include "export/exp.h"
#include "picture/pic.h"

/* A kind of time that a row can show. */
struct exp_chart_kind {
	const char *name; /* static */
	enum pic_pattern pattern;
	bool rests;  /* drawn as a thin line, not as a bar */
	bool unseen; /* neither drawn nor summed */
};

/* The content of a chart. */
struct exp_chart_of {
	const char *title, *about; /* ABOUT: a sentence below the title */
	const char *role;          /* the theme's name for the group of these kinds: "state" */
	const struct exp_chart_kind *kinds;
	unsigned n_kinds;
	int64_t from, to;
	unsigned n_rows; /* rows that will be added, headings included; at most EXP_CHART_ROWS */
	unsigned n_told; /* remarks to reserve room for, except those about what is drawn */
};
#define EXP_CHART_ROWS 54

struct exp_chart;

/* Begin the chart OF.  NULL with an error of pic_new(). */
struct exp_chart *exp_chart_new(enum pic_format format, const struct exp_chart_of *of, const struct qry *q,
	const struct exp_options *o, GError **error);
/* The number of time columns; column C begins at exp_chart_time(), in ns. */
unsigned exp_chart_columns(const struct exp_chart *chart);
int64_t exp_chart_time(const struct exp_chart *chart, unsigned c);
/* Add a row: a heading with the name of HOST. */
void exp_chart_host(struct exp_chart *chart, uint32_t host);
/* Add a row, and return its number.  CELLS: for each column the ns of each kind. */
unsigned exp_chart_row(struct exp_chart *chart, const char *name, const int64_t *cells);
/* Write WHAT and the duration over [FROM, TO) of ROW, if there is room. */
void exp_chart_label(struct exp_chart *chart, unsigned row, int64_t from, int64_t to, const char *what);
/* Draw an arrow from time AT of ROW to time TO of TO_ROW. */
void exp_chart_link(struct exp_chart *chart, unsigned row, int64_t at, unsigned to_row, int64_t to,
	bool inferred);
/* Add a line at the bottom.  Takes ownership of TEXT. */
void exp_chart_remark(struct exp_chart *chart, char *text);
/* Finish like pic_finish(), and free CHART. */
bool exp_chart_finish(struct exp_chart *chart, GString *out, GError **error);

/* Define exp_WHAT_svg(), _png() and _pdf(), as EXP_RESULTS names them, which call WHAT_picture_draw() of the
 * file. */
#define EXP_CHART_FORMATS(what)              \
	EXP_CHART_FORMAT(what, svg, PIC_SVG) \
	EXP_CHART_FORMAT(what, png, PIC_PNG) \
	EXP_CHART_FORMAT(what, pdf, PIC_PDF)
#define EXP_CHART_FORMAT(what, format, FORMAT)                                      \
	bool exp_##what##_##format(GString *out, struct qry *q, const void *result, \
		const struct exp_options *o, GError **error)                        \
	{                                                                           \
		return what##_picture_draw(out, q, result, o, FORMAT, error);       \
	}

#endif
