/* SPDX-License-Identifier: MIT */
#include "trace/ctf/trc_metadata.h"

#include "base/base_error.h"
#include "base/base_text.h"
#include "trace/core/trc_folders.h"
#include "trace/ctf2/trc_ctf2.h"
#include "trace/tsdl/trc_tsdl.h"

#include <string.h>

/* The result of parsing a text. */
struct parsed {
	struct trc_meta *meta; /* owned; NULL: not understood */
	GError *problem;       /* owned: the reason */
};

struct trc_metadata {
	GHashTable *parsed;    /* text (GString *) → struct parsed *, both owned */
	GHashTable *heads;     /* folder (owned) → result of trc_metadata_head(), weak */
	struct trc_clock like; /* trc_metadata_set_clock() sets it; its UUID is owned, NULL: unset */
};

static void text_free(gpointer text)
{
	g_string_free(text, TRUE);
}

static void parsed_free(gpointer data)
{
	struct parsed *p = data;

	trc_meta_free(p->meta);
	g_clear_error(&p->problem);
	g_free(p);
}

static guint text_hash(gconstpointer text)
{
	return g_string_hash(text);
}

static gboolean text_equal(gconstpointer a, gconstpointer b)
{
	return g_string_equal(a, b);
}

struct trc_metadata *trc_metadata_new(void)
{
	struct trc_metadata *m = g_new0(struct trc_metadata, 1);

	m->parsed = g_hash_table_new_full(text_hash, text_equal, text_free, parsed_free);
	m->heads = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	return m;
}

void trc_metadata_free(struct trc_metadata *m)
{
	if (!m)
		return;
	g_hash_table_unref(m->parsed);
	g_hash_table_unref(m->heads);
	g_free((char *)(uintptr_t)m->like.uuid);
	g_free(m);
}

void trc_metadata_set_clock(struct trc_metadata *m, const struct trc_clock *like)
{
	g_free((char *)(uintptr_t)m->like.uuid);
	m->like = *like;
	m->like.name = NULL;
	m->like.uuid = g_strdup(like->uuid);
}

/* Correct those clocks of META that are the clock of M. */
static void set_clocks(const struct trc_metadata *m, struct trc_meta *meta)
{
	for (guint i = 0; m->like.uuid && meta && i < meta->clocks->len; i++) {
		struct trc_clock *clock = g_ptr_array_index(meta->clocks, i);

		if (!trc_clock_is_one(clock, &m->like))
			continue;
		clock->offset_s = m->like.offset_s;
		clock->offset = m->like.offset;
		clock->astray = m->like.astray;
		clock->elsewhere = m->like.elsewhere;
	}
}

/* Return the metadata of FOLDER as text; the caller frees it. */
static GString *read_text(const char *folder, GError **error)
{
	GBytes *bytes = trc_files_metadata(folder, error);
	GString *text;
	const void *data;
	gsize size;

	if (!bytes)
		return NULL;
	data = g_bytes_get_data(bytes, &size);
	text = trc_meta_text(data, size, error);
	if (!text)
		g_prefix_error(error, "cannot read %s/", folder);
	g_bytes_unref(bytes);
	return text;
}

/* Return the result of parsing TEXT, which this call owns. Each text is parsed once. */
static const struct parsed *metadata_parse(struct trc_metadata *m, GString *text)
{
	struct parsed *p = g_hash_table_lookup(m->parsed, text);

	if (p) {
		g_string_free(text, TRUE);
		return p;
	}
	p = g_new0(struct parsed, 1);
	p->meta = (trc_ctf2_is(text) ? trc_ctf2_parse : trc_tsdl_parse)(text->str, text->len, &p->problem);
	set_clocks(m, p->meta);
	g_hash_table_insert(m->parsed, text, p);
	return p;
}

bool trc_metadata_read(struct trc_metadata *m, const char *folder, const struct trc_meta **meta,
	const GError **problem, GError **error)
{
	GString *text = read_text(folder, error);
	const struct parsed *p;

	if (!text)
		return false;
	p = metadata_parse(m, text);
	*meta = p->meta;
	*problem = p->problem;
	return true;
}

bool trc_metadata_clock(struct trc_metadata *m, const char *folder, struct trc_clock *clock)
{
	const struct trc_meta *meta = trc_metadata_head(m, folder, NULL);

	if (!meta || meta->clocks->len != 1)
		return false;
	*clock = *(const struct trc_clock *)g_ptr_array_index(meta->clocks, 0);
	return true;
}

bool trc_metadata_is_ctf2(const char *folder)
{
	GString *text = read_text(folder, NULL);
	bool is = text && trc_ctf2_is(text);

	if (text)
		g_string_free(text, TRUE);
	return is;
}

/* True if TEXT has the begin of a block NAME. */
static bool has_block(const char *text, const char *name)
{
	for (const char *p = strstr(text, name); p; p = strstr(p + 1, name))
		if (p[strlen(name) + strspn(p + strlen(name), " \t\r\n")] == '{')
			return true;
	return false;
}

/* Return the length of TEXT (CTF 2) before its first event class. If fragments about the whole recording
 * follow, or may follow, it is the length of all of TEXT. */
static gsize head_length_ctf2(const GString *text)
{
	const char *event = strstr(text->str, "\"event-record-class\""), *end = event;

	while (end > text->str && *end != '\x1e')
		end--;
	if (!event || end == text->str || strlen(text->str) != text->len || strstr(end, "\"trace-class\"") ||
		strstr(end, "\"clock-class\""))
		return text->len;
	return (gsize)(end - text->str);
}

/* Return the length of TEXT (CTF 1.8) before its first event. If blocks about the whole recording follow, or
 * may follow, it is the length of all of TEXT. */
static gsize head_length(const GString *text)
{
	const char *end = strstr(text->str, "\nevent {");

	if (!end || strlen(text->str) != text->len || has_block(end, "trace") || has_block(end, "env") ||
		has_block(end, "clock"))
		return text->len;
	return (gsize)(end + 1 - text->str);
}

const struct trc_meta *trc_metadata_head(struct trc_metadata *m, const char *folder, GError **error)
{
	GError *failure = NULL;
	gpointer known;
	GString *text;
	const struct trc_meta *head;

	if (g_hash_table_lookup_extended(m->heads, folder, NULL, &known))
		return known;
	text = read_text(folder, &failure);
	base_error_is_io(failure, error);
	if (!text)
		return NULL;
	head = metadata_parse(m,
		g_string_new_len(text->str,
			(gssize)(trc_ctf2_is(text) ? head_length_ctf2(text) : head_length(text))))
		       ->meta;
	if (head)
		g_string_free(text, TRUE);
	else
		head = metadata_parse(m, text)->meta; /* the head may need later parts to be understood */
	g_hash_table_insert(m->heads, g_strdup(folder), (gpointer)(uintptr_t)head);
	return head;
}

/* True if A describes everything that B does, or neither is understood. */
static bool covers(const struct trc_meta *a, const struct trc_meta *b)
{
	g_autofree char *lacks = a && b && a != b ? trc_meta_lacks(a, b) : NULL;

	return a == b || (a && b && !lacks);
}

bool trc_metadata_choose(struct trc_metadata *m, char *const *folders, const struct trc_meta **meta,
	const char **of, const GError **problem, GError **error)
{
	*of = folders[0];
	if (!trc_metadata_read(m, folders[0], meta, problem, error))
		return false;
	for (unsigned i = 1; folders[i]; i++) {
		const struct trc_meta *next;
		const GError *why;

		if (!trc_metadata_read(m, folders[i], &next, &why, error))
			return false;
		if (covers(*meta, next))
			continue;
		if (!covers(next, *meta)) { /* a folder changed after it was found */
			g_autofree char *a = base_text_clean(*of, -1), *b = base_text_clean(folders[i], -1);

			return base_error_false(error, BASE_ERROR_DATA,
				"%s and %s are not chunks of one recording any more: wait until they are "
				"copied, and open them again",
				a, b);
		}
		*meta = next;
		*of = folders[i];
	}
	return true;
}

/* ---- facts about the whole trace ---- */

/* Return the text of NAME; NULL if it is absent or no text. */
static const char *learn_text_of(const void *trace, trc_learn_value_of value_of, const char *name)
{
	struct trc_learn_value value;

	return value_of(trace, name, &value) ? value.text : NULL;
}

/* Return "major.minor.patchlevel" of LTTng, or perf's version; the caller frees it. NULL: unknown. */
static char *tracer_version(const void *trace, trc_learn_value_of value_of)
{
	static const char *const parts[] = { "tracer_major", "tracer_minor", "tracer_patchlevel" };
	const char *version = learn_text_of(trace, value_of, "version");
	GString *text = g_string_new(NULL);
	struct trc_learn_value value;

	for (unsigned i = 0; i < G_N_ELEMENTS(parts) && value_of(trace, parts[i], &value) && !value.text; i++)
		g_string_append_printf(text, "%s%" G_GINT64_FORMAT, i ? "." : "", value.number);
	if (!text->len && version)
		g_string_assign(text, version);
	return g_string_free(text, text->len == 0);
}

char *trc_learn_uuid(const uint8_t *u)
{
	GString *text = g_string_new(NULL);

	for (int i = 0; u && i < 16; i++)
		g_string_append_printf(text, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
			u[i]);
	return g_string_free(text, FALSE);
}

void trc_learn_env(struct trc_info *info, const void *trace, trc_learn_value_of value_of, const uint8_t *uuid)
{
	const char *release = learn_text_of(trace, value_of, "kernel_release"),
		   *host = learn_text_of(trace, value_of, "hostname"),
		   *build = learn_text_of(trace, value_of,
			   "kernel_version"); /* "#1 SMP PREEMPT_RT Debian …" */
	g_autofree char *version = tracer_version(trace, value_of), *id = trc_learn_uuid(uuid);
	const char *cut = learn_text_of(trace, value_of, TRC_CUT_NAME);

	trc_info_set_text(&info->host, host ? host : learn_text_of(trace, value_of, "host")); /* perf */
	trc_info_set_text(&info->domain, learn_text_of(trace, value_of, "domain"));
	trc_info_set_text(&info->release, release ? release : learn_text_of(trace, value_of, "release"));
	trc_info_set_text(&info->machine, learn_text_of(trace, value_of, "machine")); /* perf */
	info->preempt_rt = build && strstr(build, "PREEMPT_RT");
	trc_info_set_tracer(info, learn_text_of(trace, value_of, "tracer_name"), version);
	trc_info_set_text(&info->uuid, id);
	if (cut)
		trc_cut_mark_read(&info->cut, cut);
}

static bool learn_value_of(const void *t, const char *name, struct trc_learn_value *value)
{
	const struct trc_env *env = trc_meta_env(t, name);

	if (env)
		*value = (struct trc_learn_value){ env->text, env->number };
	return env;
}

/* A trace with several clocks, or none, does not identify the clock of its host. */
static void learn_clock(struct trc_info *info, const struct trc_meta *t)
{
	const struct trc_clock *clock = t->clocks->len == 1 ? g_ptr_array_index(t->clocks, 0) : NULL;

	for (unsigned i = 0; i < t->clocks->len; i++)
		if (((const struct trc_clock *)g_ptr_array_index(t->clocks, i))->astray)
			trc_info_warn(info,
				"metadata: damaged: the offset of a clock is beyond the years 1843 to 2097: times count from "
				"1970 without it; copy the trace again if the original is whole");
	if (!clock)
		return;
	if (clock->elsewhere)
		trc_info_warn(info,
			"the trace does not say at which time its clock was 0: dates count from 1970");
	trc_info_set_text(&info->clock_name, clock->name);
	trc_info_set_clock(info, clock->uuid, clock->frequency, trc_clock_ns(clock, 0));
}

void trc_learn(struct trc_info *info, const struct trc_meta *t)
{
	trc_learn_env(info, t, learn_value_of, t->has_uuid ? t->uuid : NULL);
	learn_clock(info, t);
	for (unsigned i = 0; i < t->streams->len; i++) {
		const struct trc_stream_class *stream = g_ptr_array_index(t->streams, i);

		for (unsigned j = 0; j < stream->events->len; j++)
			trc_info_add_class(info,
				((struct trc_event_class *)g_ptr_array_index(stream->events, j))->name);
	}
}
