/* SPDX-License-Identifier: MIT */
/*
 * How it works: sums by kind and by actor.  One wait may have parts of several actors, and several parts of
 * one.  The entries gather the parts until the wait ends, so that it counts once for each actor.
 */
#include "analysis/causes/parts.h"

#include "analysis/kind/kind.h"
#include "base/base_text.h"
#include "base/base_time.h"

#include <inttypes.h>

#define OF_CGROUP (UINT64_C(1) << 63) /* a set of threads: never the name of a thread */

static void sum_free(void *data)
{
	struct ana_causes_sum *s = data;

	g_free(s->entry.name);
	g_free(s->entry.label);
	if (s->entry.values)
		g_array_unref(s->entry.values);
	g_free(s);
}

void ana_causes_table_init(struct ana_causes_table *t, struct qry *q, enum ana_causes_by by)
{
	t->q = q;
	t->by = by;
	t->by_key = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, sum_free);
	t->touched = g_ptr_array_new();
}

void ana_causes_table_clear(struct ana_causes_table *t)
{
	g_ptr_array_unref(t->touched);
	if (t->waits)
		g_array_unref(t->waits);
	for (unsigned i = 0; i < ANA_KIND_N; i++)
		g_free(t->by_thread[i]);
	g_hash_table_unref(t->by_key);
}

/* The entry called NAME (taken) on HOST; SET separates entries with equal names.  A new entry has no row. */
static struct ana_causes_sum *sum_named(struct ana_causes_table *t, enum ana_kind kind, uint32_t host,
	char *name, uint64_t set)
{
	char *key = g_strdup_printf("%d/%u/%" PRIx64 "/%s", (int)kind, host, set, name);
	struct ana_causes_sum *s = g_hash_table_lookup(t->by_key, key);

	if (s) {
		g_free(name);
		g_free(key);
		return s;
	}
	s = g_new0(struct ana_causes_sum, 1);
	s->entry = (struct ana_causes_entry){ .kind = kind,
		.host = host,
		.name = name,
		.row = MDL_NONE,
		.guest = MDL_NONE,
		.longest_row = MDL_NONE };
	g_hash_table_insert(t->by_key, key, s);
	return s;
}

/* Add THREAD, which is new to E. */
static void new_thread(struct ana_causes_table *t, struct ana_causes_entry *e, uint32_t thread)
{
	const char *s;

	e->row = e->threads++ == 0 ? thread : MDL_NONE;
	s = base_text_s(e->threads);
	g_free(e->label);
	if (e->threads == 1 && t->by != ANA_CAUSES_BY_CGROUP)
		e->label = qry_row_label(t->q, thread);
	else if (qry_host_count(t->q) == 1)
		e->label = g_strdup_printf("%s (%u thread%s)", e->name, e->threads, s);
	else
		e->label = g_strdup_printf("%s/%s (%u thread%s)", qry_host(t->q, e->host)->name, e->name,
			e->threads, s);
}

/* Most time is that of threads, so the name is made once per thread, not for each part of a wait. */
struct ana_causes_sum *ana_causes_of_thread(struct ana_causes_table *t, enum ana_kind kind, uint32_t thread)
{
	const struct qry_row *r = qry_row(t->q, thread);
	struct ana_causes_sum **known, *s;

	if (!t->by_thread[kind])
		t->by_thread[kind] = g_new0(struct ana_causes_sum *, qry_row_count(t->q));
	known = &t->by_thread[kind][thread];
	if (*known)
		return *known;
	if (t->by == ANA_CAUSES_BY_CGROUP)
		s = sum_named(t, kind, r->host, g_strdup(*r->cgroup ? r->cgroup : ANA_NO_CGROUP), OF_CGROUP);
	else
		s = sum_named(t, kind, r->host, ana_group_name(r->name),
			t->by == ANA_CAUSES_BY_NAME ? MDL_NONE : thread);
	new_thread(t, &s->entry, thread);
	return *known = s;
}

struct ana_causes_sum *ana_causes_of_guest(struct ana_causes_table *t, enum ana_kind kind, uint32_t thread,
	uint32_t guest)
{
	const struct qry_row *r = qry_row(t->q, thread);
	struct ana_causes_sum *s = sum_named(t, kind, r->host, ana_group_name(r->name),
		((uint64_t)guest + 1) << 32 | thread);
	g_autofree char *host = NULL, *in_guest = NULL;

	if (s->entry.guest != MDL_NONE)
		return s;
	host = qry_row_label(t->q, thread);
	in_guest = qry_row_label(t->q, guest);
	s->entry.row = thread;
	s->entry.guest = guest;
	s->entry.threads = 1;
	s->entry.label = g_strdup_printf("%s running %s", host, in_guest);
	return s;
}

struct ana_causes_sum *ana_causes_of_thing(struct ana_causes_table *t, enum ana_kind kind, uint32_t host,
	uint32_t row, char *take_name)
{
	struct ana_causes_sum *s = sum_named(t, kind, host, take_name, MDL_NONE);

	if (!s->entry.label) {
		s->entry.label = g_strdup(s->entry.name);
		s->entry.row = row;
	} else if (s->entry.row != row) {
		s->entry.row = MDL_NONE; /* several threads */
	}
	return s;
}

void ana_causes_add(struct ana_causes_table *t, struct ana_causes_sum *s, int64_t ns, mdl_doubts doubts)
{
	if (!s->touched) {
		s->touched = true;
		s->ns = 0;
		s->doubts = doubts;
		g_ptr_array_add(t->touched, s);
	}
	s->ns = base_time_sum(s->ns, ns);
	s->doubts |= doubts;
}

void ana_causes_end_wait(struct ana_causes_table *t, uint32_t row, int64_t end)
{
	int64_t sum = 0;

	if (t->touched->len == 0)
		return;
	for (guint i = 0; i < t->touched->len; i++) {
		struct ana_causes_sum *s = g_ptr_array_index(t->touched, i);
		struct ana_causes_entry *e = &s->entry;

		s->touched = false;
		sum = base_time_sum(sum, s->ns);
		if (t->waits && !e->values)
			e->values = g_array_new(FALSE, FALSE, sizeof(int64_t));
		if (t->waits)
			g_array_append_val(e->values, s->ns);
		e->count++;
		e->grades[mdl_grade_of(s->doubts)]++;
		e->total = base_time_sum(e->total, s->ns);
		if (e->longest_row != MDL_NONE && s->ns <= e->longest &&
			!(t->mixed && s->ns == e->longest && row < e->longest_row))
			continue;
		e->longest = s->ns;
		e->longest_row = row;
		e->longest_end = end;
	}
	if (t->waits)
		g_array_append_val(t->waits, sum);
	g_ptr_array_set_size(t->touched, 0);
}
