/* SPDX-License-Identifier: MIT */
#include "export/exp_json.h"

#include "analysis/ana_chain.h"
#include "base/base_text.h"
#include "base/base_time.h"

#include <inttypes.h>
#include <string.h>

void exp_json_int(JsonObject *o, const char *key, int64_t value)
{
	json_object_set_int_member(o, key, value);
}

void exp_json_id(JsonObject *o, const char *key, uint32_t value)
{
	if (value == MDL_NONE)
		json_object_set_null_member(o, key);
	else
		json_object_set_int_member(o, key, value);
}

void exp_json_time(JsonObject *o, const char *key, int64_t time)
{
	if (time == BASE_TIME_NONE)
		json_object_set_null_member(o, key);
	else
		json_object_set_int_member(o, key, time);
}

void exp_json_natural(JsonObject *o, const char *key, int64_t value)
{
	exp_json_time(o, key, value < 0 ? BASE_TIME_NONE : value);
}

/* Names are clean already; the path of a trace may be anything that a file system takes. */
static char *valid_text(const char *text)
{
	return g_utf8_validate(text, -1, NULL) ? g_strdup(text) : base_text_clean(text, -1);
}

void exp_json_text(JsonObject *o, const char *key, const char *text)
{
	char *valid;

	if (!text || !*text) {
		json_object_set_null_member(o, key);
		return;
	}
	valid = valid_text(text);
	json_object_set_string_member(o, key, valid);
	g_free(valid);
}

JsonArray *exp_json_texts(const GPtrArray *texts)
{
	JsonArray *list = json_array_sized_new(texts->len);

	for (guint i = 0; i < texts->len; i++) {
		char *valid = valid_text(g_ptr_array_index(texts, i));

		json_array_add_string_element(list, valid);
		g_free(valid);
	}
	return list;
}

void exp_json_object(JsonObject *o, const char *key, JsonObject *object)
{
	if (object)
		json_object_set_object_member(o, key, object);
	else
		json_object_set_null_member(o, key);
}

/* The comma and the key before the next member or element. */
static void begin_value(GString *out, const char *key)
{
	if (!strchr("{[", out->str[out->len - 1]))
		g_string_append_c(out, ',');
	if (key)
		g_string_append_printf(out, "\"%s\":", key);
	else
		g_string_append_c(out, '\n');
}

void exp_json_begin(GString *out)
{
	g_string_append_c(out, '{');
}

void exp_json_end(GString *out)
{
	g_string_append(out, "}\n");
}

void exp_json_begin_list(GString *out, const char *key)
{
	begin_value(out, key);
	g_string_append_c(out, '[');
}

void exp_json_end_list(GString *out)
{
	g_string_append(out, "\n]");
}

/* O as text, taken over. */
static void append_object(GString *out, JsonObject *o)
{
	JsonGenerator *generator = json_generator_new();
	JsonNode *node = json_node_init_object(json_node_alloc(), o);

	json_generator_set_root(generator, node);
	json_generator_to_gstring(generator, out);
	g_object_unref(generator);
	json_node_unref(node);
	json_object_unref(o);
}

void exp_json_put(GString *out, const char *key, JsonObject *o)
{
	begin_value(out, key);
	append_object(out, o);
}

void exp_json_put_members(GString *out, JsonObject *o)
{
	GString *text = g_string_new(NULL);

	append_object(text, o);
	if (text->len > 2) {
		if (out->str[out->len - 1] != '{')
			g_string_append_c(out, ',');
		g_string_append_len(out, text->str + 1, (gssize)text->len - 2);
	}
	g_string_free(text, TRUE);
}

JsonObject *exp_json_subject(const struct qry *q, uint32_t row)
{
	static const char *const types[MDL_ROW_TYPES] = { [MDL_ROW_THREAD] = "thread",
		[MDL_ROW_CPU] = "cpu",
		[MDL_ROW_IRQ] = "irq",
		[MDL_ROW_SOFTIRQ] = "softirq",
		[MDL_ROW_VCPU] = "vcpu" };
	const struct qry_row *r = qry_row(q, row);
	JsonObject *o = json_object_new();

	json_object_set_string_member(o, "type", types[r->type]);
	exp_json_text(o, "host", qry_host(q, r->host)->name);
	if (r->type == MDL_ROW_THREAD) {
		exp_json_int(o, "tid", r->nr);
		exp_json_natural(o, "pid", r->pid);
	} else if (r->type != MDL_ROW_CPU) {
		exp_json_int(o, "nr", r->nr);
	}
	if (r->type == MDL_ROW_CPU)
		exp_json_int(o, "cpu", r->nr);
	else if (r->cpu != MDL_NONE)
		exp_json_id(o, "cpu", r->cpu);
	if (r->type != MDL_ROW_CPU)
		exp_json_text(o, "name", r->name);
	return o;
}

JsonObject *exp_json_thread(const struct qry *q, uint32_t row, int64_t time)
{
	JsonObject *o;

	if (row == MDL_NONE)
		return NULL;
	o = json_object_new();
	exp_json_text(o, "host", qry_host(q, qry_row(q, row)->host)->name);
	exp_json_int(o, "tid", qry_row(q, row)->nr);
	exp_json_text(o, "name", qry_name_at(q, row, time));
	return o;
}

void exp_json_address(JsonObject *o, const char *key, uint64_t address)
{
	char *text = address != 0 ? g_strdup_printf("0x%" PRIx64, address) : NULL;

	exp_json_text(o, key, text);
	g_free(text);
}

JsonNode *exp_json_node(JsonObject *take)
{
	JsonNode *node = json_node_new(JSON_NODE_OBJECT);

	json_node_take_object(node, take);
	return node;
}

void exp_json_actor(JsonObject *o, const char *key, const struct qry *q, const struct mdl_act *act)
{
	exp_json_object(o, key, exp_json_thread(q, ana_chain_actor(q, act), act->time));
}
