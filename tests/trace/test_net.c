/* SPDX-License-Identifier: MIT */
/* The headers of network packets: in all traces at hand compared with babeltrace2's text, and the values
 * computed from them. */
#include "trace/ctf/trc_net.h"
#include "trace/trc_reader.h"
#include "trace/trc_test_open.h"
#include "trc_made.h"
#include "trc_test.h"

#include <string.h>

/* ---- the text of babeltrace2 ---- */

/* The number behind KEY in TEXT; -1 when it is not there. */
static int64_t number(const char *text, const char *key)
{
	const char *found = strstr(text, key);

	return found ? (int64_t)g_ascii_strtoull(found + strlen(key), NULL, 0) : -1;
}

/* The number of the enumeration behind KEY. */
static int64_t container(const char *text, const char *key)
{
	const char *found = strstr(text, key);

	g_assert_nonnull(found);
	return number(found, "container = ");
}

static void append_list(GString *s, const char *text, const char *key, unsigned n, bool dots)
{
	const char *at = strstr(text, key);
	unsigned i;

	g_assert_nonnull(at);
	for (i = 0; i < n; i++) {
		at = strstr(at, "] = ");
		g_assert_nonnull(at);
		at += strlen("] = ");
		g_string_append_printf(s, dots ? "%s%" G_GUINT64_FORMAT : "%s%" G_GINT64_MODIFIER "x",
			i ? dots ? "." : ":" : "", g_ascii_strtoull(at, NULL, 0));
	}
}

/* Bytes of data in the packet whose transport header is TRANSPORT: UDP says so itself, TCP by way of the IP
 * header NETWORK. */
static int64_t payload(const char *network, const char *transport)
{
	int64_t words = number(transport, "data_offset = ");

	if (words < 0)
		return number(transport, " len = ") - 8;
	if (strstr(network, "tot_len = "))
		return number(network, "tot_len = ") - 4 * number(network, "ihl = ") - 4 * words;
	return number(network, "payload_len = ") - 4 * words;
}

/* The packet in LINE of babeltrace2, as trc_test_packet(). */
static char *packet_of(const char *line)
{
	const char *network = strstr(line, "network_header = { { version = "), *transport;
	bool v4 = network && number(network, "version = ") == 4;
	GString *s = g_string_new(network ? NULL : "none");

	if (!network)
		return g_string_free(s, FALSE);
	append_list(s, network, "saddr = [", v4 ? 4 : 8, v4);
	g_string_append(s, " > ");
	append_list(s, network, "daddr = [", v4 ? 4 : 8, v4);
	g_string_append_printf(s, " protocol %d id %d",
		(int)container(network, v4 ? " protocol = " : "nexthdr = "),
		v4 ? (int)number(network, ", id = ") : 0);
	transport = strstr(network, "transport_header = {");
	g_assert_nonnull(transport);
	if (!strstr(transport, "source_port"))
		return g_string_free(s, FALSE);
	g_string_append_printf(s, " ports %d > %d seq %u ack %u flags 0x%x check %d payload %d",
		(int)number(transport, "source_port = "), (int)number(transport, "dest_port = "),
		(unsigned)MAX(0, number(transport, " seq = ")),
		(unsigned)MAX(0, number(transport, "ack_seq = ")),
		(unsigned)MAX(0, number(transport, "flags = ")),
		(int)number(transport, strstr(transport, "checksum = ") ? "checksum = " : "check = "),
		(int)payload(network, transport));
	return g_string_free(s, FALSE);
}

/* ---- the readers ---- */

/* The next event of R with a packet's kind; false at the end. */
static bool next_event(struct trc_reader *r, struct mdl_event *event)
{
	while (trc_reader_read(r, event, 1, NULL) > 0)
		if (trc_net_has(event->kind))
			return true;
	return false;
}

static bool has_packets(const struct trc_reader *r)
{
	GHashTable *classes = trc_reader_info(r)->classes;

	return g_hash_table_contains(classes, "net_dev_queue") ||
		g_hash_table_contains(classes, "net_if_receive_skb");
}

/* The lines of TEXT that are packets; TEXT is cut up. The caller unrefs the array of weak strings. */
static GPtrArray *packet_lines(char *text)
{
	GPtrArray *lines = g_ptr_array_new();
	char *line = text, *end;

	for (; (end = strchr(line, '\n')); line = end + 1) {
		*end = '\0';
		if (strstr(line, " net_dev_queue: ") || strstr(line, " net_if_receive_skb: "))
			g_ptr_array_add(lines, line);
	}
	return lines;
}

/* Compare the packets of R with LINES of babeltrace2. Returns how many had headers. */
static unsigned compare(struct trc_reader *r, const GPtrArray *lines)
{
	struct mdl_event event;
	unsigned headers = 0;

	for (guint i = 0; i < lines->len; i++) {
		const char *line = g_ptr_array_index(lines, i);
		char *expected = packet_of(line), *got;

		g_assert_true(next_event(r, &event));
		got = trc_test_packet(event.packet);
		g_assert_cmpstr(got, ==, expected);
		g_assert_cmpint(event.arg[MDL_NET_SKB], ==, number(line, "skbaddr = "));
		g_assert_cmpint(event.arg[MDL_NET_LENGTH], ==, number(line, " len = "));
		headers += !!event.packet;
		g_free(expected);
		g_free(got);
	}
	g_assert_false(next_event(r, &event));
	return headers;
}

/* Compare both readers of the trace in FOLDER; adds to the count in DATA. */
static void check_trace(const char *folder, gpointer data)
{
	static const char *const readers[] = { "ctf", "babeltrace2" };
	const char *argv[] = { "babeltrace2", folder, NULL };
	struct trc_reader *r = trc_test_open(folder, NULL, NULL);

	g_assert_nonnull(r);
	if (has_packets(r)) {
		char *text = trc_test_run(argv, NULL);
		GPtrArray *lines = packet_lines(text);

		for (size_t i = 0; i < G_N_ELEMENTS(readers); i++) {
			struct trc_reader *one = trc_test_open(folder, readers[i], NULL);

			*(unsigned *)data += compare(one, lines);
			trc_reader_free(one);
		}
		g_ptr_array_unref(lines);
		g_free(text);
	}
	trc_reader_free(r);
}

static void test_traces(void)
{
	unsigned headers = 0, traces = trc_test_each_sample(check_trace, &headers);

	g_test_message("%u packets with headers in %u traces", headers, traces);
	g_assert_cmpuint(headers, >, 0);
}

/* ---- layouts without a sample ---- */

#define NUMBER(size, order) "integer { size = " #size "; align = 8; signed = 0; byte_order = " order "; }"

/* The layout of an early LTTng: the transport header beside the network header, fields named as in the kernel, addresses
 * in host byte order. */
static const char early_metadata[] =
	"/* CTF 1.8 */\n"
	"trace { major = 1; minor = 8; byte_order = le; packet.header := struct { " NUMBER(32,
		"le") " magic; " NUMBER(32,
		"le") " stream_id; }; };\n"
		      "clock { name = monotonic; freq = 1000000000; };\n"
		      "stream { id = 0; event.header := struct { " NUMBER(32,
			      "le") " id; integer { size = 64; align = 8; signed = 0; "
				    "map = clock.monotonic.value; } timestamp; };\n"
				    "packet.context := struct { " NUMBER(64,
					    "le") " content_size; " NUMBER(64,
					    "le") " packet_size; " NUMBER(32,
					    "le") " cpu_id; }; };\n"
						  "event { name = \"net_dev_queue\"; id = 0; stream_id = 0; fields := struct { " NUMBER(
							  64, "le") " _skbaddr; " NUMBER(32,
							  "le") " _len; string _name;\n"
								"enum : " NUMBER(8,
									"le") " { \"_none\" = 0, \"_ipv4\" = 1, \"_ipv6\" = 2 } _network_header_type;\n"
									      "variant <_network_header_type> { struct { } _none; struct { integer { size = 4; align = 4; byte_order = be; } _version; "
									      "integer { size = 4; align = 4; byte_order = be; } _ihl; " NUMBER(
										      16,
										      "be") " _tot_len; " NUMBER(8,
										      "be") " _protocol; " NUMBER(32,
										      "le") " _saddr[1]; " NUMBER(8,
										      "be") " _daddr[4]; } _ipv4;\n"
											    "struct { " NUMBER(
												    8,
												    "be") " _version; " NUMBER(16,
												    "be") " _payload_len; " NUMBER(8,
												    "be") " _nexthdr; " NUMBER(16,
												    "le") " _saddr[8]; " NUMBER(8,
												    "be") " _daddr[20]; } _ipv6; } _network_header;\n"
													  "enum : " NUMBER(
														  8,
														  "le") " { \"_none\" = 0, \"_tcp\" = 1 } _transport_header_type;\n"
															"variant <_transport_header_type> { struct { } _none; struct { " NUMBER(
																16,
																"be") " _source; " NUMBER(16,
																"be") " _dest; " NUMBER(32,
																"be") " _seq; " NUMBER(32,
																"be") " _ack_seq; " NUMBER(16,
																"be") " _flags; " NUMBER(16,
																"be") " _check; } _tcp; } _transport_header;\n}; };\n"
																      "event { name = \"netif_receive_skb\"; id = 1; stream_id = 0; fields := struct { " NUMBER(
																	      64,
																	      "le") " _skbaddr; " NUMBER(32,
																	      "le") " _len; string _name; }; };\n";

/* The addons to LTTng 2.0: TCP's numbers as fields of the event, in network byte order, and flags with the
 * length of the header. */
#define ADDON(name, number)                                                                           \
	"event { name = \"" name "\"; id = " number "; stream_id = 0; fields := struct { " NUMBER(64, \
		"le") " _sk; " NUMBER(32, "be") " _seq; " NUMBER(32, "be") " _ack_seq; " NUMBER(16,   \
		"be") " _check; " NUMBER(16, "be") " _window; " NUMBER(16, "be") " _flags; }; };\n"

/* A branch of that time: an option in a variant beside the interface. */
static const char addon_metadata[] = ADDON("inet_sock_local_in", "2") ADDON("inet_sock_local_out",
	"3") "event { name = \"netif_receive_skb\"; id = 4; stream_id = 0; fields := struct { " NUMBER(64,
	"le") " _skbaddr; " NUMBER(32, "le") " _len; string _name;\nenum : " NUMBER(8,
	"le") " { \"_thtype_none\" = 0, \"_thtype_tcp\" = 1 } _transport_header_type;\n"
	      "variant <_transport_header_type> { struct { } _thtype_none; struct { " NUMBER(16,
		      "be") " _source_port; " NUMBER(16, "be") " _dest_port; " NUMBER(32,
		      "be") " _seq; " NUMBER(32, "be") " _ack_seq; " NUMBER(16,
		      "be") " _flags; } _thtype_tcp; } _transport_fields; }; };\n";

static void begin_event(struct made *m, unsigned id, unsigned time)
{
	made_number(m, id, 4);
	made_number(m, time, 8);
	made_number(m, 0xffff0000, 8);
	made_number(m, 99, 4);
	made_string(m, "lo");
}

/* Append bytes as they are written: "0a 00 01". */
static void bytes(struct made *m, const char *hex)
{
	char **words = g_strsplit(hex, " ", -1);

	for (char **word = words; *word; word++)
		made_number(m, g_ascii_strtoull(*word, NULL, 16), 1);
	g_strfreev(words);
}

static char *early_trace(void)
{
	char *metadata = g_strconcat(early_metadata, addon_metadata, NULL), *folder = made_folder(metadata);
	struct made m;

	made_init(&m, FALSE);
	made_number(&m, 0xc1fc1fc1, 4);
	made_number(&m, 0, 4);
	made_number(&m, 0, 8);
	made_number(&m, 0, 8);
	made_number(&m, 0, 4);
	begin_event(&m, 0, 100);
	bytes(&m,
		"01 45 00 3c 06 01 00 00 0a 0a 00 00 02 01 00 50 0f a0 00 00 00 01 00 00 00 02 50 18 00 07");
	begin_event(&m, 0, 200);
	bytes(&m,
		"02 06 00 18 06 80 fe 00 00 00 00 00 00 00 00 00 00 00 00 01 00 "
		"01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f 10 11 12 13 14 00");
	begin_event(&m, 0, 300);
	bytes(&m, "00 00");
	begin_event(&m, 1, 400);
	for (unsigned id = 2; id < 4; id++) {
		made_number(&m, id, 4);
		made_number(&m, 100 * (id + 3), 8);
		bytes(&m, "00 00 00 00 00 00 00 00 12 34 56 78 9a bc de f0 11 22 33 44 a0 18");
	}
	begin_event(&m, 4, 700);
	bytes(&m, "01 00 50 0f a0 00 00 00 05 00 00 00 06 50 11");
	begin_event(&m, 4, 800);
	bytes(&m, "00");
	made_patch(&m, 8, m.bytes->len * 8, 8);
	made_patch(&m, 16, m.bytes->len * 8, 8);
	made_write(&m, folder, "stream0");
	made_clear(&m);
	g_free(metadata);
	return folder;
}

static void test_early_trace(void)
{
	static const char *const readers[] = { "ctf", "babeltrace2" };
	static const char *const expected[] = {
		"10.0.0.1 > 10.0.0.2 protocol 6 id 0 ports 80 > 4000 seq 1 ack 2 flags 0x18 check 7 payload 20",
		"fe80:0:0:0:0:0:0:1 > 102:304:506:708:90a:b0c:d0e:f10 protocol 6 id 0", "none", "none",
		"seq 305419896 ack 2596069104 flags 0x18 check 4386",
		"seq 305419896 ack 2596069104 flags 0x18 check 4386", "seq 5 ack 6 flags 0x11 check 0", "none"
	};
	char *folder = early_trace();

	for (size_t i = 0; i < G_N_ELEMENTS(readers); i++) {
		struct trc_reader *r = trc_test_open(folder, readers[i], NULL);
		struct mdl_event event;

		g_assert_nonnull(r);
		for (size_t e = 0; e < G_N_ELEMENTS(expected); e++) {
			char *text;

			g_assert_true(next_event(r, &event));
			text = trc_test_packet(event.packet);
			g_assert_cmpstr(text, ==, expected[e]);
			g_free(text);
		}
		g_assert_false(next_event(r, &event));
		trc_reader_free(r);
	}
	trc_test_remove(folder);
	g_free(folder);
}

/* ---- values computed from the fields ---- */

static struct trc_net udp(void)
{
	struct trc_net n = { .seen = 0 };

	trc_net_set(&n, TRC_NET_VERSION, 4);
	trc_net_set(&n, TRC_NET_HEADER_WORDS, 5);
	trc_net_set(&n, TRC_NET_TOTAL, 48);
	trc_net_set(&n, TRC_NET_PROTOCOL, 17);
	trc_net_set(&n, TRC_NET_SOURCE_PORT, 53);
	trc_net_set(&n, TRC_NET_DESTINATION_PORT, 4000);
	return n;
}

static void expect(const struct trc_net *n, const char *expected)
{
	struct mdl_packet packet;
	char *text = trc_test_packet(trc_net_finish(n, &packet) ? &packet : NULL);

	g_assert_cmpstr(text, ==, expected);
	g_free(text);
}

static void test_fields(void)
{
	g_assert_cmpint(trc_net_field_of("_ipv4", "_saddr"), ==, TRC_NET_SOURCE);
	g_assert_cmpint(trc_net_field_of("tcp", "source"), ==, TRC_NET_SOURCE_PORT);
	g_assert_cmpint(trc_net_field_of("udp", "source_port"), ==, TRC_NET_SOURCE_PORT);
	g_assert_cmpint(trc_net_field_of("icmp", "checksum"), ==, TRC_NET_FIELDS);
	g_assert_cmpint(trc_net_field_of("ipv4", "checksum"), ==, TRC_NET_FIELDS);
	g_assert_cmpint(trc_net_field_of("", "len"), ==, TRC_NET_FIELDS);
	g_assert_cmpint(trc_net_field_of("", ""), ==, TRC_NET_FIELDS);
}

static void test_datagram(void)
{
	struct trc_net n = udp();

	trc_net_set_address(&n, TRC_NET_SOURCE, "\x0a\x00\x00\x01", 4);
	trc_net_set_address(&n, TRC_NET_DESTINATION, "\x0a\x00\x00\x02", 4);
	expect(&n,
		"10.0.0.1 > 10.0.0.2 protocol 17 id 0 ports 53 > 4000 seq 0 ack 0 flags 0x0 check 0 payload 20");
	trc_net_set(&n, TRC_NET_FRAGMENT, 0x2000); /* the first of several fragments */
	expect(&n,
		"10.0.0.1 > 10.0.0.2 protocol 17 id 0 ports 53 > 4000 seq 0 ack 0 flags 0x0 check 0 payload 20");
	trc_net_set(&n, TRC_NET_FRAGMENT, 0x20b9); /* a later one */
	expect(&n, "10.0.0.1 > 10.0.0.2 protocol 17 id 0");
}

/* Invalid lengths: 0 in a packet too large for the field, less than the headers. */
static void test_lengths(void)
{
	struct trc_net n = udp();

	trc_net_set(&n, TRC_NET_TOTAL, 0);
	expect(&n,
		"0.0.0.0 > 0.0.0.0 protocol 17 id 0 ports 53 > 4000 seq 0 ack 0 flags 0x0 check 0 payload -1");
	trc_net_set(&n, TRC_NET_TOTAL, 27);
	expect(&n,
		"0.0.0.0 > 0.0.0.0 protocol 17 id 0 ports 53 > 4000 seq 0 ack 0 flags 0x0 check 0 payload -1");
	trc_net_set(&n, TRC_NET_TOTAL, 28);
	expect(&n,
		"0.0.0.0 > 0.0.0.0 protocol 17 id 0 ports 53 > 4000 seq 0 ack 0 flags 0x0 check 0 payload 0");
}

/* TCP over IPv6 with the header's length in the field of the flags, as an early layout had it. */
static void test_early_layout(void)
{
	struct trc_net n = { .seen = 0 };

	trc_net_set(&n, TRC_NET_VERSION, 6);
	trc_net_set(&n, TRC_NET_PAYLOAD, 44);
	trc_net_set(&n, TRC_NET_PROTOCOL, 6);
	trc_net_set_address(&n, TRC_NET_SOURCE, "\xfe\x80\0\0\0\0\0\0\0\0\0\0\0\0\0\x01 and more", 24);
	trc_net_set(&n, TRC_NET_SOURCE_PORT, 80);
	trc_net_set(&n, TRC_NET_DESTINATION_PORT, 4000);
	trc_net_set(&n, TRC_NET_SEQUENCE, 0xfffffffe);
	trc_net_set(&n, TRC_NET_ACKNOWLEDGEMENT, 7);
	trc_net_set(&n, TRC_NET_FLAGS, 0xa018);
	trc_net_set(&n, TRC_NET_CHECKSUM, 9);
	expect(&n,
		"fe80:0:0:0:0:0:0:1 > 0:0:0:0:0:0:0:0 protocol 6 id 0 ports 80 > 4000 seq 4294967294 ack 7 flags 0x18 check 9 payload 4");
}

static void test_nothing(void)
{
	struct trc_net n = { .seen = 0 };

	expect(&n, "none");
	trc_net_set(&n, TRC_NET_VERSION, 5);
	expect(&n, "none");
	trc_net_set(&n, TRC_NET_VERSION, 4 + 256);
	expect(&n, "none");
	trc_net_set(&n, TRC_NET_VERSION, 4);
	expect(&n, "0.0.0.0 > 0.0.0.0 protocol 0 id 0");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/net/traces", test_traces);
	g_test_add_func("/net/early-trace", test_early_trace);
	g_test_add_func("/net/fields", test_fields);
	g_test_add_func("/net/datagram", test_datagram);
	g_test_add_func("/net/lengths", test_lengths);
	g_test_add_func("/net/early-layout", test_early_layout);
	g_test_add_func("/net/nothing", test_nothing);
	return g_test_run();
}
