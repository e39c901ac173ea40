/* SPDX-License-Identifier: MIT */
/*
 * How it works: the row of a CPU says at each instant which thread is there and which interrupt context is
 * innermost upon it (mdl_cpu.c), so its intervals are the spans.  Before the row's life, after it and in
 * holes nothing is known.
 *
 * Where not all interrupts are recorded, one may hide in the time of a thread or of the idle CPU: that is
 * inferred.
 */
#include "analysis/ana_blame.h"

#include <inttypes.h>

static struct ana_blame_part part_of_context(const struct qry *q, const struct ana_blame_part *place,
	uint32_t context)
{
	static const enum ana_blame_what whats[MDL_CTX_TYPES] = { [MDL_CTX_IRQ] = ANA_BLAME_IRQ,
		[MDL_CTX_SOFTIRQ] = ANA_BLAME_SOFTIRQ,
		[MDL_CTX_HRTIMER] = ANA_BLAME_TIMER,
		[MDL_CTX_IPI] = ANA_BLAME_IPI,
		[MDL_CTX_VECTOR] = ANA_BLAME_IRQ };
	struct ana_blame_part part = *place;
	struct qry_context c;

	if (context == MDL_NONE)
		return part;
	c = qry_context(q, place->host, context);
	part.what = whats[c.type];
	part.grade = ANA_PROVED;
	part.name = *c.name ? c.name : c.type == MDL_CTX_HRTIMER ? mdl_ctx_type_name(c.type) : NULL;
	part.context = context;
	part.row = qry_context_row(q, place->host, context, place->cpu);
	return part;
}

/* What interval IV of the CPU in PLACE, of which nothing else is known, says. */
static struct ana_blame_part part_of(const struct qry *q, const struct ana_blame_part *place,
	const struct mdl_interval *iv)
{
	struct ana_blame_part part = *place;
	bool thread = iv->aux != MDL_NONE && qry_row(q, iv->aux)->nr != 0;

	part.from = iv->from;
	part.to = iv->to;
	part.time = iv->to - iv->from;
	part.beneath = thread ? iv->aux : MDL_NONE;
	if (iv->state == MDL_ST_INTERRUPTED)
		return part_of_context(q, &part, iv->detail);
	if (iv->state != MDL_ST_IDLE && (iv->state != MDL_ST_RUNNING || !thread))
		return part;
	part.what = thread ? ANA_BLAME_THREAD : ANA_BLAME_IDLE;
	part.grade = !qry_host(q, place->host)->interrupts_missing ? ANA_PROVED : ANA_INFERRED;
	part.row = part.beneath;
	part.name = thread ? qry_name_at(q, iv->aux, iv->from) : NULL;
	part.priority = thread ? (int16_t)qry_priority_at(q, iv->aux, iv->from) : MDL_PRIORITY_NONE;
	return part;
}

/* Nothing is known of [FROM, TO). */
static void tell_unknown(struct ana_blame_part place, int64_t from, int64_t to, ana_blame_span span,
	void *data)
{
	place.from = from;
	place.to = to;
	place.time = to - from;
	if (from < to)
		span(data, &place);
}

void ana_blame_spans(struct qry *q, uint32_t host, uint32_t cpu, int64_t from, int64_t to,
	ana_blame_span span, void *data)
{
	const struct ana_blame_part place = {
		.what = ANA_BLAME_UNKNOWN,
		.grade = ANA_UNKNOWN,
		.host = host,
		.cpu = cpu,
		.row = MDL_NONE,
		.context = MDL_NONE,
		.beneath = MDL_NONE,
		.priority = MDL_PRIORITY_NONE,
	};
	uint32_t row = cpu == MDL_NONE ? MDL_NONE : qry_cpu_row(q, host, cpu);
	GArray *states = row != MDL_NONE && from < to ? qry_states(q, row, from, to) : NULL;

	for (guint i = 0; states && i < states->len; i++) {
		const struct mdl_interval *iv = &g_array_index(states, struct mdl_interval, i);
		struct ana_blame_part part = part_of(q, &place, iv);

		tell_unknown(place, from, iv->from, span, data);
		span(data, &part);
		from = iv->to;
	}
	tell_unknown(place, from, to, span, data);
	if (states)
		g_array_unref(states);
}

/* ---- the sum ---- */

struct sum {
	GArray *parts;
	GHashTable *places; /* int64_t *, owned → place in PARTS */
};

/* Whose a span is: two of one key are of one.  All functions of timers are. */
static int64_t key_of(const struct ana_blame_part *p)
{
	if (p->what == ANA_BLAME_TIMER)
		return (int64_t)p->what << 32;
	return (int64_t)p->what << 32 | (p->context != MDL_NONE ? p->context : p->row);
}

static void add(void *data, const struct ana_blame_part *span)
{
	struct sum *sum = data;
	int64_t key = key_of(span);
	struct ana_blame_part *part;
	gpointer place;

	if (!g_hash_table_lookup_extended(sum->places, &key, NULL, &place)) {
		g_hash_table_insert(sum->places, g_memdup2(&key, sizeof key),
			GUINT_TO_POINTER(sum->parts->len));
		g_array_append_val(sum->parts, *span);
		return;
	}
	part = &g_array_index(sum->parts, struct ana_blame_part, GPOINTER_TO_UINT(place));
	part->to = span->to;
	part->time += span->time;
}

static int longest_first(const void *a, const void *b)
{
	const struct ana_blame_part *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? 1 : -1;
	return x->from < y->from ? -1 : x->from > y->from;
}

struct ana_blame *ana_blame_of_cpu(struct qry *q, uint32_t host, uint32_t cpu, int64_t from, int64_t to)
{
	struct ana_blame *blame = g_new(struct ana_blame, 1);
	struct sum sum = { .parts = g_array_new(FALSE, FALSE, sizeof(struct ana_blame_part)),
		.places = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL) };

	ana_blame_spans(q, host, cpu, from, to, add, &sum);
	g_hash_table_unref(sum.places);
	g_array_sort(sum.parts, longest_first);
	*blame = (struct ana_blame){ .from = from, .to = to, .parts = sum.parts };
	return blame;
}

void ana_blame_merge(struct ana_blame *blame, const struct ana_blame *more)
{
	for (guint i = 0; i < more->parts->len; i++) {
		const struct ana_blame_part *new = &g_array_index(more->parts, struct ana_blame_part, i);
		struct ana_blame_part *old = NULL;

		for (guint j = 0; j < blame->parts->len && !old; j++)
			if (key_of(&g_array_index(blame->parts, struct ana_blame_part, j)) == key_of(new))
				old = &g_array_index(blame->parts, struct ana_blame_part, j);
		if (!old) {
			g_array_append_val(blame->parts, *new);
			continue;
		}
		old->from = MIN(old->from, new->from);
		old->to = MAX(old->to, new->to);
		old->time += new->time;
	}
	blame->from = MIN(blame->from, more->from);
	blame->to = MAX(blame->to, more->to);
	g_array_sort(blame->parts, longest_first);
}

void ana_blame_free(struct ana_blame *blame)
{
	if (!blame)
		return;
	g_array_unref(blame->parts);
	g_free(blame);
}

/* ---- words ---- */

const char *ana_blame_what_name(enum ana_blame_what what)
{
	static const char *const names[ANA_BLAME_N] = { [ANA_BLAME_THREAD] = "thread",
		[ANA_BLAME_IRQ] = "irq",
		[ANA_BLAME_SOFTIRQ] = "softirq",
		[ANA_BLAME_IPI] = "ipi",
		[ANA_BLAME_IDLE] = "idle",
		[ANA_BLAME_DEVICE] = "device",
		[ANA_BLAME_NETWORK] = "network",
		[ANA_BLAME_TIMER] = "timer",
		[ANA_BLAME_SLEEP] = "sleep",
		[ANA_BLAME_THROTTLED] = "throttled",
		[ANA_BLAME_VCPU] = "vcpu",
		[ANA_BLAME_RUNNING] = "running",
		[ANA_BLAME_UNKNOWN] = "unknown" };

	return names[what];
}

char *ana_blame_part_text(const struct qry *q, const struct ana_blame_part *part)
{
	if (part->what == ANA_BLAME_THREAD && part->row != MDL_NONE)
		return qry_row_label(q, part->row);
	if (part->context != MDL_NONE)
		return qry_context_text(q, part->host, part->context);
	if (part->what == ANA_BLAME_IDLE)
		return g_strdup_printf("the idle CPU %" PRIu32, part->cpu);
	return g_strdup(part->what == ANA_BLAME_UNKNOWN ? "not recorded" : ana_blame_what_name(part->what));
}
