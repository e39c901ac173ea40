/* SPDX-License-Identifier: MIT */
/* One recording from begin to end, with any tracer. */
#include "record/rec.h"

#include "base/base_stop.h"
#include "record/rec_command.h"
#include "record/rec_meter.h"
#include "record/rec_probes.h"

#include <signal.h>
#include <time.h>

#define LOOK_US 10000      /* between two checks whether to end */
#define SHOW_US 300000     /* between two progress reports */
#define COMMAND_US 2000000 /* time for COMMAND to end after a signal */

struct run {
	const struct rec_plan *plan;
	struct rec_result *result;
	struct rec_tracing *tracing;
	struct rec_meter *meter; /* NULL: none */
	GArray *cases;           /* of struct rec_case */
	int pid;                 /* of COMMAND; 0: none, or it has ended */
	gint64 started;          /* µs, g_get_monotonic_time() */
	gint64 asked;            /* µs: when a signal came; 0: none */
};

static double seconds_since(gint64 started)
{
	return (double)(g_get_monotonic_time() - started) / 1e6;
}

/* True if COMMAND has ended just now. */
static bool is_over(struct run *r)
{
	if (!r->pid || !rec_command_ended(r->pid, &r->result->status))
		return false;
	r->result->has_status = true;
	r->pid = 0;
	return true;
}

/* True if a signal ends the recording.  COMMAND, if there is one, gets the signal first, and COMMAND_US to
 * end; SIGUSR1 ends the recording at once and is not passed on. */
static bool is_asked(struct run *r)
{
	int number = base_stop_signal();

	if (!number)
		return false;
	if (!r->pid || number == SIGUSR1)
		return true;
	if (!r->asked) {
		r->asked = g_get_monotonic_time();
		if (!base_stop_is_typed())
			kill(r->pid, number);
	}
	return g_get_monotonic_time() - r->asked > COMMAND_US;
}

/* True if there was a latency above the limit. */
static bool is_reached(struct run *r)
{
	const struct rec_until *until = &r->plan->wish->until;
	int64_t latency = 0;
	bool reached = false;

	if (r->meter) {
		g_array_set_size(r->cases, 0);
		if (!rec_meter_poll(r->meter, r->cases, &r->result->cut_short))
			return false;
		for (guint i = 0; i < r->cases->len; i++)
			latency = MAX(latency, g_array_index(r->cases, struct rec_case, i).latency);
		reached = latency > until->limit;
	} else if (until->kind && r->pid) {
		latency = (g_get_monotonic_time() - r->started) * 1000;
		reached = latency > until->limit;
	}
	if (reached)
		r->result->latency = latency;
	return reached;
}

/* Record until something ends it.  An error that ends it early is in the result. */
static void record(struct run *r, void (*show)(void *, const struct rec_result *), void *context)
{
	int64_t limit = r->plan->wish->duration;
	gint64 next = 0;

	while (!is_reached(r) && !r->result->cut_short && !is_over(r) && !is_asked(r) &&
		(limit == 0 || (g_get_monotonic_time() - r->started) * 1000 < limit)) {
		if (g_get_monotonic_time() >= next) {
			if (!r->plan->tracer->poll(r->tracing, &r->result->state, &r->result->cut_short))
				return;
			r->result->seconds = seconds_since(r->started);
			show(context, r->result);
			next = g_get_monotonic_time() + SHOW_US;
		}
		g_usleep(LOOK_US);
	}
}

/* Start the tracer, then the meter, so that each latency it measures is in the recording, then COMMAND. */
static bool run_begin(struct run *r, GError **error)
{
	const struct rec_wish *w = r->plan->wish;
	bool watched = w->until.kind && !g_str_equal(w->until.kind, REC_UNTIL_COMMAND);

	r->tracing = r->plan->tracer->start(r->plan, error);
	if (!r->tracing)
		return false;
	r->meter = watched ? rec_meter_new(r->plan->name, &w->until, 1, true, error) : NULL;
	if (watched && !r->meter)
		return false;
	r->started = g_get_monotonic_time();
	if (w->command)
		r->pid = rec_command_start(w->command, error);
	r->result->pid = r->pid;
	return r->pid >= 0;
}

bool rec_run(const struct rec_plan *plan, void (*show)(void *context, const struct rec_result *so_far),
	void *context, struct rec_result *result, GError **error)
{
	struct run r = { .plan = plan,
		.result = result,
		.cases = g_array_new(FALSE, FALSE, sizeof(struct rec_case)) };
	bool ok, probed;

	*result = (struct rec_result){ .has_status = false };
	probed = plan->probes && rec_probes_make(plan->probes, error);
	ok = (!plan->probes || probed) && run_begin(&r, error);
	if (ok) {
		record(&r, show, context);
		plan->tracer->hold(r.tracing);
		result->seconds = seconds_since(r.started);
		result->signal = base_stop_signal();
	}
	if (r.meter)
		rec_meter_free(r.meter);
	g_array_unref(r.cases);
	if (r.tracing && !plan->tracer->stop(r.tracing, ok, &result->state, ok ? error : NULL))
		ok = false;
	if (probed && !rec_probes_remove(plan->probes, ok ? error : NULL))
		ok = false;
	is_over(&r);
	result->command_goes_on = r.pid > 0;
	return ok;
}
