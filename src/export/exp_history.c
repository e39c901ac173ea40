/* SPDX-License-Identifier: MIT */
/* The history as lists: all threads, the states and the wake-ups of one row, events. */
#include "export/exp.h"

#include "export/exp_rows.h"

#include "analysis/cpu/cpuwait.h"
#include "analysis/kind/kind.h"
#include "base/base_text.h"
#include "base/base_time.h"
#include "query/host/tracer.h"

/* ---- threads ---- */

/* The states a thread can be in, in the order of the model. */
static const enum mdl_state thread_states[] = { MDL_ST_USERMODE, MDL_ST_SYSCALL, MDL_ST_RUNNING,
	MDL_ST_INTERRUPTED, MDL_ST_WAIT_CPU, MDL_ST_PREEMPTED, MDL_ST_BLOCKED, MDL_ST_NEW, MDL_ST_EXITED,
	MDL_ST_VCPU_PREEMPTED, MDL_ST_VCPU_EXIT, MDL_ST_UNKNOWN };

/* A thread, with its share of states over its life. */
struct thread {
	const struct qry_row *r;
	struct qry_cell share;
};

static GString *states_json(const struct qry_cell *share)
{
	GString *o = base_json_object();

	for (gsize i = 0; i < G_N_ELEMENTS(thread_states); i++)
		base_json_int(o, mdl_state_name(thread_states[i]), share->ns[thread_states[i]]);
	return o;
}

/* "running 3.20 ms, blocked 9.00 ms". */
static char *states_text(const struct qry_cell *share)
{
	GString *text = g_string_new(NULL);

	for (gsize i = 0; i < G_N_ELEMENTS(thread_states); i++) {
		g_autofree char *length = exp_table_duration(share->ns[thread_states[i]]);

		if (share->ns[thread_states[i]] > 0)
			g_string_append_printf(text, "%s%s %s", text->len ? ", " : "",
				mdl_state_name(thread_states[i]), length);
	}
	return g_string_free(text, FALSE);
}

/* 1 if T is a thread of the kernel, 0 if it is none; BASE_TIME_NONE if neither its parent nor its process is
 * recorded, its name is neither the kernel's nor the tracer's, and it was not seen in a program or a system
 * call. */
static int64_t is_kernel(const struct qry *q, const struct thread *t)
{
	bool known = t->r->ppid != -1 || t->r->born || (t->r->pid != -1 && t->r->pid != t->r->nr);

	if (t->r->is_kernel)
		return 1;
	return known || qry_is_tracer(q, t->r->id) ||
			t->share.ns[MDL_ST_USERMODE] + t->share.ns[MDL_ST_SYSCALL] > 0
		? 0
		: BASE_TIME_NONE;
}

EXP_COLUMNS(thread_columns)
{
	const struct thread *t = row;

	EXP_COLUMN("host", "HOST", EXP_WORD, word = qry_host(in->q, t->r->host)->name);
	EXP_COLUMN("tid", ">TID", EXP_NUMBER, number = t->r->nr);
	EXP_COLUMN("pid", ">PID", EXP_NUMBER, number = exp_rows_natural(t->r->pid));
	EXP_COLUMN("ppid", ">PARENT", EXP_NUMBER, number = exp_rows_natural(t->r->ppid));
	EXP_COLUMN("name", "NAME", EXP_WORD, word = t->r->name);
	EXP_COLUMN("first", "FIRST SEEN", EXP_TIME, number = t->r->first);
	EXP_COLUMN("last", "LAST SEEN", EXP_TIME, number = t->r->last);
	EXP_COLUMN("cpu_time", ">ON CPU", EXP_DURATION, number = qry_cell_on_cpu(&t->share));
	EXP_COLUMN("wakeups", ">WAKE-UPS", EXP_NUMBER, number = (int64_t)qry_wakeup_count(in->q, t->r->id));
	for (gsize i = 0; i < G_N_ELEMENTS(thread_states); i++) /* in STATES */
		EXP_COLUMN(mdl_state_name(thread_states[i]), NULL, EXP_DURATION,
			number = t->share.ns[thread_states[i]]);
	EXP_COLUMN("kernel", "KERNEL", EXP_YES, number = is_kernel(in->q, t));
	EXP_COLUMN("tracer", "TRACER", EXP_YES, number = qry_is_tracer(in->q, t->r->id));
	EXP_COLUMN("cpu", ">CPU", EXP_NUMBER, number = exp_rows_id(t->r->cpu));
	EXP_OBJECT("states", "STATES", EXP_LONG, states_json(&t->share), states_text(&t->share));
	EXP_COLUMN_BY("names", "ALL NAMES", EXP_LONG, g_autoptr(GPtrArray) names = qry_names(in->q, t->r->id);
		      exp_rows_texts(cell, in->format, names, "; "));
}

EXP_WRITER(exp_threads)
{
	struct exp_rows *rows = exp_rows_new(out, "threads", thread_columns, o, q, NULL);

	for (uint32_t i = 0; i < qry_row_count(q); i++) {
		struct thread t = { .r = qry_row(q, i) };

		if (t.r->type != MDL_ROW_THREAD || (o->hide_tracer && qry_is_tracer(q, i)))
			continue;
		qry_share(q, i, t.r->first, t.r->last, &t.share);
		exp_rows_add(rows, &t);
	}
	exp_rows_finish(rows);
	return true;
}

/* ---- the states of a row ---- */

/* True if B, which follows A, reads like A: hrtimers differ by an address that no output shows. */
static bool reads_alike(const struct qry *q, uint32_t host, const struct mdl_interval *a,
	const struct mdl_interval *b)
{
	struct qry_context ca, cb;

	if (a->state != b->state || a->aux != b->aux)
		return false;
	if (a->detail == b->detail || a->state != MDL_ST_INTERRUPTED)
		return a->detail == b->detail;
	ca = qry_context(q, host, a->detail);
	cb = qry_context(q, host, b->detail);
	return ca.type == MDL_CTX_HRTIMER && cb.type == MDL_CTX_HRTIMER && g_str_equal(ca.name, cb.name);
}

/* Join neighbours that read alike. */
static void states_join(const struct qry *q, uint32_t host, GArray *all)
{
	guint kept = 0;

	for (guint i = 0; i < all->len; i++) {
		const struct mdl_interval *next = &g_array_index(all, struct mdl_interval, i);
		struct mdl_interval *last = kept ? &g_array_index(all, struct mdl_interval, kept - 1) : NULL;

		if (last && reads_alike(q, host, last, next))
			last->to = next->to;
		else
			g_array_index(all, struct mdl_interval, kept++) = *next;
	}
	g_array_set_size(all, kept);
}

/* Split each wait of row R for a CPU where it was throttled before. */
static void states_split(struct qry *q, const struct qry_row *r, GArray *all)
{
	ana_throttle_many(q);
	for (guint i = 0; i < all->len; i++) {
		struct mdl_interval *iv = &g_array_index(all, struct mdl_interval, i), rest = *iv;
		struct ana_throttle throttle;

		if (!ana_throttle_at(q, r->id, iv->from, &throttle) || throttle.until <= iv->from ||
			throttle.until >= iv->to)
			continue;
		iv->to = rest.from = throttle.until;
		g_array_insert_val(all, ++i, rest);
	}
}

/* The states of row R that fill [FROM, TO): unknown before its life, exited or unknown behind it.  The caller
 * unrefs. */
static GArray *states_of(struct qry *q, const struct qry_row *r, int64_t from, int64_t to)
{
	GArray *all = qry_states(q, r->id, from, to);
	struct mdl_interval before = { .from = from,
		.to = MIN(r->first, to),
		.state = MDL_ST_UNKNOWN,
		.aux = MDL_NONE };
	struct mdl_interval behind = { .from = MAX(r->last, from), .to = to, .aux = MDL_NONE };

	behind.state = r->died ? MDL_ST_EXITED : MDL_ST_UNKNOWN;
	if (before.from < before.to)
		g_array_prepend_val(all, before);
	if (behind.from < behind.to)
		g_array_append_val(all, behind);
	states_join(q, r->host, all);
	states_split(q, r, all);
	return all;
}

static bool is_interrupt(const struct mdl_interval *i)
{
	return i->state == MDL_ST_INTERRUPTED && i->detail != MDL_NONE;
}

static GString *interrupt_json(const struct qry *q, const struct qry_row *r, const struct mdl_interval *i)
{
	struct qry_context c;
	GString *o;

	if (!is_interrupt(i))
		return NULL;
	c = qry_context(q, r->host, i->detail);
	o = base_json_object();
	base_json_text(o, "type", mdl_ctx_type_name(c.type == MDL_CTX_VECTOR ? MDL_CTX_IRQ : c.type));
	base_json_natural(o, "nr", c.type == MDL_CTX_HRTIMER ? -1 : c.nr);
	base_json_text(o, "name", c.name);
	return o;
}

/* "throttled: CPU quota: about 20 ms of every 100 ms" of the part of a wait for a CPU that was; else what the
 * state itself says.  The caller frees. */
static char *interval_detail(struct qry *q, const struct qry_row *r, const struct mdl_interval *i)
{
	struct ana_throttle throttle;

	return ana_throttle_at(q, r->id, i->from, &throttle) && i->from < throttle.until
		? g_strdup_printf("throttled: %s", throttle.text)
		: qry_detail_text(q, r->id, i);
}

EXP_COLUMNS(interval_columns)
{
	const struct mdl_interval *i = row;
	const struct qry_row *r = in->context;

	EXP_COLUMN("from", "FROM", EXP_TIME, number = i->from);
	EXP_COLUMN("to", NULL, EXP_TIME, number = i->to); /* in FOR */
	EXP_COLUMN("", ">FOR", EXP_DURATION, number = i->to - i->from);
	EXP_COLUMN("state", "STATE", EXP_WORD, word = mdl_state_name(i->state));
	EXP_COLUMN("detail", "DETAIL", EXP_LONG, taken = interval_detail(in->q, r, i));
	EXP_COLUMN("cpu", ">CPU", EXP_NUMBER, number = r->type == MDL_ROW_CPU ? r->nr : exp_rows_id(i->aux));
	if (r->type == MDL_ROW_CPU) { /* AUX is the thread that it ran */
		EXP_COLUMN("tid", ">TID", EXP_NUMBER, number = exp_rows_nr(in->q, i->aux));
		EXP_COLUMN("name", "NAME", EXP_WORD, word = exp_rows_name(in->q, i->aux, i->from));
	}
	EXP_OBJECT("interrupted_by", NULL, EXP_WORD, interrupt_json(in->q, r, i),
		is_interrupt(i) ? qry_detail_text(in->q, r->id, i) : NULL); /* in DETAIL */
}

/* The time in each state, in the order of the model. */
static void append_totals(GString *out, const GArray *states)
{
	static const char *const headers[] = { "STATE", ">TIME", ">SHARE", ">INTERVALS", NULL };
	struct exp_table *t = exp_table_new(headers, NULL);
	int64_t ns[MDL_ST_N] = { 0 }, count[MDL_ST_N] = { 0 }, sum = 0;

	for (guint n = 0; n < states->len; n++) {
		const struct mdl_interval *i = &g_array_index(states, struct mdl_interval, n);

		ns[i->state] += i->to - i->from;
		count[i->state]++;
		sum += i->to - i->from;
	}
	for (int s = 0; s < MDL_ST_N; s++) {
		if (!count[s])
			continue;
		exp_table_add(t, mdl_state_name(s));
		exp_table_add_duration(t, ns[s]);
		exp_table_take(t, g_strdup_printf("%.2f %%", 100.0 * (double)ns[s] / (double)sum));
		exp_table_add_int(t, count[s]);
	}
	g_string_append_c(out, '\n');
	exp_table_finish(t, out);
}

/* The time in each state, like the rows of the explorer from sums in the index, not from the intervals. */
static GString *sums_json(struct qry *q, const struct exp_options *o)
{
	GString *json = base_json_object();
	struct qry_cell share;

	qry_share(q, o->row, o->from, o->to, &share);
	for (unsigned s = 0; s < MDL_ST_N; s++)
		base_json_int(json, mdl_state_name(s), share.ns[s]);
	return json;
}

EXP_WRITER(exp_states)
{
	const struct qry_row *r = qry_row(q, o->row);
	g_autoptr(GArray) states = states_of(q, r, o->from, o->to);
	g_autofree char *label = qry_row_label(q, o->row);

	if (o->format == EXP_JSON) {
		base_json_put(out, "subject", exp_json_subject(q, o->row));
		base_json_put(out, "states", sums_json(q, o));
	} else if (o->format == EXP_TEXT) {
		exp_table_append_clean(out, label);
		g_string_append_c(out, '\n');
	}
	exp_rows_array(out, "intervals", interval_columns, o, q, r, states, UINT_MAX);
	if (o->format == EXP_TEXT)
		append_totals(out, states);
	return true;
}

/* ---- the wake-ups of a row ---- */

/* "IRQ 25 virtio2-req.0 > softirq BLOCK", empty without interrupts.  The caller frees. */
static char *contexts_text(struct qry *q, const struct ana_source *s)
{
	struct mdl_cause cause;
	struct mdl_chain chain;
	GString *text = g_string_new(NULL);

	ana_source_chain(q, s, &cause, &chain);
	for (unsigned i = 0; i < chain.n && (chain.n > 1 || chain.hops[0].act.context != MDL_NONE); i++) {
		g_autofree char *context = ana_words_act(q, s->host, &chain.hops[i].act);

		g_string_append_printf(text, "%s%s", i ? " > " : "", context);
	}
	return g_string_free(text, FALSE);
}

/* A wake-up and what made it. */
struct wakeup {
	uint32_t row;
	const struct mdl_wakeup *w;
	struct ana_source source;
};

/* When the wakee of U ran, if the time from its wake-up to that is known: an event told when it was woken. */
static int64_t ran_at(const struct qry *q, const struct wakeup *u)
{
	/* An interrupt of a virtual CPU has the time at which it was injected. */
	if (u->w->ran_at == MDL_NEVER ||
		(!mdl_wakeup_is_timed(u->w) && qry_row(q, u->row)->type == MDL_ROW_THREAD))
		return BASE_TIME_NONE;
	return u->w->ran_at;
}

EXP_COLUMNS(wakeup_columns)
{
	const struct wakeup *u = row;
	int64_t ran = row ? ran_at(in->q, u) : BASE_TIME_NONE;

	EXP_COLUMN("time", "WOKEN AT", EXP_TIME, number = u->w->time);
	EXP_COLUMN("since", NULL, EXP_TIME, number = u->w->since); /* in WAITED */
	EXP_COLUMN("", ">WAITED", EXP_DURATION,
		number = u->w->since == MDL_NEVER ? BASE_TIME_NONE : u->w->time - u->w->since);
	EXP_COLUMN("cpu", ">CPU", EXP_NUMBER, number = exp_rows_id(u->w->cpu));
	EXP_COLUMN("target_cpu", ">TO CPU", EXP_NUMBER, number = exp_rows_id(u->w->target_cpu));
	EXP_COLUMN("kind", "KIND", EXP_WORD, word = ana_kind_name(u->source.kind));
	EXP_COLUMN("grade", "GRADE", EXP_WORD, word = ana_grade_name(u->source.doubts));
	/* in BY */
	EXP_COLUMN("tid", NULL, EXP_NUMBER, number = exp_rows_nr(in->q, u->source.thread));
	EXP_COLUMN("name", NULL, EXP_WORD, word = exp_rows_name(in->q, u->source.thread, u->w->time));
	EXP_COLUMN("context", NULL, EXP_WORD, taken = contexts_text(in->q, &u->source));
	EXP_COLUMN("device", NULL, EXP_WORD, word = u->source.device);
	EXP_COLUMN("ran_at", NULL, EXP_TIME, number = ran); /* WOKEN AT and RAN AFTER */
	EXP_COLUMN("latency", ">RAN AFTER", EXP_DURATION,
		number = ran == BASE_TIME_NONE ? BASE_TIME_NONE : ran - u->w->time);
	EXP_OBJECT("source", "BY", EXP_LONG, exp_source_json(in->q, u->row, u->w, in->evidence),
		ana_source_text(in->q, &u->source));
	EXP_DOUBTS("", true, u->source.doubts);
}

EXP_WRITER(exp_wakeups)
{
	g_autoptr(GArray) wakeups = qry_wakeups(q, o->row, o->from, o->to);
	g_autofree char *label = qry_row_label(q, o->row);
	struct exp_evidence *evidence;
	struct exp_rows *rows;

	if (o->format == EXP_JSON) {
		base_json_put(out, "subject", exp_json_subject(q, o->row));
	} else if (o->format == EXP_TEXT) {
		exp_table_append_clean(out, label);
		g_string_append_printf(out, ": %u wake-up%s\n", wakeups->len, base_text_s(wakeups->len));
	}
	rows = exp_rows_new(out, "wakeups", wakeup_columns, o, q, NULL);
	evidence = exp_evidence_new(q, out, o);
	exp_rows_await(rows, evidence);
	for (guint i = 0; i < wakeups->len; i++) {
		const struct mdl_wakeup *w = &g_array_index(wakeups, struct mdl_wakeup, i);
		struct wakeup u = { o->row, w, ana_source_of(q, o->row, w) };

		exp_rows_add(rows, &u);
	}
	exp_rows_finish(rows);
	return exp_evidence_finish(evidence, error);
}

/* ---- events ---- */

EXP_COLUMNS(event_columns)
{
	const struct qry_events_line *line = row;
	const struct qry_event *e = row ? &line->event : NULL;

	EXP_COLUMN("rank", ">EVENT", EXP_NUMBER, number = (int64_t)e->rank);
	EXP_COLUMN("time", "TIME", EXP_TIME, number = e->time);
	EXP_COLUMN("", ">AFTER", EXP_DURATION,
		number = in->number > 0 ? e->time - line[-1].event.time
					: BASE_TIME_NONE); /* the line before */
	EXP_COLUMN("host", "HOST", EXP_WORD, word = qry_host(in->q, e->host)->name);
	EXP_COLUMN("cpu", ">CPU", EXP_NUMBER, number = exp_rows_id(e->cpu));
	EXP_COLUMN("name", "NAME", EXP_LONG, word = e->name);
	EXP_COLUMN("tid", ">TID", EXP_NUMBER, number = exp_rows_nr(in->q, e->thread));
	EXP_COLUMN("thread", "THREAD", EXP_WORD, word = exp_rows_name(in->q, e->thread, e->time));
	EXP_COLUMN_BY("fields", "FIELDS", EXP_LONG, cell->word = line->fields; cell->is_known = true);
}

EXP_WRITER(exp_events)
{
	const GArray *lines = result;

	exp_rows_array(out, "events", event_columns, o, q, NULL, lines, UINT_MAX);
	if (o->format == EXP_JSON)
		base_json_yes(out, "more", o->more);
	else if (o->format == EXP_TEXT && o->more)
		g_string_append(out, "and more: --top N lists N of them, --top 0 all\n");
	return true;
}
