/* SPDX-License-Identifier: MIT */
/* The clocks of hosts as JSON, which wakepath writes and reads again; people may edit it in between. */
#include "sync/sync_hosts.h"

#include "sync/sync_hosts_parts.h"

#include "base/base_error.h"
#include "base/base_json.h"
#include "base/base_text.h"

#define RATE_MAX (INT64_C(1) << 60) /* a quarter: clocks may be chained, each within SYNC_RATE_MAX */

#define COUNT(member) G_STRUCT_OFFSET(struct sync_host, member)

/* The counts of a host's packets: the JSON key and the offset in struct sync_host. */
static const struct {
	const char *key;
	size_t offset;
} counts[] = {
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
};

/* ---- writing ---- */

static const struct sync_line *file_line_of(const struct sync_host *h, guint i)
{
	return &g_array_index(h->clock->lines, struct sync_line, i);
}

static guint lines_of(const struct sync_host *h)
{
	return h->clock ? h->clock->lines->len : 0;
}

/* VALUE, or null if it is UNKNOWN. */
static void put_int(GString *o, const char *key, int64_t value, int64_t unknown)
{
	if (value != unknown)
		base_json_int(o, key, value);
	else
		base_json_null(o, key);
}

/* Line I of the clock, which may be off by ERROR; nulls if there is none. */
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

static GString *host_json(const struct sync_hosts *hosts, unsigned host, const char *const *names,
	const char *namesake)
{
	const struct sync_host *h = &hosts->hosts[host];
	GString *o = base_json_object();

	base_json_string(o, "host", names[host]);
	base_json_string(o, "quality", sync_quality_name(h->quality));
	base_json_null(o, "from"); /* the first of its lines has no begin */
	put_line(o, h, 0, h->error_max);
	base_json_text(o, "by", h->clock && h->by != host ? names[h->by] : NULL);
	for (size_t i = 0; i < G_N_ELEMENTS(counts); i++)
		base_json_int(o, counts[i].key, G_STRUCT_MEMBER(int64_t, h, counts[i].offset));
	base_json_int(o, "packets_sent_first", (int64_t)(h->exchanged - h->violations_before));
	put_int(o, "violations_after", h->clock ? (int64_t)h->violations_after : -1, -1);
	base_json_int(o, "pieces", lines_of(h));
	base_json_put(o, "lines", lines_json(h));
	base_json_put(o, "bounds", h->bounds ? bounds_json(h->bounds) : NULL);
	put_int(o, "start_shift_ns", h->placed ? sync_place_shift(h) : INT64_MIN, INT64_MIN);
	base_json_text(o, "same_clock_as", sync_bounds_are_exact(h->bounds) ? names[h->by] : NULL);
	base_json_text(o, "same_name_as", namesake);
	return o;
}

/* The host and the row of CPU. */
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
	base_json_int(o, "events_inside", (int64_t)v->inside);
	base_json_int(o, "events_outside", (int64_t)v->outside);
	return o;
}

/* Each host and each virtual CPU is a line. */
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

/* ---- reading: values ---- */

/* State of the reader.  After the first error, later values are skipped or ignored. */
struct place {
	const char *const *names; /* of the hosts of the experiment */
	unsigned n;
	const char *host; /* the host that is being read; NULL: none yet */
	GError **error;   /* gets the first error */
	bool failed;      /* an error occurred */
};

/* Set *P->ERROR to BASE_ERROR_DATA, with the text cleaned for the screen, unless an error is set already.
 * Returns false. */
G_GNUC_PRINTF(2, 3) static bool file_fail(struct place *p, const char *format, ...)
{
	va_list args;
	g_autofree char *text = NULL, *clean = NULL;

	if (p->failed)
		return false;
	va_start(args, format);
	text = g_strdup_vprintf(format, args);
	va_end(args);
	clean = base_text_clean(text, -1);
	p->failed = true;
	return base_error_false(p->error, BASE_ERROR_DATA, "%s", clean);
}

/* Like file_fail(), for the value of KEY: "clock of HOST: "KEY" WHAT". */
static bool file_bad(struct place *p, const char *key, const char *what)
{
	return p->host ? file_fail(p, "clock of %.100s: \"%s\" %s", p->host, key, what)
		       : file_fail(p, "\"%s\" %s", key, what);
}

/* The value of KEY.  NULL if it is missing or null, and, with error WHAT, if it is not of TYPE. */
static const struct base_json_value *value_of(struct place *p, const struct base_json_value *o,
	const char *key, enum base_json_type type, const char *what)
{
	const struct base_json_value *v = base_json_value_member(o, key);

	if (!v || base_json_value_type(v) == BASE_JSON_NULL)
		return NULL;
	if (base_json_value_type(v) == type)
		return v;
	file_bad(p, key, what);
	return NULL;
}

/* Set *VALUE if O has KEY and it is not null. */
static void get_int(struct place *p, const struct base_json_value *o, const char *key, int64_t *value)
{
	const struct base_json_value *v = value_of(p, o, key, BASE_JSON_INT, "is not a whole number");

	if (v)
		*value = base_json_value_int(v);
}

static void get_count(struct place *p, const struct base_json_value *o, const char *key, uint64_t *value)
{
	int64_t count = (int64_t)*value;

	get_int(p, o, key, &count);
	if (count < 0)
		file_bad(p, key, "is less than 0");
	*value = (uint64_t)count;
}

static const char *get_text(struct place *p, const struct base_json_value *o, const char *key)
{
	const struct base_json_value *v = value_of(p, o, key, BASE_JSON_TEXT, "is not text in quotes");

	return v ? base_json_value_text(v) : NULL;
}

static const struct base_json_value *get_list(struct place *p, const struct base_json_value *o,
	const char *key)
{
	return value_of(p, o, key, BASE_JSON_LIST, "is not a list");
}

/* Element I of LIST, the value of KEY.  NULL with an error if it is not an object. */
static const struct base_json_value *get_object(struct place *p, const struct base_json_value *list,
	unsigned i, const char *key)
{
	const struct base_json_value *o = base_json_value_at(list, i);

	if (base_json_value_type(o) == BASE_JSON_OBJECT)
		return o;
	file_bad(p, key, "has something that is not an object");
	return NULL;
}

/* The number of the host NAME; P->n: there is none. */
static unsigned host_named(const struct place *p, const char *name)
{
	unsigned i = 0;

	while (i < p->n && !g_str_equal(p->names[i], name))
		i++;
	return i;
}

/* ---- reading: lines ---- */

/* The largest number of lines or bounds: a clock may be chained over all hosts. */
static guint pieces_max(const struct place *p)
{
	return MIN(p->n, G_MAXUINT / SYNC_LINES_MAX) * SYNC_LINES_MAX;
}

/* Decimal text in units of 2^-62; false if it is missing. */
static bool get_decimal(struct place *p, const struct base_json_value *o, const char *key, sync_wide *value)
{
	const char *text = get_text(p, o, key);

	return text &&
		(sync_text_parse(text, value) || file_bad(p, key, "is not a decimal number like \"-12.5\""));
}

static bool get_rate(struct place *p, const struct base_json_value *o, const char *key, int64_t *rate)
{
	const sync_wide one = (sync_wide)1 << SYNC_FRACTION_BITS;
	sync_wide slope = one;
	bool there = get_decimal(p, o, key, &slope);

	if (slope > one + RATE_MAX || slope < one - RATE_MAX)
		return file_bad(p, key, "is too far from 1");
	*rate = (int64_t)(slope - one);
	return there;
}

/* Slope and offset of O; false: neither is there. */
static bool get_line(struct place *p, const struct base_json_value *o, struct sync_line *line)
{
	bool slope = get_rate(p, o, "slope", &line->rate),
	     offset = get_decimal(p, o, "offset_ns", &line->offset);

	if (slope != offset)
		file_bad(p, slope ? "offset_ns" : "slope", "is missing");
	return slope;
}

/* Append to LINES the line LINE, whose offset is at 0, with its offset at ORIGIN. */
static void add_at(struct place *p, struct sync_line *line, int64_t origin, GArray *lines)
{
	sync_wide most = (sync_wide)INT64_MAX << SYNC_FRACTION_BITS;

	if (__builtin_add_overflow(line->offset, (sync_wide)line->rate * origin, &line->offset) ||
		line->offset > most || line->offset < -most) {
		file_bad(p, "offset_ns", "is too far away");
		return;
	}
	line->origin = origin;
	g_array_append_val(lines, *line);
}

static void add_line(struct place *p, const struct base_json_value *list, guint i, GArray *lines)
{
	struct sync_line line = { .from = INT64_MIN, .seen = INT64_MAX };
	struct sync_line *before = i > 0 ? &g_array_index(lines, struct sync_line, i - 1) : NULL;
	const struct base_json_value *o = get_object(p, list, i, "lines");
	int64_t origin = 0;

	if (!o)
		return;
	if (!get_line(p, o, &line))
		file_bad(p, "slope", "and \"offset_ns\" are missing in one of \"lines\"");
	get_int(p, o, "from", &line.from);
	get_int(p, o, "seen", &line.seen);
	get_int(p, o, "origin", &origin);
	if (i == 0 ? line.from != INT64_MIN : line.from <= before->from)
		file_bad(p, "from",
			i == 0 ? "of the first line must be null"
			       : "is not later than that of the line before");
	if (before && before->seen == INT64_MAX) /* this line ends the one before */
		before->seen = line.from;
	add_at(p, &line, origin, lines);
}

/* Fill LINES with the lines of the clock; none if there is no clock. */
static void read_lines(struct place *p, const struct base_json_value *o, GArray *lines)
{
	static const char differs[] = "differs from the first of \"lines\": change both, or remove \"lines\"";
	struct sync_line above = { .from = INT64_MIN, .seen = INT64_MAX }; /* outside of the list */
	bool there = get_line(p, o, &above);
	const struct base_json_value *list = get_list(p, o, "lines");

	if (list && base_json_value_length(list) > pieces_max(p))
		file_bad(p, "lines", "are too many");
	for (guint i = 0; !p->failed && list && i < base_json_value_length(list); i++)
		add_line(p, list, i, lines);
	if (there && lines->len > 0) {
		const struct sync_line *first = &g_array_index(lines, struct sync_line, 0);

		if (first->rate != above.rate)
			file_bad(p, "slope", differs);
		if (first->offset - (sync_wide)first->rate * first->origin != above.offset)
			file_bad(p, "offset_ns", differs);
	} else if (there) {
		add_at(p, &above, 0, lines);
	}
}

/* ---- reading: bounds ---- */

static bool get_point(const struct base_json_value *pair, struct sync_point *point)
{
	if (base_json_value_type(pair) != BASE_JSON_LIST || base_json_value_length(pair) != 2)
		return false;
	for (unsigned i = 0; i < 2; i++) {
		const struct base_json_value *v = base_json_value_at(pair, i);

		if (base_json_value_type(v) != BASE_JSON_INT)
			return false;
		*(i == 0 ? &point->host : &point->other) = base_json_value_int(v);
	}
	return true;
}

static void read_points(struct place *p, const struct base_json_value *o, const char *key, GArray *points)
{
	const struct base_json_value *list = get_list(p, o, key);

	if (!list)
		file_bad(p, key, "of \"bounds\" is missing");
	for (guint i = 0; !p->failed && i < base_json_value_length(list); i++) {
		struct sync_point point;

		if (get_point(base_json_value_at(list, i), &point))
			g_array_append_val(points, point);
		else
			file_bad(p, key, "of \"bounds\" has something that is not a pair of times");
	}
}

static void add_bound(struct place *p, const struct base_json_value *list, guint i, GArray *bounds)
{
	struct sync_bound b = { .from = INT64_MIN, .seen = INT64_MAX };
	const struct base_json_value *o = get_object(p, list, i, "bounds");

	if (!o)
		return;
	get_int(p, o, "from", &b.from);
	get_int(p, o, "seen", &b.seen);
	get_rate(p, o, "slow", &b.slow);
	get_rate(p, o, "fast", &b.fast);
	b.low = g_array_new(FALSE, FALSE, sizeof(struct sync_point));
	b.high = g_array_new(FALSE, FALSE, sizeof(struct sync_point));
	read_points(p, o, "low", b.low);
	read_points(p, o, "high", b.high);
	g_array_append_val(bounds, b);
}

static void read_bounds(struct place *p, const struct base_json_value *o, struct sync_host *h)
{
	const struct base_json_value *list = get_list(p, o, "bounds");

	if (!list)
		return;
	if (base_json_value_length(list) > pieces_max(p))
		file_bad(p, "bounds", "are too many");
	h->bounds = sync_bounds_new();
	for (guint i = 0; !p->failed && i < base_json_value_length(list); i++)
		add_bound(p, list, i, h->bounds);
	if (!p->failed && !sync_bounds_are_valid(h->bounds))
		file_bad(p, "bounds", "contradict each other: remove them if you edited the lines");
}

/* Fill in H from O, except its name and errors. */
static void read_clock(struct place *p, const struct base_json_value *o, struct sync_host *h)
{
	const char *quality = get_text(p, o, "quality"), *by;
	GArray *lines = g_array_new(FALSE, FALSE, sizeof(struct sync_line));
	unsigned i = 0;
	bool good;

	while (quality && i < SYNC_QUALITIES &&
		!g_str_equal(quality, sync_quality_name((enum sync_quality)i)))
		i++;
	if (i == SYNC_QUALITIES)
		file_bad(p, "quality", "is not a known quality");
	else if (quality)
		h->quality = (enum sync_quality)i;
	by = get_text(p, o, "by");
	h->by = by ? host_named(p, by) : 0;
	if (h->by == p->n)
		file_bad(p, "by", "is not a host of this experiment");
	for (i = 0; i < G_N_ELEMENTS(counts); i++)
		get_count(p, o, counts[i].key, &G_STRUCT_MEMBER(uint64_t, h, counts[i].offset));
	get_count(p, o, "violations_after", &h->violations_after);
	read_lines(p, o, lines);
	if (!p->failed && lines->len > 0)
		h->clock = sync_clock_new(g_array_ref(lines));
	g_array_unref(lines);
	/* A clock that packets did not give was typed, and a host without clock has no good quality. */
	good = h->quality == SYNC_APPROXIMATE || h->quality == SYNC_ACCURATE || h->quality == SYNC_TYPED ||
		h->quality == SYNC_GIVEN;
	if (!h->clock != !good)
		h->quality = h->clock ? SYNC_TYPED : SYNC_ABSENT;
	if (h->clock)
		read_bounds(p, o, h);
}

static void read_host(struct place *p, const struct base_json_value *o, struct sync_hosts *h, bool *seen)
{
	const char *name;
	unsigned i;

	p->host = NULL;
	name = get_text(p, o, "host");
	i = name ? host_named(p, name) : p->n;
	if (!name)
		file_bad(p, "host", "is missing in one of \"hosts\"");
	p->host = name;
	if (i == p->n)
		file_bad(p, "host", "is not in this experiment: remove it, or open its trace too");
	else if (seen[i])
		file_bad(p, "host", "occurs twice");
	if (p->failed)
		return;
	seen[i] = true;
	read_clock(p, o, &h->hosts[i]);
}

/* ---- reading: virtual CPUs ---- */

static void read_cpu(struct place *p, const struct base_json_value *o, const char *key, const char *row_key,
	struct sync_cpu *cpu)
{
	const char *name = get_text(p, o, key);
	uint64_t row = UINT64_MAX;

	get_count(p, o, row_key, &row);
	cpu->host = name ? host_named(p, name) : p->n;
	cpu->row = (uint32_t)row;
	if (cpu->host == p->n)
		file_bad(p, key, "of one of \"vcpus\" is not a host of this experiment");
	if (row >= UINT32_MAX)
		file_bad(p, row_key, "of one of \"vcpus\" is not a row");
}

static void read_vcpus(struct place *p, const struct base_json_value *root, struct sync_hosts *h)
{
	const struct base_json_value *list = NULL;

	p->host = NULL;
	list = get_list(p, root, "vcpus");
	for (guint i = 0; !p->failed && list && i < base_json_value_length(list); i++) {
		struct sync_vcpu v = { .found = true };
		const struct base_json_value *o = get_object(p, list, i, "vcpus");

		if (!o)
			return;
		read_cpu(p, o, "host", "row", &v.self);
		read_cpu(p, o, "guest", "guest_row", &v.cpu);
		get_count(p, o, "events_inside", &v.inside);
		get_count(p, o, "events_outside", &v.outside);
		g_array_append_val(h->vcpus, v);
	}
}

/* The first host is the reference, and each way must lead to it. */
static bool check_ways(struct place *p, struct sync_hosts *h)
{
	struct sync_host *reference = &h->hosts[0];
	const struct sync_line *line;

	p->host = p->names[0];
	if (!reference->clock)
		reference->clock = sync_clock_new_shifted(0);
	line = file_line_of(reference, 0);
	if (reference->clock->lines->len != 1 || line->rate != 0 || line->offset != 0)
		return file_bad(p, "lines", "must be one of slope 1 and offset_ns 0: it is the reference");
	if (reference->by != 0)
		return file_bad(p, "by", "must be null: it is the reference");
	reference->quality = SYNC_ACCURATE;
	for (unsigned i = 1; i < h->n; i++) {
		unsigned at = i, steps = 0;

		p->host = p->names[i];
		if (!h->hosts[i].clock)
			h->hosts[i].by = i;
		for (; h->hosts[i].clock && at != 0; at = h->hosts[at].by) {
			if (!h->hosts[at].clock)
				return file_bad(p, "by", "leads to a host without clock");
			if (steps++ == h->n)
				return file_bad(p, "by", "leads in a circle, not to the reference");
		}
	}
	return true;
}

static void read_hosts(struct place *p, const struct base_json_value *root, struct sync_hosts *h,
	const struct sync_span *spans)
{
	bool *seen = g_new0(bool, h->n);
	const char *reference = get_text(p, root, "reference");
	const struct base_json_value *list = get_list(p, root, "hosts");
	g_autofree struct sync_span *joined = NULL;

	if (reference && !g_str_equal(reference, p->names[0]))
		file_fail(p,
			"\"reference\" is %.100s, but the first trace is of %s: name the trace of the reference first",
			reference, p->names[0]);
	if (!list)
		file_bad(p, "hosts", "is missing");
	for (guint i = 0; !p->failed && i < base_json_value_length(list); i++) {
		const struct base_json_value *o = get_object(p, list, i, "hosts");

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

/* Parse TEXT, an object.  NULL with an error if it is something else. */
static struct base_json *file_parse(struct place *p, const char *text, size_t size)
{
	g_autoptr(GError) problem = NULL;
	struct base_json *json = base_json_parse(text, size, &problem);

	if (!json)
		file_fail(p, "%s", problem->message);
	else if (base_json_value_type(base_json_root(json)) != BASE_JSON_OBJECT)
		file_fail(p, "the JSON is not an object");
	if (p->failed)
		g_clear_pointer(&json, base_json_free);
	return json;
}

struct sync_hosts *sync_file_read(const char *text, size_t size, const char *const *names,
	const struct sync_span *spans, unsigned n, GError **error)
{
	struct place p = { .names = names, .n = n, .error = error };
	struct sync_hosts *h = sync_hosts_new_empty(n);
	struct base_json *json = file_parse(&p, text, size);

	for (unsigned i = 0; i < n; i++) {
		h->hosts[i].quality = SYNC_NONE; /* unless the file has the host */
		h->hosts[i].by = i;
		h->hosts[i].error_max = INT64_MAX;
	}
	if (json)
		read_hosts(&p, base_json_root(json), h, spans);
	if (p.failed)
		g_clear_pointer(&h, sync_hosts_unref);
	base_json_free(json);
	return h;
}
