/* SPDX-License-Identifier: MIT */
/* Packets between hosts of a real experiment; the facts are from babeltrace2's text of the three traces. */
#include "query/clock/clock.h"
#include "query/clock/sync.h"
#include "query/qry_traces.h"

#include "base/base_error.h"
#include "base/base_progress.h"

#include <glib/gstdio.h>
#include <string.h>

static struct qry *q;

/* As after opening the traces in a program: the first time packets are matched, the second time the saved
 * result is read. */
static void open_packets(void)
{
	for (unsigned i = 0; i < 2; i++) {
		GError *error = NULL;
		struct sync_hosts *found = qry_sync_open(q, i == 0, NULL, &error);

		g_assert_no_error(error);
		sync_hosts_unref(found);
	}
	g_assert_cmpuint(qry_warnings(q)->len, ==, 0);
}

static uint32_t host_named(const char *name)
{
	for (uint32_t i = 0; i < qry_host_count(q); i++)
		if (g_str_equal(qry_host(q, i)->name, name))
			return i;
	g_error("no host %s", name);
}

/* The packet that HOST received with this IPv4 id and source port. */
static struct mdl_received received(uint32_t host, uint16_t id, uint16_t source_port)
{
	struct qry_transfers *all = qry_transfers_new(q, host, INT64_MIN);
	struct mdl_transfer t;

	do
		g_assert_true(qry_transfers_next(all, &t));
	while (!t.received || t.packet.id != id || t.packet.source_port != source_port);
	qry_transfers_free(all);
	return (struct mdl_received){ .packet = t.packet,
		.device = t.device,
		.time = t.by.time,
		.sender = { .time = MDL_NEVER } };
}

/* The transfer that PASSAGE began with. */
static struct mdl_transfer sent_of(const struct qry_passage *passage)
{
	struct qry_transfers *all = qry_transfers_new_at(q, passage->sender, passage->sent_number);
	struct mdl_transfer t;

	g_assert_true(qry_transfers_next(all, &t));
	qry_transfers_free(all);
	return t;
}

/* PACKET came from the host called SENDER, which had its buffer at SKB. */
static struct qry_passage check(uint32_t host, const struct mdl_received *packet, const char *sender,
	uint64_t skb)
{
	struct qry_passage p;
	struct mdl_transfer t;

	g_assert_true(qry_passage_of(q, host, packet, &p));
	g_assert_cmpstr(qry_host(q, p.sender)->name, ==, sender);
	g_assert_cmpuint(p.receiver, ==, host);
	g_assert_cmpint(p.received, ==, packet->time);
	t = sent_of(&p);
	g_assert_false(t.received);
	g_assert_cmpuint(t.packet.skb, ==, skb);
	g_assert_cmpint(p.sent, ==, t.by.time);
	g_assert_cmpint(p.by.time, ==, p.sent);
	return p;
}

/*
 * wk-client itself (thread 572) sent the request to httpd, and the softirq that received the SYN's answer
 * answered that. Packets that client received on another interface came from no host of the experiment.
 */
static void test_three(void)
{
	uint32_t client = host_named("client"), httpd = host_named("httpd");
	struct mdl_received request = received(httpd, 0x1e6f, 52978), answer = received(client, 0, 7000),
			    foreign = received(client, 0x401, 34608);
	struct qry_passage p = check(httpd, &request, "client", UINT64_C(0xFF451673819422E8));
	struct qry_context context;

	g_assert_cmpint(qry_row(q, p.by.thread)->nr, ==, 572);
	g_assert_cmpuint(qry_row(q, p.by.thread)->host, ==, client);
	g_assert_cmpuint(p.by.context, ==, MDL_NONE);
	p = check(client, &answer, "httpd", UINT64_C(0xFF11759E453B1400));
	context = qry_context(q, httpd, p.by.context);
	g_assert_cmpint(context.type, ==, MDL_CTX_SOFTIRQ);
	g_assert_cmpint(context.nr, ==, 3);
	g_assert_false(qry_passage_of(q, client, &foreign, &p));
}

/* A query repeated after the clocks changed gives times by the new clocks: httpd's is 324.94 s ahead of the
 * client's. */
static void test_other_clocks(void)
{
	uint32_t client = host_named("client");
	struct mdl_received answer = received(client, 0, 7000);
	struct qry_passage own = check(client, &answer, "httpd", UINT64_C(0xFF11759E453B1400)), p;
	GError *error = NULL;
	struct sync_hosts *found = qry_sync_open(q, false, NULL, &error);

	g_assert_no_error(error);
	qry_set_clocks(q, found);
	g_assert_true(qry_passage_of(q, client, &answer, &p));
	g_assert_cmpint((own.sent - p.sent) / 10000000, ==, 32493);
	qry_set_clocks(q, NULL);
	g_assert_true(qry_passage_of(q, client, &answer, &p));
	g_assert_cmpint(p.sent, ==, own.sent);
	sync_hosts_unref(found);
}

/* Receptions with the addresses, ports, numbers, flags, id and length of a packet that another host sent, as
 * counted in the text. */
static void test_all(void)
{
	static const struct {
		const char *host, *from[2];
		unsigned n[2];
	} counts[] = {
		{ "client", { "httpd", "db" }, { 21, 0 } },
		{ "httpd", { "client", "db" }, { 17, 816 } },
		{ "db", { "client", "httpd" }, { 0, 824 } },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(counts); i++) {
		uint32_t host = host_named(counts[i].host);
		struct qry_passages *all = qry_passages_new(q, host, INT64_MIN);
		unsigned n[2] = { 0, 0 };
		struct qry_passage p;
		int64_t before = INT64_MIN;

		while (qry_passages_next(all, &p)) {
			n[p.sender == host_named(counts[i].from[1])]++;
			g_assert_cmpuint(p.sender, !=, host);
			g_assert_cmpint(p.received, >=, before);
			before = p.received;
		}
		g_assert_cmpuint(n[0], ==, counts[i].n[0]);
		g_assert_cmpuint(n[1], ==, counts[i].n[1]);
		qry_passages_free(all);
	}
	g_assert_no_error(qry_damage(q));
}

/* Receptions from a time on are the last ones of all. */
static void test_from(void)
{
	uint32_t db = host_named("db");
	struct qry_passages *all = qry_passages_new(q, db, INT64_MIN), *some;
	struct qry_passage p, same;

	for (unsigned i = 0; i < 500; i++)
		g_assert_true(qry_passages_next(all, &p));
	some = qry_passages_new(q, db, p.received);
	g_assert_true(qry_passages_next(some, &same));
	g_assert_cmpuint(same.received_number, ==, p.received_number);
	qry_passages_free(some);
	some = qry_passages_new(q, db, p.received + 1);
	g_assert_true(qry_passages_next(some, &same));
	g_assert_cmpuint(same.received_number, >, p.received_number);
	qry_passages_free(some);
	qry_passages_free(all);
}

/* An experiment opened in another thread has them too. */
static void check_again(struct qry *first)
{
	GError *error = NULL;
	struct qry *again = qry_open_again(first, &error);
	uint32_t db = host_named("db");
	struct qry_passages *all, *same;
	struct qry_passage p, p2;

	g_assert_no_error(error);
	all = qry_passages_new(first, db, INT64_MIN);
	same = qry_passages_new(again, db, INT64_MIN);
	for (unsigned i = 0; i < 824; i++) {
		g_assert_true(qry_passages_next(all, &p) && qry_passages_next(same, &p2));
		g_assert_cmpuint(p.sent_number, ==, p2.sent_number);
		g_assert_cmpint(p.received, ==, p2.received);
	}
	g_assert_false(qry_passages_next(all, &p) || qry_passages_next(same, &p2));
	qry_passages_free(all);
	qry_passages_free(same);
	qry_free(again);
}

static void test_again(void)
{
	check_again(q);
}

/* If the file cannot be renamed to its place, there is none, and everything else works as before. */
static void test_nameless(void)
{
	struct qry *other = qry_traces_open("rpc-chain");
	char *path = qry_sync_path(other), *inside = g_build_filename(path, "something", NULL);
	struct sync_hosts *found;
	GError *error = NULL;

	g_unlink(path);
	g_assert_cmpint(g_mkdir_with_parents(inside, 0700), ==, 0);
	found = qry_sync_open(other, false, NULL, &error);
	g_assert_no_error(error);
	g_assert_cmpuint(qry_warnings(other)->len, ==, 1);
	g_assert_nonnull(strstr(g_ptr_array_index(qry_warnings(other), 0), path));
	check_again(other);
	sync_hosts_unref(found);
	qry_free(other);
	g_rmdir(inside);
	g_rmdir(path);
	g_free(inside);
	g_free(path);
}

/* A cancelled match leaves nothing behind. */
static void test_cancelled(void)
{
	struct qry *other = qry_traces_open("rpc-chain");
	struct base_progress progress;
	char *path = qry_sync_path(other);
	GError *error = NULL;

	base_progress_init(&progress);
	base_progress_cancel(&progress);
	g_assert_null(qry_sync_open(other, true, &progress, &error));
	g_assert_error(error, BASE_ERROR, BASE_ERROR_CANCELLED);
	g_assert_false(g_file_test(path, G_FILE_TEST_EXISTS));
	g_error_free(error);
	qry_free(other);
	g_free(path);
}

int main(int argc, char **argv)
{
	int status;

	g_test_init(&argc, &argv, NULL);
	q = qry_traces_open("rpc-chain");
	open_packets();
	g_test_add_func("/passage/three", test_three);
	g_test_add_func("/passage/all", test_all);
	g_test_add_func("/passage/other-clocks", test_other_clocks);
	g_test_add_func("/passage/from", test_from);
	g_test_add_func("/passage/again", test_again);
	g_test_add_func("/passage/nameless", test_nameless);
	g_test_add_func("/passage/cancelled", test_cancelled);
	status = g_test_run();
	qry_free(q);
	return status;
}
