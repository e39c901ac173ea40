/* SPDX-License-Identifier: MIT */
#include "export/exp.h"

#include "export/exp_rows.h"

#include "base/base_time.h"

/* True when B, which follows A, reads the same: timers are told apart by an address that nobody is shown. */
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
	return all;
}

/* The CPU of an interval; AUX is the thread where the row itself is the CPU. */
static uint32_t states_cpu_of(const struct qry_row *r, const struct mdl_interval *i)
{
	return r->type == MDL_ROW_CPU ? (uint32_t)r->nr : i->aux;
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

/* ---- columns ---- */

EXP_COLUMNS(columns)
{
	const struct mdl_interval *i = row;
	const struct qry_row *r = in->context;

	EXP_COLUMN("from", "FROM", EXP_TIME, number = i->from);
	EXP_COLUMN("to", NULL, EXP_TIME, number = i->to); /* in FOR */
	EXP_COLUMN("", ">FOR", EXP_DURATION, number = i->to - i->from);
	EXP_COLUMN("state", "STATE", EXP_WORD, word = mdl_state_name(i->state));
	EXP_COLUMN("detail", "DETAIL", EXP_LONG, taken = qry_detail_text(in->q, r->id, i));
	EXP_COLUMN("cpu", ">CPU", EXP_NUMBER, number = exp_rows_id(states_cpu_of(r, i)));
	if (r->type == MDL_ROW_CPU) {
		EXP_COLUMN("tid", ">TID", EXP_NUMBER, number = exp_rows_nr(in->q, i->aux));
		EXP_COLUMN("name", "NAME", EXP_WORD, word = exp_rows_name(in->q, i->aux, i->from));
	}
	EXP_OBJECT("interrupted_by", NULL, EXP_WORD, interrupt_json(in->q, r, i),
		is_interrupt(i) ? qry_detail_text(in->q, r->id, i) : NULL); /* in DETAIL */
}

/* How much of each state, the longest states first as they stand in the model. */
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
	exp_table_finish(t, out, "");
}

/* How much of each state, as the rows of the explorer have it: by sums in the index, not by the intervals. */
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
	exp_rows_array(out, "intervals", columns, o, q, r, states, UINT_MAX);
	if (o->format == EXP_TEXT)
		append_totals(out, states);
	return true;
}
