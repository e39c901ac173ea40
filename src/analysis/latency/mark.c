/* SPDX-License-Identifier: MIT */
#include "analysis/latency/mark.h"

#include "base/base_text.h"

#include <glib.h>
#include <string.h>

/* ---- parts of texts ---- */

static bool is(struct ana_mark_text t, const char *word)
{
	return t.length == strlen(word) && g_ascii_strncasecmp(t.at, word, t.length) == 0;
}

static struct ana_mark_text trim(struct ana_mark_text t)
{
	while (t.length > 0 && g_ascii_isspace(*t.at)) {
		t.at++;
		t.length--;
	}
	while (t.length > 0 && g_ascii_isspace(t.at[t.length - 1]))
		t.length--;
	return t;
}

/* Take the part of *REST before the next SIGN (or all of it), and move *REST past SIGN. */
static struct ana_mark_text take(struct ana_mark_text *rest, char sign)
{
	const char *at = rest->length > 0 ? memchr(rest->at, sign, rest->length) : NULL;
	struct ana_mark_text part = { rest->at, at ? (size_t)(at - rest->at) : rest->length };
	size_t gone = at ? part.length + 1 : part.length;

	rest->at += gone;
	rest->length -= gone;
	return part;
}

static struct ana_mark_text word(struct ana_mark_text *rest)
{
	*rest = trim(*rest);
	return take(rest, ' ');
}

/* ---- keys of items ---- */

/* "17", "#17", "0x1f", "id=17", "(17)" */
static bool is_key(struct ana_mark_text t)
{
	size_t i = 0;

	while (i < t.length && memchr("#([<-+", t.at[i], 6))
		i++;
	return i < t.length && (g_ascii_isdigit(t.at[i]) || memchr(t.at, '=', t.length));
}

/* Split one word that ends in a number: "request#17", "request-17", "request(17)", "request:17".  False if it
 * does not. */
static bool split_word(struct ana_mark_text word, struct ana_mark_text *name, struct ana_mark_text *key)
{
	size_t end = word.length, digits;

	while (end > 0 && memchr(")]>", word.at[end - 1], 3))
		end--;
	for (digits = end; digits > 0 && g_ascii_isdigit(word.at[digits - 1]);)
		digits--;
	if (digits == end || digits < 2 || !memchr("#-([<:/", word.at[digits - 1], 7))
		return false;
	*name = (struct ana_mark_text){ word.at, digits - 1 };
	*key = (struct ana_mark_text){ word.at + digits, word.length - digits };
	while (key->length > 0 && memchr(")]>", key->at[key->length - 1], 3))
		key->length--;
	return true;
}

/* T without a ":" at its end. */
static struct ana_mark_text without_colon(struct ana_mark_text t)
{
	t.length -= t.length > 0 && t.at[t.length - 1] == ':';
	return t;
}

/* Split TEXT into the name and the key of PHASE. */
static void split(struct ana_mark *phase, struct ana_mark_text text)
{
	struct ana_mark_text rest = text = trim(text), w;

	phase->name = text;
	phase->key = (struct ana_mark_text){ text.at + text.length, 0 };
	w = word(&rest);
	rest = trim(rest);
	if (rest.length == 0) {
		split_word(w, &phase->name, &phase->key);
		return;
	}
	/* "17: request", "id=17 request" */
	if (is_key(w)) {
		phase->key = without_colon(w);
		phase->name = rest;
		return;
	}
	while (rest.length > 0) {
		w = word(&rest);
		if (w.length == 0 || !is_key(w))
			continue;
		phase->name = without_colon(
			trim((struct ana_mark_text){ text.at, (size_t)(w.at - text.at) }));
		phase->key = trim((struct ana_mark_text){ w.at, (size_t)(text.at + text.length - w.at) });
		return;
	}
}

/* The first words of KEY, up to one with a digit: "rank 2" of "rank 2 of 4".  Empty if no word has one. */
static struct ana_mark_text id_of(struct ana_mark_text key)
{
	size_t end = 0;

	while (end < key.length && !g_ascii_isdigit(key.at[end]))
		end++;
	if (end == key.length)
		end = key.length = 0;
	while (end < key.length && !g_ascii_isspace(key.at[end]) && !memchr(",;", key.at[end], 2))
		end++;
	return (struct ana_mark_text){ key.at, end };
}

/* ---- words ---- */

static const char *const begins[] = { "begin", "start", "enter", "entry", "started" },
			 *const ends[] = { "end", "stop", "leave", "exit", "done", "finish", "return",
				 "finished", "completed" };

static enum ana_mark_what what_of(struct ana_mark_text t)
{
	for (gsize i = 0; i < G_N_ELEMENTS(begins); i++)
		if (is(t, begins[i]))
			return ANA_MARK_BEGIN;
	for (gsize i = 0; i < G_N_ELEMENTS(ends); i++)
		if (is(t, ends[i]))
			return ANA_MARK_END;
	return ANA_MARK_NONE;
}

/* "request_begin id=17" */
static struct ana_mark of_first_word(struct ana_mark_text text)
{
	struct ana_mark_text rest = text, first = without_colon(word(&rest));
	g_autofree char *name = g_strndup(first.length > 0 ? first.at : "", first.length);
	struct ana_mark phase = ana_mark_of_name(name);

	if (phase.what == ANA_MARK_NONE)
		return (struct ana_mark){ .what = ANA_MARK_NONE };
	phase.sign = phase.what == ANA_MARK_BEGIN ? "begin" : "end";
	phase.name.at = text.at; /* NAME is freed */
	phase.key = trim(rest);
	phase.id = id_of(phase.key);
	return phase;
}

/* "compute begin rank 2", "begin compute 2", "request 17 begin": the first, second or last word is one of
 * BEGINS or ENDS. */
static struct ana_mark of_words(struct ana_mark_text text)
{
	struct ana_mark phase = { .what = ANA_MARK_NONE };
	struct ana_mark_text rest = text, w, before, behind, key;

	for (unsigned n = 0; rest.length > 0; n++) {
		w = word(&rest);
		if (w.length > 0 && w.at[w.length - 1] == ':')
			w.length--;
		behind = trim(rest);
		if (n > 1 && behind.length > 0)
			continue;
		phase.what = what_of(w);
		phase.sign = phase.what == ANA_MARK_BEGIN ? "begin" : "end";
		if (phase.what == ANA_MARK_NONE)
			continue;
		before = trim((struct ana_mark_text){ text.at, (size_t)(w.at - text.at) });
		if (before.length == 0) {
			split(&phase, behind);
		} else if (behind.length > 0 && is_key(before) && !memchr(before.at, ' ', before.length)) {
			split(&phase, behind); /* "[17] begin request" */
			if (phase.key.length == 0)
				phase.key = before;
		} else {
			split(&phase, before);
			key = trim((struct ana_mark_text){ w.at + w.length,
				(size_t)(text.at + text.length - w.at) - w.length });
			if (key.length > 0 && *key.at == ':')
				key = trim((struct ana_mark_text){ key.at + 1, key.length - 1 });
			if (phase.key.length == 0)
				phase.key = key;
		}
		if (phase.name.length == 0)
			phase.what = ANA_MARK_NONE;
		phase.id = id_of(phase.key);
		return phase;
	}
	return of_first_word(text);
}

/* ---- lines of ATRACE ---- */

/* Parse T into *VALUE.  False if T is not a number. */
static bool number(struct ana_mark_text t, double *value)
{
	g_autofree char *text = g_strndup(t.length > 0 ? t.at : "", t.length);
	char *end;

	*value = g_ascii_strtod(text, &end);
	return end > text && *end == '\0';
}

static bool is_atrace(struct ana_mark_text t)
{
	return t.length > 0 && memchr("BESFGHCIN", *t.at, 9) &&
		(t.length == 1 ? *t.at == 'E' : t.at[1] == '|');
}

static struct ana_mark of_atrace(struct ana_mark_text t)
{
	static const char *const signs[] = { "B", "E", "S", "F", "G", "H", "C", "I", "N" };
	struct ana_mark phase = { .what = ANA_MARK_NONE };
	char sign = *t.at;

	for (gsize i = 0; i < G_N_ELEMENTS(signs); i++)
		if (*signs[i] == sign)
			phase.sign = signs[i];
	take(&t, '|');
	take(&t, '|'); /* the process: the event itself shows the writer */
	if (sign == 'E') {
		phase.what = ANA_MARK_END;
		return phase;
	}
	if (sign == 'N' || sign == 'G' || sign == 'H')
		take(&t, '|'); /* the track */
	switch (sign) {
	case 'B':
	case 'I':
	case 'N':
		phase.what = sign == 'B' ? ANA_MARK_BEGIN : ANA_MARK_INSTANT;
		split(&phase, t);
		break;
	case 'C':
		phase.name = trim(take(&t, '|'));
		if (number(trim(take(&t, '|')), &phase.value))
			phase.what = ANA_MARK_COUNTER;
		break;
	default: /* S F G H */
		phase.what = sign == 'S' || sign == 'G' ? ANA_MARK_BEGIN : ANA_MARK_END;
		phase.of_process = true;
		phase.name = trim(take(&t, '|'));
		phase.key = trim(t);
		/* Only the cookie identifies the phase of a track that ends. */
		if (sign == 'H' && phase.key.length == 0) {
			phase.key = phase.name;
			phase.name.length = 0;
		}
		break;
	}
	if (phase.name.length == 0 && (sign != 'H' || phase.key.length == 0))
		phase.what = ANA_MARK_NONE;
	return phase;
}

struct ana_mark ana_mark_of_text(const char *text, size_t length)
{
	struct ana_mark_text t = trim((struct ana_mark_text){ text, length });

	return is_atrace(t) ? of_atrace(t) : of_words(t);
}

/* ---- names of events ---- */

/* The ending of NAME follows a "_", a "-", a "." or a change to an upper-case letter. */
struct ana_mark ana_mark_of_name(const char *name)
{
	struct ana_mark phase = { .what = ANA_MARK_NONE };
	size_t length = strlen(name), at = length;

	while (at > 0 && g_ascii_isalpha(name[at - 1]) &&
		(at == length || !g_ascii_isupper(name[at]) || g_ascii_isupper(name[at - 1])))
		at--;
	if (at == length)
		return phase;
	phase.what = is((struct ana_mark_text){ name + at, length - at }, "ret")
		? ANA_MARK_END /* of a probe; in a text, "ret" may mean anything */
		: what_of((struct ana_mark_text){ name + at, length - at });
	phase.sign = phase.what == ANA_MARK_BEGIN ? "enters" : "leaves";
	while (at > 0 && strchr("_-.", name[at - 1]))
		at--;
	phase.name = (struct ana_mark_text){ name, at };
	if (at == 0 || name[at - 1] == ':')
		phase.what = ANA_MARK_NONE;
	return phase;
}

bool ana_mark_is_text(const char *name)
{
	static const char *const names[] = { "print", "tracing_mark_write", "lttng_logger" };
	const char *behind = strrchr(name, ':');

	if (g_str_has_prefix(name, "lttng_ust_tracef") || g_str_has_prefix(name, "lttng_ust_tracelog"))
		return true;
	for (gsize i = 0; i < G_N_ELEMENTS(names); i++)
		if (g_str_equal(behind ? behind + 1 : name, names[i]))
			return true;
	return false;
}

/* ---- the text of a phase ---- */

char *ana_mark_join(const char *name, const char *key, const char *source)
{
	return g_strjoin(ANA_MARK_BETWEEN, name, key, source, NULL);
}

struct ana_mark_told ana_mark_split(const char *text)
{
	g_auto(GStrv) parts = g_strsplit(text ? text : "", ANA_MARK_BETWEEN, 3);
	unsigned n = g_strv_length(parts);

	/* A file is as hostile as a trace. */
	return (struct ana_mark_told){ base_text_clean(n > 0 ? parts[0] : "", -1),
		base_text_clean(n > 1 ? parts[1] : "", -1), base_text_clean(n > 2 ? parts[2] : "", -1) };
}

void ana_mark_told_clear(struct ana_mark_told *told)
{
	g_free(told->name);
	g_free(told->key);
	g_free(told->source);
}
