/* SPDX-License-Identifier: MIT */
#include "export/exp.h"

#include "export/exp_csv.h"
#include "export/exp_json.h"
#include "export/exp_table.h"

#include "analysis/ana_advice.h"
#include "analysis/ana_words.h"
#include "base/base_time.h"

#include <inttypes.h>
#include <netinet/in.h>

static const struct ana_exchange *exchange_of(const GArray *exchanges, guint i)
{
	return &g_array_index(exchanges, struct ana_exchange, i);
}

static const char *role_of(const struct ana_exchange *x)
{
	return x->asked ? "asked" : "served";
}

static const char *protocol_of(const struct ana_exchange *x)
{
	return x->connection.protocol == IPPROTO_TCP ? "tcp" : "udp";
}

static char *own_end(const struct ana_exchange *x)
{
	return ana_words_endpoint(x->connection.version, x->connection.own, x->connection.own_port);
}

static char *peer_end(const struct ana_exchange *x)
{
	return ana_words_endpoint(x->connection.version, x->connection.peer, x->connection.peer_port);
}

static const char *peer_host_of(const struct qry *q, const struct ana_exchange *x)
{
	return x->peer_host == MDL_NONE ? NULL : qry_host(q, x->peer_host)->name;
}

/* ---- JSON ---- */

static JsonObject *part_json(const struct ana_exchange_part *p)
{
	JsonObject *o = json_object_new();

	exp_json_time(o, "from", p->from);
	exp_json_time(o, "to", p->to);
	exp_json_int(o, "bytes", (int64_t)p->bytes);
	exp_json_int(o, "packets", p->packets);
	return o;
}

static JsonObject *connection_json(const struct ana_exchange *x)
{
	char *own = ana_words_address(x->connection.version, x->connection.own);
	char *peer = ana_words_address(x->connection.version, x->connection.peer);
	JsonObject *o = json_object_new();

	exp_json_text(o, "protocol", protocol_of(x));
	exp_json_text(o, "address", own);
	exp_json_int(o, "port", x->connection.own_port);
	exp_json_text(o, "peer_address", peer);
	exp_json_int(o, "peer_port", x->connection.peer_port);
	g_free(own);
	g_free(peer);
	return o;
}

static JsonObject *peer_json(const struct qry *q, const struct ana_exchange *x)
{
	JsonObject *o;

	if (x->peer_host == MDL_NONE)
		return NULL;
	o = json_object_new();
	exp_json_text(o, "host", peer_host_of(q, x));
	exp_json_object(o, "thread", exp_json_thread(q, x->peer, x->peer_to != MDL_NEVER ? x->peer_to : x->peer_from));
	exp_json_time(o, "from", x->peer_from);
	exp_json_time(o, "to", x->peer_to);
	return o;
}

static JsonObject *exchange_json(const struct qry *q, const struct ana_exchange *x, guint number)
{
	JsonObject *o = json_object_new();

	exp_json_int(o, "number", number);
	exp_json_time(o, "from", x->from);
	exp_json_time(o, "to", x->to);
	exp_json_int(o, "duration", x->to - x->from);
	exp_json_text(o, "role", role_of(x));
	exp_json_object(o, "connection", connection_json(x));
	exp_json_object(o, "request", part_json(&x->request));
	exp_json_object(o, "reply", part_json(&x->reply));
	exp_json_object(o, "peer", peer_json(q, x));
	return o;
}

static void requests_json(GString *out, const struct qry *q, uint32_t row, const GArray *exchanges, int64_t from, int64_t to)
{
	JsonObject *span = json_object_new();

	exp_json_time(span, "from", from);
	exp_json_time(span, "to", to);
	exp_json_begin(out);
	exp_json_put(out, "subject", exp_json_subject(q, row));
	exp_json_put_members(out, span);
	exp_json_begin_list(out, "requests");
	for (guint i = 0; i < exchanges->len; i++)
		exp_json_put(out, NULL, exchange_json(q, exchange_of(exchanges, i), i + 1));
	exp_json_end_list(out);
	exp_json_end(out);
}

/* ---- CSV, text ---- */

static void requests_csv(GString *out, const struct qry *q, const GArray *exchanges)
{
	struct exp_csv csv = exp_csv_begin(out, "number,from,to,duration,role,protocol,own,peer,request_bytes,request_packets,reply_bytes,"
						"reply_packets,peer_host,peer_tid,peer_name,peer_from,peer_to");

	for (guint i = 0; i < exchanges->len; i++) {
		const struct ana_exchange *x = exchange_of(exchanges, i);

		exp_csv_int(&csv, i + 1);
		exp_csv_time(&csv, x->from);
		exp_csv_time(&csv, x->to);
		exp_csv_int(&csv, x->to - x->from);
		exp_csv_text(&csv, role_of(x));
		exp_csv_text(&csv, protocol_of(x));
		exp_csv_take(&csv, own_end(x));
		exp_csv_take(&csv, peer_end(x));
		exp_csv_int(&csv, (int64_t)x->request.bytes);
		exp_csv_int(&csv, x->request.packets);
		exp_csv_int(&csv, (int64_t)x->reply.bytes);
		exp_csv_int(&csv, x->reply.packets);
		exp_csv_text(&csv, peer_host_of(q, x));
		exp_csv_natural(&csv, x->peer == MDL_NONE ? -1 : qry_row(q, x->peer)->nr);
		exp_csv_text(&csv, x->peer == MDL_NONE ? NULL : qry_row(q, x->peer)->name);
		exp_csv_time(&csv, x->peer_from);
		exp_csv_time(&csv, x->peer_to);
		exp_csv_end_line(&csv);
	}
}

/* "44 B, 1 packet". */
static char *part_text(const struct ana_exchange_part *p)
{
	if (p->packets == 0)
		return g_strdup("not seen");
	return g_strdup_printf("%" PRIu64 " B, %" PRIu32 " packet%s", p->bytes, p->packets, p->packets == 1 ? "" : "s");
}

/* "10.9.1.1:52978 > 10.9.1.2:7000": who asked stands first. */
static char *connection_text(const struct ana_exchange *x)
{
	char *own = own_end(x), *peer = peer_end(x);
	char *text = g_strdup_printf("%s > %s", x->asked ? own : peer, x->asked ? peer : own);

	g_free(own);
	g_free(peer);
	return text;
}

static char *peer_text(const struct qry *q, const struct ana_exchange *x)
{
	if (x->peer != MDL_NONE)
		return qry_row_label(q, x->peer);
	return g_strdup(x->peer_host == MDL_NONE ? "-" : peer_host_of(q, x));
}

static void requests_text(GString *out, const struct qry *q, uint32_t row, const GArray *exchanges)
{
	static const char *const headers[] = { ">#", "BEGUN AT", ">TOOK", "ROLE", "CONNECTION", ">REQUEST", ">REPLY", ">THERE FOR", "OTHER END", NULL };
	struct exp_table *t = exp_table_new(headers);
	const char *missing = ana_advice_packets(q, qry_row(q, row)->host);
	char *label = qry_row_label(q, row);

	for (guint i = 0; i < exchanges->len; i++) {
		const struct ana_exchange *x = exchange_of(exchanges, i);
		bool there = x->peer_from != MDL_NEVER && x->peer_to != MDL_NEVER;

		exp_table_add_int(t, i + 1);
		exp_table_add_time(t, x->from);
		exp_table_add_duration(t, x->to - x->from);
		exp_table_add(t, role_of(x));
		exp_table_take(t, connection_text(x));
		exp_table_take(t, part_text(&x->request));
		exp_table_take(t, part_text(&x->reply));
		exp_table_add_duration(t, there ? x->peer_to - x->peer_from : BASE_TIME_NONE);
		exp_table_take(t, peer_text(q, x));
	}
	exp_table_append_clean(out, label);
	g_string_append_printf(out, ": %u request%s\n", exchanges->len, exchanges->len == 1 ? "" : "s");
	exp_table_finish(t, out, "");
	if (exchanges->len == 0 && missing != NULL)
		g_string_append_printf(out, "no request can be seen without %s, not recorded on that host\n", missing);
	g_free(label);
}

void exp_requests(GString *out, struct qry *q, uint32_t row, const GArray *exchanges, int64_t from, int64_t to, enum exp_format format)
{
	switch (format) {
	case EXP_JSON:
		requests_json(out, q, row, exchanges, from, to);
		break;
	case EXP_CSV:
		requests_csv(out, q, exchanges);
		break;
	case EXP_TEXT:
		requests_text(out, q, row, exchanges);
		break;
	}
}
