/* SPDX-License-Identifier: MIT */
#include "sync/sync_file_parts.h"

#include "sync/sync_place.h"
#include "sync/sync_text.h"

#define COUNT(member) G_STRUCT_OFFSET(struct sync_host, member)

const struct sync_file_count sync_file_counts[] = {
	{ "packets_sent", COUNT(counts.sent) },
	{ "packets_received", COUNT(counts.received) },
	{ "packets_without_headers", COUNT(counts.nameless) },
	{ "packets_received_without_headers", COUNT(counts.nameless_received) },
	{ "packets_own", COUNT(counts.own) },
	{ "packets_resent", COUNT(counts.resent) },
	{ "packets_again", COUNT(counts.again) },
	{ "packets_ambiguous", COUNT(counts.ambiguous) },
	{ "packets_unmatched", COUNT(counts.unmatched) },
	{ "packets_aged", COUNT(counts.aged) },
	{ "packets_given_up", COUNT(counts.given_up) },
	{ "packets_received_matched", COUNT(counts.matched) },
	{ "packets_matched", COUNT(exchanged) },
	{ "violations_before", COUNT(violations_before) },
	{ NULL, 0 },
};

static const struct sync_line *line_of(const struct sync_host *h, guint i)
{
	return &g_array_index(h->clock->lines, struct sync_line, i);
}

static guint lines_of(const struct sync_host *h)
{
	return h->clock ? h->clock->lines->len : 0;
}

/* Null for NULL. */
static void set_text(JsonObject *o, const char *key, const char *text)
{
	if (text)
		json_object_set_string_member(o, key, text);
	else
		json_object_set_null_member(o, key);
}

/* Null for UNKNOWN. */
static void set_int(JsonObject *o, const char *key, int64_t value, int64_t unknown)
{
	if (value != unknown)
		json_object_set_int_member(o, key, value);
	else
		json_object_set_null_member(o, key);
}

static void set_count(JsonObject *o, const char *key, uint64_t value)
{
	json_object_set_int_member(o, key, (int64_t)value);
}

/* Line I of the clock, nulls where there is none; it may be off by ERROR. */
static void set_line(JsonObject *o, const struct sync_host *h, guint i, int64_t error)
{
	char *slope = i < lines_of(h) ? sync_text_slope(line_of(h, i)) : NULL;
	char *offset = i < lines_of(h) ? sync_text_offset(line_of(h, i)) : NULL;

	set_text(o, "slope", slope);
	set_text(o, "offset_ns", offset);
	set_int(o, "error_ns_max", error, INT64_MAX);
	g_free(slope);
	g_free(offset);
}

static JsonArray *lines_json(const struct sync_host *h)
{
	JsonArray *list = json_array_new();

	for (guint i = 0; i < lines_of(h); i++) {
		JsonObject *o = json_object_new();

		set_int(o, "from", line_of(h, i)->from, INT64_MIN);
		set_int(o, "seen", line_of(h, i)->seen, INT64_MAX);
		json_object_set_int_member(o, "origin", line_of(h, i)->origin);
		set_line(o, h, i, g_array_index(h->errors, int64_t, i));
		json_array_add_object_element(list, o);
	}
	return list;
}

static void set_rate(JsonObject *o, const char *key, int64_t rate)
{
	char *text = sync_text_decimal(((sync_wide)1 << SYNC_FRACTION_BITS) + rate);

	json_object_set_string_member(o, key, text);
	g_free(text);
}

static void set_points(JsonObject *o, const char *key, const GArray *points)
{
	JsonArray *list = json_array_new();

	for (guint i = 0; i < points->len; i++) {
		const struct sync_point *p = &g_array_index(points, struct sync_point, i);
		JsonArray *pair = json_array_new();

		json_array_add_int_element(pair, p->host);
		json_array_add_int_element(pair, p->other);
		json_array_add_array_element(list, pair);
	}
	json_object_set_array_member(o, key, list);
}

static JsonArray *bounds_json(const GArray *bounds)
{
	JsonArray *list = json_array_new();

	for (guint i = 0; i < bounds->len; i++) {
		const struct sync_bound *b = &g_array_index(bounds, struct sync_bound, i);
		JsonObject *o = json_object_new();

		set_int(o, "from", b->from, INT64_MIN);
		set_int(o, "seen", b->seen, INT64_MAX);
		set_rate(o, "slow", b->slow);
		set_rate(o, "fast", b->fast);
		set_points(o, "low", b->low);
		set_points(o, "high", b->high);
		json_array_add_object_element(list, o);
	}
	return list;
}

static void set_counts(JsonObject *o, const struct sync_host *h)
{
	for (const struct sync_file_count *c = sync_file_counts; c->key; c++)
		set_count(o, c->key, G_STRUCT_MEMBER(uint64_t, h, c->offset));
	set_count(o, "packets_sent_first", h->exchanged - h->violations_before);
	if (h->clock)
		set_count(o, "violations_after", h->violations_after);
	else
		json_object_set_null_member(o, "violations_after");
}

static JsonObject *host_json(const struct sync_hosts *hosts, unsigned host, const char *const *names,
	const char *namesake)
{
	const struct sync_host *h = &hosts->hosts[host];
	JsonObject *o = json_object_new();

	json_object_set_string_member(o, "host", names[host]);
	json_object_set_string_member(o, "quality", sync_quality_name(h->quality));
	json_object_set_null_member(o, "from"); /* the first of its lines holds from ever */
	set_line(o, h, 0, h->error_max);
	set_text(o, "by", h->clock && h->by != host ? names[h->by] : NULL);
	set_counts(o, h);
	set_count(o, "pieces", lines_of(h));
	json_object_set_array_member(o, "lines", lines_json(h));
	if (h->bounds)
		json_object_set_array_member(o, "bounds", bounds_json(h->bounds));
	else
		json_object_set_null_member(o, "bounds");
	if (h->placed)
		json_object_set_int_member(o, "start_shift_ns", sync_place_shift(h));
	else
		json_object_set_null_member(o, "start_shift_ns");
	set_text(o, "same_clock_as", sync_bounds_are_exact(h->bounds) ? names[h->by] : NULL);
	set_text(o, "same_name_as", namesake);
	return o;
}

/* VALUE as text, taken over. */
static void append_node(GString *out, JsonNode *value)
{
	char *text = json_to_string(value, FALSE);

	g_string_append(out, text);
	g_free(text);
	json_node_unref(value);
}

/* A host on a line. */
void sync_file_write(GString *out, const struct sync_hosts *hosts, const char *const *names,
	const char *const *namesakes)
{
	g_string_append(out, "{\"reference\":");
	append_node(out, json_node_init_string(json_node_alloc(), names[0]));
	g_string_append(out, ",\"hosts\":[");
	for (unsigned i = 0; i < hosts->n; i++) {
		JsonNode *node = json_node_alloc();

		json_node_take_object(json_node_init(node, JSON_NODE_OBJECT),
			host_json(hosts, i, names, namesakes ? namesakes[i] : NULL));
		g_string_append(out, i > 0 ? ",\n" : "\n");
		append_node(out, node);
	}
	g_string_append(out, "\n]}\n");
}
