/* SPDX-License-Identifier: MIT */
/*
 * A hit waits until open cases that can become hits have ended: if the rings turned earlier, the begin and
 * the end of such a case would be in different recordings.
 *
 * A typical case lies between the quartiles of all cases of the trigger, and ends when the ring has recorded
 * for a while after a hit: the same load without a hit.
 */
#include "record/rec_cases.h"

#include <inttypes.h>
#include <string.h>

#define TYPICAL_US 300000   /* the ring has recorded at least this long before a typical case is saved */
#define HOLD_MOST_US 250000 /* a hit waits at most this long for open cases that can become hits */
#define TYPICAL_WAIT_US \
	(10 * G_USEC_PER_SEC)    /* after a hit, typical cases wait this long for such open cases */
#define MARGIN INT64_C(50000000) /* ns: a hit is saved this long before its begin is overwritten */
#define OPEN_FEW 64              /* more long open cases than this are sleeping threads, not hits */
#define FAMILIAR 1000            /* cases before a relative limit is used */
#define FAMILIAR_TYPICAL 50

/* The cases over the limit that are not saved yet: one hit. */
struct pending {
	struct rec_case worst; /* LATENCY 0: nothing is pending */
	uint64_t cases;
	int64_t limit;
	gint64 since; /* µs: time of the look that found the first one */
};

struct trigger {
	struct rec_until until;
	unsigned number;        /* in the manifest */
	struct watch_seen seen; /* since the last line "seen" */
	struct watch_seen all;  /* of this watch and earlier ones */
	uint64_t over, lost;    /* since the last line "seen" */
	struct pending pending;
	gint64 saved;             /* µs: last time a hit was taken, with or without a recording; 0: never */
	uint64_t without_typical; /* number of a hit that lacks a typical case; 0: none */
	int64_t low, high;        /* quartiles, ns; HIGH 0: not known yet */
	struct rec_case typical;  /* found at the last look; LATENCY 0: none */
};

struct rec_cases {
	const struct rec_watch_wish *wish; /* weak, like METER and KEEP */
	struct rec_meter *meter;
	struct rec_keep *keep;
	struct trigger *triggers; /* one for each of WISH; owned */
	GArray *met;              /* of struct rec_case: the cases of the last look; owned */
	uint64_t count, lost;
};

/* ---- cases ---- */

static void set_limits(struct rec_cases *c)
{
	for (unsigned i = 0; i < c->wish->n; i++) {
		struct trigger *t = &c->triggers[i];

		if (t->all.count >= FAMILIAR_TYPICAL) {
			t->low = watch_seen_quantile(&t->all, 0.25);
			t->high = watch_seen_quantile(&t->all, 0.75);
		}
		if (t->until.times <= 0 || t->all.count < FAMILIAR)
			continue;
		t->until.limit = (int64_t)MIN(t->until.times *
				(double)watch_seen_quantile(&t->all, t->until.quantile),
			(double)(INT64_MAX / 4));
		rec_meter_set_limit(c->meter, i, t->until.limit);
	}
}

/* Return MET as a hit without a recording. */
static struct watch_hit hit_of(struct rec_cases *c, const struct rec_case *met, uint64_t number)
{
	g_autofree char *path = g_strdup_printf("/proc/%d/comm", met->tid);
	char *name = NULL;
	struct watch_hit h = { .number = number,
		.wall = (g_get_real_time() - MAX(g_get_monotonic_time() - met->end / 1000, 0)) * 1000,
		.time = met->end,
		.value = met->latency,
		.tid = met->tid,
		.cpu = met->cpu,
		.cases = 1,
		.trigger = c->triggers[met->of].number };

	/* The name of a thread that has ended is gone; the recording may have it. */
	if (met->tid > 0 && g_file_get_contents(path, &name, NULL, NULL))
		g_strchomp(name);
	h.name = g_string_chunk_insert_const(rec_keep_manifest(c->keep)->texts, name ? name : "");
	g_free(name);
	return h;
}

/* True if MET ended before TURNED and SAVING has a hit of its trigger, which MET joins or replaces. */
static bool is_being_saved(struct rec_cases *c, const struct rec_case *met, GArray *saving, gint64 turned)
{
	if (!saving || met->end >= turned * 1000)
		return false;
	for (guint i = 0; i < saving->len; i++) {
		struct watch_hit *h = &g_array_index(saving, struct watch_hit, i), worse;

		if (h->typical || h->trigger != c->triggers[met->of].number)
			continue;
		h->cases++;
		if (met->latency > h->value) {
			worse = hit_of(c, met, h->number);
			worse.cases = h->cases;
			worse.limit = h->limit;
			*h = worse;
		}
		return true;
	}
	return false;
}

void rec_cases_add(struct rec_cases *c, const struct rec_case *met, GArray *saving, gint64 turned)
{
	struct trigger *t = &c->triggers[met->of];
	struct pending *p = &t->pending;

	c->count++;
	watch_seen_add(&t->seen, met->latency, 1);
	watch_seen_add(&t->all, met->latency, 1);
	if (met->latency <= t->until.limit) {
		if (met->latency >= t->low && met->latency <= t->high)
			t->typical = *met;
		return;
	}
	t->over++;
	if (is_being_saved(c, met, saving, turned))
		return;
	if (p->cases++ == 0)
		p->since = g_get_monotonic_time();
	p->limit = t->until.limit;
	if (met->latency > p->worst.latency)
		p->worst = *met;
}

bool rec_cases_look(struct rec_cases *c, GArray *saving, gint64 turned, GError **error)
{
	uint64_t lost;

	set_limits(c);
	g_array_set_size(c->met, 0);
	if (!rec_meter_poll(c->meter, c->met, error))
		return false;
	lost = rec_meter_lost(c->meter) - c->lost;
	c->lost += lost;
	for (unsigned i = 0; i < c->wish->n; i++) {
		c->triggers[i].typical.latency = 0;
		c->triggers[i].lost += lost;
	}
	for (guint i = 0; i < c->met->len; i++)
		rec_cases_add(c, &g_array_index(c->met, struct rec_case, i), saving, turned);
	return true;
}

uint64_t rec_cases_count(const struct rec_cases *c)
{
	return c->count;
}

void rec_cases_seen(struct rec_cases *c, unsigned of, GString *fields)
{
	struct trigger *t = &c->triggers[of];

	g_string_append_printf(fields, "\tover=%" PRIu64 "\tlost=%" PRIu64 "\tclasses=", t->over, t->lost);
	watch_seen_text(&t->seen, fields);
	memset(&t->seen, 0, sizeof t->seen);
	t->over = t->lost = 0;
}

/* ---- hits ---- */

bool rec_cases_has_hits(const struct rec_cases *c)
{
	for (unsigned i = 0; i < c->wish->n; i++)
		if (c->triggers[i].pending.worst.latency > 0)
			return true;
	return false;
}

/* True if an open case can become a hit, or is longer than the limit already. */
static bool may_become_hit(const struct rec_cases *c)
{
	for (unsigned i = 0; i < c->wish->n; i++) {
		int64_t limit = c->triggers[i].until.limit;
		unsigned open = limit == INT64_MAX
			? 0
			: rec_meter_open(c->meter, i, limit / 10, MIN(limit, INT64_MAX / 8) * 4);

		if (open > 0 && open <= OPEN_FEW)
			return true;
	}
	return false;
}

bool rec_cases_may_wait(const struct rec_cases *c, int64_t whole)
{
	gint64 now = g_get_monotonic_time();

	if (!may_become_hit(c))
		return false;
	for (unsigned i = 0; i < c->wish->n; i++) {
		const struct pending *p = &c->triggers[i].pending;

		/* The begin of the hit must not be overwritten while it waits. */
		if (p->worst.latency > 0 &&
			(now - p->since >= MIN(p->limit / 1000 * 2, HOLD_MOST_US) ||
				p->worst.end - p->worst.latency < whole + MARGIN))
			return false;
	}
	return true;
}

unsigned rec_cases_take(struct rec_cases *c, GArray *hits)
{
	gint64 now = g_get_monotonic_time();
	uint64_t number = rec_keep_manifest(c->keep)->last;
	unsigned wanted = 0;

	for (unsigned i = 0; i < c->wish->n; i++) {
		struct trigger *t = &c->triggers[i];
		struct pending p = t->pending;
		struct watch_hit h;
		bool is_wanted;

		t->pending = (struct pending){ .cases = 0 };
		/* (A hit too early after the last one is only counted.) */
		if (p.worst.latency == 0 || (t->saved > 0 && (now - t->saved) * 1000 < c->wish->every))
			continue;
		h = hit_of(c, &p.worst, ++number);
		h.cases = p.cases;
		h.limit = p.limit;
		is_wanted = rec_keep_wants(c->keep, t->number, h.value);
		g_array_insert_val(hits, is_wanted ? wanted : hits->len, h);
		wanted += is_wanted;
		t->saved = now;
	}
	return wanted;
}

/* ---- typical cases ---- */

void rec_cases_saved(struct rec_cases *c, const GArray *hits)
{
	for (guint i = 0; i < hits->len; i++) {
		const struct watch_hit *h = &g_array_index(hits, struct watch_hit, i);

		for (unsigned t = 0; !h->typical && t < c->wish->n; t++)
			if (c->triggers[t].number == h->trigger)
				c->triggers[t].without_typical = h->number;
	}
}

bool rec_cases_typical(struct rec_cases *c, gint64 since, struct watch_hit *h)
{
	gint64 now = g_get_monotonic_time();

	for (unsigned i = 0; i < c->wish->n; i++) {
		struct trigger *t = &c->triggers[i];

		if (!t->without_typical || t->typical.latency == 0 || now - since < TYPICAL_US ||
			(now - t->saved < TYPICAL_WAIT_US && may_become_hit(c)))
			continue;
		*h = hit_of(c, &t->typical, t->without_typical);
		h->typical = true;
		t->without_typical = 0;
		return true;
	}
	return false;
}

/* ---- life ---- */

struct rec_cases *rec_cases_new(const struct rec_watch_wish *wish, struct rec_meter *meter,
	struct rec_keep *keep)
{
	struct rec_cases *c = g_new(struct rec_cases, 1);

	*c = (struct rec_cases){ .wish = wish,
		.meter = meter,
		.keep = keep,
		.triggers = g_new0(struct trigger, wish->n),
		.met = g_array_new(FALSE, FALSE, sizeof(struct rec_case)) };
	for (unsigned i = 0; i < wish->n; i++) {
		struct trigger *t = &c->triggers[i];
		struct watch_manifest *m = keep ? rec_keep_manifest(keep) : NULL;

		t->until = wish->untils[i];
		if (!m)
			continue;
		t->number = watch_manifest_trigger(m, wish->texts[i]);
		watch_seen_join(&t->all, watch_manifest_trigger_at(m, t->number)->seen);
	}
	return c;
}

void rec_cases_free(struct rec_cases *c)
{
	if (!c)
		return;
	g_free(c->triggers);
	g_array_unref(c->met);
	g_free(c);
}
