/* SPDX-License-Identifier: MIT */
/* Holders of CPUs: the time of each goes to one sum for each kind of wait. */
#include "analysis/causes/parts.h"

static guint key_hash(gconstpointer key)
{
	const int64_t *k = key;

	return (g_int64_hash(&k[0]) * 31 + g_int64_hash(&k[1])) * 31 + g_int64_hash(&k[2]);
}

static gboolean key_equal(gconstpointer a, gconstpointer b)
{
	const int64_t *x = a, *y = b;

	return x[0] == y[0] && x[1] == y[1] && x[2] == y[2];
}

void ana_causes_holders_init(struct ana_causes_cpus *c)
{
	c->holders = g_array_new(FALSE, TRUE, sizeof(struct ana_causes_holder));
	c->by_key = g_hash_table_new_full(key_hash, key_equal, g_free, NULL);
	c->groups = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
}

/* The doubts about S that the causes show. */
static mdl_doubts cpu_doubts_of(const struct ana_causes_cpus *c, const struct ana_blame_part *s)
{
	return s->guest != MDL_NONE && c->t->by != ANA_CAUSES_BY_GUEST ? s->alone : s->doubts;
}

/* The group of PART, which becomes holder NUMBER. */
static uint32_t group_of(struct ana_causes_cpus *c, const struct ana_blame_part *part, uint32_t number)
{
	g_autofree char *name = NULL, *key = NULL;
	gpointer found;

	if (c->t->by != ANA_CAUSES_BY_NAME || !ana_causes_is_thread(part))
		return number;
	name = ana_group_name(qry_row(c->t->q, part->row)->name);
	key = g_strdup_printf("%u/%d/%s", qry_row(c->t->q, part->row)->host,
		(int)mdl_grade_of(cpu_doubts_of(c, part)), name);
	if (g_hash_table_lookup_extended(c->groups, key, NULL, &found))
		return GPOINTER_TO_UINT(found);
	g_hash_table_insert(c->groups, g_steal_pointer(&key), GUINT_TO_POINTER(number));
	return number;
}

uint32_t ana_causes_holder_of(struct ana_causes_cpus *c, const struct ana_blame_part *s)
{
	bool context = s->context != MDL_NONE, row = !context && s->row != MDL_NONE;
	int64_t key[3] = { (int64_t)s->what << 56 | (int64_t)s->host << 32 |
			(context              ? s->context
					: row ? s->row
					      : s->cpu),
		(int64_t)mdl_grade_of(cpu_doubts_of(c, s)) << 32 |
			(c->t->by == ANA_CAUSES_BY_GUEST ? s->guest : MDL_NONE),
		/* Without context and row, parts differ by the reason why a virtual CPU was left, or by the
		 * idle state of the CPU. */
		context       ? 1
			: row ? 2
			      : (int64_t)(uintptr_t)(s->what == ANA_BLAME_IDLE ? s->step : s->name) };
	struct ana_causes_holder new = { .part = *s, .doubts = cpu_doubts_of(c, s) };
	gpointer found;

	if (g_hash_table_lookup_extended(c->by_key, key, NULL, &found))
		return GPOINTER_TO_UINT(found);
	new.group = group_of(c, s, c->holders->len);
	g_hash_table_insert(c->by_key, g_memdup2(key, sizeof key), GUINT_TO_POINTER(c->holders->len));
	g_array_append_val(c->holders, new);
	ana_causes_nth_holder(c, new.group)->members++;
	return c->holders->len - 1;
}

struct ana_causes_sum *ana_causes_holder_sum(struct ana_causes_cpus *c, uint32_t holder, enum ana_kind kind)
{
	struct ana_causes_holder *h = ana_causes_nth_holder(c, holder);
	struct ana_causes_sum **sum = &h->sums[kind == ANA_KIND_PREEMPTED];
	bool line = h->part.row != MDL_NONE && qry_row(c->t->q, h->part.row)->type != MDL_ROW_THREAD;

	if (*sum)
		return *sum;
	if (c->t->by == ANA_CAUSES_BY_GUEST && h->part.guest != MDL_NONE)
		*sum = ana_causes_of_guest(c->t, kind, h->part.row, h->part.guest);
	else if (ana_causes_is_thread(&h->part))
		*sum = ana_causes_of_thread(c->t, kind, h->part.row);
	else
		*sum = ana_causes_of_thing(c->t, kind, h->part.host, line ? h->part.row : MDL_NONE,
			ana_blame_part_text(c->t->q, &h->part));
	ana_causes_nth_holder(c, h->group)->all[kind == ANA_KIND_PREEMPTED] = *sum;
	ana_causes_nth_holder(c, h->group)->told[kind == ANA_KIND_PREEMPTED]++;
	return *sum;
}

void ana_causes_put_down(struct ana_causes_cpus *c, const struct ana_blame_part *span, enum ana_kind kind,
	mdl_doubts doubts)
{
	uint32_t holder = ana_causes_holder_of(c, span);

	ana_causes_add(c->t, ana_causes_holder_sum(c, holder, kind), span->time,
		ana_causes_nth_holder(c, holder)->doubts | doubts);
	c->looked++;
}
