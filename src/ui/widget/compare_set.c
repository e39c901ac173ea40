/* SPDX-License-Identifier: MIT */
/* Sets to compare: lists make them, a worker finds their intervals.  Marks of lines are sorted intervals. */
#include "ui/widget/compare_set.h"

#include "analysis/latency/mark.h"
#include "analysis/overview/overview.h"
#include "base/base_error.h"
#include "query/host/tracer.h"
#include "table/table.h"
#include "ui/core/ui_fields.h"

#include <stdlib.h>

#define MARK 0x25cf /* ● */

char *compare_set_line(const struct ui_shell *shell, const struct ana_overview_line *line)
{
	static const unsigned cases = ANA_ANSWER_REQUESTS | ANA_ANSWER_SPANS;
	const struct qry_row *r;

	if (!line || !line->answer || !(ana_answer_about(line) & cases))
		line = ui_pane_found(shell, ANA_OVERVIEW_ANSWER, cases);
	if (line && line->way == ANA_OVERVIEW_SPANS)
		return g_strdup_printf("compare %s", line->what);
	r = line && line->row != MDL_NONE ? qry_row(shell->q, line->row) : NULL;
	if (r)
		return g_strdup_printf("compare requests:%s/%" G_GINT64_FORMAT,
			qry_host(shell->q, r->host)->name, r->nr);
	return g_strdup(
		table_needs_packets(shell->q, NULL) ? "compare requests" : "compare " ANA_PROGRAM_ALL);
}

struct compare_set *compare_set_new(const struct ui_shell *shell, enum compare_what what, char *name)
{
	struct compare_set *set = g_atomic_rc_box_new0(struct compare_set);

	set->what = what;
	set->name = name;
	set->row = MDL_NONE;
	set->hide_tracer = shell->hide_tracer;
	ui_shell_selection(shell, &set->from, &set->to);
	return set;
}

struct compare_set *compare_set_ref(struct compare_set *set)
{
	return g_atomic_rc_box_acquire(set);
}

static void compare_set_clear(void *data)
{
	struct compare_set *set = data;

	g_free(set->name);
	g_free(set->spec);
	g_free(set->kind);
	g_clear_pointer(&set->marked, g_array_unref);
}

void compare_set_unref(struct compare_set *set)
{
	g_atomic_rc_box_release_full(set, compare_set_clear);
}

bool compare_set_same(const struct compare_set *a, const struct compare_set *b)
{
	g_autofree char *marks_a = compare_set_marks_text(a->marked),
			*marks_b = compare_set_marks_text(b->marked);

	return a->what == b->what && !g_strcmp0(a->spec, b->spec) && !g_strcmp0(a->kind, b->kind) &&
		a->scope == b->scope && a->row == b->row && a->from == b->from && a->to == b->to &&
		a->hide_tracer == b->hide_tracer && !g_strcmp0(marks_a, marks_b);
}

/* ---- in a worker ---- */

/* Set the keys of the intervals: "marked" for those in MARKED (sorted), else "the rest". */
static void key_by_hand(struct ana_set *set, const GArray *marked)
{
	g_ptr_array_set_size(set->keys, 1);
	g_ptr_array_add(set->keys, g_strdup("marked"));
	g_ptr_array_add(set->keys, g_strdup("the rest"));
	set->key_name = "hand";
	for (guint i = 0; i < set->intervals->len; i++) {
		struct ana_set_interval *v = &g_array_index(set->intervals, struct ana_set_interval, i);

		v->key = marked->len && bsearch(v, marked->data, marked->len, sizeof *v, ana_set_order) ? 1
													: 2;
	}
}

static bool leave_out_tracer(const struct qry *q, struct ana_set *set, GError **error)
{
	guint n = 0;

	for (guint i = 0; i < set->intervals->len; i++) {
		struct ana_set_interval v = g_array_index(set->intervals, struct ana_set_interval, i);

		if (!qry_is_tracer(q, v.row))
			g_array_index(set->intervals, struct ana_set_interval, n++) = v;
	}
	base_many_set_size(set->intervals, n);
	if (!n)
		g_set_error(error, BASE_ERROR, BASE_ERROR_NO_ANSWER,
			"%s: only the tracer's own threads have such cases", set->spec);
	return n > 0;
}

struct ana_set *compare_set_find(struct qry *q, const struct compare_set *set, struct base_progress *progress,
	GError **error)
{
	struct ana_set *found;

	if (set->what == COMPARE_TYPED)
		found = ana_set_find(q, set->spec, set->from, set->to, progress, error);
	else if (set->what == COMPARE_LISTED)
		found = ana_set_of_scope(q,
			&(struct ana_request_asked){ set->scope, set->row, set->from, set->to,
				set->hide_tracer },
			progress, error);
	else
		found = ana_set_of_thread(q, set->rules, set->what == COMPARE_CASES ? set->kind : NULL,
			set->row, set->from, set->to, progress, error);
	if (found && set->what == COMPARE_CASES && set->hide_tracer && !leave_out_tracer(q, found, error))
		g_clear_pointer(&found, ana_set_free);
	if (found && set->marked)
		key_by_hand(found, set->marked);
	return found;
}

/* ---- marked lines ---- */

bool compare_set_is_marked(const GArray *marks, uint32_t row, int64_t from, int64_t to)
{
	struct ana_set_interval v = { .from = from, .to = to, .row = row };

	return marks && marks->len && bsearch(&v, marks->data, marks->len, sizeof v, ana_set_order);
}

void compare_set_mark(const struct ui_pane *pane, GArray **marks, uint32_t row, int64_t from, int64_t to)
{
	struct ana_set_interval v = { .from = from, .to = to, .row = row };
	GArray *all = *marks ? *marks : g_array_new(FALSE, FALSE, sizeof v);
	guint at = 0;
	g_autofree char *key = ui_keymap_first(pane->shell->keys, UI_CMD_COMPARE);

	*marks = all;
	while (at < all->len && ana_set_order(&g_array_index(all, struct ana_set_interval, at), &v) < 0)
		at++;
	if (compare_set_is_marked(all, row, from, to))
		g_array_remove_index(all, at);
	else
		g_array_insert_val(all, at, v);
	ui_shell_message(pane->shell,
		all->len < 2 ? "%u marked: with two or more, %s compares them with the rest"
			     : "%u marked: %s compares them with the rest",
		all->len, key);
}

bool compare_set_take_marks(struct compare_set *set, const struct ui_pane *pane, const GArray *marks)
{
	if (!marks || !marks->len)
		return true;
	if (marks->len == 1) {
		ui_shell_message(pane->shell, "one line is marked: mark two or more, or none");
		return false;
	}
	set->marked = g_array_sized_new(FALSE, FALSE, sizeof(struct ana_set_interval), marks->len);
	g_array_append_vals(set->marked, marks->data, marks->len);
	return true;
}

char *compare_set_marks_text(const GArray *marks)
{
	g_autoptr(GArray) numbers = g_array_new(FALSE, FALSE, sizeof(gint64));

	for (guint i = 0; marks && i < marks->len; i++) {
		const struct ana_set_interval *v = &g_array_index(marks, struct ana_set_interval, i);
		const gint64 of[] = { v->row, v->from, v->to };

		g_array_append_vals(numbers, of, G_N_ELEMENTS(of));
	}
	return ui_fields_numbers_text(numbers);
}

GArray *compare_set_marks(const char *text)
{
	g_autoptr(GArray) numbers = ui_fields_numbers(text);
	GArray *marks = g_array_new(FALSE, FALSE, sizeof(struct ana_set_interval));

	for (guint i = 0; i + 2 < numbers->len; i += 3) {
		const gint64 *n = &g_array_index(numbers, gint64, i);
		struct ana_set_interval v = { .from = n[1], .to = n[2], .row = (uint32_t)n[0] };

		g_array_append_val(marks, v);
	}
	if (!marks->len)
		g_clear_pointer(&marks, g_array_unref);
	else
		g_array_sort(marks, ana_set_order);
	return marks;
}

void compare_set_draw_mark(const struct term_area *area, unsigned x, unsigned y)
{
	term_area_char(area, x, y, TERM_ROLE_KEY, MARK);
}
