/* SPDX-License-Identifier: MIT */
/* The forms in which programs write the begins and ends of their phases. */
#include "analysis/latency/mark.h"

#include <glib.h>
#include <string.h>

static const char *const letters = "-BEIC";

/* "B name/key", "Ep /cookie": what, "p" if it is of the process, name and key. */
static char *told(struct ana_mark p)
{
	GString *s = g_string_new(NULL);

	g_string_append_c(s, letters[p.what]);
	if (p.what == ANA_MARK_NONE)
		return g_string_free(s, FALSE);
	g_string_append_printf(s, "%s %.*s/%.*s", p.of_process ? "p" : "", (int)p.name.length,
		p.name.at ? p.name.at : "", (int)p.key.length, p.key.at ? p.key.at : "");
	if (p.what == ANA_MARK_COUNTER)
		g_string_append_printf(s, "=%g", p.value);
	return g_string_free(s, FALSE);
}

static void test_texts(void)
{
	static const struct {
		const char *text, *told;
	} cases[] = {
		/* ATRACE */
		{ "B|519|request 17", "B request/17" },
		{ "B|519|draw", "B draw/" },
		{ "B|519|a|b", "B a|b/" },
		{ "B|519|request#17", "B request/17" },
		{ "B|519|request-17", "B request/17" },
		{ "B|519|request: 17", "B request/17" },
		{ "B|519|request(17)", "B request/17" },
		{ "B|519|request[0x17]", "B request[0x17]/" },
		{ "B|519|17: read it", "B read it/17" },
		{ "B|519|id=17 read", "B read/id=17" },
		{ "B|519|17", "B 17/" },
		{ "B|519|phase1", "B phase1/" },
		{ "B|519|step_2", "B step_2/" },
		{ "B|519|GET /index.html", "B GET /index.html/" },
		{ "B|519|#17", "B #17/" },
		{ "E|519", "E /" },
		{ "E", "E /" },
		{ "E|519 request 0 fast", "E /" },
		{ "S|1|upload|77", "Bp upload/77" },
		{ "F|1|upload|77", "Ep upload/77" },
		{ "G|1|net|upload|77", "Bp upload/77" },
		{ "H|1|net|77", "Ep /77" },
		{ "H|1|net|upload|77", "Ep upload/77" },
		{ "C|1|queue|12", "C queue/=12" },
		{ "C|1|load|-1.5", "C load/=-1.5" },
		{ "C|1|queue|much", "-" },
		{ "C|1|queue", "-" },
		{ "I|1|vsync", "I vsync/" },
		{ "N|1|net|retry 3", "I retry/3" },
		{ "B|519|", "-" },
		{ "B", "-" },
		{ "S|1||7", "-" },
		{ "H|1|net|", "-" },
		/* words */
		{ "compute begin rank 2 round 0 for 9 ms", "B compute/rank 2 round 0 for 9 ms" },
		{ "compute end rank 2 round 0", "E compute/rank 2 round 0" },
		{ "request 17 begin", "B request/17" },
		{ "BEGIN frame 3", "B frame/3" },
		{ "start: load", "B load/" },
		{ "load done: 5 files", "E load/5 files" },
		{ "begin 17", "B 17/" },
		{ "order id=5 start", "B order/id=5" },
		{ "pipeline end 0", "E pipeline/0" },
		{ "request_begin id=7", "B request/id=7" },
		{ "request_end: 7 slow", "E request/7 slow" },
		{ "[17] begin compute", "B compute/[17]" },
		{ "load started", "B load/" },
		{ "load finished", "E load/" },
		{ "begin", "-" },
		{ "begin_ with", "-" },
		{ "to be or to end it here", "-" },
		{ "hello", "-" },
		{ "", "-" },
		{ "   ", "-" },
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		/* Not NUL-terminated: each byte after the text is out of bounds. */
		g_autofree char *exact = g_memdup2(cases[i].text, MAX(strlen(cases[i].text), 1));
		g_autofree char *got = told(ana_mark_of_text(exact, strlen(cases[i].text)));

		g_test_message("%s", cases[i].text);
		g_assert_cmpstr(got, ==, cases[i].told);
	}
	/* A NUL is no letter of ATRACE. */
	g_assert_cmpint(ana_mark_of_text("\0|1|x", 6).what, ==, ANA_MARK_NONE);
}

static void test_names(void)
{
	static const struct {
		const char *name, *told;
	} cases[] = {
		{ "wx:req_begin", "B wx:req/" },
		{ "wx:req_end", "E wx:req/" },
		{ "app:loadStart", "B app:load/" },
		{ "app:LOAD_STOP", "E app:LOAD/" },
		{ "lttng_ust_cyg_profile:func_entry", "B lttng_ust_cyg_profile:func/" },
		{ "probe_a:work__return", "E probe_a:work/" },
		{ "probe_a:work_ret", "E probe_a:work/" },
		{ "probe_a:work", "-" },
		{ "wx:begin", "-" },
		{ "begin", "-" },
		{ "wx:send", "-" },
		{ "wx:restart", "-" },
		{ "wx:req_7", "-" },
		{ "", "-" },
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *got = told(ana_mark_of_name(cases[i].name));

		g_test_message("%s", cases[i].name);
		g_assert_cmpstr(got, ==, cases[i].told);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/phase/texts", test_texts);
	g_test_add_func("/phase/names", test_names);
	return g_test_run();
}
