/* SPDX-License-Identifier: MIT */
#include "watch/watch_manifest.h"

#include "base/base_error.h"
#include "base/base_file.h"
#include "base/base_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MANIFEST_MAX (256 << 20) /* bytes: years, with a line for each trigger every ten minutes */
#define TRIGGERS_MAX 256
#define TEXT_MAX 256 /* bytes of a trigger */

/* ---- a line ---- */

/* The fields of a line. */
struct fields {
	char **words; /* "NAME=VALUE", NULL-terminated */
	unsigned line;
	const char *path;
};

/* Return the value of the field NAME; NULL if there is none. */
static const char *manifest_text(const struct fields *f, const char *name)
{
	size_t length = strlen(name);

	for (char **w = f->words; *w; w++)
		if (!strncmp(*w, name, length) && (*w)[length] == '=')
			return *w + length + 1;
	return NULL;
}

static bool manifest_wrong(const struct fields *f, const char *name, GError **error)
{
	return base_error_false(error, BASE_ERROR_DATA, "%s:%u: the field %s is missing or invalid", f->path,
		f->line, name);
}

/* Read the number of the field NAME, LEAST to MOST, into *NUMBER.  False with an error. */
static bool manifest_number(const struct fields *f, const char *name, int64_t least, int64_t most,
	int64_t *number, GError **error)
{
	const char *text = manifest_text(f, name);
	char *end = NULL;
	gint64 n = text ? g_ascii_strtoll(text, &end, 10) : 0;

	*number = n;
	return (text && end != text && !*end && n >= least && n <= most && n != INT64_MAX) ||
		manifest_wrong(f, name, error);
}

/* ---- the meaning of lines ---- */

bool watch_manifest_is_recording(const char *name)
{
	static const char *const kinds[] = { "hit-", "typical-" };

	for (gsize i = 0; i < G_N_ELEMENTS(kinds); i++) {
		size_t n = strlen(kinds[i]), digits;

		if (strncmp(name, kinds[i], n) != 0)
			continue;
		digits = strspn(name + n, "0123456789");
		return digits > 0 && digits < 20 && g_str_equal(name + n + digits, ".dat");
	}
	return false;
}

unsigned watch_manifest_trigger(struct watch_manifest *m, const char *text)
{
	struct watch_trigger *t;

	for (unsigned i = 0; i < m->triggers->len; i++)
		if (g_str_equal(watch_manifest_trigger_at(m, i)->text, text))
			return i;
	t = g_new0(struct watch_trigger, 1);
	t->text = g_strdup(text);
	t->kind = g_strndup(text, strcspn(text, " >"));
	t->seen = g_new0(struct watch_seen, 1);
	g_ptr_array_add(m->triggers, t);
	return m->triggers->len - 1;
}

const struct watch_trigger *watch_manifest_trigger_at(const struct watch_manifest *m, unsigned i)
{
	return g_ptr_array_index(m->triggers, i);
}

static struct watch_trigger *read_trigger(struct watch_manifest *m, const struct fields *f, unsigned *number,
	GError **error)
{
	const char *text = manifest_text(f, "trigger");

	*number = text && *text && strlen(text) <= TEXT_MAX ? watch_manifest_trigger(m, text) : TRIGGERS_MAX;
	if (*number < TRIGGERS_MAX)
		return g_ptr_array_index(m->triggers, *number);
	manifest_wrong(f, "trigger", error);
	return NULL;
}

/* Set the file of H if the line names one; a typical case must.  False with an error. */
static bool read_file(struct watch_hit *h, const struct fields *f, GError **error)
{
	const char *file = manifest_text(f, "file");
	int64_t whole;

	if (!file)
		return !h->typical || manifest_wrong(f, "file", error);
	if (!watch_manifest_is_recording(file))
		return manifest_wrong(f, "file", error);
	if (!manifest_number(f, "whole", 0, 1, &whole, error))
		return false;
	h->whole = whole;
	h->file = g_strdup(file);
	return true;
}

static bool read_hit(struct watch_manifest *m, const struct fields *f, bool typical, GError **error)
{
	struct watch_hit h = { .typical = typical };
	struct watch_trigger *t = read_trigger(m, f, &h.trigger, error);
	const char *name = manifest_text(f, "comm");
	int64_t number, tid, cpu, cases = 1;

	if (!t || !manifest_number(f, "n", 1, INT64_MAX, &number, error) ||
		!manifest_number(f, "wall", 0, INT64_MAX, &h.wall, error) ||
		!manifest_number(f, "time", 0, INT64_MAX / 2, &h.time, error) ||
		!manifest_number(f, "value", 0, INT64_MAX / 2, &h.value, error) ||
		!manifest_number(f, "tid", 0, G_MAXINT, &tid, error) ||
		!manifest_number(f, "cpu", 0, G_MAXINT, &cpu, error) ||
		(!typical &&
			(!manifest_number(f, "limit", 0, INT64_MAX, &h.limit, error) ||
				!manifest_number(f, "cases", 1, INT64_MAX, &cases, error))) ||
		!read_file(&h, f, error))
		return false;
	h.number = (uint64_t)number;
	h.tid = (int)tid;
	h.cpu = (unsigned)cpu;
	h.cases = (uint64_t)cases;
	h.name = g_string_chunk_insert_const(m->texts, name ? name : "");
	t->hits += !typical;
	m->last = MAX(m->last, h.number);
	g_array_append_val(m->hits, h);
	return true;
}

static void read_gone(struct watch_manifest *m, const char *file)
{
	for (guint i = 0; i < m->hits->len; i++) {
		struct watch_hit *h = &g_array_index(m->hits, struct watch_hit, i);

		if (h->file && g_str_equal(h->file, file))
			g_clear_pointer(&h->file, g_free);
	}
}

static bool read_seen(struct watch_manifest *m, const struct fields *f, GError **error)
{
	struct watch_hour hour;
	struct watch_trigger *t = read_trigger(m, f, &hour.trigger, error);
	const char *classes = manifest_text(f, "classes");
	int64_t over, lost;

	if (!t || !manifest_number(f, "from", 0, INT64_MAX, &hour.from, error) ||
		!manifest_number(f, "to", hour.from, INT64_MAX, &hour.to, error) ||
		!manifest_number(f, "over", 0, INT64_MAX, &over, error) ||
		!manifest_number(f, "lost", 0, INT64_MAX, &lost, error))
		return false;
	if (!classes || !watch_seen_parse(t->seen, classes))
		return manifest_wrong(f, "classes", error);
	hour.over = (uint64_t)over;
	t->over += hour.over;
	t->lost += (uint64_t)lost;
	g_array_append_val(m->hours, hour);
	return true;
}

/* The state of reading.  Times are ns of CLOCK_MONOTONIC, so that setting the wall clock does not change the
 * length of a watch; manifests of earlier versions lack the field time, so these use the wall clock. */
struct state {
	int64_t since;  /* begin of the present level; -1: the watch does not run */
	int64_t latest; /* time of the latest line */
	bool is_paused;
};

/* Read the field time of a line; WALL if it has none.  False with an error. */
static bool read_time(const struct fields *f, int64_t wall, int64_t *time, GError **error)
{
	*time = wall;
	return !manifest_text(f, "time") || manifest_number(f, "time", 0, INT64_MAX, time, error);
}

/* Add the time up to TO to the sum of the present level. */
static void pass(struct watch_manifest *m, struct state *s, int64_t to)
{
	int64_t *sum = s->is_paused ? &m->paused : &m->watched;

	if (s->since >= 0 && to > s->since)
		*sum += MIN(to - s->since, INT64_MAX - *sum); /* no overflow, even if the file lies */
	s->since = to;
}

static bool read_line(struct watch_manifest *m, struct state *s, const char *what, const struct fields *f,
	GError **error)
{
	const char *text = manifest_text(f, g_str_equal(what, "gone") ? "file" : "text"),
		   *level = manifest_text(f, "name"), *host = manifest_text(f, "host"),
		   *kernel = manifest_text(f, "kernel");
	struct watch_note note = { 0 };
	int64_t wall = 0, time;

	if (g_str_equal(what, "seen"))
		return read_seen(m, f, error) &&
			read_time(f, g_array_index(m->hours, struct watch_hour, m->hours->len - 1).to,
				&s->latest, error);
	if (g_str_equal(what, "hit") || g_str_equal(what, "typical"))
		return read_hit(m, f, *what == 't', error);
	if (g_str_equal(what, "gone")) {
		if (text)
			read_gone(m, text);
		return text || manifest_wrong(f, "file", error);
	}
	if (!manifest_number(f, "wall", 0, INT64_MAX, &wall, error) || !read_time(f, wall, &time, error))
		return false;
	if (g_str_equal(what, "start")) {
		if (s->since >= 0) /* the watch before was killed */
			pass(m, s, s->latest);
		m->since = m->starts++ == 0 ? wall : m->since;
		m->host = g_string_chunk_insert_const(m->texts, host ? host : "");
		m->kernel = g_string_chunk_insert_const(m->texts, kernel ? kernel : "");
		*s = (struct state){ .since = time, .latest = time };
	} else if (g_str_equal(what, "level")) {
		pass(m, s, time);
		s->is_paused = level && g_str_equal(level, "paused");
	} else if (g_str_equal(what, "end")) {
		pass(m, s, time);
		s->since = -1;
	} else if (g_str_equal(what, "said")) {
		note.wall = wall;
		note.text = g_string_chunk_insert(m->texts, text ? text : "");
		g_array_append_val(m->notes, note);
	}
	/* (Words of later versions are ignored.) */
	s->latest = MAX(s->latest, time);
	return true;
}

/* ---- the file ---- */

static void free_hit(gpointer data)
{
	g_free(((struct watch_hit *)data)->file);
}

static void free_trigger(gpointer data)
{
	struct watch_trigger *t = data;

	g_free(t->text);
	g_free(t->kind);
	g_free(t->seen);
	g_free(t);
}

static struct watch_manifest *manifest_new(const char *folder)
{
	struct watch_manifest *m = g_new0(struct watch_manifest, 1);

	m->folder = g_strdup(folder);
	m->texts = g_string_chunk_new(1024);
	m->hits = g_array_new(FALSE, FALSE, sizeof(struct watch_hit));
	g_array_set_clear_func(m->hits, free_hit);
	m->triggers = g_ptr_array_new_with_free_func(free_trigger);
	m->hours = g_array_new(FALSE, FALSE, sizeof(struct watch_hour));
	m->notes = g_array_new(FALSE, FALSE, sizeof(struct watch_note));
	m->host = m->kernel = "";
	return m;
}

void watch_manifest_free(struct watch_manifest *m)
{
	if (!m)
		return;
	g_free(m->folder);
	g_string_chunk_free(m->texts);
	g_array_unref(m->hits);
	g_ptr_array_unref(m->triggers);
	g_array_unref(m->hours);
	g_array_unref(m->notes);
	g_free(m);
}

/* Fill M from TEXT, which is modified.  False with an error. */
static bool read_lines(struct watch_manifest *m, char *text, const char *path, GError **error)
{
	struct state state = { .since = -1 };
	unsigned number = 1;
	char *line = text + strlen(WATCH_MANIFEST_HEAD);

	for (char *end; (end = strchr(line, '\n')); line = end + 1) {
		g_auto(GStrv) words = NULL;
		struct fields f = { .line = ++number, .path = path };

		*end = '\0';
		words = g_strsplit(line, "\t", 32);
		f.words = words[0] ? words + 1 : words;
		if (words[0] && !read_line(m, &state, words[0], &f, error))
			return false;
	}
	if (state.since >= 0)
		pass(m, &state, state.latest);
	return true;
}

struct watch_manifest *watch_manifest_read(const char *folder, GError **error)
{
	static const struct base_file_kind kind = { "manifest of a watch", MANIFEST_MAX, BASE_ERROR_DATA };
	g_autofree char *path = g_build_filename(folder, WATCH_MANIFEST, NULL),
			*text = base_file_text(path, &kind, error);
	struct watch_manifest *m;

	if (!text)
		return NULL;
	if (!g_str_has_prefix(text, WATCH_MANIFEST_HEAD))
		return base_error_null(error, BASE_ERROR_DATA,
			"%s is not a manifest of this version of wakepath: its first line is not \"wakepath watch 1\"",
			path);
	m = manifest_new(folder);
	if (!read_lines(m, text, path, error))
		g_clear_pointer(&m, watch_manifest_free);
	return m;
}

struct watch_manifest *watch_manifest_of(const char *path, const struct watch_hit **hit)
{
	g_autofree char *folder = g_path_get_dirname(path), *name = g_path_get_basename(path);
	struct watch_manifest *m = watch_manifest_is_recording(name) ? watch_manifest_read(folder, NULL)
								     : NULL;

	*hit = NULL;
	for (guint i = 0; m && i < m->hits->len; i++) {
		const struct watch_hit *h = &g_array_index(m->hits, struct watch_hit, i);

		/* If several hits share a recording, take the longest. */
		if (!g_strcmp0(h->file, name) && (!*hit || h->value > (*hit)->value))
			*hit = h;
	}
	if (m && !*hit)
		g_clear_pointer(&m, watch_manifest_free);
	return m;
}

void watch_manifest_tell(GString *out, const struct watch_hit *h, const char *trigger)
{
	g_autofree char *name = base_text_clean(h->name, -1);

	g_string_append_printf(out,
		"%s\tn=%" PRIu64 "\twall=%" PRId64 "\ttime=%" PRId64 "\ttrigger=%s\tvalue=%" PRId64
		"\ttid=%d\tcomm=%s\tcpu=%u",
		h->typical ? "typical" : "hit", h->number, h->wall, h->time, trigger, h->value, h->tid, name,
		h->cpu);
	if (!h->typical)
		g_string_append_printf(out, "\tlimit=%" PRId64 "\tcases=%" PRIu64, h->limit, h->cases);
	if (h->file)
		g_string_append_printf(out, "\tfile=%s\twhole=%d", h->file, h->whole);
	g_string_append_c(out, '\n');
}
