/* SPDX-License-Identifier: MIT */
/* How it works: json-glib reads the text, which is looked through first: nesting may be too deep for it, and
 * it cuts large numbers. */
#include "sync/sync_hosts.h"

#include "sync/sync_file_parts.h"
#include "sync/sync_hosts_parts.h"

#define DEPTH_MAX 16 /* the text itself goes 6 deep */

/* ---- writing ---- */

static const struct sync_line *file_line_of(const struct sync_host *h, guint i)
{
	return &g_array_index(h->clock->lines, struct sync_line, i);
}

static guint lines_of(const struct sync_host *h)
{
	return h->clock ? h->clock->lines->len : 0;
}

/* Null for UNKNOWN. */
static void put_int(GString *o, const char *key, int64_t value, int64_t unknown)
{
	if (value != unknown)
		base_json_int(o, key, value);
	else
		base_json_null(o, key);
}

static void file_put_count(GString *o, const char *key, uint64_t value)
{
	base_json_int(o, key, (int64_t)value);
}

/* Line I of the clock, nulls where there is none; it may be off by ERROR. */
static void put_line(GString *o, const struct sync_host *h, guint i, int64_t error)
{
	g_autofree char *slope = i < lines_of(h) ? sync_text_slope(file_line_of(h, i)) : NULL;
	g_autofree char *offset = i < lines_of(h) ? sync_text_offset(file_line_of(h, i)) : NULL;

	base_json_text(o, "slope", slope);
	base_json_text(o, "offset_ns", offset);
	put_int(o, "error_ns_max", error, INT64_MAX);
}

static GString *lines_json(const struct sync_host *h)
{
	GString *list = base_json_list();

	for (guint i = 0; i < lines_of(h); i++) {
		GString *o = base_json_object();

		put_int(o, "from", file_line_of(h, i)->from, INT64_MIN);
		put_int(o, "seen", file_line_of(h, i)->seen, INT64_MAX);
		base_json_int(o, "origin", file_line_of(h, i)->origin);
		put_line(o, h, i, g_array_index(h->errors, int64_t, i));
		base_json_put(list, NULL, o);
	}
	return list;
}

static void put_rate(GString *o, const char *key, int64_t rate)
{
	g_autofree char *text = sync_text_decimal(((sync_wide)1 << SYNC_FRACTION_BITS) + rate);

	base_json_string(o, key, text);
}

static void put_points(GString *o, const char *key, const GArray *points)
{
	GString *list = base_json_list();

	for (guint i = 0; i < points->len; i++) {
		const struct sync_point *p = &g_array_index(points, struct sync_point, i);
		GString *pair = base_json_list();

		base_json_int(pair, NULL, p->host);
		base_json_int(pair, NULL, p->other);
		base_json_put(list, NULL, pair);
	}
	base_json_put(o, key, list);
}

static GString *bounds_json(const GArray *bounds)
{
	GString *list = base_json_list();

	for (guint i = 0; i < bounds->len; i++) {
		const struct sync_bound *b = &g_array_index(bounds, struct sync_bound, i);
		GString *o = base_json_object();

		put_int(o, "from", b->from, INT64_MIN);
		put_int(o, "seen", b->seen, INT64_MAX);
		put_rate(o, "slow", b->slow);
		put_rate(o, "fast", b->fast);
		put_points(o, "low", b->low);
		put_points(o, "high", b->high);
		base_json_put(list, NULL, o);
	}
	return list;
}

static void put_counts(GString *o, const struct sync_host *h)
{
	for (const struct sync_file_count *c = sync_file_counts; c->key; c++)
		file_put_count(o, c->key, G_STRUCT_MEMBER(uint64_t, h, c->offset));
	file_put_count(o, "packets_sent_first", h->exchanged - h->violations_before);
	if (h->clock)
		file_put_count(o, "violations_after", h->violations_after);
	else
		base_json_null(o, "violations_after");
}

static GString *host_json(const struct sync_hosts *hosts, unsigned host, const char *const *names,
	const char *namesake)
{
	const struct sync_host *h = &hosts->hosts[host];
	GString *o = base_json_object();

	base_json_string(o, "host", names[host]);
	base_json_string(o, "quality", sync_quality_name(h->quality));
	base_json_null(o, "from"); /* the first of its lines holds from ever */
	put_line(o, h, 0, h->error_max);
	base_json_text(o, "by", h->clock && h->by != host ? names[h->by] : NULL);
	put_counts(o, h);
	file_put_count(o, "pieces", lines_of(h));
	base_json_put(o, "lines", lines_json(h));
	base_json_put(o, "bounds", h->bounds ? bounds_json(h->bounds) : NULL);
	put_int(o, "start_shift_ns", h->placed ? sync_place_shift(h) : INT64_MIN, INT64_MIN);
	base_json_text(o, "same_clock_as", sync_bounds_are_exact(h->bounds) ? names[h->by] : NULL);
	base_json_text(o, "same_name_as", namesake);
	return o;
}

/* HOST and ROW of it, called KEY and KEY_row. */
static void put_cpu(GString *o, const char *key, const char *row_key, const struct sync_cpu *cpu,
	const char *const *names)
{
	base_json_string(o, key, names[cpu->host]);
	base_json_int(o, row_key, cpu->row);
}

static GString *vcpu_json(const struct sync_vcpu *v, const char *const *names)
{
	GString *o = base_json_object();

	put_cpu(o, "host", "row", &v->self, names);
	put_cpu(o, "guest", "guest_row", &v->cpu, names);
	file_put_count(o, "events_inside", v->inside);
	file_put_count(o, "events_outside", v->outside);
	return o;
}

/* A host, or a virtual CPU, on a line. */
void sync_file_write(GString *out, const struct sync_hosts *hosts, const char *const *names,
	const char *const *namesakes)
{
	g_string_append_c(out, '{');
	base_json_string(out, "reference", names[0]);
	base_json_begin_list(out, "hosts");
	for (unsigned i = 0; i < hosts->n; i++)
		base_json_put_line(out, host_json(hosts, i, names, namesakes ? namesakes[i] : NULL));
	base_json_end_list(out);
	base_json_begin_list(out, "vcpus");
	for (guint i = 0; i < hosts->vcpus->len; i++)
		base_json_put_line(out, vcpu_json(&g_array_index(hosts->vcpus, struct sync_vcpu, i), names));
	base_json_end_list(out);
	g_string_append(out, "}\n");
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

static void read_host(struct sync_file_place *p, const struct base_json_value *o, struct sync_hosts *h,
	bool *seen)
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

static void read_cpu(struct sync_file_place *p, const struct base_json_value *o, const char *key,
	const char *row_key, struct sync_cpu *cpu)
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

static void read_vcpus(struct sync_file_place *p, const struct base_json_value *root, struct sync_hosts *h)
{
	const struct base_json_value *list = NULL;

	p->host = NULL;
	list = sync_file_get_list(p, root, "vcpus");
	for (guint i = 0; !p->failed && list && i < base_json_value_length(list); i++) {
		struct sync_vcpu v = { .found = true };
		const struct base_json_value *o = sync_file_get_object(p, list, i, "vcpus");

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

static void read_hosts(struct sync_file_place *p, const struct base_json_value *root, struct sync_hosts *h,
	const struct sync_span *spans)
{
	bool *seen = g_new0(bool, h->n);
	const char *reference = sync_file_get_text(p, root, "reference");
	const struct base_json_value *list = sync_file_get_list(p, root, "hosts");
	g_autofree struct sync_span *joined = NULL;

	if (reference && !g_str_equal(reference, p->names[0]))
		sync_file_fail(p,
			"\"reference\" is %.100s, but the first trace is that of %s: name the traces in another order",
			reference, p->names[0]);
	if (!list)
		sync_file_bad(p, "hosts", "is missing");
	for (guint i = 0; !p->failed && i < base_json_value_length(list); i++) {
		const struct base_json_value *o = sync_file_get_object(p, list, i, "hosts");

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

/* What TEXT is, an object; NULL: it is something else. */
static struct base_json *file_parse(struct sync_file_place *p, const char *text, size_t size)
{
	struct base_json *json;
	g_autoptr(GError) problem = NULL;

	if (size > G_MAXINT || !is_fit(text, size)) {
		sync_file_fail(p,
			"not clocks as \"wakepath sync --format json\" prints them: more than one object, lists in lists, or numbers that are too large");
		return NULL;
	}
	json = base_json_parse(text, size, &problem);
	if (!json)
		sync_file_fail(p, "%s", problem->message);
	else if (base_json_value_type(base_json_root(json)) != BASE_JSON_OBJECT)
		sync_file_fail(p, "the JSON is not an object");
	if (p->failed)
		g_clear_pointer(&json, base_json_free);
	return json;
}

struct sync_hosts *sync_file_read(const char *text, size_t size, const char *const *names,
	const struct sync_span *spans, unsigned n, GError **error)
{
	struct sync_file_place p = { .names = names, .n = n, .error = error };
	struct sync_hosts *h = hosts_apart(n);
	struct base_json *json = file_parse(&p, text, size);

	if (json)
		read_hosts(&p, base_json_root(json), h, spans);
	if (p.failed)
		g_clear_pointer(&h, sync_hosts_unref);
	base_json_free(json);
	return h;
}
