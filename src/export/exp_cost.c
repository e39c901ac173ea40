/* SPDX-License-Identifier: MIT */
#include "export/exp_cost.h"

#include "base/base_text.h"
#include "base/base_time.h"
#include "export/exp_table.h"

#include <inttypes.h>
#include <math.h>

/* Unknown where the trace does not tell; so are those counts that only other hosts' connections told, for
 * they may lack some. */
static int64_t known(const struct ana_cost *cost, uint64_t value)
{
	return cost->sees_senders ? (int64_t)value : BASE_TIME_NONE;
}

void exp_cost_columns(struct exp_rows *to, const void *row, G_GNUC_UNUSED const struct exp_rows_in *in)
{
	static const char *const keys[2][4] = {
		{ "packets_sent", "bytes_sent", "all_packets_sent", "all_bytes_sent" },
		{ "packets_received", "bytes_received", "all_packets_received", "all_bytes_received" },
	};
	const struct ana_cost *cost = row;

	EXP_COLUMN("threads", NULL, EXP_NUMBER, number = cost->threads);
	EXP_COLUMN("cpu_time", NULL, EXP_DURATION, number = cost->cpu_time);
	EXP_COLUMN("cpu_busy", NULL, EXP_DURATION, number = cost->busy);
	EXP_COLUMN("cpu_known", NULL, EXP_DURATION, number = cost->known);
	EXP_COLUMN("cpu_share", NULL, EXP_SHARE,
		share = cost->busy > 0 ? (double)cost->cpu_time / (double)cost->busy : NAN);
	for (unsigned way = 0; way < 2; way++) {
		EXP_COLUMN(keys[way][0], NULL, EXP_NUMBER, number = known(cost, cost->tracer[way].packets));
		EXP_COLUMN(keys[way][1], NULL, EXP_NUMBER, number = known(cost, cost->tracer[way].bytes));
		EXP_COLUMN(keys[way][2], NULL, EXP_NUMBER, number = (int64_t)cost->all[way].packets);
		EXP_COLUMN(keys[way][3], NULL, EXP_NUMBER, number = (int64_t)cost->all[way].bytes);
	}
}

void exp_cost_flat(struct exp_rows *to, const void *row, G_GNUC_UNUSED const struct exp_rows_in *in)
{
	const struct ana_cost *cost = row;

	EXP_COLUMN("observing_threads", NULL, EXP_NUMBER, number = cost->threads);
	EXP_COLUMN("observing_cpu_time", NULL, EXP_DURATION, number = cost->cpu_time);
	EXP_COLUMN("observing_cpu_busy", NULL, EXP_DURATION, number = cost->busy);
	EXP_COLUMN("observing_packets_sent", NULL, EXP_NUMBER, number = known(cost, cost->tracer[0].packets));
	EXP_COLUMN("observing_bytes_sent", NULL, EXP_NUMBER, number = known(cost, cost->tracer[0].bytes));
	EXP_COLUMN("observing_packets_received", NULL, EXP_NUMBER,
		number = known(cost, cost->tracer[1].packets));
	EXP_COLUMN("observing_bytes_received", NULL, EXP_NUMBER, number = known(cost, cost->tracer[1].bytes));
	EXP_COLUMN("packets_sent", NULL, EXP_NUMBER, number = (int64_t)cost->all[0].packets);
	EXP_COLUMN("bytes_sent", NULL, EXP_NUMBER, number = (int64_t)cost->all[0].bytes);
	EXP_COLUMN("packets_received", NULL, EXP_NUMBER, number = (int64_t)cost->all[1].packets);
	EXP_COLUMN("bytes_received", NULL, EXP_NUMBER, number = (int64_t)cost->all[1].bytes);
}

char *exp_cost_threads(const struct ana_cost *cost)
{
	char *time, *text;

	if (cost->threads == 0)
		return NULL;
	time = exp_table_duration(cost->cpu_time);
	text = g_strdup_printf("%u thread%s of the tracer, %s on CPUs", cost->threads,
		cost->threads == 1 ? "" : "s", time);
	g_free(time);
	if (cost->busy > 0) {
		time = text;
		text = g_strdup_printf("%s: %.2f%% of the time they were busy", time,
			100.0 * (double)cost->cpu_time / (double)cost->busy);
		g_free(time);
	}
	return text;
}

/* "14 of 41 packets sent (1.2 of 4.7 KiB, 25.40%)". */
static void append_traffic(GString *text, const struct ana_cost *cost, unsigned way)
{
	static const char *const ways[2] = { "sent", "received" };
	const struct qry_traffic *mine = &cost->tracer[way], *all = &cost->all[way];
	g_autofree char *part = base_text_bytes(mine->bytes), *whole = base_text_bytes(all->bytes);

	g_string_append_printf(text, "%s%" PRIu64 " of %" PRIu64 " packets %s", text->len ? ", " : "",
		mine->packets, all->packets, ways[way]);
	if (mine->packets > 0)
		g_string_append_printf(text, " (%s of %s: %.2f%%)", part, whole,
			100.0 * (double)mine->bytes / (double)MAX(all->bytes, 1));
}

char *exp_cost_packets(const struct ana_cost *cost)
{
	GString *text;

	if (cost->all[0].packets + cost->all[1].packets == 0)
		return NULL;
	if (!cost->sees_senders)
		return g_strdup(
			"which packets are the tracer's is not known: record irq_softirq_entry, irq_softirq_exit");
	text = g_string_new(NULL);
	for (unsigned way = 0; way < 2; way++)
		append_traffic(text, cost, way);
	return g_string_free(text, FALSE);
}
