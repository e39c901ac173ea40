/* SPDX-License-Identifier: MIT */
/*
 * How it works: one reader, model and writer continue while the trace grows. Only certain events are read:
 * those before which no stream can still bring another one (trc_merge.c).
 *
 * To show the present state, the process makes a copy of itself (fork()), which shares all memory until one
 * of the two changes it. The copy ends model and index as if the trace ended there, with all that is open at
 * that instant. It writes into a file of its own, after the blocks that are already written
 * (index/file/out.c), and exits. So the view is that of a build of just these events, and model and index
 * know nothing about it. It costs the open parts and the tables, not the blocks that are written already. The
 * last view is the index itself: the process makes it in the same way.
 *
 * A copy has only the thread that made it. A lock that another thread held at that moment would stay locked
 * in the copy for ever. So the process has no other thread here, except that of base_stop, which sleeps.
 */
#include "ingest/ing.h"

#include "base/base_error.h"
#include "base/base_place.h"
#include "base/base_stop.h"
#include "base/base_time.h"
#include "index/spans/spans.h"
#include "ingest/ing_feed.h"
#include "trace/core/trc_folders.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define BATCH 2048
#define CLOSE_TRIES 5
#define FIRST_US 100000 /* ING_FOLLOW_RARER */
#define MESSAGE_MAX 1024

static const struct ing_feed_hooks hooks = { .time = ing_make_time };

struct ing_follow {
	char **paths;
	bool whole;                      /* complete: it does not grow */
	char *written;                   /* with WHOLE: the fingerprint, from before READER was opened */
	char *folder;                    /* of indexes */
	struct trc_recording *recording; /* NULL: not found yet */
	struct trc_reader *reader;       /* NULL: nothing could be read yet */
	GArray *firsts;
	struct ing_absent absent; /* found before the trace was read again; CPUS NULL: nothing yet */
	struct ing_make make;     /* with READER */
	uint64_t read;            /* events given out by READER */
	char *note;
	char *shown;          /* the index that can be opened; NULL: none yet */
	char fingerprint[33]; /* of SHOWN */
	unsigned times;
	uint64_t events;         /* in SHOWN */
	int64_t from, to;        /* ns: interval that SHOWN covers */
	bool more;               /* follow_read_all() did not read all */
	bool unseen;             /* follow_look() could not see all; NOTE has the reason */
	gint64 grown, published; /* µs, monotonic */
	gint64 began;            /* µs, monotonic: begin of reading */
	struct mdl_event batch[BATCH];
};

static void set_note(struct ing_follow *f, const char *text)
{
	g_free(f->note);
	f->note = g_strdup(text);
}

/* ---- the recording ---- */

/* The one recording that is followed; NULL with ERROR.  The caller frees. */
static struct trc_recording *follow_find(char *const *paths, GError **error)
{
	g_autoptr(GPtrArray) all = trc_find(paths, NULL, error);

	if (!all)
		return NULL;
	if (all->len == 1)
		return trc_folders_recording_copy(g_ptr_array_index(all, 0));
	return base_error_null(error, BASE_ERROR_USAGE,
		"%s: this folder has %u traces, and wakepath follows one: name its folder", paths[0],
		all->len);
}

struct ing_follow *ing_follow_new(char *const *paths, bool whole, const struct ing_options *options,
	GError **error)
{
	struct ing_follow *f = g_new0(struct ing_follow, 1);
	GError *problem = NULL;

	f->paths = g_strdupv((char **)paths);
	f->whole = whole;
	f->folder = ing_place_folder(options->index_dir);
	f->from = f->to = BASE_TIME_NONE;
	f->grown = g_get_monotonic_time();
	f->recording = follow_find(paths, &problem);
	/* A folder without a trace may have one soon. */
	if (!f->recording && !g_error_matches(problem, BASE_ERROR, BASE_ERROR_DATA))
		g_propagate_error(error, problem);
	else if (ing_place_make(f->folder, error)) {
		if (problem)
			set_note(f, problem->message);
		g_clear_error(&problem);
		return f;
	}
	ing_follow_free(f);
	return NULL;
}

static void end_reading(struct ing_follow *f)
{
	if (f->reader)
		ing_make_clear(&f->make);
	g_clear_pointer(&f->reader, trc_reader_free);
	g_clear_pointer(&f->firsts, ing_first_free);
	f->read = 0;
}

static void clear_absent(struct ing_follow *f)
{
	if (f->absent.cpus)
		ing_absent_clear(&f->absent);
	f->absent = (struct ing_absent){ .cpus = NULL };
}

void ing_follow_free(struct ing_follow *f)
{
	if (!f)
		return;
	end_reading(f);
	clear_absent(f);
	if (f->shown) {
		g_unlink(f->shown);
		idx_spans_remove_beside(f->shown);
	}
	g_free(f->shown);
	g_free(f->note);
	g_free(f->written);
	g_free(f->folder);
	trc_folders_recording_free(f->recording);
	g_strfreev(f->paths);
	g_free(f);
}

/* ---- what can be opened ---- */

/* In the copy: end the trace here, and write the index for the view. Does not return. */
static _Noreturn void publish_copy(struct ing_follow *f, int pipe)
{
	g_autoptr(GArray) packets = g_array_new(FALSE, FALSE, sizeof(struct trc_packet_seen));
	GError *error = NULL;
	/* Before anything more is written. */
	bool ok = idx_writer_branch(f->make.files.index, f->shown, &error);

	f->make.files.spans = NULL; /* its file is the parent's */

	trc_reader_take_given(f->reader, true, packets);
	ing_make_packets(&f->make, (const struct trc_packet_seen *)(const void *)packets->data, packets->len);
	ing_feed_events(&f->make.feed, f->batch, trc_reader_cut(f->reader, f->batch, BATCH), &hooks,
		&f->make);
	ing_feed_end(&f->make.feed);
	ok = ok && ing_make_finish(&f->make, f->reader, f->fingerprint, &error);
	if (!ok && write(pipe, error->message, strlen(error->message)) < 0)
		_exit(2);
	_exit(ok ? 0 : 1);
}

/* Process PID is over: true if it succeeded. What it wrote into PIPE is the reason for a failure. */
static bool wait_for(pid_t pid, int pipe, GError **error)
{
	char text[MESSAGE_MAX] = "the process was killed, perhaps because memory ran out";
	ssize_t n;
	int status;

	do {
		n = read(pipe, text, sizeof text - 1);
	} while (n < 0 && errno == EINTR);
	if (n > 0)
		text[n] = '\0';
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return true;
	return base_error_false(error, BASE_ERROR_IO, "the index cannot be shown: %s", text);
}

static bool fork_and_wait(struct ing_follow *f, GError **error)
{
	sigset_t all, before;
	int ends[2];
	pid_t pid;
	bool ok;

	if (pipe(ends) != 0)
		return base_error_false_errno(error, errno, "cannot start a process to show", f->shown);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	pid = fork();
	if (pid == 0)
		publish_copy(f, ends[1]);
	sigprocmask(SIG_SETMASK, &before, NULL);
	close(ends[1]);
	if (pid < 0)
		base_error_set_errno(error, errno, "cannot start a process to show", f->shown);
	ok = pid > 0 && wait_for(pid, ends[0], error);
	close(ends[0]);
	return ok;
}

static bool publish(struct ing_follow *f, GError **error)
{
	const struct ing_feed *feed = &f->make.feed;
	const GError *failure;

	idx_writer_flush(f->make.files.index);
	if (f->make.files.spans)
		idx_spans_writer_flush(f->make.files.spans);
	failure = idx_writer_error(f->make.files.index);
	if (failure) {
		g_propagate_error(error, g_error_copy(failure));
		return false;
	}
	if (!f->shown) {
		g_autofree char *index = ing_place_file(f->folder, f->recording->folders);

		/* When no process follows the trace any more, its name makes it a leftover
		 * (index/file/out.c). */
		f->shown = g_strdup_printf("%s/.%s.latest", f->folder, base_place_name(index));
	}
	f->times++;
	g_snprintf(f->fingerprint, sizeof f->fingerprint, "%016" G_GINT64_MODIFIER "x%016x",
		(guint64)feed->info->events, f->times);
	if (!fork_and_wait(f, error))
		return false;
	f->events = feed->info->events;
	f->from = feed->from;
	f->to = MAX(feed->to, feed->info->last);
	f->published = g_get_monotonic_time();
	return true;
}

static bool publish_new(struct ing_follow *f, int64_t every, GError **error)
{
	gint64 now = g_get_monotonic_time(), since = MAX(f->published, f->began),
	       rest = every == ING_FOLLOW_RARER ? MAX(since - f->began, FIRST_US) : every / 1000;
	bool is_due = f->reader && f->make.feed.from != BASE_TIME_NONE &&
		f->make.feed.info->events != f->events && now - (every < 0 ? since : f->published) >= rest;

	return !is_due || publish(f, error);
}

/* ---- reading ---- */

/* Like ing_first_find(); but empty if the trace, which still grows, cannot be read like a whole one yet. */
static GArray *find_firsts(const struct ing_follow *f, GError **error)
{
	GError *problem = NULL;
	GArray *firsts = ing_first_find(f->recording, NULL, NULL, NULL, &problem);

	if (firsts || base_error_is_io(problem, error))
		return firsts;
	return g_array_new(FALSE, FALSE, sizeof(struct mdl_event));
}

/* Begin to read, if something can be read. */
static bool follow_begin(struct ing_follow *f, GError **error)
{
	g_autofree char *file = ing_place_file(f->folder, f->recording->folders);
	GError *problem = NULL;

	if (f->whole && !f->written)
		f->written = trc_fingerprint(f->recording, error);
	if (f->whole && !f->written)
		return false;
	f->reader = trc_reader_open_alone(f->recording, !f->whole, &problem);
	/* it can never be read */
	if (!f->reader && (f->whole || g_error_matches(problem, BASE_ERROR, BASE_ERROR_NO_ANSWER))) {
		g_propagate_error(error, problem);
		return false;
	}
	if (f->reader)
		f->firsts = find_firsts(f, &problem);
	if (f->reader && !f->firsts) {
		g_clear_pointer(&f->reader, trc_reader_free);
		if (f->whole) {
			g_propagate_error(error, problem);
			return false;
		}
	}
	if (!f->reader) {
		set_note(f, problem->message);
		g_error_free(problem);
		return true;
	}
	g_clear_pointer(&f->note, g_free);
	f->began = g_get_monotonic_time();
	f->grown = g_get_monotonic_time();
	return ing_make_begin(&f->make, f->reader, f->firsts, f->absent.cpus ? &f->absent : NULL, file, true,
		error);
}

static void begin_again(struct ing_follow *f, const char *why)
{
	end_reading(f);
	set_note(f, why);
}

static void take_packets(struct ing_follow *f)
{
	g_autoptr(GArray) packets = g_array_new(FALSE, FALSE, sizeof(struct trc_packet_seen));

	trc_reader_take_given(f->reader, false, packets);
	ing_make_packets(&f->make, (const struct trc_packet_seen *)(const void *)packets->data, packets->len);
}

/* Read N events of f->batch; false if they show that all must be read again. */
static bool read_batch(struct ing_follow *f, int n)
{
	for (int i = 0; i < n; i++) {
		if (ing_first_lacks(f->firsts, &f->batch[i], f->read + (uint64_t)i)) {
			begin_again(f,
				"the trace is read again from its start: the thread that ran first on a CPU is known only now");
			return false;
		}
	}
	f->read += (uint64_t)n;
	ing_feed_events(&f->make.feed, f->batch, n, &hooks, &f->make);
	take_packets(f);
	if (!ing_absent_is_late(&f->make.feed.absent))
		return true;
	clear_absent(f);
	f->absent = ing_absent_found(&f->make.feed.absent);
	begin_again(f, "the trace is read again from its start: that a CPU has no stream is known only now");
	return false;
}

/* Read all certain events. Unless EVERY is 0: only until it is time to show new ones, or to stop. */
static bool follow_read_all(struct ing_follow *f, int64_t every, GError **error)
{
	unsigned times = f->times;
	int n;

	f->more = false;
	while (f->reader && (n = trc_reader_read(f->reader, f->batch, BATCH, error)) != 0) {
		if (n < 0)
			return false;
		if (!read_batch(f, n) || every == 0)
			continue;
		if (!publish_new(f, every, error))
			return false;
		f->more = f->times != times || base_stop_signal() != 0;
		if (f->more)
			break;
	}
	return true;
}

/* Look for new data, and begin to read if that has not happened yet. */
static bool follow_look(struct ing_follow *f, GError **error)
{
	g_autoptr(GError) problem = NULL;
	struct trc_recording *recording;
	enum trc_growth growth;

	f->unseen = false;
	if (f->whole && f->recording)
		return f->reader || follow_begin(f, error);
	recording = follow_find(f->paths, &problem);
	if (!recording) { /* it may be moving just now */
		f->unseen = true;
		set_note(f, problem->message);
		return true;
	}
	trc_folders_recording_free(f->recording);
	f->recording = recording;
	growth = f->reader ? trc_reader_grow(f->reader, recording->folders, &problem) : TRC_GROWTH_NONE;
	f->unseen = growth == TRC_GROWTH_UNSEEN;
	if (f->unseen)
		set_note(f, problem->message);
	else if (growth == TRC_GROWTH_OTHER)
		begin_again(f, "the trace is read again from its start: it did not only grow");
	else if (f->reader)
		g_clear_pointer(&f->note, g_free);
	if (growth == TRC_GROWTH_MORE || growth == TRC_GROWTH_OTHER)
		f->grown = g_get_monotonic_time();
	return f->reader || follow_begin(f, error);
}

bool ing_follow_step(struct ing_follow *f, int64_t every, GError **error)
{
	return follow_look(f, error) && follow_read_all(f, every, error) && publish_new(f, every, error);
}

struct ing_follow_view ing_follow_view(const struct ing_follow *f)
{
	int64_t idle = (g_get_monotonic_time() - f->grown) * 1000;
	int64_t end = f->reader ? f->make.feed.info->end : BASE_TIME_NONE;

	return (struct ing_follow_view){ .recording = f->recording,
		.index = f->times > 0 ? f->shown : NULL,
		.fingerprint = f->fingerprint,
		.waits_for = f->reader ? trc_reader_waits_for(f->reader) : NULL,
		.note = f->note,
		.events = f->events,
		.times = f->times,
		.share = f->reader ? ing_feed_share(&f->make.feed) : 0,
		.more = f->more,
		.from = f->from,
		.to = f->to,
		.behind = idle + (end == BASE_TIME_NONE || f->to == BASE_TIME_NONE ? 0 : MAX(end - f->to, 0)),
		.idle = idle };
}

/* ---- end of the trace ---- */

/* True if all of the trace was read, and it has *FINGERPRINT.  Traces of user programs beside it were not read: then
 * *FINGERPRINT is another one, so that the next command builds the index again, with them. */
static bool see_all(struct ing_follow *f, char **fingerprint, GError **error)
{
	for (unsigned i = 0; i < CLOSE_TRIES; i++) {
		g_autofree char *before = f->recording ? trc_fingerprint(f->recording, NULL) : NULL,
				*after = NULL;

		if (!follow_look(f, error) || !follow_read_all(f, 0, error))
			return false;
		after = f->reader && !f->unseen ? trc_fingerprint(f->recording, NULL) : NULL;
		if (!after || g_strcmp0(before, after) || f->make.feed.info->late)
			continue;
		*fingerprint = f->recording->beside ? g_strconcat(after, " without user programs", NULL)
						    : g_steal_pointer(&after);
		return true;
	}
	return base_error_false(error, BASE_ERROR_DATA, "%s: %s; no index is left", f->paths[0],
		f->note ? f->note : "the trace is still written");
}

bool ing_follow_close(struct ing_follow *f, char **index, char **fingerprint, GError **error)
{
	g_autofree char *file = NULL;

	*index = *fingerprint = NULL;
	if (f->whole ? !follow_look(f, error) : !see_all(f, fingerprint, error))
		return false;
	if (f->whole)
		*fingerprint = g_strdup(f->written);
	else if (!trc_reader_settle(f->reader, error))
		return false;
	do
		if ((f->whole && !follow_look(f, error)) || !follow_read_all(f, 0, error))
			return false;
	while (f->whole && !f->reader);
	take_packets(f);
	ing_feed_end(&f->make.feed);
	file = ing_place_file(f->folder, f->recording->folders);
	idx_writer_rename(f->make.files.index, file);
	if (f->make.files.spans) {
		g_autofree char *spans = idx_spans_path(file);

		idx_spans_writer_rename(f->make.files.spans, spans);
	}
	if (!ing_make_has_events(&f->make, error) ||
		!ing_make_finish(&f->make, f->reader, *fingerprint, error)) {
		g_clear_pointer(fingerprint, g_free);
		return false;
	}
	idx_spans_remove_beside(file);
	*index = g_steal_pointer(&file);
	return true;
}
