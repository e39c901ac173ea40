/* SPDX-License-Identifier: MIT */
/* A request to a disk that completed. */
#include "analysis/wait/fact.h"

#include "analysis/kind/chain.h"
#include "analysis/kind/words.h"
#include "base/base_text.h"

#include <inttypes.h>

static bool same_actor(const struct mdl_act *a, const struct mdl_act *b)
{
	return a->context == b->context && a->thread == b->thread;
}

static char *request_label(const struct ana_why_maker *m, const struct mdl_request *r)
{
	g_autofree char *bytes = base_text_bytes(r->bytes);
	const char *dev = qry_device_name(m->q, m->why->source.host, r->dev),
		   *op = ana_words_operation(r->op);
	const char *request = r->op == MDL_OP_UNKNOWN || r->op == MDL_OP_OTHER ? "" : "request ";

	if (r->sector == MDL_SECTOR_NONE)
		return g_strdup_printf("%s%s %s", request, op, dev);
	return g_strdup_printf("%s%s %s %" PRIu64 " +%s", request, op, dev, r->sector, bytes);
}

static char *request_text(const struct ana_why_maker *m, const struct mdl_request *r)
{
	struct ana_steps own = m->why->steps;
	g_autofree char *times = NULL;

	own.n = own.n_request;
	times = ana_steps_text(&own);
	if (r->merged == 0)
		return times ? g_steal_pointer(&times) : g_strdup("completed");
	return g_strdup_printf("%s%s%u merged into it", times ? times : "", times ? "; " : "", r->merged);
}

static void fact_request_add_hops(struct ana_why_maker *m, const struct mdl_facts *facts)
{
	const struct mdl_request *r = &facts->request;
	uint32_t last_cpu = ana_why_end_cpu(m);
	struct ana_why_hop *hop;

	ana_why_act_add(m, &r->submitter, m->why->row, "asked for it",
		r->queued != MDL_NEVER ? "block_bio_queue" : "block_getrq");
	if (!same_actor(&r->submitter, &r->issuer))
		ana_why_act_add(m, &r->issuer, m->why->row, "gave it to the driver", "block_rq_issue");
	hop = ana_why_hop_add(m, request_label(m, r));
	hop->text = request_text(m, r);
	hop->from = r->queued != MDL_NEVER ? r->queued : r->inserted != MDL_NEVER ? r->inserted : r->issued;
	hop->to = r->completed;
	hop->grade = ana_grade_of(r->grade);
	if (hop->grade != ANA_PROVED)
		hop->missing = "block_rq_*";
	/* By whoever flushed the plug it was on. */
	ana_why_evidence_add(m, "block_rq_insert", r->inserted, MDL_NONE);
	ana_why_evidence_add(m, "block_rq_issue", r->issued,
		r->issuer.time != MDL_NEVER ? r->issuer.cpu : MDL_NONE);
	ana_why_evidence_add(m, "block_rq_complete", r->completed, last_cpu);
}

static void fact_request_tell_source(const struct ana_look *look, const struct mdl_facts *facts,
	struct ana_source *s)
{
	s->grade = ana_grade_of(facts->request.grade);
	s->device = qry_device_name(look->q, s->host, facts->request.dev);
}

/* "read of vdb, 64 KiB" */
static char *fact_request_words(struct qry *q, uint32_t host, const struct mdl_facts *facts,
	G_GNUC_UNUSED const struct mdl_chain *chain)
{
	const struct mdl_request *r = &facts->request;
	g_autofree char *bytes = r->bytes > 0 ? base_text_bytes(r->bytes) : NULL;

	return g_strdup_printf("%s of %s%s%s", ana_words_operation(r->op), qry_device_name(q, host, r->dev),
		bytes ? ", " : "", bytes ? bytes : "");
}

static struct ana_beginner fact_request_begin(struct qry *q, G_GNUC_UNUSED uint32_t host,
	const struct mdl_facts *facts)
{
	return (struct ana_beginner){ ana_chain_actor(q, &facts->request.submitter),
		facts->request.submitter.time };
}

static char *fact_request_did(G_GNUC_UNUSED const struct mdl_facts *facts)
{
	return g_strdup("completed the request and sent the wake-up");
}

const struct ana_fact_ops ana_fact_request = {
	.kind = ANA_KIND_BLOCK,
	.kind_rank = 5,
	.only_then = true,
	.source = fact_request_tell_source,
	.words = fact_request_words,
	.before_steps = ": ",
	.begin = fact_request_begin,
	.rank = 4,
	.before = fact_request_add_hops,
	.did = fact_request_did,
};
