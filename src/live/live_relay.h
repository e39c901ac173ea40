/* SPDX-License-Identifier: MIT */
/*
 * The viewer's side of LTTng live: what lttng-relayd tells of a session while it is recorded.  The protocol
 * is that of lttng-tools, src/bin/lttng-relayd/lttng-viewer-abi.h: all numbers are big-endian.
 */
#ifndef LIVE_RELAY_H
#define LIVE_RELAY_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

struct live_relay;

/* Limits: what is more is refused. */
#define LIVE_SESSIONS_MAX 4096 /* at a relay */
#define LIVE_STREAMS_MAX 8192  /* of a session: 1024 CPUs with four channels of the kernel and of programs */
#define LIVE_PACKET_MAX (1u << 30)    /* bytes */
#define LIVE_METADATA_MAX (64u << 20) /* bytes of a session; real ones have below 2 MB for each trace */

/* A stream of the session. */
struct live_stream {
	uint64_t id, trace; /* no other stream has ID; which of the session's traces it is of */
	bool is_metadata;
	bool is_kernel; /* its folder at the relay says so */
	char *channel;  /* owned; "channel0_1"; hostile: without '/' and control characters, not hidden */
};

/* What follows in a stream. */
enum live_next {
	LIVE_PACKET,
	LIVE_NOTHING,  /* yet */
	LIVE_INACTIVE, /* nothing up to time END */
	LIVE_OVER
};

struct live_index {
	enum live_next next;
	uint64_t offset, size;          /* of the packet at the relay, bytes */
	uint64_t end;                   /* cycles of the stream's clock */
	bool new_metadata, new_streams; /* these come first */
};

/*
 * Connect to URL, net://RELAY[:PORT]/host/HOST/SESSION, and attach to the session from its begin.  NULL with
 * BASE_ERROR_USAGE when that is no such URL, BASE_ERROR_IO when nobody answers, BASE_ERROR_DATA when there is
 * no such session: the message names those that there are.
 */
struct live_relay *live_relay_open(const char *url, GError **error);
void live_relay_free(struct live_relay *r);
const char *live_relay_host(const struct live_relay *r);
const char *live_relay_session(const struct live_relay *r);

/* The streams there are (of struct live_stream), owned by R; those that are new are added by
 * live_relay_more(). */
const GPtrArray *live_relay_streams(const struct live_relay *r);
/* *OVER: the session has ended. */
bool live_relay_more(struct live_relay *r, bool *over, GError **error);

/* Takes the SIZE bytes that come next; false with ERROR when it cannot. */
typedef bool live_take(void *data, const uint8_t *bytes, size_t size, GError **error);

/* Any call: false with BASE_ERROR_IO when the relay has gone, does not answer in time, or does not say what
 * it should; what came is incomplete then. */
bool live_relay_next(struct live_relay *r, uint64_t stream, struct live_index *index, GError **error);
/* The bytes of the packet that INDEX tells of, for TAKE; none: it is not there yet. */
bool live_relay_packet(struct live_relay *r, uint64_t stream, const struct live_index *index, live_take *take,
	void *data, GError **error);
/* Bytes of the metadata that were not told yet, for TAKE; maybe none. */
bool live_relay_metadata(struct live_relay *r, uint64_t stream, live_take *take, void *data, GError **error);

#endif
