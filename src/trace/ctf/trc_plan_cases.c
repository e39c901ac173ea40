/* SPDX-License-Identifier: MIT */
#include "trace/ctf/trc_plan_cases.h"

#include "trace/ctf/trc_plan_ops.h"

/* The fields of TYPE, a variant, by their names without "_"; of several with one name the first.  The caller
 * unrefs. */
static GHashTable *options_of(const struct trc_type *type)
{
	GHashTable *options = g_hash_table_new(g_str_hash, g_str_equal);
	unsigned i;

	for (i = type->n_fields; i-- > 0;)
		g_hash_table_insert(options, (gpointer)trc_type_bare(type->fields[i].name), &type->fields[i]);
	return options;
}

static int compare_cases(gconstpointer a, gconstpointer b)
{
	const struct trc_case *x = a, *y = b;

	return x->low < y->low ? -1 : x->low > y->low;
}

static bool are_apart(const GArray *cases)
{
	unsigned i;

	for (i = 1; i < cases->len; i++)
		if (g_array_index(cases, struct trc_case, i).low <=
			g_array_index(cases, struct trc_case, i - 1).high)
			return false;
	return true;
}

GArray *trc_plan_cases_new(const struct trc_type *tag, const struct trc_type *type, const uint32_t *starts)
{
	GArray *cases = g_array_new(FALSE, FALSE, sizeof(struct trc_case));
	g_autoptr(GHashTable) options = options_of(type);
	unsigned i;

	for (i = 0; i < tag->n_labels; i++) {
		const struct trc_label *label = &tag->labels[i];
		const struct trc_field *option = g_hash_table_lookup(options, trc_type_bare(label->name));
		struct trc_case one = { .low = trc_case_value(tag->is_signed, label->low),
			.high = trc_case_value(tag->is_signed, label->high) };

		if (!option || one.low > one.high)
			continue;
		one.jump = starts[option - type->fields];
		g_array_append_val(cases, one);
	}
	g_array_sort(cases, compare_cases);
	if (!are_apart(cases))
		g_clear_pointer(&cases, g_array_unref);
	return cases;
}
