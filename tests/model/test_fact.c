/* SPDX-License-Identifier: MIT */
/* The descriptions of facts match their structs. */
#include "model/event/fact.h"

#include <glib.h>

static const size_t sizes[] = {
	[MDL_FIELD_FLAG] = sizeof(bool),
	[MDL_FIELD_CHOICE] = sizeof(uint8_t),
	[MDL_FIELD_U16] = sizeof(uint16_t),
	[MDL_FIELD_U32] = sizeof(uint32_t),
	[MDL_FIELD_U64] = sizeof(uint64_t),
	[MDL_FIELD_WORD] = sizeof(uint64_t),
	[MDL_FIELD_TIME] = sizeof(int64_t),
	[MDL_FIELD_LENGTH] = sizeof(int64_t),
	[MDL_FIELD_CPU] = sizeof(uint32_t),
	[MDL_FIELD_STRING] = sizeof(uint32_t),
	[MDL_FIELD_CONTEXT] = sizeof(uint32_t),
	[MDL_FIELD_ACT] = sizeof(struct mdl_act),
	[MDL_FIELD_PACKET] = sizeof(struct mdl_packet),
	[MDL_FIELD_STEPS] = sizeof(struct mdl_request),
	[MDL_FIELD_DOUBTS] = sizeof(mdl_doubts),
};

/* Each member has the size of its type, and lies within its own fact. */
static void test_fields(void)
{
#define PLACE(NAME, member, type) { offsetof(struct mdl_facts, member), sizeof(type) },
	static const struct {
		size_t at, size;
	} places[MDL_FACTS_N] = { MDL_FACTS(PLACE) };

	for (unsigned i = 0; i < MDL_FACTS_N; i++) {
		const struct mdl_fact_ops *ops = mdl_fact_all[i];
		unsigned n = 0;

		for (; ops->fields[n].type != MDL_FIELD_END; n++) {
			const struct mdl_field *f = &ops->fields[n];

			g_assert_cmpuint(n + 1, <, G_N_ELEMENTS(ops->fields));
			g_assert_cmpuint(f->type, <, G_N_ELEMENTS(sizes));
			g_assert_cmpuint(f->size, ==, sizes[f->type]);
			g_assert_cmpuint(f->at, >=, places[i].at);
			g_assert_cmpuint(f->at + f->size, <=, places[i].at + places[i].size);
			g_assert_true(f->type != MDL_FIELD_CHOICE || f->limit > 0);
		}
		g_assert_cmpuint(n, >, 0);
	}
}

/* True if there is a time at AT, or an act that begins with one. */
static bool is_time(const struct mdl_fact_ops *ops, size_t at)
{
	for (const struct mdl_field *f = ops->fields; f->type != MDL_FIELD_END; f++)
		if (f->at + (f->type == MDL_FIELD_ACT ? offsetof(struct mdl_act, time) : 0) == at &&
			(f->type == MDL_FIELD_TIME || f->type == MDL_FIELD_ACT))
			return true;
	return false;
}

/* Flags about times refer to times, flags about doubt to doubt. */
static void test_places(void)
{
	for (unsigned i = 0; i < MDL_FACTS_N; i++) {
		const struct mdl_fact_ops *ops = mdl_fact_all[i];
		bool doubted = ops->doubts == 0;

		g_assert_true(ops->when == 0 || is_time(ops, ops->when));
		for (unsigned k = 0; k < G_N_ELEMENTS(ops->joined) && ops->joined[k] != 0; k++)
			g_assert_true(is_time(ops, ops->joined[k]));
		for (unsigned k = 0; k < G_N_ELEMENTS(ops->order) && ops->order[k] != 0; k++)
			g_assert_true(is_time(ops, ops->order[k]));
		for (const struct mdl_field *f = ops->fields; f->type != MDL_FIELD_END; f++)
			doubted |= f->at == ops->doubts && f->type == MDL_FIELD_DOUBTS;
		g_assert_true(doubted);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/model/fact/fields", test_fields);
	g_test_add_func("/model/fact/places", test_places);
	return g_test_run();
}
