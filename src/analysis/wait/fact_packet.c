/* SPDX-License-Identifier: MIT */
/* A packet of the net that was received. */
#include "analysis/wait/fact.h"

#include "analysis/kind/chain.h"
#include "analysis/kind/sender.h"
#include "analysis/kind/words.h"
#include "base/base_time.h"

/* How long the packet was on its way between two hosts, as far as their clocks tell. */
static void append_way(GString *text, const struct ana_sender *s, int64_t received)
{
	g_autofree char *way = base_time_format_duration(ABS(received - s->by.time), false);
	g_autofree char *error = s->error != INT64_MAX ? base_time_format_duration(s->error, false) : NULL;

	if (s->apart)
		g_string_append(text, ", sent by another clock");
	else
		g_string_append_printf(text, ", %s %s%s%s", way,
			received >= s->by.time ? "on the way" : "too early by the clocks", error ? " ± " : "",
			error ? error : "");
}

static void add_sender(struct ana_why_maker *m, const struct ana_sender *s)
{
	struct ana_why_hop *hop;

	hop = ana_why_act_at(m, s->host, &s->by, MDL_NONE, "sent the packet", "net_dev_queue");
	hop->grade = s->sure ? ANA_PROVED : ANA_INFERRED; /* hard interrupts send nothing */
	hop->missing = s->sure              ? NULL
		: s->by.context != MDL_NONE ? ana_chain_act_missing(m->q, s->host, &s->by, MDL_NONE)
					    : "irq_softirq_*";
}

static void fact_packet_add_hops(struct ana_why_maker *m, const struct mdl_facts *facts)
{
	const struct mdl_received *r = &facts->packet;
	uint32_t last_cpu = ana_why_end_cpu(m), host = m->why->source.host;
	struct ana_sender s = { .by.time = MDL_NEVER };
	GString *text = g_string_new(NULL);
	struct ana_why_hop *hop;
	g_autofree char *packet = ana_words_packet(&r->packet), *carried = ana_words_carried(m->q, host, r);

	if (ana_sender_of(m->q, host, r, &s))
		add_sender(m, &s);
	g_string_append(text, carried);
	if (s.remote)
		append_way(text, &s, r->time);
	hop = ana_why_hop_add(m, packet ? g_strdup_printf("packet %s", packet) : g_strdup("packet"));
	hop->text = g_string_free(text, false);
	hop->from = s.by.time == MDL_NEVER || s.apart ? r->time : MIN(s.by.time, r->time);
	hop->to = r->time;
	if (r->grade != MDL_PROVED || (s.remote && (s.apart || s.error > r->time - s.by.time)))
		hop->grade = ANA_INFERRED;
	ana_why_evidence_add(m, "net_if_receive_skb", r->time, last_cpu);
}

static void fact_packet_tell_source(const struct ana_look *look, const struct mdl_facts *facts,
	struct ana_source *s)
{
	const char *interface = qry_string(look->q, s->host, facts->packet.device);

	if (look->cause->chain.n == 0)
		s->grade = MAX(s->grade, ana_grade_of(facts->packet.grade));
	s->device = *interface != '\0' ? interface : NULL; /* else its name was not recorded */
}

/* "127.0.0.1:52816 > 127.0.0.1:7000 seq 4198286643, 60 bytes on lo, from wk-client[595]" */
static char *fact_packet_words(struct qry *q, uint32_t host, const struct mdl_facts *facts,
	G_GNUC_UNUSED const struct mdl_chain *chain)
{
	g_autofree char *packet = ana_words_packet(&facts->packet.packet),
			*carried = ana_words_carried(q, host, &facts->packet);

	return g_strconcat(facts->packet.grade == MDL_PROVED ? "" : "perhaps ", packet ? packet : "",
		packet ? ", " : "", carried, NULL);
}

static struct ana_beginner fact_packet_begin(struct qry *q, uint32_t host, const struct mdl_facts *facts)
{
	struct ana_sender sender;

	if (!ana_sender_of(q, host, &facts->packet, &sender))
		return (struct ana_beginner){ MDL_NONE, MDL_NEVER };
	return (struct ana_beginner){ sender.thread, sender.by.time };
}

static char *fact_packet_did(G_GNUC_UNUSED const struct mdl_facts *facts)
{
	return g_strdup("received the packet and sent the wake-up");
}

const struct ana_fact_ops ana_fact_packet = {
	.kind = ANA_KIND_NETWORK,
	.kind_rank = 6,
	.only_then = true,
	.source = fact_packet_tell_source,
	.words = fact_packet_words,
	.before_steps = "; ",
	.begin = fact_packet_begin,
	.rank = 1,
	.before = fact_packet_add_hops,
	.did = fact_packet_did,
};
