/* SPDX-License-Identifier: MIT */
/* The parser of metadata: layouts by hand, every sample trace, and damaged text. */
#include "base/base_error.h"
#include "base/base_time.h"
#include "trace/tsdl/trc_tsdl.h"
#include "trc_test.h"

#include <string.h>

#define ALIASES                                                                      \
	"typealias integer { size = 8; align = 8; signed = false; } := uint8_t;\n"   \
	"typealias integer { size = 32; align = 8; signed = false; } := uint32_t;\n" \
	"typealias integer { size = 64; align = 8; } := unsigned long;\n"            \
	"typealias integer { size = 5; align = 1; } := uint5_t;\n"                   \
	"typealias integer { size = 27; align = 1; map = clock.mono.value; } := uint27_t;\n"

#define HEADER                                                                                                       \
	"/* CTF 1.8 */\n" ALIASES                                                                                    \
	"trace { major = 1; minor = 8; byte_order = be; uuid = \"00112233-4455-6677-8899-aabbccddeeff\";\n"          \
	" packet.header := struct { uint32_t magic; uint8_t uuid[16]; uint32_t stream_id; }; };\n"                   \
	"env { hostname = \"a\\\"b\"; tracer_major = 2; below = -5; };\n"                                            \
	"clock { name = \"mono\"; freq = 1000000000; offset = 7; };\n"                                               \
	"struct context { unsigned long begin; unsigned long long_name; uint32_t cpu_id; };\n"                       \
	"struct event_header { enum : uint5_t { compact = 0 ... 30, extended = 31 } id;\n"                           \
	" variant <id> { struct { uint27_t timestamp; } compact; struct { uint32_t id; unsigned long timestamp; }\n" \
	" extended; } v; } align(8);\n"                                                                              \
	"stream { id = 3; event.header := struct event_header; packet.context := struct context; };\n"

static struct trc_meta *parse_fine(const char *text)
{
	GError *error = NULL;
	struct trc_meta *t = trc_tsdl_parse(text, strlen(text), &error);

	g_assert_no_error(error);
	g_assert_nonnull(t);
	return t;
}

/* The layout of FIELDS, the fields of one event. */
static struct trc_meta *parse_fields(const char *fields, const struct trc_type **type)
{
	char *text =
		g_strdup_printf("%sevent { name = \"e\"; id = 1; stream_id = 3; fields := struct { %s }; };",
			HEADER, fields);
	struct trc_meta *t = parse_fine(text);
	const struct trc_stream_class *stream = trc_meta_stream(t, 3);

	*type = ((struct trc_event_class *)g_ptr_array_index(stream->events, 0))->fields;
	g_free(text);
	return t;
}

static void test_header(void)
{
	struct trc_meta *t = parse_fine(HEADER);
	const struct trc_stream_class *stream = trc_meta_stream(t, 3);
	const struct trc_field *v;

	g_assert_true(t->big_endian && t->has_uuid);
	g_assert_cmpuint(t->uuid[15], ==, 0xff);
	g_assert_cmpuint(t->packet_header->bits, ==, 24 * 8);
	g_assert_cmpuint(trc_type_find(t->packet_header, "stream_id")->offset, ==, 20 * 8);
	g_assert_cmpstr(trc_meta_env(t, "hostname")->text, ==, "a\"b");
	g_assert_cmpint(trc_meta_env(t, "below")->number, ==, -5);
	g_assert_null(trc_meta_stream(t, 0));
	g_assert_nonnull(stream);
	g_assert_cmpuint(trc_type_find(stream->packet_context, "cpu_id")->offset, ==, 128);
	g_assert_true(trc_type_find(stream->packet_context, "cpu_id")->type->big_endian);
	g_assert_cmpuint(stream->event_header->align, ==, 8);
	v = trc_type_find(stream->event_header, "v");
	g_assert_cmpuint(v->offset, ==, 5);
	g_assert_cmpstr(v->type->reference, ==, "id");
	g_assert_cmpuint(v->type->n_fields, ==, 2);
	g_assert_cmpstr(v->type->fields[0].type->fields[0].type->clock, ==, "mono");
	g_assert_cmpuint(v->type->fields[1].type->align, ==, 8);
	trc_meta_free(t);
}

static void test_layout(void)
{
	const struct trc_type *type;
	struct trc_meta *t;

	t = parse_fields(
		"uint8_t a; integer { size = 16; align = 16; signed = 1; } _b; uint8_t c[3]; uint32_t d[2][3];"
		"string s; uint8_t __n; uint32_t _q[ __n ]; uint8_t last;",
		&type);
	g_assert_cmpuint(trc_type_find(type, "b")->offset, ==, 16);
	g_assert_true(trc_type_find(type, "b")->type->is_signed);
	g_assert_cmpuint(trc_type_find(type, "c")->offset, ==, 32);
	g_assert_cmpuint(trc_type_find(type, "d")->offset, ==, 56);
	g_assert_cmpuint(trc_type_find(type, "d")->type->bits, ==, 6 * 32);
	g_assert_cmpuint(trc_type_find(type, "d")->type->length, ==, 2);
	g_assert_cmpuint(trc_type_find(type, "d")->type->element->length, ==, 3);
	g_assert_cmpuint(trc_type_find(type, "s")->offset, ==, 56 + 192);
	g_assert_true(trc_type_find(type, "q")->offset == TRC_VARIABLE);
	g_assert_cmpstr(trc_type_find(type, "q")->type->reference, ==, "__n");
	g_assert_cmpuint(type->align, ==, 16);
	g_assert_true(type->bits == TRC_VARIABLE);
	trc_meta_free(t);
	t = parse_fields(
		"integer { size = 3; } a; integer { size = 13; } b; struct { } nothing; uint8_t c[0];"
		"floating_point { exp_dig = 8; mant_dig = 24; align = 32; } f;"
		"enum : uint8_t { \"A\", B = 5, C, D = 10 ... 12, } e; const unsigned long l;",
		&type);
	g_assert_cmpuint(trc_type_find(type, "b")->offset, ==, 3);
	g_assert_cmpuint(trc_type_find(type, "f")->offset, ==, 32);
	g_assert_cmpuint(trc_type_find(type, "e")->offset, ==, 64);
	g_assert_cmpuint(trc_type_find(type, "e")->type->labels[2].low, ==, 6);
	g_assert_cmpuint(trc_type_find(type, "e")->type->labels[3].high, ==, 12);
	g_assert_cmpuint(type->bits, ==, 72 + 64);
	trc_meta_free(t);
}

/* Invalid metadata, and the line and words of the message. */
static void test_errors(void)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{ "", "metadata line 1: it ends before any stream*" },
		{ "/* CTF 1.8 */\n\ntrace {", "metadata line 3: expected a name, but there is its end" },
		{ "trace { byte_order = middle; };", "*byte order*" },
		{ "stream { id = 1; };\nstream { id = 1; };", "metadata line 2: there are two streams 1" },
		{ "event { name = \"x\"; id = 0; stream_id = 0; };", "*\"x\" belongs to no stream" },
		{ "stream { packet.context := uint9_t; };", "*unknown type \"uint9_t\"" },
		{ "stream { packet.context := integer { size = 8; }; };", "*must be a struct" },
		{ "stream { packet.context := struct { integer { size = 65; } a; }; };", "*64 bits*" },
		{ "stream { packet.context := struct { integer { size = 0; } a; }; };", "*1 to 64 bits*" },
		{ "stream { packet.context := struct { integer { size = 8; align = 3; } a; }; };",
			"*power of two*" },
		{ "stream { id = 99999999999999999999; };", "*a number that is wrong or too large" },
		{ "stream { id = \"abc", "*a string without end" },
		{ "stream { id = 1; }; \x01", "*an unexpected character" },
		{ "struct a { }; struct a { };", "*\"struct a\" is defined twice" },
		{ "clock { freq = 0; };", "*frequency is 0" },
	};
	size_t i;

	for (i = 0; i < G_N_ELEMENTS(cases); i++) {
		GError *error = NULL;

		g_test_message("%s", cases[i].text);
		g_assert_null(trc_tsdl_parse(cases[i].text, strlen(cases[i].text), &error));
		g_assert_error(error, BASE_ERROR, BASE_ERROR_DATA);
		if (!g_pattern_match_simple(cases[i].message, error->message))
			g_error("\"%s\" is not \"%s\"", error->message, cases[i].message);
		g_error_free(error);
	}
}

/* TEXT is refused with MESSAGE. */
static void refuse(const GString *text, const char *message)
{
	GError *error = NULL;

	g_assert_null(trc_tsdl_parse(text->str, text->len, &error));
	g_assert_error(error, BASE_ERROR, BASE_ERROR_REFUSED);
	g_assert_nonnull(strstr(error->message, message));
	g_error_free(error);
}

/* Types within types, in braces and through names; sizes that double with each name; arrays. */
static void test_bombs(void)
{
	GString *text = g_string_new("stream { packet.context := ");
	int i;

	for (i = 0; i < 100000; i++)
		g_string_append(text, "struct { ");
	refuse(text, "nested too deeply");
	g_string_assign(text, "struct s0 { };");
	for (i = 1; i < 40; i++)
		g_string_append_printf(text, "struct s%d { struct s%d a; };", i, i - 1);
	refuse(text, "nested too deeply");
	g_string_assign(text, "struct s0 { integer { size = 64; } a, b; };");
	for (i = 1; i < 60; i++)
		g_string_append_printf(text, "struct s%d { struct s%d a, b; };", i, i - 1);
	refuse(text, "too large");
	g_string_assign(text, "struct s0 { };");
	for (i = 1; i < 200; i++)
		g_string_append_printf(text, "struct s%d { struct s%d a, b; };", i, i - 1);
	refuse(text, "too large");
	g_string_assign(text,
		ALIASES "stream { packet.context := struct { uint8_t a[0xffffffffffffffff]; }; };");
	refuse(text, "too large");
	g_string_assign(text,
		ALIASES "stream { packet.context := struct { uint32_t a[0x40000000][0x40000000]; }; };");
	refuse(text, "too large");
	g_string_assign(text,
		ALIASES "stream { packet.context := struct { uint8_t a[1][1][1][1][1][1][1][1][1]; }; };");
	refuse(text, "dimensions");
	g_string_free(text, TRUE);
}

/* ---- limits: accepted at the limit, refused one beyond it ---- */

#define U8 "integer { size = 8; } "

/* Makes a text with N of the limited thing. */
typedef void (*make_func)(GString *text, uint64_t n);

static void repeat(GString *text, const char *part, uint64_t n)
{
	for (; n > 0; n--)
		g_string_append(text, part);
}

/* A text by MAKE with MOST is read; with one more it is refused with CODE and MESSAGE. */
static void limit(make_func make, uint64_t most, enum base_error code, const char *message)
{
	g_autoptr(GString) text = g_string_new(NULL);
	GError *error = NULL;
	struct trc_meta *t;

	make(text, most);
	t = trc_tsdl_parse(text->str, text->len, &error);
	g_assert_no_error(error);
	trc_meta_free(t);
	g_string_assign(text, "");
	make(text, most + 1);
	g_assert_null(trc_tsdl_parse(text->str, text->len, &error));
	g_assert_error(error, BASE_ERROR, (int)code);
	if (!strstr(error->message, message))
		g_error("\"%s\" is not in \"%s\"", message, error->message);
	g_error_free(error);
}

static void make_braces(GString *text, uint64_t n)
{
	g_string_append(text, "stream { packet.context := ");
	repeat(text, "struct { ", n - 1);
	g_string_append(text, U8 "a; ");
	repeat(text, "} a; ", n - 2);
	g_string_append(text, "}; };");
}

static void make_chain(GString *text, uint64_t n)
{
	g_string_append(text, "stream { }; struct s1 { };");
	for (uint64_t i = 2; i <= n; i++)
		g_string_append_printf(text, "struct s%u { struct s%u a; };", (unsigned)i, (unsigned)i - 1);
}

/* A struct is a node, and each field is one. */
static void make_nodes(GString *text, uint64_t n)
{
	g_string_append(text, "stream { }; typealias " U8 ":= u; struct s {");
	repeat(text, "u a;", n - 1);
	g_string_append(text, "};");
}

static void make_labels(GString *text, uint64_t n)
{
	g_string_append(text, "stream { }; enum e : " U8 "{");
	repeat(text, "A,", n - 1);
	g_string_append(text, "};");
}

static void make_array(GString *text, uint64_t bits)
{
	g_string_append_printf(text,
		"stream { packet.context := struct { integer { size = 1; } a[%" G_GUINT64_FORMAT "]; }; };",
		bits);
}

/* 2^39 bits, and a larger size through an array. */
static void make_struct(GString *text, uint64_t bits)
{
	g_string_append_printf(text,
		"stream { packet.context := struct { integer { size = 1; } a[0x8000000000]; integer { size = 1; } "
		"b[%" G_GUINT64_FORMAT "]; }; };",
		bits - (UINT64_C(1) << 39));
}

static void make_dimensions(GString *text, uint64_t n)
{
	g_string_append(text, "stream { packet.context := struct { " U8 "a");
	repeat(text, "[1]", n);
	g_string_append(text, "; }; };");
}

/* Each "string" is a type, and each struct. */
static void make_types(GString *text, uint64_t n)
{
	g_string_append(text, "stream { };");
	for (uint64_t left = n, some; left > 0; left -= some) {
		some = MIN(left, 40001);
		g_string_append_printf(text, "struct s%u {", (unsigned)left);
		repeat(text, "string a;", some - 1);
		g_string_append(text, "};");
	}
}

static void make_unfolded(GString *text, uint64_t n)
{
	g_string_append(text, "stream { }; typealias " U8 ":= u; struct s {");
	repeat(text, "u a;", (1 << 15) - 1);
	g_string_append(text, "};");
	repeat(text, "event { fields := struct s; };", n / (1 << 15));
	repeat(text, "event { fields := struct { }; };", n % (1 << 15));
}

static void make_env(GString *text, uint64_t n)
{
	g_string_append(text, "stream { }; env {");
	repeat(text, "a = 1;", n);
	g_string_append(text, "};");
}

static void make_streams(GString *text, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		g_string_append_printf(text, "stream { id = %u; };", (unsigned)i);
}

static void make_events(GString *text, uint64_t n)
{
	g_string_append(text, "stream { };");
	repeat(text, "event { };", n);
}

static void make_clocks(GString *text, uint64_t n)
{
	g_string_append(text, "stream { };");
	repeat(text, "clock { };", n);
}

static void make_name(GString *text, uint64_t n)
{
	g_string_append(text, "stream { }; struct ");
	repeat(text, "n", n);
	g_string_append(text, " { };");
}

static void make_text(GString *text, uint64_t n)
{
	g_string_append(text, "stream { }; env { a = \"");
	repeat(text, "t", n);
	g_string_append(text, "\"; };");
}

static void make_align(GString *text, uint64_t n)
{
	g_string_append_printf(text,
		"stream { }; struct s { integer { size = 8; align = %" G_GUINT64_FORMAT "; } a; };",
		n > 65536 ? 2 * 65536 : n);
}

static void make_number(GString *text, uint64_t n)
{
	g_string_append_printf(text, "stream { }; struct s { integer { size = %" G_GUINT64_FORMAT "; } a; };",
		n);
}

static void test_limits(void)
{
	limit(make_braces, 32, BASE_ERROR_REFUSED, "nested too deeply");
	limit(make_chain, 32, BASE_ERROR_REFUSED, "nested too deeply");
	limit(make_nodes, 50000, BASE_ERROR_REFUSED, "too large");
	limit(make_labels, 50000, BASE_ERROR_REFUSED, "too many labels");
	limit(make_array, UINT64_C(1) << 40, BASE_ERROR_REFUSED, "too large");
	limit(make_struct, UINT64_C(1) << 40, BASE_ERROR_REFUSED, "too large");
	limit(make_dimensions, 8, BASE_ERROR_REFUSED, "too many dimensions");
	limit(make_types, (1 << 20) + 1, BASE_ERROR_REFUSED, "too many types");
	limit(make_unfolded, 1 << 20, BASE_ERROR_REFUSED, "too many fields in all");
	limit(make_env, 100001, BASE_ERROR_REFUSED, "too many things");
	limit(make_streams, 100001, BASE_ERROR_REFUSED, "too many things");
	limit(make_events, 100001, BASE_ERROR_REFUSED, "too many events");
	limit(make_clocks, 65, BASE_ERROR_REFUSED, "too many things");
	limit(make_name, 512, BASE_ERROR_DATA, "too long");
	limit(make_text, 65536, BASE_ERROR_DATA, "a string");
	limit(make_align, 65536, BASE_ERROR_DATA, "an alignment must be a power of two");
	limit(make_number, 64, BASE_ERROR_DATA, "64 bits");
}

/* A clock too far from the Epoch counts from 0. */
static void test_far_clocks(void)
{
	const int64_t farthest = BASE_TIME_FARTHEST / 8 * 7;

	for (int more = 0; more < 2; more++)
		for (int sign = -1; sign <= 1; sign += 2) {
			g_autofree char *text = g_strdup_printf("clock { offset = %" G_GINT64_FORMAT
								"; }; stream { };",
				sign * (farthest + more));
			struct trc_meta *t = parse_fine(text);
			const struct trc_clock *clock = g_ptr_array_index(t->clocks, 0);

			g_assert_true(clock->astray == (more > 0));
			g_assert_cmpint(trc_clock_ns(clock, 0), ==, more > 0 ? 0 : sign * farthest);
			trc_meta_free(t);
		}
}

static void test_clock(void)
{
	struct trc_clock clock = { .name = "c", .frequency = 1000000000, .offset_s = 2, .offset = 5 };

	g_assert_cmpint(trc_clock_ns(&clock, 10), ==, 2000000015);
	clock.frequency = 3;
	g_assert_cmpint(trc_clock_ns(&clock, 10), ==, 6999999999); /* 3.666666666 + 3.333333333 */
	g_assert_cmpint(trc_clock_ns(&clock, 11), ==, 7333333332);
	clock.offset = -5;
	g_assert_cmpint(trc_clock_ns(&clock, 11), ==, 3999999999); /* 0.333333333 + 3.666666666 */
	clock.frequency = 1;
	g_assert_cmpint(trc_clock_ns(&clock, UINT64_MAX), ==, INT64_MAX);
	clock.offset_s = INT64_MIN;
	g_assert_cmpint(trc_clock_ns(&clock, 1), ==, INT64_MAX); /* does not fit */
}

/* Every sample has as many events as its text, counted in another way. */
static void check_sample(const char *folder, gpointer data)
{
	const char *argv[] = { "babeltrace2", "--output-format=ctf-metadata", folder, NULL };
	char *text = trc_test_run(argv, NULL), *at;
	char *path = g_build_filename(folder, "metadata", NULL), *bytes;
	unsigned expected = 0, found = 0, i;
	GError *error = NULL;
	struct trc_meta *t;
	gsize size;

	(void)data;
	for (at = text; (at = strstr(at, "\nevent {")); at++)
		expected++;
	g_assert_true(g_file_get_contents(path, &bytes, &size, NULL));
	t = trc_tsdl_parse(bytes, size, &error);
	g_assert_no_error(error);
	for (i = 0; i < t->streams->len; i++)
		found += ((struct trc_stream_class *)g_ptr_array_index(t->streams, i))->events->len;
	g_assert_cmpuint(found, ==, expected);
	g_assert_cmpuint(found, >, 0);
	trc_meta_free(t);
	g_free(bytes);
	g_free(path);
	g_free(text);
}

static void test_samples(void)
{
	g_assert_cmpuint(trc_test_each_sample(check_sample, NULL), >, 0);
}

/* Metadata damaged at random gives a tree or an error. */
static void test_damage(void)
{
	const char *text = HEADER "event { name = \"e\"; id = 1; stream_id = 3; fields := struct { string s;"
				  " uint8_t n; uint32_t q[n]; enum : uint8_t { A = -1 ... 3 } e; }; };";
	size_t length = strlen(text);
	int i;

	for (i = 0; i < 20000; i++) {
		char *damaged = g_strdup(text);
		int n = g_test_rand_int_range(1, 5);
		struct trc_meta *t;

		while (n--)
			damaged[g_test_rand_int_range(0, (gint32)length)] = (char)g_test_rand_int_range(0,
				256);
		t = trc_tsdl_parse(damaged, i % 2 ? length : (size_t)g_test_rand_int_range(0, (gint32)length),
			NULL);
		trc_meta_free(t);
		g_free(damaged);
	}
}

static void refuse_packet(const uint8_t *packet, size_t length)
{
	GError *error = NULL;

	g_assert_null(trc_tsdl_parse(packet, length, &error));
	g_assert_error(error, BASE_ERROR, BASE_ERROR_DATA);
	g_clear_error(&error);
}

static void put_size(uint8_t *at, size_t bytes)
{
	uint32_t bits = GUINT32_TO_LE((uint32_t)bytes * 8);

	memcpy(at, &bits, sizeof bits);
}

/* The packets of a metadata file, cut at every length, and with wrong sizes. */
static void test_packets(void)
{
	static const char text[] = "/* CTF 1.8 */ stream { id = 0; };";
	uint8_t packet[37 + sizeof(text) + 3] = { 0x57, 0x1d, 0xd1, 0x75 };
	uint32_t content = (uint32_t)(37 + strlen(text)) * 8, size = sizeof(packet) * 8;
	GError *error = NULL;
	struct trc_meta *t;
	size_t length;

	content = GUINT32_TO_LE(content);
	size = GUINT32_TO_LE(size);
	memcpy(packet + 24, &content, 4);
	memcpy(packet + 28, &size, 4);
	memcpy(packet + 37, text, strlen(text));
	t = trc_tsdl_parse(packet, sizeof(packet), &error);
	g_assert_no_error(error);
	g_assert_nonnull(trc_meta_stream(t, 0));
	trc_meta_free(t);
	for (length = 0; length < sizeof(packet); length++)
		refuse_packet(packet, length);
	/* A size from the header's to the packet's is accepted, any other is refused. */
	put_size(packet + 24, 36);
	refuse_packet(packet, sizeof packet);
	put_size(packet + 24, sizeof packet + 1);
	refuse_packet(packet, sizeof packet);
	put_size(packet + 24, 37 + strlen(text));
	put_size(packet + 28, sizeof packet + 1);
	refuse_packet(packet, sizeof packet);
	put_size(packet + 28, sizeof packet);
	for (unsigned i = 32; i <= 33; i++) { /* compressed, encrypted */
		packet[i] = 1;
		refuse_packet(packet, sizeof packet);
		packet[i] = 0;
	}
	trc_meta_free(trc_tsdl_parse(packet, sizeof(packet), &error));
	g_assert_no_error(error);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/tsdl/header", test_header);
	g_test_add_func("/tsdl/layout", test_layout);
	g_test_add_func("/tsdl/errors", test_errors);
	g_test_add_func("/tsdl/bombs", test_bombs);
	g_test_add_func("/tsdl/limits", test_limits);
	g_test_add_func("/tsdl/far-clocks", test_far_clocks);
	g_test_add_func("/tsdl/clock", test_clock);
	g_test_add_func("/tsdl/packets", test_packets);
	g_test_add_func("/tsdl/samples", test_samples);
	g_test_add_func("/tsdl/damage", test_damage);
	return g_test_run();
}
