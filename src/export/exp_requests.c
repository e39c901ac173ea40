/* SPDX-License-Identifier: MIT */
#include "export/exp.h"

#include "base/base_text.h"
#include "export/exp_rows.h"

#include "analysis/kind/advice.h"
#include "analysis/request/request.h"
#include "analysis/kind/kind.h"
#include "base/base_time.h"

#include <inttypes.h>
#include <netinet/in.h>

static const char *protocol_of(const struct ana_exchange *x)
{
	if (x->connection.version == 0) /* packets without headers */
		return NULL;
	return x->connection.protocol == IPPROTO_TCP ? "tcp" : "udp";
}

/* "10.9.1.1:52978": the own end or the peer's.  The caller frees. */
static char *end_text(const struct ana_exchange *x, bool own)
{
	const struct ana_connection *c = &x->connection;

	if (c->version == 0)
		return NULL;
	return ana_words_endpoint(c->version, own ? c->own : c->peer, own ? c->own_port : c->peer_port);
}

/* ---- values of several parts ---- */

/* The bytes of P, a part of X; BASE_TIME_NONE: unknown. */
static int64_t bytes_of(const struct ana_exchange *x, const struct ana_exchange_part *p)
{
	return x->connection.version == 0 ? BASE_TIME_NONE : (int64_t)p->bytes;
}

static GString *part_json(const struct ana_exchange *x, const struct ana_exchange_part *p)
{
	GString *o = base_json_object();

	base_json_time(o, "from", p->from);
	base_json_time(o, "to", p->to);
	base_json_time(o, "bytes", bytes_of(x, p));
	base_json_int(o, "packets", p->packets);
	return o;
}

static GString *connection_json(const struct ana_exchange *x)
{
	g_autofree char *own = NULL, *peer = NULL;
	GString *o;

	if (x->connection.version == 0)
		return NULL;
	own = ana_words_address(x->connection.version, x->connection.own);
	peer = ana_words_address(x->connection.version, x->connection.peer);
	o = base_json_object();

	base_json_text(o, "protocol", protocol_of(x));
	base_json_text(o, "address", own);
	base_json_int(o, "port", x->connection.own_port);
	base_json_text(o, "peer_address", peer);
	base_json_int(o, "peer_port", x->connection.peer_port);
	return o;
}

static GString *peer_json(const struct qry *q, const struct ana_exchange *x)
{
	GString *o;

	if (x->peer_host == MDL_NONE)
		return NULL;
	o = base_json_object();
	base_json_text(o, "host", exp_rows_host(q, x->peer_host));
	base_json_put(o, "thread",
		exp_json_thread(q, x->peer, x->peer_to != MDL_NEVER ? x->peer_to : x->peer_from));
	base_json_time(o, "from", x->peer_from);
	base_json_time(o, "to", x->peer_to);
	return o;
}

/* "44 B, 1 packet". */
static char *part_text(const struct ana_exchange *x, const struct ana_exchange_part *p)
{
	if (p->packets == 0)
		return g_strdup("not seen");
	if (x->connection.version == 0)
		return g_strdup_printf("%" PRIu32 " packet%s", p->packets, base_text_s(p->packets));
	return g_strdup_printf("%" PRIu64 " B, %" PRIu32 " packet%s", p->bytes, p->packets,
		base_text_s(p->packets));
}

/* "10.9.1.1:52978 > 10.9.1.2:7000": from client to server. */
static char *connection_text(const struct ana_exchange *x)
{
	g_autofree char *client = end_text(x, x->asked), *server = end_text(x, !x->asked);

	if (!client)
		return g_strdup("lo");
	return g_strdup_printf("%s > %s", client, server);
}

/* The label of thread ROW, or the name of HOST; "-": neither is known.  The caller frees. */
static char *who_text(const struct qry *q, uint32_t row, uint32_t host)
{
	if (row != MDL_NONE)
		return qry_row_label(q, row);
	return g_strdup(host == MDL_NONE ? "-" : qry_host(q, host)->name);
}

/* ---- columns ---- */

EXP_COLUMNS(columns)
{
	const struct ana_request *r = row;
	const struct ana_exchange *x = row ? &r->x : NULL;
	const struct exp_options *o = in->context;

	EXP_COLUMN("number", ">#", EXP_NUMBER, number = (int64_t)in->number + 1);
	EXP_COLUMN("from", "START", EXP_TIME, number = x->from);
	EXP_COLUMN("to", "END", EXP_TIME, number = x->to);
	EXP_COLUMN("duration", ">TOOK", EXP_DURATION, number = x->to - x->from);
	EXP_COLUMN("role", "ROLE", EXP_WORD, word = x->asked ? "asked" : "served");
	EXP_COLUMN("protocol", "PROTOCOL", EXP_WORD, word = protocol_of(x));
	EXP_COLUMN("own_end", NULL, EXP_WORD, taken = end_text(x, true)); /* in CONNECTION */
	EXP_COLUMN("peer_end", NULL, EXP_WORD, taken = end_text(x, false));
	/* in REQUEST and REPLY: */
	EXP_COLUMN("request_bytes", NULL, EXP_NUMBER, number = bytes_of(x, &x->request));
	EXP_COLUMN("request_packets", NULL, EXP_NUMBER, number = x->request.packets);
	EXP_COLUMN("reply_bytes", NULL, EXP_NUMBER, number = bytes_of(x, &x->reply));
	EXP_COLUMN("reply_packets", NULL, EXP_NUMBER, number = x->reply.packets);
	/* in PEER: */
	EXP_COLUMN("peer_host", NULL, EXP_WORD, word = exp_rows_host(in->q, x->peer_host));
	EXP_COLUMN("peer_tid", NULL, EXP_NUMBER, number = exp_rows_nr(in->q, x->peer));
	EXP_COLUMN("peer_name", NULL, EXP_WORD,
		word = x->peer == MDL_NONE ? NULL : qry_row(in->q, x->peer)->name);
	EXP_COLUMN("peer_from", "AT PEER", EXP_TIME, number = x->peer_from);
	EXP_COLUMN("peer_to", NULL, EXP_TIME, number = x->peer_to); /* AT PEER and PEER FOR */
	EXP_COLUMN("", ">PEER FOR", EXP_DURATION,
		number = x->peer_from != MDL_NEVER && x->peer_to != MDL_NEVER ? x->peer_to - x->peer_from
									      : BASE_TIME_NONE);
	EXP_COLUMN("served", NULL, EXP_DURATION, number = r->served); /* server: TOOK; client: PEER FOR */
	EXP_COLUMN("path_from", NULL, EXP_TIME, number = r->from);    /* the next four are its parts */
	EXP_COLUMN("path_to", NULL, EXP_TIME, number = r->to);
	EXP_COLUMN("net", ">NET", EXP_DURATION, number = r->net);
	EXP_COLUMN("waiting", ">WAITING", EXP_DURATION, number = r->waiting);
	EXP_COLUMN("cpu", ">CPU", EXP_DURATION, number = r->cpu);
	EXP_COLUMN("unknown", ">UNKNOWN", EXP_DURATION, number = r->unknown);
	EXP_OBJECT("connection", "CONNECTION", EXP_LONG, connection_json(x), connection_text(x));
	EXP_OBJECT("request", "REQUEST", EXP_LONG, part_json(x, &x->request), part_text(x, &x->request));
	EXP_OBJECT("reply", "REPLY", EXP_LONG, part_json(x, &x->reply), part_text(x, &x->reply));
	EXP_OBJECT("peer", "PEER", EXP_LONG, peer_json(in->q, x), who_text(in->q, x->peer, x->peer_host));
	EXP_COLUMN("host", NULL, EXP_WORD | EXP_LATE, word = qry_host(in->q, x->host)->name);
	EXP_COLUMN("tid", NULL, EXP_NUMBER | EXP_LATE, number = exp_rows_nr(in->q, x->thread));
	EXP_COLUMN("name", NULL, EXP_WORD | EXP_LATE, word = exp_rows_name(in->q, x->thread, x->from));
	/* for all threads: the owner */
	EXP_OBJECT("thread", o->row == MDL_NONE ? "THREAD" : NULL, EXP_LONG | EXP_LATE,
		exp_json_thread(in->q, x->thread, x->from), who_text(in->q, x->thread, x->host));
}

/* The reason why there may be none: events that were not recorded on the hosts of the question. */
static void put_missing(GString *out, const struct qry *q, uint32_t row)
{
	for (uint32_t i = 0; i < qry_host_count(q); i++) {
		const char *missing = ana_advice_packets(q, i);

		if (missing && (row == MDL_NONE || qry_row(q, row)->host == i))
			g_string_append_printf(out, "no request can be seen without %s, not recorded on %s\n",
				missing, row == MDL_NONE ? qry_host(q, i)->name : "that host");
	}
}

EXP_WRITER(exp_requests)
{
	const GArray *requests = result;

	if (o->format == EXP_JSON) {
		base_json_put(out, "subject", o->row == MDL_NONE ? NULL : exp_json_subject(q, o->row));
		exp_json_window(out, o);
	} else if (o->format == EXP_TEXT) {
		g_autofree char *label = o->row == MDL_NONE ? g_strdup("") : qry_row_label(q, o->row);

		exp_table_append_clean(out, label);
		g_string_append_printf(out, "%s%u request%s\n", *label ? ": " : "", requests->len,
			base_text_s(requests->len));
	}
	exp_rows_array(out, "requests", columns, o, q, o, requests, UINT_MAX);
	if (o->format == EXP_TEXT && requests->len == 0)
		put_missing(out, q, o->row);
	return true;
}
