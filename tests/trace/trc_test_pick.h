/* SPDX-License-Identifier: MIT */
/* Reads fields of an event by picking names and by taking all fields: the values must be equal. */
#ifndef TRC_TEST_PICK_H
#define TRC_TEST_PICK_H

#include "trace/core/trc_paging.h"

#include <string.h>

#define TRC_TEST_PICKED 8

struct trc_test_picked {
	const struct trc_paging_ops *ops;
	void *trace, *picker;
	const char *names[TRC_TEST_PICKED];
	unsigned n;
	struct trc_value picked[TRC_TEST_PICKED];
	bool taken[TRC_TEST_PICKED], same[TRC_TEST_PICKED]; /* the event has it; with that value */
};

/* The first fields that the trace describes are picked. */
static inline void trc_test_pick_note(void *data, G_GNUC_UNUSED const char *event, const char *field,
	G_GNUC_UNUSED enum trc_value_type type)
{
	struct trc_test_picked *p = data;

	for (unsigned i = 0; i < p->n; i++)
		if (field && !strcmp(p->names[i], field))
			return;
	if (field && p->n < TRC_TEST_PICKED)
		p->names[p->n++] = field;
}

static inline struct trc_test_picked trc_test_pick_new(const struct trc_paging_ops *ops, void *trace)
{
	struct trc_test_picked p = { .ops = ops, .trace = trace, .names = { "no_such_field" }, .n = 1 };

	if (ops->types)
		ops->types(trace, trc_test_pick_note, &p);
	if (ops->picker_new)
		p.picker = ops->picker_new(trace, p.names, p.n);
	return p;
}

static inline void trc_test_pick_clear(struct trc_test_picked *p)
{
	if (p->picker)
		p->ops->picker_free(p->picker);
}

/* The last of several with one name counts. */
static inline void trc_test_pick_take(void *data, const char *name, const struct trc_value *value)
{
	struct trc_test_picked *p = data;

	for (unsigned i = 0; i < p->n; i++) {
		const struct trc_value *picked = &p->picked[i];

		if (strcmp(p->names[i], name) != 0)
			continue;
		p->taken[i] = true;
		p->same[i] = value->type == picked->type &&
			(value->type == TRC_VALUE_TEXT ? value->length == picked->length &&
						!memcmp(value->text, picked->text, value->length)
					: value->type == TRC_VALUE_REAL
					? !memcmp(&value->real, &picked->real, sizeof value->real)
					: value->number == picked->number);
	}
}

/* Check event I of PAGE, whose text is TO. A long text may lack some fields. */
static inline void trc_test_pick(struct trc_test_picked *p, void *page, uint64_t i, GString *to)
{
	const struct trc_taker taker = { trc_test_pick_take, p };

	g_string_truncate(to, 0);
	memset(p->taken, 0, sizeof p->taken);
	memset(p->same, 0, sizeof p->same);
	if (!p->picker || !p->ops->pick(p->trace, page, i, p->picker, p->picked))
		return;
	g_assert_true(p->ops->fields(p->trace, page, i, to, &taker, NULL));
	for (unsigned k = 0; k < p->n && to->len < 1000; k++)
		g_assert_true(p->taken[k] ? p->same[k] : p->picked[k].type == TRC_VALUE_NONE);
}

#endif
