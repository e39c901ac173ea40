/* SPDX-License-Identifier: MIT */
/* How it works: json-glib makes a tree of the text, which is looked through first: nesting may be too deep
 * for it, and it cuts large numbers. */
#include "sync/sync_file.h"

#include "base/base_error.h"
#include "base/base_text.h"
#include "sync/sync_file_parts.h"
#include "sync/sync_twins.h"

#define DEPTH_MAX 16 /* the text itself goes 6 deep */

static bool G_GNUC_PRINTF(2, 3) set_bad(GError **error, const char *format, ...)
{
	va_list args;
	char *text, *clean;

	va_start(args, format);
	text = g_strdup_vprintf(format, args);
	va_end(args);
	clean = base_text_clean(text, -1);
	g_set_error_literal(error, BASE_ERROR, BASE_ERROR_DATA, clean);
	g_free(clean);
	g_free(text);
	return false;
}

bool sync_file_bad(const struct sync_file_place *p, const char *key, const char *what)
{
	if (!p->host)
		return set_bad(p->error, "\"%s\" %s", key, what);
	return set_bad(p->error, "clock of %.100s: \"%s\" %s", p->host, key, what);
}

/* ---- values ---- */

/* Null is as good as not there. */
static JsonNode *member(JsonObject *o, const char *key)
{
	JsonNode *node = json_object_get_member(o, key);

	return node && !JSON_NODE_HOLDS_NULL(node) ? node : NULL;
}

bool sync_file_get_int(const struct sync_file_place *p, JsonObject *o, const char *key, int64_t *value)
{
	JsonNode *node = member(o, key);

	if (!node)
		return true;
	if (!JSON_NODE_HOLDS_VALUE(node) || json_node_get_value_type(node) != G_TYPE_INT64)
		return sync_file_bad(p, key, "is not a whole number");
	*value = json_node_get_int(node);
	return true;
}

bool sync_file_get_count(const struct sync_file_place *p, JsonObject *o, const char *key, uint64_t *value)
{
	int64_t count = (int64_t)*value;

	if (!sync_file_get_int(p, o, key, &count))
		return false;
	if (count < 0)
		return sync_file_bad(p, key, "is less than 0");
	*value = (uint64_t)count;
	return true;
}

bool sync_file_get_text(const struct sync_file_place *p, JsonObject *o, const char *key, const char **value)
{
	JsonNode *node = member(o, key);

	if (!node)
		return true;
	if (!JSON_NODE_HOLDS_VALUE(node) || json_node_get_value_type(node) != G_TYPE_STRING)
		return sync_file_bad(p, key, "is not text in quotes");
	*value = json_node_get_string(node);
	return true;
}

bool sync_file_get_list(const struct sync_file_place *p, JsonObject *o, const char *key, JsonArray **value)
{
	JsonNode *node = member(o, key);

	if (!node)
		return true;
	if (!JSON_NODE_HOLDS_ARRAY(node))
		return sync_file_bad(p, key, "is not a list");
	*value = json_node_get_array(node);
	return true;
}

bool sync_file_get_object(const struct sync_file_place *p, JsonArray *list, unsigned i, const char *key,
	JsonObject **value)
{
	JsonNode *node = json_array_get_element(list, i);

	if (!JSON_NODE_HOLDS_OBJECT(node))
		return sync_file_bad(p, key, "has something that is not an object");
	*value = json_node_get_object(node);
	return true;
}

unsigned sync_file_host_named(const struct sync_file_place *p, const char *name)
{
	unsigned i = 0;

	while (i < p->n && !g_str_equal(p->names[i], name))
		i++;
	return i;
}

/* ---- hosts ---- */

static struct sync_hosts *hosts_apart(unsigned n)
{
	struct sync_hosts *h = g_new(struct sync_hosts, 1);

	g_atomic_ref_count_init(&h->references);
	h->n = n;
	h->hosts = g_new0(struct sync_host, n);
	for (unsigned i = 0; i < n; i++) {
		h->hosts[i].quality = SYNC_NONE;
		h->hosts[i].by = i;
		h->hosts[i].error_max = INT64_MAX;
	}
	return h;
}

static bool check_reference(const struct sync_file_place *p, const struct sync_host *reference)
{
	const struct sync_line *line = &g_array_index(reference->clock->lines, struct sync_line, 0);

	if (reference->clock->lines->len != 1 || line->rate != 0 || line->offset != 0)
		return sync_file_bad(p, "lines",
			"must be one of slope 1 and offset_ns 0: it is the reference");
	return reference->by == 0 || sync_file_bad(p, "by", "must be null: it is the reference");
}

static bool read_host(struct sync_file_place *p, JsonObject *o, struct sync_hosts *h, bool *seen)
{
	const char *name = NULL;
	unsigned i;

	p->host = NULL;
	if (!sync_file_get_text(p, o, "host", &name))
		return false;
	if (!name)
		return sync_file_bad(p, "host", "is missing in one of \"hosts\"");
	p->host = name;
	i = sync_file_host_named(p, name);
	if (i == p->n)
		return sync_file_bad(p, "host",
			"is not in this experiment: take it out, or open its trace too");
	if (seen[i])
		return sync_file_bad(p, "host", "is there twice");
	seen[i] = true;
	return sync_file_host(p, o, &h->hosts[i]);
}

/* The first host is the reference, told or not, and each way leads to it. */
static bool check_ways(struct sync_file_place *p, struct sync_hosts *h)
{
	struct sync_host *reference = &h->hosts[0];

	p->host = p->names[0];
	if (!reference->clock)
		reference->clock = sync_clock_new_same();
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

/* Each after the host that it is reached by. */
static void measure(struct sync_hosts *h, const struct sync_span *spans, bool *done, unsigned i)
{
	if (done[i] || !h->hosts[i].clock)
		return;
	done[i] = true;
	measure(h, spans, done, h->hosts[i].by);
	sync_hosts_measure(h, i, &spans[i]);
}

static bool read_hosts(struct sync_file_place *p, JsonObject *root, struct sync_hosts *h,
	const struct sync_span *spans)
{
	bool *flags = g_new0(bool, h->n), ok = true;
	const char *reference = NULL;
	struct sync_span *joined;
	JsonArray *list = NULL;

	ok = sync_file_get_text(p, root, "reference", &reference) &&
		sync_file_get_list(p, root, "hosts", &list);
	if (ok && reference && !g_str_equal(reference, p->names[0]))
		ok = set_bad(p->error,
			"\"reference\" is %.100s, but the first trace is that of %s: name the traces in another order",
			reference, p->names[0]);
	if (ok && !list)
		ok = sync_file_bad(p, "hosts", "is missing");
	for (guint i = 0; ok && i < json_array_get_length(list); i++) {
		JsonObject *o = NULL;

		ok = sync_file_get_object(p, list, i, "hosts", &o) && read_host(p, o, h, flags);
	}
	ok = ok && check_ways(p, h);
	memset(flags, 0, h->n * sizeof *flags);
	joined = ok ? sync_twins_spans_of(h, spans) : NULL;
	for (unsigned i = 0; ok && i < h->n; i++)
		measure(h, joined, flags, i);
	g_free(joined);
	g_free(flags);
	return ok;
}

/* ---- the whole ---- */

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

/* Is it one thing, not too deep for the parser, and its whole numbers none that the parser would cut? */
static bool is_fit(const char *text, size_t size)
{
	bool over = false;
	int depth = 0;

	for (size_t i = 0; i < size && depth <= DEPTH_MAX; i++) {
		if (over && !g_ascii_isspace(text[i]))
			return false;
		if (text[i] == '"')
			i = skip_text(text, size, i);
		else if (g_ascii_isdigit(text[i]) && !is_in_range(text, size, &i))
			return false;
		else
			depth += (text[i] == '[' || text[i] == '{') - (text[i] == ']' || text[i] == '}');
		over = over || (depth == 0 && i < size && (text[i] == ']' || text[i] == '}'));
	}
	return depth <= DEPTH_MAX;
}

static bool parse(JsonParser *parser, const char *text, size_t size, GError **error)
{
	GError *problem = NULL;
	bool ok;

	if (size > G_MAXINT || !is_fit(text, size))
		return set_bad(error,
			"not clocks as \"wakepath sync --format json\" prints them: more than one object, lists in lists, or numbers that are too large");
	if (json_parser_load_from_data(parser, text, (gssize)size, &problem) && json_parser_get_root(parser))
		return JSON_NODE_HOLDS_OBJECT(json_parser_get_root(parser)) ||
			set_bad(error, "the JSON is not an object");
	ok = set_bad(error, "not JSON: %s", problem ? problem->message : "it is empty");
	g_clear_error(&problem);
	return ok;
}

struct sync_hosts *sync_file_read(const char *text, size_t size, const char *const *names,
	const struct sync_span *spans, unsigned n, GError **error)
{
	struct sync_file_place p = { .names = names, .n = n, .error = error };
	JsonParser *parser = json_parser_new_immutable();
	struct sync_hosts *h = hosts_apart(n);

	if (!parse(parser, text, size, error) ||
		!read_hosts(&p, json_node_get_object(json_parser_get_root(parser)), h, spans))
		g_clear_pointer(&h, sync_hosts_unref);
	g_object_unref(parser);
	return h;
}
