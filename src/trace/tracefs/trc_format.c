/* SPDX-License-Identifier: MIT */
#include "trace/tracefs/trc_format.h"

#include "model/event/event.h"

#include <glib.h>
#include <stdio.h>
#include <string.h>

/* ---- the bits of prev_state ---- */

/*
 * How it works: the kernel prints prev_state by a list of its bits, each with a letter, and "+" for a
 * runnable thread (TRACE_EVENT(sched_switch), include/trace/events/sched.h; task_state_array[],
 * fs/proc/array.c):
 *
 *	__print_flags(REC->prev_state & …, "|", { 0x00000001, "S" }, { 0x00000002, "D" }, …) : "R",
 *	REC->prev_state & (((0x00000000 | 0x00000001 | …) + 1) << 1) ? "+" : ""
 */

#define LETTERS_MAX 32
#define DEPTH_MAX 32 /* of parentheses */

struct trc_format_states {
	uint64_t preempted;
	unsigned n;
	struct {
		uint64_t bit;
		int64_t means; /* MDL_PREV_ */
	} letters[LETTERS_MAX];
};

/* Return the MDL_PREV_ value of LETTER. */
static int64_t meaning_of(char letter)
{
	switch (letter) {
	case 'S': return MDL_PREV_INTERRUPTIBLE;
	case 'D': return MDL_PREV_UNINTERRUPTIBLE;
	case 'T': return MDL_PREV_STOPPED;
	case 't': return MDL_PREV_TRACED;
	case 'x':
	case 'X': return MDL_PREV_DEAD;
	case 'Z': return MDL_PREV_ZOMBIE;
	case 'P': return MDL_PREV_PARKED;
	case 'I':
	case 'N': return MDL_PREV_IDLE; /* TASK_NOLOAD, up to Linux 4.13 */
	case 'K': return MDL_PREV_KILLABLE;
	default: return MDL_PREV_UNKNOWN;
	}
}

/* ---- a constant expression of numbers, |, +, -, << and parentheses ---- */

static const char *skip(const char *p)
{
	while (*p == ' ')
		p++;
	return p;
}

static const char *expression(const char *p, unsigned depth, uint64_t *value);

/* Read the number, or the expression in parentheses, after P. NULL if there is none. */
static const char *operand(const char *p, unsigned depth, uint64_t *value)
{
	char *end;

	p = skip(p);
	if (*p == '(') {
		p = depth < DEPTH_MAX ? expression(p + 1, depth + 1, value) : NULL;
		p = p ? skip(p) : NULL;
		return p && *p == ')' ? p + 1 : NULL;
	}
	*value = g_ascii_strtoull(p, &end, 0);
	return end == p ? NULL : end;
}

/* Evaluate from left to right, because the kernel's macros put everything else into parentheses. */
static const char *expression(const char *p, unsigned depth, uint64_t *value)
{
	uint64_t right;

	for (p = operand(p, depth, value); p; *value = right) {
		char op;

		p = skip(p);
		op = *p;
		if (op != '|' && op != '+' && op != '-' && !g_str_has_prefix(p, "<<"))
			return p;
		p = operand(p + (op == '<' ? 2 : 1), depth, &right);
		if (!p)
			break;
		switch (op) {
		case '|': right |= *value; break;
		case '+': right += *value; break;
		case '-': right = *value - right; break;
		default: right = right < 64 ? *value << right : 0; break;
		}
	}
	return NULL;
}

/* ---- */

/* Add { 0x00000001, "S" } at P to S. */
static void add_letter(struct trc_format_states *s, const char *p)
{
	char *end;
	uint64_t bit = g_ascii_strtoull(p, &end, 0);

	if (end == p || bit == 0 || !g_str_has_prefix(end, ", \"") || end[3] == '\0' || end[4] != '"' ||
		s->n == LETTERS_MAX)
		return;
	s->letters[s->n].bit = bit;
	s->letters[s->n++].means = meaning_of(end[3]);
}

struct trc_format_states *trc_format_states_new(const char *format)
{
	static const char test[] = "REC->prev_state & ";
	struct trc_format_states s = { .n = 0 };
	const char *plus = strstr(format, "? \"+\""), *mask = NULL, *end;

	for (const char *p = strstr(format, test); p && plus && p < plus; p = strstr(p + 1, test))
		mask = p + strlen(test);
	if (!mask)
		return NULL;
	end = expression(mask, 0, &s.preempted);
	for (const char *p = strchr(format, '{'); p && p < plus; p = strchr(p + 1, '{'))
		add_letter(&s, skip(p + 1));
	return end && skip(end) == plus && s.n > 0 ? g_memdup2(&s, sizeof s) : NULL;
}

int64_t trc_format_states_read(const struct trc_format_states *s, uint64_t prev_state)
{
	int64_t means = prev_state & s->preempted ? MDL_PREV_PREEMPTED : 0;

	prev_state &= ~s->preempted;
	for (unsigned i = 0; i < s->n; i++) {
		means |= prev_state & s->letters[i].bit ? s->letters[i].means : 0;
		prev_state &= ~s->letters[i].bit;
	}
	return means | (prev_state & MDL_PREV_FROZEN ? MDL_PREV_FROZEN : prev_state ? MDL_PREV_UNKNOWN : 0);
}

/* ---- formats ---- */

#define FIELDS_MAX 1000
#define FIELD_NAME_MAX 255 /* bytes; C identifiers are shorter */
#define EVENT_NAME_MAX 511 /* bytes, with the system */
#define RECORD_MAX 65536   /* bytes; a record fits in a page of the ring buffer */

/* Approximate costs of an event, a field and a text, in bytes of memory. */
enum { EVENT_COST = 1536, FIELD_COST = 256, TEXT_COST = 128 };

static void clear_field(void *field)
{
	g_free(((struct trc_format_field *)field)->name);
}

static void free_event(gpointer data)
{
	struct trc_format_event *e = data;

	g_free(e->name);
	g_array_unref(e->fields);
	g_free(e->states);
	g_free(e);
}

struct trc_formats trc_formats_new(struct trc_budget *budget)
{
	return (struct trc_formats){ g_hash_table_new_full(NULL, NULL, NULL, free_event),
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
		g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free), budget };
}

static bool format_spend(const struct trc_formats *formats, uint64_t n)
{
	return trc_budget_spend(formats->budget, n, "it describes more events than its size has room for");
}

void trc_formats_free(struct trc_formats *formats)
{
	g_clear_pointer(&formats->events, g_hash_table_unref);
	g_clear_pointer(&formats->names, g_hash_table_unref);
	g_clear_pointer(&formats->texts, g_hash_table_unref);
}

bool trc_formats_declare(const struct trc_formats *formats, const char *name)
{
	return g_hash_table_contains(formats->names, name);
}

void trc_formats_add_text(struct trc_formats *formats, uint64_t address, const char *text)
{
	if (format_spend(formats, TEXT_COST + strlen(text)))
		g_hash_table_insert(formats->texts, g_memdup2(&address, sizeof address), g_strdup(text));
}

/* Read the number after KEY ("offset:") in LINE. False if there is none. */
static bool format_number_of(const char *line, const char *key, uint32_t *number)
{
	const char *at = strstr(line, key);
	guint64 value = at ? g_ascii_strtoull(at + strlen(key), NULL, 10) : 0;

	*number = (uint32_t)MIN(value, RECORD_MAX);
	return at;
}

static bool has_word(const char *text, const char *word)
{
	const char *at = strstr(text, word);

	return at && (at == text || at[-1] == ' ' || at[-1] == '\t');
}

/* Read a declaration: "unsigned long args", "char comm[16]" (an array), "__data_loc char[] name". */
static bool read_declaration(char *text, struct trc_format_field *f)
{
	char *bracket = strchr(text, '['), *end, *begin;
	bool loc = g_str_has_prefix(text, "__data_loc") || g_str_has_prefix(text, "__rel_loc");
	bool array = bracket && !loc;

	f->is_relative = g_str_has_prefix(text, "__rel_loc");
	if (array)
		*bracket = '\0';
	g_strchomp(text);
	end = text + strlen(text);
	begin = end;
	while (begin > text && (g_ascii_isalnum(begin[-1]) || begin[-1] == '_'))
		begin--;
	if (begin == end || begin == text || end - begin > FIELD_NAME_MAX)
		return false;
	f->name = g_strndup(begin, (gsize)(end - begin));
	*begin = '\0';
	f->is_pointer = strchr(text, '*');
	/* Bytes of an element, for arrays whose declaration does not give them. */
	if (has_word(text, "char") || strstr(text, "u8") || strstr(text, "s8"))
		f->element = 1;
	else if (has_word(text, "short") || strstr(text, "16"))
		f->element = 2;
	else
		f->element = has_word(text, "long") || strstr(text, "64") || f->is_pointer ? 8 : 4;
	if (loc)
		f->shape = has_word(text, "char") ? TRC_FORMAT_LOC_TEXT : TRC_FORMAT_LOC_ARRAY;
	else if (array)
		f->shape = has_word(text, "char") && !has_word(text, "unsigned") ? TRC_FORMAT_TEXT
										 : TRC_FORMAT_ARRAY;
	return true;
}

/* Check the size of F. False: impossible. A number has 1, 2, 4 or 8 bytes; else it is an array of bytes. */
static bool format_settle(struct trc_format_field *f)
{
	bool whole = f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8;

	f->is_open = f->size == 0 && (f->shape == TRC_FORMAT_TEXT || f->shape == TRC_FORMAT_ARRAY);
	if (f->is_open) /* as in u32 buf[] */
		return f->offset <= RECORD_MAX;
	if (f->shape == TRC_FORMAT_NUMBER && whole)
		f->element = (uint8_t)f->size;
	else if (f->shape == TRC_FORMAT_NUMBER)
		f->shape = TRC_FORMAT_ARRAY;
	if (f->shape == TRC_FORMAT_ARRAY && (f->element == 0 || f->size % f->element != 0))
		f->element = 1;
	return f->offset + f->size <= RECORD_MAX &&
		((f->shape != TRC_FORMAT_LOC_TEXT && f->shape != TRC_FORMAT_LOC_ARRAY) || f->size == 4);
}

/* Read a line: "field:pid_t prev_pid;	offset:24;	size:4;	signed:1;". */
static void add_field(struct trc_format_event *e, char *line, bool common)
{
	struct trc_format_field f = { .is_common = common };
	uint32_t is_signed = 0;
	char *semicolon;

	if (!format_number_of(line, "offset:", &f.offset) || !format_number_of(line, "size:", &f.size))
		return;
	format_number_of(line, "signed:", &is_signed);
	f.is_signed = is_signed;
	line = strstr(line, "field:");
	line = line ? line + strlen("field:") : NULL;
	semicolon = line ? strchr(line, ';') : NULL;
	if (!semicolon || e->fields->len >= FIELDS_MAX)
		return;
	*semicolon = '\0';
	if (read_declaration(line, &f) && format_settle(&f))
		g_array_append_val(e->fields, f);
	else
		g_free(f.name);
}

/* Return SYSTEM without "wakepath_PID_START_", which "wakepath record" puts before groups of probes. */
static const char *own_system(const char *system)
{
	int length = 0;

	sscanf(system, "wakepath_%*[0-9]_%*[0-9]_%n", &length);
	return system + length;
}

/* Read TEXT into E, an event of SYSTEM. False if it makes no sense, or the budget is spent. */
static bool read_format(const struct trc_formats *formats, struct trc_format_event *e, uint32_t *id,
	const char *system, struct trc_bytes text)
{
	g_autoptr(GString) copy = g_string_new(NULL);
	bool common = true;

	while (!formats->budget->refused && trc_lines_next(&text, copy, formats->budget)) {
		char *line = copy->str;
		guint before = e->fields->len;

		if (g_str_has_prefix(line, "print fmt:")) {
			e->states = trc_format_states_new(line);
			break;
		}
		if (g_str_has_prefix(line, "name: "))
			e->name = e->name
				? e->name
				: g_strdup_printf("%s:%s", own_system(system), g_strstrip(line + 6));
		else if (g_str_has_prefix(line, "ID: "))
			format_number_of(line, "ID: ", id);
		else if (before > 0 && *line == '\0')
			common = false;
		else
			add_field(e, line, common);
		if (e->fields->len > before)
			format_spend(formats, FIELD_COST);
	}
	return e->name && strlen(e->name) <= EVENT_NAME_MAX && *id < RECORD_MAX && !formats->budget->refused;
}

bool trc_formats_add(struct trc_formats *formats, const char *system, const char *text, size_t length)
{
	struct trc_bytes b = { .data = (const uint8_t *)text, .size = length };
	struct trc_format_event *e;
	uint32_t id = UINT32_MAX;

	if (!format_spend(formats, EVENT_COST))
		return false;
	e = g_new0(struct trc_format_event, 1);
	e->texts = formats->texts;
	e->fields = g_array_new(FALSE, FALSE, sizeof(struct trc_format_field));
	g_array_set_clear_func(e->fields, clear_field);
	if (read_format(formats, e, &id, system, b)) {
		g_hash_table_insert(formats->events, GUINT_TO_POINTER(id), e);
		g_hash_table_add(formats->names, g_strdup(e->name));
		return true;
	}
	free_event(e);
	return false;
}

const struct trc_format_field *trc_format_event_field(const struct trc_format_event *event, const char *name)
{
	for (guint i = 0; i < event->fields->len; i++) {
		const struct trc_format_field *f = &g_array_index(event->fields, struct trc_format_field, i);

		if (g_str_equal(f->name, name))
			return f;
	}
	return NULL;
}

const struct trc_format_field *trc_format_aim(const struct trc_format_event *event, bool waking)
{
	static const char *const names[][2] = { { "sched:sched_waking", "target_cpu" },
		{ "sched:sched_wakeup", "target_cpu" }, { "sched:sched_wakeup_new", "target_cpu" },
		{ "sched:sched_migrate_task", "dest_cpu" } };
	const struct trc_format_field *field = NULL;

	for (size_t i = waking ? 0 : 1; i < G_N_ELEMENTS(names); i++)
		if (g_str_equal(event->name, names[i][0]))
			field = trc_format_event_field(event, names[i][1]);
	return field && field->shape == TRC_FORMAT_NUMBER && field->size == 4 ? field : NULL;
}

uint32_t trc_format_aimed(const struct trc_format_field *field, const struct trc_bytes *record,
	uint32_t limit)
{
	if (!record->data || record->size < field->offset + 4)
		return limit;
	return (uint32_t)MIN(trc_bytes_number(record->data + field->offset, 4, record->big), limit);
}

/* ---- formats in a file ---- */

void trc_format_read_pages(struct trc_bytes *b, unsigned *long_size)
{
	g_autofree char *text = NULL;
	const char *commit, *size;
	struct trc_bytes page;

	trc_bytes_take_text(b);
	page = trc_bytes_take_bytes(b, trc_bytes_take_number(b, 8));
	text = page.data ? g_strndup((const char *)page.data, MIN(page.size, TRC_LINE_MAX)) : g_strdup("");
	commit = strstr(text, "local_t commit;");
	size = commit ? strstr(commit, "size:") : NULL;
	if (size)
		*long_size = g_ascii_strtoull(size + 5, NULL, 10) == 4 ? 4 : 8;
	trc_bytes_take_text(b);
	trc_bytes_take(b, trc_bytes_take_number(b, 8));
}

bool trc_format_read_events(struct trc_formats *formats, struct trc_bytes *b, const char *system)
{
	bool fine = true;

	for (uint64_t n = trc_bytes_take_number(b, 4); n > 0 && b->at <= b->size && !formats->budget->refused;
		n--) {
		struct trc_bytes text = trc_bytes_take_bytes(b, trc_bytes_take_number(b, 8));

		if (text.data && !trc_formats_add(formats, system, (const char *)text.data, text.size))
			fine = false;
	}
	return fine;
}

bool trc_format_read_systems(struct trc_formats *formats, struct trc_bytes *b)
{
	bool fine = true;

	for (uint64_t n = trc_bytes_take_number(b, 4); n > 0 && b->at <= b->size && !formats->budget->refused;
		n--) {
		const char *system = trc_bytes_take_text(b);

		if (system)
			fine &= trc_format_read_events(formats, b, system);
	}
	return fine;
}
