/* SPDX-License-Identifier: MIT */
/* Requests over the network.  Lines can be marked and compared with the others; a line opens the whole
 * request. */
#include "ui/pane/pane.h"

#include "analysis/overview/overview.h"
#include "analysis/kind/advice.h"
#include "analysis/request/request.h"
#include "ui/widget/compare_set.h"
#include "ui/widget/list_pane.h"

struct requests {
	struct list list;
	struct ana_exchange opened;   /* passed to the shell */
	GArray *marks;                /* of requests to compare with the rest; owned, NULL: none */
	char *kept_marks;             /* the marks as text, for a kept view; owned */
	struct compare_set *compared; /* passed to the shell; owns a reference, NULL */
	bool leads; /* a request was just opened: the changes it causes are not a new question */
};

/* ---- the question ---- */

static const char *ask(const struct list *l, struct table_question *q)
{
	const struct qry_row *row = q->row == MDL_NONE ? NULL : qry_row(l->pane.shell->q, q->row);
	bool thread = row && row->type == MDL_ROW_THREAD;

	q->hide_tracer = l->pane.shell->hide_tracer;
	switch (l->scope) {
	case ANA_REQUEST_INSIDE: q->kind = ana_request_scopes[ANA_REQUEST_INSIDE]; return NULL;
	case ANA_REQUEST_ALL: return NULL;
	case ANA_REQUEST_HOST:
		if (row) {
			q->host = row->host;
			q->row = MDL_NONE;
		}
		return row ? NULL : "select a row of a host to see its requests";
	default:
		q->of_process = l->scope == ANA_REQUEST_PROCESS;
		if (thread && q->of_process)
			q->row = row->process;
		return thread ? NULL : "this row is not a thread: select one to see its requests";
	}
}

static char *whose(const struct list *l)
{
	const struct qry *q = l->pane.shell->q;

	if (l->asked.host != MDL_NONE)
		return g_strdup(qry_host(q, l->asked.host)->name);
	if (l->scope == ANA_REQUEST_ALL || l->scope == ANA_REQUEST_INSIDE)
		return g_strconcat(qry_host_count(q) > 1 ? "all hosts" : "all threads",
			l->scope == ANA_REQUEST_INSIDE ? ", both ends recorded" : "", NULL);
	return scope_title_whose(l->pane.shell,
		l->scope == ANA_REQUEST_PROCESS ? SCOPE_PROCESS : SCOPE_THREAD, l->asked.row);
}

/* Without requests, show other sources about the program's work. */
static void tell_instead(const struct ui_shell *shell, const struct term_area *area, unsigned y)
{
	static const struct {
		enum ui_command command;
		const char *what;
	} others[] = { { UI_CMD_SPANS, "spans that programs wrote" },
		{ UI_CMD_PATH, "what the selected thread waited for, thread by thread" } };

	for (unsigned i = 0; i < G_N_ELEMENTS(others); i++) {
		g_autofree char *key = ui_keymap_first(shell->keys, others[i].command);

		if (*key &&
			(others[i].command != UI_CMD_SPANS ||
				ui_pane_found(shell, ANA_OVERVIEW_ANSWER, ANA_ANSWER_SPANS)))
			term_area_printf(area, 1, y++, TERM_ROLE_DIM, "%s: %s", key, others[i].what);
	}
}

/* Show unrecorded packets, and alternatives to requests. */
static void advise(const struct list *l, const struct term_area *area, unsigned y)
{
	const struct qry *q = l->pane.shell->q;
	uint32_t only = l->asked.row == MDL_NONE ? l->asked.host : qry_row(q, l->asked.row)->host;

	for (uint32_t i = 0; l->part->n == 0 && i < qry_host_count(q); i++) {
		const char *missing = ana_advice_packets(q, i);

		if (missing && (only == MDL_NONE || only == i)) {
			g_autofree char *text =
				g_strdup_printf("requests are unknown without %s, not recorded on %s",
					missing, qry_host(q, i)->name);
			g_autoptr(GPtrArray) rows = term_text_rows(text, MAX(area->w, 24) - 2, 2);

			for (guint n = 0; n < rows->len; n++)
				term_area_fit(area, 1, y++, area->w - 1, TERM_ROLE_DIM,
					g_ptr_array_index(rows, n));
		}
	}
	if (l->part->n == 0)
		tell_instead(l->pane.shell, area, y);
}

/* ---- advice around the table ---- */

static const struct ana_request *request_of(const struct list *l, guint row)
{
	return list_rows_raw(l->part->rows, row);
}

static void forget(struct list *l)
{
	g_clear_pointer(&((struct requests *)l)->marks, g_array_unref);
}

static bool is_marked(const struct list *l, guint row)
{
	const struct ana_request *a = request_of(l, row);

	return compare_set_is_marked(((const struct requests *)l)->marks, a->row, a->from, a->to);
}

static void requests_clear(struct ui_pane *pane)
{
	struct requests *r = (struct requests *)pane;

	g_clear_pointer(&r->compared, compare_set_unref);
	g_free(r->kept_marks);
	list_clear(pane);
}

static void requests_changed(struct ui_pane *pane, unsigned changes)
{
	struct requests *r = (struct requests *)pane;

	if (r->leads && changes & UI_CHANGED_PATH) { /* the window now shows the request */
		r->leads = false;
		asking_stay(&r->list.ask, pane);
	}
	list_changed(pane, changes);
}

static bool requests_to_keep(struct ui_pane *pane)
{
	struct requests *r = (struct requests *)pane;

	g_free(r->kept_marks);
	r->kept_marks = compare_set_marks_text(r->marks);
	return list_to_keep(pane);
}

static bool requests_restore(struct ui_pane *pane, const char *kept, GError **error)
{
	struct requests *r = (struct requests *)pane;

	if (!list_restore(pane, kept, error))
		return false;
	g_clear_pointer(&r->marks, g_array_unref);
	r->marks = compare_set_marks(r->kept_marks);
	return true;
}

/* ---- commands ---- */

static void open_request(struct requests *r, const struct ana_request *a)
{
	r->opened = a->x;
	r->leads = a->row != MDL_NONE;
	ui_shell_lead(r->list.pane.shell, UI_LEAD(EXCHANGE, .of = &r->opened));
}

static void mark(struct requests *r, const struct ana_request *a)
{
	if (a->row == MDL_NONE)
		ui_shell_message(r->list.pane.shell, "the thread of this request is unknown");
	else
		compare_set_mark(&r->list.pane, &r->marks, a->row, a->from, a->to);
}

/* Compare the requests of the list; false if the user typed another set. */
static bool compare(struct requests *r)
{
	const struct list *l = &r->list;
	struct ui_shell *shell = l->pane.shell;
	g_autofree char *of = whose(l);
	struct compare_set *set;

	if (shell->argument)
		return false;
	set = compare_set_new(shell, COMPARE_LISTED, g_strconcat("requests of ", of, NULL));
	g_clear_pointer(&r->compared, compare_set_unref);
	r->compared = set;
	set->scope = l->scope;
	set->row = l->row;
	set->from = l->from;
	set->to = l->to;
	set->hide_tracer = l->asked.hide_tracer;
	if (compare_set_take_marks(set, &l->pane, r->marks)) {
		ui_shell_lead(shell, UI_LEAD(COMPARE, .of = set));
		list_tell_all(l);
	}
	return true;
}

static bool command(struct list *l, enum ui_command command)
{
	struct requests *r = (struct requests *)l;
	guint row;

	if (!l->pane.shown || !ui_pane_focused(&l->pane) || !list_selected(l, &row))
		return false;
	switch (command) {
	case UI_CMD_FOLD: mark(r, request_of(l, row)); return true;
	case UI_CMD_COMPARE: return compare(r);
	case UI_CMD_REQUEST:
	case UI_CMD_ACTIVATE:
		if (!l->on_heading)
			open_request(r, request_of(l, row));
		return true;
	default: return false;
	}
}

static const char *const scopes_said[ANA_REQUEST_SCOPES] = { "all requests",
	"requests with both ends recorded", "requests of the selected host",
	"requests of the selected process", "requests of the selected thread" };

static const struct list_kind kind = {
	.table = &table_requests,
	.title = "Requests",
	.columns =
		"from=BEGIN duration served=>SERVED path_time=>PATH? net waiting? cpu? unknown? client server cause? connection? request? reply?",
	.sort = "duration",
	.none = "no request began here",
	.scopes_said = scopes_said,
	.of_all = 1u << ANA_REQUEST_ALL | 1u << ANA_REQUEST_INSIDE,
	.ask = ask,
	.whose = whose,
	.below = advise,
	.command = command,
	.is_marked = is_marked,
	.forget = forget,
};

static const struct ui_field fields[] = { LIST_FIELDS(ana_request_scopes, ANA_REQUEST_SCOPES, NULL, 0),
	UI_FIELD(TEXT, "marks", requests, kept_marks), LIST_PLACES };

static const struct ui_hint hints[] = { { UI_CMD_ACTIVATE, "open it" }, { UI_CMD_FOLLOW, "go there" },
	{ UI_CMD_BACK, "back" }, { UI_CMD_COMPARE, "compare" }, { UI_CMD_SORT, "order" },
	{ UI_CMD_SCOPE, "whose" }, { UI_CMD_FILTER, "only" }, { UI_CMD_SEARCH, "find" },
	{ UI_CMD_MAXIMISE, "large" }, { UI_CMD_FOLD, "choose" }, { UI_CMD_REQUESTS, "close" },
	{ UI_CMD_REVERSE, "reverse" }, { UI_CMD_COLUMNS, "columns" }, { UI_CMD_FOCUS, "other pane" },
	{ UI_CMD_ZOOM_FIT, "whole trace" }, { UI_CMD_EXPORT, "export" }, { UI_CMD_REQUEST, "open it" },
	{ UI_CMD_NONE, NULL } };

const struct ui_pane_ops pane_requests = {
	LIST_VIEW_HOOKS,
	.size = sizeof(struct requests),
	.clear = requests_clear,
	.changed = requests_changed,
	.to_keep = requests_to_keep,
	.restore = requests_restore,
	.name = "requests",
	.show = UI_CMD_REQUESTS,
	.kind = &kind,
	.hints = hints,
	.fields = fields,
	.lines = 11,
};
