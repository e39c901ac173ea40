/* SPDX-License-Identifier: MIT */
#include "app/app_open.h"

#include "base/base_error.h"
#include "base/base_time.h"
#include "query/clock/clock.h"
#include "query/clock/sync.h"
#include "sync/sync_hosts.h"

#include <string.h>

/* The parts of --sync. */
struct wanted {
	char *base;  /* "none", "auto" or a file; owned */
	char *typed; /* "HOST=OFFSET,HOST=OFFSET…"; owned, NULL: none */
};

static bool is_file(const char *path)
{
	return g_file_test(path, G_FILE_TEST_EXISTS);
}

/* Split SYNC.  All "HOST=OFFSET" are at the end; a file name before them can contain commas. */
static struct wanted take_apart(const char *sync)
{
	const char *typed = sync + strlen(sync), *item = typed;

	if (is_file(sync))
		return (struct wanted){ .base = g_strdup(sync) };
	while (item > sync) {
		do
			item--;
		while (item > sync && item[-1] != ',');
		if (!memchr(item, '=', strcspn(item, ",")))
			break;
		typed = item;
		item -= item > sync;
	}
	if (typed == sync && *sync != '\0')
		return (struct wanted){ .base = g_strdup("auto"), .typed = g_strdup(sync) };
	return (struct wanted){ .base = g_strndup(sync, (gsize)(typed - sync) - (*typed != '\0')),
		.typed = *typed != '\0' ? g_strdup(typed) : NULL };
}

/* Return the clocks that the packets between the hosts give; the caller unrefs.  NULL with an error. */
static struct sync_hosts *clocks_find(struct qry *q, const struct qry_tracer_flows *leave_out, bool force,
	struct base_progress *progress, GError **error)
{
	struct sync_hosts *found = qry_sync_open(q, force, progress, error);

	if (!found || !leave_out)
		return found;
	sync_hosts_unref(found);
	found = qry_sync_match(q, leave_out, progress, NULL, NULL);
	if (!base_progress_cancelled(progress))
		return found;
	sync_hosts_unref(found);
	return base_error_null(error, BASE_ERROR_CANCELLED, "interrupted");
}

/* Return the clocks of all hosts before any is set by hand; FOUND are those from packets. */
static struct sync_hosts *base_of(struct qry *q, const char *base, const struct sync_hosts *found,
	GError **error)
{
	struct sync_hosts *hosts;

	if (!strcmp(base, "auto"))
		return sync_typed_copy(found);
	if (!strcmp(base, "none")) {
		hosts = sync_typed_copy(found);
		sync_typed_take_out(hosts);
		return hosts;
	}
	if (!is_file(base))
		return base_error_null(error, BASE_ERROR_USAGE,
			"\"%s\": --sync takes none, auto, HOST=OFFSET such as db=-2.5ms, or a file that "
			"\"wakepath sync --format json\" wrote, and there is no such file",
			base);
	hosts = qry_sync_read(q, base, error);
	if (hosts)
		sync_typed_count_as(hosts, found); /* a file does not have the number of packets */
	return hosts;
}

static int64_t shown(const struct sync_hosts *hosts, uint32_t host, int64_t time)
{
	return sync_clock_reference(hosts->hosts[host].clock, time);
}

static bool is_early(const struct sync_hosts *hosts, const struct qry_passage *p)
{
	return hosts->hosts[p->sender].clock && hosts->hosts[p->receiver].clock &&
		shown(hosts, p->receiver, p->received) < shown(hosts, p->sender, p->sent);
}

static bool is_left_out(struct qry *q, const struct qry_tracer_flows *leave_out, const struct qry_passage *p)
{
	struct qry_transfers *t;
	struct mdl_transfer transfer;
	bool found;

	if (!leave_out)
		return false;
	t = qry_transfers_new_at(q, p->receiver, p->received_number);
	found = qry_transfers_next(t, &transfer) && qry_tracer_flows_have(leave_out, p->receiver, &transfer);
	qry_transfers_free(t);
	return found;
}

/*
 * Count the packets that arrive too early by the clocks HOSTS.  Q has no clocks yet, so it shows the hosts'
 * own times.  Counting reads all packets, so the numbers of FOUND are used if the clocks are the same.
 */
static void count_early(struct qry *q, struct sync_hosts *hosts, const struct sync_hosts *found,
	const struct qry_tracer_flows *leave_out)
{
	uint32_t known = 0;
	bool counted = true;
	struct qry_passage p;

	for (uint32_t i = 0; i < hosts->n; i++) {
		known += !!hosts->hosts[i].clock;
		counted = counted && sync_clock_is_same(hosts->hosts[i].clock, found->hosts[i].clock);
	}
	for (uint32_t i = 0; i < hosts->n; i++)
		hosts->hosts[i].violations_after = counted ? found->hosts[i].violations_after : 0;
	if (counted || known < 2)
		return;
	for (uint32_t i = 0; i < hosts->n; i++) {
		struct qry_passages *all = qry_passages_new(q, i, INT64_MIN);

		while (qry_passages_next(all, &p)) {
			if (!is_early(hosts, &p) || is_left_out(q, leave_out, &p))
				continue;
			hosts->hosts[p.sender].violations_after++;
			hosts->hosts[i].violations_after++;
		}
		qry_passages_free(all);
	}
}

/* False with an error if a clock of Q shows times out of range. */
static bool is_within_range(const struct qry *q, GError **error)
{
	for (uint32_t i = 0; i < qry_host_count(q); i++) {
		const struct qry_host *h = qry_host(q, i);

		if (h->meta->events == 0 || (h->from > -BASE_TIME_FARTHEST && h->to < BASE_TIME_FARTHEST))
			continue;
		return base_error_false(error, BASE_ERROR_USAGE,
			"the clock that --sync gives %s moves its times out of range: type a smaller offset",
			h->name);
	}
	return true;
}

/* Return the clocks that WANTED asks for instead of FOUND; the caller unrefs.  NULL with an error. */
static struct sync_hosts *change(struct qry *q, const struct wanted *wanted, const struct sync_hosts *found,
	const struct qry_tracer_flows *leave_out, GError **error)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new();
	struct sync_hosts *hosts = base_of(q, wanted->base, found, error);

	for (uint32_t i = 0; i < qry_host_count(q); i++)
		g_ptr_array_add(names, (gpointer)qry_host(q, i)->name);
	if (hosts && wanted->typed &&
		!sync_typed_set(hosts, (const char *const *)(const void *)names->pdata, wanted->typed, error))
		g_clear_pointer(&hosts, sync_hosts_unref);
	if (hosts)
		count_early(q, hosts, found, leave_out);
	return hosts;
}

/* Return HOSTS (taken) with a place for each host whose clock is unknown.  Others may use HOSTS: a change is
 * made in a copy. */
static struct sync_hosts *clocks_place(const struct qry *q, struct sync_hosts *hosts)
{
	struct sync_span *spans = g_new(struct sync_span, hosts->n);
	struct sync_hosts *placed = sync_typed_copy(hosts);

	for (uint32_t i = 0; i < hosts->n; i++) {
		const struct qry_host *h = qry_host(q, i);

		spans[i] = h->meta->events ? (struct sync_span){ h->meta->from, h->meta->to }
					   : (struct sync_span){ INT64_MIN, INT64_MIN };
	}
	if (!sync_place_starts(placed, spans)) {
		sync_hosts_unref(placed);
		placed = sync_hosts_ref(hosts);
	}
	sync_hosts_unref(hosts);
	g_free(spans);
	return placed;
}

/* Return the clocks that WANTED asks for, all hosts placed; the caller unrefs.  NULL with an error. */
static struct sync_hosts *clocks_make(struct qry *q, const struct wanted *wanted, bool without_tracer,
	bool force, struct base_progress *progress, GError **error)
{
	struct qry_tracer_flows *leave_out = without_tracer ? qry_tracer_flows_new(q, progress) : NULL;
	struct sync_hosts *hosts = qry_host_count(q) == 1 ? sync_typed_none(1)
							  : clocks_find(q, leave_out, force, progress, error);

	if (hosts && (wanted->typed || strcmp(wanted->base, "auto") != 0)) {
		struct sync_hosts *found = hosts;

		hosts = change(q, wanted, found, leave_out, error);
		sync_hosts_unref(found);
	}
	qry_tracer_flows_free(leave_out);
	return hosts ? clocks_place(q, hosts) : NULL;
}

bool app_clocks_set(struct qry *q, const struct app_clocks *clocks, bool force,
	struct base_progress *progress, GError **error)
{
	struct wanted wanted;
	struct sync_hosts *hosts;
	GError *problem = NULL;

	if (clocks->aside)
		qry_set_aside(q, clocks->aside);
	if (qry_host_count(q) == 1 && (!clocks->sync || !strcmp(clocks->sync, "auto")))
		return true;
	qry_set_clocks(q, NULL); /* the following needs the hosts' own times */
	wanted = take_apart(clocks->sync ? clocks->sync : "auto");
	hosts = clocks_make(q, &wanted, clocks->without_tracer, force, progress, &problem);
	g_free(wanted.base);
	g_free(wanted.typed);
	if (!hosts && g_error_matches(qry_damage(q), BASE_ERROR, BASE_ERROR_DATA)) {
		/* Data from a damaged index is useless; a stale index is rebuilt. */
		g_clear_error(&problem);
		g_set_error_literal(&problem, BASE_ERROR, BASE_ERROR_STALE, qry_damage(q)->message);
	}
	if (!hosts) {
		g_propagate_error(error, problem);
		return false;
	}
	qry_set_clocks(q, hosts);
	sync_hosts_unref(hosts);
	return is_within_range(q, error);
}

void app_clocks_set_pending(struct qry *q)
{
	struct sync_hosts *hosts = sync_typed_none(qry_host_count(q));

	for (uint32_t i = 1; i < hosts->n; i++)
		hosts->hosts[i].quality = SYNC_PENDING;
	hosts = clocks_place(q, hosts);
	qry_set_clocks(q, hosts);
	sync_hosts_unref(hosts);
}
