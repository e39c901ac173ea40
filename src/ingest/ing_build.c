/* SPDX-License-Identifier: MIT */
/*
 * How it works: one thread reads and merges, this one feeds the model, whose sink
 * is the index writer.  Nothing is kept but the model's own state and the writer's
 * open blocks.
 */
#include "ingest/ing_build.h"

#include "base/base_error.h"
#include "index/spans/spans.h"
#include "ingest/ing_make.h"

struct build {
	struct ing_make make;
	ing_build_watch watch;
	void *data;
};

static void on_time(void *data, int64_t time)
{
	ing_make_time(&((struct build *)data)->make, time);
}

/* The packets that ended with the last batch. */
static void on_batch(void *data, struct trc_ahead *ahead)
{
	struct build *b = data;
	const struct trc_packet_seen *packets;
	unsigned n = trc_ahead_packets(ahead, &packets);

	ing_make_packets(&b->make, packets, n);
}

static bool should_stop(void *data, GError **error)
{
	struct build *b = data;
	const GError *failure = idx_writer_error(b->make.writer);

	if (failure) {
		g_propagate_error(error, g_error_copy(failure));
		return true;
	}
	if (!b->watch || !b->watch(b->data, ing_feed_share(&b->make.feed), b->make.feed.events))
		return false;
	g_set_error_literal(error, BASE_ERROR, BASE_ERROR_CANCELLED, "interrupted; nothing was written");
	return true;
}

bool ing_build(struct trc_reader *reader, const struct trc_recording *recording, const char *fingerprint,
	const GArray *firsts, const char *file, ing_build_watch watch, void *data, GError **error)
{
	static const struct ing_feed_hooks hooks = { on_time, on_batch, should_stop };
	struct build b = { .watch = watch, .data = data };
	bool ok = ing_make_begin(&b.make, reader, firsts, file, error) &&
		ing_feed_all(&b.make.feed, reader, &hooks, &b, error) &&
		ing_feed_is_whole(&b.make.feed, recording, fingerprint, error) &&
		ing_make_has_events(&b.make, error) && ing_make_finish(&b.make, reader, fingerprint, error);

	if (ok)
		idx_spans_remove_beside(file);
	ing_make_clear(&b.make);
	return ok;
}
