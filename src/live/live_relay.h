/* SPDX-License-Identifier: MIT */
/* The viewer's side of LTTng live: data of a session that lttng-relayd serves while it is recorded.  The
 * protocol is that of lttng-tools, src/bin/lttng-relayd/lttng-viewer-abi.h: all numbers are big-endian. */
#ifndef LIVE_RELAY_H
#define LIVE_RELAY_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

struct live_relay;

/* Limits; more is refused. */
#define LIVE_SESSIONS_MAX 4096 /* per relay */
#define LIVE_STREAMS_MAX 8192  /* per session: 1024 CPUs with four channels of the kernel and of programs */
#define LIVE_PACKET_MAX (1u << 30)    /* bytes */
#define LIVE_METADATA_MAX (64u << 20) /* bytes per session; real sessions have below 2 MB per trace */

/* A stream of the session. */
struct live_stream {
	uint64_t id, trace; /* ID is unique; TRACE is the session's trace that it belongs to */
	bool is_metadata;
	bool is_kernel; /* according to its folder at the relay */
	/* owned; "channel0_1"; hostile, but without '/' and control characters, and not a hidden name */
	char *channel;
};

/* The next item of a stream. */
enum live_next {
	LIVE_PACKET,
	LIVE_NOTHING,  /* none yet */
	LIVE_INACTIVE, /* none before time END */
	LIVE_OVER
};

struct live_index {
	enum live_next next;
	uint64_t offset, size;          /* bytes: of the packet at the relay */
	uint64_t end;                   /* cycles of the stream's clock */
	bool new_metadata, new_streams; /* fetch these first */
};

/* Connect to URL, net://RELAY[:PORT]/host/HOST/SESSION, and attach to the session from its beginning.  NULL
 * with BASE_ERROR_USAGE if URL is not of this form, BASE_ERROR_IO if nobody answers, BASE_ERROR_DATA if the
 * session does not exist; the message then names those that do. */
struct live_relay *live_relay_open(const char *url, GError **error);
void live_relay_free(struct live_relay *r);
/* The host and the session in the URL, owned by R. */
const char *live_relay_host(const struct live_relay *r);
const char *live_relay_session(const struct live_relay *r);

/* The known streams (of struct live_stream), owned by R.  live_relay_more() adds new ones. */
const GPtrArray *live_relay_streams(const struct live_relay *r);
/* Ask for new streams.  *OVER: true if the session has ended.  Errors as of live_relay_next(). */
bool live_relay_more(struct live_relay *r, bool *over, GError **error);

/* Receives the next SIZE bytes.  Returns false with an error if it cannot take them. */
typedef bool live_take(void *data, const uint8_t *bytes, size_t size, GError **error);

/* Ask for the next item of STREAM (live_stream.id).  This and the other calls: false with BASE_ERROR_IO if
 * the relay is gone, does not answer in time or violates the protocol; the data received until then is
 * incomplete. */
bool live_relay_next(struct live_relay *r, uint64_t stream, struct live_index *index, GError **error);
/* Pass the bytes of the packet that INDEX describes to TAKE; no bytes: the relay does not have it yet. */
bool live_relay_packet(struct live_relay *r, uint64_t stream, const struct live_index *index, live_take *take,
	void *data, GError **error);
/* Pass the bytes of metadata that are new since the last call to TAKE, possibly none. */
bool live_relay_metadata(struct live_relay *r, uint64_t stream, live_take *take, void *data, GError **error);

/* ---- a live session that is kept on disk as it arrives: a folder with a CTF trace that grows (live_keep.c)
 * ---- */

struct live_keep;

/* True if TEXT is the URL of a live session and not a path. */
bool live_keep_is_url(const char *text);

/* Connect to URL and create a new folder for the trace.  NULL with an error of live_relay_open(), or
 * BASE_ERROR_IO if the folder cannot be made. */
struct live_keep *live_keep_new(const char *url, GError **error);
void live_keep_free(struct live_keep *k);
/* live_keep_folder() returns the folder.  live_keep_ended() returns one line that says why nothing more
 * comes, once the session or the relay has ended, else NULL.  K owns both. */
const char *live_keep_folder(const struct live_keep *k);
const char *live_keep_ended(const struct live_keep *k);

/* Write everything that the relay has: packets, metadata before the packets that need it, and for each stream
 * without packets the time up to which it is silent.  After a failure live_keep_ended() has the reason. */
void live_keep_fetch(struct live_keep *k);

#endif
