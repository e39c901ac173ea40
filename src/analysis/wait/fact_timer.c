/* SPDX-License-Identifier: MIT */
/* A timer that expired, or a time-out that was not needed. */
#include "analysis/wait/fact.h"

#include "analysis/kind/chain.h"
#include "analysis/cpu/late.h"
#include "analysis/kind/words.h"
#include "base/base_time.h"

/* ", 2.15 ms late" */
static void append_late(GString *text, const struct mdl_timer *t)
{
	int64_t late = ana_late_ns(t);
	g_autofree char *duration = NULL;

	if (late <= 0)
		return;
	duration = base_time_format_duration(late, false);
	g_string_append_printf(text, ", %s late", duration);
}

/* "expired 7.19 ms after thread wk-pulse[532] armed it, 2.15 ms late" */
static char *fact_timer_words(struct qry *q, uint32_t host, const struct mdl_facts *facts,
	G_GNUC_UNUSED const struct mdl_chain *chain)
{
	const struct mdl_timer *t = &facts->timer;
	GString *text = g_string_new("expired");

	if (t->armed.time != MDL_NEVER) {
		g_autofree char *who = ana_words_act(q, host, &t->armed);
		g_autofree char *after = base_time_format_duration((t->expired_at == MDL_NEVER
										   ? t->armed.time
										   : t->expired_at) -
				t->armed.time,
			false);

		g_string_append_printf(text, " %s after %s armed it", after, who);
	}
	append_late(text, t);
	return g_string_free(text, FALSE);
}

/* When it expired, and how exactly it can. */
static char *timer_text(const struct ana_why_maker *m, const struct mdl_facts *facts)
{
	g_autofree char *text = fact_timer_words(m->q, m->why->source.host, facts, NULL),
			*resolution = ana_late_resolution(&facts->timer);

	return g_strconcat(text, resolution ? "; " : "", resolution ? resolution : "", NULL);
}

/* Who had the CPU while the timer T was late, the longest first. */
static void add_late(struct ana_why_maker *m, const struct mdl_timer *t)
{
	struct ana_blame *blame = ana_late_blame(m->q, m->why->source.host, t);
	const struct ana_blame_part *first;
	struct ana_why_hop *hop;

	if (blame && blame->parts->len > 0) {
		hop = ana_why_hop_add(m, g_strdup("late"));
		hop->text = ana_late_text(m->q, m->why->source.host, t, blame->from, blame->to);
		first = &g_array_index(blame->parts, struct ana_blame_part, 0);
		hop->row = first->row;
		hop->host = first->host; /* of a guest that of its virtual CPU may have kept it waiting */
		hop->cpu = first->cpu;
		hop->from = blame->from;
		hop->to = blame->to;
		hop->grade = ANA_PROVED;
		for (guint i = 0; i < blame->parts->len; i++)
			hop->grade = MAX(hop->grade,
				g_array_index(blame->parts, struct ana_blame_part, i).grade);
		hop->missing = hop->grade == ANA_PROVED ? NULL
			: hop->grade == ANA_INFERRED ? qry_host(m->q, m->why->source.host)->interrupts_missing
						     : "sched_switch";
	}
	ana_blame_free(blame);
}

static void fact_timer_add_hops(struct ana_why_maker *m, const struct mdl_facts *facts)
{
	const struct mdl_timer *t = &facts->timer;
	const char *start = t->wheel ? "timer_start" : "timer_hrtimer_start";
	g_autofree char *function = ana_words_function(m->q, m->why->source.host, t->function);
	struct ana_why_hop *hop;

	if (!t->expired)
		return;
	ana_why_act_add(m, &t->armed, m->why->row, "armed the timer", start);
	hop = ana_why_hop_add(m, g_strconcat("timer ", function, NULL));
	hop->text = timer_text(m, facts);
	hop->cpu = t->cpu;
	hop->from = t->armed.time;
	hop->to = t->expired_at;
	if (t->wheel) /* hrtimers expire in a context of their own, which is a hop */
		ana_why_evidence_add(m, "timer_expire_entry", t->expired_at, t->cpu);
	if (t->armed.time == MDL_NEVER) {
		hop->grade = ANA_INFERRED;
		hop->missing = start;
	}
	add_late(m, t);
}

static bool has_expired(const struct mdl_facts *facts)
{
	return facts->timer.expired;
}

static void fact_timer_tell_source(const struct ana_look *look, G_GNUC_UNUSED const struct mdl_facts *facts,
	struct ana_source *s)
{
	s->device = ana_chain_line(look->q, s->host, &look->chain);
}

static struct ana_beginner fact_timer_begin(struct qry *q, G_GNUC_UNUSED uint32_t host,
	const struct mdl_facts *facts)
{
	if (!facts->timer.expired)
		return (struct ana_beginner){ MDL_NONE, MDL_NEVER };
	return (struct ana_beginner){ ana_chain_actor(q, &facts->timer.armed), facts->timer.armed.time };
}

static char *fact_timer_did(const struct mdl_facts *facts)
{
	return facts->timer.expired ? NULL
				    : g_strdup_printf("sent the wake-up before the time-out%s",
					      facts->timer.grade == MDL_PROVED ? "" : " (inferred)");
}

const struct ana_fact_ops ana_fact_timer = {
	.tells = has_expired,
	.kind = ANA_KIND_TIMER,
	.kind_rank = 4,
	.source = fact_timer_tell_source,
	.words = fact_timer_words,
	.before_steps = "; ",
	.begin = fact_timer_begin,
	.rank = 6,
	.before = fact_timer_add_hops,
	.did = fact_timer_did,
};
