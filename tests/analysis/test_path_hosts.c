/* SPDX-License-Identifier: MIT */
/*
 * Paths across hosts in real traces.  Requests are found by what their client wrote into its trace; times
 * given to the nanosecond were read by hand in babeltrace2's text of each host, in that host's clock:
 * sched_switch, sched_waking, net_dev_queue, net_if_receive_skb.
 */
#include "analysis/ana_fixture.h"
#include "analysis/wait/why.h"
#include "query/clock/clock.h"

#include <string.h>

#define MS 1000000

enum { CLIENT, DB, HTTPD }; /* in the order of their folders */

/* CLOCK of HOST as it is shown. */
static int64_t shown(const struct ana_fixture *f, uint32_t host, const char *clock)
{
	return qry_shown_time(ana_fixture_qry(f), host, ana_fixture_at(clock));
}

static struct ana_path *path_between(struct ana_fixture *f, const char *thread, const char *begin,
	const char *end)
{
	GError *error = NULL;
	struct ana_path *p = ana_path_new(ana_fixture_qry(f), ana_fixture_find(f, thread),
		ana_fixture_marker(f, begin), ana_fixture_marker(f, end), NULL, &error);

	g_assert_no_error(error);
	return p;
}

/* ---- visits: parts of the path with one thread, and its waits meanwhile ---- */

struct visit {
	char *who; /* owned: "httpd/wk-server" */
	int64_t time[ANA_SEG_N];
	int64_t sum;
};

static void visit_clear(void *data)
{
	g_free(((struct visit *)data)->who);
}

/* The thread whose wait S is, or that ran. */
static char *who_of(struct qry *q, const struct ana_path *p, const struct ana_segment *s)
{
	const struct ana_actor *a = ana_fixture_actor(p, s);
	uint32_t row = a->row != MDL_NONE ? a->row : s->detail.row;

	return g_strdup_printf("%s/%s", qry_host(q, qry_row(q, row)->host)->name, qry_row(q, row)->name);
}

/* The threads in the order of the path; time in the network belongs to none.  Threads with less than MIN
 * ns in sum are left out. */
static GArray *visits_of(struct qry *q, const struct ana_path *p, int64_t min)
{
	GArray *visits = g_array_new(FALSE, TRUE, sizeof(struct visit));

	g_array_set_clear_func(visits, visit_clear);
	for (guint i = 0; i < p->segments->len; i++) {
		const struct ana_segment *s = ana_fixture_segment(p, i);
		char *who = s->kind == ANA_SEG_NETWORK ? NULL : who_of(q, p, s);
		struct visit *last = visits->len ? &g_array_index(visits, struct visit, visits->len - 1)
						 : NULL;

		if (who && (!last || !g_str_equal(last->who, who))) {
			if (last && last->sum < min)
				g_array_set_size(visits, visits->len - 1);
			last = visits->len ? &g_array_index(visits, struct visit, visits->len - 1) : NULL;
			if (!last || !g_str_equal(last->who, who)) {
				g_array_set_size(visits, visits->len + 1);
				last = &g_array_index(visits, struct visit, visits->len - 1);
				last->who = g_strdup(who);
			}
		}
		if (who) {
			last->time[s->kind] += s->to - s->from;
			last->sum += s->to - s->from;
		}
		g_free(who);
	}
	return visits;
}

static const struct visit *visit_at(const GArray *visits, guint i)
{
	g_assert_cmpuint(i, <, visits->len);
	return &g_array_index(visits, struct visit, i);
}

static void check_order(const GArray *visits, const char *expected)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < visits->len; i++)
		g_string_append_printf(text, "%s%s", i ? " " : "", visit_at(visits, i)->who);
	g_assert_cmpstr(text->str, ==, expected);
	g_string_free(text, TRUE);
}

/* Checks each link between hosts. */
static void check_crossings(const struct ana_path *p, const char *name)
{
	for (guint i = 0; i < p->links->len; i++) {
		const struct ana_link *l = &g_array_index(p->links, struct ana_link, i);
		const struct ana_segment *from = ana_fixture_segment(p, l->from),
					 *to = ana_fixture_segment(p, l->to);

		if (l->kind != ANA_LINK_NETWORK || from->kind == ANA_SEG_NETWORK)
			continue;
		g_test_message("%s: link %u", name, i);
		g_assert_cmpint(l->at, <=, to->from); /* earlier if the sender began to wait later */
		g_assert_cmpint(l->arrival, >=, l->at);
		g_assert_cmpint(l->arrival, <=, ana_fixture_end_of_wait(p, l->to));
		g_assert_cmpuint(ana_fixture_actor(p, from)->host, !=, ana_fixture_actor(p, to)->host);
		if (to->kind == ANA_SEG_IRQ) /* its interrupt is older: the rest is the softirq's */
			continue;
		g_assert_cmpint(to->kind, ==, ANA_SEG_NETWORK);
		g_assert_true(to->crossing.crossed);
		g_assert_true(mdl_grade_of(to->crossing.doubts) == MDL_INFERRED ||
			to->crossing.error <= to->to - to->from);
	}
}

/* ---- rpc-chain ---- */

/* The request's path, and its visits of at least 1 ms. */
static struct ana_path *request(struct ana_fixture *f, char what, int number, GArray **visits)
{
	char *begin = g_strdup_printf("request begin %c %d", what, number),
	     *end = g_strdup_printf("request end %c %d", what, number);
	struct ana_path *p = path_between(f, "client/wk-client", begin, end);

	g_test_message("%s", begin);
	check_crossings(p, begin);
	*visits = visits_of(ana_fixture_qry(f), p, MS);
	/* before it asks and after the answer, the client may have less than a millisecond of its own */
	while ((*visits)->len && g_str_equal(visit_at(*visits, 0)->who, "client/wk-client"))
		g_array_remove_index(*visits, 0);
	while ((*visits)->len && g_str_equal(visit_at(*visits, (*visits)->len - 1)->who, "client/wk-client"))
		g_array_set_size(*visits, (*visits)->len - 1);
	g_assert_cmpstr(ana_fixture_actor(p, ana_fixture_segment(p, 0))->name, ==, "wk-client");
	g_assert_cmpstr(ana_fixture_actor(p, ana_fixture_segment(p, p->segments->len - 1))->name, ==,
		"wk-client");
	g_free(begin);
	g_free(end);
	return p;
}

/* The server spins for MS by its clock; interrupts and preemptions add to that, on this slow machine up
 * to 11 ms (the last one of c 2). */
static void check_spin(const struct visit *v, int64_t ms)
{
	g_assert_cmpint(v->sum, >=, ms * MS);
	g_assert_cmpint(v->sum, <=, (ms + 11) * MS);
	g_assert_cmpint(v->time[ANA_SEG_RUNNING] + v->time[ANA_SEG_SYSCALL] + v->time[ANA_SEG_INTERRUPTED],
		>=, ms * MS * 9 / 10);
	g_assert_cmpint(v->time[ANA_SEG_TIMER], ==, 0);
}

static void test_spins(void)
{
	ANA_FIXTURE_OR_SKIP(f, "rpc-chain");

	for (int i = 0; i < 4; i++) {
		GArray *visits;
		struct ana_path *p = request(f, 'h', i, &visits);

		check_order(visits, "httpd/wk-server");
		check_spin(visit_at(visits, 0), 10);
		g_array_unref(visits);
		ana_path_free(p);
	}
}

static void test_sleeps(void)
{
	ANA_FIXTURE_OR_SKIP(f, "rpc-chain");

	for (int i = 0; i < 4; i++) {
		GArray *visits;
		struct ana_path *p = request(f, 's', i, &visits);

		check_order(visits, "httpd/wk-server");
		g_assert_cmpint(visit_at(visits, 0)->time[ANA_SEG_TIMER], >=, 10 * MS);
		g_assert_cmpint(visit_at(visits, 0)->time[ANA_SEG_TIMER], <=, 11 * MS);
		g_array_unref(visits);
		ana_path_free(p);
	}
}

static void test_chains(void)
{
	ANA_FIXTURE_OR_SKIP(f, "rpc-chain");

	for (int i = 0; i < 4; i++) {
		GArray *visits;
		struct ana_path *p = request(f, 'c', i, &visits);

		check_order(visits, "httpd/wk-server db/wk-server httpd/wk-server");
		check_spin(visit_at(visits, 0), 10);
		check_spin(visit_at(visits, 1), 20);
		check_spin(visit_at(visits, 2), 10);
		g_array_unref(visits);
		ana_path_free(p);
	}
}

/* A packet that the path follows back: its sender and time, the time of the card's interrupt, and the
 * time of its reception. */
struct hop {
	const char *sender;
	uint32_t from, to;
	const char *sent, *interrupt, *received;
};

/* The path reached segment AT over the network. */
static void check_link_to(const struct ana_fixture *f, const struct ana_path *p, uint32_t at,
	const struct hop *e)
{
	const struct ana_link *l = NULL;

	for (guint i = 0; i < p->links->len; i++)
		if (g_array_index(p->links, struct ana_link, i).to == at)
			l = &g_array_index(p->links, struct ana_link, i);
	g_assert_nonnull(l);
	g_assert_cmpint(l->kind, ==, ANA_LINK_NETWORK);
	g_assert_cmpuint(l->from, ==, at - 1);
	g_assert_cmpint(l->at, ==, shown(f, e->from, e->sent));
	g_assert_cmpint(l->arrival, ==, shown(f, e->to, e->received));
}

static void check_hop(const struct ana_fixture *f, const struct ana_path *p, const struct hop *e)
{
	int64_t sent = shown(f, e->from, e->sent);
	uint32_t at = ana_fixture_segment_at(p, sent);
	const struct ana_segment *s;

	g_test_message("sent at %s", e->sent);
	g_assert_cmpuint(at, !=, UINT32_MAX);
	g_assert_cmpuint(at, >, 0);
	s = ana_fixture_segment(p, at);
	g_assert_cmpint(s->kind, ==, ANA_SEG_NETWORK);
	g_assert_cmpint(s->from, ==, sent);
	g_assert_cmpint(s->to, ==, shown(f, e->to, e->interrupt));
	g_assert_cmpuint(ana_fixture_actor(p, s)->host, ==, e->to);
	g_assert_cmpuint(ana_fixture_actor(p, s - 1)->row, ==, ana_fixture_find(f, e->sender));
	check_link_to(f, p, at, e);
}

static void test_chain_by_hand(void)
{
	static const struct hop question = { "client/wk-client", CLIENT, HTTPD, "10:05:51.250794223",
		"10:11:16.184107051", "10:11:16.184223028" };
	static const struct hop hops[] = {
		{ "httpd/wk-server", HTTPD, CLIENT, "10:11:16.234256290", "10:05:51.301531112",
			"10:05:51.301611754" },
		{ "db/wk-server", DB, HTTPD, "10:11:00.305805877", "10:11:16.222616491",
			"10:11:16.222789122" },
	};
	ANA_FIXTURE_OR_SKIP(f, "rpc-chain");
	struct ana_path *p = path_between(f, "client/wk-client", "request begin c 0", "request end c 0");
	const struct ana_segment *s;

	for (size_t i = 0; i < G_N_ELEMENTS(hops); i++)
		check_hop(f, p, &hops[i]);
	/* httpd's server read the request at 10:11:16.184673465; the client waited since 10:05:51.250865541
	 */
	s = ana_fixture_segment(p, ana_fixture_segment_at(p, shown(f, HTTPD, "10:11:16.184673465")));
	g_assert_cmpint(s->from, ==, shown(f, HTTPD, "10:11:16.184673465"));
	g_assert_cmpuint(ana_fixture_actor(p, s)->row, ==, ana_fixture_find(f, "httpd/wk-server"));
	s = ana_fixture_segment(p, ana_fixture_segment_at(p, ana_fixture_at("10:05:51.250865541")));
	g_assert_cmpint(s->from, ==, ana_fixture_at("10:05:51.250865541"));
	g_assert_cmpint(s->kind, ==, ANA_SEG_NETWORK);
	g_assert_cmpuint(ana_fixture_actor(p, s)->host, ==, HTTPD);
	check_link_to(f, p, ana_fixture_segment_at(p, ana_fixture_at("10:05:51.250865541")), &question);
	ana_path_free(p);
}

static void test_sleep_by_hand(void)
{
	static const struct hop reply = { "httpd/wk-server", HTTPD, CLIENT, "10:11:16.178346575",
		"10:05:51.245726078", "10:05:51.245848563" };
	ANA_FIXTURE_OR_SKIP(f, "rpc-chain");
	struct ana_path *p = path_between(f, "client/wk-client", "request begin s 0", "request end s 0");
	const struct ana_segment *s;

	check_hop(f, p, &reply);
	s = ana_fixture_segment(p, ana_fixture_segment_at(p, shown(f, HTTPD, "10:11:16.170000000")));
	g_assert_cmpint(s->kind, ==, ANA_SEG_TIMER);
	g_assert_cmpint(s->from, ==, shown(f, HTTPD, "10:11:16.167664904"));
	/* It was due, by the clock of its own host. */
	g_assert_cmpint(s->to, ==, shown(f, HTTPD, "10:11:16.177677302"));
	g_assert_cmpint(s[1].kind, ==, ANA_SEG_TIMER_LATE);
	g_assert_cmpint(s[1].to, ==, shown(f, HTTPD, "10:11:16.177759520")); /* it expired */
	g_assert_cmpint(s[2].kind, ==, ANA_SEG_TIMER);
	g_assert_cmpint(s[2].to, ==, shown(f, HTTPD, "10:11:16.177766890"));
	ana_path_free(p);
}

/* The client's wait for the reply to h 0, step by step. */
static void test_why(void)
{
	ANA_FIXTURE_OR_SKIP(f, "rpc-chain");
	struct qry *q = ana_fixture_qry(f);
	uint32_t row = ana_fixture_find(f, "client/wk-client"), origin;
	int64_t sent = shown(f, HTTPD, "10:11:16.154173195"), time;
	const struct ana_why_hop *hop;
	const struct ana_evidence *e;
	struct mdl_wakeup w;
	struct ana_why *why;

	g_assert_true(qry_wakeup_at(q, row, ana_fixture_at("10:05:51.222171364"), &w));
	why = ana_why_new(q, row, &w);
	g_assert_cmpint(why->source.kind, ==, ANA_KIND_NETWORK);
	hop = &g_array_index(why->hops, struct ana_why_hop, 0);
	g_assert_cmpstr(hop->label, ==, "thread httpd/wk-server[492]");
	g_assert_cmpstr(hop->text, ==, "sent the packet");
	g_assert_cmpuint(hop->host, ==, HTTPD);
	g_assert_cmpuint(hop->cpu, ==, 1);
	g_assert_cmpuint(hop->row, ==, ana_fixture_find(f, "httpd/wk-server"));
	g_assert_cmpint(hop->from, ==, sent);
	e = &g_array_index(why->evidence, struct ana_evidence, hop->first_evidence);
	g_assert_cmpstr(e->event, ==, "net_dev_queue");
	g_assert_cmpuint(e->host, ==, HTTPD);
	g_assert_cmpint(e->time, ==, sent);
	hop++;
	g_assert_cmpstr(hop->label, ==, "packet 10.9.1.2:7000 > 10.9.1.1:52978 seq 697983221");
	g_assert_true(g_str_has_prefix(hop->text, "53 bytes on eth1, from httpd/wk-server[492], "));
	g_assert_nonnull(strstr(hop->text, " on the way ± "));
	g_assert_cmpuint(hop->host, ==, CLIENT);
	g_assert_cmpint(hop->from, ==, sent);
	g_assert_cmpint(hop->to, ==, ana_fixture_at("10:05:51.221980666"));
	e = &g_array_index(why->evidence, struct ana_evidence, hop->first_evidence);
	g_assert_cmpstr(e->event, ==, "net_if_receive_skb");
	g_assert_cmpuint(e->host, ==, CLIENT);
	g_assert_true(ana_source_origin(q, &why->source, &origin, &time));
	g_assert_cmpuint(origin, ==, ana_fixture_find(f, "httpd/wk-server"));
	g_assert_cmpint(time, ==, sent);
	ana_why_free(why);
}

/* ---- packets that came while others were polled ---- */

/* A wait for a packet, by hand: times are of the receiver's clock, except SENT.  ENTRY: of the first
 * context of its chain that began after the packet left. */
struct poll {
	const char *waiter, *sender;
	uint32_t to, from;
	const char *asleep, *sent, *entry, *woken;
};

/* Its path is on the way until ENTRY, which is not proved, and then the softirq's; it shows no older
 * event. */
static void check_poll(struct ana_fixture *f, const struct poll *e)
{
	struct qry *q = ana_fixture_qry(f);
	int64_t asleep = shown(f, e->to, e->asleep), woken = shown(f, e->to, e->woken),
		sent = shown(f, e->from, e->sent), entry = shown(f, e->to, e->entry);
	uint32_t row = ana_fixture_find(f, e->waiter), at;
	const struct ana_segment *s;
	struct mdl_wakeup w;
	struct ana_path *p;
	struct ana_why *why;

	g_test_message("%s woken at %s", e->waiter, e->woken);
	g_assert_cmpint(sent, <, entry);
	p = ana_path_new(q, row, asleep, woken, NULL, NULL);
	at = ana_fixture_segment_at(p, entry - 1);
	s = ana_fixture_segment(p, at);
	g_assert_cmpint(s->kind, ==, ANA_SEG_NETWORK);
	g_assert_cmpint(s->from, ==, MAX(asleep, sent));
	g_assert_cmpint(s->to, ==, entry);
	g_assert_cmpint(mdl_grade_of(s->crossing.doubts), ==, MDL_INFERRED);
	g_assert_cmpint(s[1].kind, ==, ANA_SEG_IRQ);
	g_assert_cmpint(s[1].to, ==, woken);
	g_assert_cmpuint(at + 2, ==, p->segments->len);
	g_assert_true(qry_wakeup_at(q, row, woken, &w));
	why = ana_why_new(q, row, &w);
	g_assert_cmpint(why->source.kind, ==, ANA_KIND_NETWORK);
	g_assert_cmpuint(why->chain.n, ==, 1);
	g_assert_cmpint(why->chain.hops[0].act.entry, ==, entry);
	for (guint i = 0; i < why->evidence->len; i++) {
		const struct ana_evidence *evidence = &g_array_index(why->evidence, struct ana_evidence, i);

		g_assert_cmpint(evidence->time, >=, sent);
	}
	ana_why_free(why);
	ana_path_free(p);
}

/*
 * CPU 0 of db receives a packet that httpd sent at 10:11:16.468477772, which is 10:11:00.551925 of db's clock:
 *
 *   10:11:00.550454811 irq_handler_entry irq = 30, name = "virtio1-input.0"
 *   10:11:00.550518904 irq_softirq_entry vec = 3
 *   10:11:00.552096559 irq_handler_entry irq = 30 (ret = 1, raises nothing)
 *   10:11:00.552123739 irq_softirq_raise vec = 3
 *   10:11:00.552143988 irq_softirq_exit vec = 3
 *   10:11:00.552147784 irq_softirq_entry vec = 3
 *   10:11:00.552265265 net_if_receive_skb seq = 1960452851
 *   10:11:00.552537984 sched_waking tid = 412
 */
static void test_polled(void)
{
	static const struct poll wait = { "db/412", "httpd/wk-server", DB, HTTPD, "10:11:00.487512909",
		"10:11:16.468477772", "10:11:00.552147784", "10:11:00.552537984" };
	ANA_FIXTURE_OR_SKIP(f, "rpc-chain");

	check_poll(f, &wait);
}

/*
 * CPU 1 of httpd receives a packet that db sent at 10:11:43.481255621, which is 10:11:59.402047 of httpd's clock:
 *
 *   10:11:59.395476757 irq_handler_entry irq = 34, name = "virtio2-input.0"
 *   10:11:59.395485518 irq_softirq_entry vec = 3
 *   10:11:59.402419594 irq_handler_entry irq = 34 (ret = 1, raises nothing)
 *   10:11:59.402431725 irq_softirq_raise vec = 3
 *   10:11:59.402439155 irq_softirq_exit vec = 3
 *   10:11:59.402474537 irq_softirq_entry vec = 3 (ksoftirqd/1)
 *   10:11:59.402507649 net_if_receive_skb check = 17818
 *   10:11:59.402530950 sched_waking tid = 893
 *
 * CPU 0 of db receives a packet that httpd sent at 10:11:59.450250724, which is 10:11:43.529454 of db's clock:
 *
 *   10:11:43.529320963 irq_handler_entry irq = 31, name = "virtio1-output.0"
 *   10:11:43.529323487 irq_softirq_raise vec = 3
 *   10:11:43.529508958 irq_softirq_entry vec = 3
 *   10:11:43.529552742 irq_handler_entry irq = 30, name = "virtio1-input.0"
 *   10:11:43.529583226 net_if_receive_skb
 *   10:11:43.529599780 sched_waking tid = 411
 */
static void test_polled_django(void)
{
	static const struct poll waits[] = {
		{ "httpd/893", "db/411", HTTPD, DB, "10:11:59.402314768", "10:11:43.481255621",
			"10:11:59.402474537", "10:11:59.402530950" },
		{ "db/411", "httpd/893", DB, HTTPD, "10:11:43.529311579", "10:11:59.450250724",
			"10:11:43.529508958", "10:11:43.529599780" },
	};
	ANA_FIXTURE_OR_SKIP(f, "django");

	for (size_t i = 0; i < G_N_ELEMENTS(waits); i++)
		check_poll(f, &waits[i]);
}

/* ---- django ---- */

/* db's ksoftirqd receives what postgres[736] waits for at 10:11:38.380898748; apache2[441] had sent it. */
static void test_ksoftirqd(void)
{
	ANA_FIXTURE_OR_SKIP(f, "django");
	struct qry *q = ana_fixture_qry(f);
	uint32_t row = ana_fixture_find(f, "db/736"), origin;
	struct ana_source source;
	struct mdl_wakeup w;
	int64_t time;

	g_assert_true(qry_wakeup_at(q, row, shown(f, DB, "10:11:38.381009811"), &w));
	source = ana_source_of(q, row, &w);
	g_assert_cmpint(source.kind, ==, ANA_KIND_NETWORK);
	g_assert_cmpint(mdl_grade_of(source.doubts), ==, MDL_PROVED);
	g_assert_true(ana_source_origin(q, &source, &origin, &time));
	g_assert_cmpuint(origin, ==, ana_fixture_find(f, "httpd/441"));
	g_assert_cmpint(time, ==, shown(f, HTTPD, "10:11:54.297793765"));
}

/* The names of hosts and programs in order: a web server passes a request on to its own threads, a
 * database to its workers. */
static char *programs_of(const GArray *visits)
{
	GString *text = g_string_new(NULL);
	const char *last = "";

	for (guint i = 0; i < visits->len; i++) {
		const char *who = visit_at(visits, i)->who;

		if (g_str_equal(who, last))
			continue;
		g_string_append_printf(text, "%s%s", text->len ? " " : "", who);
		last = who;
	}
	return g_string_free(text, FALSE);
}

static struct ana_path *http(struct ana_fixture *f, const char *what, int number)
{
	char *begin = g_strdup_printf("http begin %s %d", what, number),
	     *end = g_strdup_printf("http end %s %d", what, number);
	struct ana_path *p = path_between(f, "client/641", begin, end);

	g_test_message("%s", begin);
	check_crossings(p, begin);
	g_free(begin);
	g_free(end);
	return p;
}

/* Each request goes from the client to Apache, from there at least once to the database and back, and to the
 * client. */
static void test_django(void)
{
	static const char *const requests[] = { "get-form", "post-vote", "get-results" };
	ANA_FIXTURE_OR_SKIP(f, "django");

	for (size_t r = 0; r < G_N_ELEMENTS(requests); r++) {
		for (int i = 0; i < 3; i++) {
			struct ana_path *p = http(f, requests[r], i);
			GArray *visits = visits_of(ana_fixture_qry(f), p, MS);
			char *programs = programs_of(visits);

			g_test_message("%s", programs);
			g_assert_true(g_regex_match_simple(
				"^client/python3( httpd/apache2 db/postgres)+ httpd/apache2( client/python3)?$",
				programs, 0, 0));
			g_free(programs);
			g_array_unref(visits);
			ana_path_free(p);
		}
	}
}

/* A vote's database process waited for its disk: [FROM, TO) by the clock of db, up to the disk's
 * interrupt. */
static void check_commit(const struct ana_fixture *f, const struct ana_path *p, const char *from,
	const char *to, enum ana_segment_kind kind, const char *how)
{
	uint32_t at = ana_fixture_segment_at(p, shown(f, DB, from));
	const struct ana_segment *s = ana_fixture_segment(p, at);
	char *detail = ana_path_detail(ana_fixture_qry(f), s), *who = who_of(ana_fixture_qry(f), p, s);

	g_test_message("at %s: %s", from, detail);
	g_assert_cmpint(s->kind, ==, kind);
	g_assert_cmpint(s->from, ==, shown(f, DB, from));
	g_assert_cmpint(s->to, ==, shown(f, DB, to));
	g_assert_cmpstr(who, ==, "db/postgres");
	g_assert_true(g_str_has_prefix(detail, how));
	g_free(detail);
	g_free(who);
}

/*
 * The commit writes the log and flushes it.  Here the disk is faster than the process falls asleep, except
 * three times: the writes of the second and third vote, and the third's flush.  In the first one postgres was
 * only preempted by the worker that sent the flush.
 */
static void test_commit(void)
{
	ANA_FIXTURE_OR_SKIP(f, "django");
	struct ana_path *p = http(f, "post-vote", 0);
	const struct ana_segment *s = ana_fixture_segment(p,
		ana_fixture_segment_at(p, shown(f, DB, "10:11:37.652494130")));

	g_assert_cmpint(s->kind, ==, ANA_SEG_PREEMPTED);
	g_assert_cmpint(s->from, ==, shown(f, DB, "10:11:37.652494130"));
	g_assert_cmpuint(ana_fixture_actor(p, s)->row, ==, ana_fixture_find(f, "db/732"));
	ana_path_free(p);
	p = http(f, "post-vote", 1);
	check_commit(f, p, "10:11:38.515754320", "10:11:38.515789992", ANA_SEG_BLOCK,
		"in the device: write of vda, 8.0 KiB");
	ana_path_free(p);
	p = http(f, "post-vote", 2);
	check_commit(f, p, "10:11:39.383432947", "10:11:39.384185737", ANA_SEG_BLOCK,
		"in the device: write of vda, 8.0 KiB");
	check_commit(f, p, "10:11:39.384611859", "10:11:39.384662533", ANA_SEG_FLUSH,
		"in the flush before: flush of vda");
	ana_path_free(p);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/path-hosts/spins", test_spins);
	g_test_add_func("/path-hosts/sleeps", test_sleeps);
	g_test_add_func("/path-hosts/chains", test_chains);
	g_test_add_func("/path-hosts/chain-by-hand", test_chain_by_hand);
	g_test_add_func("/path-hosts/sleep-by-hand", test_sleep_by_hand);
	g_test_add_func("/path-hosts/why", test_why);
	g_test_add_func("/path-hosts/polled", test_polled);
	g_test_add_func("/path-hosts/polled-django", test_polled_django);
	g_test_add_func("/path-hosts/ksoftirqd", test_ksoftirqd);
	g_test_add_func("/path-hosts/django", test_django);
	g_test_add_func("/path-hosts/commit", test_commit);
	return ana_fixture_run();
}
