/* SPDX-License-Identifier: MIT */
/* The clocks of all hosts, and the travel times of packets by them. */
#include "export/exp.h"

#include "export/exp_rows.h"

#include "analysis/kind/advice.h"
#include "base/base_time.h"
#include "query/clock/clock.h"
#include "sync/sync_hosts.h"

static const struct sync_line *sync_line_of(const struct sync_host *h, guint i)
{
	return &g_array_index(h->clock->lines, struct sync_line, i);
}

static guint lines_of(const struct sync_host *h)
{
	return h->clock ? h->clock->lines->len : 0;
}

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

/* ---- columns: a row for each line of each clock; the text has most of the counts as words ---- */

/* Line I of a host's clock; HAS is false if it has no clock. */
struct row {
	uint32_t host;
	const struct sync_host *h;
	guint i;
	bool has;
};

/* The time by which the host's clock is ahead of the reference at the begin of the line; NULL: overflow. */
static char *ahead_text(const struct qry *q, const struct row *x)
{
	int64_t at = x->i > 0 ? sync_line_of(x->h, x->i)->from
			      : qry_host_time(q, x->host, qry_host(q, x->host)->from),
		ahead;

	return __builtin_sub_overflow(at, sync_line_reference(sync_line_of(x->h, x->i), at), &ahead)
		? NULL
		: table_duration_text(ahead);
}

/* The keys of the JSON that sync_file_write() writes, except the insides of the clock.  Text has the columns
 * of the host only in its first line. */
TABLE_COLUMNS(columns)
{
	const struct row *x = row;
	bool again = row && in->format == TABLE_TEXT && x->i > 0;

	TABLE_COLUMN("host", "HOST", TABLE_WORD, "", word = again ? NULL : qry_host(in->q, x->host)->name);
	TABLE_COLUMN("quality", "CLOCK", TABLE_WORD,
		"`absent`, `incomplete`, `approximate`, `accurate`, `fail`, `given` (only from shifts in the recording), `typed`",
		taken = again ? table_time_text(sync_line_of(x->h, x->i)->from)
			      : g_strdup(sync_quality_name(x->h->quality)));
	TABLE_COLUMN("from", NULL, TABLE_TIME, "start of the first line; null: the start of the trace",
		number = x->has && x->i > 0 ? sync_line_of(x->h, x->i)->from : BASE_TIME_NONE);
	TABLE_COLUMN("slope", NULL, TABLE_DECIMAL, "the clock, or its first line",
		taken = x->has ? sync_text_slope(sync_line_of(x->h, x->i)) : NULL);
	TABLE_COLUMN("offset_ns", NULL, TABLE_DECIMAL, "the clock, or its first line",
		taken = x->has ? sync_text_offset(sync_line_of(x->h, x->i)) : NULL);
	TABLE_COLUMN("", ">AHEAD BY", TABLE_WORD, "", taken = x->has ? ahead_text(in->q, x) : NULL);
	TABLE_COLUMN("", ">FAST (ppm)", TABLE_WORD, "",
		taken = x->has ? g_strdup_printf("%+.3f", sync_line_fast(sync_line_of(x->h, x->i))) : NULL);
	TABLE_COLUMN_BY("error_ns_max", ">ERROR UP TO", TABLE_DURATION, "its largest possible error anywhere",
			cell->word = "";
			if (x->has &&
				(cell->number = table_bound(g_array_index(x->h->errors, int64_t, x->i))) ==
					BASE_TIME_NONE) cell->word = "unknown";
			else if (x->has) cell->word = NULL);
	TABLE_COLUMN_BY("packets_matched", ">PACKETS", TABLE_NUMBER,
			"packets seen at both ends; those of them that it received",
			cell->number = (int64_t)x->h->exchanged;
			cell->word = again ? "" : NULL);
	/* By the clocks as recorded: packets that left before they arrived. */
	TABLE_COLUMN("packets_sent_first", NULL, TABLE_NUMBER, "see [Accuracy](sync.md#accuracy)",
		number = (int64_t)(x->h->exchanged - x->h->violations_before));
	TABLE_COLUMN_BY("violations_before", ">TOO EARLY", TABLE_NUMBER, "see [Accuracy](sync.md#accuracy)",
			cell->number = (int64_t)x->h->violations_before;
			cell->word = again ? "" : NULL);
	TABLE_COLUMN_BY("violations_after", ">NOW", TABLE_NUMBER, "see [Accuracy](sync.md#accuracy)",
			if (x->h->clock) cell->number = (int64_t)x->h->violations_after;
			cell->word = again || !x->h->clock ? "" : NULL);
	TABLE_COLUMN("pieces", NULL, TABLE_NUMBER, "number of lines", number = lines_of(x->h));
	TABLE_COLUMN("by", "VIA", TABLE_WORD, "host through which the clock is known",
		word = !again && x->h->clock && x->h->by != x->host ? qry_host(in->q, x->h->by)->name : NULL);
	TABLE_COLUMN("packets_sent", NULL, TABLE_NUMBER, "packets of the host",
		number = (int64_t)x->h->counts.sent);
	TABLE_COLUMN("packets_received", NULL, TABLE_NUMBER, "packets of the host",
		number = (int64_t)x->h->counts.received);
	TABLE_COLUMN("packets_without_headers", NULL, TABLE_NUMBER, "see there",
		number = (int64_t)x->h->counts.nameless);
	TABLE_COLUMN("packets_received_without_headers", NULL, TABLE_NUMBER, "see there",
		number = (int64_t)x->h->counts.nameless_received);
	TABLE_COLUMN("packets_own", NULL, TABLE_NUMBER, "see there", number = (int64_t)x->h->counts.own);
	TABLE_COLUMN("packets_resent", NULL, TABLE_NUMBER, "see there",
		number = (int64_t)x->h->counts.resent);
	TABLE_COLUMN("packets_again", NULL, TABLE_NUMBER, "see there", number = (int64_t)x->h->counts.again);
	TABLE_COLUMN("packets_ambiguous", NULL, TABLE_NUMBER, "see there",
		number = (int64_t)x->h->counts.ambiguous);
	TABLE_COLUMN("packets_unmatched", NULL, TABLE_NUMBER, "see there",
		number = (int64_t)x->h->counts.unmatched);
	TABLE_COLUMN("packets_aged", NULL, TABLE_NUMBER, "see there", number = (int64_t)x->h->counts.aged);
	TABLE_COLUMN("packets_given_up", NULL, TABLE_NUMBER, "see there",
		number = (int64_t)x->h->counts.given_up);
	TABLE_COLUMN("packets_received_matched", NULL, TABLE_NUMBER,
		"packets seen at both ends; those of them that it received",
		number = (int64_t)x->h->counts.matched);
	TABLE_COLUMN("start_shift_ns", NULL, TABLE_DURATION, "for a host without a common clock",
		number = x->h->placed ? sync_place_shift(x->h) : BASE_TIME_NONE);
	TABLE_COLUMN("same_clock_as", NULL, TABLE_WORD, "another host of the same boot; of the same name",
		word = sync_bounds_are_exact(x->h->bounds) ? qry_host(in->q, x->h->by)->name : NULL);
	TABLE_COLUMN("same_name_as", NULL, TABLE_WORD, "another host of the same boot; of the same name",
		word = namesake(in->q, x->host));
}

static void sync_put_rows(GString *out, struct qry *q, const struct sync_hosts *hosts,
	const struct exp_options *o)
{
	struct exp_rows *rows = exp_rows_new(out, "hosts", columns, o, q, NULL);

	for (uint32_t host = 0; host < hosts->n; host++) {
		struct row x = { .host = host, .h = &hosts->hosts[host] };

		for (x.i = 0; x.i < MAX(lines_of(x.h), 1); x.i++) {
			x.has = x.i < lines_of(x.h);
			exp_rows_add(rows, &x);
		}
	}
	exp_rows_finish(rows);
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

/* The error of the clock of GUEST in that of HOST while both were recorded, and its jumps. */
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

/* The virtual CPU of each CPU of a guest, and the events that say so. */
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

/* Advice on a recording in which the packets of host NAME match; MISSING as from ana_advice_packets(). */
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

/* Packets without another end at these hosts. */
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

/* The remarks about HOST below the table. */
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
		g_string_append_printf(out, "%s stands apart, with its own clock: %s\n", name, apart);
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
				? ": they contradict its virtual CPUs' time inside the guest, which is used"
				: "");
}

/* The JSON is a file of clocks, which --clocks reads. */
bool exp_sync(GString *out, struct qry *q, const void *result, const struct exp_options *o,
	G_GNUC_UNUSED GError **error)
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
	sync_put_rows(out, q, hosts, o);
	if (o->format == TABLE_TEXT) {
		for (uint32_t i = 0; i < hosts->n; i++)
			append_remark(out, q, i, hosts);
		append_guests(out, q);
	}
	if (o->format == TABLE_MARKDOWN)
		exp_markdown_command(out, o->command);
	return true;
}

/* ---- residuals: the travel time of each packet by these clocks ---- */

struct packet {
	const struct qry_passage *p;
	int64_t residual;
};

TABLE_COLUMNS(packet_columns)
{
	const struct packet *x = row;

	TABLE_COLUMN("sender", "SENDER", TABLE_WORD, "hosts", word = qry_host(in->q, x->p->sender)->name);
	TABLE_COLUMN("receiver", "RECEIVER", TABLE_WORD, "hosts",
		word = qry_host(in->q, x->p->receiver)->name);
	TABLE_COLUMN("sent", "SENT", TABLE_TIME, "", number = x->p->sent);
	TABLE_COLUMN("received", "RECEIVED", TABLE_TIME, "", number = x->p->received);
	TABLE_COLUMN("residual", ">ON THE WAY", TABLE_DURATION, "negative: received before it was sent",
		number = x->residual);
}

static void put_packet(void *data, const struct qry_passage *p, int64_t residual)
{
	struct packet x = { p, residual };

	exp_rows_add(data, &x);
}

struct part {
	const struct ana_residuals_way *way;
	const struct ana_residuals_cell *packets;
	int64_t from, to;
};

TABLE_COLUMNS(part_columns)
{
	const struct part *x = row;

	TABLE_COLUMN("sender", "SENDER", TABLE_WORD, "", word = qry_host(in->q, x->way->sender)->name);
	TABLE_COLUMN("receiver", "RECEIVER", TABLE_WORD, "", word = qry_host(in->q, x->way->receiver)->name);
	TABLE_COLUMN("from", "FROM", TABLE_TIME, "the part", number = x->from);
	TABLE_COLUMN("to", "TO", TABLE_TIME, "the part", number = x->to);
	TABLE_COLUMN("packets", ">PACKETS", TABLE_NUMBER, "", number = (int64_t)x->packets->packets);
	TABLE_COLUMN("too_early", ">TOO EARLY", TABLE_NUMBER, "received before they were sent",
		number = (int64_t)x->packets->early);
	TABLE_COLUMN("least", ">MIN", TABLE_DURATION, "residuals", number = x->packets->least);
	TABLE_COLUMN("most", ">MAX", TABLE_DURATION, "residuals", number = x->packets->most);
}

EXP_WRITER(exp_residuals)
{
	const struct ana_residuals_window *window = result;
	struct ana_residuals *r;
	struct exp_rows *rows;
	bool fine;

	if (!o->n_columns) {
		rows = exp_rows_new(out, "packets", packet_columns, o, q, NULL);
		fine = ana_residuals_each(q, window, o->progress, put_packet, rows, error);
		exp_rows_finish(rows);
		return fine;
	}
	r = ana_residuals_new(q, window, o->n_columns, o->progress, error);
	if (!r)
		return false;
	rows = exp_rows_new(out, "columns", part_columns, o, q, NULL);
	for (guint i = 0; i < r->ways->len; i++) {
		const struct ana_residuals_way *way = g_ptr_array_index(r->ways, i);

		for (uint32_t c = 0; c < r->n_columns; c++) {
			struct part x = { way, &way->cells[c],
				qry_column_time(r->window.from, r->window.to, r->n_columns, c),
				qry_column_time(r->window.from, r->window.to, r->n_columns, c + 1) };

			if (way->cells[c].packets > 0)
				exp_rows_add(rows, &x);
		}
	}
	exp_rows_finish(rows);
	ana_residuals_free(r);
	return true;
}
