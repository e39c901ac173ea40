/* SPDX-License-Identifier: MIT */
/*
 * sched_blocked_reason is an event of Android's kernels for waits that no signal ends (TASK_UNINTERRUPTIBLE):
 * "pid", "caller" (get_wchan()), "io_wait" (in_iowait). Its time depends on the kernel: when the thread is
 * put into a queue (update_stats_enqueue_sleeper(), kernel/sched/fair.c, older kernels), in try_to_wake_up()
 * (6.1), or in __schedule() before the thread leaves its CPU (6.12, kernel/sched/core.c). So the event is
 * searched near both ends of the wait: in the thread's last run before it, and from the wake-up to the
 * thread's next run.
 */
#include "analysis/wait/blocked.h"

#include "base/base_text.h"
#include "query/events/scan.h"
#include "query/symbols/symbols.h"

#include <string.h>

#define BEFORE 100000 /* ns between the event and its switch or wake-up, at most */
#define BEHIND 1000000

static bool is_reason(G_GNUC_UNUSED void *data, const char *name)
{
	return g_str_has_suffix(name, "sched_blocked_reason");
}

/* The function in VALUE, by name: "filemap_fault+0x1a/0x2f0" or an address of HOST. The caller frees. */
static char *function_of(struct qry *q, uint32_t host, const struct trc_value *value)
{
	const char *name = value->type == TRC_VALUE_TEXT ? NULL : qry_symbol(q, host, value->number);
	g_autofree char *text = value->type == TRC_VALUE_TEXT
		? base_text_clean(value->text, (gssize)value->length)
		: NULL;
	char *end = text ? strchr(text, '+') : NULL;

	if (end)
		*end = '\0';
	return text    ? g_steal_pointer(&text)
		: name ? g_strdup(name)
		       : g_strdup_printf("0x%" G_GINT64_MODIFIER "x", (guint64)value->number);
}

static bool is_set(const struct trc_value *v)
{
	return v->type != TRC_VALUE_NONE && v->type != TRC_VALUE_TEXT && v->number != 0;
}

/* Search [FROM, TO) and set *B from the last event about ROW. False with an error. */
static bool look(struct qry *q, uint32_t row, int64_t from, int64_t to, struct ana_blocked *b, GError **error)
{
	static const char *const fields[] = { "pid", "caller", "io_wait",
		"iowait" }; /* the last one in text */
	const struct qry_scan_want want = { .fields = fields, .n_fields = G_N_ELEMENTS(fields) };
	struct qry_events_filter filter = QRY_EVENTS_ALL;
	const struct qry_row *r = qry_row(q, row);
	struct qry_scan *scan;
	struct qry_event e;
	int got = -1;

	filter.host = r->host;
	filter.from = from;
	filter.to = to;
	filter.wants = is_reason;
	scan = qry_scan_new(q, &filter, &want, error);
	while (scan && (got = qry_scan_next(scan, &e, NULL, error)) == 1) {
		const struct trc_value *v = qry_scan_values(scan, error);

		if (!v) {
			got = -1;
			break;
		}
		if (v[0].type == TRC_VALUE_NONE || v[0].type == TRC_VALUE_TEXT ||
			v[1].type == TRC_VALUE_NONE || (int64_t)v[0].number != r->nr)
			continue;
		g_free(b->function);
		b->function = function_of(q, r->host, &v[1]);
		b->io = is_set(&v[2]) || is_set(&v[3]);
	}
	qry_scan_free(scan);
	return got == 0;
}

const struct qry_spin *ana_blocked_memory(struct qry *q, uint32_t row, int64_t from, int64_t to)
{
	const struct qry_spin *work = from == MDL_NEVER ? NULL : qry_work_after(q, row, from);

	return work && work->from <= from && to <= work->to ? work : NULL;
}

char *ana_blocked_text(const struct ana_blocked *b)
{
	if (!b->memory && !b->function)
		return NULL;
	return g_strconcat(b->memory ? "in " : "", b->memory ? b->memory : "", b->memory ? " (inferred)" : "",
		b->memory && b->function ? ", " : "", b->function ? "in the kernel's function " : "",
		b->function ? b->function : "", b->function && b->io ? ", for I/O" : "", NULL);
}

bool ana_blocked_find(struct qry *q, uint32_t row, int64_t from, const struct mdl_wakeup *wakeup,
	struct ana_blocked *blocked, GError **error)
{
	uint32_t host = qry_row(q, row)->host;
	int64_t to = MIN(wakeup->ran_at, wakeup->time + BEHIND);
	const struct qry_spin *work = ana_blocked_memory(q, row, from, wakeup->time);
	struct mdl_interval ran;

	*blocked = (struct ana_blocked){ .memory = work ? work->name : NULL,
		.doubts = work ? work->doubts : 0 };
	if (from == MDL_NEVER ||
		(!qry_events_declared(q, host, "sched_blocked_reason") &&
			!qry_events_declared(q, host, "sched:sched_blocked_reason")))
		return true;
	if (qry_state_at(q, row, from - 1, &ran) && mdl_state_has_cpu(ran.state) &&
		!look(q, row, MAX(ran.from, from - BEFORE), from + 1, blocked, error))
		return false;
	return blocked->function ||
		look(q, row, MAX(from, wakeup->time - BEFORE), MAX(to, wakeup->time) + 1, blocked, error);
}
