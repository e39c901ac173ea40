/* SPDX-License-Identifier: MIT */
/*
 * pairs(entry, exit[, key]): the times from an entry event to its exit event.
 *
 * The events of both names are read in order of time.  An entry is open until the next exit on its host with
 * its key; another entry with that key replaces it.  Without the argument key, the thread is the key.
 */
#include "sql/sql_parts.h"

#include "base/base_error.h"
#include "base/base_text.h"
#include "query/events/scan.h"

#include <inttypes.h>
#include <string.h>

#define OPEN_MOST 100000 /* entries open at once */

struct asked {
	char *entry, *exit, *key; /* owned; KEY NULL: the thread */
};

struct pair {
	struct qry_event entry, exit;
	char *key; /* owned */
};

struct pairs {
	struct table_cursor of;
	const char *fields[1];
	struct qry_scan *scan; /* owned */
	GHashTable *open;      /* "HOST KEY" → struct qry_event *, owned */
	struct pair pair;
};

static int pairs_ask(struct sql *s, sqlite3_value *const *values, struct table_question *ask, GError **error)
{
	struct asked *a;

	for (unsigned i = 0; i < 2; i++) {
		const char *name = (const char *)sqlite3_value_text(values[i]);

		if (!name)
			return 0;
		if (!sql_types(s, error))
			return -1;
		if (!sql_types_find(s, name)) {
			g_autofree char *clean = base_text_clean(name, -1);

			g_set_error(error, BASE_ERROR, BASE_ERROR_NO_ANSWER,
				"pairs(): no event %s was recorded", clean);
			return -1;
		}
	}
	a = g_new0(struct asked, 1);
	a->entry = g_utf8_strdown((const char *)sqlite3_value_text(values[0]), -1);
	a->exit = g_utf8_strdown((const char *)sqlite3_value_text(values[1]), -1);
	a->key = g_strdup(values[2] ? (const char *)sqlite3_value_text(values[2]) : NULL);
	ask->result = a;
	return 1;
}

static void pairs_forget(struct table_question *ask)
{
	struct asked *a = (struct asked *)(uintptr_t)ask->result;

	if (!a)
		return;
	g_free(a->entry);
	g_free(a->exit);
	g_free(a->key);
	g_free(a);
}

/* True if TABLE, in lower case, is the table of the events called NAME in the trace. */
static bool is_called(const char *name, const char *table)
{
	const char *behind = strrchr(name, ':');

	return !g_ascii_strcasecmp(behind && behind[1] ? behind + 1 : name, table);
}

static bool wants(void *data, const char *name)
{
	const struct asked *a = data;

	return is_called(name, a->entry) || is_called(name, a->exit);
}

static bool pairs_open(struct table_cursor *cursor, GError **error)
{
	struct pairs *c = (struct pairs *)cursor;
	const struct asked *a = cursor->ask.result;
	struct qry_events_filter filter = QRY_EVENTS_ALL;
	struct qry_scan_want want = { .fields = c->fields, .n_fields = a->key ? 1 : 0, .thread = true };

	c->fields[0] = a->key;
	filter.wants = wants;
	filter.data = (void *)(uintptr_t)a;
	c->open = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	c->scan = qry_scan_new(cursor->q, &filter, &want, error);
	return c->scan;
}

/* Set *KEY to the key of E, the current event, without the host; NULL: it has none.  The caller frees.  False
 * with an error. */
static bool key_of(struct pairs *c, const struct qry_event *e, char **key, GError **error)
{
	const struct asked *a = c->of.ask.result;
	const struct trc_value *v;

	*key = NULL;
	if (!a->key) {
		if (e->thread != MDL_NONE)
			*key = g_strdup_printf("%" PRIu32, e->thread);
		return true;
	}
	v = qry_scan_values(c->scan, error);
	if (!v)
		return false;
	switch (v->type) {
	case TRC_VALUE_SIGNED: *key = g_strdup_printf("%" PRId64, (int64_t)v->number); break;
	case TRC_VALUE_UNSIGNED: *key = g_strdup_printf("%" PRIu64, v->number); break;
	case TRC_VALUE_REAL: *key = g_strdup_printf("%.17g", v->real); break;
	case TRC_VALUE_TEXT: *key = base_text_clean(v->text, (gssize)strnlen(v->text, v->length)); break;
	default: break;
	}
	return true;
}

/* End the pair of E, an event with KEY, or begin one.  Returns 1 if a pair ended; else 0; -1 with an
 * error. */
static int take(struct pairs *c, const struct qry_event *e, char *key, GError **error)
{
	const struct asked *a = c->of.ask.result;
	g_autofree char *place = g_strdup_printf("%" PRIu32 " %s", e->host, key);
	struct qry_event *entry = g_hash_table_lookup(c->open, place);
	bool ended = entry && is_called(e->name, a->exit);

	if (ended) {
		g_free(c->pair.key);
		c->pair = (struct pair){ *entry, *e, g_strdup(key) };
		g_hash_table_remove(c->open, place);
	}
	if (is_called(e->name, a->entry)) {
		if (!entry && g_hash_table_size(c->open) >= OPEN_MOST) {
			g_set_error(error, BASE_ERROR, BASE_ERROR_REFUSED,
				"pairs(): more than " G_STRINGIFY(
					OPEN_MOST) " %s are open at once: choose another key",
				a->entry);
			return -1;
		}
		g_hash_table_replace(c->open, g_steal_pointer(&place), g_memdup2(e, sizeof *e));
	}
	return ended;
}

static int pairs_next(struct table_cursor *cursor, const void **row, GError **error)
{
	struct pairs *c = (struct pairs *)cursor;
	struct qry_event e;
	int more;

	while ((more = qry_scan_next(c->scan, &e, cursor->ask.progress, error)) > 0) {
		g_autofree char *key = NULL;
		int ended = 0;

		if (!key_of(c, &e, &key, error) || (key && (ended = take(c, &e, key, error)) < 0))
			return -1;
		if (ended)
			break;
	}
	*row = &c->pair;
	return more;
}

static void pairs_close(struct table_cursor *cursor)
{
	struct pairs *c = (struct pairs *)cursor;

	g_free(c->pair.key);
	qry_scan_free(c->scan);
	if (c->open)
		g_hash_table_unref(c->open);
}

TABLE_COLUMNS(pairs_columns)
{
	const struct pair *p = row;

	TABLE_COLUMN("ts", NULL, TABLE_TIME, "time of the entry", number = p->entry.time);
	TABLE_COLUMN("dur", NULL, TABLE_DURATION, "until its exit", number = p->exit.time - p->entry.time);
	TABLE_COLUMN("host", NULL, TABLE_WORD, "", word = qry_host(in->q, p->entry.host)->name);
	TABLE_COLUMN("utid", NULL, TABLE_NUMBER, "the thread at the entry",
		number = table_id(p->entry.thread));
	TABLE_COLUMN("cpu", NULL, TABLE_NUMBER, "", number = table_id(p->entry.cpu));
	TABLE_COLUMN("key_value", NULL, TABLE_WORD, "value of the field `key`; without `key` the `utid`",
		word = p->key);
	TABLE_COLUMN("end_utid", NULL, TABLE_NUMBER, "the thread at the exit",
		number = table_id(p->exit.thread));
	TABLE_COLUMN("end_cpu", NULL, TABLE_NUMBER, "", number = table_id(p->exit.cpu));
}

static const struct table pairs_table = {
	.name = "pairs",
	.list = "pairs",
	.doc = "an event `entry` and the next event `exit` of its host whose field `key` has the same value; without `key`, of the same thread. Names are those of tables: `pairs('net_dev_queue', 'net_dev_xmit', 'skbaddr')`. Another entry with the value replaces the one before. By time of the exit",
	.columns = pairs_columns,
	.size = sizeof(struct pairs),
	.open = pairs_open,
	.next = pairs_next,
	.close = pairs_close,
};

const struct sql_source sql_source_pairs = {
	.table = &pairs_table,
	.arguments = { "entry", "exit", "key" },
	.required = 2,
	.ask = pairs_ask,
	.forget = pairs_forget,
};
