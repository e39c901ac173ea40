/* SPDX-License-Identifier: MIT */
/* Marks, short names and colours of hosts.  There are several ways to shorten a name; the first result that
 * no other host could have is taken. */
#include "ui/widget/host_look.h"

#include <string.h>

#define COLOURS (TERM_ROLE_HOST_6 - TERM_ROLE_HOST_1 + 1)
#define TAG_MIN 4 /* columns */
#define ELLIPSIS "\342\200\246"

enum term_role host_look_role(uint32_t host)
{
	return TERM_ROLE_HOST_1 + host % COLOURS;
}

/* ---- marks ---- */

static bool initials_differ(const struct qry *q)
{
	bool seen[128] = { false };

	for (uint32_t i = 0; i < qry_host_count(q); i++) {
		unsigned char c = (unsigned char)qry_host(q, i)->name[0];

		if (!g_ascii_isalnum(c) || seen[c])
			return false;
		seen[c] = true;
	}
	return true;
}

gunichar host_look_mark(const struct qry *q, uint32_t host)
{
	static const char marks[] = "123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

	G_STATIC_ASSERT(sizeof marks - 1 == HOST_LOOK_MARKS);
	if (qry_host_count(q) <= HOST_LOOK_MARKS && initials_differ(q))
		return (gunichar)qry_host(q, host)->name[0];
	return host < HOST_LOOK_MARKS ? (gunichar)marks[host] : '+';
}

/* ---- short names ---- */

/* The ways to shorten a name, best first. */
enum form { WHOLE, FIRST_PART, BEGINNING, ENDING, FORMS };

/* The name BYTES (possibly not UTF-8) in FORM; NULL if that is longer than WIDTH.  The caller frees. */
static char *shortened(const char *bytes, enum form form, unsigned width)
{
	char *name = g_utf8_make_valid(bytes, -1), *text, *part;
	glong length = g_utf8_strlen(name, -1), keep = (glong)width - 1;

	switch (form) {
	case WHOLE: text = g_strdup(name); break;
	case FIRST_PART: text = g_strndup(name, strcspn(name, ".")); break;
	default:
		part = length <= keep       ? g_strdup(name)
			: form == BEGINNING ? g_utf8_substring(name, 0, keep)
					    : g_utf8_substring(name, length - keep, length);
		text = form == BEGINNING ? g_strconcat(part, ELLIPSIS, NULL)
					 : g_strconcat(ELLIPSIS, part, NULL);
		g_free(part);
	}
	g_free(name);
	if (*text && term_text_width(text) <= width)
		return text;
	g_free(text);
	return NULL;
}

/* True if another host than HOST could be shortened to TEXT. */
static bool is_taken(const struct qry *q, uint32_t host, const char *text, unsigned width)
{
	for (uint32_t i = 0; i < qry_host_count(q); i++) {
		for (enum form form = WHOLE; i != host && form < FORMS; form++) {
			g_autofree char *other = shortened(qry_host(q, i)->name, form, width);
			bool same = other && !strcmp(other, text);

			if (same)
				return true;
		}
	}
	return false;
}

char *host_look_tag(const struct qry *q, uint32_t host, unsigned width)
{
	width = MAX(width, TAG_MIN);
	for (enum form form = WHOLE; form < FORMS; form++) {
		char *text = shortened(qry_host(q, host)->name, form, width);

		if (text && (form == WHOLE || !is_taken(q, host, text, width)))
			return text;
		g_free(text);
	}
	return g_strdup_printf("#%u", host + 1);
}

/* ---- labels ---- */

const char *host_look_without(const struct qry *q, uint32_t host, const char *label)
{
	const char *name = qry_host(q, host)->name;
	size_t length = strlen(name);

	return g_str_has_prefix(label, name) && label[length] == '/' ? label + length + 1 : label;
}

unsigned host_look_label(const struct term_area *area, unsigned x, unsigned y, unsigned width,
	enum term_role role, const struct qry *q, uint32_t host, const char *label)
{
	const char *rest = host_look_without(q, host, label), *whole = qry_host(q, host)->name;
	unsigned end = x + width;
	char mark[8] = "";
	bool brief;
	g_autofree char *tag = NULL;

	if (qry_host_count(q) == 1)
		return term_area_fit(area, x, y, width, role, label);
	brief = term_text_width(whole) + 1 + term_text_width(rest) > width;
	if (brief && host < HOST_LOOK_MARKS)
		g_unichar_to_utf8(host_look_mark(q, host), mark);
	else if (brief)
		tag = host_look_tag(q, host, width / 3);
	x = term_area_fit(area, x, y, width, host_look_role(host), tag ? tag : *mark ? mark : whole);
	if (x < end)
		x = term_area_fit(area, x, y, 1, TERM_ROLE_DIM, "/");
	return x < end ? term_area_fit(area, x, y, end - x, role, rest) : x;
}
