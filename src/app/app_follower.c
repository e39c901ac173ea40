/* SPDX-License-Identifier: MIT */
/*
 * How it works: the process is a copy of the explorer from before it had threads (ing_follow.c explains why).
 * It writes a message into a pipe whenever there is something new to open, and otherwise from time to time.
 * A message is its length, then texts in the order of enum app_told, each with its NUL.  The process ends
 * with the explorer, even if that is killed.
 *
 * A complete trace without an index is followed in the same way to its end; then its index covers the whole.
 * If there are several recordings, each has a process of its own (app_makers.c).
 */
#include "app/app_follower.h"

#include "app/app_open.h"

#include "base/base_error.h"
#include "base/base_io.h"
#include "base/base_stop.h"
#include "ingest/ing.h"
#include "live/live_relay.h"
#include "query/cases/spans.h"
#include "trace/trc_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- a trace that is followed ---- */

#define NO_MORE_NS (10 * APP_TAIL_EVERY_NS) /* idle for so long: recording may have ended */
#define LOOK_US 100000                      /* least pause between two looks at the trace; … */
#define LOOK_SHARE 4                        /* … it also lasts so many times as long as the last look */

struct app_tail *app_tail_new(const struct app_args *args, bool whole, GError **error)
{
	struct ing_options options = { .index_dir = args->index_dir };
	struct app_tail *t = g_new0(struct app_tail, 1);
	char *kept[2] = { NULL };

	t->whole = whole;
	if (live_keep_is_url(args->traces[0])) {
		t->live = live_keep_new(args->traces[0], error);
		kept[0] = t->live ? (char *)(uintptr_t)live_keep_folder(t->live) : NULL;
	}
	if (t->live || !live_keep_is_url(args->traces[0]))
		t->follow = ing_follow_new(t->live ? kept : args->traces, whole, &options, error);
	if (t->follow)
		return t;
	app_tail_free(t);
	return NULL;
}

void app_tail_free(struct app_tail *t)
{
	if (!t)
		return;
	ing_follow_free(t->follow);
	live_keep_free(t->live);
	g_free(t);
}

bool app_tail_step(struct app_tail *t, GError **error)
{
	if (t->live)
		live_keep_fetch(t->live);
	return ing_follow_step(t->follow, t->whole ? ING_FOLLOW_RARER : APP_TAIL_EVERY_NS, error);
}

const char *app_tail_ended(const struct app_tail *t)
{
	return t->live ? live_keep_ended(t->live) : NULL;
}

const char *app_tail_kept(const struct app_tail *t)
{
	return t->live ? live_keep_folder(t->live) : NULL;
}

char *app_tail_text(const struct app_tail *t)
{
	struct ing_follow_view view = ing_follow_view(t->follow);
	GString *text = g_string_new(NULL);

	if (t->whole)
		g_string_append_printf(text, "indexed up to %.0f %%", 100 * MIN(view.share, 1));
	else if (app_tail_ended(t))
		g_string_append(text, "the session has ended");
	else if (view.index && view.idle < NO_MORE_NS)
		g_string_append_printf(text, "%.1f s behind", (double)view.behind / 1e9);
	else if (view.index)
		g_string_append_printf(text, "nothing new for %.0f s", (double)view.idle / 1e9);
	if (!t->whole && view.waits_for && view.idle > APP_TAIL_EVERY_NS && !app_tail_ended(t))
		g_string_append_printf(text, "%swaits for %s", text->len > 0 ? ", " : "", view.waits_for);
	if (view.note)
		g_string_append_printf(text, "%s%s", text->len > 0 ? "; " : "", view.note);
	return g_string_free(text, FALSE);
}

void app_tail_rest(const struct app_tail *t, gint64 took)
{
	gint64 left = ing_follow_view(t->follow).more ? 0 : MAX(LOOK_US, took * LOOK_SHARE);

	for (; left > 0 && !base_stop_signal(); left -= LOOK_US)
		g_usleep((gulong)MIN(left, LOOK_US));
}

/* ---- the process ---- */

#define TELL_US 500000
#define LOOK_MS 50

struct app_follower {
	pid_t pid;
	int pipe;
	GByteArray *bytes;       /* messages received; the last may be incomplete */
	char *texts[APP_TOLD_N]; /* of the last message; owned, NULL: none came yet */
	char *opened;            /* APP_TOLD_TIMES of the index opened last; owned */
	bool ended;              /* the process has ended */
	bool noted;              /* APP_TOLD_NOTE was passed on */
	bool makes;              /* the process makes the index of a complete trace */
};

bool app_follower_tell(int pipe, const char *const texts[APP_TOLD_N])
{
	g_autoptr(GByteArray) message = g_byte_array_new();
	guint32 length = 0;

	g_byte_array_append(message, (const guint8 *)&length, sizeof length);
	for (unsigned i = 0; i < APP_TOLD_N; i++) {
		const char *text = texts[i] ? texts[i] : "";

		g_byte_array_append(message, (const guint8 *)text, (guint)strlen(text) + 1);
	}
	length = message->len;
	memcpy(message->data, &length, sizeof length);
	return base_io_put(pipe, message->data, message->len, NULL);
}

/* Report the state of T.  False if nobody reads PIPE any more. */
static bool follower_tell(int pipe, const struct app_tail *t, const char *failure, bool whole)
{
	struct ing_follow_view view = ing_follow_view(t->follow);
	g_autofree char *times = g_strdup_printf("%u", view.times), *state = app_tail_text(t),
			*share = g_strdup_printf("%d", (int)(1000 * MIN(view.share, 1))),
			*recording = view.recording ? trc_recording_tell(view.recording) : NULL;
	const char *texts[APP_TOLD_N] = {
		[APP_TOLD_TIMES] = view.index ? times : NULL,
		[APP_TOLD_STATE] = state,
		[APP_TOLD_SHARE] = share,
		[APP_TOLD_NOTE] = app_tail_ended(t),
		[APP_TOLD_FAILURE] = failure,
		[APP_TOLD_INDEX] = view.index,
		[APP_TOLD_FINGERPRINT] = view.fingerprint,
		[APP_TOLD_RECORDINGS] = recording,
		[APP_TOLD_WHOLE] = whole ? "whole" : NULL,
	};

	return app_follower_tell(pipe, texts);
}

static void follower_follow(struct app_tail *t, int pipe)
{
	GError *error = NULL;
	gint64 told = 0;
	unsigned times = 0;
	bool read = true;

	while (read && !error && !base_stop_signal()) {
		gint64 began = g_get_monotonic_time();

		app_tail_step(t, &error);
		if (ing_follow_view(t->follow).times != times || error || began - told >= TELL_US) {
			read = follower_tell(pipe, t, error ? error->message : NULL, false);
			told = began;
			times = ing_follow_view(t->follow).times;
		}
		app_tail_rest(t, g_get_monotonic_time() - began);
	}
	g_clear_error(&error);
}

/* Finish the index; if that fails and it was TOLD (reported, so the explorer may show it), rebuild it. */
static bool end_whole(struct app_tail *t, const struct app_args *args, bool told, GError **error)
{
	g_autofree char *index = NULL, *fingerprint = NULL;
	struct ing_options options = { .index_dir = args->index_dir };
	GPtrArray *results = NULL;

	if (ing_follow_close(t->follow, &index, &fingerprint, told ? NULL : error))
		return true;
	if (told)
		results = ing_prepare(args->traces, &options, NULL, error);
	g_clear_pointer(&results, g_ptr_array_unref);
	return told && !*error;
}

/* Make the index and report it.  A signal to stop leaves no index. */
static void follower_make(struct app_tail *t, int pipe, const struct app_args *args)
{
	GError *error = NULL;
	unsigned times = 0;
	bool ok, read = true;

	do {
		ok = app_tail_step(t, &error);
		if (ok && ing_follow_view(t->follow).times != times)
			read = follower_tell(pipe, t, NULL, false);
		times = ing_follow_view(t->follow).times;
	} while (ok && read && ing_follow_view(t->follow).more && !base_stop_signal());
	if (!read || base_stop_signal())
		return;
	ok = ok && end_whole(t, args, times > 0, &error);
	follower_tell(pipe, t, ok ? NULL : error->message, ok);
	g_clear_error(&error);
}

/* The data of run_one(). */
struct one {
	const struct app_args *args;
	struct app_tail *tail;
	bool whole;
};

static void run_one(void *data, int pipe)
{
	struct one *one = data;
	g_autofree char *index = NULL, *fingerprint = NULL;

	if (one->whole)
		follower_make(one->tail, pipe, one->args);
	else
		follower_follow(one->tail, pipe);
	/* A trace that is still written leaves no index. */
	if (!one->whole)
		ing_follow_close(one->tail->follow, &index, &fingerprint, NULL);
	app_tail_free(one->tail);
}

/* ---- the explorer's side ---- */

struct app_follower *app_follower_begin(app_follower_work *work, void *data, bool makes, const char *trace,
	GError **error)
{
	struct app_follower *follower;
	pid_t self = getpid(), pid = -1;
	int ends[2] = { -1, -1 };

	if (pipe2(ends, O_CLOEXEC) == 0)
		pid = fork();
	if (pid == 0) {
		close(ends[0]);
		signal(SIGPIPE, SIG_IGN);
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		if (getppid() == self)
			work(data, ends[1]);
		_exit(0);
	}
	if (ends[1] >= 0)
		close(ends[1]);
	if (pid < 0) {
		base_error_set_errno(error, errno, "cannot follow", trace);
		if (ends[0] >= 0)
			close(ends[0]);
		return NULL;
	}
	follower = g_new0(struct app_follower, 1);
	follower->pid = pid;
	follower->makes = makes;
	follower->pipe = ends[0];
	follower->bytes = g_byte_array_new();
	return follower;
}

struct app_follower *app_follower_new(const struct app_args *args, bool whole, GError **error)
{
	struct one one = { .args = args, .tail = app_tail_new(args, whole, error), .whole = whole };
	struct app_follower *f = one.tail ? app_follower_begin(run_one, &one, whole, args->traces[0], error)
					  : NULL;

	app_tail_free(one.tail);
	return f;
}

void app_follower_free(struct app_follower *f)
{
	if (!f)
		return;
	kill(f->pid, SIGTERM);
	close(f->pipe);
	while (waitpid(f->pid, NULL, 0) < 0 && errno == EINTR)
		;
	for (unsigned i = 0; i < APP_TOLD_N; i++)
		g_free(f->texts[i]);
	g_free(f->opened);
	g_byte_array_unref(f->bytes);
	g_free(f);
}

/* Take the first message, LENGTH bytes. */
static void follower_take(struct app_follower *f, guint length)
{
	const char *p = (const char *)f->bytes->data + sizeof(guint32),
		   *end = (const char *)f->bytes->data + length;

	for (unsigned i = 0; i < APP_TOLD_N && p < end; i++) {
		g_free(f->texts[i]);
		f->texts[i] = g_strdup(p);
		p += strlen(p) + 1;
	}
	g_byte_array_remove_range(f->bytes, 0, length);
}

static void take_all(struct app_follower *f)
{
	guint32 length;

	while (f->bytes->len >= sizeof length) {
		memcpy(&length, f->bytes->data, sizeof length);
		if (length > f->bytes->len)
			return;
		follower_take(f, length);
	}
}

/* Read the messages that came; wait up to MS ms for the first. */
static void read_some(struct app_follower *f, int ms)
{
	struct pollfd fd = { .fd = f->pipe, .events = POLLIN };
	guint8 bytes[4096];

	while (!f->ended && poll(&fd, 1, ms) > 0) {
		ssize_t n = read(f->pipe, bytes, sizeof bytes);

		if (n > 0)
			g_byte_array_append(f->bytes, bytes, (guint)n);
		f->ended = n == 0 || (n < 0 && errno != EINTR);
		ms = 0;
	}
	take_all(f);
}

/* Return the latest text WHAT; "" if there is none. */
static const char *follower_text_of(const struct app_follower *f, enum app_told what)
{
	return f->texts[what] ? f->texts[what] : "";
}

const char *app_follower_told(struct app_follower *f, enum app_told what, int ms)
{
	read_some(f, ms);
	return follower_text_of(f, what);
}

bool app_follower_is_over(const struct app_follower *f)
{
	return f->ended;
}

static bool has_more(const struct app_follower *f)
{
	return *follower_text_of(f, APP_TOLD_TIMES) && g_strcmp0(f->texts[APP_TOLD_TIMES], f->opened) != 0;
}

bool app_follower_look(struct app_follower *f, const char **text, const char **note)
{
	read_some(f, 0);
	*note = !f->noted && *follower_text_of(f, APP_TOLD_NOTE) ? f->texts[APP_TOLD_NOTE] : NULL;
	if (*note)
		f->noted = true;
	*text = *follower_text_of(f, APP_TOLD_FAILURE) ? f->texts[APP_TOLD_FAILURE]
		: f->ended                             ? "ended"
						       : f->texts[APP_TOLD_STATE];
	return has_more(f);
}

bool app_follower_is_whole(const struct app_follower *f)
{
	return *follower_text_of(f, APP_TOLD_WHOLE);
}

/* Makers of spans that fail, because spans need the whole trace. */
static bool no_spans(G_GNUC_UNUSED const struct trc_recording *recording,
	G_GNUC_UNUSED const struct idx_meta *meta, G_GNUC_UNUSED const char *file,
	G_GNUC_UNUSED const bool *tracer, G_GNUC_UNUSED uint32_t rows, G_GNUC_UNUSED mdl_span_visit *found,
	G_GNUC_UNUSED void *data, G_GNUC_UNUSED struct base_progress *progress, GError **error)
{
	return base_error_false(error, BASE_ERROR_DATA,
		"this kind needs the whole trace: open it again when the recording has ended");
}

static bool no_spans_yet(G_GNUC_UNUSED const struct trc_recording *recording,
	G_GNUC_UNUSED const struct idx_meta *meta, G_GNUC_UNUSED const char *file,
	G_GNUC_UNUSED const bool *tracer, G_GNUC_UNUSED uint32_t rows, G_GNUC_UNUSED mdl_span_visit *found,
	G_GNUC_UNUSED void *data, G_GNUC_UNUSED struct base_progress *progress, GError **error)
{
	return base_error_false(error, BASE_ERROR_DATA,
		"this kind needs the whole trace: wait until its index is made");
}

/* Set up Q, just opened from the files of F.  NULL if it cannot be shown. */
static struct qry *follower_set_up(struct app_follower *f, struct qry *q)
{
	g_auto(GStrv) recordings = g_strsplit(f->texts[APP_TOLD_RECORDINGS], "\n\n", -1);

	/* A user-space trace beside others must be left out; only its index shows that it is one. */
	for (uint32_t i = 0; q && qry_host_count(q) > 1 && i < qry_host_count(q); i++)
		if (g_str_equal(qry_host(q, i)->meta->domain, "ust"))
			g_clear_pointer(&q, qry_free);
	if (!q)
		return NULL;
	qry_set_spans_maker(q, f->makes ? no_spans_yet : no_spans);
	for (uint32_t i = 0; recordings[i] && i < qry_host_count(q); i++) {
		struct trc_recording *recording = trc_recording_told(recordings[i]);

		qry_set_trace(q, i, recording);
		trc_folders_recording_free(recording);
	}
	if (qry_host_count(q) > 1)
		app_clocks_set_pending(q);
	return q;
}

struct qry *app_follower_open(struct app_follower *f, GError **error)
{
	g_auto(GStrv) files = g_strsplit(f->texts[APP_TOLD_INDEX], "\n", -1),
		      ids = g_strsplit(f->texts[APP_TOLD_FINGERPRINT], "\n", -1);
	g_autoptr(GPtrArray) paths = g_ptr_array_new(), fingerprints = g_ptr_array_new();

	for (unsigned i = 0; files[i] && ids[i]; i++) {
		g_ptr_array_add(paths, files[i]);
		g_ptr_array_add(fingerprints, ids[i]);
	}
	g_free(f->opened);
	f->opened = g_strdup(f->texts[APP_TOLD_TIMES]);
	/* If newer indexes have replaced these, opening fails, and the next report names the new ones. */
	return follower_set_up(f, qry_open(paths, fingerprints, error));
}

struct qry *app_follower_first(struct app_follower *f, struct base_progress *progress, GError **error)
{
	struct qry *q = NULL;

	base_progress_set_label(progress, f->makes ? "reading the trace" : "waiting for the first events");
	while (!q && !f->ended && !app_follower_is_whole(f) && !base_progress_cancelled(progress)) {
		read_some(f, LOOK_MS);
		q = has_more(f) ? app_follower_open(f, NULL) : NULL;
	}
	if (!q && f->ended)
		g_set_error(error, BASE_ERROR, BASE_ERROR_IO, "%s",
			*follower_text_of(f, APP_TOLD_FAILURE) ? f->texts[APP_TOLD_FAILURE]
							       : "the process that follows the trace ended");
	else if (!q)
		g_set_error_literal(error, BASE_ERROR, BASE_ERROR_CANCELLED, "interrupted");
	return q;
}
