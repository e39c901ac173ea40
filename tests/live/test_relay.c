/* SPDX-License-Identifier: MIT */
/*
 * Answers of a relay that are accepted or refused: each limit, and one beyond it. The relay is a thread that
 * speaks the protocol of lttng-relayd (live_relay.h), with the values that a test puts into its struct.
 */
#include "base/base_error.h"
#include "live/live_relay.h"

#include <arpa/inet.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct stream {
	uint64_t id;
	bool is_metadata;
	const char *channel; /* NULL: the field is filled with 'x', without an end */
	const char *path;    /* like channel */
};

struct relay {
	uint32_t n_sessions;  /* the wanted one is the first */
	uint32_t n_streams;   /* each with its own number and name, after own[]: */
	struct stream own[4]; /* ended by a NULL channel and path and an id of 0 */
	uint32_t n_more;      /* reported when asked again */
	uint64_t packet;      /* bytes of a packet by the index */
	uint32_t comes;       /* bytes by the answer that has the packet */
	uint32_t missing;     /* that many bytes before its end the relay closes the connection */
	uint64_t metadata[2]; /* bytes of the answers */
	unsigned asked;       /* requests for metadata */
	uint64_t told;        /* streams reported */
	int server, port;
	GThread *thread;
};

static void put(GByteArray *to, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++) {
		guint8 byte = (guint8)(value >> 8 * (size - 1 - i));

		g_byte_array_append(to, &byte, 1);
	}
}

static void put_text(GByteArray *to, const char *text, guint size)
{
	guint begin = to->len;

	g_byte_array_set_size(to, begin + size);
	memset(to->data + begin, text ? 0 : 'x', size);
	if (text)
		memcpy(to->data + begin, text, MIN(strlen(text), size));
}

static void put_stream(struct relay *r, GByteArray *to, const struct stream *s)
{
	put(to, s->id, 8);
	put(to, 1, 8);
	put(to, s->is_metadata, 4);
	put_text(to, s->path, 4096);
	put_text(to, s->channel, 255);
	r->told++;
}

static void put_streams(struct relay *r, GByteArray *to, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		g_autofree char *channel = g_strdup_printf("c_%" G_GUINT64_FORMAT, r->told);

		put_stream(r, to, &(struct stream){ 1000 + r->told, false, channel, "kernel" });
	}
}

static uint32_t own_streams(const struct relay *r)
{
	uint32_t n = 0;

	while (n < G_N_ELEMENTS(r->own) && r->own[n].id > 0)
		n++;
	return n;
}

static void answer(struct relay *r, uint32_t command, GByteArray *to)
{
	switch (command) {
	case 1: /* connect */
		put(to, 7, 8);
		put(to, 2, 4);
		put(to, 4, 4);
		put(to, 0, 4);
		break;
	case 2: /* sessions */
		put(to, r->n_sessions, 4);
		for (uint32_t i = 0; i < r->n_sessions; i++) {
			g_autofree char *name = g_strdup_printf("s%u", i);

			put(to, 40 + i, 8);
			put_text(to, "", 12);
			put_text(to, "h", 64);
			put_text(to, name, 255);
		}
		break;
	case 8: put(to, 1, 4); break;
	case 3: /* attach */
		put(to, 1, 4);
		put(to, r->n_streams + own_streams(r), 4);
		for (uint32_t i = 0; i < own_streams(r); i++)
			put_stream(r, to, &r->own[i]);
		put_streams(r, to, r->n_streams);
		break;
	case 7: /* new streams; else the session has ended */
		put(to, r->n_more > 0 ? 1 : 4, 4);
		put(to, r->n_more, 4);
		put_streams(r, to, r->n_more);
		break;
	case 4: /* next index; else the stream has ended */
		put(to, 0, 8);
		put(to, r->packet * 8, 8);
		put_text(to, "", 40);
		put(to, r->packet > 0 ? 1 : 3, 4);
		put(to, 0, 4);
		break;
	case 5: /* packet */
		put(to, 1, 4);
		put(to, r->comes, 4);
		put(to, 0, 4);
		put_text(to, NULL, r->comes - r->missing);
		break;
	case 6: { /* metadata */
		uint64_t size = r->asked < 2 ? r->metadata[r->asked++] : 0;

		put(to, size, 8);
		put(to, size > 0 ? 1 : 2, 4);
		put_text(to, NULL, (guint)MIN(size, LIVE_METADATA_MAX));
		break;
	}
	default: g_assert_not_reached();
	}
}

static bool take(int fd, uint8_t *to, size_t size)
{
	for (ssize_t n; size > 0; to += n, size -= (size_t)n)
		if ((n = recv(fd, to, size, 0)) <= 0)
			return false;
	return true;
}

static gpointer serve(gpointer data)
{
	struct relay *r = data;
	int fd = accept(r->server, NULL, NULL);
	uint8_t head[16], body[256];

	while (take(fd, head, sizeof head)) {
		g_autoptr(GByteArray) to = g_byte_array_new();

		g_assert_cmpuint(head[7], <, sizeof body);
		if (!take(fd, body, head[7]))
			break;
		answer(r, head[11], to);
		for (guint at = 0; at < to->len;) {
			ssize_t n = send(fd, to->data + at, to->len - at, MSG_NOSIGNAL);

			if (n <= 0)
				break;
			at += (guint)n;
		}
		if (head[11] == 5 && r->missing > 0)
			break;
	}
	close(fd);
	return NULL;
}

static char *begin(struct relay *r)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof address;

	r->n_sessions = r->n_sessions ? r->n_sessions : 1;
	r->server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	g_assert_cmpint(bind(r->server, (const struct sockaddr *)&address, size), ==, 0);
	g_assert_cmpint(listen(r->server, 1), ==, 0);
	g_assert_cmpint(getsockname(r->server, (struct sockaddr *)&address, &size), ==, 0);
	r->thread = g_thread_new("relay", serve, r);
	return g_strdup_printf("net://127.0.0.1:%u/host/h/s0", ntohs(address.sin_port));
}

static void end(struct relay *r)
{
	g_thread_join(r->thread);
	close(r->server);
}

static void expect_error(GError **error, const char *part)
{
	g_assert_error(*error, BASE_ERROR, BASE_ERROR_IO);
	if (!strstr((*error)->message, part))
		g_error("\"%s\" is not in: %s", part, (*error)->message);
	g_clear_error(error);
}

/* R can be opened, or fails with PROBLEM. */
static void try_open(struct relay r, const char *problem)
{
	g_autofree char *url = begin(&r);
	g_autoptr(GError) error = NULL;
	struct live_relay *live = live_relay_open(url, &error);

	if (problem)
		expect_error(&error, problem);
	g_assert_no_error(error);
	g_assert_true(!live == !!problem);
	if (live)
		g_assert_cmpuint(live_relay_streams(live)->len, ==, r.told);
	live_relay_free(live);
	end(&r);
}

static void test_numbers(void)
{
	try_open((struct relay){ .n_sessions = LIVE_SESSIONS_MAX }, NULL);
	try_open((struct relay){ .n_sessions = LIVE_SESSIONS_MAX + 1 }, "too many sessions");
	try_open((struct relay){ .n_streams = LIVE_STREAMS_MAX }, NULL);
	try_open((struct relay){ .n_streams = LIVE_STREAMS_MAX + 1 }, "too many streams");
}

static void test_more_streams(void)
{
	struct relay r = { .n_streams = LIVE_STREAMS_MAX - 1, .n_more = 1 };
	g_autofree char *url = begin(&r);
	g_autoptr(GError) error = NULL;
	struct live_relay *live = live_relay_open(url, &error);
	bool over;

	g_assert_no_error(error);
	g_assert_true(live_relay_more(live, &over, &error));
	g_assert_cmpuint(live_relay_streams(live)->len, ==, LIVE_STREAMS_MAX);
	g_assert_false(live_relay_more(live, &over, &error));
	expect_error(&error, "too many streams");
	live_relay_free(live);
	end(&r);
}

static void test_names(void)
{
	static const char *const wrong[] = { "", ".", "..", ".hidden", "a/b", "/etc/passwd", "../x", "a\nb",
		"\033c", NULL };
	char longest[255], path[4096];

	memset(longest, 'n', sizeof longest);
	longest[254] = '\0';
	memset(path, 'p', sizeof path);
	path[4095] = '\0';
	try_open((struct relay){ .own = { { 1, false, longest, path } } }, NULL);
	try_open((struct relay){ .own = { { 1, false, "c", NULL } } }, "a name that no file can have");
	for (gsize i = 0; i < G_N_ELEMENTS(wrong); i++)
		try_open((struct relay){ .own = { { 1, false, wrong[i], "kernel" } } },
			"a name that no file can have");
	try_open((struct relay){ .own = { { 1, false, "a", "kernel" }, { 1, false, "b", "kernel" } } },
		"two streams with one number");
}

static bool count(void *sum, const uint8_t *bytes, size_t size, G_GNUC_UNUSED GError **error)
{
	g_assert_cmpuint(bytes[size - 1], ==, 'x');
	*(uint64_t *)sum += size;
	return true;
}

/* The index gives SIZE bytes for a packet; COMES bytes are sent. */
static void try_packet(uint64_t size, uint32_t comes, const char *problem)
{
	struct relay r = { .n_streams = 1, .packet = size, .comes = comes };
	g_autofree char *url = begin(&r);
	g_autoptr(GError) error = NULL;
	struct live_relay *live = live_relay_open(url, &error);
	struct live_index index;
	uint64_t sum = 0;
	bool ok;

	g_assert_no_error(error);
	ok = live_relay_next(live, 1000, &index, &error) &&
		(comes == 0 || live_relay_packet(live, 1000, &index, count, &sum, &error));
	if (problem)
		expect_error(&error, problem);
	g_assert_no_error(error);
	g_assert_true(ok == !problem);
	g_assert_cmpuint(sum, ==, problem ? 0 : comes);
	live_relay_free(live);
	end(&r);
}

static void test_packets(void)
{
	try_packet(100000, 100000, NULL);
	try_packet(100000, 99999, "another size than announced");
	try_packet(LIVE_PACKET_MAX, 0, NULL);
	try_packet((uint64_t)LIVE_PACKET_MAX + 1, 0, "an impossible size");
}

/* The relay answers with metadata of A bytes, then with B. */
static void try_metadata(uint64_t a, uint64_t b)
{
	struct relay r = { .n_streams = 1, .metadata = { a, b } };
	g_autofree char *url = begin(&r);
	g_autoptr(GError) error = NULL;
	struct live_relay *live = live_relay_open(url, &error);
	uint64_t sum = 0;

	g_assert_no_error(error);
	g_assert_true(a > LIVE_METADATA_MAX || live_relay_metadata(live, 1000, count, &sum, &error));
	g_assert_cmpuint(sum, ==, a > LIVE_METADATA_MAX ? 0 : a);
	g_assert_false(live_relay_metadata(live, 1000, count, &sum, &error));
	expect_error(&error, "metadata of an impossible size");
	live_relay_free(live);
	end(&r);
}

static void test_metadata(void)
{
	try_metadata(LIVE_METADATA_MAX, 1);
	try_metadata(1000, UINT64_MAX);
	try_metadata(UINT64_C(1) << 40, 0);
}

/* ---- keeping a session ---- */

/* Keep the session of R; returns why it ended. Its folder has only the files NAMES, all empty, unless NAMES
 * is NULL. */
static char *keep(struct relay r, const char *const *names)
{
	g_autofree char *url = begin(&r);
	g_autoptr(GError) error = NULL;
	struct live_keep *k = live_keep_new(url, &error);
	const char *folder, *name;
	unsigned n = 0;
	char *ended;
	GStatBuf st;
	GDir *dir;

	g_assert_no_error(error);
	live_keep_fetch(k);
	folder = live_keep_folder(k);
	dir = g_dir_open(folder, 0, NULL);
	while ((name = g_dir_read_name(dir))) {
		g_autofree char *path = g_build_filename(folder, name, NULL);

		g_assert_true(!names || g_strv_contains(names, name));
		g_assert_cmpint(g_stat(path, &st), ==, 0);
		g_assert_cmpint(st.st_size, ==, 0);
		g_remove(path);
		n++;
	}
	g_dir_close(dir);
	g_assert_true(!names || n == g_strv_length((char **)(uintptr_t)names));
	g_rmdir(folder);
	ended = g_strdup(live_keep_ended(k));
	live_keep_free(k);
	end(&r);
	return ended;
}

static void test_files(void)
{
	static const char *const names[] = { "metadata", "stream_2", "a", "stream_4", NULL };
	struct relay r = { .own = { { 2, false, "metadata", "kernel" }, { 1, true, "metadata", "kernel" },
				   { 3, false, "a", "kernel" }, { 4, false, "a", "kernel" } } };
	g_autofree char *ended = keep(r, names), *second = NULL, *third = NULL;

	g_assert_nonnull(strstr(ended, "the session has ended"));
	r.own[2].channel = "stream_4";
	r.own[3].channel = "stream_4";
	second = keep(r, NULL);
	g_assert_nonnull(strstr(second, "two streams with the name stream_4"));
	r.own[2].is_metadata = true;
	third = keep(r, NULL);
	g_assert_nonnull(strstr(third, "two streams with the name metadata"));
}

/* Nothing stays of a packet that does not arrive as announced. */
static void test_cut_packet(void)
{
	struct relay r = { .n_streams = 1, .packet = 200000, .comes = 199999 };
	g_autofree char *ended = keep(r, NULL), *second = NULL;

	g_assert_nonnull(strstr(ended, "another size than announced"));
	r.comes = 200000;
	r.missing = 1;
	second = keep(r, NULL);
	g_assert_nonnull(strstr(second, "has gone"));
}

int main(int argc, char **argv)
{
	g_autofree char *home = g_dir_make_tmp("wakepath-test-XXXXXX", NULL), *below = NULL;
	int status;

	g_setenv("XDG_DATA_HOME", home, TRUE);
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/relay/numbers", test_numbers);
	g_test_add_func("/relay/more-streams", test_more_streams);
	g_test_add_func("/relay/names", test_names);
	g_test_add_func("/relay/packets", test_packets);
	g_test_add_func("/relay/metadata", test_metadata);
	g_test_add_func("/keep/files", test_files);
	g_test_add_func("/keep/cut-packet", test_cut_packet);
	status = g_test_run();
	below = g_build_filename(home, "wakepath", NULL);
	g_rmdir(below);
	g_rmdir(home);
	return status;
}
