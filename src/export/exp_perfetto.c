/* SPDX-License-Identifier: MIT */
/*
 * Chrome's trace events ("Trace Event Format", N. Duca and D. Sinclair), as Perfetto's trace processor
 * imports them (src/trace_processor/importers/json): complete events on tracks, metadata with the names of
 * the tracks, and flows. In a path each actor is a track; in the control flow of a window each row is.
 *
 * Perfetto's importer accepts less than JSON allows. Its rules and their functions:
 *
 *   - Times are µs with a fraction. They are cut to ns as double (json_utils.cc, CoerceToTs(Json::Value)) or as
 *     text (CoerceToTs(std::string)). So time begins near 0, and a fraction that would lose its last ns in
 *     either way gets one more digit (put_time()).
 *   - No string before "ts" and "dur" may have \u escapes (json_trace_tokenizer.cc, ReadOneJsonString()), and
 *     no member may be a list (ExtractValueForJsonKey()). So times come first, also in metadata, and texts
 *     are cleaned of everything that needs such an escape.
 *   - "displayTimeUnit" changes the meaning of "ts" in some versions, so it is left out.
 *   - Events are sorted by time; events at one time keep their order. A flow binds to the topmost slice of its
 *     track at that time (flow_tracker.cc), so flows come after all slices.
 *   - A thread is identified by its tid first (process_tracker.cc). TIDs of several hosts, or of two lives, can
 *     be equal. So tracks have their own numbers, and hosts have the first ones as their pid.
 */
#include "export/exp_rows.h"

#include "base/base_error.h"
#include "base/base_text.h"

#include <inttypes.h>

struct perfetto {
	GString *out;          /* weak */
	struct exp_file *file; /* weak; receives OUT; NULL: OUT keeps all */
	int64_t zero;          /* the time that is 0 in the output */
	uint32_t n_hosts, n_flows;
};

/* An end of a flow: an instant at which the track has a slice that was written before. */
struct end {
	uint32_t host, track;
	int64_t at;
};

/* Put NS as µs, so that both ways of reading return NS. */
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

/* An event of PHASE on TRACK; UINT32_MAX: on the host itself. DURATION -1: none. */
static GString *event_new(const struct perfetto *p, const char *phase, uint32_t host, uint32_t track,
	int64_t at, int64_t duration)
{
	GString *event = base_json_object();

	put_time(event, "ts", at - p->zero);
	if (duration >= 0)
		put_time(event, "dur", duration);
	base_json_string(event, "ph", phase);
	base_json_int(event, "pid", (int64_t)host + 1);
	if (track != UINT32_MAX)
		base_json_int(event, "tid", (int64_t)p->n_hosts + 1 + track);
	return event;
}

static void put_event(struct perfetto *p, GString *event)
{
	base_json_put_line(p->out, event);
	exp_file_take(p->file, p->out);
}

/* Name TRACK of HOST (WHAT is "thread_name"; tracks are 0, 1, …, each once), or HOST (WHAT is
 * "process_name"). */
static void put_name(struct perfetto *p, uint32_t host, uint32_t track, const char *what, const char *name)
{
	GString *event = event_new(p, "M", host, track, p->zero, 0), *args = base_json_object();

	base_json_string(event, "name", what);
	put_text(args, "name", name);
	base_json_put(event, "args", args);
	put_event(p, event);
}

/* Begin with the hosts of Q, each a process. */
static struct perfetto perfetto_begin(GString *out, const struct qry *q, const struct exp_options *o,
	int64_t zero)
{
	struct perfetto p = { out, o->file, zero, qry_host_count(q), 0 };

	g_string_append_c(out, '{');
	base_json_begin_list(out, "traceEvents");
	for (uint32_t i = 0; i < p.n_hosts; i++)
		put_name(&p, i, UINT32_MAX, "process_name", qry_host(q, i)->name);
	return p;
}

/* Add a slice from FROM to TO, ns. The slices of a track must not overlap. Takes ownership of ARGS, an object
 * with more facts. */
static void add_slice(struct perfetto *p, uint32_t host, uint32_t track, int64_t from, int64_t to,
	const char *name, GString *args)
{
	GString *event = event_new(p, "X", host, track, from, to - from);

	put_text(event, "name", name);
	base_json_put(event, "args", args);
	put_event(p, event);
}

static void put_end(struct perfetto *p, const char *phase, const char *name, const struct end *end)
{
	GString *event = event_new(p, phase, end->host, end->track, end->at, -1);

	base_json_string(event, "cat", "flow");
	base_json_string(event, "name", name);
	base_json_int(event, "id", p->n_flows);
	if (*phase == 'f')
		base_json_string(event, "bp", "e");
	put_event(p, event);
}

static void add_flow(struct perfetto *p, const char *name, struct end from, struct end to)
{
	p->n_flows++;
	put_end(p, "s", name, &from);
	put_end(p, "f", name, &to);
}

static void perfetto_finish(struct perfetto *p, const struct exp_options *o)
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

static struct end perfetto_end_of(const struct ana_path *path, uint32_t segment, int64_t at)
{
	const struct ana_segment *s = ana_path_segment(path, segment);

	return (struct end){ ana_path_actor(path, s->actor)->host, s->actor, CLAMP(at, s->from, s->to - 1) };
}

static void put_segment(struct perfetto *p, struct qry *q, const struct ana_path *path,
	const struct ana_segment *s)
{
	g_autofree char *detail = ana_path_detail(q, s);
	GString *args = base_json_object();

	if (detail)
		put_text(args, "detail", detail);
	table_json_grade(args, "", s->doubts);
	base_json_string(args, "on_path_because", s->because);
	add_slice(p, ana_path_actor(path, s->actor)->host, s->actor, s->from, s->to,
		ana_segment_kind_name(s->kind), args);
}

/* Each actor is a track, each segment a slice, each link a flow. */
bool exp_path_perfetto(GString *out, struct qry *q, const void *result, const struct exp_options *o,
	G_GNUC_UNUSED GError **error)
{
	const struct ana_path *path = result;
	struct perfetto p = perfetto_begin(out, q, o, path->from);

	for (guint i = 0; i < path->actors->len; i++) {
		const struct ana_actor *a = ana_path_actor(path, i);

		put_name(&p, a->host, i, "thread_name", a->label);
	}
	for (guint i = 0; i < path->segments->len; i++)
		put_segment(&p, q, path, ana_path_segment(path, i));
	for (guint i = 0; i < path->links->len; i++) {
		const struct ana_link *l = &g_array_index(path->links, struct ana_link, i);

		add_flow(&p, ana_link_kind_name(l->kind), perfetto_end_of(path, l->from, l->at),
			perfetto_end_of(path, l->to, l->arrival));
	}
	perfetto_finish(&p, o);
	return true;
}

/* ---- the control flow of a window ---- */

static void put_states(struct perfetto *p, struct qry *q, const struct qry_row *r,
	const struct exp_options *o)
{
	g_autoptr(GArray) states = qry_states(q, r->id, o->from, o->to);

	for (guint n = 0; n < states->len && !base_progress_cancelled(o->progress); n++) {
		const struct mdl_interval *i = &g_array_index(states, struct mdl_interval, n);
		g_autofree char *detail = qry_detail_text(q, r->id, i);
		bool runs = r->type == MDL_ROW_CPU && i->aux != MDL_NONE && i->state != MDL_ST_IDLE;
		const char *thread = runs ? qry_name_at(q, i->aux, i->from) : "";
		GString *args = base_json_object();

		base_json_string(args, "state", mdl_state_name(i->state));
		if (detail)
			base_json_string(args, "detail", detail);
		if (i->aux != MDL_NONE && r->type == MDL_ROW_THREAD)
			base_json_int(args, "cpu", i->aux);
		add_slice(p, r->host, r->id, i->from, i->to, *thread ? thread : mdl_state_name(i->state),
			args);
	}
}

static bool has_slice(struct qry *q, uint32_t row, int64_t at, const struct exp_options *o)
{
	struct mdl_interval unused;

	return at >= o->from && at < o->to && qry_state_at(q, row, at, &unused);
}

static void put_wakeups(struct perfetto *p, struct qry *q, const struct qry_row *r, const GArray *written,
	const struct exp_options *o)
{
	g_autoptr(GArray) wakeups = qry_wakeups(q, r->id, o->from, o->to);

	for (guint i = 0; i < wakeups->len && !base_progress_cancelled(o->progress); i++) {
		const struct mdl_wakeup *w = &g_array_index(wakeups, struct mdl_wakeup, i);
		/* the innermost interrupt, or the thread; MDL_NONE: it has no row */
		uint32_t sender = w->n_contexts == 0
			? w->waker
			: qry_context_row(q, r->host, w->contexts[w->n_contexts - 1].context, w->cpu);

		if (sender != MDL_NONE && g_array_index(written, bool, sender) &&
			has_slice(q, sender, w->time, o) && has_slice(q, r->id, w->time, o))
			add_flow(p, "wakeup", (struct end){ qry_row(q, sender)->host, sender, w->time },
				(struct end){ r->host, r->id, w->time });
	}
}

/* Report step I of 2 N. False with an error if it was cancelled. */
static bool perfetto_go_on(const struct exp_options *o, guint i, guint n, GError **error)
{
	if (o->progress)
		base_progress_set(o->progress, (double)(i + 1) / (2.0 * n), 0);
	if (!base_progress_cancelled(o->progress))
		return true;
	return base_error_false(error, BASE_ERROR_CANCELLED, "interrupted");
}

/* Each row is a track, each state a slice, each wake-up whose sender has a row a flow. */
bool exp_flow_perfetto(GString *out, struct qry *q, const void *result, const struct exp_options *o,
	GError **error)
{
	const GArray *rows = result;
	g_autoptr(GArray) written = g_array_new(FALSE, TRUE, sizeof(bool)); /* by row */
	struct perfetto p = perfetto_begin(out, q, o, o->from);

	g_array_set_size(written, qry_row_count(q));
	for (guint i = 0; i < rows->len; i++) {
		uint32_t row = g_array_index(rows, uint32_t, i);
		g_autofree char *label = qry_row_label(q, row);

		put_name(&p, qry_row(q, row)->host, row, "thread_name", label);
		put_states(&p, q, qry_row(q, row), o);
		g_array_index(written, bool, row) = true;
		if (!perfetto_go_on(o, i, rows->len, error))
			return false;
	}
	for (guint i = 0; i < rows->len; i++) {
		const struct qry_row *r = qry_row(q, g_array_index(rows, uint32_t, i));

		if (r->type == MDL_ROW_THREAD)
			put_wakeups(&p, q, r, written, o);
		if (!perfetto_go_on(o, rows->len + i, rows->len, error))
			return false;
	}
	perfetto_finish(&p, o);
	return true;
}
