/* SPDX-License-Identifier: MIT */
/*
 * A line for each request: how long it took, how long of that the server had it, and how its critical path
 * splits into net, waiting and CPU; the client and the server.  Columns without room are below the list, for
 * the selected request.
 */
#include "ui/pane/requests/requests.h"

#include "analysis/kind/kind.h"
#include "base/base_text.h"
#include "base/base_time.h"
#include "ui/core/ui_config.h"
#include "ui/widget/host_look.h"
#include "ui/widget/subject.h"

#include <inttypes.h>

#define BAR_FROM 4 /* lines from which on the selected line is told in full below */
#define PART 9     /* columns of a part */
#define SIDE 16    /* columns that each side has before all parts are there, */
#define SIDE_MIN 8 /* and before it is told when they began */

const char *const requests_order_names[REQUESTS_ORDER_N] = { "length", "time at the server",
	"time on the net", "waiting", "CPU time", "begin", "who asked", "who was asked" };

char *requests_draw_whose(const struct requests *r)
{
	const struct qry *q = r->pane.shell->q;

	if (requests_are_everybodys(r->asked.scope))
		return g_strconcat(qry_host_count(q) > 1 ? "all hosts" : "all threads",
			r->asked.scope == ANA_REQUEST_INSIDE ? ", both ends recorded" : "", NULL);
	if (r->asked.scope == ANA_REQUEST_HOST && r->asked.row != MDL_NONE)
		return g_strdup(qry_host(q, qry_row(q, r->asked.row)->host)->name);
	return scope_title_whose(r->pane.shell,
		r->asked.scope == ANA_REQUEST_PROCESS ? SCOPE_PROCESS : SCOPE_THREAD, r->asked.row);
}

void requests_draw_title(struct ui_pane *pane, GString *title)
{
	const struct requests *r = (const struct requests *)pane;

	if (!r->ask.has_asked)
		return;
	scope_title(r->pane.shell, title, "Requests", requests_draw_whose(r), r->asked.from, r->asked.to);
	if (r->lines && r->all)
		g_string_append_printf(title, "  %u of %u looked at, then by %s", r->summed, r->lines->len,
			requests_order_names[r->order]);
	else if (r->lines)
		g_string_append_printf(title, "  %u by %s", r->lines->len, requests_order_names[r->order]);
}

/* ---- columns ---- */

static const char *const headings[UI_REQUESTS_N] = { "begin", "took", "served", "net", "waiting", "CPU",
	"client", "server" };

/* True for the parts that the list has on any screen: the length, and the part that it is sorted by. */
static bool is_first(const struct requests *r, unsigned i)
{
	return i == UI_REQUESTS_TOOK || i - UI_REQUESTS_TOOK == (unsigned)r->order;
}

/* The client follows numbers, which end at the right edge of their column: it gets one more blank. */
static unsigned side_gap(unsigned column)
{
	return column == UI_REQUESTS_ASKER ? 2 : 1;
}

static bool is_there(const struct requests_line *line, unsigned part)
{
	return part < UI_REQUESTS_NET || line->summed;
}

/* How long PART of LINE took; the caller frees. */
static char *part_text(const struct requests *r, const struct requests_line *line, unsigned part)
{
	const struct ana_request *a = &line->r;
	const int64_t parts[UI_REQUESTS_N] = { [UI_REQUESTS_TOOK] = a->to - a->from,
		[UI_REQUESTS_SERVED] = a->served,
		[UI_REQUESTS_NET] = a->net,
		[UI_REQUESTS_WAITING] = a->waiting,
		[UI_REQUESTS_CPU] = a->cpu };

	if (!is_there(line, part))
		return g_strdup("\342\200\246"); /* … */
	return parts[part] == BASE_TIME_NONE ? g_strdup("-")
					     : ui_shell_duration_text(r->pane.shell, parts[part]);
}

/* The thread, else the host, else the address of one side. */
static void draw_side(const struct requests *r, const struct term_area *area, const struct ui_column *cell,
	unsigned y, const struct ana_request *a, bool asker)
{
	unsigned gap = side_gap(asker ? UI_REQUESTS_ASKER : UI_REQUESTS_SERVER), x = cell->x + gap,
		 width = cell->w - MIN(cell->w, gap);
	const struct qry *q = r->pane.shell->q;
	const struct ana_connection *c = &a->x.connection;
	uint32_t row = asker ? a->asker : a->server, host = asker ? a->asker_host : a->server_host;
	bool own = asker == a->x.asked;
	g_autofree char *label = NULL;

	if (row != MDL_NONE) {
		label = qry_row_label(q, row);
		host_look_label(area, x, y, width, TERM_ROLE_NAME_THREAD, q, host, label);
		return;
	}
	label = host != MDL_NONE ? g_strdup(qry_host(q, host)->name)
				 : ana_words_address(c->version, own ? c->own : c->peer);
	term_area_fit(area, x, y, width, TERM_ROLE_DIM, label);
}

static void requests_draw_draw_line(const struct requests *r, const struct ui_column *cells,
	const struct term_area *area, unsigned y, const struct requests_line *line)
{
	const struct ana_request *a = &line->r;
	g_autofree char *begin = ui_shell_time_text(r->pane.shell, a->from);

	list_cell_number(area, &cells[UI_REQUESTS_BEGUN], 0, y, TERM_ROLE_TEXT, begin);
	for (unsigned i = UI_REQUESTS_TOOK; i <= UI_REQUESTS_CPU; i++) {
		g_autofree char *text = cells[i].w ? part_text(r, line, i) : NULL;

		if (text)
			list_cell_number(area, &cells[i], 0, y,
				is_there(line, i) ? TERM_ROLE_TEXT : TERM_ROLE_DIM, text);
	}
	if (cells[UI_REQUESTS_ASKER].w)
		draw_side(r, area, &cells[UI_REQUESTS_ASKER], y, a, true);
	if (cells[UI_REQUESTS_SERVER].w)
		draw_side(r, area, &cells[UI_REQUESTS_SERVER], y, a, false);
	if (compare_set_is_marked(r->marks, a->row, a->from, a->to))
		compare_set_draw_mark(area, 0, y);
}

/* ---- below the list ---- */

/* KNOWN: the packets have headers, which tell the bytes. */
static void append_part(GString *text, const char *name, const struct ana_exchange_part *part, bool known)
{
	if (part->packets == 0)
		g_string_append_printf(text, "  %s not seen", name);
	else if (!known)
		g_string_append_printf(text, "  %s %" PRIu32 " packet%s", name, part->packets,
			base_text_s(part->packets));
	else
		g_string_append_printf(text, "  %s %" PRIu64 " B", name, part->bytes);
}

/* The columns of LINE without room: its begin, its parts. */
static void append_hidden(const struct requests *r, const struct ui_column *cells,
	const struct requests_line *line, GString *text)
{
	for (unsigned i = UI_REQUESTS_BEGUN; i <= UI_REQUESTS_CPU; i++) {
		g_autofree char *time = i == UI_REQUESTS_BEGUN
			? ui_shell_time_text(r->pane.shell, line->r.from)
			: part_text(r, line, i);

		if (!cells[i].w)
			g_string_append_printf(text, "%s%s%s  ", i == UI_REQUESTS_BEGUN ? "" : headings[i],
				i == UI_REQUESTS_BEGUN ? "" : " ", time);
	}
}

/* Columns without room, the two ends, the bytes, the unknown part of the path. */
static void requests_draw_draw_bar(const struct requests *r, const struct ui_column *cells,
	const struct term_area *area, unsigned y)
{
	const struct requests_line *line = requests_line(r, r->view.line);
	const struct ana_exchange *x = &line->r.x;
	const struct ana_connection *c = &x->connection;
	g_autofree char *own = ana_words_endpoint(c->version, c->own, c->own_port),
			*peer = ana_words_endpoint(c->version, c->peer, c->peer_port),
			*unknown = ui_shell_duration_text(r->pane.shell, MAX(line->r.unknown, 0));
	g_autoptr(GString) text = g_string_new(NULL);

	append_hidden(r, cells, line, text);
	if (c->version == 0)
		g_string_append(text, "lo");
	else
		g_string_append_printf(text, "%s > %s", x->asked ? own : peer, x->asked ? peer : own);
	append_part(text, "request", &x->request, c->version != 0);
	append_part(text, "reply", &x->reply, c->version != 0);
	if (line->summed && line->r.unknown > 0)
		g_string_append_printf(text, "  not known: %s", unknown);
	term_area_fill(area, 0, y, area->w, 1, TERM_ROLE_TITLE, ' ');
	term_area_fit(area, 1, y, area->w - 1, TERM_ROLE_TITLE, text->str);
}

void requests_draw(struct requests *r, const struct term_area *area)
{
	struct ui_column cells[UI_REQUESTS_N];
	unsigned begin = ui_shell_time_width(r->pane.shell) + 1, room = begin + 2 * SIDE;
	unsigned widths[UI_REQUESTS_N] = { [UI_REQUESTS_ASKER] = UI_COLUMN_REST,
		[UI_REQUESTS_SERVER] = UI_COLUMN_REST };
	unsigned n = r->lines->len, bar = area->h >= BAR_FROM && n;
	struct term_area list;

	/* Without room for all columns, time, client and server come before the parts. */
	widths[UI_REQUESTS_BEGUN] = begin + (area->w < begin + PART + 2 * SIDE_MIN) * UI_COLUMN_SPARED;
	for (unsigned i = UI_REQUESTS_TOOK; i <= UI_REQUESTS_CPU; i++)
		room += is_first(r, i) * PART;
	for (unsigned i = UI_REQUESTS_TOOK; i <= UI_REQUESTS_CPU; i++) {
		room += !is_first(r, i) * PART;
		widths[i] = PART + (!is_first(r, i) && room > area->w) * UI_COLUMN_SPARED;
	}
	ui_columns_place(&r->pane.shell->config->columns, UI_LIST_REQUESTS, widths, 0, area->w, cells);
	term_area_fill(area, 0, 0, area->w, 1, TERM_ROLE_TITLE, ' ');
	for (unsigned i = 0; i < UI_REQUESTS_N; i++)
		if (i < UI_REQUESTS_ASKER)
			list_cell_number(area, &cells[i], 0, 0, TERM_ROLE_TITLE, headings[i]);
		else
			list_cell_text(area, &cells[i], side_gap(i), 0, TERM_ROLE_TITLE, headings[i]);
	list_view_go(&r->view, 0, n);
	list = list_view_area(&r->view, area, 1, bar, n);
	for (unsigned y = 0; y < r->view.seen; y++)
		requests_draw_draw_line(r, cells, &list, y, requests_line(r, r->view.top + y));
	list_view_mark(&r->view, &r->pane, &list);
	if (!n)
		term_area_text(&list, 1, 0, TERM_ROLE_DIM, "no request began here");
	if (bar)
		requests_draw_draw_bar(r, cells, area, area->h - 1);
}
