/* SPDX-License-Identifier: MIT */
#include "export/exp_cost.h"

#include "base/base_text.h"
#include "export/exp_json.h"
#include "export/exp_table.h"

#include <inttypes.h>

/* Null where the trace does not tell; so are those counts that only other hosts' connections told, for they may lack some. */
static int64_t known(const struct ana_cost *cost, uint64_t value)
{
	return cost->sees_senders ? (int64_t)value : -1;
}

static void set_share(JsonObject *o, const char *key, double part, double whole)
{
	if (whole > 0)
		json_object_set_double_member(o, key, part / whole);
	else
		json_object_set_null_member(o, key);
}

static void set_traffic(JsonObject *o, const struct ana_cost *cost, unsigned way)
{
	static const char *const keys[2][4] = {
		{ "packets_sent", "bytes_sent", "all_packets_sent", "all_bytes_sent" },
		{ "packets_received", "bytes_received", "all_packets_received", "all_bytes_received" },
	};

	exp_json_natural(o, keys[way][0], known(cost, cost->tracer[way].packets));
	exp_json_natural(o, keys[way][1], known(cost, cost->tracer[way].bytes));
	exp_json_int(o, keys[way][2], (int64_t)cost->all[way].packets);
	exp_json_int(o, keys[way][3], (int64_t)cost->all[way].bytes);
}

JsonObject *exp_cost_json(const struct ana_cost *cost)
{
	JsonObject *o = json_object_new();

	exp_json_int(o, "threads", cost->threads);
	exp_json_int(o, "cpu_time", cost->cpu_time);
	exp_json_int(o, "cpu_busy", cost->busy);
	exp_json_int(o, "cpu_known", cost->known);
	set_share(o, "cpu_share", (double)cost->cpu_time, (double)cost->busy);
	for (unsigned way = 0; way < 2; way++)
		set_traffic(o, cost, way);
	return o;
}

void exp_cost_csv(struct exp_csv *csv, const struct ana_cost *cost)
{
	exp_csv_int(csv, cost->threads);
	exp_csv_int(csv, cost->cpu_time);
	exp_csv_int(csv, cost->busy);
	for (unsigned way = 0; way < 2; way++) {
		exp_csv_natural(csv, known(cost, cost->tracer[way].packets));
		exp_csv_natural(csv, known(cost, cost->tracer[way].bytes));
	}
	for (unsigned way = 0; way < 2; way++) {
		exp_csv_int(csv, (int64_t)cost->all[way].packets);
		exp_csv_int(csv, (int64_t)cost->all[way].bytes);
	}
}

char *exp_cost_threads(const struct ana_cost *cost)
{
	char *time, *text;

	if (cost->threads == 0)
		return NULL;
	time = exp_table_duration(cost->cpu_time);
	text = g_strdup_printf("%u thread%s of the tracer, %s on CPUs", cost->threads, cost->threads == 1 ? "" : "s", time);
	g_free(time);
	if (cost->busy > 0) {
		time = text;
		text = g_strdup_printf("%s: %.2f%% of the time they were busy", time, 100.0 * (double)cost->cpu_time / (double)cost->busy);
		g_free(time);
	}
	return text;
}

/* "14 of 41 packets sent (1.2 of 4.7 KiB, 25.40%)". */
static void append_traffic(GString *text, const struct ana_cost *cost, unsigned way)
{
	static const char *const ways[2] = { "sent", "received" };
	const struct qry_traffic *mine = &cost->tracer[way], *all = &cost->all[way];
	char *part = base_text_bytes(mine->bytes), *whole = base_text_bytes(all->bytes);

	g_string_append_printf(text, "%s%" PRIu64 " of %" PRIu64 " packets %s", text->len ? ", " : "", mine->packets, all->packets, ways[way]);
	if (mine->packets > 0)
		g_string_append_printf(text, " (%s of %s: %.2f%%)", part, whole, 100.0 * (double)mine->bytes / (double)MAX(all->bytes, 1));
	g_free(part);
	g_free(whole);
}

char *exp_cost_packets(const struct ana_cost *cost)
{
	GString *text;

	if (cost->all[0].packets + cost->all[1].packets == 0)
		return NULL;
	if (!cost->sees_senders)
		return g_strdup("which packets are the tracer's is not known: record irq_softirq_entry, irq_softirq_exit");
	text = g_string_new(NULL);
	for (unsigned way = 0; way < 2; way++)
		append_traffic(text, cost, way);
	return g_string_free(text, FALSE);
}
