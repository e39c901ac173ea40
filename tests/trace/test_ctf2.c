/* SPDX-License-Identifier: MIT */
/*
 * The metadata of CTF 2. Each field class is decoded from bytes made by hand, whose values are worked out
 * from the specification (CTF2-SPEC-2.0, 6.4). Errors name their fragment and line. Each limit is tested, and
 * one beyond it.
 */
#include "base/base_error.h"
#include "trace/ctf/trc_ctf.h"
#include "trace/ctf/trc_ctf_class.h"
#include "trace/ctf2/trc_ctf2.h"
#include "trace/meta/trc_meta_type.h"
#include "trace/trc_reader.h"
#include "trace/trc_test_open.h"
#include "trc_made.h"
#include "trc_test.h"

#include <string.h>

#define RS "\x1e"
#define PREAMBLE RS "{\"type\":\"preamble\",\"version\":2}\n"
#define STREAM RS "{\"type\":\"data-stream-class\"}\n"
#define EVENT(payload)                                                                                                     \
	RS "{\"type\":\"event-record-class\",\"payload-field-class\":{\"type\":\"structure\",\"member-classes\":[" payload \
	   "]}}\n"
#define MEMBER(name, class) "{\"name\":\"" name "\",\"field-class\":{" class "}}"
#define FIXED(type, length, order) \
	"\"type\":\"fixed-length-" type "\",\"length\":" #length ",\"byte-order\":\"" order "-endian\""
#define U(length) FIXED("unsigned-integer", length, "little")
#define U8 U(8) ",\"alignment\":8"
#define RANGES(ranges) "\"selector-field-ranges\":" ranges

static struct trc_meta *parse(const char *text, GError **error)
{
	return trc_ctf2_parse(text, strlen(text), error);
}

/* ---- each field class ---- */

/* Decode HEX, hexadecimal digits with blanks, into memory of exactly that size; the caller frees it. */
static uint8_t *bytes_of(const char *hex, size_t *size)
{
	GByteArray *bytes = g_byte_array_new();

	for (; *hex; hex++) {
		if (*hex != ' ') {
			uint8_t byte = (uint8_t)(g_ascii_xdigit_value(hex[0]) << 4 |
				g_ascii_xdigit_value(hex[1]));

			g_byte_array_append(bytes, &byte, 1);
			hex++;
		}
	}
	*size = bytes->len;
	return bytes->len ? g_byte_array_free(bytes, FALSE) : (g_byte_array_unref(bytes), g_malloc0(1));
}

/* The event at HEX, of TEXT's only class, is BITS long and reads as EXPECTED; with one bit less it is
 * incomplete. */
static void check_text(const char *text, const char *hex, uint64_t bits, const char *expected)
{
	GError *error = NULL;
	struct trc_meta *t = parse(text, &error);
	g_autoptr(GPtrArray) classes = g_ptr_array_new_with_free_func(trc_ctf_stream_free);
	size_t size;
	g_autofree uint8_t *data = bytes_of(hex, &size);
	GString *to = g_string_new(NULL);
	struct trc_text *texts = trc_text_new();
	const struct trc_ctf_stream *class;
	const struct trc_event_class *event;
	struct trc_walk w = { .data = data, .limit = size * 8 };

	g_assert_no_error(error);
	g_assert_true(trc_ctf_compile(t, false, classes, NULL));
	class = g_ptr_array_index(classes, 0);
	if (class->unknown)
		g_error("%s: not understood", text);
	event = g_ptr_array_index(class->source->events, 0);
	g_assert_true(trc_plan_run(trc_ctf_event_of(class, event->id)->plan, &w));
	g_assert_cmpuint(w.at, ==, bits);
	g_assert_true(trc_text_event(texts, class->source, event, data, 0, bits,
		&(struct trc_text_around){ 0 }, to, NULL));
	g_assert_cmpstr(to->str, ==, expected);
	w.at = 0;
	w.limit = bits - 1;
	g_assert_true(!bits || !trc_plan_run(trc_ctf_event_of(class, event->id)->plan, &w));
	g_string_truncate(to, 0);
	g_assert_true(!bits ||
		!trc_text_event(texts, class->source, event, data, 0, bits - 1,
			&(struct trc_text_around){ 0 }, to, NULL));
	g_string_free(to, TRUE);
	trc_text_free(texts);
	trc_meta_free(t);
}

static void check(const char *payload, const char *hex, uint64_t bits, const char *expected)
{
	g_autofree char *text = g_strdup_printf(PREAMBLE STREAM EVENT("%s"), payload);

	check_text(text, hex, bits, expected);
}

static void visit_seen(void *data, const char *field, char *text, size_t room)
{
	g_string_append_printf(data, "%s=%.*s;", field, (int)room, text);
}

/* Visiting the event of PAYLOAD at HEX reaches its end and sees EXPECTED. */
static void check_visit(const char *payload, const char *hex, const char *expected)
{
	g_autofree char *text = g_strdup_printf(PREAMBLE STREAM EVENT("%s"), payload);
	GError *error = NULL;
	struct trc_meta *t = parse(text, &error);
	const struct trc_stream_class *stream;
	struct trc_text *texts = trc_text_new();
	GString *seen = g_string_new(NULL);
	size_t size;
	g_autofree uint8_t *data = bytes_of(hex, &size);

	g_assert_no_error(error);
	stream = g_ptr_array_index(t->streams, 0);
	g_assert_true(trc_text_visit(texts, stream, g_ptr_array_index(stream->events, 0), data, 0, size * 8,
		&(struct trc_text_around){ 0 }, visit_seen, seen));
	g_assert_cmpstr(seen->str, ==, expected);
	g_string_free(seen, TRUE);
	trc_text_free(texts);
	trc_meta_free(t);
}

/* Texts behind 2^40 elements of size 0 are found at once; texts within elements are all found. */
static void test_visit(void)
{
	check_visit(MEMBER("a",
			    "\"type\":\"static-length-array\",\"length\":1099511627776,"
			    "\"element-field-class\":{\"type\":\"structure\"}") "," MEMBER("b",
			    "\"type\":\"null-terminated-string\""),
		"6162 00", "b=ab;");
	check_visit(MEMBER("a",
			    "\"type\":\"static-length-array\",\"length\":3,"
			    "\"element-field-class\":{\"type\":\"null-terminated-string\"}"),
		"61 00 00 6263 00", "a=a;a=;a=bc;");
}

/* 0x1234 in each byte order; 12 bits of each; in each bit order (example 94). */
static void test_integers(void)
{
	check(MEMBER("a", FIXED("unsigned-integer", 16, "little")) "," MEMBER("b",
		      FIXED("unsigned-integer", 16, "big")),
		"3412 1234", 32, "{ a = 4660, b = 4660 }");
	check(MEMBER("a", FIXED("signed-integer", 4, "little")) "," MEMBER("b",
		      FIXED("signed-integer", 12, "little")),
		"87 ff", 16, "{ a = 7, b = -8 }");
	check(MEMBER("a", FIXED("unsigned-integer", 4, "big")) "," MEMBER("b",
		      FIXED("signed-integer", 12, "big")),
		"8f fe", 16, "{ a = 8, b = -2 }");
	/* The first bit is the most significant one: 1011, counted from the low bit of 0x0d. */
	check(MEMBER("a",
		      FIXED("unsigned-integer", 4,
			      "little") ",\"bit-order\":\"last-to-first\"") "," MEMBER("b",
		      FIXED("signed-integer", 4, "little") ",\"bit-order\":\"last-to-first\""),
		"1d", 8, "{ a = 11, b = -8 }");
	/* The first bit is the least significant one: 1101, counted from the high bit of 0xd2; then 0010. */
	check(MEMBER("a",
		      FIXED("unsigned-integer", 4, "big") ",\"bit-order\":\"first-to-last\"") "," MEMBER("b",
		      FIXED("unsigned-integer", 4, "big") ",\"bit-order\":\"first-to-last\""),
		"d2", 8, "{ a = 11, b = 4 }");
	check(MEMBER("a", FIXED("unsigned-integer", 16, "big") ",\"bit-order\":\"first-to-last\""), "8001",
		16, "{ a = 32769 }");
	check(MEMBER("a", FIXED("unsigned-integer", 16, "big") ",\"bit-order\":\"first-to-last\""), "8000",
		16, "{ a = 1 }");
	check(MEMBER("a", U8 ",\"preferred-display-base\":16") "," MEMBER("b",
		      U(32) ",\"alignment\":32,\"preferred-display-base\":8"),
		"ff 000000 08000000", 64, "{ a = 0xFF, b = 010 }");
	check(MEMBER("a", U(64) ",\"alignment\":8"), "ffffffffffffffff", 64, "{ a = 18446744073709551615 }");
}

/* Ranges of mappings beyond what the field holds, and all 64 bits of them. */
static void test_mappings(void)
{
	check(MEMBER("a", U8 ",\"mappings\":{\"low\":[[-5,1],[7,7]],\"high\":[[7,300]],\"none\":[[-2,-1]]}"),
		"07", 8, "{ a = ( \"low\", \"high\" : container = 7 ) }");
	check(MEMBER("a", U8 ",\"mappings\":{\"none\":[[-2,-1]]}"), "ff", 8,
		"{ a = ( <unknown> : container = 255 ) }");
	check(MEMBER("a",
		      FIXED("signed-integer", 8,
			      "little") ",\"mappings\":{\"below\":[[-128,-1]],\"above\":[[0,18446744073709551615]]}"),
		"ff", 8, "{ a = ( \"below\" : container = -1 ) }");
	check(MEMBER("a",
		      U(64) ",\"mappings\":{\"top\":[[18446744073709551615,18446744073709551615]],\"other\":[[0,9223372036854775807]]}"),
		"ffffffffffffffff", 64, "{ a = ( \"top\" : container = 18446744073709551615 ) }");
}

/* A bit array, a bit map (as in example 97: bit 0 is the lowest), booleans, and fields of more than 64
 * bits. */
static void test_bits(void)
{
	check(MEMBER("a", FIXED("bit-array", 12, "little")) "," MEMBER("b", FIXED("boolean", 4, "little")),
		"cd0b", 16, "{ a = 0xBCD, b = false }");
	check(MEMBER("b", FIXED("boolean", 8, "big")), "40", 8, "{ b = true }");
	check(MEMBER("m",
		      FIXED("bit-map", 8,
			      "little") ",\"flags\":{\"Mercury\":[[7,7]],\"Venus\":[[6,6],[2,3]],\"Earth\":[[5,7]],\"Mars\":[[0,1]]}"),
		"a2", 8, "{ m = ( \"Mercury\", \"Earth\", \"Mars\" : container = 0xA2 ) }");
	check(MEMBER("m", FIXED("bit-map", 8, "little") ",\"flags\":{\"A\":[[0,0]]}"), "02", 8,
		"{ m = ( <unknown> : container = 0x2 ) }");
	check(MEMBER("pad", U8) "," MEMBER("w",
		      FIXED("bit-array", 65, "little") ",\"alignment\":16") "," MEMBER("b", U(7)),
		"00 00 0100000000000000 ff", 88,
		"{ pad = 0, w = [ [0] = 1, [1] = 0, [2] = 0, [3] = 0, [4] = 0, [5] = 0, [6] = 0, [7] = 0, [8] = 0, [9] = 0, "
		"[10] = 0, [11] = 0, [12] = 0, [13] = 0, [14] = 0, [15] = 0, [16] = 0, [17] = 0, [18] = 0, [19] = 0, "
		"[20] = 0, [21] = 0, [22] = 0, [23] = 0, [24] = 0, [25] = 0, [26] = 0, [27] = 0, [28] = 0, [29] = 0, "
		"[30] = 0, [31] = 0, [32] = 0, [33] = 0, [34] = 0, [35] = 0, [36] = 0, [37] = 0, [38] = 0, [39] = 0, "
		"[40] = 0, [41] = 0, [42] = 0, [43] = 0, [44] = 0, [45] = 0, [46] = 0, [47] = 0, [48] = 0, [49] = 0, "
		"[50] = 0, [51] = 0, [52] = 0, [53] = 0, [54] = 0, [55] = 0, [56] = 0, [57] = 0, [58] = 0, [59] = 0, "
		"[60] = 0, [61] = 0, [62] = 0, [63] = 0, [64] = 1 ], b = 127 }");
}

/* 1.5, -2 and 1/3 as IEEE 754 has them. */
static void test_floats(void)
{
	check(MEMBER("h", FIXED("floating-point-number", 16, "little")) "," MEMBER("f",
		      FIXED("floating-point-number", 32, "big")) "," MEMBER("d",
		      FIXED("floating-point-number", 64, "little")),
		"003e c0000000 555555555555d53f", 112, "{ h = 1.5, f = -2, d = 0.333333 }");
	/* The smallest binary16, its largest, and infinity. */
	check(MEMBER("a", FIXED("floating-point-number", 16, "big")) "," MEMBER("b",
		      FIXED("floating-point-number", 16, "big")) "," MEMBER("c",
		      FIXED("floating-point-number", 16, "big")),
		"0001 7bff fc00", 48, "{ a = 5.96046e-08, b = 65504, c = -inf }");
}

/* Examples of LEB128 from DWARF 5, 7.6; and all of 64 bits. */
static void test_leb(void)
{
	static const char u[] = "\"type\":\"variable-length-unsigned-integer\"",
			  s[] = "\"type\":\"variable-length-signed-integer\"";
	g_autofree char *unsigneds =
				g_strdup_printf(MEMBER("a", "%s") "," MEMBER("b",
							"%s,\"preferred-display-base\":16") "," MEMBER("c",
							"%s"),
					u, u, u),
			*signeds = g_strdup_printf(MEMBER("a", "%s") "," MEMBER("b", "%s") "," MEMBER("c",
							   "%s") "," MEMBER("d", "%s"),
				s, s, s, s),
			*one = g_strdup_printf(MEMBER("x", U(3)) "," MEMBER("a", "%s"), u);

	check(unsigneds, "02 8101 b97e", 40, "{ a = 2, b = 0x81, c = 16185 }");
	check(signeds, "7e ff00 80 7f 9b f1 59", 64, "{ a = -2, b = 127, c = -128, d = -624485 }");
	check(one, "07 ffffffffffffffffff01", 88, "{ x = 7, a = 18446744073709551615 }");
	check(one, "07 80 80 00", 32, "{ x = 7, a = 0 }");
}

/* "aé😀" in each encoding. */
static void test_strings(void)
{
	static const char nul[] = "\"type\":\"null-terminated-string\"",
			  some[] = "\"type\":\"static-length-string\"";
	g_autofree char *utf8 = g_strdup_printf(MEMBER("a", "%s") "," MEMBER("b",
							"%s,\"length\":4,\"encoding\":\"utf-8\""),
				nul, some),
			*le16 = g_strdup_printf(MEMBER("a", "%s,\"encoding\":\"utf-16le\"") "," MEMBER("b",
							"%s,\"length\":5,\"encoding\":\"utf-16be\""),
				nul, some),
			*be32 = g_strdup_printf(MEMBER("a", "%s,\"encoding\":\"utf-32be\"") "," MEMBER("b",
							"%s,\"length\":8,\"encoding\":\"utf-32le\""),
				nul, some),
			*empty = g_strdup_printf(MEMBER("a", "%s,\"length\":0"), some);

	check(utf8, "61 c3a9 f09f9880 00 78 00 79 79", 96, "{ a = \"aé😀\", b = \"x\" }");
	check(le16, "6100 e900 3dd8 00de 0000 0078 d800 79", 120, "{ a = \"aé😀\", b = \"x\xef\xbf\xbd\" }");
	check(be32, "00000061 0001f600 00000000 78000000 00000000", 160, "{ a = \"a😀\", b = \"x\" }");
	check(MEMBER("n", U(3)) "," MEMBER("s",
		      "\"type\":\"dynamic-length-string\",\"encoding\":\"utf-16be\",\"length-field-location\":{\"path\":[\"n\"]}"),
		"04 0061 0062", 40, "{ n = 4, s = \"ab\" }");
	check(empty, "", 0, "{ a = \"\" }");
}

static void test_blobs(void)
{
	check(MEMBER("n", "\"type\":\"variable-length-unsigned-integer\"") "," MEMBER("s",
		      "\"type\":\"static-length-blob\",\"length\":2,\"media-type\":\"image/tiff\"") "," MEMBER("d",
		      "\"type\":\"dynamic-length-blob\",\"length-field-location\":{\"origin\":\"event-record-payload\",\"path\":[\"n\"]}"),
		"01 00ff 80", 32, "{ n = 1, s = [ [0] = 0x0, [1] = 0xFF ], d = [ [0] = 0x80 ] }");
}

/* Alignment of structures and arrays, including empty ones. */
static void test_alignment(void)
{
	check(MEMBER("x", U(3)) "," MEMBER("s",
		      "\"type\":\"structure\",\"minimum-alignment\":16,\"member-classes\":[" MEMBER("a",
			      U(4)) "]") "," MEMBER("y", U(4)),
		"07 00 21", 24, "{ x = 7, s = { a = 1 }, y = 2 }");
	check(MEMBER("x", U8) "," MEMBER("e",
		      "\"type\":\"static-length-array\",\"length\":0,\"minimum-alignment\":32,\"element-field-class\":{" U8
		      "}") "," MEMBER("y", U8),
		"01 000000 02", 40, "{ x = 1, e = [ ], y = 2 }");
	/* Example 57: a 32-bit number as flags, here a 4-bit one. */
	check(MEMBER("x", U8) "," MEMBER("f",
		      "\"type\":\"static-length-array\",\"length\":4,\"minimum-alignment\":16,\"element-field-class\":{" FIXED(
			      "boolean", 1, "little") "}"),
		"00 00 05", 20, "{ x = 0, f = [ [0] = true, [1] = false, [2] = true, [3] = false ] }");
	check(MEMBER("n", U8) "," MEMBER("a", "\"type\":\"dynamic-length-array\",\"minimum-alignment\":32,\"length-field-location\":{\"path\":[\"n\"]},\"element-field-class\":{\"type\":\"null-terminated-string\"}") "," MEMBER(
		      "y", U8),
		"02 000000 6100 00 09", 64, "{ n = 2, a = [ [0] = \"a\", [1] = \"\" ], y = 9 }");
}

#define LOCATION(key, path) "\"" key "-field-location\":{\"path\":[" path "]}"
#define SELECT(path) LOCATION("selector", path)
#define BYTES_OF(path) "\"type\":\"dynamic-length-blob\"," LOCATION("length", path)

/* Selected by a boolean, an unsigned and a signed number. */
static void test_optionals(void)
{
	static const char by_bool[] = MEMBER("b", FIXED("boolean", 8, "little")) "," MEMBER("o",
		"\"type\":\"optional\"," SELECT("\"b\"") ",\"field-class\":{" U8 "}") "," MEMBER("y", U8);
	static const char by_signed[] = MEMBER("b", FIXED("signed-integer", 8, "little")) "," MEMBER("o",
		"\"type\":\"optional\"," SELECT("\"b\"") "," RANGES(
			"[[-12,-12],[-5,0],[15,35]]") ",\"field-class\":{\"type\":\"null-terminated-string\"}") "," MEMBER("y",
		U8);
	static const char by_unsigned[] = MEMBER("b", U8) "," MEMBER("o",
		"\"type\":\"optional\"," SELECT("\"b\"") "," RANGES(
			"[[-3,1],[200,1000]]") ",\"field-class\":{" U8 "}") "," MEMBER("y", U8);

	check(by_bool, "10 22 33", 24, "{ b = true, o = 34, y = 51 }");
	check(by_bool, "00 33", 16, "{ b = false, o = <none>, y = 51 }");
	check(by_signed, "f4 6100 07", 32, "{ b = -12, o = \"a\", y = 7 }");
	check(by_signed, "01 07", 16, "{ b = 1, o = <none>, y = 7 }");
	check(by_signed, "fa 07", 16, "{ b = -6, o = <none>, y = 7 }");
	check(by_unsigned, "c8 05 07", 24, "{ b = 200, o = 5, y = 7 }");
	check(by_unsigned, "02 07", 16, "{ b = 2, o = <none>, y = 7 }");
}

/* Options without names, several ranges of each, the whole range of 64 bits. */
static void test_variants(void)
{
	static const char mixed[] = MEMBER("s", FIXED("signed-integer", 8, "little")) "," MEMBER("v",
		"\"type\":\"variant\"," SELECT("\"s\"") ",\"options\":[{" RANGES(
			"[[-128,-1],[5,5]]") ",\"field-class\":{" U8 "}},"
					     "{" RANGES(
						     "[[6,18446744073709551615]]") ",\"name\":\"x\",\"field-class\":{\"type\":\"null-terminated-string\"}}]") "," MEMBER("y",
		U8);

	check(mixed, "ff 22 33", 24, "{ s = -1, v = { 34 }, y = 51 }");
	check(mixed, "05 22 33", 24, "{ s = 5, v = { 34 }, y = 51 }");
	check(mixed, "7f 6100 33", 32, "{ s = 127, v = { \"a\" }, y = 51 }");
	/* A variant within an optional, both by one number (example 63). */
	check(MEMBER("s", U8) "," MEMBER("o",
		      "\"type\":\"optional\"," SELECT("\"s\"") "," RANGES("[[1,255]]") ",\"field-class\":{\"type\":\"variant\"," SELECT(
			      "\"s\"") ",\"options\":[{" RANGES("[[1,1]]") ",\"field-class\":{\"type\":\"null-terminated-string\"}},"
									   "{" RANGES(
										   "[[2,2]]") ",\"field-class\":{\"type\":\"variable-length-signed-integer\"}}]}"),
		"02 7f", 16, "{ s = 2, o = { -1 } }");
}

/* Examples 87 to 92 of the specification, and a name with a dot. */
static void test_locations(void)
{
	/* An array and its length within one element of another array (88). */
	check(MEMBER("nature",
		      "\"type\":\"static-length-array\",\"length\":2,\"element-field-class\":{\"type\":\"structure\",\"member-classes\":[" MEMBER(
			      "laser", "\"type\":\"variable-length-unsigned-integer\"") "," MEMBER("joystick",
			      BYTES_OF("\"laser\"")) "]}"),
		"01 aa 02 bb cc", 40,
		"{ nature = [ [0] = { laser = 1, joystick = [ [0] = 0xAA ] }, [1] = { laser = 2, joystick = [ [0] = 0xBB, [1] = 0xCC ] } ] }");
	/* The length is an option of a variant, with one of two sizes (90). */
	check(MEMBER("sel", U8) "," MEMBER("glass",
		      "\"type\":\"variant\"," SELECT("\"sel\"") ",\"options\":[{" RANGES(
			      "[[0,0]]") ",\"field-class\":{" U8 "}},"
					 "{" RANGES("[[1,1]]") ",\"field-class\":{" U(
						 16) "}}]") "," MEMBER("margin", BYTES_OF("\"glass\"")),
		"01 0100 ee", 32, "{ sel = 1, glass = { 1 }, margin = [ [0] = 0xEE ] }");
	/* The length is in whichever structure a variant selects (91). */
	check(MEMBER("sel", U8) "," MEMBER("glass",
		      "\"type\":\"variant\"," SELECT(
			      "\"sel\"") ",\"options\":["
					 "{" RANGES("[[0,0]]") ",\"field-class\":{\"type\":\"structure\",\"member-classes\":[" MEMBER(
						 "eagle",
						 U(16)) "]}},"
							"{" RANGES("[[1,1]]") ",\"field-class\":{\"type\":\"structure\",\"member-classes\":[" MEMBER(
								"eagle", U8) "," MEMBER("lock",
								"\"type\":\"dynamic-length-blob\",\"length-field-location\":{\"origin\":\"event-record-payload\",\"path\":[\"glass\",\"eagle\"]}") "]}}]") "," MEMBER("margin",
		      BYTES_OF("\"glass\",\"eagle\"")),
		"01 01 aa bb", 32,
		"{ sel = 1, glass = { { eagle = 1, lock = [ [0] = 0xAA ] } }, margin = [ [0] = 0xBB ] }");
	/* Up and down again: null leaves a structure. */
	check(MEMBER("a.b", U8) "," MEMBER("a",
		      "\"type\":\"structure\",\"member-classes\":[" MEMBER("b", U8) "," MEMBER("s",
			      "\"type\":\"structure\",\"member-classes\":[" MEMBER("x",
				      BYTES_OF("null,null,\"a.b\"")) "," MEMBER("y",
				      BYTES_OF("null,\"s\",null,\"b\"")) "]") "]"),
		"01 02 aa bb cc", 40,
		"{ a.b = 1, a = { b = 2, s = { x = [ [0] = 0xAA ], y = [ [0] = 0xBB, [1] = 0xCC ] } } }");
	/* In another root (92). */
	check_text(PREAMBLE RS
		"{\"type\":\"data-stream-class\",\"event-record-common-context-field-class\":{\"type\":\"structure\",\"member-classes\":[" MEMBER(
			"n",
			U8) "]}}\n" RS "{\"type\":\"event-record-class\",\"specific-context-field-class\":{\"type\":\"structure\",\"member-classes\":[" MEMBER("m",
			U8) "]},\"payload-field-class\":{\"type\":\"structure\",\"member-classes\":[" MEMBER("x",
			"\"type\":\"dynamic-length-blob\",\"length-field-location\":{\"origin\":\"event-record-common-context\",\"path\":[\"n\"]}") "," MEMBER("y",
			"\"type\":\"dynamic-length-blob\",\"length-field-location\":{\"origin\":\"event-record-specific-context\",\"path\":[\"m\"]}") "]}}\n",
		"01 02 aa bb cc", 40,
		"{ n = 1 }, { m = 2 }, { x = [ [0] = 0xAA ], y = [ [0] = 0xBB, [1] = 0xCC ] }");
}

/* A class by the name of its alias, and an alias of an alias. */
static void test_aliases(void)
{
	check_text(PREAMBLE RS
		"{\"type\":\"field-class-alias\",\"name\":\"u8\",\"field-class\":{" U8 "}}\n" RS
		"{\"type\":\"field-class-alias\",\"name\":\"uint8\",\"field-class\":\"u8\"}\n" RS
		"{\"type\":\"field-class-alias\",\"name\":\"all\",\"field-class\":{\"type\":\"structure\",\"member-classes\":[{\"name\":\"n\",\"field-class\":\"u8\"},"
		"{\"name\":\"a\",\"field-class\":{\"type\":\"dynamic-length-array\",\"element-field-class\":\"uint8\"," LOCATION(
			"length",
			"\"n\"") "}}]}}\n" STREAM RS
				 "{\"type\":\"event-record-class\",\"payload-field-class\":\"all\"}\n",
		"02 07 08", 24, "{ n = 2, a = [ [0] = 7, [1] = 8 ] }");
}

/* A location into an absent option, a variant without an option for the value, and LEB128 of more than 64
 * bits damage the event. */
static void check_damaged(const char *payload, const char *hex)
{
	g_autofree char *text = g_strdup_printf(PREAMBLE STREAM EVENT("%s"), payload);
	GError *error = NULL;
	struct trc_meta *t = parse(text, &error);
	g_autoptr(GPtrArray) classes = g_ptr_array_new_with_free_func(trc_ctf_stream_free);
	size_t size;
	g_autofree uint8_t *data = bytes_of(hex, &size);
	GString *to = g_string_new(NULL);
	struct trc_text *texts = trc_text_new();
	const struct trc_ctf_stream *class;
	struct trc_walk w = { .data = data, .limit = size * 8 };

	g_assert_no_error(error);
	g_assert_true(trc_ctf_compile(t, false, classes, NULL));
	class = g_ptr_array_index(classes, 0);
	g_assert_null(class->unknown);
	g_assert_false(trc_plan_run(trc_ctf_event_of(class, 0)->plan, &w));
	g_assert_false(trc_text_event(texts, class->source, g_ptr_array_index(class->source->events, 0), data,
		0, size * 8, &(struct trc_text_around){ 0 }, to, NULL));
	g_string_free(to, TRUE);
	trc_text_free(texts);
	trc_meta_free(t);
}

static void test_damaged(void)
{
	static const char into[] = MEMBER("sel", U8) "," MEMBER("o",
		"\"type\":\"optional\"," SELECT("\"sel\"") "," RANGES(
			"[[1,1]]") ",\"field-class\":{" U8 "}") "," MEMBER("b", BYTES_OF("\"o\""));
	static const char variant[] = MEMBER("s", U8) "," MEMBER("v",
		"\"type\":\"variant\"," SELECT("\"s\"") ",\"options\":[{" RANGES(
			"[[1,1]]") ",\"field-class\":{" U8 "}}]");
	static const char leb[] = MEMBER("a", "\"type\":\"variable-length-unsigned-integer\"");

	check(into, "01 01 aa", 24, "{ sel = 1, o = 1, b = [ [0] = 0xAA ] }");
	check_damaged(into, "00 00 00 00");
	check_damaged(variant, "02 00 00");
	check_damaged(leb, "ffffffffffffffffff02");
	check_damaged(leb, "8080808080808080808000");
	check_damaged(MEMBER("a", "\"type\":\"null-terminated-string\",\"encoding\":\"utf-16le\""),
		"6100 6200 00");
}

/* ---- a whole trace ---- */

static const char whole[] = RS
	"{\"type\":\"preamble\",\"version\":2,\"uuid\":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]}\n" RS
	"{\"type\":\"trace-class\",\"uid\":\"?\",\"environment\":{\"hostname\":\"new\",\"domain\":\"kernel\",\"tracer_name\":\"lttng-modules\","
	"\"tracer_major\":2,\"tracer_minor\":15,\"tracer_patchlevel\":3,\"kernel_release\":\"6.12.0\"},\"packet-header-field-class\":"
	"{\"type\":\"structure\",\"member-classes\":[" MEMBER("the magic!", U(32) ",\"roles\":[\"packet-magic-number\"]") "," MEMBER("of", "\"type\":\"static-length-blob\",\"length\":16,\"roles\":[\"metadata-stream-uuid\"]") "," MEMBER("class", "\"type\":\"variable-length-unsigned-integer\",\"roles\":[\"data-stream-class-id\"]") "," MEMBER("instance", "\"type\":\"variable-length-unsigned-integer\",\"roles\":[\"data-stream-id\"]") "]}}\n" RS
																																																						  "{\"type\":\"clock-class\",\"id\":\"c\",\"name\":\"monotonic\",\"uid\":\"01020304-0506-0708-090a-0b0c0d0e0f10\",\"frequency\":1000000000,"
																																																						  "\"origin\":\"unix-epoch\",\"offset-from-origin\":{\"seconds\":1000,\"cycles\":500}}\n" RS "{\"type\":\"data-stream-class\",\"id\":300,\"default-clock-class-id\":\"c\",\"packet-context-field-class\":{\"type\":\"structure\",\"member-classes\":[" MEMBER("note", "\"type\":\"null-terminated-string\"") "," MEMBER("sizes", "\"type\":\"structure\",\"member-classes\":[" MEMBER("total", FIXED("unsigned-integer", 32, "big") ",\"alignment\":8,\"roles\":[\"packet-total-length\"]") "," MEMBER("content", "\"type\":\"variable-length-unsigned-integer\",\"roles\":[\"packet-content-length\"]") "]") "," MEMBER("from",
																																																							  "\"type\":\"variable-length-unsigned-integer\",\"roles\":[\"default-clock-timestamp\"]") "," MEMBER("to", U(64) ",\"roles\":[\"packet-end-default-clock-timestamp\"]") "," MEMBER("lost", U(16) ",\"roles\":[\"discarded-event-record-counter-snapshot\"]") "," MEMBER("number", U8 ",\"roles\":[\"packet-sequence-number\"]") "," MEMBER("cpu_id",
																																																							  U8) "]},"
																																																							      "\"event-record-header-field-class\":{\"type\":\"structure\",\"member-classes\":[" MEMBER(
																																																								      "what",
																																																								      "\"type\":\"variable-length-unsigned-integer\",\"roles\":[\"event-record-class-id\"]") "," MEMBER("when", "\"type\":\"variable-length-unsigned-integer\",\"roles\":[\"default-clock-timestamp\"]") "]}}\n" RS
																																																																																	 "{\"type\":\"event-record-class\",\"data-stream-class-id\":300,\"id\":200,\"name\":\"sched_switch\",\"payload-field-class\":{\"type\":\"structure\",\"member-classes\":[" MEMBER("prev_comm", "\"type\":\"null-terminated-string\",\"encoding\":\"utf-16be\"") "," MEMBER(
																																																																																		 "prev_tid", "\"type\":\"variable-length-signed-integer\"") "," MEMBER("prev_prio",
																																																																																		 FIXED("signed-integer",
																																																																																			 8, "big") ",\"bit-order\":\"first-to-last\"") "," MEMBER("prev_state", "\"type\":\"variable-length-unsigned-integer\"") "," MEMBER("n", U8) "," MEMBER("next_comm", "\"type\":\"dynamic-length-string\",\"encoding\":\"utf-32le\"," LOCATION("length", "\"n\"")) "," MEMBER("next_tid", FIXED("signed-integer", 32, "little") ",\"alignment\":8") "," MEMBER("next_prio", FIXED("signed-integer", 64, "little")) "]}}\n";

static void put_hex(struct made *m, const char *hex)
{
	size_t size;
	g_autofree uint8_t *bytes = bytes_of(hex, &size);

	g_byte_array_append(m->bytes, bytes, (guint)size);
}

/* Packet heads of variable length, a clock in LEB128 (7 and 14 bits), and the fields that the model reads in
 * unusual classes. */
static void test_whole(void)
{
	char *folder = made_folder(whole);
	GError *error = NULL;
	struct trc_reader *r;
	const struct trc_info *info;
	struct mdl_event e[4];
	struct made m;

	made_init(&m, false);
	put_hex(&m, "c11ffcc1 0102030405060708090a0b0c0d0e0f10 ac02 05");
	made_string(&m, "hello");
	put_hex(&m, "00000400 f004"); /* 1024 bits, 624 of content */
	put_hex(&m, "e807");          /* begins at 1000 */
	put_hex(&m, "0010000000000000 0000 00 03");
	/* 1005: its low 7 bits are 109 of 104 … */
	put_hex(&m, "c801 6d 0061 0000 d000 28 80 01 04 62000000 02000000 ffffffffffffffff");
	made_align(&m, 128);
	g_assert_cmpuint(m.bytes->len, ==, 128);
	made_write(&m, folder, "stream");
	made_clear(&m);
	r = trc_test_open(folder, "ctf", &error);
	g_assert_no_error(error);
	info = trc_reader_info(r);
	g_assert_cmpstr(info->format, ==, "ctf 2");
	g_assert_cmpstr(info->host, ==, "new");
	g_assert_cmpstr(info->tracer, ==, "lttng-modules 2.15.3");
	g_assert_cmpstr(info->release, ==, "6.12.0");
	g_assert_cmpstr(info->uuid, ==, "01020304-0506-0708-090a-0b0c0d0e0f10");
	g_assert_cmpstr(info->clock_uuid, ==, "01020304-0506-0708-090a-0b0c0d0e0f10");
	g_assert_cmpint(info->clock_zero, ==, G_GINT64_CONSTANT(1000000000500));
	g_assert_cmpint(trc_reader_read(r, e, 4, &error), ==, 1);
	g_assert_no_error(error);
	for (unsigned i = 0; i < info->warnings->len; i++)
		g_test_message("%s", (char *)g_ptr_array_index(info->warnings, i));
	g_assert_cmpuint(info->warnings->len, ==, 0);
	g_assert_cmpint(e[0].time, ==, G_GINT64_CONSTANT(1000000001505));
	g_assert_cmpuint(e[0].cpu, ==, 3);
	g_assert_cmpint(e[0].kind, ==, MDL_EV_SCHED_SWITCH);
	g_assert_cmpint(e[0].arg[MDL_SWITCH_PREV_TID], ==, 80);
	g_assert_cmpint(e[0].arg[MDL_SWITCH_PREV_PRIO], ==, 20);
	g_assert_cmpint(e[0].arg[MDL_SWITCH_PREV_STATE], ==, 128);
	g_assert_cmpint(e[0].arg[MDL_SWITCH_NEXT_TID], ==, 2);
	g_assert_cmpint(e[0].arg[MDL_SWITCH_NEXT_PRIO], ==, -1);
	g_assert_cmpstr(e[0].text[0], ==, "a");
	g_assert_cmpstr(e[0].text[1], ==, "b");
	trc_reader_free(r);
	trc_test_remove(folder);
	g_free(folder);
}

#define FROM(key, origin, path) \
	"\"" key "-field-location\":{\"origin\":\"" origin "\",\"path\":[\"" path "\"]}"

static const char around[] = PREAMBLE RS "{\"type\":\"trace-class\",\"packet-header-field-class\":{\"type\":\"structure\",\"member-classes\":[" MEMBER(
	"p",
	U8
	",\"roles\":[\"data-stream-id\"]") "]}}\n" RS "{\"type\":\"clock-class\",\"id\":\"c\",\"frequency\":1000000000,\"origin\":\"unix-epoch\"}\n" RS "{\"type\":\"data-stream-class\",\"default-clock-class-id\":\"c\",\"packet-context-field-class\":{\"type\":\"structure\",\"member-classes\":[" MEMBER("total",
	"\"type\":\"variable-length-unsigned-integer\",\"roles\":[\"packet-total-length\"]") "," MEMBER("cpu_id",
	U8) "," MEMBER("n",
	"\"type\":\"variable-length-unsigned-integer\"") "]},"
							 "\"event-record-header-field-class\":{\"type\":\"structure\",\"member-classes\":[" MEMBER(
								 "when",
								 U8
								 ",\"roles\":[\"default-clock-timestamp\"]") "," MEMBER("h",
								 U8) "]}}\n" RS "{\"type\":\"event-record-class\",\"name\":\"e\",\"specific-context-field-class\":{\"type\":\"structure\",\"member-classes\":[" MEMBER("len",
								 U8) "," MEMBER("x",
								 "\"type\":\"dynamic-length-blob\"," FROM(
									 "length", "packet-context",
									 "n")) "]},"
									       "\"payload-field-class\":{\"type\":\"structure\",\"member-classes\":[" MEMBER(
										       "o",
										       "\"type\":\"optional\"," FROM(
											       "selector",
											       "event-record-header",
											       "h") "," RANGES("[[1,1]]") ",\"field-class\":{" U8
															  "}") "," MEMBER("y",
										       "\"type\":\"dynamic-length-blob\"," FROM(
											       "length",
											       "packet-header",
											       "p")) "," MEMBER("z",
										       "\"type\":\"dynamic-length-blob\"," FROM(
											       "length",
											       "event-record-specific-context",
											       "len")) "]}}\n";

/* The fields of event I of PAGE. */
static void check_fields(void *pages, void *page, uint64_t i, const char *expected)
{
	GString *to = g_string_new(NULL);

	g_assert_true(trc_ctf_paging.fields(pages, page, i, to, NULL, NULL));
	g_assert_cmpstr(to->str, ==, expected);
	g_string_free(to, TRUE);
}

/* Lengths and selectors in the header and the context of the packet, and in the header of the event, for two packets. */
static void test_around(void)
{
	char *folder = made_folder(around), *folders[] = { folder, NULL };
	struct trc_paging_packet packet = { .stream = "stream",
		.offset = 11,
		.size = 15,
		.latest = INT64_MIN };
	GError *error = NULL;
	struct mdl_event e[4];
	struct trc_reader *r;
	void *pages, *page;
	struct made m;

	made_init(&m, false);
	put_hex(&m, "01 58 00 02 05 01 00 aabb 11 cc");             /* 11 bytes: p 1, n 2 */
	put_hex(&m, "00 78 00 01 07 00 02 ee 5566 08 01 00 ff 99"); /* 15 bytes: p 0, n 1 */
	made_write(&m, folder, "stream");
	made_clear(&m);
	r = trc_test_open(folder, "ctf", &error);
	g_assert_no_error(error);
	for (int n; (n = trc_reader_read(r, e, 4, &error)) > 0;)
		;
	g_assert_no_error(error);
	g_assert_cmpuint(trc_reader_info(r)->events, ==, 3);
	g_assert_cmpuint(trc_reader_info(r)->warnings->len, ==, 0);
	trc_reader_free(r);
	pages = trc_ctf_paging.open(folders, true, &error);
	g_assert_no_error(error);
	page = trc_ctf_paging.read(pages, &packet, &error);
	g_assert_no_error(error);
	g_assert_cmpuint(packet.events, ==, 2);
	check_fields(pages, page, 0,
		"{ len = 2, x = [ [0] = 0xEE ] }, { o = <none>, y = [ ], z = [ [0] = 0x55, [1] = 0x66 ] }");
	check_fields(pages, page, 1, "{ len = 0, x = [ [0] = 0xFF ] }, { o = 153, y = [ ], z = [ ] }");
	trc_ctf_paging.free_page(page);
	packet = (struct trc_paging_packet){ .stream = "stream",
		.offset = 0,
		.size = 11,
		.latest = INT64_MIN };
	page = trc_ctf_paging.read(pages, &packet, &error);
	g_assert_no_error(error);
	g_assert_cmpuint(packet.events, ==, 1);
	check_fields(pages, page, 0,
		"{ len = 0, x = [ [0] = 0xAA, [1] = 0xBB ] }, { o = 17, y = [ [0] = 0xCC ], z = [ ] }");
	trc_ctf_paging.free_page(page);
	trc_ctf_paging.free(pages);
	trc_test_remove(folder);
	g_free(folder);
}

/* ---- errors ---- */

static void test_wrong(void)
{
	static const struct {
		const char *text, *expected;
		enum base_error code;
	} all[] = {
		{ RS "{", "metadata fragment 1, line 1: expected '\"'", BASE_ERROR_DATA },
		{ PREAMBLE RS "\n{\"type\":\n\"trace-class\",\n\"type\":1}",
			"fragment 2, line 5: \"type\" occurs twice", BASE_ERROR_DATA },
		{ PREAMBLE RS "[]", "fragment 2, line 2: a fragment must be an object", BASE_ERROR_DATA },
		{ PREAMBLE RS "{}", "fragment 2, line 2: \"type\" is missing", BASE_ERROR_DATA },
		{ PREAMBLE RS "{\"type\":7}", "\"type\" must be a string", BASE_ERROR_DATA },
		{ PREAMBLE RS "{\"type\":\"x\"}", "unknown fragment \"x\"", BASE_ERROR_DATA },
		{ RS "{\"type\":\"trace-class\"}", "fragment 1, line 1: it does not begin with a preamble",
			BASE_ERROR_DATA },
		{ PREAMBLE PREAMBLE, "a second preamble", BASE_ERROR_DATA },
		{ RS "{\"type\":\"preamble\",\"version\":3}", "a trace of CTF 3", BASE_ERROR_FOREIGN },
		{ RS "{\"type\":\"preamble\",\"version\":2.0}", "\"version\" must be an integer",
			BASE_ERROR_DATA },
		{ RS "{\"type\":\"preamble\",\"version\":2,\"uuid\":[1]}", "must have 16 integers",
			BASE_ERROR_DATA },
		{ RS "{\"type\":\"preamble\",\"version\":2,\"uuid\":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,256]}",
			"from 0 to 255", BASE_ERROR_DATA },
		{ RS "{\"type\":\"preamble\",\"version\":2,\"extensions\":{\"my.tracer\":{\"piano\":null}}}",
			"the extension \"piano\" of \"my.tracer\", which wakepath does not know",
			BASE_ERROR_FOREIGN },
		{ PREAMBLE, "it ends before any data stream class", BASE_ERROR_DATA },
		{ PREAMBLE STREAM RS "{\"type\":\"trace-class\"}", "a trace class after a data stream class",
			BASE_ERROR_DATA },
		{ PREAMBLE RS "{\"type\":\"trace-class\"}" RS "{\"type\":\"trace-class\"}",
			"a second trace class", BASE_ERROR_DATA },
		{ PREAMBLE RS "{\"type\":\"trace-class\",\"environment\":{\"a\":1.5}}",
			"\"a\" of \"environment\" must be", BASE_ERROR_DATA },
		{ PREAMBLE STREAM STREAM, "there are two data stream classes 0", BASE_ERROR_DATA },
		{ PREAMBLE RS "{\"type\":\"data-stream-class\",\"id\":-1}", "\"id\" must not be below 0",
			BASE_ERROR_DATA },
		{ PREAMBLE RS "{\"type\":\"data-stream-class\",\"default-clock-class-id\":\"c\"}",
			"no clock class \"c\" comes before it", BASE_ERROR_DATA },
		{ PREAMBLE RS "{\"type\":\"clock-class\",\"id\":\"c\"}", "\"frequency\" is missing",
			BASE_ERROR_DATA },
		{ PREAMBLE RS "{\"type\":\"clock-class\",\"id\":\"c\",\"frequency\":0}",
			"the clock's frequency is 0", BASE_ERROR_DATA },
		{ PREAMBLE RS "{\"type\":\"clock-class\",\"id\":\"c\",\"frequency\":1,\"origin\":\"x\"}",
			"\"origin\" must be", BASE_ERROR_DATA },
		{ PREAMBLE RS
			"{\"type\":\"clock-class\",\"id\":\"c\",\"frequency\":1,\"offset-from-origin\":{\"seconds\":9223372036854775808}}",
			"\"seconds\" is too large", BASE_ERROR_DATA },
		{ PREAMBLE RS "{\"type\":\"clock-class\",\"id\":\"c\",\"frequency\":1}" RS
			      "{\"type\":\"clock-class\",\"id\":\"c\",\"frequency\":1}",
			"there are two clocks \"c\"", BASE_ERROR_DATA },
		{ PREAMBLE EVENT(""), "no data stream class 0 comes before it", BASE_ERROR_DATA },
		{ PREAMBLE STREAM EVENT("") EVENT(""),
			"fragment 4, line 4: there are two event record classes 0", BASE_ERROR_DATA },
		{ PREAMBLE RS "{\"type\":\"field-class-alias\",\"name\":\"a\",\"field-class\":\"a\"}",
			"no field class alias \"a\" comes before it", BASE_ERROR_DATA },
		{ PREAMBLE RS "{\"type\":\"field-class-alias\",\"name\":\"a\",\"field-class\":{" U8 "}}" RS
			      "{\"type\":\"field-class-alias\",\"name\":\"a\",\"field-class\":{" U8 "}}",
			"there are two aliases \"a\"", BASE_ERROR_DATA },
		{ PREAMBLE RS "{\"type\":\"data-stream-class\",\"packet-context-field-class\":{" U8 "}}",
			"\"packet-context-field-class\" must be a structure", BASE_ERROR_DATA },
		{ PREAMBLE STREAM EVENT(MEMBER("a", "\"type\":\"x\"")),
			"fragment 3, line 3: unknown field class \"x\"", BASE_ERROR_DATA },
		{ PREAMBLE STREAM EVENT(MEMBER("a", U8) "," MEMBER("a", U8)), "there are two fields \"a\"",
			BASE_ERROR_DATA },
		{ PREAMBLE STREAM EVENT("7"), "a member or option must be an object", BASE_ERROR_DATA },
		{ PREAMBLE STREAM EVENT("{\"name\":\"a\"}"), "\"field-class\" is missing", BASE_ERROR_DATA },
		{ PREAMBLE STREAM EVENT(MEMBER("a", U(0))), "\"length\" must not be 0", BASE_ERROR_DATA },
		{ PREAMBLE STREAM EVENT(MEMBER("a", "\"type\":\"fixed-length-boolean\",\"length\":8")),
			"\"byte-order\" is missing", BASE_ERROR_DATA },
		{ PREAMBLE STREAM EVENT(MEMBER("a", FIXED("boolean", 8, "pdp"))),
			"unknown \"byte-order\": \"pdp-endian\"", BASE_ERROR_DATA },
		{ PREAMBLE STREAM EVENT(MEMBER("a", U(8) ",\"alignment\":3")),
			"\"alignment\" must be a power of two", BASE_ERROR_DATA },
		{ PREAMBLE STREAM EVENT(MEMBER("a", U8 ",\"preferred-display-base\":7")),
			"must be 2, 8, 10 or 16", BASE_ERROR_DATA },
		{ PREAMBLE STREAM EVENT(MEMBER("a", U8 ",\"mappings\":{\"x\":[[2,1]]}")),
			"the lower one first", BASE_ERROR_DATA },
		{ PREAMBLE STREAM EVENT(MEMBER("a", U8 ",\"mappings\":{\"x\":[]}")),
			"ranges must be an array, and there must be one", BASE_ERROR_DATA },
		{ PREAMBLE STREAM EVENT(MEMBER("a", U8 ",\"roles\":[7]")), "a role must be a string",
			BASE_ERROR_DATA },
		{ PREAMBLE STREAM EVENT(
			  MEMBER("a", FIXED("signed-integer", 8, "big") ",\"roles\":[\"data-stream-id\"]")),
			"a signed integer has no roles", BASE_ERROR_DATA },
		{ PREAMBLE STREAM EVENT(
			  MEMBER("a", "\"type\":\"null-terminated-string\",\"encoding\":\"latin-1\"")),
			"unknown \"encoding\": \"latin-1\"", BASE_ERROR_DATA },
		{ PREAMBLE STREAM EVENT(MEMBER("a", BYTES_OF(""))),
			"the last element of \"path\" must be a name", BASE_ERROR_DATA },
		{ PREAMBLE STREAM EVENT(MEMBER("a", BYTES_OF("\"b\",null"))),
			"the last element of \"path\" must be a name", BASE_ERROR_DATA },
		{ PREAMBLE STREAM EVENT(MEMBER("a", BYTES_OF("1,\"b\""))),
			"\"path\" must have strings and nulls", BASE_ERROR_DATA },
		{ PREAMBLE STREAM EVENT(MEMBER("a",
			  "\"type\":\"dynamic-length-blob\",\"length-field-location\":{\"origin\":\"event-record-payload\",\"path\":[null,\"b\"]}")),
			"\"path\" goes too far up", BASE_ERROR_DATA },
		{ PREAMBLE STREAM EVENT(MEMBER("a",
			  "\"type\":\"dynamic-length-blob\",\"length-field-location\":{\"origin\":\"x\",\"path\":[\"b\"]}")),
			"unknown \"origin\": \"x\"", BASE_ERROR_DATA },
		{ PREAMBLE STREAM EVENT(
			  MEMBER("a", "\"type\":\"variant\"," SELECT("\"b\"") ",\"options\":[]")),
			"a variant must have an option", BASE_ERROR_DATA },
		{ PREAMBLE STREAM EVENT(
			  MEMBER("a", "\"type\":\"static-length-blob\",\"length\":18446744073709551615")),
			"too large", BASE_ERROR_REFUSED },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(all); i++) {
		GError *error = NULL;

		g_assert_null(parse(all[i].text, &error));
		if (!strstr(error->message, all[i].expected))
			g_error("%s: \"%s\", expected \"%s\"", all[i].text, error->message, all[i].expected);
		g_assert_error(error, BASE_ERROR, (gint)all[i].code);
		g_error_free(error);
	}
}

/* N structures within each other. */
static bool nests(unsigned n)
{
	GString *text = g_string_new(
		PREAMBLE STREAM RS "{\"type\":\"event-record-class\",\"payload-field-class\":");
	struct trc_meta *t;

	for (unsigned i = 1; i < n; i++)
		g_string_append(text,
			"{\"type\":\"structure\",\"member-classes\":[{\"name\":\"a\",\"field-class\":");
	g_string_append(text, "{\"type\":\"structure\"}");
	for (unsigned i = 1; i < n; i++)
		g_string_append(text, "}]}");
	g_string_append(text, "}");
	t = parse(text->str, NULL);
	g_string_free(text, TRUE);
	if (!t)
		return false;
	trc_meta_free(t);
	return true;
}

/* N aliases, each of a structure with two members of the previous one: each doubles the number of fields. */
static bool doubles(unsigned n)
{
	GString *text = g_string_new(
		PREAMBLE RS "{\"type\":\"field-class-alias\",\"name\":\"a0\",\"field-class\":{" U8 "}}\n");
	struct trc_meta *t;

	for (unsigned i = 1; i <= n; i++)
		g_string_append_printf(text,
			RS
			"{\"type\":\"field-class-alias\",\"name\":\"a%u\",\"field-class\":{\"type\":\"structure\",\"member-classes\":"
			"[{\"name\":\"a\",\"field-class\":\"a%u\"},{\"name\":\"b\",\"field-class\":\"a%u\"}]}}\n",
			i, i - 1, i - 1);
	g_string_append(text, STREAM);
	t = parse(text->str, NULL);
	g_string_free(text, TRUE);
	if (!t)
		return false;
	trc_meta_free(t);
	return true;
}

static void test_limits(void)
{
	g_assert_true(nests(TRC_DEPTH_MAX));
	g_assert_false(nests(TRC_DEPTH_MAX + 1));
	g_assert_true(doubles(14)); /* 2^15 - 1 nodes */
	g_assert_false(doubles(15));
}

/* Packets of metadata, and no RS in front of the fragments. */
static void test_text(void)
{
	static const char text[] = PREAMBLE STREAM;
	uint8_t packet[37 + sizeof text - 1] = { 0x57, 0x1d, 0xd1, 0x75 };
	GError *error = NULL;
	struct trc_meta *t;

	packet[24] = packet[28] = (uint8_t)(sizeof packet * 8 & 255);
	packet[25] = packet[29] = (uint8_t)(sizeof packet * 8 >> 8);
	packet[35] = 2;
	memcpy(packet + 37, text, sizeof text - 1);
	t = trc_ctf2_parse(packet, sizeof packet, &error);
	g_assert_no_error(error);
	g_assert_cmpstr(t->format, ==, "ctf 2");
	trc_meta_free(t);
	t = parse("{\"type\":\"preamble\",\"version\":2}\n{\"type\":\"data-stream-class\",\"id\":9}", &error);
	g_assert_no_error(error);
	g_assert_nonnull(trc_meta_stream(t, 9));
	trc_meta_free(t);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/ctf2/integers", test_integers);
	g_test_add_func("/ctf2/mappings", test_mappings);
	g_test_add_func("/ctf2/bits", test_bits);
	g_test_add_func("/ctf2/floats", test_floats);
	g_test_add_func("/ctf2/leb", test_leb);
	g_test_add_func("/ctf2/strings", test_strings);
	g_test_add_func("/ctf2/blobs", test_blobs);
	g_test_add_func("/ctf2/alignment", test_alignment);
	g_test_add_func("/ctf2/optionals", test_optionals);
	g_test_add_func("/ctf2/variants", test_variants);
	g_test_add_func("/ctf2/locations", test_locations);
	g_test_add_func("/ctf2/aliases", test_aliases);
	g_test_add_func("/ctf2/damaged", test_damaged);
	g_test_add_func("/ctf2/whole", test_whole);
	g_test_add_func("/ctf2/around", test_around);
	g_test_add_func("/ctf2/wrong", test_wrong);
	g_test_add_func("/ctf2/limits", test_limits);
	g_test_add_func("/ctf2/text", test_text);
	g_test_add_func("/ctf2/visit", test_visit);
	return g_test_run();
}
