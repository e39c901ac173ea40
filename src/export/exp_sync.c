/* SPDX-License-Identifier: MIT */
/* The clocks of all hosts, and the travel times of packets by these clocks. */
#include "export/exp.h"

#include "export/exp_rows.h"

#include "analysis/kind/advice.h"
#include "base/base_time.h"
#include "query/clock/clock.h"
#include "sync/sync_hosts.h"

static const char *namesake(const struct qry *q, uint32_t host)
{
	return table_host(q, qry_sync_namesake(q, host));
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

static bool is_guest_or_host(const struct sync_hosts *hosts, uint32_t host)
{
	for (guint i = 0; i < hosts->vcpus->len; i++) {
		const struct sync_vcpu *v = &g_array_index(hosts->vcpus, struct sync_vcpu, i);

		if (v->self.host == host || v->cpu.host == host)
			return true;
	}
	return false;
}

/* Append the error between the clocks of GUEST and HOST while both were recorded, and GUEST's jumps. */
static void append_guest(GString *out, const struct qry *q, uint32_t guest, uint32_t host)
{
	int64_t error = qry_clock_error_shared(q, guest, host);
	g_autofree char *text = error < INT64_MAX ? base_time_format_duration(error, false) : NULL,
			*set = qry_guest_set_text(q, guest, false);

	if (text)
		g_string_append_printf(out, "%s and %s: while both were recorded, times are up to %s off\n",
			qry_host(q, guest)->name, qry_host(q, host)->name, text);
	if (set)
		g_string_append_printf(out, "%s: %s\n", qry_host(q, guest)->name, set);
}

/* Append the virtual CPU of each CPU of a guest, and the numbers of events that show it. */
static void append_guests(GString *out, const struct qry *q)
{
	bool *said = g_new0(bool, qry_host_count(q));

	for (uint32_t i = 0; i < qry_row_count(q); i++) {
		const struct qry_row *r = qry_row(q, i);
		struct qry_guest guest;
		uint32_t of;
		char *label;

		if (r->type != MDL_ROW_VCPU || !qry_guest_of(q, i, &guest))
			continue;
		of = qry_row(q, guest.cpu)->host;
		label = qry_row_label(q, i);
		g_string_append_printf(out,
			"CPU %" G_GINT64_FORMAT " of %s is %s: %" G_GUINT64_FORMAT
			" events inside its stays in the guest, %" G_GUINT64_FORMAT " outside\n",
			qry_row(q, guest.cpu)->nr, qry_host(q, of)->name, label, guest.inside, guest.outside);
		g_free(label);
		if (!said[of])
			append_guest(out, q, of, r->host);
		said[of] = true;
	}
	g_free(said);
}

/* Append advice for a recording in which the packets of host NAME match. MISSING: of ana_advice_packets(). */
static void append_recording(GString *out, const char *name, const struct sync_counts *c, const char *missing)
{
	if (c->sent + c->received == 0 && !missing)
		g_string_append_printf(out, "%s has no packets: it sent and received none\n", name);
	else if (c->sent + c->received == 0)
		g_string_append_printf(out, "%s has no packets: record %s\n", name, missing);
	else if (c->nameless == c->sent + c->received)
		g_string_append_printf(out,
			"%s has packets without TCP or UDP headers only: record with LTTng 2.9 or later\n",
			name);
	else if (c->received == 0)
		g_string_append_printf(out,
			"%s has only packets that it sent: record net_if_receive_skb too\n", name);
	else if (c->sent == 0)
		g_string_append_printf(out,
			"%s has only packets that it received: record net_dev_queue too\n", name);
	else if (c->nameless_received == c->received)
		g_string_append_printf(out,
			"%s received packets without TCP or UDP headers only: record with LTTng 2.9 or later\n",
			name);
}

/* Append the numbers of packets without another end at these hosts. */
static void append_unmatched(GString *out, const char *name, const struct sync_counts *c)
{
	if (c->aged + c->unmatched > 0)
		g_string_append_printf(out,
			"%s: %" G_GUINT64_FORMAT " packets that it sent and %" G_GUINT64_FORMAT
			" that it received have no other end at these hosts\n",
			name, c->aged, c->unmatched);
	if (c->given_up > 0)
		g_string_append_printf(out,
			"%s: %" G_GUINT64_FORMAT
			" packets were given up because too many waited for their other end: record fewer of them\n",
			name, c->given_up);
	if (c->ambiguous > 0)
		g_string_append_printf(out,
			"%s: %" G_GUINT64_FORMAT
			" packets that it received are not matched: they look the same as others, and some were lost\n",
			name, c->ambiguous);
}

/* Append the remarks about HOST below the table. */
static void append_remark(GString *out, const struct qry *q, uint32_t host, const struct sync_hosts *hosts)
{
	const struct sync_host *h = &hosts->hosts[host];
	const char *name = qry_host(q, host)->name, *other = namesake(q, host),
		   *apart = sync_text_apart(hosts, host);
	g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);

	if (sync_bounds_are_exact(h->bounds))
		g_string_append_printf(out, "%s is of the same boot as %s: one clock, without error\n", name,
			qry_host(q, h->by)->name);
	else if (other)
		g_string_append_printf(out,
			"%s and %s have the same host name: they may be two traces of one host\n", other,
			name);
	if (!is_guest_or_host(hosts, host)) {
		append_recording(out, name, &h->counts, ana_advice_packets(q, host));
		append_unmatched(out, name, &h->counts);
	}
	if (apart && h->placed)
		qry_clock_warnings(q, host, warnings);
	else if (apart)
		g_string_append_printf(out, "%s has an unrelated clock: %s\n", name, apart);
	else if (h->quality == SYNC_APPROXIMATE)
		g_string_append_printf(out,
			"%s: its %s of a host on the way, are too close together in time to tell the rate of its clock\n",
			name, is_guest_or_host(hosts, host) ? "stays, or packets" : "packets, or those");
	for (guint i = 0; i < warnings->len; i++)
		g_string_append_printf(out, "%s %s\n", name, (const char *)g_ptr_array_index(warnings, i));
	if (h->clock && h->violations_after > 0)
		g_string_append_printf(out,
			"%s: by the clock found, %" G_GUINT64_FORMAT
			" packets still arrive before they were sent%s\n",
			name, h->violations_after,
			qry_clock_contradicted(q, host)
				? ": they contradict its virtual CPUs' time inside the guest, which wakepath uses"
				: "");
}

/* The JSON is a file of clocks, which --sync reads. */
bool exp_sync(GString *out, struct qry *q, const void *result, const struct exp_options *o, GError **error)
{
	const struct sync_hosts *hosts = result;

	if (o->format == TABLE_JSON) {
		sync_json(out, q, hosts);
		return true;
	}
	if (o->format == TABLE_TEXT) {
		g_string_append(out, "reference: ");
		exp_table_append_clean(out, qry_host(q, 0)->name);
		g_string_append_c(out, '\n');
	}
	if (!exp_rows_all(out, &table_sync_hosts, o, q, hosts, error))
		return false;
	if (o->format == TABLE_TEXT) {
		for (uint32_t i = 0; i < hosts->n; i++)
			append_remark(out, q, i, hosts);
		append_guests(out, q);
	}
	if (o->format == TABLE_MARKDOWN)
		exp_markdown_command(out, o->command);
	return true;
}

EXP_WRITER(exp_residuals)
{
	return exp_rows_all(out, o->n_columns ? &table_sync_columns : &table_sync_packets, o, q, result,
		error);
}
