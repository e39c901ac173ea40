/* SPDX-License-Identifier: MIT */
/* A signal that was sent with the wake-up. */
#include "analysis/wait/fact.h"

#include "analysis/kind/chain.h"
#include "analysis/kind/words.h"

#include <inttypes.h>

/* An interval timer's signal is the timer's doing.  Of one that may have come behind the wake-up it is proved
 * who sent it, which is all that is told then. */
static bool tells(const struct mdl_facts *facts)
{
	return !(facts->has & MDL_FACT_TIMER && facts->timer.expired) && facts->signal.grade == MDL_PROVED;
}

static void fact_signal_tell_source(const struct ana_look *look, const struct mdl_facts *facts,
	struct ana_source *s)
{
	s->thread = ana_chain_actor(look->q, &facts->signal.sender);
}

/* "14 ALRM from wk-client[595]" */
static char *fact_signal_words(struct qry *q, uint32_t host, const struct mdl_facts *facts,
	G_GNUC_UNUSED const struct mdl_chain *chain)
{
	const struct mdl_signal *s = &facts->signal;
	const char *name = ana_words_signal_name(s->number);
	g_autofree char *who = ana_words_act(q, host, &s->sender);

	return g_strdup_printf("%" PRIu32 "%s%s from %s", s->number, name ? " " : "", name ? name : "", who);
}

static struct ana_beginner fact_signal_begin(struct qry *q, G_GNUC_UNUSED uint32_t host,
	const struct mdl_facts *facts)
{
	return (struct ana_beginner){ ana_chain_actor(q, &facts->signal.sender), facts->signal.sender.time };
}

static char *fact_signal_did(const struct mdl_facts *facts)
{
	const char *name = ana_words_signal_name(facts->signal.number);

	return g_strdup_printf("sent signal %u%s%s", facts->signal.number, name ? " " : "", name ? name : "");
}

const struct ana_fact_ops ana_fact_signal = {
	.tells = tells,
	.kind = ANA_KIND_SIGNAL,
	.kind_rank = 1,
	.source = fact_signal_tell_source,
	.words = fact_signal_words,
	.before_steps = "; ",
	.begin = fact_signal_begin,
	.rank = 2,
	.did = fact_signal_did,
};
