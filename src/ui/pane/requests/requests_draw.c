/* SPDX-License-Identifier: MIT */
/*
 * A line for each request: how long it took, of that how long the other side had it, and how its critical
 * path parts into net, waiting and CPU; who asked whom.  What has no room stands below the list, for the
 * selected one.
 */
#include "ui/pane/requests/requests.h"

#include "analysis/ana_words.h"
#include "base/base_time.h"
#include "ui/widget/host_look.h"
#include "ui/widget/scope_title.h"

#include <inttypes.h>

#define BAR_FROM 4 /* lines from which on the selected line is told in full below */
#define WIDE 104   /* columns from which on each line tells when it began */
#define PART 9     /* columns of a part */

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
	return scope_title_whose(r->pane.shell, r->asked.row, r->asked.scope == ANA_REQUEST_PROCESS);
}

void requests_draw_title(const struct requests *r, GString *title)
{
	scope_title(r->pane.shell, title, "Requests", requests_draw_whose(r), r->asked.from, r->asked.to);
	if (r->lines && r->all)
		g_string_append_printf(title, "  %u of %u looked at, then by %s", r->summed, r->lines->len,
			requests_order_names[r->order]);
	else if (r->lines)
		g_string_append_printf(title, "  %u by %s", r->lines->len, requests_order_names[r->order]);
}

/* ---- columns ---- */

enum { TOOK, SERVED, NET, WAITING, CPU, PARTS };
static const char *const headings[PARTS] = { "took", "server", "net", "waiting", "CPU" };

struct columns {
	unsigned begin;                /* its width; 0: not shown */
	unsigned end[PARTS];           /* behind each part */
	unsigned asker, server, width; /* of each of the two */
};

static struct columns columns_of(const struct ui_shell *shell, unsigned width)
{
	struct columns c = { .begin = width >= WIDE ? ui_shell_time_width(shell) + 1 : 0 };
	unsigned rest;

	for (unsigned i = 0; i < PARTS; i++)
		c.end[i] = c.begin + (i + 1) * PART;
	rest = c.end[CPU] + 2;
	c.asker = rest;
	c.width = (width - MIN(rest, width)) / 2;
	c.server = rest + c.width;
	return c;
}

static void draw_heading(const struct columns *c, const struct term_area *area)
{
	term_area_fill(area, 0, 0, area->w, 1, TERM_ROLE_TITLE, ' ');
	if (c->begin)
		term_area_before(area, c->begin, 0, TERM_ROLE_TITLE, "begun at");
	for (unsigned i = 0; i < PARTS; i++)
		term_area_before(area, c->end[i], 0, TERM_ROLE_TITLE, headings[i]);
	term_area_text(area, c->asker, 0, TERM_ROLE_TITLE, "who asked");
	term_area_text(area, c->server, 0, TERM_ROLE_TITLE, "whom");
}

static void draw_part(const struct requests *r, const struct term_area *area, unsigned end, unsigned y,
	int64_t time, bool is_there)
{
	g_autofree char *text = !is_there || time == BASE_TIME_NONE
		? g_strdup(is_there ? "-" : "\342\200\246") /* … */
		: ui_shell_duration_text(r->pane.shell, time);

	term_area_before(area, end, y, is_there ? TERM_ROLE_TEXT : TERM_ROLE_DIM, text);
}

/* The thread, else the host, else the address of one side. */
static void draw_side(const struct requests *r, const struct term_area *area, unsigned x, unsigned y,
	unsigned width, const struct ana_request *a, bool asker)
{
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

static void draw_line(const struct requests *r, const struct columns *c, const struct term_area *area,
	unsigned y, const struct requests_line *line)
{
	const struct ana_request *a = &line->r;
	const int64_t parts[PARTS] = { a->to - a->from, a->served, a->net, a->waiting, a->cpu };
	g_autofree char *begin = ui_shell_time_text(r->pane.shell, a->from);

	if (c->begin)
		term_area_before(area, c->begin, y, TERM_ROLE_TEXT, begin);
	if (compare_set_is_marked(r->marks, a->row, a->from, a->to))
		compare_set_draw_mark(area, 0, y);
	for (unsigned i = 0; i < PARTS; i++)
		draw_part(r, area, c->end[i], y, parts[i], i < NET || line->summed);
	draw_side(r, area, c->asker, y, c->width - MIN(c->width, 1), a, true);
	draw_side(r, area, c->server, y, area->w - MIN(area->w, c->server), a, false);
}

/* ---- below the list ---- */

static void append_part(GString *text, const char *name, const struct ana_exchange_part *part)
{
	if (part->packets == 0)
		g_string_append_printf(text, "  %s not seen", name);
	else
		g_string_append_printf(text, "  %s %" PRIu64 " B", name, part->bytes);
}

/* When it began, between which ends, how much was sent, what is not known of the path. */
static void draw_bar(const struct requests *r, const struct term_area *area, unsigned y)
{
	const struct requests_line *line = requests_line(r, r->view.line);
	const struct ana_exchange *x = &line->r.x;
	const struct ana_connection *c = &x->connection;
	g_autofree char *begin = ui_shell_time_text(r->pane.shell, line->r.from),
			*own = ana_words_endpoint(c->version, c->own, c->own_port),
			*peer = ana_words_endpoint(c->version, c->peer, c->peer_port),
			*unknown = ui_shell_duration_text(r->pane.shell, MAX(line->r.unknown, 0));
	g_autoptr(GString) text = g_string_new(NULL);

	g_string_append_printf(text, "%s  %s > %s", begin, x->asked ? own : peer, x->asked ? peer : own);
	append_part(text, "request", &x->request);
	append_part(text, "reply", &x->reply);
	if (line->summed && line->r.unknown > 0)
		g_string_append_printf(text, "  not known: %s", unknown);
	term_area_fill(area, 0, y, area->w, 1, TERM_ROLE_TITLE, ' ');
	term_area_fit(area, 1, y, area->w - 1, TERM_ROLE_TITLE, text->str);
}

void requests_draw(struct requests *r, const struct term_area *area)
{
	struct columns c = columns_of(r->pane.shell, area->w);
	unsigned n = r->lines->len, bar = area->h >= BAR_FROM && n;
	struct term_area list;

	draw_heading(&c, area);
	list_view_go(&r->view, 0, n);
	list = list_view_area(&r->view, area, 1, bar, n);
	for (unsigned y = 0; y < r->view.seen; y++)
		draw_line(r, &c, &list, y, requests_line(r, r->view.top + y));
	list_view_mark(&r->view, &r->pane, &list);
	if (!n)
		term_area_text(&list, 1, 0, TERM_ROLE_DIM, "no request began here");
	if (bar)
		draw_bar(r, area, area->h - 1);
}
