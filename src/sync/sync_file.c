/* SPDX-License-Identifier: MIT */
/* How it works: json-glib makes a tree of the text, which is looked through first: nesting may be too deep
 * for it, and it cuts large numbers. */
#include "sync/sync_file.h"

#include "sync/sync_file_parts.h"
#include "sync/sync_place.h"
#include "sync/sync_text.h"
#include "sync/sync_hosts_parts.h"

#define DEPTH_MAX 16 /* the text itself goes 6 deep */

/* ---- writing ---- */

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
	g_autofree char *slope = i < lines_of(h) ? sync_text_slope(line_of(h, i)) : NULL;
	g_autofree char *offset = i < lines_of(h) ? sync_text_offset(line_of(h, i)) : NULL;

	set_text(o, "slope", slope);
	set_text(o, "offset_ns", offset);
	set_int(o, "error_ns_max", error, INT64_MAX);
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
	g_autofree char *text = sync_text_decimal(((sync_wide)1 << SYNC_FRACTION_BITS) + rate);

	json_object_set_string_member(o, key, text);
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
	g_autofree char *text = json_to_string(value, FALSE);

	g_string_append(out, text);
	json_node_unref(value);
}

/* HOST and ROW of it, called KEY and KEY_row. */
static void set_cpu(JsonObject *o, const char *key, const char *row_key, const struct sync_cpu *cpu,
	const char *const *names)
{
	json_object_set_string_member(o, key, names[cpu->host]);
	json_object_set_int_member(o, row_key, cpu->row);
}

static JsonNode *vcpu_json(const struct sync_vcpu *v, const char *const *names)
{
	JsonNode *node = json_node_alloc();
	JsonObject *o = json_object_new();

	set_cpu(o, "host", "row", &v->self, names);
	set_cpu(o, "guest", "guest_row", &v->cpu, names);
	set_count(o, "events_inside", v->inside);
	set_count(o, "events_outside", v->outside);
	json_node_take_object(json_node_init(node, JSON_NODE_OBJECT), o);
	return node;
}

/* A host, or a virtual CPU, on a line. */
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
	g_string_append(out, "\n],\"vcpus\":[");
	for (guint i = 0; i < hosts->vcpus->len; i++) {
		g_string_append(out, i > 0 ? ",\n" : "\n");
		append_node(out, vcpu_json(&g_array_index(hosts->vcpus, struct sync_vcpu, i), names));
	}
	g_string_append(out, hosts->vcpus->len > 0 ? "\n]}\n" : "]}\n");
}

/* ---- reading: hosts ---- */

static struct sync_hosts *hosts_apart(unsigned n)
{
	struct sync_hosts *h = sync_hosts_new_empty(n);

	for (unsigned i = 0; i < n; i++) {
		h->hosts[i].quality = SYNC_NONE;
		h->hosts[i].by = i;
		h->hosts[i].error_max = INT64_MAX;
	}
	return h;
}

static bool check_reference(struct sync_file_place *p, const struct sync_host *reference)
{
	const struct sync_line *line = &g_array_index(reference->clock->lines, struct sync_line, 0);

	if (reference->clock->lines->len != 1 || line->rate != 0 || line->offset != 0)
		return sync_file_bad(p, "lines",
			"must be one of slope 1 and offset_ns 0: it is the reference");
	return reference->by == 0 || sync_file_bad(p, "by", "must be null: it is the reference");
}

static void read_host(struct sync_file_place *p, JsonObject *o, struct sync_hosts *h, bool *seen)
{
	const char *name;
	unsigned i;

	p->host = NULL;
	name = sync_file_get_text(p, o, "host");
	i = name ? sync_file_host_named(p, name) : p->n;
	if (!name)
		sync_file_bad(p, "host", "is missing in one of \"hosts\"");
	p->host = name;
	if (i == p->n)
		sync_file_bad(p, "host", "is not in this experiment: take it out, or open its trace too");
	else if (seen[i])
		sync_file_bad(p, "host", "is there twice");
	if (p->failed)
		return;
	seen[i] = true;
	sync_file_host(p, o, &h->hosts[i]);
}

/* ---- reading: virtual CPUs ---- */

static void read_cpu(struct sync_file_place *p, JsonObject *o, const char *key, const char *row_key,
	struct sync_cpu *cpu)
{
	const char *name = sync_file_get_text(p, o, key);
	uint64_t row = UINT64_MAX;

	sync_file_get_count(p, o, row_key, &row);
	cpu->host = name ? sync_file_host_named(p, name) : p->n;
	cpu->row = (uint32_t)row;
	if (cpu->host == p->n)
		sync_file_bad(p, key, "of one of \"vcpus\" is none of the hosts");
	if (row >= UINT32_MAX)
		sync_file_bad(p, row_key, "of one of \"vcpus\" is no row");
}

static void read_vcpus(struct sync_file_place *p, JsonObject *root, struct sync_hosts *h)
{
	JsonArray *list;

	p->host = NULL;
	list = sync_file_get_list(p, root, "vcpus");
	for (guint i = 0; !p->failed && list && i < json_array_get_length(list); i++) {
		struct sync_vcpu v = { .found = true };
		JsonObject *o = sync_file_get_object(p, list, i, "vcpus");

		if (!o)
			return;
		read_cpu(p, o, "host", "row", &v.self);
		read_cpu(p, o, "guest", "guest_row", &v.cpu);
		sync_file_get_count(p, o, "events_inside", &v.inside);
		sync_file_get_count(p, o, "events_outside", &v.outside);
		g_array_append_val(h->vcpus, v);
	}
}

/* The first host is the reference, told or not, and each way leads to it. */
static bool check_ways(struct sync_file_place *p, struct sync_hosts *h)
{
	struct sync_host *reference = &h->hosts[0];

	p->host = p->names[0];
	if (!reference->clock)
		reference->clock = sync_clock_new_shifted(0);
	if (!check_reference(p, reference))
		return false;
	reference->quality = SYNC_ACCURATE;
	for (unsigned i = 1; i < h->n; i++) {
		unsigned at = i, steps = 0;

		p->host = p->names[i];
		if (!h->hosts[i].clock)
			h->hosts[i].by = i;
		for (; h->hosts[i].clock && at != 0; at = h->hosts[at].by) {
			if (!h->hosts[at].clock)
				return sync_file_bad(p, "by", "leads to a host without clock");
			if (steps++ == h->n)
				return sync_file_bad(p, "by", "leads round and round, not to the reference");
		}
	}
	return true;
}

static void read_hosts(struct sync_file_place *p, JsonObject *root, struct sync_hosts *h,
	const struct sync_span *spans)
{
	bool *seen = g_new0(bool, h->n);
	const char *reference = sync_file_get_text(p, root, "reference");
	JsonArray *list = sync_file_get_list(p, root, "hosts");
	g_autofree struct sync_span *joined = NULL;

	if (reference && !g_str_equal(reference, p->names[0]))
		sync_file_fail(p,
			"\"reference\" is %.100s, but the first trace is that of %s: name the traces in another order",
			reference, p->names[0]);
	if (!list)
		sync_file_bad(p, "hosts", "is missing");
	for (guint i = 0; !p->failed && i < json_array_get_length(list); i++) {
		JsonObject *o = sync_file_get_object(p, list, i, "hosts");

		if (o)
			read_host(p, o, h, seen);
	}
	g_free(seen);
	if (p->failed || !check_ways(p, h))
		return;
	read_vcpus(p, root, h);
	joined = sync_twins_spans_of(h, spans);
	sync_hosts_measure_all(h, joined);
}

/* ---- reading: the whole ---- */

/* The text in quotes that begins at TEXT[I]: where it ends. */
static size_t skip_text(const char *text, size_t size, size_t i)
{
	for (i++; i < size && text[i] != '"'; i++)
		i += text[i] == '\\';
	return i;
}

/* The whole number at TEXT[*I], whose last digit is there then: do 64 bits hold it? */
static bool is_in_range(const char *text, size_t size, size_t *i)
{
	uint64_t most = (uint64_t)INT64_MAX + (*i > 0 && text[*i - 1] == '-'), v = (uint64_t)(text[*i] - '0');

	for (; *i + 1 < size && g_ascii_isdigit(text[*i + 1]); ++*i)
		if (__builtin_mul_overflow(v, 10, &v) ||
			__builtin_add_overflow(v, (uint64_t)(text[*i + 1] - '0'), &v))
			return false;
	return v <= most;
}

/* Is it one thing, not too deep for the parser, and its whole numbers none that the parser would cut?  Of
 * several, as of a number before an object, json-glib 1.6 takes the last one and loses the others. */
static bool is_fit(const char *text, size_t size)
{
	bool over = false, began = false;
	int depth = 0;

	for (size_t i = 0; i < size && depth <= DEPTH_MAX; i++) {
		bool opens = text[i] == '[' || text[i] == '{';

		if ((over && !g_ascii_isspace(text[i])) || (opens && depth == 0 && began))
			return false;
		began = began || !g_ascii_isspace(text[i]);
		if (text[i] == '"')
			i = skip_text(text, size, i);
		else if (g_ascii_isdigit(text[i]) && !is_in_range(text, size, &i))
			return false;
		else
			depth += opens - (text[i] == ']' || text[i] == '}');
		over = over || (depth == 0 && i < size && (text[i] == ']' || text[i] == '}'));
	}
	return depth <= DEPTH_MAX;
}

/* The object that is all of TEXT, in PARSER; NULL: it is something else. */
static JsonObject *parse(struct sync_file_place *p, JsonParser *parser, const char *text, size_t size)
{
	g_autoptr(GError) problem = NULL;
	JsonNode *root = NULL;

	if (size > G_MAXINT || !is_fit(text, size))
		sync_file_fail(p,
			"not clocks as \"wakepath sync --format json\" prints them: more than one object, lists in lists, or numbers that are too large");
	else if (json_parser_load_from_data(parser, text, (gssize)size, &problem))
		root = json_parser_get_root(parser);
	if (!root)
		sync_file_fail(p, "not JSON: %s", problem ? problem->message : "it is empty");
	else if (!JSON_NODE_HOLDS_OBJECT(root))
		sync_file_fail(p, "the JSON is not an object");
	return p->failed ? NULL : json_node_get_object(root);
}

struct sync_hosts *sync_file_read(const char *text, size_t size, const char *const *names,
	const struct sync_span *spans, unsigned n, GError **error)
{
	struct sync_file_place p = { .names = names, .n = n, .error = error };
	JsonParser *parser = json_parser_new_immutable();
	struct sync_hosts *h = hosts_apart(n);
	JsonObject *root = parse(&p, parser, text, size);

	if (root)
		read_hosts(&p, root, h, spans);
	if (p.failed)
		g_clear_pointer(&h, sync_hosts_unref);
	g_object_unref(parser);
	return h;
}
