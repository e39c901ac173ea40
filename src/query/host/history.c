/* SPDX-License-Identifier: MIT */
/*
 * The history of rows in the view of their own kernels: states, wake-ups, causes of wake-ups, and the texts
 * of what they refer to by number. The index has the rows of its host and times by its host's clock. Answers
 * have rows of the experiment and shown times.
 */
#include "query/host/parts.h"

#include "model/kernel/exit.h"

/* ---- states ---- */

/* Convert the row named in an interval of a CPU from that of the index to that of the experiment. */
static void globalise(const struct qry_source *s, const struct qry_row *r, struct mdl_interval *i)
{
	if (r->type == MDL_ROW_CPU && i->aux != MDL_NONE)
		i->aux += s->host.first_row;
}

/* By the host's own clock. */
struct life {
	int64_t first, last;
};

static struct life life_of(const struct qry *q, const struct qry_source *s, uint32_t row, uint32_t local)
{
	struct mdl_row own;

	if (!s->clock)
		return (struct life){ q->rows[row].first, q->rows[row].last };
	own = idx_reader_row(s->reader, local);
	return (struct life){ own.first, own.last };
}

bool qry_source_state_at(struct qry *q, uint32_t row, int64_t time, struct mdl_interval *interval)
{
	uint32_t local;
	struct qry_source *s = qry_source_of(q, row, &local);
	struct life own = life_of(q, s, row, local);

	if (time < own.first || time >= own.last ||
		!idx_intervals_at(qry_source_intervals(s, local), local, time, interval))
		return false;
	globalise(s, &q->rows[row], interval);
	return true;
}

bool qry_source_state_before(struct qry *q, uint32_t row, int64_t time, struct mdl_interval *interval)
{
	uint32_t local;
	const struct qry_source *s = qry_source_of(q, row, &local);
	struct life own = life_of(q, s, row, local);

	return time > own.first && qry_source_state_at(q, row, MIN(time, own.last) - 1, interval);
}

bool qry_kernel_state_at(struct qry *q, uint32_t row, int64_t time, struct mdl_interval *interval)
{
	const struct qry_row *r = &q->rows[row];
	const struct qry_source *s = qry_source(q, r->host);

	if (time < r->first || time >= r->last ||
		!qry_source_state_at(q, row, qry_source_held(s, time), interval))
		return false;
	interval->from = qry_source_shown(s, interval->from);
	interval->to = qry_source_shown(s, interval->to);
	return true;
}

bool qry_kernel_state_before(struct qry *q, uint32_t row, int64_t time, struct mdl_interval *interval)
{
	const struct qry_row *r = &q->rows[row];

	return time > r->first && qry_kernel_state_at(q, row, MIN(time, r->last) - 1, interval);
}

static void *ends_new(struct qry *q)
{
	int64_t *ends = g_new(int64_t, q->n_rows);

	for (uint32_t row = 0; row < q->n_rows; row++)
		ends[row] = BASE_TIME_NONE;
	return ends;
}

/* Cached with the experiment, because each of many paths of one thread asks for it first. */
int64_t qry_life_end(struct qry *q, uint32_t row)
{
	static const char key;
	int64_t *end = (int64_t *)qry_memo(q, &key, ends_new, g_free) + row;
	const struct qry_row *r = &q->rows[row];
	struct mdl_interval iv;

	if (*end == BASE_TIME_NONE)
		*end = qry_kernel_state_before(q, row, r->last, &iv) && iv.state == MDL_ST_EXITED
			? MAX(iv.from, r->first)
			: r->last;
	return *end;
}

bool qry_states_append(GArray *states, struct mdl_interval i, int64_t from, int64_t to)
{
	i.from = MAX(i.from, from);
	i.to = MIN(i.to, to);
	if (i.from >= to)
		return false;
	if (i.from < i.to)
		g_array_append_val(states, i);
	return true;
}

void qry_kernel_states_whole(struct qry *q, uint32_t row, int64_t from, int64_t to, GArray *states)
{
	const struct qry_row *r = &q->rows[row];
	const struct mdl_interval *some;
	uint32_t local;
	struct qry_source *s = qry_source_of(q, row, &local);
	struct idx_intervals *c = qry_source_intervals(s, local);
	unsigned n;

	from = MAX(from, r->first);
	to = MIN(to, r->last);
	if (from >= to || !idx_intervals_seek(c, local, qry_source_held(s, from)))
		return;
	while ((some = idx_intervals_some(c, &n)))
		for (unsigned k = 0; k < n; k++) {
			struct mdl_interval i = some[k];

			i.from = qry_source_shown(s, i.from);
			i.to = qry_source_shown(s, i.to);
			if (i.from >= to)
				return;
			globalise(s, r, &i);
			if (i.from < i.to && i.to > from)
				g_array_append_val(states, i);
		}
}

GArray *qry_kernel_states(struct qry *q, uint32_t row, int64_t from, int64_t to)
{
	GArray *states = g_array_new(FALSE, FALSE, sizeof(struct mdl_interval));
	struct mdl_interval *i;

	qry_kernel_states_whole(q, row, from, to, states);
	if (states->len == 0)
		return states;
	i = &g_array_index(states, struct mdl_interval, 0);
	i->from = MAX(i->from, MAX(from, q->rows[row].first));
	i = &g_array_index(states, struct mdl_interval, states->len - 1);
	i->to = MIN(i->to, MIN(to, q->rows[row].last));
	return states;
}

/* ---- wake-ups ---- */

bool qry_wakeup_get(struct qry *q, uint32_t row, uint64_t index, struct mdl_wakeup *w)
{
	uint32_t local;
	struct qry_source *s = qry_source_of(q, row, &local);

	if (!idx_wakeups_get(qry_source_wakeups(s, local), local, index, w))
		return false;
	if (w->waker != MDL_NONE)
		w->waker += s->host.first_row;
	if (!s->clock)
		return true;
	w->time = qry_source_shown(s, w->time);
	w->since = qry_source_shown(s, w->since);
	w->ran_at = qry_source_shown(s, w->ran_at);
	w->event_time = qry_source_shown(s, w->event_time);
	for (unsigned i = 0; i < w->n_contexts; i++)
		w->contexts[i].entry = qry_source_shown(s, w->contexts[i].entry);
	return true;
}

uint64_t qry_wakeup_seek(struct qry *q, uint32_t row, int64_t time)
{
	uint32_t local;
	struct qry_source *s = qry_source_of(q, row, &local);

	return idx_wakeups_seek(qry_source_wakeups(s, local), local, qry_source_host(s, time));
}

bool qry_wakeup_after(struct qry *q, uint32_t row, int64_t time, struct mdl_wakeup *wakeup)
{
	return qry_wakeup_get(q, row, qry_wakeup_seek(q, row, time), wakeup);
}

bool qry_wakeup_at(struct qry *q, uint32_t row, int64_t time, struct mdl_wakeup *wakeup)
{
	return qry_wakeup_after(q, row, time, wakeup) && wakeup->time == time;
}

bool qry_wakeup_before(struct qry *q, uint32_t row, int64_t time, struct mdl_wakeup *wakeup)
{
	uint64_t index = qry_wakeup_seek(q, row, time);

	/* The time must be earlier even if another process overwrites the index meanwhile, because callers
	 * step back by it. */
	return index > 0 && qry_wakeup_get(q, row, index - 1, wakeup) && wakeup->time < time;
}

GArray *qry_wakeups(struct qry *q, uint32_t row, int64_t from, int64_t to)
{
	GArray *wakeups = g_array_new(FALSE, FALSE, sizeof(struct mdl_wakeup));
	uint64_t index = qry_wakeup_seek(q, row, from);
	struct mdl_wakeup w;

	while (qry_wakeup_get(q, row, index++, &w) && w.time < to)
		g_array_append_val(wakeups, w);
	return wakeups;
}

uint64_t qry_wakeup_count(const struct qry *q, uint32_t row)
{
	uint32_t local;
	const struct qry_source *s = qry_source_of(q, row, &local);

	return idx_reader_wakeup_count(s->reader, local);
}

/* ---- causes of wake-ups ---- */

/* Convert the times and rows in FACTS of S to those of the experiment. */
static void show_facts(const struct qry_source *s, struct mdl_facts *facts)
{
	for (unsigned i = 0; i < MDL_FACTS_N; i++)
		for (const struct mdl_field *f = mdl_fact_all[i]->fields;
			facts->has & 1u << i && f->type != MDL_FIELD_END; f++) {
			void *p = mdl_fact_at(facts, f->at);

			struct mdl_request *r;

			if (f->type == MDL_FIELD_TIME) {
				*(int64_t *)p = qry_source_shown(s, *(int64_t *)p);
			} else if (f->type == MDL_FIELD_ACT) {
				qry_source_show_act(s, p);
			} else if (f->type == MDL_FIELD_STEPS) {
				r = p;
				r->begin = qry_source_shown(s, r->begin);
				for (unsigned k = 0; k < r->n_steps; k++)
					r->steps[k].to = qry_source_shown(s, r->steps[k].to);
			}
		}
}

bool qry_cause(struct qry *q, uint32_t host, uint32_t number, struct mdl_cause *cause)
{
	const struct qry_source *s = qry_source(q, host);

	if (!idx_reader_cause(s->reader, number, cause))
		return false;
	for (unsigned i = 0; i < cause->chain.n; i++)
		qry_source_show_act(s, &cause->chain.hops[i].act);
	show_facts(s, &cause->facts);
	return true;
}

/* ---- strings, devices and event names of a host ---- */

const char *qry_device_name(const struct qry *q, uint32_t host, uint32_t dev)
{
	char text[32];
	uint32_t name;

	if (idx_reader_device(qry_source(q, host)->reader, dev, &name) && *qry_string(q, host, name) != '\0')
		return qry_string(q, host, name);
	g_snprintf(text, sizeof text, "%u:%u", dev >> 20, dev & 0xfffff); /* include/linux/kdev_t.h */
	return g_intern_string(text);
}

const char *qry_string(const struct qry *q, uint32_t host, uint32_t string)
{
	return idx_reader_string(qry_source(q, host)->reader, string);
}

uint32_t qry_string_count(const struct qry *q, uint32_t host)
{
	return idx_reader_string_count(qry_source(q, host)->reader);
}

const char *qry_event_name(const struct qry *q, uint32_t host, const char *event)
{
	const GPtrArray *names = qry_source(q, host)->host.meta->event_names;

	for (guint i = 0; i < names->len; i += 2)
		if (g_str_equal(g_ptr_array_index(names, i), event))
			return g_ptr_array_index(names, i + 1);
	return event;
}

/* ---- contexts and details ---- */

uint32_t qry_context_row(const struct qry *q, uint32_t host, uint32_t context, uint32_t cpu)
{
	struct qry_context c = qry_context(q, host, context);
	const struct qry_source *s = qry_source(q, host);
	enum mdl_row_type type = c.type == MDL_CTX_IRQ ? MDL_ROW_IRQ : MDL_ROW_SOFTIRQ;

	if (c.type != MDL_CTX_IRQ && c.type != MDL_CTX_SOFTIRQ)
		return MDL_NONE;
	for (uint32_t i = 0; i < s->n_lines; i++) {
		const struct qry_row *r = &q->rows[s->line_rows[i]];

		if (r->type == type && r->nr == c.nr && (type == MDL_ROW_IRQ || r->cpu == cpu))
			return r->id;
	}
	return MDL_NONE;
}

struct qry_context qry_context(const struct qry *q, uint32_t host, uint32_t context)
{
	const struct idx_reader *r = qry_source(q, host)->reader;
	const struct mdl_context *c = idx_reader_context(r, context);

	return (struct qry_context){ .type = c->type, .nr = c->nr, .name = idx_reader_string(r, c->name) };
}

uint32_t qry_context_count(const struct qry *q, uint32_t host)
{
	return idx_reader_context_count(qry_source(q, host)->reader);
}

/* "IRQ 25 virtio2-req.0". Unknown parts are left out. The caller frees. */
static char *context_words(const char *what, int64_t nr, const char *name)
{
	GString *text = g_string_new(what);

	if (nr != -1)
		g_string_append_printf(text, " %" G_GINT64_FORMAT, nr);
	if (*name != '\0')
		g_string_append_printf(text, " %s", name);
	return g_string_free(text, FALSE);
}

char *qry_context_text(const struct qry *q, uint32_t host, uint32_t context)
{
	struct qry_context c = qry_context(q, host, context);
	bool named = *c.name != '\0';

	switch (c.type) {
	case MDL_CTX_SOFTIRQ: return context_words("softirq", named ? -1 : c.nr, c.name);
	case MDL_CTX_HRTIMER: return g_strdup("hrtimer");
	case MDL_CTX_IPI: return context_words("ipi", named ? -1 : c.nr, c.name);
	default: return context_words("IRQ", c.nr, c.name);
	}
}

/* The name of the system call of I. */
static const char *call_name(const struct qry *q, const struct qry_row *r, const struct mdl_interval *i)
{
	return idx_reader_string(qry_source(q, r->host)->reader, i->detail);
}

/* The name of the declared wait that I, of thread ROW, is a part of. The waits are loaded: I was made from
 * them. */
static const char *spin_name(const struct qry *q, uint32_t row, const struct mdl_interval *i)
{
	const struct qry_spin *spin = qry_spin_after((struct qry *)(uintptr_t)q, row, i->from);

	return spin ? spin->name : NULL;
}

const char *qry_idle_state(const struct mdl_interval *i)
{
	g_autofree char *text = NULL;

	if (i->state != MDL_ST_IDLE || i->detail < MDL_IDLE_STATE || i->detail >= MDL_IDLE_N)
		return NULL;
	text = g_strdup_printf("idle state %u", i->detail - MDL_IDLE_STATE);
	return g_intern_string(text);
}

char *qry_detail_text(const struct qry *q, uint32_t row, const struct mdl_interval *i)
{
	const struct qry_row *r = &q->rows[row];

	if (r->type == MDL_ROW_CPU && mdl_state_runs(i->state)) {
		/* "wk-ioburst[497]", or in a system call "wk-ioburst[497] pread64" */
		g_autofree char *thread = i->aux == MDL_NONE ? NULL : qry_row_label(q, i->aux);

		return thread && i->state == MDL_ST_SYSCALL
			? g_strdup_printf("%s %s", thread, call_name(q, r, i))
			: g_steal_pointer(&thread);
	}
	switch (i->state) {
	case MDL_ST_WAITING: return g_strdup(spin_name(q, row, i));
	case MDL_ST_SYSCALL: return g_strdup(call_name(q, r, i));
	case MDL_ST_INTERRUPTED: return qry_context_text(q, r->host, i->detail);
	case MDL_ST_BLOCKED: return g_strdup(mdl_block_name(i->detail));
	case MDL_ST_IDLE: return g_strdup(i->detail == MDL_IDLE_OFFLINE ? "off-line" : qry_idle_state(i));
	case MDL_ST_QUEUED:
	case MDL_ST_IN_FLIGHT:
		return g_strdup_printf("%u in flight, %u queued", mdl_depth_in_flight(i->detail),
			mdl_depth_queued(i->detail));
	case MDL_ST_VCPU_EXIT: return i->detail == 0 ? NULL : mdl_exit_name(i->detail);
	default: return NULL;
	}
}
