/* SPDX-License-Identifier: MIT */
/*
 * How it works: opening an experiment finds the rows of the tracer from all names that a process ever had,
 * and, if the name is not known, by what they do (deeds.c). One pass over the packets finds the tracer's
 * connections and counts all packets. If there are any, a second pass counts the tracer's share.
 */
#include "query/host/tracer.h"

#include "base/base_progress.h"
#include "query/host/parts.h"

#include <string.h>
#include <xxhash.h>

#define LOOK 65536 /* packets between two checks for cancellation */

/* ---- threads ---- */

/*
 * trace-cmd and perf fork the program that they record. The child has the recorder's name until its exec, so
 * only the last name counts. Debian names perf by its version: "perf_6.1". rtla forks the threads that it
 * measures.
 */
static bool is_recorders_name(const char *name)
{
	return g_str_equal(name, "trace-cmd") || g_str_equal(name, "perf") || g_str_equal(name, "rtla") ||
		(g_str_has_prefix(name, "perf_") && g_ascii_isdigit(name[5]));
}

static bool is_tracers_name(const char *name)
{
	static const char *const names[] = { "lttng-consumerd", "lttng-sessiond", "lttng-relayd",
		"lttng-runas", "lttng", "wakepath", "wakepath-drain", "traced", "traced_probes", "perfetto" };

	for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
		if (g_str_equal(name, names[i]))
			return true;
	return false;
}

static bool had_tracers_name(const struct qry *q, uint32_t row)
{
	uint32_t local;
	const struct qry_source *s = qry_source_of(q, row, &local);
	uint32_t count = idx_reader_name_count(s->reader, local);

	for (uint32_t i = 0; i < count; i++)
		if (is_tracers_name(idx_reader_string(s->reader, idx_reader_name(s->reader, local, i).name)))
			return true;
	return is_tracers_name(q->rows[row].name) || is_recorders_name(q->rows[row].name);
}

void qry_tracer_load(struct qry *q)
{
	q->tracer = g_atomic_rc_box_alloc0(sizeof(bool) * ((gsize)q->n_rows + 1));
	for (uint32_t i = 0; i < q->n_rows; i++) {
		uint32_t head = q->rows[i].process;

		if (q->rows[i].type != MDL_ROW_THREAD || q->rows[i].nr == 0)
			continue;
		/* The main thread of the process decides. If it has no name, the thread itself does. */
		if (*q->rows[head].name == '\0')
			head = i;
		q->tracer[i] = head < i ? q->tracer[head] : had_tracers_name(q, head);
	}
	qry_tracer_find_deeds(q);
}

bool qry_tracer_is_by_deeds(const struct qry *q, uint32_t row)
{
	uint32_t head = q->rows[row].process;

	return q->tracer[row] && !had_tracers_name(q, *q->rows[head].name == '\0' ? row : head);
}

char *qry_tracer_text(struct qry *q, uint32_t row)
{
	if (!q->tracer[row])
		return NULL;
	return qry_tracer_is_by_deeds(q, row) ? qry_tracer_deeds_text(q, row)
					      : g_strdup("recorder, by its name");
}

bool qry_is_tracer(const struct qry *q, uint32_t row)
{
	return q->tracer[row];
}

/* Processes from one that was recorded to its child of a child; a damaged trace may have a circle. */
#define GENERATIONS 64

static gpointer process_key(uint32_t host, int64_t pid)
{
	return GSIZE_TO_POINTER((gsize)host << 32 | (uint32_t)pid);
}

static void *tracer_pids_new(struct qry *q)
{
	GHashTable *pids = g_hash_table_new(NULL, NULL);

	for (uint32_t i = 0; i < q->n_rows; i++)
		if (q->tracer[i] && q->rows[i].pid > 0)
			g_hash_table_add(pids, process_key(q->rows[i].host, q->rows[i].pid));
	return pids;
}

static void tracer_pids_free(void *pids)
{
	g_hash_table_unref(pids);
}

bool qry_is_recorded(struct qry *q, uint32_t row)
{
	static const char key;

	if (q->rows[row].type != MDL_ROW_THREAD || q->tracer[row])
		return false;
	for (unsigned i = 0; i < GENERATIONS; i++) {
		const struct qry_row *process = &q->rows[q->rows[row].process];

		row = process->parent;
		/* No row is the parent of a process that is older than the trace. */
		if (row == MDL_NONE)
			return process->ppid > 0 &&
				g_hash_table_contains(qry_memo(q, &key, tracer_pids_new, tracer_pids_free),
					process_key(process->host, process->ppid));
		if (q->tracer[row])
			return true;
	}
	return false;
}

bool qry_has_tracer(const struct qry *q)
{
	return memchr(q->tracer, true, q->n_rows * sizeof *q->tracer);
}

/* ---- connections ---- */

/* The two ends, sorted by their bytes, so that both directions are one connection. */
struct flow {
	uint8_t address[2][16];
	uint16_t port[2];
	uint8_t version, protocol;
	uint16_t zero; /* padding, because the struct is hashed as bytes */
	uint32_t host; /* for loopback addresses, which each host has; else MDL_NONE */
};

struct qry_tracer_flows {
	struct qry *q;                /* weak */
	GHashTable *set;              /* of struct flow *, owned */
	bool any;                     /* a thread of the tracer sent a packet, with or without a connection */
	struct qry_traffic (*all)[2]; /* of each host: sent, received */
};

static guint flow_hash(gconstpointer flow)
{
	return (guint)XXH3_64bits(flow, sizeof(struct flow));
}

static gboolean flow_equal(gconstpointer a, gconstpointer b)
{
	return memcmp(a, b, sizeof(struct flow)) == 0;
}

static bool is_loopback(const struct mdl_packet *p)
{
	static const uint8_t six[16] = { [15] = 1 };

	return p->version == 4 ? p->source[0] == 127 : memcmp(p->source, six, sizeof six) == 0;
}

/* Set *FLOW to the connection of P. False if P has no ports or is neither IPv4 nor IPv6. */
static bool flow_of(const struct mdl_packet *p, uint32_t host, struct flow *flow)
{
	size_t size = p->version == 4 ? 4 : 16;
	int order = memcmp(p->source, p->destination, size);
	unsigned source;

	if ((p->version != 4 && p->version != 6) || !p->has_ports)
		return false;
	source = order > 0 || (order == 0 && p->source_port > p->destination_port);
	memset(flow, 0, sizeof *flow);
	memcpy(flow->address[source], p->source, size);
	memcpy(flow->address[!source], p->destination, size);
	flow->port[source] = p->source_port;
	flow->port[!source] = p->destination_port;
	flow->version = p->version;
	flow->protocol = p->protocol;
	flow->host = is_loopback(p) ? host : MDL_NONE;
	return true;
}

bool qry_tracer_sees_senders(const struct qry *q, uint32_t host)
{
	return !qry_host(q, host)->softirqs_missing;
}

/* True if a thread of the tracer sent T. The host of T must show senders. */
static bool sent_by_tracer(const struct qry *q, const struct mdl_transfer *t)
{
	return !t->received && t->by.context == MDL_NONE && t->by.thread != MDL_NONE &&
		q->tracer[t->by.thread];
}

bool qry_tracer_flows_have(const struct qry_tracer_flows *flows, uint32_t host, const struct mdl_transfer *t)
{
	struct flow flow;

	if (!flows->any)
		return false;
	if (!flow_of(&t->packet, host, &flow))
		return qry_tracer_sees_senders(flows->q, host) && sent_by_tracer(flows->q, t);
	return g_hash_table_contains(flows->set, &flow);
}

/* Pass the packets of HOST to EACH in order of time, with rows of the experiment. */
static void for_packets(struct qry *q, uint32_t host, struct base_progress *progress,
	void (*each)(void *data, uint32_t host, const struct mdl_transfer *t), void *data)
{
	const struct qry_source *s = qry_source(q, host);
	struct idx_transfers *cursor = idx_transfers_new(s->reader);
	struct mdl_transfer t;

	idx_transfers_seek(cursor, INT64_MIN);
	for (uint64_t i = 1; idx_transfers_next(cursor, &t); i++) {
		if (i % LOOK == 0 && progress && base_progress_cancelled(progress))
			break;
		if (t.by.thread != MDL_NONE)
			t.by.thread += s->host.first_row;
		each(data, host, &t);
	}
	idx_transfers_free(cursor);
}

static void tracer_count(struct qry_traffic *traffic, const struct mdl_transfer *t)
{
	traffic[t->received].packets++;
	traffic[t->received].bytes += t->packet.length;
}

/* Count T. Its host does not show senders. */
static void count_only(void *data, uint32_t host, const struct mdl_transfer *t)
{
	struct qry_tracer_flows *flows = data;

	tracer_count(flows->all[host], t);
}

static void count_and_find(void *data, uint32_t host, const struct mdl_transfer *t)
{
	struct qry_tracer_flows *flows = data;
	struct flow flow;

	tracer_count(flows->all[host], t);
	if (!sent_by_tracer(flows->q, t))
		return;
	flows->any = true;
	if (flow_of(&t->packet, host, &flow) && !g_hash_table_contains(flows->set, &flow))
		g_hash_table_add(flows->set, g_memdup2(&flow, sizeof flow));
}

struct qry_tracer_flows *qry_tracer_flows_new(struct qry *q, struct base_progress *progress)
{
	struct qry_tracer_flows *flows = g_new0(struct qry_tracer_flows, 1);

	flows->q = q;
	flows->set = g_hash_table_new_full(flow_hash, flow_equal, g_free, NULL);
	flows->all = g_malloc0_n(qry_host_count(q), sizeof *flows->all);
	for (uint32_t host = 0; host < qry_host_count(q); host++)
		for_packets(q, host, progress, qry_tracer_sees_senders(q, host) ? count_and_find : count_only,
			flows);
	return flows;
}

void qry_tracer_flows_free(struct qry_tracer_flows *flows)
{
	if (!flows)
		return;
	g_hash_table_unref(flows->set);
	g_free(flows->all);
	g_free(flows);
}

/* ---- their share ---- */

struct share {
	const struct qry_tracer_flows *flows;
	struct qry_traffic *tracer;
};

static void count_tracers(void *data, uint32_t host, const struct mdl_transfer *t)
{
	struct share *share = data;

	if (qry_tracer_flows_have(share->flows, host, t))
		tracer_count(share->tracer, t);
}

void qry_tracer_traffic(const struct qry_tracer_flows *flows, uint32_t host, struct base_progress *progress,
	struct qry_traffic all[2], struct qry_traffic tracer[2])
{
	struct share share = { flows, tracer };

	memcpy(all, flows->all[host], sizeof flows->all[host]);
	memset(tracer, 0, 2 * sizeof *tracer);
	if (flows->any)
		for_packets(flows->q, host, progress, count_tracers, &share);
}
