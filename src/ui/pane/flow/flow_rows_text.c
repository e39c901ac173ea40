/* SPDX-License-Identifier: MIT */
/* "SET ORDER KEPT PROCESS;PINS;FOLDED;FILTER": numbers, two lists of them, a text. */
#include "ui/pane/flow/flow_rows_parts.h"

#include <inttypes.h>
#include <stdio.h>

static int by_key(const void *a, const void *b)
{
	gint64 x = *(const gint64 *)a, y = *(const gint64 *)b;

	return x < y ? -1 : x > y;
}

/* A set has no order of its own. */
static void append_folded(GString *text, GHashTable *folded)
{
	g_autoptr(GArray) keys = g_array_new(FALSE, FALSE, sizeof(gint64));
	GHashTableIter i;
	gpointer key;

	g_hash_table_iter_init(&i, folded);
	while (g_hash_table_iter_next(&i, &key, NULL))
		g_array_append_vals(keys, key, 1);
	g_array_sort(keys, by_key);
	for (guint k = 0; k < keys->len; k++)
		g_string_append_printf(text, "%" PRId64 " ", (int64_t)g_array_index(keys, gint64, k));
}

char *flow_rows_text(const struct flow_rows *rows)
{
	GString *text = g_string_new(NULL);

	g_string_printf(text, "%u %u %u %u;", (unsigned)rows->choice.set, (unsigned)rows->choice.order,
		rows->kept, rows->process);
	for (guint i = 0; i < rows->pins->len; i++)
		g_string_append_printf(text, "%u ", g_array_index(rows->pins, uint32_t, i));
	g_string_append_c(text, ';');
	append_folded(text, rows->folded);
	g_string_append_printf(text, ";%s", rows->choice.filter ? flow_filter_text(rows->choice.filter) : "");
	return g_string_free(text, FALSE);
}

static void set_pins(struct flow_rows *rows, const char *list)
{
	char *end;

	g_array_set_size(rows->pins, 0);
	for (; *list; list = end + (*end == ' ')) {
		uint32_t row = (uint32_t)g_ascii_strtoull(list, &end, 10);

		g_array_append_val(rows->pins, row);
	}
}

static void set_folded(struct flow_rows *rows, const char *list)
{
	char *end;

	g_hash_table_remove_all(rows->folded);
	for (; *list; list = end + (*end == ' ')) {
		gint64 key = g_ascii_strtoll(list, &end, 10);

		g_hash_table_add(rows->folded, g_memdup2(&key, sizeof key));
	}
}

void flow_rows_set_text(struct flow_rows *rows, const char *text)
{
	g_auto(GStrv) parts = g_strsplit(text, ";", 4);
	struct flow_choice choice = { FLOW_SET_TRACE, FLOW_ORDER_TRACE, NULL };
	unsigned set, order;
	uint32_t kept;

	if (g_strv_length(parts) < 4 ||
		sscanf(parts[0], "%u %u %" SCNu32 " %" SCNu32, &set, &order, &kept, &rows->process) != 4)
		return;
	set_pins(rows, parts[1]);
	set_folded(rows, parts[2]);
	choice.set = set % FLOW_SET_N;
	choice.order = order % FLOW_ORDER_N;
	choice.filter = *parts[3] ? flow_filter_new(rows->q, parts[3], NULL) : NULL;
	flow_rows_choose(rows, &choice, kept);
	flow_filter_unref(choice.filter);
}
