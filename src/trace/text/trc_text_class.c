/* SPDX-License-Identifier: MIT */
/*
 * How it works: events of one name form a class. It has their subsystem (only perf prints it), the forms of
 * their fields, and the place of each field in the model's event, by src/model/event/table.c.
 */
#include "trace/text/trc_text.h"

#include "model/kernel/exit.h"
#include "model/event/table.h"

#include <string.h>

#define CLASS_COST 1536 /* bytes of memory, about */
#define NAME_MAX_ 255   /* bytes of a name; a longer one is cut */
#define FORMS_MAX 4
#define TEXT_END (64 * 1024) /* bytes of printed fields */

typedef struct trc_text_part part;
typedef struct trc_text_field field;

/* The ways in which a line names its event. */
enum way {
	WAY_NAME,
	WAY_CALL,    /* "sys_read(fd: 3, …)": print_syscall_enter(), kernel/trace/trace_syscalls.c */
	WAY_RETURN,  /* "sys_read -> 0x1": print_syscall_exit() */
	WAY_FUNCTION /* "schedule <-worker_thread" */
};

struct key {
	part event;
	enum way way;
};

/* Fields for arguments and texts, by their index; -1: none. */
struct slots {
	int8_t args[MDL_ARGS], texts[MDL_TEXTS];
};

struct trc_text_class {
	struct key key; /* its text is owned */
	char *name;     /* owned, hostile */
	struct mdl_mapping mapping;
	bool is_part, is_stack, names_functions;
	unsigned n_forms;
	const char *const *forms; /* weak */
	struct slots slots[FORMS_MAX];
	int8_t aim[FORMS_MAX]; /* the field with the CPU on which a thread will run; -1: none */
};

struct trc_text_classes {
	GHashTable *all; /* owned: struct key * → struct trc_text_class *, owned */
	struct trc_budget *budget;
};

/* ---- names ---- */

/* PREFIX: names that begin with NAME; else NAME itself. */
static const struct {
	const char *name, *system;
	bool prefix;
} systems[] = {
	{ "sched_", "sched", true },
	{ "softirq_noise", "osnoise", false },
	{ "irq_noise", "osnoise", false },
	{ "thread_noise", "osnoise", false },
	{ "nmi_noise", "osnoise", false },
	{ "irq_handler_", "irq", true },
	{ "softirq_", "irq", true },
	{ "tasklet_", "irq", true },
	{ "hrtimer_", "timer", true },
	{ "timer_", "timer", true },
	{ "itimer_", "timer", true },
	{ "tick_stop", "timer", false },
	{ "workqueue_", "workqueue", true },
	{ "block_", "block", true },
	{ "signal_", "signal", true },
	{ "net_dev_", "net", true },
	{ "netif_", "net", true },
	{ "napi_gro_", "net", true },
	{ "napi_poll", "napi", false },
	{ "kvm_", "kvm", true },
	{ "vgic_update_irq_pending", "kvm", false },
	{ "ipi_", "ipi", true },
	{ "csd_", "csd", true },
	{ "cgroup_", "cgroup", true },
	{ "task_newtask", "task", false },
	{ "task_rename", "task", false },
	{ "sys_enter", "raw_syscalls", false },
	{ "sys_exit", "raw_syscalls", false },
	{ "sys_enter_", "syscalls", true },
	{ "sys_exit_", "syscalls", true },
	{ "local_timer_", "irq_vectors", true },
	{ "reschedule_", "irq_vectors", true },
	{ "call_function_", "irq_vectors", true },
	{ "irq_work_", "irq_vectors", true },
	{ "x86_platform_ipi_", "irq_vectors", true },
	{ "spurious_apic_", "irq_vectors", true },
	{ "error_apic_", "irq_vectors", true },
	{ "threshold_apic_", "irq_vectors", true },
	{ "deferred_error_apic_", "irq_vectors", true },
	{ "thermal_apic_", "irq_vectors", true },
	{ "vector_", "irq_vectors", true },
	{ "suspend_resume", "power", false },
	{ "cpuhp_", "cpuhp", true },
	{ "cpu_idle", "power", false },
	{ "cpu_frequency", "power", false },
	{ "kfree_skb", "skb", false },
	{ "consume_skb", "skb", false },
	{ "print", "ftrace", false },
	{ "bprint", "ftrace", false },
	{ "bputs", "ftrace", false },
	{ "function", "ftrace", false },
	{ "kernel_stack", "ftrace", false },
	{ "user_stack", "ftrace", false },
	{ "context_switch", "ftrace", false },
};

/* Words that tracefs prints instead of a name. */
static const struct {
	const char *text, *name;
} aliases[] = { { "tracing_mark_write", "ftrace:print" }, { "<stack trace>", "ftrace:kernel_stack" },
	{ "<stack trace >", "ftrace:kernel_stack" }, { "<user stack trace>", "ftrace:user_stack" } };

static enum way way_of(const struct trc_text_line *line)
{
	if (trc_text_begins(line->event, "sys_") && trc_text_begins(line->fields, "("))
		return WAY_CALL;
	if (trc_text_begins(line->event, "sys_") && trc_text_begins(line->fields, "-> "))
		return WAY_RETURN;
	return trc_text_begins(line->fields, "<-") ? WAY_FUNCTION : WAY_NAME;
}

/* Return the full name of the events KEY; the caller frees it. */
static char *full_name(const struct key *key)
{
	g_autofree char *name = g_strndup(key->event.at, key->event.n);

	switch (key->way) {
	case WAY_CALL: return g_strconcat("syscalls:sys_enter_", name + strlen("sys_"), NULL);
	case WAY_RETURN: return g_strconcat("syscalls:sys_exit_", name + strlen("sys_"), NULL);
	case WAY_FUNCTION: return g_strdup("ftrace:function");
	case WAY_NAME: break;
	}
	for (size_t i = 0; i < G_N_ELEMENTS(aliases); i++)
		if (g_str_equal(name, aliases[i].text))
			return g_strdup(aliases[i].name);
	for (size_t i = 0; i < G_N_ELEMENTS(systems) && !strchr(name, ':'); i++)
		if (systems[i].prefix ? g_str_has_prefix(name, systems[i].name)
				      : g_str_equal(name, systems[i].name))
			return g_strconcat(systems[i].system, ":", name, NULL);
	return g_steal_pointer(&name);
}

/* ---- making ---- */

/* Return the index of the field NAME of FORM; -1: none. */
static int8_t field_of(const char *form, const char *name, size_t length)
{
	int8_t n = 0;

	for (const char *p = strchr(form, '{'); p; p = strchr(p + 1, '{'), n++)
		if (strncmp(p + 1, name, length) == 0 && (p[length + 1] == '}' || p[length + 1] == ':'))
			return n;
	return -1;
}

/* Return the index of the first field in LIST (alternatives) that FORM has; -1: none. */
static int8_t field_of_list(const char *form, const char *list)
{
	int8_t found = -1;

	for (const char *bar; list && found < 0; list = bar ? bar + 1 : NULL) {
		bar = strchr(list, '|');
		found = field_of(form, list, bar ? (size_t)(bar - list) : strlen(list));
	}
	return found;
}

static void add_forms(struct trc_text_class *c, const char *event)
{
	c->forms = trc_text_forms(event, &c->n_forms);
	for (unsigned i = 0; i < c->n_forms; i++) {
		for (unsigned k = 0; k < MDL_ARGS; k++)
			c->slots[i].args[k] = field_of_list(c->forms[i], c->mapping.arg_fields[k]);
		for (unsigned k = 0; k < MDL_TEXTS; k++)
			c->slots[i].texts[k] = field_of_list(c->forms[i], c->mapping.text_fields[k]);
		c->aim[i] = c->mapping.kind == MDL_EV_SCHED_WAKEUP ||
				c->mapping.kind == MDL_EV_SCHED_WAKEUP_NEW
			? field_of(c->forms[i], "target_cpu", strlen("target_cpu"))
			: c->mapping.kind == MDL_EV_SCHED_MIGRATE
			? field_of(c->forms[i], "dest_cpu", strlen("dest_cpu"))
			: -1;
		c->names_functions |= !!strstr(c->forms[i], ":f}");
	}
}

static struct trc_text_class *class_new(const struct key *key)
{
	struct trc_text_class *c = g_new0(struct trc_text_class, 1);
	const char *colon;

	c->key = *key;
	c->key.event.at = g_strndup(key->event.at, key->event.n); /* trc_text_line.c lets no 0 byte into it */
	c->name = full_name(key);
	colon = strchr(c->name, ':');
	/* Without a subsystem the tracepoint is unknown. It must not match LTTng's names. */
	if (colon)
		mdl_table_find(c->name, &c->mapping);
	c->is_part = mdl_table_is_part(c->name);
	c->is_stack = g_str_equal(c->name, "ftrace:kernel_stack") ||
		g_str_equal(c->name, "ftrace:user_stack");
	if (key->way == WAY_NAME)
		add_forms(c,
			trc_text_is(key->event, "tracing_mark_write") || !colon ? c->key.event.at
										: colon + 1);
	return c;
}

static void class_free(void *data)
{
	struct trc_text_class *c = data;

	g_free((char *)(uintptr_t)c->key.event.at);
	g_free(c->name);
	g_free(c);
}

static guint key_hash(const void *data)
{
	const struct key *key = data;
	guint hash = 5381 + key->way;

	for (size_t i = 0; i < key->event.n; i++)
		hash = hash * 33 + (unsigned char)key->event.at[i];
	return hash;
}

static gboolean key_equal(const void *a, const void *b)
{
	const struct key *x = a, *y = b;

	return x->way == y->way && x->event.n == y->event.n &&
		memcmp(x->event.at, y->event.at, x->event.n) == 0;
}

struct trc_text_classes *trc_text_classes_new(struct trc_budget *budget)
{
	struct trc_text_classes *c = g_new(struct trc_text_classes, 1);

	*c = (struct trc_text_classes){ g_hash_table_new_full(key_hash, key_equal, NULL, class_free),
		budget };
	return c;
}

void trc_text_classes_free(struct trc_text_classes *c)
{
	if (c)
		g_hash_table_unref(c->all);
	g_free(c);
}

const struct trc_text_class *trc_text_classes_get(struct trc_text_classes *c,
	const struct trc_text_line *line)
{
	struct key key = { line->event, way_of(line) };
	struct trc_text_class *class;

	if (key.way == WAY_FUNCTION)
		key.event.n = 0;
	key.event.n = MIN(key.event.n, NAME_MAX_);
	class = g_hash_table_lookup(c->all, &key);
	if (class ||
		!trc_budget_spend(c->budget, CLASS_COST,
			"it has more names of events than its size has room for"))
		return class;
	class = class_new(&key);
	g_hash_table_insert(c->all, &class->key, class);
	return class;
}

void trc_text_classes_each(const struct trc_text_classes *c, void (*take)(void *data, const char *name),
	void *data)
{
	GHashTableIter iter;
	gpointer class;

	g_hash_table_iter_init(&iter, c->all);
	while (g_hash_table_iter_next(&iter, NULL, &class))
		take(data, ((const struct trc_text_class *)class)->name);
}

const char *trc_text_class_name(const struct trc_text_class *c)
{
	return c->name;
}

enum mdl_kind trc_text_class_kind(const struct trc_text_class *c)
{
	return c->mapping.kind;
}

bool trc_text_class_is_part(const struct trc_text_class *c)
{
	return c->is_part;
}

bool trc_text_class_is_stack(const struct trc_text_class *c)
{
	return c->is_stack;
}

/* ---- a line ---- */

/* Read the fields of LINE, of C, into FIELDS. Returns their number. *FORM: its form; C->n_forms: none
 * fits. */
static int read_fields(const struct trc_text_class *c, const struct trc_text_line *line, field *fields,
	unsigned *form)
{
	int n = -1;

	for (*form = 0; *form < c->n_forms; ++*form) {
		n = trc_text_form_read(c->forms[*form], line->fields, fields);
		if (n >= 0)
			return n;
	}
	if (c->key.way == WAY_RETURN) {
		fields[0] = (field){ { "ret", 3 }, { line->fields.at + 3, line->fields.n - 3 },
			TRC_TEXT_WORDS };
		return 1;
	}
	return trc_text_form_guess(line->fields, c->key.way == WAY_CALL ? 16 : 10, fields);
}

/* Return the index of the first alternative of LIST among the N FIELDS; -1: none. */
static int guess_slot(const char *list, const field *fields, int n)
{
	for (const char *bar; list; list = bar ? bar + 1 : NULL) {
		size_t length;

		bar = strchr(list, '|');
		length = bar ? (size_t)(bar - list) : strlen(list);
		for (int i = 0; i < n; i++)
			if (fields[i].name.n == length && memcmp(fields[i].name.at, list, length) == 0)
				return i;
	}
	return -1;
}

static void set_exit(struct mdl_event *event, part name)
{
	g_autofree char *text = g_strndup(name.at, name.n);

	mdl_exit_find(text, &event->arg[MDL_VCPU_REASON], &event->arg[MDL_VCPU_ISA]);
}

/* Fill in arguments of EVENT from the line's head, or from two fields together. */
static void complete(struct mdl_event *event, const struct trc_text_class *c,
	const struct trc_text_line *line, const field *fields, int n)
{
	int i;

	for (unsigned k = 0; k < MDL_ARGS; k++) {
		if (event->arg[k] == MDL_ARG_ABSENT &&
			mdl_table_field_is(c->mapping.arg_fields[k], "common_pid") && line->tid >= 0)
			event->arg[k] = line->tid;
		if (mdl_table_field_is(c->mapping.arg_fields[k], "perf_pid") && line->pid >= 0)
			event->arg[k] = line->pid;
	}
	switch (event->kind) {
	case MDL_EV_SCHED_SWITCH:
		i = guess_slot("prev_state", fields, n);
		if (i >= 0 && fields[i].value.n > 0 && g_ascii_isdigit(*fields[i].value.at)) /* report -R */
			event->arg[MDL_SWITCH_PREV_STATE] = trc_text_number(fields[i].value, 10);
		else if (event->arg[MDL_SWITCH_PREV_STATE] != MDL_ARG_ABSENT)
			event->told |= MDL_TOLD_STATE;
		break;
	case MDL_EV_TIMER_START:
		i = guess_slot("cpu", fields, n);
		if (i >= 0 && event->arg[MDL_TIMER_FLAGS] != MDL_ARG_ABSENT)
			event->arg[MDL_TIMER_FLAGS] |= trc_text_number(fields[i].value, 10) & 0x3ffff;
		break;
	case MDL_EV_VCPU_EXIT:
		i = guess_slot("exit_reason", fields, n);
		if (i >= 0 && fields[i].type == TRC_TEXT_EXIT)
			set_exit(event, fields[i].value);
		break;
	default: break;
	}
}

void trc_text_class_read(const struct trc_text_class *c, const struct trc_text_ways *ways,
	struct trc_queue *q, struct mdl_event *event, const struct trc_text_line *line)
{
	field fields[TRC_TEXT_FIELDS_MAX];
	unsigned form;
	int n;

	if (c->mapping.kind == MDL_EV_NONE)
		return;
	mdl_event_begin(event, c->mapping.kind, c->mapping.label);
	event->told = line->told;
	n = read_fields(c, line, fields, &form);
	for (unsigned k = 0; k < MDL_ARGS; k++) {
		int i = form < c->n_forms ? c->slots[form].args[k]
					  : guess_slot(c->mapping.arg_fields[k], fields, n);

		if (i >= 0)
			event->arg[k] = trc_text_value(fields, &fields[i], ways);
	}
	for (unsigned k = 0; k < MDL_TEXTS; k++) {
		int i = form < c->n_forms ? c->slots[form].texts[k]
					  : guess_slot(c->mapping.text_fields[k], fields, n);

		if (i >= 0)
			event->text[k] = trc_queue_text(q, fields[i].value.at, fields[i].value.n);
	}
	complete(event, c, line, fields, n);
}

uint32_t trc_text_class_aim(const struct trc_text_class *c, const struct trc_text_line *line)
{
	field fields[TRC_TEXT_FIELDS_MAX];
	unsigned form;
	int64_t cpu;

	if (c->n_forms == 0 || (c->aim[0] < 0 && c->mapping.kind != MDL_EV_SCHED_MIGRATE))
		return UINT32_MAX;
	read_fields(c, line, fields, &form);
	if (form == c->n_forms || c->aim[form] < 0)
		return UINT32_MAX;
	cpu = trc_text_number(fields[c->aim[form]].value, 10);
	return cpu >= 0 && cpu < TRC_CPUS_MAX ? (uint32_t)cpu : UINT32_MAX;
}

void trc_text_class_symbols(const struct trc_text_class *c, const struct trc_text_line *line,
	void (*take)(void *data, part name), void *data)
{
	field fields[TRC_TEXT_FIELDS_MAX];
	unsigned form;
	int n;

	if (!c->names_functions)
		return;
	n = read_fields(c, line, fields, &form);
	for (int i = 0; i < n; i++)
		if (fields[i].type == TRC_TEXT_SYMBOL && !trc_text_begins(fields[i].value, "0x"))
			take(data, trc_text_symbol(fields[i].value));
}

/* ---- fields as text ---- */

static void append_value(const field *fields, const field *f, GString *to, gsize end,
	const struct trc_taker *taker)
{
	static const struct trc_text_ways none = { .tool = TRC_TEXT_KERNEL };
	g_autofree char *name = g_strndup(f->name.at, f->name.n);
	struct trc_value value = { .type = TRC_VALUE_TEXT, .text = f->value.at, .length = f->value.n };
	int64_t number = MDL_ARG_ABSENT;

	if (f->type == TRC_TEXT_NUMBER || f->type == TRC_TEXT_HEX || f->type == TRC_TEXT_DEV ||
		f->type == TRC_TEXT_AGO)
		number = trc_text_value(fields, f, &none);
	g_string_append_printf(to, "%s = ", name);
	if (number != MDL_ARG_ABSENT) {
		bool minus = f->value.n > 0 && *f->value.at == '-' && f->type == TRC_TEXT_NUMBER;
		bool hex = f->type == TRC_TEXT_HEX ||
			(f->type == TRC_TEXT_NUMBER && trc_text_begins(f->value, "0x"));

		value = (struct trc_value){ .type = minus ? TRC_VALUE_SIGNED : TRC_VALUE_UNSIGNED,
			.number = (uint64_t)number };
		trc_text_value_integer(to, minus, 64, hex ? 16 : 10, value.number);
	} else {
		trc_text_value_string(to, value.text, value.length, end);
		value.length = strnlen(value.text, value.length);
	}
	if (taker)
		taker->take(taker->data, name, &value);
}

void trc_text_class_fields(const struct trc_text_class *c, const struct trc_text_line *line, GString *to,
	const struct trc_taker *taker)
{
	field fields[TRC_TEXT_FIELDS_MAX];
	unsigned form;
	int n = read_fields(c, line, fields, &form);
	gsize end = to->len + TEXT_END;

	if (line->tid >= 0) {
		struct trc_value value = { .type = TRC_VALUE_SIGNED, .number = (uint64_t)line->tid };

		g_string_append_printf(to, "{ common_pid = %d }, ", line->tid);
		if (taker)
			taker->take(taker->data, "common_pid", &value);
	}
	g_string_append(to, "{ ");
	for (int i = 0; i < n && to->len < end; i++) {
		g_string_append(to, i ? ", " : "");
		append_value(fields, &fields[i], to, end, taker);
	}
	g_string_append(to, n ? " }" : "}");
}
