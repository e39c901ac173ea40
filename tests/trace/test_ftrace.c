/* SPDX-License-Identifier: MIT */
/* Pages of the kernel's ring buffer and formats of events, made by hand (include/linux/ring_buffer.h,
 * kernel/trace/ring_buffer.c); whole files are in tests/app/ftrace.t. */
#include "trace/ftrace/trc_ftrace_pages.h"

#include "base/base_time.h"
#include "model/mdl_event.h"

#include <string.h>

#define PAGE 128

/* A stream of pages that is put together number by number. */
struct made {
	uint8_t bytes[4 * PAGE];
	unsigned at;
	bool big;
};

static void put(struct made *m, uint64_t number, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		m->bytes[m->at + (m->big ? n - 1 - i : i)] = (uint8_t)(number >> 8 * i);
	m->at += n;
}

static void put_record(struct made *m, unsigned type, uint32_t delta)
{
	put(m, m->big ? (uint64_t)type << 27 | delta : (uint64_t)delta << 5 | type, 4);
}

/* The times of all records of the pages, "TIME:first byte"; "!" behind a damaged page, "lost N" before it. */
static char *read_all(const struct made *m, unsigned pages)
{
	struct trc_ftrace_head h = { .bytes = { .data = m->bytes, .size = pages * PAGE, .big = m->big },
		.long_size = 8 };
	struct trc_ftrace_stream s = { .size = pages * PAGE, .page_size = PAGE };
	struct trc_ftrace_pages *p = trc_ftrace_pages_new(&h, &s);
	GString *text = g_string_new(NULL);
	struct trc_ftrace_page page;
	struct trc_ftrace_record record;
	bool cut;

	while (trc_ftrace_pages_next(p, &page, &cut)) {
		if (page.has_lost)
			g_string_append_printf(text, "lost %u ", (unsigned)page.lost);
		while (trc_ftrace_page_next(&page, &record))
			g_string_append_printf(text, "%" G_GUINT64_FORMAT ":%u/%u ", (guint64)record.time,
				record.data.data[0], (unsigned)record.data.size);
		g_string_append(text, page.damaged ? "! " : "| ");
	}
	trc_ftrace_pages_free(p);
	return g_string_free(text, FALSE);
}

static void make(struct made *m)
{
	put(m, 1000, 8); /* the page began */
	put(m, 68, 8);   /* bytes of records */
	put_record(m, 2, 5);
	put(m, 0x0707070707070707, 8);
	put_record(m, 30, 3); /* time goes on by 2 << 27, plus 3 */
	put(m, 2, 4);
	put_record(m, 0, 1); /* its length stands behind: with itself 13 bytes, so 12 of data */
	put(m, 13, 4);
	put(m, 0x0808080808080808, 8);
	put(m, 0x08080808, 4);
	put_record(m, 29, 4); /* taken back: 8 bytes behind its head */
	put(m, 8, 4);
	put(m, 0, 4);
	put_record(m, 31, 9); /* the time is 1 << 40 and 9 */
	put(m, UINT64_C(1) << 13, 4);
	put_record(m, 1, 1);
	put(m, 0x09090909, 4);
	put_record(m, 29, 0); /* the rest of the page is empty */
	m->at = PAGE;
	put(m, 2000, 8);
	put(m, 8 | UINT64_C(1) << 31 | UINT64_C(1) << 30, 8);
	put_record(m, 1, 0);
	put(m, 0x0a0a0a0a, 4);
	put(m, 33, 8); /* so many were lost before this page */
	m->at = 2 * PAGE;
	put(m, 3000, 8);
	put(m, 12, 8);
	put_record(m, 1, 7);
	put(m, 0x0b0b0b0b, 4);
	put_record(m, 9, 7); /* says more than there is */
	m->at = 3 * PAGE;
	put(m, 4000, 8);
	put(m, PAGE, 8); /* the same */
	put_record(m, 29, 0);
}

static void test_pages(void)
{
	static const char want[] =
		"1005:7/8 268436465:8/12 1099511627786:9/4 | lost 33 2000:10/4 | 3007:11/4 ! ! ";
	struct made little = { .big = false }, big = { .big = true };
	char *text;

	make(&little);
	text = read_all(&little, 4);
	g_assert_cmpstr(text, ==, want);
	g_free(text);
	make(&big);
	text = read_all(&big, 4);
	g_assert_cmpstr(text, ==, want);
	g_free(text);
}

static void test_formats(void)
{
	static const char format[] = "name: made\nID: 316\nformat:\n"
				     "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
				     "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
				     "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
				     "\tfield:long prev_state;\toffset:24;\tsize:8;\tsigned:1;\n"
				     "\tfield:__data_loc char[] name;\toffset:32;\tsize:4;\tsigned:0;\n"
				     "\tfield:__rel_loc u32[] numbers;\toffset:36;\tsize:4;\tsigned:0;\n"
				     "\tfield:unsigned long args[6];\toffset:40;\tsize:48;\tsigned:0;\n"
				     "\tfield:void * function;\toffset:88;\tsize:8;\tsigned:0;\n"
				     "\tfield:int broken;\toffset:99999999;\tsize:4;\tsigned:1;\n"
				     "\nprint fmt: \"field:int no;\toffset:0;\tsize:4;\", REC->x\n";
	struct trc_budget budget = trc_budget_of(0);
	struct trc_formats formats = trc_formats_new(&budget);
	const struct trc_format_event *e;
	const struct trc_format_field *f;

	g_assert_true(trc_formats_add(&formats, "sys", format, strlen(format)));
	g_assert_false(trc_formats_add(&formats, "sys", "name: x\nID: 70000\n", 18));
	g_assert_false(trc_formats_add(&formats, "sys", "", 0));
	e = g_hash_table_lookup(formats.events, GUINT_TO_POINTER(316));
	g_assert_cmpstr(e->name, ==, "sys:made");
	g_assert_cmpuint(e->fields->len, ==, 8);
	f = trc_format_event_field(e, "common_pid");
	g_assert_true(f->is_common && f->is_signed && f->shape == TRC_FORMAT_NUMBER && f->offset == 4);
	f = trc_format_event_field(e, "prev_comm");
	g_assert_true(!f->is_common && f->shape == TRC_FORMAT_TEXT && f->size == 16);
	f = trc_format_event_field(e, "prev_state");
	g_assert_true(f->shape == TRC_FORMAT_NUMBER && f->element == 8 && f->is_signed);
	g_assert_cmpint(trc_format_event_field(e, "name")->shape, ==, TRC_FORMAT_LOC_TEXT);
	f = trc_format_event_field(e, "numbers");
	g_assert_true(f->shape == TRC_FORMAT_LOC_ARRAY && f->is_relative && f->element == 4);
	f = trc_format_event_field(e, "args");
	g_assert_true(f->shape == TRC_FORMAT_ARRAY && f->element == 8);
	g_assert_true(trc_format_event_field(e, "function")->is_pointer);
	g_assert_null(trc_format_event_field(e, "no"));
	trc_formats_free(&formats);
}

static const char now[] =
	"print fmt: \"%s%s\", (REC->prev_state & ((((0x00000000 | 0x00000001 | 0x00000040) + 1) << 1) - 1)) ? "
	"__print_flags(REC->prev_state & ((((0x00000000 | 0x00000001 | 0x00000040) + 1) << 1) - 1), \"|\", "
	"{ 0x00000001, \"S\" }, { 0x00000002, \"D\" }, { 0x00000010, \"X\" }, { 0x00000080, \"I\" }) : \"R\", "
	"REC->prev_state & (((0x00000000 | 0x00000001 | 0x0000007e | 0x00000040) + 1) << 1) ? \"+\" : \"\", REC->next_pid";
/* Linux 4.4 */
static const char then[] =
	"print fmt: \"%s%s\", REC->prev_state & (2048-1) ? __print_flags(REC->prev_state & (2048-1), \"|\", { 1, \"S\"} , "
	"{ 2, \"D\" }, { 16, \"Z\" }, { 32, \"X\" }, { 64, \"x\" }, { 128, \"K\" }, { 256, \"W\" }, { 512, \"P\" }, "
	"{ 1024, \"N\" }) : \"R\", REC->prev_state & 2048 ? \"+\" : \"\"";

/* The bits of prev_state are those that the format names. */
static void test_states(void)
{
	struct trc_format_states *s = trc_format_states_new(now);

	g_assert_nonnull(s);
	g_assert_cmphex((uint64_t)trc_format_states_read(s, 0), ==, 0);
	g_assert_cmphex((uint64_t)trc_format_states_read(s, 0x100), ==, MDL_PREV_PREEMPTED);
	g_assert_cmphex((uint64_t)trc_format_states_read(s, 2), ==, MDL_PREV_UNINTERRUPTIBLE);
	g_assert_cmphex((uint64_t)trc_format_states_read(s, 0x80), ==, MDL_PREV_IDLE);
	g_assert_cmphex((uint64_t)trc_format_states_read(s, 0x1000), ==, MDL_PREV_UNKNOWN);
	g_free(s);
	s = trc_format_states_new(then);
	g_assert_nonnull(s);
	g_assert_cmphex((uint64_t)trc_format_states_read(s, 2048), ==, MDL_PREV_PREEMPTED);
	g_assert_cmphex((uint64_t)trc_format_states_read(s, 256), ==, MDL_PREV_UNKNOWN);
	g_assert_cmphex((uint64_t)trc_format_states_read(s, 64), ==, MDL_PREV_DEAD);
	g_assert_cmphex((uint64_t)trc_format_states_read(s, 512), ==, MDL_PREV_PARKED);
	g_assert_cmphex((uint64_t)trc_format_states_read(s, 128 | 2), ==,
		MDL_PREV_UNINTERRUPTIBLE | MDL_PREV_KILLABLE);
	g_assert_cmphex((uint64_t)trc_format_states_read(s, 1024 | 2), ==,
		MDL_PREV_UNINTERRUPTIBLE | MDL_PREV_IDLE);
	g_free(s);
	g_assert_null(trc_format_states_new("print fmt: \"%d\", REC->x"));
	g_assert_null(trc_format_states_new("REC->prev_state & ((((((1 ? \"+\" : \"\", { 1, \"S\" }"));
}

/* lib/trace-cmd/trace-input.c of trace-cmd: timestamp_calc(), and what kernel/trace/trace_clock.c counts. */
static void test_clocks(void)
{
	struct made m = { .big = true };
	struct trc_bytes b = { .data = m.bytes, .size = 16 + 2 * 28, .big = true };
	struct trc_ftrace_clock c;
	struct trc_budget budget = trc_budget_of(0);

	trc_ftrace_clock_init(&c);
	g_assert_cmpint(trc_ftrace_clock_time(&c, 0, 7), ==, 7);
	c.ahead = -5;
	g_assert_cmpint(trc_ftrace_clock_time(&c, 0, 7), ==, 2);
	c.ahead = 0;
	c.mult = 3;
	c.shift = 1;
	g_assert_cmpint(trc_ftrace_clock_time(&c, 0, 7), ==, 10);
	c.shift = 200; /* makes no sense */
	g_assert_cmpint(trc_ftrace_clock_time(&c, 0, 7), ==, 0);
	c.mult = 0;
	g_free(c.name);
	c.name = g_strdup("uptime");
	g_assert_cmpint(trc_ftrace_clock_time(&c, 0, 5), ==, 50000000);
	g_assert_cmpint(trc_ftrace_clock_time(&c, 0, UINT64_MAX), <=, BASE_TIME_FARTHEST);
	g_free(c.name);
	c.name = g_strdup("mono");
	put(&m, 9, 8); /* whose clock */
	put(&m, 0, 4);
	put(&m, 2, 4);
	for (unsigned i = 0; i < 2; i++) {
		put(&m, 1, 4);
		put(&m, 100, 8);
		put(&m, (uint64_t)(int64_t)(i ? -30 : 1000), 8);
		put(&m, 1, 8);
	}
	g_assert_true(trc_ftrace_clock_read_shifts(&c, &b, &budget));
	g_assert_cmpint(trc_ftrace_clock_time(&c, 0, 50), ==, 1050);
	g_assert_cmpint(trc_ftrace_clock_time(&c, 1, 50), ==, 20);
	g_assert_cmpint(trc_ftrace_clock_time(&c, 2, 50), ==, 50);
	b.at = 0;
	b.size -= 4;
	g_assert_false(trc_ftrace_clock_read_shifts(&c, &b, &budget));
	trc_ftrace_clock_clear(&c);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/ftrace/pages", test_pages);
	g_test_add_func("/ftrace/formats", test_formats);
	g_test_add_func("/ftrace/states", test_states);
	g_test_add_func("/ftrace/clocks", test_clocks);
	return g_test_run();
}
