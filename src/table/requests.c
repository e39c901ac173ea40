/* SPDX-License-Identifier: MIT */
/* Requests over the network, with their replies and both ends. */
#include "table/json.h"
#include "table/rows.h"

#include "analysis/kind/kind.h"
#include "analysis/request/request.h"
#include "base/base_error.h"
#include "base/base_text.h"
#include "base/base_time.h"

#include <inttypes.h>
#include <netinet/in.h>

static const char *protocol_of(const struct ana_exchange *x)
{
	if (x->connection.version == 0) /* packets without headers */
		return NULL;
	return x->connection.protocol == IPPROTO_TCP ? "tcp" : "udp";
}

/* "10.9.1.1:52978", one's own end or the peer's. The caller frees. */
static char *end_text(const struct ana_exchange *x, bool own)
{
	const struct ana_connection *c = &x->connection;

	if (c->version == 0)
		return NULL;
	return ana_words_endpoint(c->version, own ? c->own : c->peer, own ? c->own_port : c->peer_port);
}

/* ---- values of several parts ---- */

/* The bytes of P, a part of X; BASE_TIME_NONE if unknown. */
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

/* "44 B, 1 packet". The caller frees. */
static char *part_text(const struct ana_exchange *x, const struct ana_exchange_part *p)
{
	if (p->packets == 0)
		return g_strdup("not seen");
	if (x->connection.version == 0)
		return g_strdup_printf("%" PRIu32 " packet%s", p->packets, base_text_s(p->packets));
	return g_strdup_printf("%" PRIu64 " B, %" PRIu32 " packet%s", p->bytes, p->packets,
		base_text_s(p->packets));
}

/* "10.9.1.1:52978 > 10.9.1.2:7000", from client to server. The caller frees. */
static char *connection_text(const struct ana_exchange *x)
{
	g_autofree char *client = end_text(x, x->asked), *server = end_text(x, !x->asked);

	if (!client)
		return g_strdup("lo");
	return g_strdup_printf("%s > %s", client, server);
}

/* The label of thread ROW, or else the name of HOST, or else "-". The caller frees. */
static char *who_text(const struct qry *q, uint32_t row, uint32_t host)
{
	if (row != MDL_NONE)
		return qry_row_label(q, row);
	return g_strdup(host == MDL_NONE ? "-" : qry_host(q, host)->name);
}

/* The thread, else the host, else the address of the client (ASKER) or the server of R. The caller frees. */
static char *side_text(const struct qry *q, const struct ana_request *r, bool asker)
{
	const struct ana_connection *c = &r->x.connection;
	uint32_t row = asker ? r->asker : r->server, host = asker ? r->asker_host : r->server_host;

	if (row != MDL_NONE || host != MDL_NONE)
		return who_text(q, row, host);
	return ana_words_address(c->version, asker == r->x.asked ? c->own : c->peer);
}

/* ---- columns ---- */

TABLE_COLUMNS(request_columns)
{
	const struct ana_request *r = row;
	const struct ana_exchange *x = row ? &r->x : NULL;
	const struct table_question *ask = in->context;

	TABLE_COLUMN("number", ">#", TABLE_NUMBER, "from 1", number = (int64_t)in->number + 1);
	TABLE_COLUMN("utid", NULL, TABLE_NUMBER | TABLE_ONLY_SQL, "the thread that asked or served",
		number = table_id(x->thread));
	TABLE_COLUMN("from", "START", TABLE_TIME, "first data of the request", number = x->from);
	TABLE_COLUMN("to", "END", TABLE_TIME, "last data of the reply", number = x->to);
	TABLE_COLUMN("duration", ">TOOK", TABLE_DURATION, "", number = x->to - x->from);
	TABLE_COLUMN("role", "ROLE", TABLE_WORD, "`asked`, `served`", word = x->asked ? "asked" : "served");
	TABLE_COLUMN("protocol", "PROTOCOL", TABLE_WORD, "`tcp`, `udp`", word = protocol_of(x));
	TABLE_COLUMN("own_end", "(CONNECTION", TABLE_WORD, "address and port as one text",
		taken = end_text(x, true));
	TABLE_COLUMN("peer_end", "(CONNECTION", TABLE_WORD, "address and port as one text",
		taken = end_text(x, false));
	TABLE_COLUMN("request_bytes", "(REQUEST", TABLE_NUMBER, "as `request.bytes`",
		number = bytes_of(x, &x->request));
	TABLE_COLUMN("request_packets", "(REQUEST", TABLE_NUMBER, "as `request.packets`",
		number = x->request.packets);
	TABLE_COLUMN("reply_bytes", "(REPLY", TABLE_NUMBER, "as `reply.bytes`",
		number = bytes_of(x, &x->reply));
	TABLE_COLUMN("reply_packets", "(REPLY", TABLE_NUMBER, "as `reply.packets`",
		number = x->reply.packets);
	TABLE_COLUMN("peer_host", "(PEER", TABLE_WORD, "as `peer.host`",
		word = table_host(in->q, x->peer_host));
	TABLE_COLUMN("peer_tid", "(PEER", TABLE_NUMBER, "TID of `peer.thread`",
		number = table_nr(in->q, x->peer));
	TABLE_COLUMN("peer_name", "(PEER", TABLE_WORD, "its name",
		word = x->peer == MDL_NONE ? NULL : qry_row(in->q, x->peer)->name);
	TABLE_COLUMN("peer_from", "AT PEER", TABLE_TIME, "as `peer.from`", number = x->peer_from);
	TABLE_COLUMN("peer_to", "(PEER FOR", TABLE_TIME, "as `peer.to`", number = x->peer_to);
	TABLE_COLUMN("", ">PEER FOR", TABLE_DURATION, "",
		number = x->peer_from != MDL_NEVER && x->peer_to != MDL_NEVER ? x->peer_to - x->peer_from
									      : BASE_TIME_NONE);
	TABLE_COLUMN("served", "(TOOK, PEER FOR", TABLE_DURATION,
		"time at the server; null unless the server's trace has both request and reply",
		number = r->served);
	TABLE_COLUMN("path_from", NULL, TABLE_TIME,
		"begin of the window of the client's [path](#path) (the server's, if the client is not known)",
		number = r->from); /* the next four are its parts */
	TABLE_COLUMN("path_to", NULL, TABLE_TIME,
		"its end: the reply has arrived and the thread that waited for it runs again",
		number = r->to);
	TABLE_COLUMN("net", ">NET", TABLE_DURATION | TABLE_COSTLY,
		"parts of that path: packets on their way (kind `network`)", number = r->net);
	TABLE_COLUMN("waiting", ">WAITING", TABLE_DURATION | TABLE_COSTLY, "all other waiting",
		number = r->waiting);
	TABLE_COLUMN("cpu", ">CPU", TABLE_DURATION | TABLE_COSTLY,
		"something ran (`running`, `syscall`, `interrupted`)", number = r->cpu);
	TABLE_COLUMN("unknown", ">UNKNOWN", TABLE_DURATION | TABLE_COSTLY,
		"unknown. These four sum to the window; null if no thread is known", number = r->unknown);
	TABLE_OBJECT("connection", "CONNECTION", TABLE_LONG, "{}: ", connection_json(x), connection_text(x));
	TABLE_OBJECT("request", "REQUEST", TABLE_LONG, "{}: ", part_json(x, &x->request),
		part_text(x, &x->request));
	TABLE_OBJECT("reply", "REPLY", TABLE_LONG, "{}: ", part_json(x, &x->reply), part_text(x, &x->reply));
	TABLE_OBJECT("peer", "PEER", TABLE_LONG, "{}: ", peer_json(in->q, x),
		who_text(in->q, x->peer, x->peer_host));
	TABLE_COLUMN("host", NULL, TABLE_WORD | TABLE_LATE, "host that recorded these packets",
		word = qry_host(in->q, x->host)->name);
	TABLE_COLUMN("tid", "(THREAD", TABLE_NUMBER | TABLE_LATE, "TID of `thread`",
		number = table_nr(in->q, x->thread));
	TABLE_COLUMN("name", "(THREAD", TABLE_WORD | TABLE_LATE, "its name",
		word = table_name(in->q, x->thread, x->from));
	/* only if the question is about all threads */
	TABLE_OBJECT("thread", !ask || ask->row == MDL_NONE ? "THREAD" : NULL, TABLE_LONG | TABLE_LATE,
		"THREAD: the thread that asked or served there", table_json_thread(in->q, x->thread, x->from),
		who_text(in->q, x->thread, x->host));
	TABLE_COLUMN("path_time", NULL, TABLE_DURATION | TABLE_LATE, "length of the window of the path",
		number = r->to - r->from);
	TABLE_COLUMN("client", NULL, TABLE_WORD | TABLE_LATE, "thread, else host, else address that asked",
		taken = side_text(in->q, r, true));
	TABLE_COLUMN("server", NULL, TABLE_WORD | TABLE_LATE, "thread, else host, else address that served",
		taken = side_text(in->q, r, false));
	TABLE_COLUMN("cause", "CAUSE", TABLE_LONG | TABLE_LATE | TABLE_COSTLY,
		"in words, longest first: who used the time of that window, as in the account of [why](#why)",
		taken = r->cpu != BASE_TIME_NONE ? table_cause(in->q, r->row, r->from, r->to) : NULL);
}

/* ---- the table ---- */

struct requests {
	struct table_list of;
	struct ana_request now; /* its path is summed up */
};

/* Any row of HOST. MDL_NONE if HOST is MDL_NONE or has no rows. */
static uint32_t row_of_host(const struct qry *q, uint32_t host)
{
	for (uint32_t row = 0; host != MDL_NONE && row < qry_row_count(q); row++)
		if (qry_row(q, row)->host == host)
			return row;
	return MDL_NONE;
}

/* The scope that ASK describes. */
static struct ana_request_asked asked_of(const struct qry *q, const struct table_question *ask)
{
	struct ana_request_asked asked = { .row = ask->row,
		.from = ask->from,
		.to = ask->to,
		.hide_tracer = ask->hide_tracer };
	bool inside = !g_strcmp0(ask->kind, ana_request_scopes[ANA_REQUEST_INSIDE]);

	asked.scope = ask->row == MDL_NONE ? inside ? ANA_REQUEST_INSIDE : ANA_REQUEST_ALL
		: ask->of_process          ? ANA_REQUEST_PROCESS
					   : ANA_REQUEST_THREAD;
	if (ask->row != MDL_NONE || ask->host == MDL_NONE)
		return asked;
	asked.scope = ANA_REQUEST_HOST;
	asked.row = row_of_host(q, ask->host);
	return asked;
}

static void *make_requests(struct table_cursor *c, GError **error)
{
	struct ana_request_asked asked = asked_of(c->q, &c->ask);
	GArray *all = ana_request_scope_list(c->q, &asked, c->ask.progress);

	if (!all)
		g_set_error_literal(error, BASE_ERROR, BASE_ERROR_CANCELLED, "interrupted");
	return all;
}

static bool open_requests(struct table_cursor *c, G_GNUC_UNUSED GError **error)
{
	c->in.context = &c->ask;
	return true;
}

static int next_request(struct table_cursor *c, const void **row, GError **error)
{
	struct requests *r = (struct requests *)c;
	int found = table_list_next(c, row, error);

	if (found <= 0 || !r->of.made || c->ask.parts) /* requests of the asker are summed up already */
		return found;
	r->now = *(const struct ana_request *)*row;
	*row = &r->now;
	return ana_request_sum(c->q, &r->now, c->ask.progress, error) ? 1 : -1;
}

static bool complete(struct table_cursor *c, void *row, GError **error)
{
	return ana_request_sum(c->q, row, c->ask.progress, error);
}

static bool lead(G_GNUC_UNUSED const struct table_cursor *c, const void *row, struct table_place *to)
{
	const struct ana_request *r = row;

	*to = (struct table_place){ .row = r->row, .from = r->from, .to = r->to };
	return r->row != MDL_NONE;
}

static const struct table_alias aliases[] = {
	{ "from", "ts" },
	{ "to", NULL },
	{ "duration", "dur" },
	{ "cpu", "cpu_time" },
	{ "connection", NULL },
	{ "request", NULL },
	{ "reply", NULL },
	{ "peer", NULL },
	{ "thread", NULL },
	{ NULL, NULL },
};

const struct table table_requests = {
	.name = "request_net",
	.list = "requests",
	.doc = "a request over the network, with its reply",
	.columns = request_columns,
	.aliases = aliases,
	.size = sizeof(struct requests),
	.takes = TABLE_TAKES_ROW | TABLE_TAKES_WINDOW,
	.rows_are = TABLE_ROWS_ARRAY,
	.part = TABLE_WHOLE,
	.make = make_requests,
	.free = (GDestroyNotify)g_array_unref,
	.open = open_requests,
	.next = next_request,
	.row_size = sizeof(struct ana_request),
	.complete = complete,
	.lead = lead,
};
