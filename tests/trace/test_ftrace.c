/* SPDX-License-Identifier: MIT */
/* Pages of the kernel's ring buffer and formats of events, made by hand (include/linux/ring_buffer.h,
 * kernel/trace/ring_buffer.c); whole files are in tests/app/ftrace.t. */
#include "trace/ftrace/trc_ftrace.h"

#include "base/base_time.h"
#include "model/event/event.h"
#include "trace/tracefs/trc_format.h"
#include "trace/tracefs/trc_bytes.h"

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

/* The times of all records of the pages as "TIME:first byte"; "!" after a damaged page, "lost N" before a
 * page that follows lost events. */
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
	put_record(m, 0, 1); /* the length follows: 13 bytes with itself, so 12 of data */
	put(m, 13, 4);
	put(m, 0x0808080808080808, 8);
	put(m, 0x08080808, 4);
	put_record(m, 29, 4); /* discarded: 8 bytes behind its head */
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
	put(m, 33, 8); /* events lost before this page */
	m->at = 2 * PAGE;
	put(m, 3000, 8);
	put(m, 12, 8);
	put_record(m, 1, 7);
	put(m, 0x0b0b0b0b, 4);
	put_record(m, 9, 7); /* claims more than there is */
	m->at = 3 * PAGE;
	put(m, 4000, 8);
	put(m, PAGE, 8); /* also more than there is */
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

/* prev_state has the bits that the format names. */
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

/* As timestamp_calc() in trace-cmd (lib/trace-cmd/trace-input.c), with the units of
 * kernel/trace/trace_clock.c. */
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

/* ---- limits: accepted at the limit, refused one beyond it ---- */

static void test_budget(void)
{
	struct trc_budget b = trc_budget_of(3), records = trc_budget_of_records(b, 3);

	g_assert_cmpuint(b.left, ==, (32 << 20) + 3 * 32);
	g_assert_cmpuint(records.left, ==, (4 << 20) + 3 * 32);
	g_assert_true(trc_budget_spend(&b, b.left, "nothing"));
	g_assert_null(b.refused);
	g_assert_false(trc_budget_spend(&b, 1, "more"));
	g_assert_false(trc_budget_spend(&b, 1, "even more"));
	g_assert_cmpstr(b.refused, ==, "more");
}

/* True if two parts of SIZE bytes at these OFFSETS of a file of OF bytes are refused. */
static bool lie_over(uint64_t of, uint64_t size, uint64_t first, uint64_t second)
{
	struct trc_budget b = trc_budget_of(of);
	struct trc_places places = trc_places_new(of);

	trc_places_add(&places, first, size, &b);
	trc_places_add(&places, second, size, &b);
	trc_places_check(&places, &b);
	trc_places_free(&places);
	return b.refused;
}

static void test_places(void)
{
	struct trc_budget b = trc_budget_of(19);
	struct trc_places places = trc_places_new(19);

	g_assert_false(lie_over(100, 10, 20, 10));
	g_assert_true(lie_over(100, 10, 20, 11));
	g_assert_true(lie_over(100, 10, 20, 20));
	g_assert_false(lie_over(100, 0, 20, 20));
	g_assert_false(lie_over(20, 10, 0, 10));
	g_assert_true(lie_over(19, 10, 0, 9));
	/* Parts that are together larger than the file are refused before all are known. */
	g_assert_true(trc_places_add(&places, 0, 10, &b) && trc_places_add(&places, 9, 9, &b));
	g_assert_false(trc_places_add(&places, 0, 1, &b));
	trc_places_free(&places);
}

/* The number of pages in a chunk whose head claims ROOM bytes. */
static uint64_t pages_in(uint32_t room, bool *cut)
{
	struct made m = { .at = 0 };
	struct trc_ftrace_head h = { .bytes = { .data = m.bytes, .size = 12 }, .long_size = 8 };
	struct trc_ftrace_stream s = { .size = 12, .page_size = PAGE, .packed = true };
	struct trc_ftrace_pages *p;
	struct trc_ftrace_page page;
	uint64_t n;

	put(&m, 1, 4);
	put(&m, 0, 4);
	put(&m, room, 4);
	p = trc_ftrace_pages_new(&h, &s);
	n = trc_ftrace_pages_count(p);
	trc_ftrace_pages_seek(p, UINT64_MAX / PAGE * PAGE);
	trc_ftrace_pages_next(p, &page, cut);
	trc_ftrace_pages_free(p);
	return n;
}

static void test_chunks(void)
{
	bool cut;

	g_assert_cmpuint(pages_in(64 << 20, &cut), ==, (64 << 20) / PAGE);
	g_assert_false(cut);
	g_assert_cmpuint(pages_in((64 << 20) + 1, &cut), ==, 0);
	g_assert_true(cut);
	g_assert_cmpuint(pages_in(0, &cut), ==, 0);
	g_assert_true(cut);
}

/* The option of one CPU with two shifts: TIMES and OFFSETS. MORE: so many shifts more are claimed than there
 * are. */
static bool read_shifts(struct trc_ftrace_clock *c, const uint64_t *times, const int64_t *offsets,
	unsigned more)
{
	struct trc_budget budget = trc_budget_of(0);
	struct made m = { .at = 0 };
	struct trc_bytes b = { .data = m.bytes, .size = 16 + 4 + 2 * 24 };
	bool fine;

	put(&m, 9, 8);
	put(&m, 1, 4); /* times between two shifts are interpolated */
	put(&m, 1, 4);
	put(&m, 2 + more, 4);
	for (unsigned i = 0; i < 2; i++)
		put(&m, times[i], 8);
	for (unsigned i = 0; i < 2; i++)
		put(&m, (uint64_t)offsets[i], 8);
	put(&m, 0, 8);
	put(&m, 0, 8);
	fine = trc_ftrace_clock_read_shifts(c, &b, &budget);
	g_assert_null(budget.refused); /* a damaged option is skipped, and the rest is read */
	return fine;
}

static void test_shifts(void)
{
	const int64_t farthest = INT64_C(1) << 62, half = farthest / 2;
	struct trc_ftrace_clock c;

	trc_ftrace_clock_init(&c);
	g_assert_true(read_shifts(&c, (uint64_t[]){ 0, 100 }, (int64_t[]){ 0, 10 }, 0));
	g_assert_cmpint(trc_ftrace_clock_time(&c, 0, 50), ==, 55);
	g_assert_false(read_shifts(&c, (uint64_t[]){ 0, 100 }, (int64_t[]){ 0, 10 }, 1));
	g_assert_false(read_shifts(&c, (uint64_t[]){ 0, 100 }, (int64_t[]){ 0, 10 }, UINT32_MAX - 2));
	/* A value beyond the limit counts as the limit. */
	for (uint64_t far = (uint64_t)farthest; far != 0; far = far == UINT64_MAX ? 0 : UINT64_MAX) {
		g_assert_true(read_shifts(&c, (uint64_t[]){ 0, far }, (int64_t[]){ 0, 1000 }, 0));
		g_assert_cmpint(trc_ftrace_clock_time(&c, 0, (uint64_t)half), ==, half + 500);
	}
	for (int64_t far = -farthest; far != 0; far = far == INT64_MIN ? 0 : INT64_MIN) {
		g_assert_true(read_shifts(&c, (uint64_t[]){ 0, 8 }, (int64_t[]){ far, far }, 0));
		g_assert_cmpint(trc_ftrace_clock_time(&c, 0, (uint64_t)farthest + 4), ==, 4);
	}
	trc_ftrace_clock_clear(&c);
}

/* The number of fields that are read of event ID of SYSTEM, whose name has NAME letters, and which has N fields:
 * names of FIELD letters, in the 4 bytes before END. -1 if the format is refused. */
static int fields_of(const char *system, size_t name, unsigned id, unsigned n, size_t field, unsigned end)
{
	struct trc_budget budget = trc_budget_of(0);
	struct trc_formats formats = trc_formats_new(&budget);
	g_autofree char *event = g_strnfill(name, 'e'), *letters = g_strnfill(field, 'f');
	g_autoptr(GString) text = g_string_new(NULL);
	const struct trc_format_event *e;
	int found;

	g_string_printf(text, "name: %s\nID: %u\n", event, id);
	for (unsigned i = 0; i < n; i++)
		g_string_append_printf(text, "field:int %s;offset:%u;size:4;\n", letters, end - 4);
	trc_formats_add(&formats, system, text->str, text->len);
	e = g_hash_table_lookup(formats.events, GUINT_TO_POINTER(id));
	found = e ? (int)e->fields->len : -1;
	trc_formats_free(&formats);
	return found;
}

static void test_format_limits(void)
{
	g_assert_cmpint(fields_of("s", 1, 65535, 1000, 1, 8), ==, 1000);
	g_assert_cmpint(fields_of("s", 1, 65536, 1, 1, 8), ==, -1);
	g_assert_cmpint(fields_of("s", 1, 1, 1001, 1, 8), ==, 1000);
	g_assert_cmpint(fields_of("s", 509, 1, 1, 255, 8), ==, 1);
	g_assert_cmpint(fields_of("s", 510, 1, 1, 1, 8), ==, -1);
	g_assert_cmpint(fields_of("s", 1, 1, 1, 256, 8), ==, 0);
	g_assert_cmpint(fields_of("s", 1, 1, 1, 1, 65536), ==, 1);
	g_assert_cmpint(fields_of("s", 1, 1, 1, 1, 65537), ==, 0);
}

static void test_lines(void)
{
	struct trc_budget budget = { .left = 3 * 16 };
	g_autofree char *text = g_strnfill(65537 + 6, 'x');
	struct trc_bytes b = { .data = (const uint8_t *)text, .size = 65537 + 6 };
	g_autoptr(GString) line = g_string_new(NULL);

	memcpy(text, "a\n", 2);
	memcpy(text + 65539, "\nb\nc", 4);
	g_assert_true(trc_lines_next(&b, line, &budget));
	g_assert_cmpstr(line->str, ==, "a");
	g_assert_true(trc_lines_next(&b, line, &budget));
	g_assert_cmpuint(line->len, ==, 65536);
	g_assert_true(trc_lines_next(&b, line, &budget));
	g_assert_cmpstr(line->str, ==, "b");
	g_assert_false(trc_lines_next(&b, line, &budget));
	g_assert_nonnull(budget.refused);
}

/* FINE: N letters of prev_state and parentheses DEPTH deep are understood, including the last letter. */
static void check_letters(unsigned n, unsigned depth, bool fine)
{
	g_autoptr(GString) text = g_string_new("REC->prev_state & ");
	struct trc_format_states *s;

	for (unsigned i = 0; i < depth; i++)
		g_string_append_c(text, '(');
	g_string_append(text, "1");
	for (unsigned i = 0; i < depth; i++)
		g_string_append_c(text, ')');
	g_string_append(text, " ? \"+\"");
	for (unsigned i = n; i > 0; i--)
		g_string_prepend(text, i == n ? "{ 0x2, \"D\" }" : "{ 0x4, \"S\" }");
	s = trc_format_states_new(text->str);
	g_assert_cmpint(s && trc_format_states_read(s, 2) == MDL_PREV_UNINTERRUPTIBLE, ==, fine);
	g_free(s);
}

static void test_letters(void)
{
	check_letters(32, 32, true);
	check_letters(33, 1, false);
	check_letters(1, 33, false);
}

/* Bytes printed of a record of SIZE bytes all of whose fields refer to the same four bytes. */
static size_t printed(unsigned size)
{
	struct trc_budget budget = trc_budget_of(0);
	struct trc_formats formats = trc_formats_new(&budget);
	g_autoptr(GString) text = g_string_new("name: e\nID: 1\n");
	struct trc_bytes record = { .data = (const uint8_t *)text->str, .size = size };
	GString *to = g_string_new(NULL);

	for (unsigned i = 0; i < 1000; i++)
		g_string_append_printf(text, "field:int a_field_with_a_long_name_%04u;offset:0;size:4;\n", i);
	g_assert_true(trc_formats_add(&formats, "s", text->str, text->len));
	record.data = (const uint8_t *)text->str;
	trc_format_class_fields(g_hash_table_lookup(formats.events, GUINT_TO_POINTER(1)), &record, to, NULL);
	trc_formats_free(&formats);
	size = (unsigned)to->len;
	g_string_free(to, TRUE);
	return size;
}

static void test_printed(void)
{
	g_assert_cmpuint(printed(8), >, 1024 + 8 * 32 - 100);
	g_assert_cmpuint(printed(8), <, 1024 + 8 * 32 + 100);
	g_assert_cmpuint(printed(1000), >, 1024 + 1000 * 32 - 100);
	g_assert_cmpuint(printed(2016), <, 64 * 1024 + 100); /* at the limit */
}

/* Calls of a stack beyond 1 024 are not printed. */
static void test_stack(void)
{
	for (unsigned n = 1024; n <= 1025; n++) {
		g_autofree uint8_t *calls = g_new0(uint8_t, n * 4);
		GString *to = g_string_new(NULL);

		trc_format_class_stack("s", (struct trc_bytes){ .data = calls, .size = n * 4 }, 4, to, NULL);
		g_assert_nonnull(strstr(to->str, "[1023] = "));
		g_assert_null(strstr(to->str, "[1024] = "));
		g_string_free(to, TRUE);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/ftrace/pages", test_pages);
	g_test_add_func("/ftrace/formats", test_formats);
	g_test_add_func("/ftrace/states", test_states);
	g_test_add_func("/ftrace/clocks", test_clocks);
	g_test_add_func("/ftrace/limits/budget", test_budget);
	g_test_add_func("/ftrace/limits/places", test_places);
	g_test_add_func("/ftrace/limits/chunks", test_chunks);
	g_test_add_func("/ftrace/limits/shifts", test_shifts);
	g_test_add_func("/ftrace/limits/formats", test_format_limits);
	g_test_add_func("/ftrace/limits/lines", test_lines);
	g_test_add_func("/ftrace/limits/letters", test_letters);
	g_test_add_func("/ftrace/limits/printed", test_printed);
	g_test_add_func("/ftrace/limits/stack", test_stack);
	return g_test_run();
}
