/* SPDX-License-Identifier: MIT */
/* Prints the fields of track events (protos/perfetto/trace/track_event). */
#include "trace/perfetto/trc_perfetto_track.h"

#include <string.h>

#define TEXT_MOST 1024       /* bytes of a list, or of the name of an annotation */
#define TEXT_END (64 * 1024) /* bytes of printed fields at most */
#define PARENTS_MOST 16      /* parents of a track that are searched at most */
#define NESTED_MOST 3        /* printed levels of annotations */

/* An event that is printed. */
struct printing {
	const struct trc_perfetto_names *names; /* weak */
	const struct trc_perfetto_mark *mark;   /* weak */
	const struct trc_taker *taker;          /* weak; may be NULL */
	GString *to;                            /* weak */
	uint32_t sequence;
};

static void print_text(const struct printing *p, const char *name, const char *text)
{
	struct trc_wire w = trc_wire_of((const uint8_t *)text, strlen(text));

	trc_perfetto_text_bytes(p->to, name, &w, p->taker);
}

static void print_number(const struct printing *p, const char *name, char kind, uint64_t number)
{
	trc_perfetto_text_number(p->to, name, kind, number, p->taker);
}

static void print_real(const struct printing *p, const char *name, double real)
{
	struct trc_value value = { .type = TRC_VALUE_REAL, .real = real };
	uint64_t bits;

	memcpy(&bits, &real, sizeof bits);
	g_string_append_printf(p->to, "%s%s = ", p->to->str[p->to->len - 1] == ' ' ? "" : ", ", name);
	trc_text_value_float(p->to, 64, bits);
	if (p->taker)
		p->taker->take(p->taker->data, name, &value);
}

static double real_of(uint64_t bits)
{
	double real;

	memcpy(&real, &bits, sizeof real);
	return real;
}

/* Print the text with NUMBER; if the text is unknown, the number as NAME_iid. */
static void print_interned(const struct printing *p, const char *name, enum trc_perfetto_name kind,
	uint64_t number)
{
	const char *text = trc_perfetto_names_text(p->names, p->sequence, kind, number, p->mark->generation);
	g_autofree char *by_number = text ? NULL : g_strconcat(name, "_iid", NULL);

	if (text)
		print_text(p, name, text);
	else
		print_number(p, by_number, 'u', number);
}

/* Print a field that is a text, or the number of one. */
static void print_either(const struct printing *p, const char *name, enum trc_perfetto_name kind,
	const struct trc_wire_field *f)
{
	if (f->type == TRC_WIRE_BYTES)
		trc_perfetto_text_bytes(p->to, name, &f->bytes, p->taker);
	else
		print_interned(p, name, kind, f->value);
}

/* Print all fields of W with NUMBER, or OLD, as a list; of fixed or variable length, packed or not. */
static void print_list(const struct printing *p, const char *name, struct trc_wire w, unsigned number,
	unsigned old)
{
	struct trc_value value = { .type = TRC_VALUE_TEXT };
	g_autoptr(GString) list = g_string_new("[ ");
	struct trc_wire_field f;
	unsigned n = 0;

	while (list->len < TEXT_MOST && trc_wire_next(&w, &f))
		if ((f.number == number || f.number == old) && trc_wire_is_number(&f))
			g_string_append_printf(list, "%s[%u] = %" G_GUINT64_FORMAT, n ? ", " : "", n,
				f.value),
				n++;
	if (n == 0)
		return;
	g_string_append(list, " ]");
	g_string_append_printf(p->to, "%s%s = %s", p->to->str[p->to->len - 1] == ' ' ? "" : ", ", name,
		list->str);
	value.text = list->str;
	value.length = list->len;
	if (p->taker)
		p->taker->take(p->taker->data, name, &value);
}

/* Print category_iids 3 and categories 22 as one text. */
static void print_categories(const struct printing *p, struct trc_wire w)
{
	g_autoptr(GString) all = g_string_new(NULL);
	struct trc_wire_field f;

	while (all->len < TEXT_MOST && trc_wire_next(&w, &f)) {
		const char *text = NULL;

		if (f.number == 3 && f.type == TRC_WIRE_NUMBER)
			text = trc_perfetto_names_text(p->names, p->sequence, TRC_PERFETTO_NAME_CATEGORY,
				f.value, p->mark->generation);
		else if (f.number != 22 || f.type != TRC_WIRE_BYTES)
			continue;
		if (all->len > 0)
			g_string_append_c(all, ',');
		if (f.number == 22)
			g_string_append_len(all, (const char *)f.bytes.at,
				(gssize)strnlen((const char *)f.bytes.at,
					MIN(trc_wire_size(&f.bytes), TEXT_MOST)));
		else if (text)
			g_string_append(all, text);
		else
			g_string_append_printf(all, "%" G_GUINT64_FORMAT, f.value);
	}
	if (all->len > 0)
		print_text(p, "categories", all->str);
}

/* ---- annotations ---- */

static void print_annotation(const struct printing *p, const char *above, struct trc_wire w, unsigned level);

/* Print W, a dictionary (dict_entries 11) or list (array_values 12), as NAME. False if it is neither. */
static bool print_entries(const struct printing *p, const char *name, struct trc_wire w, unsigned level)
{
	struct trc_wire_field f;
	unsigned n = 0;

	while (p->to->len < TEXT_END && trc_wire_next(&w, &f)) {
		g_autofree char *item = NULL;

		if ((f.number != 11 && f.number != 12) || f.type != TRC_WIRE_BYTES)
			continue;
		if (f.number == 12)
			item = g_strdup_printf("%s.%u", name, n);
		n++;
		if (level < NESTED_MOST)
			print_annotation(p, item ? item : name, f.bytes, level + 1);
	}
	return n > 0;
}

/*
 * Print a DebugAnnotation: name_iid 1, bool 2, uint 3, int 4, double 5, string 6, pointer 7, legacy_json 9,
 * name 10, string_value_iid 17. Its name is ABOVE and its own, made of word characters.
 */
static void print_annotation(const struct printing *p, const char *above, struct trc_wire w, unsigned level)
{
	struct trc_wire all = w;
	struct trc_wire_field f, value = { .number = 0 };
	const char *own = NULL;
	g_autofree char *told = NULL, *name = NULL;

	while (trc_wire_next(&w, &f))
		if (f.number == 1 && f.type == TRC_WIRE_NUMBER)
			own = trc_perfetto_names_text(p->names, p->sequence, TRC_PERFETTO_NAME_NOTE, f.value,
				p->mark->generation);
		else if (f.number == 10 && f.type == TRC_WIRE_BYTES && !told)
			own = told = g_strndup((const char *)f.bytes.at,
				MIN(trc_wire_size(&f.bytes), TEXT_MOST));
		else if ((f.number >= 2 && f.number <= 7) || f.number == 9 || f.number == 17)
			value = f;
	name = own ? g_strconcat(above, ".", own, NULL) : g_strdup(above);
	g_strcanon(name, TRC_PERFETTO_WORD, '_');
	if (print_entries(p, name, all, level) || value.number == 0)
		return;
	if (value.type == TRC_WIRE_BYTES)
		trc_perfetto_text_bytes(p->to, name, &value.bytes, p->taker);
	else if (value.number == 17)
		print_interned(p, name, TRC_PERFETTO_NAME_TEXT, value.value);
	else if (value.number == 5)
		print_real(p, name, real_of(value.value));
	else
		print_number(p, name, value.number == 4 ? 'i' : 'u', value.value);
}

/* ---- the track ---- */

/* Print the track UUID, and thread and process of it or a parent. Returns the track; NULL: unknown. */
static const struct trc_perfetto_track *print_track(const struct printing *p, uint64_t uuid, int64_t pid,
	int64_t tid)
{
	const struct trc_perfetto_track *own = trc_perfetto_names_track(p->names, uuid), *t = own;
	const char *process = NULL, *thread = NULL;

	for (unsigned i = 0; t && i < PARENTS_MOST; i++) {
		pid = pid < 0 ? t->pid : pid;
		tid = tid < 0 ? t->tid : tid;
		process = process ? process : t->process;
		thread = thread ? thread : t->thread;
		t = t->parent != 0 ? trc_perfetto_names_track(p->names, t->parent) : NULL;
	}
	print_number(p, "track", 'u', uuid);
	if (own && own->name)
		print_text(p, "track_name", own->name);
	if (pid >= 0)
		print_number(p, "pid", 'i', (uint64_t)pid);
	if (process)
		print_text(p, "process_name", process);
	if (tid >= 0)
		print_number(p, "tid", 'i', (uint64_t)tid);
	if (thread)
		print_text(p, "thread_name", thread);
	return own;
}

/* Print counter_value 30 or double_counter_value 44. */
static void print_value(const struct printing *p, const struct trc_perfetto_track *t,
	const struct trc_wire_field *f)
{
	int64_t multiplier = t ? t->multiplier : 1, number;
	const char *name = t && t->is_counted ? "increment" : "value";

	if (f->number == 44)
		print_real(p, name, real_of(f->value) * (double)multiplier);
	else if (__builtin_mul_overflow((int64_t)f->value, multiplier, &number))
		print_real(p, name, (double)(int64_t)f->value * (double)multiplier);
	else
		print_number(p, name, 'i', (uint64_t)number);
	if (t && t->unit)
		print_text(p, "unit", t->unit);
}

/* Print a LegacyEvent: duration_us 3, ids 6, 10 and 11, id_scope 7, bind_id 8; with PHASE also phase 2. */
static void print_legacy(const struct printing *p, struct trc_wire w, bool phase)
{
	struct trc_wire_field f;

	while (trc_wire_next(&w, &f))
		switch (f.number) {
		case 2:
			if (phase)
				print_number(p, "phase", 'u', f.value);
			break;
		case 3: print_number(p, "duration_us", 'i', f.value); break;
		case 6:
		case 10:
		case 11:
			if (f.type == TRC_WIRE_NUMBER)
				print_number(p, "id", 'u', f.value);
			break;
		case 7:
			if (f.type == TRC_WIRE_BYTES)
				trc_perfetto_text_bytes(p->to, "id_scope", &f.bytes, p->taker);
			break;
		case 8: print_number(p, "bind_id", 'u', f.value); break;
		default: break;
		}
}

/* Fields of an event's body on which others depend. They are found before any is printed. */
struct body {
	struct trc_wire_field name, value, related; /* NUMBER 0: none */
	struct trc_wire legacy;                     /* no bytes: none */
	uint64_t track;
	int64_t pid, tid;
};

/* Read name_iid 10, name 23, track_uuid 11, counter values 30 and 44, correlation_id 52 to 54, legacy_event 6
 * with name_iid 1, pid_override 18, tid_override 19. */
static void body_read(struct body *b, struct trc_wire w)
{
	struct trc_wire_field f;

	while (trc_wire_next(&w, &f)) {
		if (f.number == 10 || f.number == 23)
			b->name = f;
		else if (f.number == 30 || (f.number == 44 && f.type == TRC_WIRE_FIXED64))
			b->value = f;
		else if (f.number >= 52 && f.number <= 54)
			b->related = f;
		else if (f.number == 11 && trc_wire_is_number(&f))
			b->track = f.value;
		else if (f.number == 6 && f.type == TRC_WIRE_BYTES)
			b->legacy = f.bytes;
	}
	w = b->legacy;
	while (w.at && trc_wire_next(&w, &f)) {
		if (f.number == 1 && b->name.number == 0) {
			b->name = f;
		} else if (f.number == 18) {
			b->pid = (int32_t)f.value;
		} else if (f.number == 19) {
			b->tid = (int32_t)f.value;
		}
	}
}

void trc_perfetto_mark_fields(const struct trc_perfetto_names *names, const struct trc_perfetto_mark *mark,
	const struct trc_perfetto_packet *packet, GString *to, const struct trc_taker *taker)
{
	const struct printing p = { names, mark, taker, to, packet->sequence };
	struct body b = { .track = mark->track, .pid = mark->pid, .tid = mark->tid };
	struct trc_wire w = packet->body;
	struct trc_wire_field f;
	const struct trc_perfetto_track *t;

	body_read(&b, w);
	if (b.name.number != 0)
		print_either(&p, "name", TRC_PERFETTO_NAME_EVENT, &b.name);
	print_categories(&p, w);
	t = print_track(&p, b.track, b.pid, b.tid);
	if (b.value.number != 0 && trc_wire_is_number(&b.value))
		print_value(&p, t, &b.value);
	if (mark->time != mark->told)
		print_number(&p, "recorded_time", 'i', (uint64_t)mark->told);
	print_list(&p, "flow_ids", w, 47, 36);
	print_list(&p, "terminating_flow_ids", w, 48, 42);
	if (b.related.number == 52 && trc_wire_is_number(&b.related))
		print_number(&p, "correlation_id", 'u', b.related.value);
	else if (b.related.number != 0)
		print_either(&p, "correlation_id", TRC_PERFETTO_NAME_RELATED, &b.related);
	if (b.legacy.at)
		print_legacy(&p, b.legacy, trc_perfetto_act_of(w) == TRC_PERFETTO_LEGACY);
	while (to->len < TEXT_END && trc_wire_next(&w, &f))
		if (f.number == 4 && f.type == TRC_WIRE_BYTES)
			print_annotation(&p, "debug", f.bytes, 0);
}
