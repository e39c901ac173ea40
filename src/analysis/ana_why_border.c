/* SPDX-License-Identifier: MIT */
/* How the interrupt that ended a guest's wait came from its host, as hops. */
#include "analysis/ana_border.h"
#include "analysis/ana_why_parts.h"
#include "base/base_time.h"

/* Who posted B's interrupt. */
static void add_poster(struct ana_why_maker *m, const struct ana_border *b, uint32_t host)
{
	const struct mdl_wakeup *p = &b->post;
	bool context = p->n_contexts > 0;
	struct mdl_act act = { .time = p->time,
		.entry = context ? p->contexts[p->n_contexts - 1].entry : MDL_NEVER,
		.cpu = p->cpu,
		.context = context ? p->contexts[p->n_contexts - 1].context : MDL_NONE,
		.thread = p->waker };
	g_autofree char *text = g_strdup_printf("posted interrupt %" G_GUINT32_FORMAT " to the guest",
		b->vector);

	ana_why_act_at(m, host, &act, text, "kvm_x86_apic_accept_irq");
	g_array_index(m->why->hops, struct ana_why_hop, m->why->hops->len - 1).grade = b->grade;
}

void ana_why_border(struct ana_why_maker *m)
{
	const struct ana_source *s = &m->why->source;
	struct ana_why_hop *hop;
	struct ana_border b;
	char *took;

	if (!ana_border_of_chain(m->q, s->host, &m->why->chain, &s->wakeup, &b))
		return;
	add_poster(m, &b, qry_row(m->q, b.vcpu)->host);
	hop = ana_why_hop_add(m, qry_row_label(m->q, b.vcpu));
	took = base_time_format_duration(MAX(b.entry - b.post.time, 0), false);
	hop->text = g_strdup_printf("took it %s later, %s", took, ana_border_words(&b));
	g_free(took);
	hop->row = b.vcpu;
	hop->host = qry_row(m->q, b.vcpu)->host;
	hop->from = b.post.time;
	hop->to = MAX(b.entry, b.post.time);
	hop->grade = b.grade;
}
