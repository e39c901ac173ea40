/* SPDX-License-Identifier: MIT */
/*
 * Packets read on their own, and streams wound with babeltrace2's library: all events of all traces at hand,
 * with every field, equal babeltrace2's text, in the order and with the numbers of trc_reader.
 */
#include "base/base_error.h"
#include "trace/bt2/trc_bt2.h"
#include "trace/ctf/trc_ctf.h"
#include "trace/trc_reader.h"
#include "trace/trc_test_open.h"
#include "trc_made.h"
#include "trc_test.h"

#include <stdio.h>
#include <string.h>

/* A stream, read packet by packet. */
struct stream {
	char *name;
	GArray *packets;       /* of struct trc_packet_seen */
	guint packet;          /* to be opened next */
	void *page;            /* NULL: none */
	uint64_t at, n_events; /* next event of the page, and its number of events */
	uint64_t before;       /* events up to the end of the page */
	int64_t latest;
	uint32_t cpu;
};

/* A trace, its streams merged. */
struct merge {
	const struct trc_paging_ops *ops;
	void *trace;
	struct stream *streams;
	unsigned n;
};

/* Read the whole trace in FOLDER for its packets. Events of the reader go to GIVEN (of struct mdl_event), the
 * host to *HOST. */
static void learn(struct merge *m, const char *folder, const char *reader, GArray *given, char **host)
{
	GError *error = NULL;
	struct trc_reader *r = trc_test_open(folder, reader, &error);
	GArray *packets = g_array_new(FALSE, FALSE, sizeof(struct trc_packet_seen));
	struct mdl_event events[512];
	int n;

	g_assert_no_error(error);
	while ((n = trc_reader_read(r, events, G_N_ELEMENTS(events), &error)) > 0)
		g_array_append_vals(given, events, (guint)n);
	trc_reader_take_packets(r, packets);
	m->n = trc_reader_stream_count(r);
	m->streams = g_new0(struct stream, m->n);
	for (unsigned i = 0; i < m->n; i++) {
		m->streams[i].name = g_strdup(trc_reader_stream(r, i).name);
		m->streams[i].packets = g_array_new(FALSE, FALSE, sizeof(struct trc_packet_seen));
		m->streams[i].latest = INT64_MIN;
	}
	for (guint i = 0; i < packets->len; i++) {
		const struct trc_packet_seen *p = &g_array_index(packets, struct trc_packet_seen, i);

		g_array_append_val(m->streams[p->stream].packets, *p);
	}
	*host = g_strdup(trc_reader_info(r)->host);
	g_array_unref(packets);
	trc_reader_free(r);
	m->ops = !strcmp(reader, "babeltrace2") ? &trc_bt2_paging : &trc_ctf_paging;
	m->trace = m->ops->open((char *[]){ (char *)folder, NULL }, true, &error);
	g_assert_no_error(error);
}

static void forget(struct merge *m)
{
	for (unsigned i = 0; i < m->n; i++) {
		g_free(m->streams[i].name);
		g_array_unref(m->streams[i].packets);
		g_clear_pointer(&m->streams[i].page, m->ops->free_page);
	}
	g_free(m->streams);
	m->ops->free(m->trace);
}

/* The name of event I of PAGE, and its time. */
static const char *name_of(const struct trc_paging_ops *ops, void *trace, void *page, uint64_t i,
	int64_t *time)
{
	struct trc_paging_event event;
	GError *error = NULL;

	ops->event(trace, page, i, &event, &error);
	g_assert_no_error(error);
	*time = event.time;
	return event.name;
}

/* The name of the next event of S, and its time; NULL at its end. A packet must contain what the reader
 * reported. */
static const char *next_of(const struct merge *m, struct stream *s, int64_t *time)
{
	while (!s->page || s->at == s->n_events) {
		const struct trc_packet_seen *p;
		struct trc_paging_packet packet;
		GError *error = NULL;

		if (s->packet == s->packets->len)
			return NULL;
		g_clear_pointer(&s->page, m->ops->free_page);
		p = &g_array_index(s->packets, struct trc_packet_seen, s->packet++);
		packet = (struct trc_paging_packet){ .stream = s->name,
			.offset = p->offset,
			.size = p->size,
			.before = s->before,
			.latest = s->latest,
			.events = p->events,
			.first = p->first,
			.last = p->last };
		s->page = m->ops->read(m->trace, &packet, &error);
		g_assert_no_error(error);
		g_assert_cmpuint(packet.events, ==, p->events);
		g_assert_cmpint(packet.first, ==, p->first);
		g_assert_cmpint(packet.last, ==, p->last);
		s->n_events = p->events;
		s->before += p->events;
		s->latest = p->last;
		s->cpu = p->cpu;
		s->at = 0;
	}
	return name_of(m->ops, m->trace, s->page, s->at, time);
}

/* Append the fields of the next event of S to LINE, and advance to the event behind it. */
static void take_fields(const struct merge *m, struct stream *s, GString *line)
{
	g_assert_true(m->ops->fields(m->trace, s->page, s->at++, line, NULL, NULL));
}

/* The stream with the next event; NULL at the end. */
static struct stream *first_stream(const struct merge *m, int64_t *time, const char **name)
{
	struct stream *first = NULL;

	for (unsigned i = 0; i < m->n; i++) {
		int64_t at;
		const char *class = next_of(m, &m->streams[i], &at);

		if (class && (!first || at < *time)) {
			first = &m->streams[i];
			*time = at;
			*name = class;
		}
	}
	return first;
}

/* The next event as a line of babeltrace2; NULL at the end. */
static char *next_line(const struct merge *m, const char *host, int64_t *time, uint32_t *cpu)
{
	const char *name;
	struct stream *s = first_stream(m, time, &name);
	GString *line;

	if (!s)
		return NULL;
	*cpu = s->cpu;
	line = g_string_new(NULL);
	g_string_printf(line, "[%" G_GINT64_FORMAT ".%09" G_GINT64_FORMAT "] %s %s: { cpu_id = %u }, ",
		*time / 1000000000, *time % 1000000000, host, name, s->cpu);
	take_fields(m, s, line);
	return g_string_free(line, FALSE);
}

/* The place after the quoted text at P. */
static const char *skip_text(const char *p)
{
	for (p++; *p && *p != '"'; p++)
		p += *p == '\\' && p[1];
	return *p ? p + 1 : p;
}

/*
 * True if OTHER is the line OWN. libbabeltrace2 2.0 does not clear a string field that becomes empty: it
 * prints the text that the field had before (newfstatat with AT_EMPTY_PATH shows it). So an empty text of
 * ours matches any text there.
 */
static bool is_line(const char *own, const char *other)
{
	while (*own && (*own == *other || !strncmp(own, "\"\"", 2))) {
		if (!strncmp(own, "\"\"", 2) && *other == '"') {
			own += 2;
			other = skip_text(other);
		} else if (*own++ != *other++) {
			return false;
		}
	}
	return !*own && !*other;
}

/* Lines of one time may be in any order: the two programs may order them differently. */
static void check_group(GPtrArray *own, FILE *witness)
{
	GPtrArray *other = g_ptr_array_new_with_free_func(g_free);
	char buffer[100000];

	for (guint i = 0; i < own->len; i++) {
		g_assert_nonnull(fgets(buffer, sizeof buffer, witness));
		g_ptr_array_add(other, g_strdup(g_strchomp(buffer)));
	}
	for (guint i = 0; i < own->len; i++) {
		const char *line = g_strchomp(g_ptr_array_index(own, i));
		guint k = 0;

		while (k + 1 < other->len && !is_line(line, g_ptr_array_index(other, k)))
			k++;
		if (!is_line(line, g_ptr_array_index(other, k)))
			g_error("%s\nbut babeltrace2 says\n%s", line, (char *)g_ptr_array_index(other, k));
		g_ptr_array_remove_index_fast(other, k);
	}
	g_ptr_array_set_size(own, 0);
	g_ptr_array_unref(other);
}

/* Every event of GIVEN up to RANK has this rank, time and CPU. */
static void check_given(const GArray *given, guint *at, uint64_t rank, int64_t time, uint32_t cpu)
{
	for (; *at < given->len; ++*at) {
		const struct mdl_event *e = &g_array_index(given, struct mdl_event, *at);
		bool is_mark = e->kind == MDL_EV_GAP_BEGIN || e->kind == MDL_EV_GAP_END;

		if (!is_mark && e->rank > rank)
			return;
		if (is_mark)
			continue;
		g_assert_cmpuint(e->rank, ==, rank);
		g_assert_cmpint(e->time, ==, time);
		g_assert_cmpuint(e->cpu, ==, cpu);
	}
}

/* Check the trace in FOLDER as READER reads it; returns the number of events. */
static uint64_t check_trace(const char *folder, const char *reader)
{
	uint64_t rank = 0;
	char *quoted = g_shell_quote(folder),
	     *command = g_strdup_printf("babeltrace2 --clock-seconds --no-delta %s 2>/dev/null", quoted);
	GArray *given = g_array_new(FALSE, FALSE, sizeof(struct mdl_event));
	GPtrArray *group = g_ptr_array_new_with_free_func(g_free);
	int64_t time = 0, before = 0;
	struct merge m;
	char *host, *line;
	uint32_t cpu;
	guint at = 0;
	FILE *witness;

	learn(&m, folder, reader, given, &host);
	witness = popen(command, "r");
	while ((line = next_line(&m, host, &time, &cpu))) {
		check_given(given, &at, ++rank, time, cpu);
		if (group->len && time != before)
			check_group(group, witness);
		g_ptr_array_add(group, line);
		before = time;
	}
	check_group(group, witness);
	g_assert_cmpint(fgetc(witness), ==, EOF);
	g_assert_cmpint(pclose(witness), ==, 0);
	g_assert_cmpuint(at, ==, given->len);
	forget(&m);
	g_ptr_array_unref(group);
	g_array_unref(given);
	g_free(host);
	g_free(command);
	g_free(quoted);
	return rank;
}

static void check_sample(const char *folder, gpointer data)
{
	uint64_t *events = data, n = check_trace(folder, "ctf");

	g_assert_cmpuint(check_trace(folder, "babeltrace2"), ==, n);
	*events += n;
}

static void test_samples(void)
{
	uint64_t events = 0;

	g_assert_cmpuint(trc_test_each_sample(check_sample, &events), >, 0);
	g_assert_cmpuint(events, >, 10000);
	g_test_message("%" G_GUINT64_FORMAT " events", events);
}

/* ---- every kind of type, with arbitrary bytes ---- */

#define MADE_HEAD(order)                                                                                       \
	"/* CTF 1.8 */\n"                                                                                      \
	"typealias integer { size = 8; align = 8; } := uint8_t;\n"                                             \
	"typealias integer { size = 32; align = 8; } := uint32_t;\n"                                           \
	"typealias integer { size = 64; align = 8; map = clock.c.value; } := clock_t;\n"                       \
	"trace { major = 1; minor = 8; byte_order = " order ";\n"                                              \
	" packet.header := struct { uint32_t magic; uint32_t stream_id; }; };\n"                               \
	"env { hostname = \"made\"; domain = \"kernel\"; tracer_name = \"lttng-modules\"; };\n"                \
	"clock { name = c; freq = 1000000000; offset_s = 5; };\n"                                              \
	"stream { id = 0; event.header := struct { uint8_t id; clock_t timestamp; };\n"                        \
	" packet.context := struct { clock_t timestamp_begin; clock_t timestamp_end; uint32_t content_size;\n" \
	" uint32_t packet_size; uint32_t cpu_id; };\n"                                                         \
	" event.context := struct { integer { size = 16; align = 8; base = hex; } _ctx; }; };\n"

#define MADE_NUMBERS                                                                                                                       \
	"event { name = \"numbers\"; id = 0; stream_id = 0; fields := struct {\n"                                                          \
	" integer { size = 3; align = 1; base = binary; } a; integer { size = 13; align = 1; signed = true; base = x; } b;\n"              \
	" integer { size = 7; align = 1; signed = true; base = octal; } c; integer { size = 7; align = 1; base = 8; } d;\n"                \
	" integer { size = 2; align = 1; signed = true; } e; integer { size = 64; align = 8; signed = true; base = 16; } f;\n"             \
	" integer { size = 64; align = 8; base = b; } g; integer { size = 32; align = 8; signed = true; base = 2; } h;\n"                  \
	" integer { size = 16; align = 8; signed = true; base = d; } _i; integer { size = 64; align = 8; signed = 1; base = o; } j;\n"     \
	" floating_point { exp_dig = 8; mant_dig = 24; align = 8; } k; floating_point { exp_dig = 11; mant_dig = 53; align = 8; } l;\n"    \
	" enum : integer { size = 8; align = 8; signed = true; } { A = -128 ... -100, B = -50 ... 50, \"B C\" = 0 ... 100, A = 120 } m;\n" \
	" enum : integer { size = 8; align = 8; base = 16; } { low = 0 ... 3, \"quo\\\"te\" = 4 ... 200, high = 150 ... 160 } n;\n"        \
	" integer { size = 5; align = 1; } o[2][3]; uint8_t p[2]; struct { integer { size = 8; align = 8; encoding = none; } q[0]; } r;\n" \
	" struct { } s; }; };\n"

#define MADE_OTHERS                                                                                                                                 \
	"event { name = \"others\"; id = 1; stream_id = 0; context := struct { string outer; uint8_t count; };\n"                                   \
	" fields := struct { enum : uint8_t { one = 0 ... 99, _two = 100 ... 199, three = 200 ... 255 } _tag;\n"                                    \
	" variant <_tag> { uint32_t one; struct { uint8_t n; uint8_t v[n]; } _two; string three; } body;\n"                                         \
	" integer { size = 8; align = 8; encoding = UTF8; } text[6]; integer { size = 8; align = 8; encoding = UTF8; } seq[event.context.count];\n" \
	" struct { string a; string b; } pairs[event.context.count]; }; };\n"

/* Any byte, but often one that ends or escapes a text. */
static unsigned any_byte(GRand *rand)
{
	static const unsigned char often[] = { 0, '\n', '"', '\\', 27, '?', '\'', 127, 'a', 255 };

	return g_rand_int_range(rand, 0, 3) ? (unsigned)g_rand_int_range(rand, 0, 256)
					    : often[g_rand_int_range(rand, 0, G_N_ELEMENTS(often))];
}

static void any_bytes(struct made *m, GRand *rand, unsigned n)
{
	while (n-- > 0)
		made_number(m, any_byte(rand), 1);
}

/* A text of a few bytes, without characters that make a line of babeltrace2 ambiguous. */
static void any_string(struct made *m, GRand *rand)
{
	for (int n = g_rand_int_range(rand, 1, 6); n > 0; n--)
		made_number(m, any_byte(rand) | 1, 1);
	made_number(m, 0, 1);
}

static void others_event(struct made *m, GRand *rand)
{
	unsigned count = (unsigned)g_rand_int_range(rand, 0, 3),
		 tag = (unsigned)g_rand_int_range(rand, 0, 256);

	any_string(m, rand);
	made_number(m, count, 1);
	made_number(m, tag, 1);
	if (tag < 100) {
		any_bytes(m, rand, 4);
	} else if (tag < 200) {
		made_number(m, tag % 5, 1);
		any_bytes(m, rand, tag % 5);
	} else {
		any_string(m, rand);
	}
	any_bytes(m, rand, 6 + count);
	for (; count > 0; count--) {
		any_string(m, rand);
		any_string(m, rand);
	}
}

static void made_packet(struct made *m, GRand *rand, unsigned cpu, uint64_t from, unsigned events)
{
	guint start = m->bytes->len;

	made_number(m, 0xc1fc1fc1, 4);
	made_number(m, 0, 4);
	made_number(m, from, 8);
	made_number(m, from + 10 * events, 8);
	made_number(m, 0, 8);
	made_number(m, cpu, 4);
	for (unsigned i = 0; i < events; i++) {
		made_number(m, i % 2, 1);
		made_number(m, from + 10 * i, 8);
		any_bytes(m, rand, 2);
		if (i % 2)
			others_event(m, rand);
		else
			any_bytes(m, rand, 4 + 8 + 8 + 4 + 2 + 8 + 4 + 8 + 1 + 1 + 4 + 2);
	}
	made_patch(m, start + 24, (m->bytes->len - start) * 8, 4);
	made_align(m, 64);
	made_patch(m, start + 28, (m->bytes->len - start) * 8, 4);
}

static void check_made(const char *head, bool big_endian)
{
	char *text = g_strconcat(head, MADE_NUMBERS, MADE_OTHERS, NULL), *folder = made_folder(text);
	GRand *rand = g_rand_new_with_seed(7);
	uint64_t events = 0;

	for (unsigned cpu = 0; cpu < 2; cpu++) {
		char name[] = "s_0";
		struct made m;

		name[2] = (char)('0' + cpu);
		made_init(&m, big_endian);
		for (unsigned packet = 0; packet < 4; packet++)
			made_packet(&m, rand, cpu, 1000 * packet + 5 * cpu, 50);
		made_write(&m, folder, name);
		made_clear(&m);
	}
	check_sample(folder, &events);
	g_assert_cmpuint(events, ==, 2 * 4 * 50);
	g_rand_free(rand);
	trc_test_remove(folder);
	g_free(folder);
	g_free(text);
}

static void test_types(void)
{
	check_made(MADE_HEAD("le"), FALSE);
	check_made(MADE_HEAD("be"), TRUE);
}

/* ---- winding ---- */

#define WOUND_PACKETS 20
#define WOUND_EVENTS 1000 /* in each */
#define WOUND (WOUND_PACKETS * WOUND_EVENTS)

/* The name of event NUMBER of STREAM on TAPE, and its time; NULL with ERROR. */
static const char *name_on_tape(void *tape, const char *stream, uint64_t number, int64_t *time,
	GError **error)
{
	struct trc_paging_packet all = { .stream = stream };
	struct trc_paging_event event;

	if (!trc_bt2_paging.event(tape, &all, number, &event, error))
		return NULL;
	*time = event.time;
	return event.name;
}

/* Append the fields of event NUMBER of STREAM on TAPE. */
static void add_on_tape(void *tape, const char *stream, uint64_t number, GString *to)
{
	struct trc_paging_packet all = { .stream = stream };

	g_assert_true(trc_bt2_paging.fields(tape, &all, number, to, NULL, NULL));
}

/* Event NUMBER equals the one found while reading from the start. */
static void check_wound(void *t, const GPtrArray *all, uint64_t number)
{
	GString *text = g_string_new(NULL);
	int64_t time = 0;

	g_assert_cmpstr(name_on_tape(t, "s_0", number, &time, NULL), ==, number % 2 ? "others" : "numbers");
	g_assert_cmpint(time, ==, 5000000000 + 10 * (int64_t)number);
	add_on_tape(t, "s_0", number, text);
	g_assert_cmpstr(text->str, ==, g_ptr_array_index(all, number));
	g_string_free(text, TRUE);
}

/* Find the first event at or after the time of event NUMBER, or a little before it, among events [FROM,
 * TO). */
static void check_found(void *t, uint64_t from, uint64_t to, uint64_t number)
{
	struct trc_paging_packet packet = { .stream = "s_0", .before = from, .events = to - from };
	uint64_t found = 0;

	for (int early = 0; early < 2; early++) {
		g_assert_true(trc_bt2_paging.find(t, &packet, 5000000000 + 10 * (int64_t)number - 9 * early,
			&found, NULL));
		g_assert_cmpuint(from + found, ==, CLAMP(number, from, to));
	}
}

static void test_wind(void)
{
	char *text = g_strconcat(MADE_HEAD("le"), MADE_NUMBERS, MADE_OTHERS, NULL),
	     *folder = made_folder(text);
	GPtrArray *all = g_ptr_array_new_with_free_func(g_free);
	GRand *rand = g_rand_new_with_seed(7);
	GError *error = NULL;
	void *t;
	struct made m;
	int64_t time;

	made_init(&m, FALSE);
	for (unsigned packet = 0; packet < WOUND_PACKETS; packet++)
		made_packet(&m, rand, 0, 10 * WOUND_EVENTS * packet, WOUND_EVENTS);
	made_write(&m, folder, "s_0");
	made_clear(&m);
	t = trc_bt2_paging.open((char *[]){ (char *)folder, NULL }, true, &error);
	g_assert_no_error(error);
	for (uint64_t i = 0; i < WOUND; i++) {
		GString *fields = g_string_new(NULL);

		add_on_tape(t, "s_0", i, fields);
		g_ptr_array_add(all, g_string_free(fields, FALSE));
	}
	g_assert_cmpuint(trc_bt2_paging.rewound(t), ==, 1);
	for (uint64_t i = WOUND; i-- > 0;)
		check_wound(t, all, i);
	/* After each rewind at least 3000 steps were possible. */
	g_assert_cmpuint(trc_bt2_paging.rewound(t), <=, 2 + WOUND / 3000);
	for (int i = 0; i < 30; i++)
		check_wound(t, all, (uint64_t)g_rand_int_range(rand, 0, WOUND));
	for (int i = 0; i < 30; i++) {
		uint64_t from = (uint64_t)g_rand_int_range(rand, 0, WOUND_PACKETS) * WOUND_EVENTS;

		check_found(t, from, from + WOUND_EVENTS,
			from + (uint64_t)g_rand_int_range(rand, 0, WOUND_EVENTS + 2));
	}
	g_assert_null(name_on_tape(t, "s_0", WOUND, &time, &error));
	g_assert_error(error, BASE_ERROR, BASE_ERROR_DATA);
	g_assert_nonnull(strstr(error->message, "s_0: babeltrace2 finds no event 20001 in it any more"));
	g_clear_error(&error);
	g_assert_null(name_on_tape(t, "s_1", 0, &time, &error));
	g_assert_error(error, BASE_ERROR, BASE_ERROR_DATA);
	g_clear_error(&error);
	check_wound(t, all, 7);
	trc_bt2_paging.free(t);
	g_ptr_array_unref(all);
	g_rand_free(rand);
	trc_test_remove(folder);
	g_free(folder);
	g_free(text);
}

/* ---- unreadable packets ---- */

static void *read_page(void *trace, const char *name, uint64_t offset, uint64_t size, int64_t latest,
	GError **error)
{
	struct trc_paging_packet packet = { .stream = name,
		.offset = offset,
		.size = size,
		.latest = latest };
	void *page = trc_ctf_paging.read(trace, &packet, error);

	if (page)
		g_assert_cmpuint(packet.events, ==, 10);
	return page;
}

/* Event I of PAGE has TIME. */
static void check_time(void *trace, void *page, uint64_t i, int64_t time)
{
	int64_t found;

	name_of(&trc_ctf_paging, trace, page, i, &found);
	g_assert_cmpint(found, ==, time);
}

static void expect_wrong(void *trace, const char *name, uint64_t offset, uint64_t size, int code,
	const char *expected)
{
	GError *error = NULL;

	g_assert_null(read_page(trace, name, offset, size, INT64_MIN, &error));
	g_assert_error(error, BASE_ERROR, code);
	if (!strstr(error->message, expected) || strchr(error->message, '\n'))
		g_error("expected \"%s\", got \"%s\"", expected, error->message);
	g_error_free(error);
}

static void test_wrong(void)
{
	char *text = g_strconcat(MADE_HEAD("le"), MADE_NUMBERS, MADE_OTHERS, NULL),
	     *folder = made_folder(text);
	GRand *rand = g_rand_new_with_seed(7);
	GError *error = NULL;
	void *p, *page;
	struct made m;

	made_init(&m, FALSE);
	made_packet(&m, rand, 0, 1000, 10);
	made_write(&m, folder, "s_0");
	p = trc_ctf_paging.open((char *[]){ (char *)folder, NULL }, true, &error);
	g_assert_no_error(error);
	page = read_page(p, "s_0", 0, m.bytes->len, 1015, &error);
	g_assert_no_error(error);
	check_time(p, page, 0, 5000001000);
	trc_ctf_paging.free_page(page);
	/* The clock stepped back to this packet. */
	page = read_page(p, "s_0", 0, m.bytes->len, 5000001015, &error);
	g_assert_no_error(error);
	check_time(p, page, 1, 5000001015);
	check_time(p, page, 2, 5000001020);
	trc_ctf_paging.free_page(page);
	expect_wrong(p, "s_1", 0, 64, BASE_ERROR_IO, "s_1");
	expect_wrong(p, "s_0", 8, m.bytes->len, BASE_ERROR_DATA, "is not there any more");
	expect_wrong(p, "s_0", UINT64_MAX, 8, BASE_ERROR_DATA, "is not there any more");
	expect_wrong(p, "s_0", 8, 64, BASE_ERROR_DATA, "is not a packet of this trace");
	expect_wrong(p, "s_0", 0, 4, BASE_ERROR_DATA, "is not a packet of this trace");
	expect_wrong(p, "s_0", 0, UINT64_MAX, BASE_ERROR_DATA, "is too large to be shown");
	expect_wrong(p, ".", 0, 64, BASE_ERROR_DATA, "is not there any more");
	trc_ctf_paging.free(p);
	made_clear(&m);
	trc_test_remove(folder);
	g_assert_null(trc_ctf_paging.open((char *[]){ (char *)folder, NULL }, true, &error));
	g_assert_error(error, BASE_ERROR, BASE_ERROR_IO);
	g_clear_error(&error);
	g_rand_free(rand);
	g_free(folder);
	g_free(text);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/page/samples", test_samples);
	g_test_add_func("/page/types", test_types);
	g_test_add_func("/page/wind", test_wind);
	g_test_add_func("/page/wrong", test_wrong);
	return g_test_run();
}
