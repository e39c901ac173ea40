/* SPDX-License-Identifier: MIT */
/*
 * What Perfetto's importer takes is less than what JSON is.  Its rules, with the functions that have them:
 *
 *   - times are µs with a fraction, which is cut to ns, by double (json_utils.cc, CoerceToTs(Json::Value)) or
 * as text (CoerceToTs(std::string)); so time begins near 0, and a fraction that either way would lose its
 *     last ns gets a digit more (put_time());
 *   - no string before "ts" and "dur" may have \u escapes (json_trace_tokenizer.cc, ReadOneJsonString()), and
 *     no member may be a list (ExtractValueForJsonKey()): times stand first, metadata has some too, and texts
 * are cleaned of all that would be escaped so;
 *   - "displayTimeUnit" would change what "ts" means in some versions: it is left out;
 *   - events are sorted by time, those of one time stay in their order; a flow binds to the topmost slice
 * that its track has then (flow_tracker.cc), so flows stand behind all slices;
 *   - a thread is known by its tid first (process_tracker.cc), and TIDs of several hosts, or of two lives,
 * are alike: tracks have numbers of their own, hosts the first ones as their pid.
 */
#include "export/exp_perfetto.h"

#include "export/exp_json.h"

#include "base/base_text.h"

#include <inttypes.h>

/* NS as µs, such that NS comes out of it by each way of reading. */
static void put_time(GString *event, const char *key, int64_t ns)
{
	g_autoptr(GString) digits = g_string_new(NULL);

	g_string_printf(digits, "%" PRId64 ".%03d", ns / 1000, (int)(ns % 1000));
	if ((int64_t)(g_ascii_strtod(digits->str, NULL) * 1000) != ns ||
		(int)((double)(ns % 1000) / 1000 * 1000) != (int)(ns % 1000))
		g_string_append_c(digits, '1');
	base_json_digits(event, key, digits->str);
}

static void put_text(GString *event, const char *key, const char *text)
{
	g_autofree char *clean = base_text_clean(text, -1);

	base_json_string(event, key, clean);
}

static GString *event_new(const struct exp_perfetto *p, int64_t from, int64_t to, const char *phase)
{
	GString *event = base_json_object();

	put_time(event, "ts", from - p->zero);
	put_time(event, "dur", to - from);
	base_json_string(event, "ph", phase);
	return event;
}

/* TRACK UINT32_MAX: the host's own. */
static void put_track(const struct exp_perfetto *p, GString *event, uint32_t host, uint32_t track)
{
	base_json_int(event, "pid", (int64_t)host + 1);
	if (track != UINT32_MAX)
		base_json_int(event, "tid", (int64_t)p->n_hosts + 1 + track);
}

static void put_event(struct exp_perfetto *p, GString *event)
{
	base_json_put_line(p->out, event);
	if (p->file && p->out->len > EXP_HELD)
		exp_file_take(p->file, p->out);
}

static void put_name(struct exp_perfetto *p, uint32_t host, uint32_t track, const char *what,
	const char *name)
{
	GString *event = event_new(p, p->zero, p->zero, "M"), *args = base_json_object();

	put_track(p, event, host, track);
	base_json_string(event, "name", what);
	put_text(args, "name", name);
	base_json_put(event, "args", args);
	put_event(p, event);
}

struct exp_perfetto exp_perfetto_begin(GString *out, const struct qry *q, const struct exp_options *o,
	int64_t zero)
{
	struct exp_perfetto p = { out, o->file, zero, qry_host_count(q), 0 };

	g_string_append_c(out, '{');
	base_json_begin_list(out, "traceEvents");
	for (uint32_t i = 0; i < p.n_hosts; i++)
		put_name(&p, i, UINT32_MAX, "process_name", qry_host(q, i)->name);
	return p;
}

void exp_perfetto_track(struct exp_perfetto *p, uint32_t host, uint32_t track, const char *name)
{
	put_name(p, host, track, "thread_name", name);
}

void exp_perfetto_slice(struct exp_perfetto *p, uint32_t host, uint32_t track, int64_t from, int64_t to,
	const char *name, GString *args)
{
	GString *event = event_new(p, from, to, "X");

	put_track(p, event, host, track);
	put_text(event, "name", name);
	if (args)
		base_json_put(event, "args", args);
	put_event(p, event);
}

static void put_end(struct exp_perfetto *p, const char *phase, const char *name,
	const struct exp_perfetto_end *end)
{
	GString *event = base_json_object();

	put_time(event, "ts", end->at - p->zero);
	base_json_string(event, "ph", phase);
	put_track(p, event, end->host, end->track);
	base_json_string(event, "cat", "flow");
	base_json_string(event, "name", name);
	base_json_int(event, "id", p->n_flows);
	if (*phase == 'f')
		base_json_string(event, "bp", "e");
	put_event(p, event);
}

void exp_perfetto_flow(struct exp_perfetto *p, const char *name, struct exp_perfetto_end from,
	struct exp_perfetto_end to)
{
	p->n_flows++;
	put_end(p, "s", name, &from);
	put_end(p, "f", name, &to);
}

void exp_perfetto_finish(struct exp_perfetto *p, const struct exp_options *o)
{
	GString *other = base_json_object();

	base_json_end_list(p->out);
	base_json_int(other, "zero_is", p->zero); /* ns since the Epoch */
	if (o->command)
		put_text(other, "made_by", o->command);
	base_json_put(p->out, "otherData", other);
	g_string_append(p->out, "}\n");
}

/* ---- a path ---- */

static struct exp_perfetto_end end_of(const struct ana_path *path, uint32_t segment, int64_t at)
{
	const struct ana_segment *s = ana_path_segment(path, segment);

	return (struct exp_perfetto_end){ ana_path_actor(path, s->actor)->host, s->actor,
		CLAMP(at, s->from, s->to - 1) };
}

static void put_segment(struct exp_perfetto *p, struct qry *q, const struct ana_path *path,
	const struct ana_segment *s)
{
	g_autofree char *detail = ana_path_detail(q, s);
	GString *args = base_json_object();

	if (detail)
		put_text(args, "detail", detail);
	base_json_string(args, "grade", ana_grade_name(s->grade));
	base_json_string(args, "on_path_because", s->because);
	exp_perfetto_slice(p, ana_path_actor(path, s->actor)->host, s->actor, s->from, s->to,
		ana_segment_kind_name(s->kind), args);
}

/* Each actor is a track, each segment a slice, each link a flow. */
bool exp_path_perfetto(GString *out, struct qry *q, const void *result, const struct exp_options *o,
	G_GNUC_UNUSED GError **error)
{
	const struct ana_path *path = result;
	struct exp_perfetto p = exp_perfetto_begin(out, q, o, path->from);

	for (guint i = 0; i < path->actors->len; i++) {
		const struct ana_actor *a = ana_path_actor(path, i);

		exp_perfetto_track(&p, a->host, i, a->label);
	}
	for (guint i = 0; i < path->segments->len; i++)
		put_segment(&p, q, path, ana_path_segment(path, i));
	for (guint i = 0; i < path->links->len; i++) {
		const struct ana_link *l = &g_array_index(path->links, struct ana_link, i);

		exp_perfetto_flow(&p, ana_link_kind_name(l->kind), end_of(path, l->from, l->at),
			end_of(path, l->to, l->arrival));
	}
	exp_perfetto_finish(&p, o);
	return true;
}
