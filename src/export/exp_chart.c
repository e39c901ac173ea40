/* SPDX-License-Identifier: MIT */
/*
 * Bars are collected and drawn at the end, all bars of a kind together. A column has a few bars at most, so
 * memory and file do not grow with the number of segments. Adjacent columns that look alike become one bar.
 */
#include "export/exp_chart.h"

#include "export/exp_rows.h"

#include "base/base_text.h"
#include "base/base_time.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define MARGIN 28.0
#define NAMES 150.0 /* points; width of the names */
#define TOP 74.0
#define BOTTOM 92.0 /* points; axis, legend, remarks */
#define REMARK 8.5  /* points; height of a remark */
#define LEFT (MARGIN + NAMES)
#define RIGHT (PIC_WIDTH - MARGIN)
#define COLUMN 0.5 /* points; twice that if there are more than MANY rows */
#define MANY 30
#define NARROW 2.5 /* points; a narrower run of bars has no pattern */
#define KINDS_MOST 32
#define STEPS 8       /* different heights of a bar */
#define ROW_MOST 24.0 /* points; height of a row at most */
#define BAR 0.74      /* height of a bar, as a part of the row */
#define THIN 0.9      /* points; line of a state in which nothing happens */
#define TICKS_APART 62.0
#define LINKS_APART 1.5 /* points; links between two rows that are closer are drawn once */

#define INK 0x1f2933
#define FAINT 0x52606d

static const struct pic_look grid = { 0.3, 0xdde3ea, false }, axis = { 0.6, INK, false };

struct exp_chart {
	struct pic *pic; /* owned */
	struct exp_chart_of of;
	const struct qry *q;
	const struct exp_options *o;
	unsigned n_columns, row; /* the next row */
	double pitch;            /* points; height of a row */
	GArray **bars;           /* owned; by kind: of struct pic_rect */
	int64_t *sums;           /* owned; ns of each kind */
	GHashTable *links;       /* owned; links that are drawn */
	unsigned links_left_out;
	GPtrArray *remarks; /* owned; of char * */
	uint32_t host_colour;
};

static uint32_t colour_of(const struct exp_chart *chart, const char *group, const char *name)
{
	g_autofree char *role = g_strdup_printf("%s.%s", group, name);

	return chart->o->colour ? chart->o->colour(role) : FAINT;
}

static double x_of(const struct exp_chart *chart, int64_t time)
{
	double share = (double)(time - chart->of.from) / (double)(chart->of.to - chart->of.from);

	return LEFT + CLAMP(share, 0, 1) * (RIGHT - LEFT);
}

static double y_of(const struct exp_chart *chart, unsigned row)
{
	return TOP + row * chart->pitch;
}

/* ---- the head ---- */

static void put_line(struct exp_chart *chart, double y, const struct pic_font *font, uint32_t colour,
	const char *text)
{
	g_autofree char *clean = base_text_clean(text, -1);
	g_autofree char *cut = pic_text_fit(chart->pic, font, clean, RIGHT - MARGIN);

	pic_text(chart->pic, MARGIN, y, font, colour, cut);
}

static void put_head(struct exp_chart *chart)
{
	static const struct pic_font title = { 13, true, 0 }, small = { 7.5, false, 0 };
	g_autoptr(GString) traces = g_string_new("Trace ");

	put_line(chart, MARGIN + 10, &title, INK, chart->of.title);
	for (uint32_t i = 0; i < qry_host_count(chart->q); i++)
		g_string_append_printf(traces, "%s%s (%s)", i ? ", " : "", qry_host(chart->q, i)->meta->path,
			qry_host(chart->q, i)->name);
	put_line(chart, MARGIN + 22, &small, FAINT, traces->str);
	put_line(chart, MARGIN + 32, &small, FAINT, chart->of.about);
}

/* ---- time ---- */

/* The shortest of 1, 2, 5, 10, … ns whose ticks have enough distance. */
static int64_t chart_tick_of(int64_t span)
{
	static const int64_t factors[] = { 1, 2, 5 };
	int64_t least = (int64_t)((double)span * TICKS_APART / (RIGHT - LEFT)) + 1;

	for (int64_t power = 1; power <= INT64_MAX / 10; power *= 10)
		for (size_t i = 0; i < G_N_ELEMENTS(factors); i++)
			if (factors[i] * power >= least)
				return factors[i] * power;
	return INT64_MAX / 10;
}

/* Lines below all rows' bars, and their times at the bottom. */
static void put_axis(struct exp_chart *chart)
{
	static const struct pic_font font = { 7.5, false, 0.5 }, what = { 7.5, false, 1 };
	static const struct {
		int64_t ns;
		const char *name;
	} units[] = { { 1000000000, "s" }, { 1000000, "ms" }, { 1000, "µs" }, { 1, "ns" } };
	size_t unit = 0;
	int64_t step = chart_tick_of(chart->of.to - chart->of.from);
	g_autofree char *begin = table_time_text(chart->of.from), *text = NULL;
	double y = y_of(chart, chart->of.n_rows) + 3;

	while (units[unit].ns > step)
		unit++;
	text = g_strdup_printf("%s since %s", units[unit].name, begin);

	for (int64_t t = 0; t <= chart->of.to - chart->of.from && t >= 0; t += step) {
		double x = x_of(chart, chart->of.from + t);
		g_autofree char *number = g_strdup_printf("%" PRId64, t / units[unit].ns);

		pic_line(chart->pic, x, TOP, x, y, &grid);
		pic_line(chart->pic, x, y, x, y + 3, &axis);
		pic_text(chart->pic, x, y + 11, &font, INK, number);
	}
	pic_line(chart->pic, LEFT, y, RIGHT, y, &axis);
	pic_text(chart->pic, LEFT - 10, y + 11, &what, INK, text);
}

/* ---- begin ---- */

struct exp_chart *exp_chart_new(enum pic_format format, const struct exp_chart_of *of, const struct qry *q,
	const struct exp_options *o, GError **error)
{
	double columns = (RIGHT - LEFT) / (of->n_rows > MANY ? 2 * COLUMN : COLUMN);
	g_autofree char *title = base_text_clean(of->title, -1);
	struct pic *pic = pic_new(format, title, error);
	struct exp_chart *chart;

	if (!pic)
		return NULL;
	g_assert(of->n_kinds <= KINDS_MOST);
	chart = g_new0(struct exp_chart, 1);
	chart->pic = pic;
	chart->of = *of;
	chart->q = q;
	chart->o = o;
	chart->n_columns = (unsigned)MIN(columns, (double)(of->to - of->from));
	chart->pitch = MIN((PIC_HEIGHT - TOP - BOTTOM - of->n_told * REMARK) / MAX(of->n_rows, 1), ROW_MOST);
	chart->bars = g_new(GArray *, of->n_kinds);
	for (unsigned k = 0; k < of->n_kinds; k++)
		chart->bars[k] = g_array_new(FALSE, FALSE, sizeof(struct pic_rect));
	chart->sums = g_new0(int64_t, of->n_kinds);
	chart->links = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
	chart->remarks = g_ptr_array_new_with_free_func(g_free);
	chart->host_colour = INK;
	put_head(chart);
	put_axis(chart);
	return chart;
}

unsigned exp_chart_columns(const struct exp_chart *chart)
{
	return chart->n_columns;
}

int64_t exp_chart_time(const struct exp_chart *chart, unsigned c)
{
	return qry_column_time(chart->of.from, chart->of.to, chart->n_columns, c);
}

/* ---- rows ---- */

static double font_size(const struct exp_chart *chart)
{
	return MIN(8, chart->pitch * 0.82);
}

void exp_chart_host(struct exp_chart *chart, uint32_t host)
{
	struct pic_font font = { font_size(chart), true, 0 };
	char number[16];

	g_snprintf(number, sizeof(number), "%u", host % 6 + 1);
	chart->host_colour = colour_of(chart, "host", number);
	pic_text(chart->pic, MARGIN, y_of(chart, chart->row) + chart->pitch * 0.8, &font, chart->host_colour,
		qry_host(chart->q, host)->name);
	chart->row++;
}

/* Set the heights of a column's bars: STEPS in all, at least 1 for each kind that occurs. */
static void heights_of(const struct exp_chart *chart, const int64_t *ns, int64_t span, uint8_t *heights)
{
	unsigned sum = 0, most = 0;

	for (unsigned k = 0; k < chart->of.n_kinds; k++) {
		const struct exp_chart_kind *kind = &chart->of.kinds[k];
		double share = ns[k] > 0 && !kind->unseen ? (double)ns[k] / (double)MAX(span, 1) : 0;

		heights[k] = (uint8_t)(share > 0 ? CLAMP(share * STEPS + 0.5, 1, STEPS) : 0);
		sum += kind->rests ? 0 : heights[k];
		if (!kind->rests && (chart->of.kinds[most].rests || heights[k] > heights[most]))
			most = k;
	}
	if (sum > STEPS && !chart->of.kinds[most].rests)
		heights[most] = (uint8_t)MAX((int)heights[most] - (int)(sum - STEPS), 1);
}

/* Add the stacked bars of columns [C, END), which have HEIGHTS. */
static void add_bars(struct exp_chart *chart, unsigned c, unsigned end, const uint8_t *heights)
{
	double x = x_of(chart, exp_chart_time(chart, c)), width = x_of(chart, exp_chart_time(chart, end)) - x;
	double step = chart->pitch * BAR / STEPS, y = y_of(chart, chart->row) + chart->pitch * (1 + BAR) / 2;

	for (unsigned k = 0; k < chart->of.n_kinds; k++) {
		double height = chart->of.kinds[k].rests ? THIN : heights[k] * step;
		struct pic_rect bar = { x, y - height, width, height };

		if (!heights[k])
			continue;
		g_array_append_val(chart->bars[k], bar);
		y -= chart->of.kinds[k].rests ? 0 : height;
	}
}

unsigned exp_chart_row(struct exp_chart *chart, const char *name, const int64_t *cells)
{
	unsigned n = chart->of.n_kinds, begun = 0;
	uint8_t last[KINDS_MOST] = { 0 }, heights[KINDS_MOST];
	struct pic_font font = { font_size(chart), false, 1 };
	g_autofree char *clean = base_text_clean(name, -1);
	g_autofree char *cut = pic_text_fit(chart->pic, &font, clean, NAMES - 6);
	double y = y_of(chart, chart->row);

	pic_text(chart->pic, LEFT - 5, y + chart->pitch * 0.76, &font, chart->host_colour, cut);
	pic_line(chart->pic, LEFT, y + chart->pitch, RIGHT, y + chart->pitch, &grid);
	for (unsigned c = 0; c < chart->n_columns; c++) {
		heights_of(chart, cells + (size_t)c * n,
			exp_chart_time(chart, c + 1) - exp_chart_time(chart, c), heights);
		for (unsigned k = 0; k < n; k++)
			chart->sums[k] = base_time_sum(chart->sums[k], cells[(size_t)c * n + k]);
		if (c > 0 && memcmp(last, heights, n) != 0) {
			add_bars(chart, begun, c, last);
			begun = c;
		}
		memcpy(last, heights, n);
	}
	add_bars(chart, begun, chart->n_columns, last);
	return chart->row++;
}

/* ---- over the bars ---- */

/* The number of BARS that touch each other, from the first one. *WIDTH: their width together. */
static guint run_of(const struct pic_rect *bars, guint n, double *width)
{
	guint i = 0;

	*width = 0;
	do
		*width += bars[i].width;
	while (++i < n && fabs(bars[i - 1].x + bars[i - 1].width - bars[i].x) < COLUMN / 8);
	return i;
}

/* Draw the bars of KIND. Bars narrower than the pattern might show only its white parts: they are solid. */
static void put_kind(struct exp_chart *chart, unsigned kind)
{
	const struct pic_rect *bars = (const struct pic_rect *)(const void *)chart->bars[kind]->data;
	g_autoptr(GArray) wide = g_array_new(FALSE, FALSE, sizeof(*bars)),
			  narrow = g_array_new(FALSE, FALSE, sizeof(*bars));
	uint32_t colour = colour_of(chart, chart->of.role, chart->of.kinds[kind].name);
	double width;

	for (guint i = 0, n; i < chart->bars[kind]->len; i += n) {
		n = run_of(bars + i, chart->bars[kind]->len - i, &width);
		g_array_append_vals(width < NARROW ? narrow : wide, bars + i, n);
	}
	pic_rects(chart->pic, (const struct pic_rect *)(const void *)wide->data, wide->len, colour,
		chart->of.kinds[kind].rests ? PIC_SOLID : chart->of.kinds[kind].pattern);
	pic_rects(chart->pic, (const struct pic_rect *)(const void *)narrow->data, narrow->len, colour,
		PIC_SOLID);
	g_array_set_size(chart->bars[kind], 0);
}

/* Draw the bars now, so that later things are drawn over them. */
static void put_bars(struct exp_chart *chart)
{
	for (unsigned k = 0; k < chart->of.n_kinds; k++)
		if (chart->bars[k]->len)
			put_kind(chart, k);
}

void exp_chart_label(struct exp_chart *chart, unsigned row, int64_t from, int64_t to, const char *what)
{
	struct pic_font font = { MIN(6.5, chart->pitch * 0.5), false, 0.5 };
	double x = x_of(chart, from), width = x_of(chart, to) - x, y = y_of(chart, row) + chart->pitch / 2;
	g_autofree char *length = table_duration_text(to - from),
			*text = g_strdup_printf("%s %s", what, length);
	double needed;

	if (font.size < 5 || width < 20)
		return;
	needed = pic_text_width(chart->pic, &font, text) + 4;
	if (needed > width - 4)
		return;
	put_bars(chart);
	pic_rects(chart->pic,
		&(struct pic_rect){ x + (width - needed) / 2, y - font.size * 0.6, needed, font.size * 1.2 },
		1, 0xffffff, PIC_SOLID);
	pic_text(chart->pic, x + width / 2, y + font.size * 0.36, &font, INK, text);
}

void exp_chart_link(struct exp_chart *chart, unsigned row, int64_t at, unsigned to_row, int64_t to,
	bool inferred)
{
	double half = chart->pitch / 2, x = x_of(chart, at), to_x = x_of(chart, to);
	gint64 *key = g_new(gint64, 1);

	*key = ((gint64)(x / LINKS_APART) * EXP_CHART_ROWS + row) * EXP_CHART_ROWS * 2 + to_row * 2 +
		inferred;
	if (row == to_row || !g_hash_table_add(chart->links, key)) {
		chart->links_left_out += row != to_row;
		if (row == to_row)
			g_free(key);
		return;
	}
	put_bars(chart);
	pic_arrow(chart->pic, x, y_of(chart, row) + half, to_x, y_of(chart, to_row) + half,
		&(struct pic_look){ 0.6, inferred ? colour_of(chart, "grade", "inferred") : INK, inferred });
}

void exp_chart_remark(struct exp_chart *chart, char *text)
{
	g_ptr_array_add(chart->remarks, text);
}

/* ---- below ---- */

/* Draw a swatch with name and sum for each kind that occurs. Returns the y below the legend. */
static double put_legend(struct exp_chart *chart, double y)
{
	static const struct pic_font font = { 7.5, false, 0 };
	double x = MARGIN;
	int64_t all = 0;

	for (unsigned k = 0; k < chart->of.n_kinds; k++)
		all = base_time_sum(all, chart->of.kinds[k].unseen ? 0 : chart->sums[k]);
	for (unsigned k = 0; k < chart->of.n_kinds; k++) {
		const struct exp_chart_kind *kind = &chart->of.kinds[k];
		g_autofree char *time = table_duration_text(chart->sums[k]);
		g_autofree char *text = g_strdup_printf("%s %s, %.1f %%", kind->name, time,
			100.0 * (double)chart->sums[k] / (double)MAX(all, 1));
		double width = pic_text_width(chart->pic, &font, text) + 32;

		if (kind->unseen || !chart->sums[k])
			continue;
		if (x + width > RIGHT) {
			x = MARGIN;
			y += 12;
		}
		pic_rects(chart->pic,
			&(struct pic_rect){ x, kind->rests ? y - 3 : y - 7, 18, kind->rests ? THIN : 8 }, 1,
			colour_of(chart, chart->of.role, kind->name),
			kind->rests ? PIC_SOLID : kind->pattern);
		pic_text(chart->pic, x + 21, y, &font, INK, text);
		x += width;
	}
	return y + 12;
}

bool exp_chart_finish(struct exp_chart *chart, GString *out, GError **error)
{
	static const struct pic_font small = { 6.5, false, 0 };
	double y = y_of(chart, chart->of.n_rows) + 28;
	bool fine;

	put_bars(chart);
	y = put_legend(chart, y);
	if (chart->links_left_out)
		exp_chart_remark(chart,
			g_strdup_printf("%u arrows coincide with others and are not drawn",
				chart->links_left_out));
	if (chart->o->command)
		exp_chart_remark(chart, g_strconcat("Made by: ", chart->o->command, NULL));
	for (guint i = 0; i < chart->remarks->len; i++, y += REMARK)
		put_line(chart, y, &small, FAINT, g_ptr_array_index(chart->remarks, i));
	fine = pic_finish(chart->pic, out, error);
	for (unsigned k = 0; k < chart->of.n_kinds; k++)
		g_array_unref(chart->bars[k]);
	g_free(chart->bars);
	g_free(chart->sums);
	g_hash_table_unref(chart->links);
	g_ptr_array_unref(chart->remarks);
	g_free(chart);
	return fine;
}
