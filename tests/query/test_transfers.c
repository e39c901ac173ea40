/* SPDX-License-Identifier: MIT */
/* Network packets in a real experiment of three hosts; the facts are from babeltrace2's text. */
#include "query/qry_traces.h"

#define CLIENT_SECOND G_GINT64_CONSTANT(1795169151000000000) /* 10:05:51 of the client */

static struct qry *q;

static uint32_t host_named(const char *name)
{
	for (uint32_t i = 0; i < qry_host_count(q); i++)
		if (g_str_equal(qry_host(q, i)->name, name))
			return i;
	g_error("no host %s", name);
}

/* The number equals that of `babeltrace2 … | grep -cE "net_(dev_queue|if_receive_skb):"`. They are in order,
 * with rows and contexts of their host. */
static void test_all(void)
{
	static const struct {
		const char *host;
		unsigned sent, received;
	} counts[] = {
		{ "client", 41, 45 },
		{ "httpd", 1742, 1743 },
		{ "db", 866, 881 },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(counts); i++) {
		uint32_t host = host_named(counts[i].host);
		struct qry_transfers *all = qry_transfers_new(q, host, INT64_MIN);
		int64_t before = qry_host(q, host)->meta->from;
		unsigned n[2] = { 0, 0 };
		struct mdl_transfer t;

		while (qry_transfers_next(all, &t)) {
			n[t.received]++;
			g_assert_cmpint(t.by.time, >=, before);
			before = t.by.time;
			g_assert_cmpuint(qry_row(q, t.by.thread)->host, ==, host);
			g_assert_cmpint(qry_row(q, t.by.thread)->type, ==, MDL_ROW_THREAD);
			g_assert_true(g_str_has_prefix(qry_string(q, host, t.device), "eth"));
		}
		g_assert_cmpuint(n[false], ==, counts[i].sent);
		g_assert_cmpuint(n[true], ==, counts[i].received);
		qry_transfers_free(all);
	}
	g_assert_no_error(qry_damage(q));
}

/* The first segment of the connection to httpd, a SYN sent by the thread itself. */
static void check_sent(uint32_t host, const struct mdl_transfer *t)
{
	const struct qry_row *r = qry_row(q, t->by.thread);

	g_assert_cmpint(t->by.time, ==, CLIENT_SECOND + 195738623);
	g_assert_false(t->received);
	g_assert_cmpint(r->nr, ==, 572);
	g_assert_cmpuint(t->by.context, ==, MDL_NONE);
	g_assert_cmpint(t->by.entry, ==, MDL_NEVER);
	g_assert_cmpuint(t->by.cpu, ==, 0);
	g_assert_cmpstr(qry_string(q, host, t->device), ==, "eth1");
	g_assert_cmpuint(t->packet.length, ==, 74);
	g_assert_cmpuint(t->packet.source_port, ==, 52978);
	g_assert_cmpuint(t->packet.destination_port, ==, 7000);
	g_assert_cmpuint(t->packet.sequence, ==, 653578712);
	g_assert_cmpuint(t->packet.flags, ==, 2);
	g_assert_cmpuint(t->packet.payload, ==, 0);
	g_assert_cmpuint(t->packet.id, ==, 0x1e6d);
	g_assert_cmpuint(t->packet.checksum, ==, 0x1643);
}

/* The answer to it, received in the softirq that was entered at …197273476. */
static void check_received(uint32_t host, const struct mdl_transfer *t)
{
	struct qry_context context = qry_context(q, host, t->by.context);

	g_assert_cmpint(t->by.time, ==, CLIENT_SECOND + 197381989);
	g_assert_true(t->received);
	g_assert_cmpint(context.type, ==, MDL_CTX_SOFTIRQ);
	g_assert_cmpint(context.nr, ==, 3);
	g_assert_cmpint(t->by.entry, ==, CLIENT_SECOND + 197273476);
	g_assert_cmpuint(t->packet.sequence, ==, 697983220);
	g_assert_cmpuint(t->packet.length, ==, 60);
}

static void test_two(void)
{
	uint32_t host = host_named("client");
	struct qry_transfers *all = qry_transfers_new(q, host, CLIENT_SECOND + 195738623);
	struct mdl_transfer t;

	g_assert_true(qry_transfers_next(all, &t));
	check_sent(host, &t);
	g_assert_true(qry_transfers_next(all, &t));
	check_received(host, &t);
	qry_transfers_free(all);
	all = qry_transfers_new(q, host, CLIENT_SECOND + 195738624);
	g_assert_true(qry_transfers_next(all, &t));
	check_received(host, &t);
	qry_transfers_free(all);
	all = qry_transfers_new(q, host, INT64_MAX);
	g_assert_false(qry_transfers_next(all, &t));
	qry_transfers_free(all);
}

int main(int argc, char **argv)
{
	int status;

	g_test_init(&argc, &argv, NULL);
	q = qry_traces_open("rpc-chain");
	g_test_add_func("/transfers/all", test_all);
	g_test_add_func("/transfers/two", test_two);
	status = g_test_run();
	qry_free(q);
	return status;
}
