/* SPDX-License-Identifier: MIT */
#include "ui/pane/flow/flow_items.h"

#include "query/host/tracer.h"
#include "ui/widget/looks.h"

#include <string.h>

static enum flow_kind flow_items_group_of(const struct qry *q, const struct qry_row *row)
{
	switch (row->type) {
	case MDL_ROW_CPU: return FLOW_CPUS;
	case MDL_ROW_IRQ:
	case MDL_ROW_SOFTIRQ:
	case MDL_ROW_DEVICE: return FLOW_IRQS;
	default: return qry_is_kernel_thread(q, row->id) ? FLOW_KERNEL : FLOW_PROCESS;
	}
}

static unsigned group_place(enum flow_kind group)
{
	return group == FLOW_CPUS ? 0 : group == FLOW_IRQS ? 1 : group == FLOW_PROCESS ? 2 : 3;
}

static int compare_numbers(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int compare_items(gconstpointer left, gconstpointer right)
{
	const struct flow_item *a = left, *b = right;
	int order = compare_numbers(a->host, b->host);

	order = order ? order : compare_numbers(group_place(a->group), group_place(b->group));
	order = order ? order : compare_numbers(a->head_nr, b->head_nr);
	order = order ? order : compare_numbers(a->head, b->head);
	order = order ? order : compare_numbers(a->row != a->head, b->row != b->head);
	order = order ? order : compare_numbers(a->nr, b->nr);
	return order ? order : compare_numbers(a->row, b->row);
}

bool flow_items_active(const struct flow_item *item, uint32_t states)
{
	if (item->group == FLOW_CPUS)
		return true;
	if (item->group == FLOW_KERNEL && item->nr == 0)
		return false; /* the idle threads: the CPUs' rows say the same */
	for (unsigned i = 0; i < MDL_ST_N; i++)
		if (states >> i & 1 && state_look_is_active(i))
			return true;
	return false;
}

static uint32_t states_of(struct qry *q, uint32_t row, int64_t from, int64_t to)
{
	struct qry_cell cell;
	uint32_t states = 0;

	qry_share(q, row, from, to, &cell);
	for (unsigned i = 0; i < MDL_ST_N; i++)
		states |= cell.ns[i] > 0 ? 1U << i : 0;
	return states;
}

static void add_item(GArray *items, struct qry *q, uint32_t id, int64_t from, int64_t to)
{
	const struct qry_row *row = qry_row(q, id);
	struct flow_item item = { .host = row->host,
		.group = flow_items_group_of(q, row),
		.head = MDL_NONE,
		.row = id,
		.nr = row->nr };

	if (row->type == MDL_ROW_THREAD || row->type == MDL_ROW_VCPU) {
		item.head = row->process == MDL_NONE ? id : row->process;
		item.group = flow_items_group_of(q, qry_row(q, item.head));
		item.head_nr = qry_row(q, item.head)->nr;
	} else {
		item.head_nr = row->type;
	}
	item.tracer = qry_is_tracer(q, id);
	item.in_trace = flow_items_active(&item, states_of(q, id, from, to));
	g_array_append_val(items, item);
}

GArray *flow_items_new(struct qry *q)
{
	GArray *items = g_array_new(FALSE, FALSE, sizeof(struct flow_item));
	int64_t from, to;

	qry_span(q, &from, &to);
	for (uint32_t i = 0; i < qry_row_count(q); i++)
		add_item(items, q, i, from, to);
	g_array_sort(items, compare_items);
	return items;
}

static bool contains(const char *name, const char *needle, bool whole)
{
	g_autofree char *a = g_utf8_casefold(name, -1), *b = g_utf8_casefold(needle, -1);

	if (whole)
		return !strcmp(a, b);
	return strstr(a, b);
}

static bool flow_items_is_called(const struct qry *q, uint32_t row, const char *needle, enum flow_match how)
{
	const struct qry_row *facts = qry_row(q, row);
	g_autoptr(GPtrArray) names = NULL;
	char *end;
	gint64 nr = g_ascii_strtoll(needle, &end, 10);
	bool found = false;

	if (!*needle)
		return false;
	if (!*end && how != FLOW_MATCH_WHOLE && facts->type == MDL_ROW_THREAD && facts->nr == nr)
		return true;
	if (facts->type != MDL_ROW_THREAD || how != FLOW_MATCH_EVER)
		return contains(facts->name, needle, how == FLOW_MATCH_WHOLE);
	names = qry_names(q, row);
	for (unsigned i = 0; i < names->len && !found; i++)
		found = contains(g_ptr_array_index(names, i), needle, false);
	return found;
}

/* What stands behind "HOST/" in NEEDLE, where ROW is of that host; NULL: it does not begin so. */
static const char *behind_host(const struct qry *q, uint32_t row, const char *needle)
{
	const char *host = qry_host(q, qry_row(q, row)->host)->name;
	size_t length = strlen(host);

	return g_ascii_strncasecmp(needle, host, length) == 0 && needle[length] == '/' ? needle + length + 1
										       : NULL;
}

bool flow_items_match(const struct qry *q, uint32_t row, const char *needle, enum flow_match how)
{
	const char *rest = behind_host(q, row, needle);

	return flow_items_is_called(q, row, needle, how) || (rest && flow_items_is_called(q, row, rest, how));
}
