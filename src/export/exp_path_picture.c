/* SPDX-License-Identifier: MIT */
/* A path as a picture: a row for each actor with its segments, and an arrow for each link. */
#include "export/exp.h"

#include "export/exp_chart.h"
#include "export/exp_rows.h"
#include "table/rows.h"

#include "base/base_error.h"

#include <string.h>

#define HOSTS_MOST 12 /* with more hosts there are no headings, and each name begins with its host */

static const enum pic_pattern patterns[ANA_SEG_N] = {
	[ANA_SEG_RUNNING] = PIC_SOLID,
	[ANA_SEG_SYSCALL] = PIC_RISING,
	[ANA_SEG_INTERRUPTED] = PIC_DOTS,
	[ANA_SEG_WAIT_CPU] = PIC_UPRIGHT,
	[ANA_SEG_PREEMPTED] = PIC_CROSSED,
	[ANA_SEG_THROTTLED] = PIC_LEVEL,
	[ANA_SEG_BLOCK] = PIC_FALLING,
	[ANA_SEG_FLUSH] = PIC_RISING,
	[ANA_SEG_NETWORK] = PIC_LEVEL,
	[ANA_SEG_TIMER] = PIC_HOLLOW,
	[ANA_SEG_TIMER_LATE] = PIC_GRID,
	[ANA_SEG_IPI] = PIC_DOTS,
	[ANA_SEG_IPI_WAIT] = PIC_UPRIGHT,
	[ANA_SEG_WAITING] = PIC_FALLING,
	[ANA_SEG_IRQ] = PIC_GRID,
	[ANA_SEG_USER_INPUT] = PIC_LEVEL,
	[ANA_SEG_VCPU_PREEMPTED] = PIC_CROSSED,
	[ANA_SEG_VCPU_EXIT] = PIC_UPRIGHT,
	[ANA_SEG_VM_INTERRUPT] = PIC_FALLING,
	[ANA_SEG_SUSPEND] = PIC_LEVEL,
	[ANA_SEG_BLOCKED] = PIC_HOLLOW,
	[ANA_SEG_UNKNOWN] = PIC_HOLLOW,
};

/* The rows of the actors. */
struct rows {
	uint32_t *row;   /* owned; of each actor; UINT32_MAX: in the last row with the others */
	int64_t *time;   /* owned; ns of each actor */
	uint32_t others; /* number of actors without a row of their own */
	uint32_t n;      /* number of rows, headings included */
	bool headings;
};

static void find_hosts(const struct qry *q, const struct ana_path *path, GArray *hosts)
{
	for (guint i = 0; i < path->actors->len; i++) {
		uint32_t host = ana_path_actor(path, i)->host;
		bool known = host >= qry_host_count(q);

		for (guint k = 0; k < hosts->len; k++)
			known |= g_array_index(hosts, uint32_t, k) == host;
		if (!known)
			g_array_append_val(hosts, host);
	}
}

static int path_picture_by_time(const void *a, const void *b, void *data)
{
	const int64_t *time = data;
	int64_t x = time[*(const uint32_t *)a], y = time[*(const uint32_t *)b];

	return (x < y) - (x > y);
}

/* Give the actors with the most time on the path their own row: set their ROW to 0. */
static void path_picture_choose(struct rows *rows, uint32_t n_actors, uint32_t room)
{
	g_autoptr(GArray) order = g_array_sized_new(FALSE, FALSE, sizeof(uint32_t), n_actors);

	for (uint32_t i = 0; i < n_actors; i++) {
		g_array_append_val(order, i);
		rows->row[i] = UINT32_MAX;
	}
	g_array_sort_with_data(order, path_picture_by_time, rows->time);
	if (n_actors > room)
		rows->others = n_actors - --room;
	for (uint32_t i = 0; i < MIN(room, n_actors); i++)
		rows->row[g_array_index(order, uint32_t, i)] = 0;
}

/* Number the rows from the top, host by host, in each host in the order of the path. */
static void path_picture_place(struct rows *rows, const struct ana_path *path, const GArray *hosts)
{
	for (guint h = 0; h < (rows->headings ? hosts->len : 1); h++) {
		rows->n += rows->headings;
		for (guint i = 0; i < path->actors->len; i++)
			if (rows->row[i] != UINT32_MAX &&
				(!rows->headings ||
					ana_path_actor(path, i)->host == g_array_index(hosts, uint32_t, h)))
				rows->row[i] = rows->n++;
	}
	rows->n += rows->others > 0;
}

static struct rows rows_of(const struct ana_path *path, const GArray *hosts)
{
	uint32_t n = MAX(path->actors->len, 1); /* even an empty path has its subject */
	struct rows rows = { g_new(uint32_t, n), g_new0(int64_t, n), 0, 0,
		hosts->len > 1 && hosts->len <= HOSTS_MOST };

	for (guint i = 0; i < path->segments->len; i++)
		rows.time[ana_path_segment(path, i)->actor] += ana_path_segment(path, i)->to -
			ana_path_segment(path, i)->from;
	path_picture_choose(&rows, path->actors->len, EXP_CHART_ROWS - (rows.headings ? hosts->len : 0));
	path_picture_place(&rows, path, hosts);
	return rows;
}

static uint32_t path_picture_row_of(const struct rows *rows, uint32_t actor)
{
	return MIN(rows->row[actor], rows->n - 1);
}

/* ---- drawing ---- */

/* The column that contains TIME. */
static unsigned path_picture_column_of(const struct exp_chart *chart, const struct ana_path *path,
	int64_t time)
{
	double share = (double)(time - path->from) / (double)(path->to - path->from);
	unsigned n = exp_chart_columns(chart), c = (unsigned)CLAMP(share * n, 0, n - 1);

	while (c > 0 && exp_chart_time(chart, c) > time)
		c--;
	while (c + 1 < n && exp_chart_time(chart, c + 1) <= time)
		c++;
	return c;
}

static void add_segment(const struct exp_chart *chart, const struct ana_path *path,
	const struct ana_segment *s, GArray *cells)
{
	int64_t next;

	for (int64_t at = s->from; at < s->to; at = next) {
		unsigned c = path_picture_column_of(chart, path, at);

		next = MIN(s->to, exp_chart_time(chart, c + 1));
		g_array_index(cells, int64_t, c * ANA_SEG_N + s->kind) += next - at;
	}
}

/* Add ROW with NAME, and the segments of all its actors. */
static void put_row(struct exp_chart *chart, const struct ana_path *path, const struct rows *rows,
	uint32_t row, const char *name)
{
	g_autoptr(GArray) cells = g_array_new(FALSE, TRUE, sizeof(int64_t));

	g_array_set_size(cells, exp_chart_columns(chart) * ANA_SEG_N);
	for (guint i = 0; i < path->segments->len; i++)
		if (path_picture_row_of(rows, ana_path_segment(path, i)->actor) == row)
			add_segment(chart, path, ana_path_segment(path, i), cells);
	exp_chart_row(chart, name, &g_array_index(cells, int64_t, 0));
}

static void path_picture_put_rows(struct exp_chart *chart, const struct qry *q, const struct ana_path *path,
	const struct rows *rows, const GArray *hosts)
{
	for (guint h = 0; h < (rows->headings ? hosts->len : 1); h++) {
		uint32_t host = g_array_index(hosts, uint32_t, h);

		if (rows->headings)
			exp_chart_host(chart, host);
		for (guint i = 0; i < path->actors->len; i++) {
			const struct ana_actor *a = ana_path_actor(path, i);
			const char *label = a->label, *name = qry_host(q, a->host)->name;
			size_t n = strlen(name);
			bool prefixed = !strncmp(label, name, n) && label[n] == '/';

			if (rows->row[i] != UINT32_MAX && (!rows->headings || a->host == host))
				put_row(chart, path, rows, rows->row[i],
					rows->headings && prefixed ? label + n + 1 : label);
		}
	}
	if (rows->others) {
		g_autofree char *name = g_strdup_printf("%u others", rows->others);

		put_row(chart, path, rows, rows->n - 1, name);
	}
}

/* True if the path remains with the actor of SEGMENT long enough to be visible. SEGMENT is the first (STEP 1)
 * or the last (-1) of this actor's stay. */
static bool is_seen(const struct exp_chart *chart, const struct ana_path *path, uint32_t segment, int step)
{
	int64_t least = 2 * (path->to - path->from) / exp_chart_columns(chart), sum = 0;
	uint32_t actor = ana_path_segment(path, segment)->actor;

	for (uint32_t i = segment;
		i < path->segments->len && ana_path_segment(path, i)->actor == actor && sum < least;
		i += (uint32_t)step)
		sum += ana_path_segment(path, i)->to - ana_path_segment(path, i)->from;
	return sum >= least;
}

/* Draw the arrows, except those between segments that are mere dots, because these would hide everything. */
static void put_links(struct exp_chart *chart, const struct ana_path *path, const struct rows *rows)
{
	unsigned hidden = 0;

	for (guint i = 0; i < path->links->len; i++) {
		const struct ana_link *l = &g_array_index(path->links, struct ana_link, i);

		if (is_seen(chart, path, l->from, -1) || is_seen(chart, path, l->to, 1))
			exp_chart_link(chart,
				path_picture_row_of(rows, ana_path_segment(path, l->from)->actor), l->at,
				path_picture_row_of(rows, ana_path_segment(path, l->to)->actor), l->arrival,
				table_link_doubts(path, l) != 0);
		else
			hidden++;
	}
	if (hidden)
		exp_chart_remark(chart,
			g_strdup_printf("%u of %u arrows between segments too short to see are left out",
				hidden, path->links->len));
}

/* Label the segments with their kinds if there is room. Remark the number of segments too short to see. */
static void put_labels(struct exp_chart *chart, const struct ana_path *path, const struct rows *rows)
{
	int64_t column = (path->to - path->from) / exp_chart_columns(chart);
	unsigned shorter = 0;

	for (guint i = 0; i < path->segments->len; i++) {
		const struct ana_segment *s = ana_path_segment(path, i);

		shorter += s->to - s->from < column;
		exp_chart_label(chart, path_picture_row_of(rows, s->actor), s->from, s->to,
			ana_segment_kind_name(s->kind));
	}
	if (shorter) {
		g_autofree char *length = table_duration_text(column);

		exp_chart_remark(chart,
			g_strdup_printf(
				"%u of %u segments are shorter than a column (%s): bar height is their share of it",
				shorter, path->segments->len, length));
	}
	exp_chart_remark(chart,
		g_strdup("Arrows lead from the waker to the wakee; dashed: inferred or unknown"));
}

/* Draw PATH with TITLE, and the lines TOLD below it. */
static bool path_picture_page(GString *out, struct qry *q, const struct ana_path *path, const char *title,
	const GPtrArray *told, const struct exp_options *o, enum pic_format format, GError **error)
{
	g_autoptr(GArray) hosts = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	g_autoptr(GString) about = exp_path_title(q, path);
	struct exp_chart_kind kinds[ANA_SEG_N];
	struct exp_chart *chart;
	struct rows rows;

	find_hosts(q, path, hosts);
	rows = rows_of(path, hosts);
	for (unsigned k = 0; k < ANA_SEG_N; k++)
		kinds[k] = (struct exp_chart_kind){ ana_segment_kind_name(k), patterns[k], false, false };
	chart = exp_chart_new(format,
		&(struct exp_chart_of){ title, about->str, "path", kinds, ANA_SEG_N, path->from, path->to,
			rows.n, told ? told->len : 0 },
		q, o, error);
	for (guint i = 0; chart && told && i < told->len; i++)
		exp_chart_remark(chart, g_strdup(g_ptr_array_index(told, i)));
	if (chart) {
		path_picture_put_rows(chart, q, path, &rows, hosts);
		put_links(chart, path, &rows);
		put_labels(chart, path, &rows);
	}
	g_free(rows.row);
	g_free(rows.time);
	return chart && exp_chart_finish(chart, out, error);
}

static bool path_picture_draw(GString *out, struct qry *q, const struct ana_path *path,
	const struct exp_options *o, enum pic_format format, GError **error)
{
	g_autofree char *label = qry_row_label(q, path->subject),
			*title = g_strdup_printf("Critical path of %s", label);

	return path_picture_page(out, q, path, title, NULL, o, format, error);
}

EXP_CHART_FORMATS(path)

/* A line for each part of S and for each thing that is unknown. The caller unrefs. */
static GPtrArray *story_lines(const struct ana_story *s)
{
	GPtrArray *lines = ana_story_unknown(s);

	for (guint i = 0; i < s->parts->len; i++) {
		const struct ana_story_part *p = &g_array_index(s->parts, struct ana_story_part, i);
		g_autofree char *time = table_duration_text(p->time);

		g_ptr_array_insert(lines, (gint)i,
			g_strdup_printf("%s, %.1f %%: %s%s%s (%s)", time,
				100 * (double)p->time / (double)(s->to - s->from), p->what,
				*p->what ? " " : "", p->text, ana_grade_name(p->doubts)));
	}
	return lines;
}

/* The page of a story: its sentence is the title. Its parts and the unknowns are below the path. */
static bool story_picture_draw(GString *out, struct qry *q, const struct ana_story *s,
	const struct exp_options *o, enum pic_format format, GError **error)
{
	g_autoptr(GPtrArray) told = story_lines(s);

	if (s->path)
		return path_picture_page(out, q, s->path, s->text, told, o, format, error);
	return base_error_false(error, BASE_ERROR_NO_ANSWER, "%s: there is no path to draw", s->text);
}

EXP_CHART_FORMATS(story)
