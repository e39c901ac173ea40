/* SPDX-License-Identifier: MIT */
#include "export/exp.h"

#include "export/exp_csv.h"
#include "export/exp_table.h"

#include "analysis/ana_advice.h"
#include "base/base_time.h"
#include "query/qry_clock.h"
#include "sync/sync_file.h"
#include "sync/sync_text.h"

static const struct sync_line *line_of(const struct sync_host *h, guint i)
{
	return &g_array_index(h->clock->lines, struct sync_line, i);
}

static guint lines_of(const struct sync_host *h)
{
	return h->clock != NULL ? h->clock->lines->len : 0;
}

/* BASE_TIME_NONE where nothing bounds it. */
static int64_t known(int64_t error)
{
	return error == INT64_MAX ? BASE_TIME_NONE : error;
}

/* As packets were recorded: those that left before they arrived. */
static uint64_t sent_first(const struct sync_host *h)
{
	return h->exchanged - h->violations_before;
}

static const char *namesake(const struct qry *q, uint32_t host)
{
	uint32_t other = qry_sync_namesake(q, host);

	return other != MDL_NONE ? qry_host(q, other)->name : NULL;
}

static void sync_json(GString *out, const struct qry *q, const struct sync_hosts *hosts)
{
	const char **names = g_new(const char *, hosts->n), **namesakes = g_new(const char *, hosts->n);

	for (uint32_t i = 0; i < hosts->n; i++) {
		names[i] = qry_host(q, i)->name;
		namesakes[i] = namesake(q, i);
	}
	sync_file_write(out, hosts, names, namesakes);
	g_free(names);
	g_free(namesakes);
}

/* A line for each line of each clock. */
static void csv_line(struct exp_csv *csv, const struct qry *q, uint32_t host, const struct sync_host *h, guint i)
{
	exp_csv_text(csv, qry_host(q, host)->name);
	exp_csv_text(csv, sync_quality_name(h->quality));
	exp_csv_time(csv, i > 0 ? line_of(h, i)->from : BASE_TIME_NONE);
	exp_csv_take(csv, i < lines_of(h) ? sync_text_slope(line_of(h, i)) : NULL);
	exp_csv_take(csv, i < lines_of(h) ? sync_text_offset(line_of(h, i)) : NULL);
	exp_csv_time(csv, i < lines_of(h) ? known(g_array_index(h->errors, int64_t, i)) : BASE_TIME_NONE);
	exp_csv_int(csv, (int64_t)h->exchanged);
	exp_csv_int(csv, (int64_t)sent_first(h));
	exp_csv_int(csv, (int64_t)h->violations_before);
	exp_csv_time(csv, h->clock != NULL ? (int64_t)h->violations_after : BASE_TIME_NONE);
	exp_csv_int(csv, lines_of(h));
	exp_csv_end_line(csv);
}

static void sync_csv(GString *out, const struct qry *q, const struct sync_hosts *hosts)
{
	struct exp_csv csv = exp_csv_begin(out, "host,quality,from,slope,offset_ns,error_ns_max,packets_matched,packets_sent_first,"
						"violations_before,violations_after,pieces");

	for (uint32_t i = 0; i < hosts->n; i++)
		for (guint k = 0; k < MAX(lines_of(&hosts->hosts[i]), 1); k++)
			csv_line(&csv, q, i, &hosts->hosts[i], k);
}

/* How far the host's clock is ahead of the reference's where its line begins, and how many ppm it is fast. */
static void add_line(struct exp_table *t, const struct sync_host *h, guint i, int64_t at)
{
	const struct sync_line *line = line_of(h, i);
	int64_t ahead;

	if (__builtin_sub_overflow(at, sync_line_reference(line, at), &ahead))
		exp_table_add(t, "");
	else
		exp_table_add_duration(t, ahead);
	exp_table_take(t, g_strdup_printf("%+.3f", sync_line_fast(line)));
	if (g_array_index(h->errors, int64_t, i) == INT64_MAX)
		exp_table_add(t, "unknown");
	else
		exp_table_add_duration(t, g_array_index(h->errors, int64_t, i));
}

static void add_host(struct exp_table *t, const struct qry *q, uint32_t host, const struct sync_host *h)
{
	int64_t from = qry_host_time(q, host, qry_host(q, host)->from);

	exp_table_add(t, qry_host(q, host)->name);
	exp_table_add(t, sync_quality_name(h->quality));
	if (h->clock != NULL)
		add_line(t, h, 0, from);
	else
		for (unsigned i = 0; i < 3; i++)
			exp_table_add(t, "");
	exp_table_add_int(t, (int64_t)h->exchanged);
	exp_table_add_int(t, (int64_t)h->violations_before);
	exp_table_take(t, h->clock != NULL ? g_strdup_printf("%" G_GUINT64_FORMAT, h->violations_after) : NULL);
	exp_table_add(t, h->clock != NULL && h->by != host ? qry_host(q, h->by)->name : "");
	for (guint i = 1; i < lines_of(h); i++) {
		exp_table_add(t, "");
		exp_table_take(t, base_time_format_clock(line_of(h, i)->from, 9));
		add_line(t, h, i, line_of(h, i)->from);
		for (unsigned k = 0; k < 4; k++)
			exp_table_add(t, "");
	}
}

/* What to record otherwise, so that the packets of a host called NAME can be matched; MISSING as ana_advice_packets(). */
static void append_recording(GString *out, const char *name, const struct sync_counts *c, const char *missing)
{
	if (c->sent + c->received == 0 && missing == NULL)
		g_string_append_printf(out, "%s has no packets: it sent and received none\n", name);
	else if (c->sent + c->received == 0)
		g_string_append_printf(out, "%s has no packets: record %s\n", name, missing);
	else if (c->nameless == c->sent + c->received)
		g_string_append_printf(out, "%s has packets without TCP or UDP headers only: record with LTTng 2.9 or later\n", name);
	else if (c->received == 0)
		g_string_append_printf(out, "%s has only packets that it sent: record net_if_receive_skb too\n", name);
	else if (c->sent == 0)
		g_string_append_printf(out, "%s has only packets that it received: record net_dev_queue too\n", name);
	else if (c->nameless_received == c->received)
		g_string_append_printf(out, "%s received packets without TCP or UDP headers only: record with LTTng 2.9 or later\n", name);
}

/* Packets that have no other end here. */
static void append_unmatched(GString *out, const char *name, const struct sync_counts *c)
{
	if (c->aged + c->unmatched > 0)
		g_string_append_printf(out, "%s: of %" G_GUINT64_FORMAT " packets that it sent, and %" G_GUINT64_FORMAT
				       " that it received, the other end is at none of these hosts\n", name, c->aged, c->unmatched);
	if (c->ambiguous > 0)
		g_string_append_printf(out, "%s: %" G_GUINT64_FORMAT " packets that it received look the same as others, of which some were lost, and are not matched\n",
				       name, c->ambiguous);
}

/* That nothing but its start says where HOST is shown, and what to do. */
static void append_warnings(GString *out, const struct qry *q, uint32_t host)
{
	GPtrArray *warnings = g_ptr_array_new_with_free_func(g_free);

	qry_clock_warnings(q, host, warnings);
	for (guint i = 0; i < warnings->len; i++)
		g_string_append_printf(out, "%s %s\n", qry_host(q, host)->name, (const char *)g_ptr_array_index(warnings, i));
	g_ptr_array_unref(warnings);
}

/* What a person must know about HOST beside the numbers. */
static void append_remark(GString *out, const struct qry *q, uint32_t host, const struct sync_hosts *hosts)
{
	const struct sync_host *h = &hosts->hosts[host];
	const char *name = qry_host(q, host)->name, *other = namesake(q, host);

	if (sync_bounds_are_exact(h->bounds))
		g_string_append_printf(out, "%s is of the same boot as %s: one clock, without error\n", name, qry_host(q, h->by)->name);
	else if (other != NULL)
		g_string_append_printf(out, "%s and %s have the same host name: are they two traces of one host?\n", other, name);
	append_recording(out, name, &h->counts, ana_advice_packets(q, host));
	append_unmatched(out, name, &h->counts);
	if (sync_text_apart(hosts, host) != NULL && h->placed != NULL)
		append_warnings(out, q, host);
	else if (sync_text_apart(hosts, host) != NULL)
		g_string_append_printf(out, "%s stands apart, with its own clock: %s\n", name, sync_text_apart(hosts, host));
	else if (h->quality == SYNC_APPROXIMATE)
		g_string_append_printf(out, "%s: its packets, or those of a host on the way, are too close together in time to tell how fast its clock is\n", name);
	if (h->clock != NULL && h->violations_after > 0)
		g_string_append_printf(out, "%s: by the clock found %" G_GUINT64_FORMAT " packets still arrive before they were sent\n", name,
				       h->violations_after);
}

static void sync_text(GString *out, const struct qry *q, const struct sync_hosts *hosts)
{
	static const char *const headers[] = {
		"HOST", "CLOCK", ">AHEAD BY", ">FAST (ppm)", ">ERROR UP TO", ">PACKETS", ">TOO EARLY", ">NOW", "BY WAY OF", NULL
	};
	struct exp_table *t = exp_table_new(headers);

	g_string_append(out, "reference: ");
	exp_table_append_clean(out, qry_host(q, 0)->name);
	g_string_append_c(out, '\n');
	for (uint32_t i = 0; i < hosts->n; i++)
		add_host(t, q, i, &hosts->hosts[i]);
	exp_table_finish(t, out, "");
	for (uint32_t i = 0; i < hosts->n; i++)
		append_remark(out, q, i, hosts);
}

void exp_sync(GString *out, struct qry *q, const struct sync_hosts *hosts, enum exp_format format)
{
	switch (format) {
	case EXP_JSON:
		sync_json(out, q, hosts);
		break;
	case EXP_CSV:
		sync_csv(out, q, hosts);
		break;
	case EXP_TEXT:
		sync_text(out, q, hosts);
		break;
	}
}
