/* SPDX-License-Identifier: MIT */
#include "analysis/kind/advice.h"

#include "base/base_text.h"
#include "model/kernel/exit.h"
#include "model/event/tracer.h"
#include "query/host/tracer.h"

#include <string.h>

#define CALLS "syscall_entry_*"
#define FUTEX "syscall_entry_futex"

static const struct mdl_tracer *tracer_of(const struct qry *q, uint32_t host)
{
	return mdl_tracer_of(qry_host(q, host)->meta->tracer);
}

/* The static shell command that records W on HOST. NULL if its tracer has no such event. */
static const char *command_of(const struct qry *q, uint32_t host, const struct mdl_wanted *w)
{
	const struct mdl_tracer *tracer = tracer_of(q, host);
	const char *events = tracer->events(w);
	g_auto(GStrv) names = events ? g_strsplit(events, ",", -1) : NULL;
	g_autofree char *list = NULL, *text = NULL;

	if (!events)
		return NULL;
	for (char **name = names; *name; name++)
		if (strpbrk(*name, "*?")) {
			char *quoted = g_strdup_printf("'%s'", *name);

			g_free(*name);
			*name = quoted;
		}
	list = g_strjoinv(tracer->between, names);
	text = g_strconcat(tracer->command, list, NULL);
	return g_intern_string(text);
}

static bool has_text(const GPtrArray *texts, const char *text)
{
	return g_ptr_array_find_with_equal_func((GPtrArray *)(uintptr_t)texts, text, g_str_equal, NULL);
}

static bool lacks(const struct qry *q, uint32_t host, const char *group)
{
	const struct idx_meta *meta = qry_host(q, host)->meta;

	if (has_text(meta->missing_events, group))
		return true;
	/* An event for one call is useless if system calls were recorded only by their number. */
	return strcmp(group, FUTEX) == 0 && tracer_of(q, host)->raw_calls &&
		!has_text(meta->missing_events, CALLS) && !has_text(meta->event_names, FUTEX);
}

/* True if HOST has threads that run virtual CPUs, by the names that monitors give them, but no virtual CPUs,
 * because KVM was not recorded. */
static bool has_unseen_vcpus(const struct qry *q, uint32_t host)
{
	const struct qry_host *h = qry_host(q, host);
	bool found = false;

	for (uint32_t i = h->first_row; i < h->first_row + h->n_rows; i++) {
		const struct qry_row *r = qry_row(q, i);

		if (r->type == MDL_ROW_VCPU)
			return false;
		found |= r->type == MDL_ROW_THREAD && mdl_exit_is_left_by(r->name);
	}
	return found;
}

/* True if HOST runs virtual CPUs that never received an interrupt, because these were not recorded. */
static bool has_deaf_vcpus(const struct qry *q, uint32_t host)
{
	const struct qry_host *h = qry_host(q, host);
	bool any = false;

	for (uint32_t i = h->first_row; i < h->first_row + h->n_rows; i++) {
		any |= qry_row(q, i)->type == MDL_ROW_VCPU;
		if (qry_row(q, i)->type == MDL_ROW_VCPU && qry_wakeup_count(q, i) > 0)
			return false;
	}
	return any;
}

static void advice_add(GArray *all, const struct qry *q, uint32_t host, const char *event, const char *why)
{
	struct ana_advice advice = { event, why, command_of(q, host, mdl_wanted_find(event)) };

	if (advice.command)
		g_array_append_val(all, advice);
}

GArray *ana_advice_new(const struct qry *q, uint32_t host)
{
	GArray *all = g_array_new(FALSE, FALSE, sizeof(struct ana_advice));

	if (!idx_meta_is_kernel(qry_host(q, host)->meta)) { /* the kind of trace comes first */
		if (g_str_equal(qry_host(q, host)->meta->domain, "ust"))
			advice_add(all, q, host, "sched_switch", mdl_wanted_find("sched_switch")->why);
		return all;
	}
	for (const struct mdl_wanted *w = mdl_wanted_first(); w->lttng; w++)
		if (w->event && lacks(q, host, w->event))
			advice_add(all, q, host, w->event, w->why);
	if (has_unseen_vcpus(q, host))
		advice_add(all, q, host, "kvm_*", mdl_wanted_find("kvm_*")->why);
	if (has_deaf_vcpus(q, host))
		advice_add(all, q, host, "kvm_apic_accept_irq",
			"which interrupts its virtual machines got, from whom, and when they took them");
	return all;
}

GArray *ana_advice_questions(const struct qry *q, uint32_t host)
{
	const struct idx_meta *meta = qry_host(q, host)->meta;
	GArray *all = g_array_new(FALSE, FALSE, sizeof(struct ana_advice));

	for (const struct mdl_asked *a = mdl_wanted_asked(); a->name && idx_meta_is_kernel(meta); a++) {
		g_autofree char *command = g_strconcat("wakepath record --for-question ", a->name, NULL);
		struct ana_advice advice = { a->name, a->why, g_intern_string(command) };

		if (a->questions & MDL_ASKS_COUNTERS ? meta->counters->len == 0
						     : a->event && lacks(q, host, a->event))
			g_array_append_val(all, advice);
	}
	return all;
}

const char *ana_advice_machines(const struct qry *q, uint32_t host)
{
	return command_of(q, host, mdl_wanted_find("kvm_*"));
}

bool ana_advice_is_missing(const struct qry *q, uint32_t host, const char *event)
{
	const struct mdl_wanted *w = mdl_wanted_find(event);

	return w && lacks(q, host, w->event);
}

/* "not recorded on solo: ipi_send_cpu, timer_start". NULL if all were recorded. The caller frees. */
static char *lacks_events(const struct qry *q, uint32_t host)
{
	g_autoptr(GArray) advice = ana_advice_new(q, host);
	g_autoptr(GPtrArray) events = g_ptr_array_new();
	g_autofree char *list = NULL;

	for (guint i = 0; i < advice->len; i++) {
		const char *event = g_array_index(advice, struct ana_advice, i).event;

		if (!has_text(events, event))
			g_ptr_array_add(events, (char *)(uintptr_t)event);
	}
	list = base_text_join(events, ", ");
	return events->len ? g_strdup_printf("not recorded on %s: %s", qry_host(q, host)->name, list) : NULL;
}

GPtrArray *ana_advice_lacks(const struct qry *q, bool hide_tracer)
{
	GPtrArray *lines = g_ptr_array_new_with_free_func(g_free);
	const GPtrArray *warnings = qry_warnings(q);
	unsigned hidden = 0;

	for (guint i = 0; i < warnings->len; i++)
		g_ptr_array_add(lines, g_strdup(g_ptr_array_index(warnings, i)));
	for (uint32_t host = 0; host < qry_host_count(q); host++) {
		char *line = lacks_events(q, host);

		if (line)
			g_ptr_array_add(lines, line);
	}
	for (uint32_t row = 0; hide_tracer && row < qry_row_count(q); row++)
		hidden += qry_row(q, row)->type == MDL_ROW_THREAD && qry_is_tracer(q, row);
	if (hidden)
		g_ptr_array_add(lines,
			g_strdup_printf(
				"%u thread%s of the tracer %s hidden; --show-tracer and :hide-tracer show %s",
				hidden, base_text_s(hidden), hidden == 1 ? "is" : "are",
				hidden == 1 ? "it" : "them"));
	return lines;
}

const char *ana_advice_packets(const struct qry *q, uint32_t host)
{
	bool sent = !ana_advice_is_missing(q, host, "net_dev_queue"),
	     received = !ana_advice_is_missing(q, host, "net_if_receive_skb");

	return sent && received ? NULL
		: received      ? "net_dev_queue"
		: sent          ? "net_if_receive_skb"
				: "net_dev_queue and net_if_receive_skb";
}

const char *ana_advice_command(const struct qry *q, uint32_t host, const char *event)
{
	const struct mdl_wanted *w = mdl_wanted_find(event);

	return w ? command_of(q, host, w) : NULL;
}

const char *ana_advice_switches(const struct qry *q, uint32_t host)
{
	static const struct mdl_wanted switches[] = {
		{ .lttng = "sched_switch,sched_wakeup", .perf = "sched:sched_switch,sched:sched_wakeup" },
		{ .lttng = "sched_switch,sched_waking,sched_wakeup",
			.perf = "sched:sched_switch,sched:sched_waking,sched:sched_wakeup" }
	};
	bool has_waking = lacks(q, host, "sched_waking") || qry_host_has(q, host, MDL_GROUP_WAKING);

	return lacks(q, host, "sched_switch") ? command_of(q, host, &switches[has_waking]) : NULL;
}
