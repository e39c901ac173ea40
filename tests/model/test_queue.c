/* SPDX-License-Identifier: MIT */
/* Rows of block devices: how many requests are in flight, how many wait. */
#include "model/mdl_feed.h"

#define BEGIN "100 0 switch 0 0 10 idle a"
#define END "900 0 switch 10 2 0 a idle", NULL

static void expect(const char *const *events, const char *intervals)
{
	struct mdl_feed *f = mdl_feed_new("6.1.0-50-amd64", events);

	mdl_feed_expect(f, "dev1", intervals);
	mdl_feed_free(f);
}

static void test_two(void)
{
	static const char *const events[] = { BEGIN, "110 0 bio 1 800 8 1", "111 0 get 1 800 8 1",
		"112 0 get 1 900 8 1", "113 0 insert 1 900 8 1 4096", "115 0 issue 1 800 8 1 4096",
		"116 0 issue 1 900 8 1 4096", "120 0 requeue 1 900 8 1", "121 0 issue 1 900 8 1 4096",
		"130 0 complete 1 800 8 1", "140 0 complete 1 900 8 1", END };

	expect(events,
		"0-111 unknown, 111-112 queued(0+1), 112-115 queued(0+2), 115-116 in-flight(1+1), "
		"116-120 in-flight(2+0), 120-121 in-flight(1+1), 121-130 in-flight(2+0), "
		"130-140 in-flight(1+0), 140-900 idle");
}

/* Two requests are merged and complete in two pieces. */
static void test_merged(void)
{
	static const char *const events[] = { BEGIN, "111 0 get 1 800 8 1", "113 0 get 1 808 8 1",
		"116 0 mergerq 1 808 8 1 4096", "117 0 issue 1 800 16 1 8192", "130 0 complete 1 800 8 1",
		"140 0 complete 1 808 8 1", END };

	expect(events,
		"0-111 unknown, 111-113 queued(0+1), 113-116 queued(0+2), 116-117 queued(0+1), "
		"117-140 in-flight(1+0), 140-900 idle");
}

/* A request present from the begin, unrecorded: issued or created before the trace. */
static void test_before(void)
{
	static const char *const issued[] = { BEGIN, "110 0 get 1 900 8 1", "111 0 issue 1 900 8 1 4096",
		"115 0 complete 1 900 8 1", "120 0 complete 1 800 8 1", "130 0 get 1 700 8 1",
		"131 0 issue 1 700 8 1 4096", "140 0 complete 1 700 8 1", END };
	static const char *const made[] = { BEGIN, "110 0 get 1 900 8 1", "111 0 issue 1 900 8 1 4096",
		"115 0 complete 1 900 8 1", "120 0 issue 1 800 8 1 4096", "130 0 complete 1 800 8 1", END };

	expect(issued,
		"0-120 unknown, 120-130 idle, 130-131 queued(0+1), 131-140 in-flight(1+0), 140-900 idle");
	expect(made, "0-120 unknown, 120-130 in-flight(1+0), 130-900 idle");
}

/* If one of its ends is missing, nothing is known; without its creation it never counts as queued. */
static void test_not_recorded(void)
{
	static const char *const no_end[] = { BEGIN, "110 0 get 1 900 8 1", "111 0 issue 1 900 8 1 4096",
		END };
	static const char *const no_issue[] = { BEGIN, "110 0 get 1 900 8 1", "120 0 complete 1 900 8 1",
		END };
	static const char *const no_get[] = { BEGIN, "111 0 issue 1 900 8 1 4096", "120 0 complete 1 900 8 1",
		"130 0 issue 1 800 8 1 4096", "140 0 complete 1 800 8 1", END };

	expect(no_end, "0-900 unknown");
	expect(no_issue, "0-900 unknown");
	expect(no_get,
		"0-111 unknown, 111-120 in-flight(1+0), 120-130 idle, 130-140 in-flight(1+0), 140-900 idle");
}

/* A request present when events are lost may have ended unrecorded. */
static void test_gap(void)
{
	static const char *const events[] = { BEGIN, "105 0 get 1 600 8 1", "106 0 issue 1 600 8 1 4096",
		"107 0 complete 1 600 8 1", "110 0 get 1 800 8 1", "111 0 issue 1 800 8 1 4096",
		"120 0 get 1 900 8 1", "121 0 issue 1 900 8 1 4096", "150 0 gap", "200 0 gapend 150",
		"210 0 switch 10 0 11", "250 0 complete 1 800 8 1", "260 0 get 1 700 8 1",
		"261 0 issue 1 700 8 1 4096", "270 0 complete 1 700 8 1", "900 0 switch 11 0 0", NULL };

	expect(events,
		"0-105 unknown, 105-106 queued(0+1), 106-107 in-flight(1+0), 107-110 idle, 110-111 queued(0+1), 111-120 in-flight(1+0), 120-121 in-flight(1+1), "
		"121-150 in-flight(2+0), 150-250 unknown, 250-260 idle, 260-261 queued(0+1), "
		"261-270 in-flight(1+0), 270-900 idle");
}

/* Flushes have no sectors. Requests of a driver itself have none when issued, but their completion may count
 * their data as sectors. */
static void test_no_sectors(void)
{
	static const char *const flush[] = { BEGIN, "110 0 get 1 0 0 1025", "112 0 issue 1 0 0 1280 0",
		"130 0 complete 1 -1 0 1280", "131 0 complete 1 0 0 33", END };
	static const char *const command[] = { BEGIN, "112 0 issue 1 0 0 0 4096", "130 0 complete 1 -1 8 0",
		END };

	expect(flush,
		"0-110 unknown, 110-112 queued(0+1), 112-130 in-flight(1+1), 130-131 queued(0+1), "
		"131-900 idle");
	expect(command, "0-112 unknown, 112-130 in-flight(1+0), 130-900 idle");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/queue/two", test_two);
	g_test_add_func("/queue/merged", test_merged);
	g_test_add_func("/queue/before", test_before);
	g_test_add_func("/queue/not-recorded", test_not_recorded);
	g_test_add_func("/queue/gap", test_gap);
	g_test_add_func("/queue/no-sectors", test_no_sectors);
	return g_test_run();
}
