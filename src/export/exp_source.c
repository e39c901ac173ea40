/* SPDX-License-Identifier: MIT */
#include "export/exp_source.h"

#include "export/exp_json.h"

#include <inttypes.h>

const char *exp_source_context_type(enum mdl_ctx_type type)
{
	/* A vector that no other CPU sent is an interrupt to whoever reads the file. */
	return mdl_ctx_type_name(type == MDL_CTX_VECTOR ? MDL_CTX_IRQ : type);
}

static JsonObject *context_json(const struct qry *q, uint32_t host, const struct mdl_wakeup *w, unsigned i)
{
	struct qry_context c = qry_context(q, host, w->contexts[i].context);
	JsonObject *o = json_object_new();

	json_object_set_string_member(o, "type", exp_source_context_type(c.type));
	/* The number of an hrtimer is an address, which stands in "timer". */
	exp_json_natural(o, "nr", c.type == MDL_CTX_HRTIMER ? -1 : c.nr);
	exp_json_text(o, "name", c.name);
	exp_json_id(o, "cpu", w->cpu);
	exp_json_time(o, "entry", w->contexts[i].entry);
	/* Its entry was seen and its exit was not: the events alone say so. */
	json_object_set_string_member(o, "grade", ana_grade_name(ANA_PROVED));
	return o;
}

static JsonArray *contexts_json(const struct qry *q, uint32_t host, const struct mdl_wakeup *w)
{
	JsonArray *list = json_array_new();

	for (unsigned i = 0; i < w->n_contexts; i++)
		json_array_add_object_element(list, context_json(q, host, w, i));
	return list;
}

/* The timer's function, where the wake-up happened in an hrtimer; else NULL. */
static JsonObject *timer_json(const struct qry *q, uint32_t host, const struct mdl_wakeup *w)
{
	for (unsigned i = w->n_contexts; i-- > 0;) {
		struct qry_context c = qry_context(q, host, w->contexts[i].context);
		JsonObject *o;
		char *function;

		if (c.type != MDL_CTX_HRTIMER || (c.nr == -1 && !*c.name))
			continue;
		function = *c.name ? g_strdup(c.name) : g_strdup_printf("0x%" PRIx64, (uint64_t)c.nr);
		o = json_object_new();
		exp_json_text(o, "function", function);
		json_object_set_null_member(o, "armed_by");
		g_free(function);
		return o;
	}
	return NULL;
}

/* The events that say so. */
static JsonArray *evidence_json(const struct ana_source *source)
{
	JsonArray *list = json_array_new();
	JsonObject *o;

	if (!source->event)
		return list;
	o = json_object_new();
	exp_json_text(o, "event", source->event);
	exp_json_time(o, "time", source->wakeup.time);
	exp_json_id(o, "cpu", source->wakeup.cpu);
	json_array_add_object_element(list, o);
	return list;
}

JsonObject *exp_source_json(const struct qry *q, uint32_t host, const struct ana_source *source)
{
	const struct mdl_wakeup *w = &source->wakeup;
	JsonObject *o = json_object_new();

	json_object_set_string_member(o, "kind", ana_kind_name(source->kind));
	exp_json_object(o, "thread", exp_json_thread(q, source->thread, w->time));
	json_object_set_array_member(o, "context", contexts_json(q, host, w));
	exp_json_text(o, "device", source->device);
	json_object_set_null_member(o, "request");
	json_object_set_null_member(o, "packet");
	exp_json_object(o, "timer", timer_json(q, host, w));
	json_object_set_string_member(o, "grade", ana_grade_name(source->grade));
	json_object_set_array_member(o, "evidence", evidence_json(source));
	return o;
}
