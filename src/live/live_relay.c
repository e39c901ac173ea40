/* SPDX-License-Identifier: MIT */
/*
 * How it works: there is one connection, with one question after the other. Each answer has a known size or
 * contains its size. A relay may be hostile: sizes and numbers are limited, names are checked, and a whole
 * answer has a time limit, which grows with its size. Long data are passed on in pieces.
 *
 * babeltrace2's src.ctf.lttng-live has this protocol, too, but returns events. wakepath keeps, indexes and
 * reopens the packets, which it does not return.
 */
#include "live/live_relay.h"

#include "base/base_error.h"
#include "base/base_stop.h"
#include "base/base_text.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#define PORT "5344"
#define SECONDS 10 /* to connect, and for an answer … */
#define RATE 32768 /* … and 1 s more for this many bytes of it */
#define LOOK_MS 50 /* between two checks for a stop */
#define MAJOR 2
#define MINOR 4
#define PATH_MAX_ 4096
#define NAME_MAX_ 255
#define HOST_MAX 64
#define SESSION_SIZE (8 + 4 + 4 + 4 + HOST_MAX + NAME_MAX_)
#define STREAM_SIZE (8 + 8 + 4 + PATH_MAX_ + NAME_MAX_)
#define SESSIONS_SHOWN 500 /* bytes of their names in a message */
#define PIECE 65536        /* bytes */

enum command {
	CONNECT = 1,
	LIST_SESSIONS = 2,
	ATTACH_SESSION = 3,
	GET_NEXT_INDEX = 4,
	GET_PACKET = 5,
	GET_METADATA = 6,
	GET_NEW_STREAMS = 7,
	CREATE_SESSION = 8
};
enum { OK = 1 }; /* of all answers */
enum { CLIENT_COMMAND = 1, SEEK_BEGINNING = 1 };
enum { INDEX_RETRY = 2, INDEX_HUP = 3, INDEX_INACTIVE = 5 };
enum { STREAMS_HUP = 4 };
enum { FLAG_METADATA = 1, FLAG_STREAM = 2 };

struct live_relay {
	int fd;
	char *relay, *port, *host, *session; /* owned */
	uint64_t id;                         /* of the session */
	GPtrArray *streams;
	GHashTable *ids;   /* set of uint64_t *, weak: of STREAMS */
	gint64 deadline;   /* µs, monotonic: for the current answer */
	uint64_t metadata; /* bytes received so far */
};

static void relay_stream_free(gpointer data)
{
	struct live_stream *s = data;

	g_free(s->channel);
	g_free(s);
}

/* ---- bytes ---- */

static void put32(GByteArray *to, uint32_t v)
{
	v = GUINT32_TO_BE(v);
	g_byte_array_append(to, (const guint8 *)&v, sizeof v);
}

static void put64(GByteArray *to, uint64_t v)
{
	v = GUINT64_TO_BE(v);
	g_byte_array_append(to, (const guint8 *)&v, sizeof v);
}

static uint32_t get32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof v);
	return GUINT32_FROM_BE(v);
}

static uint64_t get64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof v);
	return GUINT64_FROM_BE(v);
}

/* Set ERROR. ERROR_NUMBER 0: the relay closed the connection. Returns false. */
static bool set_gone(const struct live_relay *r, int error_number, GError **error)
{
	return base_error_false(error, BASE_ERROR_IO, "the relay %s:%s has gone%s%s", r->relay, r->port,
		error_number == 0 ? "" : ": ", error_number == 0 ? "" : g_strerror(error_number));
}

static bool set_wrong(const struct live_relay *r, const char *what, GError **error)
{
	return base_error_false(error, BASE_ERROR_IO,
		"the relay %s:%s does not speak LTTng live 2.4 or later: %s", r->relay, r->port, what);
}

/* Wait until the connection is ready for EVENTS (of poll()). False after the deadline, or at a stop. */
static bool wait_for(const struct live_relay *r, short events, GError **error)
{
	struct pollfd fd = { .fd = r->fd, .events = events };

	while (!base_stop_signal() && g_get_monotonic_time() < r->deadline)
		if (poll(&fd, 1, LOOK_MS) > 0)
			return true;
	return base_error_false(error, BASE_ERROR_IO, "the relay %s:%s does not answer", r->relay, r->port);
}

static bool is_again(int error_number)
{
	return error_number == EAGAIN || error_number == EINTR;
}

static bool send_all(const struct live_relay *r, const GByteArray *bytes, GError **error)
{
	for (guint at = 0; at < bytes->len;) {
		ssize_t n;

		if (!wait_for(r, POLLOUT, error))
			return false;
		n = send(r->fd, bytes->data + at, bytes->len - at, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n < 0 && !is_again(errno))
			return set_gone(r, errno, error);
		at += n > 0 ? (guint)n : 0;
	}
	return true;
}

static bool receive(struct live_relay *r, uint8_t *to, size_t size, GError **error)
{
	r->deadline += (gint64)size * G_USEC_PER_SEC / RATE;
	while (size > 0) {
		ssize_t n;

		if (!wait_for(r, POLLIN, error))
			return false;
		n = recv(r->fd, to, size, MSG_DONTWAIT);
		if (n == 0 || (n < 0 && !is_again(errno)))
			return set_gone(r, n == 0 ? 0 : errno, error);
		to += n > 0 ? n : 0;
		size -= n > 0 ? (size_t)n : 0;
	}
	return true;
}

/* Receive SIZE bytes and pass them to TAKE. */
static bool receive_pieces(struct live_relay *r, uint64_t size, live_take *take, void *data, GError **error)
{
	uint8_t piece[PIECE];

	while (size > 0) {
		size_t n = MIN(size, sizeof piece);

		if (!receive(r, piece, n, error) || !take(data, piece, n, error))
			return false;
		size -= n;
	}
	return true;
}

/* Send COMMAND with BODY, and receive the first SIZE bytes of the answer. */
static bool relay_ask(struct live_relay *r, enum command command, const GByteArray *body, uint8_t *answer,
	size_t size, GError **error)
{
	g_autoptr(GByteArray) bytes = g_byte_array_new();

	put64(bytes, body ? body->len : 0);
	put32(bytes, command);
	put32(bytes, 0);
	if (body)
		g_byte_array_append(bytes, body->data, body->len);
	r->deadline = g_get_monotonic_time() + SECONDS * G_USEC_PER_SEC;
	return send_all(r, bytes, error) && receive(r, answer, size, error);
}

/* ---- connecting ---- */

/* Parse net://RELAY[:PORT]/host/HOST/SESSION. RELAY may be an IPv6 address in brackets. */
static bool take_apart(struct live_relay *r, const char *url, GError **error)
{
	g_autoptr(GRegex)
		regex = g_regex_new("^net[46]?://(\\[[^]/]+\\]|[^/:]+)(?::([0-9]+))?/host/([^/]+)/([^/]+)/?$",
			0, 0, NULL);
	g_autoptr(GMatchInfo) match = NULL;
	g_autofree char *relay = NULL, *port = NULL;

	if (!g_regex_match(regex, url, 0, &match))
		return base_error_false(error, BASE_ERROR_USAGE,
			"%s: an LTTng live session is called net://RELAY[:PORT]/host/HOST/SESSION", url);
	relay = g_match_info_fetch(match, 1);
	port = g_match_info_fetch(match, 2);
	r->relay = relay[0] == '[' ? g_strndup(relay + 1, strlen(relay) - 2) : g_strdup(relay);
	r->port = g_strdup(*port != '\0' ? port : PORT);
	r->host = g_match_info_fetch(match, 3);
	r->session = g_match_info_fetch(match, 4);
	return true;
}

/* Return a connection to ADDRESS, within SECONDS; -1 with errno. */
static int connect_to(const struct addrinfo *address)
{
	const struct timeval limit = { .tv_sec = SECONDS };
	int fd = socket(address->ai_family, address->ai_socktype | SOCK_CLOEXEC, address->ai_protocol);

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
	if (connect(fd, address->ai_addr, address->ai_addrlen) == 0)
		return fd;
	close(fd);
	return -1;
}

static bool connect_any(struct live_relay *r, GError **error)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
	struct addrinfo *all = NULL;
	int problem = getaddrinfo(r->relay, r->port, &hints, &all);

	if (problem != 0)
		return base_error_false(error, BASE_ERROR_IO, "%s: %s", r->relay, gai_strerror(problem));
	for (const struct addrinfo *a = all; a && r->fd < 0; a = a->ai_next)
		r->fd = connect_to(a);
	freeaddrinfo(all);
	if (r->fd >= 0)
		return true;
	return base_error_false(error, BASE_ERROR_IO,
		"no relay answers at %s:%s: %s; check that lttng-relayd runs there and its port is reachable",
		r->relay, r->port, g_strerror(errno));
}

static bool greet(struct live_relay *r, GError **error)
{
	g_autoptr(GByteArray) body = g_byte_array_new();
	uint8_t answer[20];

	put64(body, UINT64_MAX);
	put32(body, MAJOR);
	put32(body, MINOR);
	put32(body, CLIENT_COMMAND);
	if (!relay_ask(r, CONNECT, body, answer, sizeof answer, error))
		return false;
	return get32(answer + 8) == MAJOR || set_wrong(r, "another version", error);
}

/* Set the session's id in R. SEEN gets the names of all sessions. */
static bool find_session(struct live_relay *r, GString *seen, bool *found, GError **error)
{
	uint8_t count[4], session[SESSION_SIZE];
	uint32_t n;

	*found = false;
	if (!relay_ask(r, LIST_SESSIONS, NULL, count, sizeof count, error))
		return false;
	n = get32(count);
	if (n > LIVE_SESSIONS_MAX)
		return set_wrong(r, "too many sessions", error);
	for (uint32_t i = 0; i < n; i++) {
		g_autofree char *host = NULL, *name = NULL;

		if (!receive(r, session, sizeof session, error))
			return false;
		host = g_strndup((const char *)session + 20, HOST_MAX);
		name = g_strndup((const char *)session + 20 + HOST_MAX, NAME_MAX_);
		if (seen->len < SESSIONS_SHOWN)
			g_string_append_printf(seen, "%s%s/%s", seen->len > 0 ? ", " : "", host, name);
		else if (!g_str_has_suffix(seen->str, ", …"))
			g_string_append(seen, ", …");
		if (*found || strcmp(host, r->host) != 0 || strcmp(name, r->session) != 0)
			continue;
		r->id = get64(session);
		*found = true;
	}
	return true;
}

static bool choose_session(struct live_relay *r, GError **error)
{
	g_autoptr(GString) seen = g_string_new(NULL);
	g_autofree char *clean = NULL;
	bool found;

	if (!find_session(r, seen, &found, error))
		return false;
	if (found)
		return true;
	clean = base_text_clean(seen->str, -1);
	return base_error_false(error, BASE_ERROR_DATA, "no session %s/%s at %s:%s: %s%s", r->host,
		r->session, r->relay, r->port,
		*clean != '\0' ? "there are " : "there is none; begin one with: lttng create --live", clean);
}

/* ---- streams ---- */

/* Return the text in the SIZE bytes at FIELD; NULL if it does not end there. The caller frees it. */
static char *relay_text_of(const uint8_t *field, size_t size)
{
	return memchr(field, '\0', size) ? g_strdup((const char *)field) : NULL;
}

/* True if NAME can be the name of a file that is not hidden. */
static bool is_name(const char *name)
{
	bool ok = name && *name != '\0' && *name != '.';

	for (const char *p = name; ok && *p != '\0'; p++)
		ok = *p != '/' && !g_ascii_iscntrl(*p);
	return ok;
}

/* Add the stream in BYTES (STREAM_SIZE). */
static bool relay_add_stream(struct live_relay *r, const uint8_t *bytes, GError **error)
{
	g_autofree char *path = relay_text_of(bytes + 20, PATH_MAX_),
			*channel = relay_text_of(bytes + 20 + PATH_MAX_, NAME_MAX_), *shown = NULL;
	struct live_stream *s;

	if (!path || !is_name(channel)) {
		shown = channel ? base_text_clean(channel, -1) : g_strdup("too long");
		return base_error_false(error, BASE_ERROR_IO,
			"the relay %s:%s has a stream with a name that no file can have (%s): it is not kept",
			r->relay, r->port, shown);
	}
	s = g_new0(struct live_stream, 1);
	s->id = get64(bytes);
	s->trace = get64(bytes + 8);
	s->is_metadata = get32(bytes + 16) != 0;
	s->is_kernel = strstr(path, "kernel");
	s->channel = g_steal_pointer(&channel);
	g_ptr_array_add(r->streams, s);
	return g_hash_table_add(r->ids, &s->id) || set_wrong(r, "two streams with one number", error);
}

static bool receive_streams(struct live_relay *r, uint32_t n, GError **error)
{
	uint8_t bytes[STREAM_SIZE];

	if (n > LIVE_STREAMS_MAX || r->streams->len + n > LIVE_STREAMS_MAX)
		return set_wrong(r, "too many streams", error);
	for (uint32_t i = 0; i < n; i++)
		if (!receive(r, bytes, sizeof bytes, error) || !relay_add_stream(r, bytes, error))
			return false;
	return true;
}

static bool attach(struct live_relay *r, GError **error)
{
	g_autoptr(GByteArray) body = g_byte_array_new();
	uint8_t status[4], answer[8];

	put64(body, r->id);
	put64(body, 0);
	put32(body, SEEK_BEGINNING);
	if (!relay_ask(r, CREATE_SESSION, NULL, status, sizeof status, error))
		return false;
	if (get32(status) != OK)
		return set_wrong(r, "no viewer can be made", error);
	if (!relay_ask(r, ATTACH_SESSION, body, answer, sizeof answer, error))
		return false;
	if (get32(answer) == OK)
		return receive_streams(r, get32(answer + 4), error);
	return base_error_false(error, BASE_ERROR_DATA,
		"%s/%s at %s:%s cannot be followed: it is not a live session (lttng create --live), or another viewer is attached to it",
		r->host, r->session, r->relay, r->port);
}

struct live_relay *live_relay_open(const char *url, GError **error)
{
	struct live_relay *r = g_new0(struct live_relay, 1);

	r->fd = -1;
	r->streams = g_ptr_array_new_with_free_func(relay_stream_free);
	r->ids = g_hash_table_new(g_int64_hash, g_int64_equal);
	if (take_apart(r, url, error) && connect_any(r, error) && greet(r, error) &&
		choose_session(r, error) && attach(r, error))
		return r;
	live_relay_free(r);
	return NULL;
}

void live_relay_free(struct live_relay *r)
{
	if (!r)
		return;
	if (r->fd >= 0)
		close(r->fd);
	g_hash_table_unref(r->ids);
	g_ptr_array_unref(r->streams);
	g_free(r->relay);
	g_free(r->port);
	g_free(r->host);
	g_free(r->session);
	g_free(r);
}

const char *live_relay_host(const struct live_relay *r)
{
	return r->host;
}

const char *live_relay_session(const struct live_relay *r)
{
	return r->session;
}

const GPtrArray *live_relay_streams(const struct live_relay *r)
{
	return r->streams;
}

bool live_relay_more(struct live_relay *r, bool *over, GError **error)
{
	g_autoptr(GByteArray) body = g_byte_array_new();
	uint8_t answer[8];

	put64(body, r->id);
	if (!relay_ask(r, GET_NEW_STREAMS, body, answer, sizeof answer, error))
		return false;
	*over = get32(answer) == STREAMS_HUP;
	return get32(answer) != OK || receive_streams(r, get32(answer + 4), error);
}

/* ---- packets ---- */

bool live_relay_next(struct live_relay *r, uint64_t stream, struct live_index *index, GError **error)
{
	g_autoptr(GByteArray) body = g_byte_array_new();
	uint8_t answer[64];
	uint32_t status;

	put64(body, stream);
	if (!relay_ask(r, GET_NEXT_INDEX, body, answer, sizeof answer, error))
		return false;
	status = get32(answer + 56);
	*index = (struct live_index){ .next = status == OK ? LIVE_PACKET
			: status == INDEX_RETRY            ? LIVE_NOTHING
			: status == INDEX_INACTIVE         ? LIVE_INACTIVE
							   : LIVE_OVER,
		.offset = get64(answer),
		.size = get64(answer + 8) / 8,
		.end = get64(answer + 32),
		.new_metadata = (get32(answer + 60) & FLAG_METADATA) != 0,
		.new_streams = (get32(answer + 60) & FLAG_STREAM) != 0 };
	return index->next != LIVE_PACKET || (index->size > 0 && index->size <= LIVE_PACKET_MAX) ||
		set_wrong(r, "a packet of an impossible size", error);
}

bool live_relay_packet(struct live_relay *r, uint64_t stream, const struct live_index *index, live_take *take,
	void *data, GError **error)
{
	g_autoptr(GByteArray) body = g_byte_array_new();
	uint8_t answer[12];

	put64(body, stream);
	put64(body, index->offset);
	put32(body, (uint32_t)index->size);
	if (!relay_ask(r, GET_PACKET, body, answer, sizeof answer, error))
		return false;
	if (get32(answer) != OK) /* new metadata or streams come first */
		return true;
	if (get32(answer + 4) != index->size)
		return set_wrong(r, "a packet of another size than announced", error);
	return receive_pieces(r, index->size, take, data, error);
}

bool live_relay_metadata(struct live_relay *r, uint64_t stream, live_take *take, void *data, GError **error)
{
	g_autoptr(GByteArray) body = g_byte_array_new();
	uint8_t answer[12];
	uint64_t size;

	put64(body, stream);
	if (!relay_ask(r, GET_METADATA, body, answer, sizeof answer, error))
		return false;
	if (get32(answer + 8) != OK)
		return true;
	size = get64(answer);
	if (size > LIVE_METADATA_MAX - r->metadata)
		return set_wrong(r, "metadata of an impossible size", error);
	r->metadata += size;
	return receive_pieces(r, size, take, data, error);
}
