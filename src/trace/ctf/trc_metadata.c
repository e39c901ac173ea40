/* SPDX-License-Identifier: MIT */
#include "trace/ctf/trc_metadata.h"

#include "base/base_error.h"
#include "base/base_text.h"
#include "trace/core/trc_folders.h"
#include "trace/tsdl/trc_tsdl.h"

#include <string.h>

/* What a text says. */
struct parsed {
	struct trc_tsdl *tsdl; /* owned; NULL: not understood */
	GError *problem;       /* owned: why not */
};

struct trc_metadata {
	GHashTable *parsed; /* text (GString *) → struct parsed *, both owned */
};

static void text_free(gpointer text)
{
	g_string_free(text, TRUE);
}

static void parsed_free(gpointer data)
{
	struct parsed *p = data;

	trc_tsdl_free(p->tsdl);
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
	return m;
}

void trc_metadata_free(struct trc_metadata *m)
{
	if (!m)
		return;
	g_hash_table_unref(m->parsed);
	g_free(m);
}

/* The text in FOLDER; the caller frees. */
static GString *read_text(const char *folder, GError **error)
{
	GBytes *bytes = trc_files_metadata(folder, error);
	GString *text;
	const void *data;
	gsize size;

	if (!bytes)
		return NULL;
	data = g_bytes_get_data(bytes, &size);
	text = trc_tsdl_text(data, size, error);
	if (!text)
		g_prefix_error(error, "cannot read %s/", folder);
	g_bytes_unref(bytes);
	return text;
}

/* What TEXT (taken over) says. */
static const struct parsed *metadata_parse(struct trc_metadata *m, GString *text)
{
	struct parsed *p = g_hash_table_lookup(m->parsed, text);

	if (p) {
		g_string_free(text, TRUE);
		return p;
	}
	p = g_new0(struct parsed, 1);
	p->tsdl = trc_tsdl_parse(text->str, text->len, &p->problem);
	g_hash_table_insert(m->parsed, text, p);
	return p;
}

bool trc_metadata_read(struct trc_metadata *m, const char *folder, const struct trc_tsdl **tsdl,
	const GError **problem, GError **error)
{
	GString *text = read_text(folder, error);
	const struct parsed *p;

	if (!text)
		return false;
	p = metadata_parse(m, text);
	*tsdl = p->tsdl;
	*problem = p->problem;
	return true;
}

/* Does a block NAME begin anywhere in TEXT? */
static bool has_block(const char *text, const char *name)
{
	for (const char *p = strstr(text, name); p; p = strstr(p + 1, name))
		if (p[strlen(name) + strspn(p + strlen(name), " \t\r\n")] == '{')
			return true;
	return false;
}

/* How long what stands before the first event in TEXT is; all of it where blocks about the whole recording
 * follow, or may. */
static gsize head_length(const GString *text)
{
	const char *end = strstr(text->str, "\nevent {");

	if (!end || strlen(text->str) != text->len || has_block(end, "trace") || has_block(end, "env") ||
		has_block(end, "clock"))
		return text->len;
	return (gsize)(end + 1 - text->str);
}

const struct trc_tsdl *trc_metadata_head(struct trc_metadata *m, const char *folder, GError **error)
{
	GError *failure = NULL;
	GString *text = read_text(folder, &failure);
	const struct trc_tsdl *head;

	base_error_is_io(failure, error);
	if (!text)
		return NULL;
	head = metadata_parse(m, g_string_new_len(text->str, (gssize)head_length(text)))->tsdl;
	if (head)
		g_string_free(text, TRUE);
	else
		head = metadata_parse(m, text)->tsdl; /* it may not be understood without what follows */
	return head;
}

/* A folder changed after it was found. */
static void set_conflict(const char *a, const char *b, GError **error)
{
	g_autofree char *shown_a = base_text_clean(a, -1), *shown_b = base_text_clean(b, -1);

	g_set_error(error, BASE_ERROR, BASE_ERROR_DATA,
		"%s and %s are not chunks of one recording any more: wait until they are "
		"copied, and open them again",
		shown_a, shown_b);
}

/* Does A describe all that B does?  Neither may be understood. */
static bool covers(const struct trc_tsdl *a, const struct trc_tsdl *b)
{
	g_autofree char *lacks = a && b && a != b ? trc_tsdl_lacks(a, b) : NULL;

	return a == b || (a && b && !lacks);
}

bool trc_metadata_choose(struct trc_metadata *m, char *const *folders, const struct trc_tsdl **tsdl,
	const char **of, const GError **problem, GError **error)
{
	unsigned i;

	*of = folders[0];
	if (!trc_metadata_read(m, folders[0], tsdl, problem, error))
		return false;
	for (i = 1; folders[i]; i++) {
		const struct trc_tsdl *next;
		const GError *why;

		if (!trc_metadata_read(m, folders[i], &next, &why, error))
			return false;
		if (covers(*tsdl, next))
			continue;
		if (!covers(next, *tsdl)) {
			set_conflict(*of, folders[i], error);
			return false;
		}
		*tsdl = next;
		*of = folders[i];
	}
	return true;
}
