/* SPDX-License-Identifier: MIT */
/*
 * libFuzzer target: any bytes as metadata, in TSDL or JSON.  Checks that they give a tree or a GError, in
 * time and memory bounded by their length; that the whole tree can be walked and its sizes fit; and that
 * parsing the bytes again gives an equal tree.
 *
 * With FUZZ_SEEDS=FOLDER in the environment the program writes a small text of each language there at its
 * start; tests/fuzz/corpus has more.
 */
#include "trace/ctf2/trc_ctf2.h"
#include "trace/meta/trc_meta_type.h"
#include "trace/tsdl/trc_tsdl.h"

#include <sanitizer/allocator_interface.h>
#include <time.h>

#define BYTES_FIRST (1 << 20) /* bytes of memory for any metadata */
/* Bytes of memory for each byte of metadata: a type takes 170, its name and place as much again. */
#define BYTES_EACH 1024
#define CPU_SECONDS 10 /* with sanitizers, for 40 000 bytes */

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char seed[] =
	"/* CTF 1.8 */ typealias integer { size = 8; align = 8; } := u8; typealias integer { size = 5; align = 1; } := u5;"
	"trace { major = 1; minor = 8; byte_order = be; uuid = \"00112233-4455-6677-8899-aabbccddeeff\";"
	" packet.header := struct { u8 magic[4]; u8 stream_id; }; };"
	"env { hostname = \"a\\\"b\\x41\"; below = -0x5; };"
	"clock { name = c; freq = 1000000000; offset_s = 7; offset = 9; precision = 1; uuid = \"u\"; };"
	"struct h { enum : u5 { compact = 0 ... 30, extended = 31 } id; variant <id> { struct { integer { size = 27; align = 1;"
	" map = clock.c.value; } timestamp; } compact; struct { u8 id; } extended; } v; } align(8);"
	"stream { id = 3; event.header := struct h; packet.context := struct { u8 cpu_id; }; event.context := struct { u8 n; }; };"
	"event { name = \"e\"; id = 1; stream_id = 3; fields := struct { u8 n; u8 s[n]; string t[2]; u8 m[2][3]; floating_point"
	" { exp_dig = 8; mant_dig = 24; align = 8; } f; integer { size = 3; base = hex; signed = true; encoding = UTF8; } i; }; };";

#define FIXED "\"type\":\"fixed-length-unsigned-integer\",\"length\":8,\"byte-order\":\"little-endian\""
#define MEMBER(name, class) "{\"name\":\"" name "\",\"field-class\":{" class "}}"

static const char
	seed_ctf2
		[] = "\x1e{\"type\":\"preamble\",\"version\":2,\"uuid\":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]}\n"
		     "\x1e{\"type\":\"field-class-alias\",\"name\":\"u8\",\"field-class\":{" FIXED
		     ",\"alignment\":8,\"roles\":[\"packet-sequence-number\"]}}\n"
		     "\x1e{\"type\":\"trace-class\",\"environment\":{\"a\":\"b\\u0041\",\"c\":-5},\"packet-header-field-class\":{\"type\":\"structure\",\"member-classes\":[" MEMBER("uuid", "\"type\":\"static-length-blob\",\"length\":16,\"roles\":[\"metadata-stream-uuid\"]") "]}}\n"
																																		   "\x1e{\"type\":\"clock-class\",\"id\":\"c\",\"frequency\":1000000000,\"origin\":\"unix-epoch\",\"offset-from-origin\":{\"seconds\":7,\"cycles\":9}}\n"
																																		   "\x1e{\"type\":\"data-stream-class\",\"id\":3,\"default-clock-class-id\":\"c\",\"event-record-header-field-class\":{\"type\":\"structure\",\"minimum-alignment\":8,\"member-classes\":[" MEMBER("t", "\"type\":\"variable-length-unsigned-integer\",\"roles\":[\"default-clock-timestamp\"]") "]},\"packet-context-field-class\":{\"type\":\"structure\",\"member-classes\":["
																																																																						 "{\"name\":\"cpu_id\",\"field-class\":\"u8\"}]}}\n"
																																																																						 "\x1e{\"type\":\"event-record-class\",\"data-stream-class-id\":3,\"id\":1,\"name\":\"e\",\"payload-field-class\":{\"type\":\"structure\",\"member-classes\":["
																																																																						 "{\"name\":\"n\",\"field-class\":\"u8\"}," MEMBER("m",
																																																																							 "\"type\":\"fixed-length-bit-map\",\"length\":4,\"byte-order\":\"big-endian\",\"bit-order\":\"first-to-last\",\"flags\":{\"x\":[[0,1],[3,3]]}") "," MEMBER("o",
																																																																							 "\"type\":\"optional\",\"selector-field-location\":{\"path\":[\"n\"]},\"selector-field-ranges\":[[-3,2]],\"field-class\":{\"type\":\"null-terminated-string\",\"encoding\":\"utf-16le\"}") "," MEMBER("v",
																																																																							 "\"type\":\"variant\",\"selector-field-location\":{\"origin\":\"event-record-payload\",\"path\":[\"n\"]},\"options\":[{\"selector-field-ranges\":[[0,18446744073709551615]],\"field-class\":"
																																																																							 "{\"type\":\"structure\",\"member-classes\":[" MEMBER(
																																																																								 "d", "\"type\":\"dynamic-length-string\",\"length-field-location\":{\"path\":[null,\"n\"]}") "]}}]") "," MEMBER("a", "\"type\":\"static-length-array\",\"length\":2,\"minimum-alignment\":16,\"element-field-class\":{" FIXED ",\"mappings\":{\"k\":[[-1,5]]}}") "]}}\n";

/* Write TEXT as the first input NAME to FOLDER. */
static void write_seed(const char *folder, const char *name, const char *text)
{
	char *path = g_build_filename(folder, name, NULL);

	g_assert_true(g_file_set_contents(path, text, -1, NULL));
	g_free(path);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *folder = g_getenv("FUZZ_SEEDS");

	(void)argc;
	(void)argv;
	if (folder) {
		write_seed(folder, "seed-0", seed);
		write_seed(folder, "seed-1", seed_ctf2);
	}
	return 0;
}

/* Check TYPE and all types below it, each as often as it is used.  Returns their number. */
static uint32_t walk(const struct trc_type *type)
{
	uint32_t nodes = 1 + type->n_labels + type->n_choices;

	g_assert_true(type->align && type->align <= TRC_ALIGN_MAX && !(type->align & (type->align - 1)));
	g_assert_true(type->bits <= TRC_BITS_MAX || type->bits == TRC_VARIABLE);
	g_assert_cmpuint(type->depth, <=, TRC_DEPTH_MAX);
	for (unsigned i = 0; i < type->n_labels; i++)
		g_assert_nonnull(type->labels[i].name);
	for (unsigned i = 0; i < type->n_choices; i++)
		g_assert_cmpuint(type->choices[i].option, <, MAX(type->n_fields, 1));
	for (unsigned i = 0; i < type->n_fields; i++) {
		const struct trc_field *f = &type->fields[i];

		g_assert_true(f->offset <= TRC_BITS_MAX || f->offset == TRC_VARIABLE);
		nodes += walk(f->type);
	}
	if (type->n_fields)
		g_assert_nonnull(trc_type_find(type, type->fields[type->n_fields - 1].name));
	if (type->element)
		nodes += walk(type->element);
	g_assert_cmpuint(nodes, <=, TRC_NODES_MAX);
	return nodes;
}

static void walk_struct(const struct trc_type *type)
{
	if (!type)
		return;
	g_assert_cmpint(type->kind, ==, TRC_TYPE_STRUCT);
	walk(type);
}

static void walk_stream(const struct trc_meta *t, const struct trc_stream_class *s)
{
	g_assert_true(trc_meta_stream(t, s->id) == s);
	walk_struct(s->packet_context);
	walk_struct(s->event_header);
	walk_struct(s->event_context);
	for (guint i = 0; i < s->events->len; i++) {
		const struct trc_event_class *e = g_ptr_array_index(s->events, i);

		g_assert_cmpuint(e->stream_id, ==, s->id);
		walk_struct(e->context);
		walk_struct(e->fields);
	}
}

static void walk_all(const struct trc_meta *t)
{
	walk_struct(t->packet_header);
	for (guint i = 0; i < t->streams->len; i++)
		walk_stream(t, g_ptr_array_index(t->streams, i));
	for (guint i = 0; i < t->clocks->len; i++) {
		const struct trc_clock *c = g_ptr_array_index(t->clocks, i);

		g_assert_cmpuint(c->frequency, >, 0);
		g_assert_cmpint(trc_clock_ns(c, 0), <=, trc_clock_ns(c, UINT64_MAX));
	}
}

/* Parse with the language that the readers would choose. */
static struct trc_meta *parse_either(const uint8_t *data, size_t size, GError **error)
{
	GString *text = trc_meta_text(data, size, error);
	struct trc_meta *t;

	if (!text)
		return NULL;
	t = (trc_ctf2_is(text) ? trc_ctf2_parse : trc_tsdl_parse)(text->str, text->len, error);
	g_string_free(text, TRUE);
	return t;
}

/* Parse, and check the limits of memory and time, and that a failure has a message. */
static struct trc_meta *parse(const uint8_t *data, size_t size)
{
	size_t before = __sanitizer_get_current_allocated_bytes(), after;
	clock_t begin = clock();
	GError *error = NULL;
	struct trc_meta *t = parse_either(data, size, &error);

	after = __sanitizer_get_current_allocated_bytes();
	g_assert_cmpuint(after, <=, before + BYTES_FIRST + BYTES_EACH * size);
	g_assert_cmpint((clock() - begin) / CLOCKS_PER_SEC, <, CPU_SECONDS);
	g_assert_true(!t == !!error);
	if (error)
		g_assert_true(*error->message && g_utf8_validate(error->message, -1, NULL));
	g_clear_error(&error);
	return t;
}

/* Check that A and B, from the same bytes, are equal.  Both may lack an event if two have one number; the
 * readers refuse that. */
static void compare(const struct trc_meta *a, const struct trc_meta *b)
{
	char *lacks = trc_meta_lacks(a, b), *other = trc_meta_lacks(b, a);

	g_assert_cmpstr(lacks, ==, other);
	g_assert_cmpuint(a->unfolded, ==, b->unfolded);
	g_assert_cmpuint(a->types->len, ==, b->types->len);
	g_free(lacks);
	g_free(other);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct trc_meta *t = parse(data, size), *again;

	if (!t)
		return 0;
	walk_all(t);
	again = parse(data, size);
	g_assert_nonnull(again);
	compare(t, again);
	trc_meta_free(again);
	trc_meta_free(t);
	return 0;
}
