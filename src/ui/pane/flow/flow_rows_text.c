/* SPDX-License-Identifier: MIT */
/* What is chosen, pinned, folded and in view, as words (ui_fields.h). */
#include "ui/core/ui_fields.h"
#include "ui/pane/flow/flow_items.h"

struct words {
	struct flow_choice choice;
	uint32_t kept, process;
	char *pins, *folded, *filter, *path; /* owned */
	struct flow_seen seen;
};

#define WORD(ID, word, said) word,
static const char *const sets[] = { FLOW_SETS(WORD) }, *const orders[] = { FLOW_ORDERS(WORD) };

static const struct ui_field flow_rows_text_fields[] = {
	UI_FIELD_WORDS("rows", words, choice.set, sets, FLOW_SET_N),
	UI_FIELD_WORDS("sort", words, choice.order, orders, FLOW_ORDER_N),
	UI_FIELD(TEXT, "filter", words, filter),
	UI_FIELD(ROW, "kept-row", words, kept),
	UI_FIELD(ROW, "process-row", words, process),
	UI_FIELD(TEXT, "pins", words, pins),
	UI_FIELD(TEXT, "folded", words, folded),
	UI_FIELD(TEXT, "path", words, path),
	UI_FIELD(FLAG, "on-path", words, seen.on_path),
	UI_FIELD(NUMBER, "top", words, seen.top),
	UI_FIELD(NUMBER, "line", words, seen.line),
	UI_FIELD_PLACE(TEXT, "found", words, seen.needle),
	UI_FIELD_END,
};

/* ROWS, of uint32_t; NULL none. */
static char *list_text(const GArray *rows)
{
	g_autoptr(GArray) numbers = g_array_new(FALSE, FALSE, sizeof(gint64));

	for (guint i = 0; rows && i < rows->len; i++) {
		gint64 row = g_array_index(rows, uint32_t, i);

		g_array_append_val(numbers, row);
	}
	return ui_fields_numbers_text(numbers);
}

char *flow_rows_text(const struct flow_rows *rows, const struct flow_seen *seen)
{
	g_autofree char *pins = list_text(rows->pins), *path = list_text(rows->path),
			*folded = ui_fields_keys_text(rows->folded),
			*filter = rows->choice.filter ? g_strdup(flow_filter_text(rows->choice.filter))
						      : NULL;
	struct words w = { rows->choice, rows->kept, rows->process, pins, folded, filter, path, *seen };

	return ui_fields_text(flow_rows_text_fields, &w);
}

/* LIST becomes the rows that TEXT says. */
static void set_list(const struct flow_rows *rows, GArray *list, const char *text)
{
	g_autoptr(GArray) numbers = ui_fields_numbers(text);

	g_array_set_size(list, 0);
	for (guint i = 0; i < numbers->len; i++) {
		uint32_t row = (uint32_t)g_array_index(numbers, gint64, i);

		if (row < qry_row_count(rows->q))
			g_array_append_val(list, row);
	}
}

static bool set_words(struct flow_rows *rows, struct words *w, GError **error)
{
	if (w->filter) {
		w->choice.filter = flow_filter_new(rows->q, w->filter, error);
		if (!w->choice.filter)
			return false;
	}
	if (w->path) {
		g_autoptr(GArray) path = g_array_new(FALSE, FALSE, sizeof(uint32_t));

		set_list(rows, path, w->path);
		flow_rows_set_path(rows, path, w->kept);
	}
	rows->process = w->process;
	set_list(rows, rows->pins, w->pins);
	ui_fields_set_keys(rows->folded, w->folded);
	flow_rows_choose(rows, &w->choice, w->kept);
	flow_filter_unref(w->choice.filter);
	return true;
}

bool flow_rows_set_text(struct flow_rows *rows, const struct ui_shell *shell, const char *text,
	struct flow_seen *seen, GError **error)
{
	struct words w = { 0 };
	bool good = ui_fields_set(flow_rows_text_fields, &w, shell, text, error) &&
		set_words(rows, &w, error);

	g_free(w.pins);
	g_free(w.folded);
	g_free(w.filter);
	g_free(w.path);
	if (good)
		*seen = w.seen;
	else
		g_free(w.seen.needle);
	return good;
}
