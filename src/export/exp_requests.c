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
	base_json_text(o, "host", table_host(q, x->peer_host));
	base_json_put(o, "thread",
		table_json_thread(q, x->peer, x->peer_to != MDL_NEVER ? x->peer_to : x->peer_from));
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

TABLE_COLUMNS(columns)
{
	const struct ana_request *r = row;
	const struct ana_exchange *x = row ? &r->x : NULL;
	const struct exp_options *o = in->context;

	TABLE_COLUMN("number", ">#", TABLE_NUMBER, "from 1", number = (int64_t)in->number + 1);
	TABLE_COLUMN("from", "START", TABLE_TIME, "first data of the request, last data of the reply",
		number = x->from);
	TABLE_COLUMN("to", "END", TABLE_TIME, "first data of the request, last data of the reply",
		number = x->to);
	TABLE_COLUMN("duration", ">TOOK", TABLE_DURATION, "", number = x->to - x->from);
	TABLE_COLUMN("role", "ROLE", TABLE_WORD, "`asked`, `served`", word = x->asked ? "asked" : "served");
	TABLE_COLUMN("protocol", "PROTOCOL", TABLE_WORD, "`tcp`, `udp`", word = protocol_of(x));
	TABLE_COLUMN("own_end", NULL, TABLE_WORD, "address and port as one text",
		taken = end_text(x, true)); /* in CONNECTION */
	TABLE_COLUMN("peer_end", NULL, TABLE_WORD, "address and port as one text",
		taken = end_text(x, false));
	/* in REQUEST and REPLY: */
	TABLE_COLUMN("request_bytes", NULL, TABLE_NUMBER, "", number = bytes_of(x, &x->request));
	TABLE_COLUMN("request_packets", NULL, TABLE_NUMBER, "", number = x->request.packets);
	TABLE_COLUMN("reply_bytes", NULL, TABLE_NUMBER, "", number = bytes_of(x, &x->reply));
	TABLE_COLUMN("reply_packets", NULL, TABLE_NUMBER, "", number = x->reply.packets);
	/* in PEER: */
	TABLE_COLUMN("peer_host", NULL, TABLE_WORD, "", word = table_host(in->q, x->peer_host));
	TABLE_COLUMN("peer_tid", NULL, TABLE_NUMBER, "", number = table_nr(in->q, x->peer));
	TABLE_COLUMN("peer_name", NULL, TABLE_WORD, "",
		word = x->peer == MDL_NONE ? NULL : qry_row(in->q, x->peer)->name);
	TABLE_COLUMN("peer_from", "AT PEER", TABLE_TIME, "", number = x->peer_from);
	TABLE_COLUMN("peer_to", NULL, TABLE_TIME, "", number = x->peer_to); /* AT PEER and PEER FOR */
	TABLE_COLUMN("", ">PEER FOR", TABLE_DURATION, "",
		number = x->peer_from != MDL_NEVER && x->peer_to != MDL_NEVER ? x->peer_to - x->peer_from
									      : BASE_TIME_NONE);
	TABLE_COLUMN("served", NULL, TABLE_DURATION,
		"time at the server; null unless the server's trace has both request and reply",
		number = r->served); /* server: TOOK; client: PEER FOR */
	TABLE_COLUMN("path_from", NULL, TABLE_TIME,
		"window of the client's [path](#path) (the server's, if the client is not known): until the reply has arrived and the thread that waited for it runs again",
		number = r->from); /* the next four are its parts */
	TABLE_COLUMN("path_to", NULL, TABLE_TIME,
		"window of the client's [path](#path) (the server's, if the client is not known): until the reply has arrived and the thread that waited for it runs again",
		number = r->to);
	TABLE_COLUMN("net", ">NET", TABLE_DURATION,
		"parts of that path: packets on their way (kind `network`); all other waiting; something ran (`running`, `syscall`, `interrupted`); unknown. The parts sum to the window; null if no thread is known",
		number = r->net);
	TABLE_COLUMN("waiting", ">WAITING", TABLE_DURATION,
		"parts of that path: packets on their way (kind `network`); all other waiting; something ran (`running`, `syscall`, `interrupted`); unknown. The parts sum to the window; null if no thread is known",
		number = r->waiting);
	TABLE_COLUMN("cpu", ">CPU", TABLE_DURATION,
		"parts of that path: packets on their way (kind `network`); all other waiting; something ran (`running`, `syscall`, `interrupted`); unknown. The parts sum to the window; null if no thread is known",
		number = r->cpu);
	TABLE_COLUMN("unknown", ">UNKNOWN", TABLE_DURATION,
		"parts of that path: packets on their way (kind `network`); all other waiting; something ran (`running`, `syscall`, `interrupted`); unknown. The parts sum to the window; null if no thread is known",
		number = r->unknown);
	TABLE_OBJECT("connection", "CONNECTION", TABLE_LONG, "", connection_json(x), connection_text(x));
	TABLE_OBJECT("request", "REQUEST", TABLE_LONG, "", part_json(x, &x->request),
		part_text(x, &x->request));
	TABLE_OBJECT("reply", "REPLY", TABLE_LONG, "", part_json(x, &x->reply), part_text(x, &x->reply));
	TABLE_OBJECT("peer", "PEER", TABLE_LONG, "", peer_json(in->q, x),
		who_text(in->q, x->peer, x->peer_host));
	TABLE_COLUMN("host", NULL, TABLE_WORD | TABLE_LATE, "host that recorded these packets",
		word = qry_host(in->q, x->host)->name);
	TABLE_COLUMN("tid", NULL, TABLE_NUMBER | TABLE_LATE, "", number = table_nr(in->q, x->thread));
	TABLE_COLUMN("name", NULL, TABLE_WORD | TABLE_LATE, "", word = table_name(in->q, x->thread, x->from));
	/* for all threads: the owner */
	TABLE_OBJECT("thread", o->row == MDL_NONE ? "THREAD" : NULL, TABLE_LONG | TABLE_LATE,
		"the thread that asked or served there; also `requests[].tid`, `requests[].name`",
		table_json_thread(in->q, x->thread, x->from), who_text(in->q, x->thread, x->host));
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

	if (o->format == TABLE_JSON) {
		base_json_put(out, "subject", o->row == MDL_NONE ? NULL : table_json_subject(q, o->row));
		exp_json_window(out, o);
	} else if (o->format == TABLE_TEXT) {
		g_autofree char *label = o->row == MDL_NONE ? g_strdup("") : qry_row_label(q, o->row);

		exp_table_append_clean(out, label);
		g_string_append_printf(out, "%s%u request%s\n", *label ? ": " : "", requests->len,
			base_text_s(requests->len));
	}
	exp_rows_array(out, "requests", columns, o, q, o, requests, UINT_MAX);
	if (o->format == TABLE_TEXT && requests->len == 0)
		put_missing(out, q, o->row);
	return true;
}
