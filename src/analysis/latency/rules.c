/* SPDX-License-Identifier: MIT */
/* GKeyFile of GLib reads a file of rules, one group for each rule.  This parses the values. */
#include "analysis/latency/rules.h"

#include "analysis/latency/mark.h"
#include "base/base_error.h"
#include "base/base_file.h"
#include "base/base_text.h"
#include "base/base_time.h"

#include <inttypes.h>
#include <string.h>

static const struct base_file_kind kind_of_file = { "file of rules", 1 << 20, BASE_ERROR_USAGE };

/* The place of an error. */
struct place {
	const char *file, *text, *rule, *key;
	GError **error;
};

/* The line of KEY of the rule, else of the rule's name.  GKeyFile has no line numbers. */
static unsigned line_of(const struct place *at)
{
	g_auto(GStrv) lines = g_strsplit(at->text, "\n", -1);
	g_autofree char *head = g_strdup_printf("[%s]", at->rule);
	unsigned found = 0;

	for (unsigned i = 0; lines[i]; i++) {
		const char *line = g_strstrip(lines[i]), *behind = line + strlen(at->key ? at->key : "");

		if (*line == '[' && found > 0)
			break;
		if (g_str_equal(line, head))
			found = i + 1;
		else if (found > 0 && at->key && g_str_has_prefix(line, at->key) &&
			behind[strspn(behind, " \t")] == '=')
			return i + 1;
	}
	return found;
}

/* The things that a group of the file can declare. */
static const struct group_kind {
	const char *word, *head, *prefix; /* of the name of its rule */
	const char *keys[12];
} group_kinds[] = {
	{ "span", "span ", ANA_PROGRAM_PREFIX,
		{ "begin", "end", "key", "thread", "open", "hosts", "timeout", "threshold", "name" } },
	{ "state", "state ", ANA_STATE_PREFIX,
		{ "enter", "leave", "value", "key", "thread", "is", "hosts", "timeout" } },
	{ "rule", "", "", { "entry", "exit", "key", "thread", "open", "hosts", "timeout", "threshold" } },
};

static const struct group_kind *kind_of_group(const char *group)
{
	const struct group_kind *kind = group_kinds;

	while (!g_str_has_prefix(group, kind->head))
		kind++;
	return kind;
}

static const char *name_of_group(const char *group)
{
	return group + strlen(kind_of_group(group)->head);
}

bool ana_rules_is_state(const struct ana_rule *rule)
{
	return g_str_has_prefix(rule->name, ANA_STATE_PREFIX);
}

bool ana_rules_state_is(const char *name, const char *of)
{
	size_t length = strlen(of);

	return g_str_has_prefix(name, of) && (name[length] == '\0' || name[length] == ':');
}

bool ana_rules_is_program(const struct ana_rule *rule)
{
	return ana_rules_is_state(rule) || g_str_has_prefix(rule->name, ANA_PROGRAM_PREFIX);
}

G_GNUC_PRINTF(2, 3) static bool wrong(const struct place *at, const char *format, ...)
{
	va_list args;
	g_autofree char *what = NULL, *where = NULL, *clean = NULL;

	va_start(args, format);
	what = g_strdup_vprintf(format, args);
	va_end(args);
	where = g_strdup_printf("%s: line %u: %s \"%s\"%s%s: %s", at->file, line_of(at),
		kind_of_group(at->rule)->word, name_of_group(at->rule), at->key ? ", " : "",
		at->key ? at->key : "", what);
	clean = base_text_clean(where, -1);
	return base_error_false(at->error, BASE_ERROR_USAGE, "%s", clean);
}

/* ---- life ---- */

static void condition_clear(void *data)
{
	struct ana_rule_condition *c = data;

	g_free(c->field);
	g_free(c->text);
}

static void side_init(struct ana_rule_side *s)
{
	s->conditions = g_array_new(FALSE, TRUE, sizeof(struct ana_rule_condition));
	g_array_set_clear_func(s->conditions, condition_clear);
	s->key = g_ptr_array_new_with_free_func(g_free);
}

static void side_clear(struct ana_rule_side *s)
{
	g_free(s->event);
	g_array_unref(s->conditions);
	g_ptr_array_unref(s->key);
}

static void rule_free(void *data)
{
	struct ana_rule *r = data;

	side_clear(&r->entry);
	side_clear(&r->exit);
	g_free(r->thread);
	g_free(r->label);
	g_free(r->holder);
	g_free(r->waiting);
	g_free(r->name);
	g_free(r);
}

void ana_rules_free(struct ana_rules *rules)
{
	if (!rules)
		return;
	g_ptr_array_unref(rules->rules);
	g_free(rules->file);
	g_free(rules);
}

const struct ana_rule *ana_rules_find(const struct ana_rules *rules, const char *name, GError **error)
{
	g_autoptr(GString) known = g_string_new(NULL);

	for (guint i = 0; i < rules->rules->len; i++) {
		const struct ana_rule *r = g_ptr_array_index(rules->rules, i);

		if (g_str_equal(r->name, name))
			return r;
		g_string_append_printf(known, "%s\"%s\"", i > 0 ? ", " : "", r->name);
	}
	return base_error_null(error, BASE_ERROR_USAGE, "no rule is called \"%s\": the file has %s", name,
		known->str);
}

/* ---- meaning ---- */

static void rules_add_text(GString *to, const char *text)
{
	g_string_append_printf(to, "%zu:%s ", text ? strlen(text) : 0, text ? text : "");
}

static void add_side(GString *to, const struct ana_rule_side *side)
{
	rules_add_text(to, side->event);
	for (guint i = 0; i < side->conditions->len; i++) {
		const struct ana_rule_condition *c = &g_array_index(side->conditions,
			struct ana_rule_condition, i);

		rules_add_text(to, c->field);
		g_string_append_printf(to, "%d ", (int)c->compare);
		rules_add_text(to, c->text);
	}
	g_string_append(to, "key ");
	for (guint i = 0; i < side->key->len; i++)
		rules_add_text(to, g_ptr_array_index(side->key, i));
}

char *ana_rules_meaning(const struct ana_rules *rules, const struct ana_rule *rule)
{
	GString *text = g_string_new(NULL);

	add_side(text, &rule->entry);
	add_side(text, &rule->exit);
	rules_add_text(text, rule->thread);
	rules_add_text(text, rule->label);
	g_string_append_printf(text, "%d %d %d %" PRId64 " %" PRIu64, rule->thread_of_exit, (int)rule->open,
		rule->across, rule->timeout, rules->open_max);
	if (ana_rules_is_state(rule)) {
		g_string_append_printf(text, " %d ", (int)rule->waits);
		rules_add_text(text, rule->holder);
		rules_add_text(text, rule->waiting);
	}
	return g_string_free(text, FALSE);
}

char *ana_rules_all_mean(const struct ana_rules *rules, const struct ana_rules *more)
{
	const struct ana_rules *const both[] = { rules, more };
	GString *text = g_string_new(NULL);

	for (unsigned i = 0; i < G_N_ELEMENTS(both); i++)
		for (guint n = 0; both[i] && n < both[i]->rules->len; n++) {
			const struct ana_rule *rule = g_ptr_array_index(both[i]->rules, n);
			g_autofree char *meaning = ana_rules_meaning(both[i], rule);

			if (!ana_rules_is_program(rule))
				continue;
			rules_add_text(text, rule->name);
			rules_add_text(text, meaning);
		}
	return g_string_free(text, FALSE);
}

/* ---- conditions on an event ---- */

static const struct {
	const char *text;
	enum ana_rule_compare compare;
} compares[] = {
	/* Longer ones first. */
	{ "!=", ANA_RULE_UNLIKE },
	{ ">=", ANA_RULE_AT_LEAST },
	{ "<=", ANA_RULE_AT_MOST },
	{ "=", ANA_RULE_EQUAL },
	{ ">", ANA_RULE_MORE },
	{ "<", ANA_RULE_LESS },
};

/* "42", "-1", "0x1f", "2.5". */
static bool rules_read_number(const char *text, struct trc_value *v)
{
	bool hex = g_ascii_strncasecmp(text, "0x", 2) == 0;
	int64_t below;
	char *end;

	*v = (struct trc_value){ .type = TRC_VALUE_UNSIGNED };
	if (g_ascii_string_to_unsigned(text + (hex ? 2 : 0), hex ? 16 : 10, 0, UINT64_MAX, &v->number, NULL))
		return true;
	v->type = TRC_VALUE_SIGNED;
	if (g_ascii_string_to_signed(text, 10, INT64_MIN, INT64_MAX, &below, NULL)) {
		v->number = (uint64_t)below;
		return true;
	}
	v->type = TRC_VALUE_REAL;
	v->real = g_ascii_strtod(text, &end);
	return end > text && *end == '\0';
}

/* Check that FIELD is the name of a field, or "$cpu" etc. */
static bool check_field(const struct place *at, const char *field)
{
	static const char *const others[] = { "$cpu", "$tid", "$pid", "$host", "$mark", "$mark_name",
		"$mark_key", "$mark_owner", "$mark_id", NULL };

	if (!*field)
		return wrong(at,
			"a field has no name: write \"FIELD\" or \"FIELD = FIELD\", with commas between");
	return *field != '$' || g_strv_contains(others, field) ||
		wrong(at,
			"\"%s\" is not known: use the name of a field, $cpu, $tid, $pid, $host, $mark, $mark_name or $mark_key",
			field);
}

/* "nr_sector>8" */
static bool add_condition(const struct place *at, struct ana_rule_side *side, char *text)
{
	struct ana_rule_condition c = { 0 };
	char *sign = strpbrk(text, "=!<>");
	size_t i = 0;

	while (sign && i < G_N_ELEMENTS(compares) && !g_str_has_prefix(sign, compares[i].text))
		i++;
	if (!sign || i == G_N_ELEMENTS(compares))
		return wrong(at, "\"%s\" is not a condition: write FIELD=VALUE, or with != < > <= >=",
			g_strstrip(text));
	c.compare = compares[i].compare;
	c.field = g_strstrip(g_strndup(text, (gsize)(sign - text)));
	c.text = g_strstrip(g_strdup(sign + strlen(compares[i].text)));
	c.is_pattern = strpbrk(c.text, "*?");
	c.is_number = rules_read_number(c.text, &c.number);
	g_array_append_val(side->conditions, c);
	if (!check_field(at, c.field))
		return false;
	return c.is_number || c.compare == ANA_RULE_EQUAL || c.compare == ANA_RULE_UNLIKE ||
		wrong(at, "\"%s\" is not a number: < and > compare numbers", c.text);
}

/* "block_rq_issue[rwbs=W*,nr_sector>8]" */
static bool read_side(const struct place *at, struct ana_rule_side *side, const char *value)
{
	const char *open = value ? strchr(value, '[') : NULL;
	size_t length;
	g_auto(GStrv) parts = NULL;
	bool fine = true;

	if (!value)
		return wrong(at, "missing: write %s = EVENT", at->key);
	length = strlen(value);
	side->event = g_strstrip(g_strndup(value, open ? (gsize)(open - value) : length));
	if (!*side->event || strpbrk(side->event, "] \t,="))
		return wrong(at, "\"%s\" names no event: write EVENT or EVENT[FIELD=VALUE,...]", value);
	if (!open)
		return true;
	if (value[length - 1] != ']')
		return wrong(at, "a \"]\" is missing at the end");
	value = open + 1;
	parts = g_strsplit(value, ",", -1);
	for (unsigned i = 0; fine && parts[i]; i++) {
		if (!parts[i + 1])
			parts[i][strlen(parts[i]) - 1] = '\0'; /* the "]" */
		fine = add_condition(at, side, parts[i]);
	}
	return fine;
}

/* ---- the other values ---- */

static bool read_key(const struct place *at, struct ana_rule *rule, const char *value)
{
	g_auto(GStrv) parts = g_strsplit(value ? value : "", ",", -1);
	bool fine = true;

	for (unsigned i = 0; fine && parts[i]; i++) {
		g_auto(GStrv) names = g_strsplit(parts[i], "=", -1);
		unsigned n = g_strv_length(names);

		fine = n <= 2 ||
			wrong(at, "\"%s\" has more than two fields: those of entry and exit", parts[i]);
		for (unsigned side = 0; fine && side < 2; side++) {
			char *name = g_strstrip(g_strdup(n > 0 ? names[MIN(side, n - 1)] : ""));

			g_ptr_array_add(side ? rule->exit.key : rule->entry.key, name);
			fine = check_field(at, name);
		}
	}
	return fine;
}

/* "entry", "exit", "FIELD", "entry.FIELD", "exit.FIELD" */
static bool read_thread(const struct place *at, struct ana_rule *rule, const char *value)
{
	const char *field = value;

	if (!value)
		return true;
	if (g_str_has_prefix(value, "exit") && strchr(".", value[4])) {
		rule->thread_of_exit = true;
		field = value + 4;
	} else if (g_str_has_prefix(value, "entry") && strchr(".", value[5])) {
		field = value + 5;
	}
	if (!*field && field > value)
		return true;
	rule->thread = g_strdup(*field == '.' ? field + 1 : field);
	return (*rule->thread != '$' && *rule->thread) ||
		wrong(at, "\"%s\" names no thread: write entry, exit, entry.FIELD or exit.FIELD", value);
}

static bool read_open(const struct place *at, struct ana_rule *rule, const char *value)
{
	static const char *const names[] = { "newest", "oldest", "all", "queue", "stack" };

	for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
		if (value && !g_str_equal(value, names[i]))
			continue;
		rule->open = i;
		return true;
	}
	return wrong(at, "\"%s\" is not known: use newest, oldest, all, queue or stack", value);
}

/* ---- a state ---- */

/* "FIELD", "text" in quotes or without. */
static bool read_state_value(const struct place *at, struct ana_rule *rule, const char *value)
{
	size_t length = value ? strlen(value) : 0;
	bool quoted = length > 1 && *value == '"' && value[length - 1] == '"';

	if (length == 0)
		return !value || wrong(at, "empty: write a FIELD of the event, or a text");
	/* No field has a name with a quote. */
	rule->label = g_strdup(value);
	return quoted || check_field(at, value);
}

/* "waiting", "waiting for peers", "waiting for STATE", each with " if VALUE" behind it. */
static bool read_is(const struct place *at, struct ana_rule *rule, const char *value)
{
	g_auto(GStrv) words = value ? g_regex_split_simple("[ \t]+", value, 0, 0) : NULL;
	unsigned n = words ? g_strv_length(words) : 0, i = 1;

	if (!value)
		return true;
	rule->waits = ANA_RULE_WAITS;
	if (n > 2 && g_str_equal(words[1], "for") && !g_str_equal(words[2], "if")) {
		bool peers = g_ascii_strcasecmp(words[2], "peers") == 0;

		rule->waits = peers ? ANA_RULE_FOR_PEERS : ANA_RULE_FOR_HOLDER;
		rule->holder = peers ? NULL : g_strdup(words[2]);
		i = 3;
	}
	if (n == i + 2 && g_str_equal(words[i], "if")) {
		rule->waiting = g_strdup(words[i + 1]);
		i += 2;
	}
	return (n == i && g_str_equal(words[0], "waiting")) ||
		wrong(at,
			"\"%s\" is unknown: use waiting, waiting for peers, or waiting for STATE, optionally followed by if VALUE",
			value);
}

/* A thread has one such state at a time for each key, so the thread becomes the last field of the key. */
static bool finish_state(struct place *at, struct ana_rule *rule)
{
	const char *thread = rule->thread ? rule->thread : "$tid";

	rule->open = ANA_RULE_NEXT;
	at->key = "thread";
	if (rule->thread_of_exit)
		return wrong(at, "a state belongs to the thread that enters it: name a FIELD of enter");
	g_ptr_array_add(rule->entry.key, g_strdup(thread));
	g_ptr_array_add(rule->exit.key, g_strdup(thread));
	return true;
}

/* Check that the file declares the state that RULE waits for. */
static bool check_holder(const char *file, const char *text, const struct ana_rules *rules,
	const struct ana_rule *rule, GError **error)
{
	g_autofree char *group = g_strconcat("state ", rule->name + strlen(ANA_STATE_PREFIX), NULL);
	const struct place at = { file, text, group, "is", error };
	g_autoptr(GString) known = g_string_new(NULL);

	for (guint i = 0; i < rules->rules->len; i++) {
		const struct ana_rule *r = g_ptr_array_index(rules->rules, i);

		if (!ana_rules_is_state(r) || r == rule)
			continue;
		if (ana_rules_state_is(r->name + strlen(ANA_STATE_PREFIX), rule->holder))
			return true;
		g_string_append_printf(known, "%s\"%s\"", known->len ? ", " : "",
			r->name + strlen(ANA_STATE_PREFIX));
	}
	return wrong(&at,
		"no other state is called \"%s\": write peers, or the name of a group [state NAME]%s%s",
		rule->holder, known->len ? "; there are " : "", known->str);
}

/* ---- a rule ---- */

static bool read_value(struct place *at, struct ana_rule *r, const char *key, const char *value)
{
	int64_t *duration;

	at->key = key;
	if (g_str_equal(key, "entry") || g_str_equal(key, "begin") || g_str_equal(key, "enter"))
		return read_side(at, &r->entry, value);
	if (g_str_equal(key, "leave") && !value) /* the next entry ends it */
		return true;
	if (g_str_equal(key, "exit") || g_str_equal(key, "end") || g_str_equal(key, "leave"))
		return read_side(at, &r->exit, value);
	if (g_str_equal(key, "value"))
		return read_state_value(at, r, value);
	if (g_str_equal(key, "is"))
		return read_is(at, r, value);
	if (g_str_equal(key, "name")) {
		r->label = g_strdup(value);
		return !value || check_field(at, value);
	}
	if (g_str_equal(key, "key"))
		return !value || read_key(at, r, value);
	if (g_str_equal(key, "thread"))
		return read_thread(at, r, value);
	if (g_str_equal(key, "open"))
		return read_open(at, r, value);
	if (g_str_equal(key, "hosts")) {
		r->across = value && g_str_equal(value, "any");
		return !value || r->across || g_str_equal(value, "one") ||
			wrong(at, "\"%s\" is not known: use one (entry and exit on one host) or any", value);
	}
	duration = g_str_equal(key, "timeout") ? &r->timeout : &r->threshold;
	return !value || (base_time_parse_duration(value, duration, NULL) && *duration > 0) ||
		wrong(at, "\"%s\" is not a duration: write a number with ns, us, ms or s, such as 2.5ms",
			value);
}

static bool check_keys(struct place *at, GKeyFile *from)
{
	g_auto(GStrv) there = g_key_file_get_keys(from, at->rule, NULL, NULL);
	const struct group_kind *kind = kind_of_group(at->rule);
	bool fine = true;

	for (unsigned i = 0; fine && there[i]; i++)
		if (!g_strv_contains(kind->keys, there[i])) {
			g_autofree char *all = g_strjoinv(", ", (char **)(uintptr_t)kind->keys);

			at->key = there[i];
			fine = wrong(at, "not known: a %s has %s", kind->word, all);
		}
	return fine;
}

static bool read_rule(struct place *at, GKeyFile *from, struct ana_rule *rule)
{
	const struct group_kind *kind = kind_of_group(at->rule);
	g_autofree char *name = base_text_clean(name_of_group(at->rule), -1);
	bool fine;

	side_init(&rule->entry);
	side_init(&rule->exit);
	rule->line = line_of(at);
	rule->name = g_strconcat(kind->prefix, *kind->prefix ? g_strstrip(name) : name, NULL);
	fine = check_keys(at, from);
	for (unsigned i = 0; fine && kind->keys[i]; i++) {
		g_autofree char *value = g_key_file_get_value(from, at->rule, kind->keys[i], NULL);

		fine = read_value(at, rule, kind->keys[i], value ? g_strstrip(value) : NULL);
	}
	return fine && (!ana_rules_is_state(rule) || finish_state(at, rule));
}

/* ---- the file ---- */

/* Find two rules of one name, which GKeyFile merges.  *LINE: of the second; false: there are none. */
static bool find_twice(const char *text, unsigned *line, char **name)
{
	g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
	bool found = false;

	for (unsigned i = 0; !found && lines[i]; i++) {
		found = *g_strstrip(lines[i]) == '[' && !g_hash_table_add(seen, lines[i]);
		*line = i + 1;
		*name = found ? g_strdup(lines[i]) : NULL;
	}
	return found;
}

static bool check_text(const char *file, const char *text, gsize length, GError **error)
{
	unsigned line;
	g_autofree char *name = NULL;

	if (!g_utf8_validate(text, (gssize)length, NULL))
		return base_error_false(error, BASE_ERROR_USAGE, "%s: not UTF-8 text", file);
	if (!find_twice(text, &line, &name))
		return true;
	g_set_error(error, BASE_ERROR, BASE_ERROR_USAGE,
		"%s: line %u: %s is defined twice: give each rule its own name", file, line, name);
	return false;
}

/* The line of TEXT that GKeyFile rejects: its messages have no line numbers. */
static unsigned odd_line(const char *text)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
	unsigned i = 0;
	bool within = false;

	for (; lines[i]; i++) {
		const char *line = g_strstrip(lines[i]);

		if (!*line || *line == '#')
			continue;
		if (*line == '[' ? !g_str_has_suffix(line, "]")
				 : !within || !strchr(line, '=') || *line == '=')
			break;
		within = true;
	}
	return i + 1;
}

static bool rules_read_all(const char *file, const char *text, GKeyFile *from, struct ana_rules *rules,
	GError **error)
{
	g_auto(GStrv) names = g_key_file_get_groups(from, NULL);
	bool fine = names[0];

	if (!fine)
		g_set_error(error, BASE_ERROR, BASE_ERROR_USAGE,
			"%s: no rules: write a line [name], and below it entry = EVENT and exit = EVENT",
			file);
	for (unsigned i = 0; fine && names[i]; i++) {
		struct place at = { .file = file, .text = text, .rule = names[i], .error = error };
		struct ana_rule *rule = g_new0(struct ana_rule, 1);

		g_ptr_array_add(rules->rules, rule);
		fine = read_rule(&at, from, rule);
	}
	for (guint i = 0; fine && i < rules->rules->len; i++) {
		const struct ana_rule *rule = g_ptr_array_index(rules->rules, i);

		fine = !rule->holder || check_holder(file, text, rules, rule, error);
	}
	return fine;
}

struct ana_rules *ana_rules_parse(const char *file, const char *text, gsize length, GError **error)
{
	g_autoptr(GKeyFile) from = g_key_file_new();
	struct ana_rules *rules = g_new0(struct ana_rules, 1);
	g_autoptr(GError) why = NULL;
	bool fine = check_text(file, text, length, error);

	rules->file = g_strdup(file);
	rules->open_max = ANA_RULES_OPEN_MAX;
	rules->rules = g_ptr_array_new_with_free_func(rule_free);
	if (fine && length > 0 && !g_key_file_load_from_data(from, text, length, G_KEY_FILE_NONE, &why)) {
		g_autofree char *clean = base_text_clean(why->message, -1);

		g_set_error(error, BASE_ERROR, BASE_ERROR_USAGE,
			"%s: line %u: %s; write [name] and lines KEY = VALUE", file, odd_line(text), clean);
		fine = false;
	}
	if (!fine || !rules_read_all(file, text, from, rules, error))
		g_clear_pointer(&rules, ana_rules_free);
	return rules;
}

struct ana_rules *ana_rules_read(const char *file, GError **error)
{
	g_autofree char *text = base_file_text(file, &kind_of_file, error);

	return text ? ana_rules_parse(file, text, strlen(text), error) : NULL;
}
