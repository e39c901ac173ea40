/* SPDX-License-Identifier: MIT */
/*
 * How it works: a stack is an array of addresses, the innermost first. All addresses of LTTng and ftrace are
 * return addresses, which point behind the call. So the name is looked up one byte before the address, as
 * sprint_backtrace() does (kernel/kallsyms.c). In perf's stacks the first address is the sampled instruction
 * itself.
 *
 * LTTng ends a stack of more than 128 calls with ULONG_MAX (lttng-context-callstack-stackwalk-impl.h). perf
 * has marks among the addresses: the addresses behind PERF_CONTEXT_USER are the program's
 * (include/uapi/linux/perf_event.h). A program's address is never looked up among the kernel's: on s390 both
 * have equal addresses.
 *
 * The outer calls of a stack that was recorded in an interrupt are those of the interrupted thread. The names
 * of the entries show where the interrupt begins: asm_common_interrupt, asm_sysvec_* (x86 since 5.8,
 * arch/x86/include/asm/idtentry.h; before that the names in entry_64.S), el1h_64_irq and similar names
 * (arm64, arch/arm64/kernel/entry.S), __irq_svc, __irq_usr (arm).
 */
#include "analysis/stacks/frames.h"

#include "query/symbols/symbols.h"

#include <inttypes.h>
#include <string.h>

#define MARKS_FROM \
	UINT64_C(0xfffffffffffff000)           /* PERF_CONTEXT_MAX: all above are marks, not addresses \
						*/
#define PERF_USER UINT64_C(0xfffffffffffffe00) /* PERF_CONTEXT_USER */

#define DEPTH_MAX 512 /* calls; a trace may be hostile */
#define TEXTS_MAX (1 << 20)

/* In order from the inner end of a stack to the outer end. */
enum origin { ORIGIN_KERNEL, ORIGIN_FTRACE, ORIGIN_PERF, ORIGIN_USER };

struct call {
	uint64_t address;
	enum origin origin;
	bool exact; /* ADDRESS is the instruction itself, not the address that a call returns to */
};

/* Counts of a host. READ: events; NAMED: stacks of LTTng with names; FITTING: those of them that end in
 * LTTng. PLACE: an event had a field for a stack. */
struct met {
	uint64_t read, named, fitting;
	bool place;
};

struct ana_frames {
	struct qry *q;     /* weak */
	GHashTable *texts; /* weak */
	GArray *calls;     /* of struct call: of the event last read, the innermost first */
	struct met *met;   /* by host */
	bool kernel_only, met_programs;
	const struct qry_maps *maps;   /* weak; NULL: none */
	const struct qry_event *event; /* the event whose stack is read */
};

struct ana_frames *ana_frames_new(struct qry *q, GHashTable *texts, bool kernel_only)
{
	struct ana_frames *f = g_new(struct ana_frames, 1);

	*f = (struct ana_frames){ .q = q,
		.texts = texts,
		.kernel_only = kernel_only,
		.calls = g_array_new(FALSE, FALSE, sizeof(struct call)),
		.met = g_new0(struct met, qry_host_count(q)) };
	return f;
}

void ana_frames_free(struct ana_frames *f)
{
	if (!f)
		return;
	g_array_unref(f->calls);
	g_free(f->met);
	g_free(f);
}

/* ---- addresses ---- */

static void add_call(struct ana_frames *f, struct call call, bool *user)
{
	bool delimiter = call.address == UINT64_MAX || call.address == UINT32_MAX; /* ULONG_MAX */

	if (call.origin == ORIGIN_PERF && call.address >= MARKS_FROM) {
		*user = call.address == PERF_USER;
		return;
	}
	if (*user)
		call.origin = ORIGIN_USER;
	if (call.origin == ORIGIN_USER && f->kernel_only)
		return;
	f->met_programs |= call.origin == ORIGIN_USER && !delimiter;
	if (delimiter)
		call.address = UINT64_MAX;
	if (f->calls->len >= DEPTH_MAX)
		g_array_index(f->calls, struct call, f->calls->len - 1).address = UINT64_MAX;
	else if (call.address != 0 && (delimiter || call.address < MARKS_FROM))
		g_array_append_val(f->calls, call);
}

/* "[ [0] = 0xFFFFFFFF81000000, [1] = ... ]". */
static void take_field(void *data, const char *name, const struct trc_value *value)
{
	static const struct {
		const char *name;
		enum origin origin;
	} fields[] = { { "callstack_kernel", ORIGIN_KERNEL }, { "callstack_user", ORIGIN_USER },
		{ "kernel_stack", ORIGIN_FTRACE }, { "user_stack", ORIGIN_USER },
		{ "perf_callchain", ORIGIN_PERF } };
	struct ana_frames *f = data;
	struct call call = { .address = 0 };
	bool user = false;
	g_autofree char *text = NULL;
	size_t i = 0;

	while (i < G_N_ELEMENTS(fields) && strcmp(name, fields[i].name) != 0)
		i++;
	if (i == G_N_ELEMENTS(fields) || value->type != TRC_VALUE_TEXT)
		return;
	call.origin = fields[i].origin;
	f->met[f->event->host].place = true;
	call.exact = call.origin == ORIGIN_PERF;
	text = g_strndup(value->text, value->length);
	for (char *p = strstr(text, "] = "); p; p = strstr(p, "] = ")) {
		guint before = f->calls->len;

		call.address = g_ascii_strtoull(p + 4, &p, 0);
		add_call(f, call, &user);
		call.exact &= f->calls->len == before;
	}
}

/* ---- names ---- */

/* LTTng's functions are in modules, or built into the kernel. ftrace's are its hooks and their callees
 * (include/trace/trace_events.h, include/linux/tracepoint.h). */
static bool is_tracers(const char *name, enum origin origin)
{
	if (name && origin == ORIGIN_FTRACE)
		return g_str_has_prefix(name, "trace_event_") || g_str_has_prefix(name, "__traceiter_") ||
			g_str_has_prefix(name, "trace_buffer_unlock_commit");
	return name &&
		(strstr(name, " [lttng_") || g_str_has_prefix(name, "lttng_") ||
			g_str_has_prefix(name, "__event_probe__"));
}

static const char *kernel_name(const struct ana_frames *f, uint32_t host, const struct call *c)
{
	return c->origin == ORIGIN_USER || c->address == UINT64_MAX
		? NULL
		: qry_symbol(f->q, host, c->address - !c->exact);
}

/* The kept text equal to TEXT, which is taken over. */
static const char *frames_keep(const struct ana_frames *f, char *text)
{
	const char *known = g_hash_table_lookup(f->texts, text);

	if (!known && g_hash_table_size(f->texts) < TEXTS_MAX) {
		g_hash_table_add(f->texts, text);
		return text;
	}
	g_free(text);
	return known ? known : ANA_FRAMES_FURTHER;
}

/* "malloc (libc.so.6)", else "libc.so.6+0x26100"; NULL: not known. */
static char *program_text(const struct ana_frames *f, const struct call *c)
{
	struct qry_mapped place, call;
	g_autofree char *function = NULL;

	if (!f->maps || !qry_maps_find(f->maps, f->event->thread, f->event->time, c->address, &place))
		return NULL;
	call = place;
	call.offset -= !c->exact && call.offset > 0;
	function = qry_program_function(f->q, f->event->host, &call);
	return function ? g_strdup_printf("%s (%s)", function, place.name)
			: g_strdup_printf("%s+0x%" PRIx64, place.name, place.offset);
}

static const char *frames_text_of(const struct ana_frames *f, const struct call *c)
{
	const char *name = kernel_name(f, f->event->host, c);
	char *text = g_strdup(name);

	if (c->address == UINT64_MAX)
		return ANA_FRAMES_CUT;
	if (c->origin == ORIGIN_USER)
		text = program_text(f, c);
	return frames_keep(f, text ? text : g_strdup_printf("0x%" PRIx64, c->address));
}

/* The number of the tracer's own calls at the inner end of the stack. */
static guint tracers(struct ana_frames *f, uint32_t host)
{
	struct met *met = &f->met[host];
	guint n = 0;

	for (; n < f->calls->len; n++) {
		const struct call *c = &g_array_index(f->calls, struct call, n);

		if (!is_tracers(kernel_name(f, host, c), c->origin))
			break;
	}
	if (f->calls->len > 0 && g_array_index(f->calls, struct call, 0).origin == ORIGIN_KERNEL &&
		qry_has_symbols(f->q, host)) {
		met->named++;
		met->fitting += n > 0;
	}
	return n;
}

static int by_origin(const void *a, const void *b)
{
	const struct call *x = a, *y = b;

	return (int)x->origin - (int)y->origin;
}

bool ana_frames_read(struct ana_frames *f, struct qry_events *e, const struct qry_event *event,
	GPtrArray *frames, GError **error)
{
	struct trc_taker taker = { take_field, f };
	guint first;

	g_array_set_size(f->calls, 0);
	g_ptr_array_set_size(frames, 0);
	f->event = event;
	f->met[event->host].read++;
	if (!qry_events_take(e, &taker, error))
		return false;
	g_array_sort(f->calls, by_origin); /* contexts come in the order of the request */
	first = tracers(f, event->host);
	for (guint i = f->calls->len; i-- > first;)
		g_ptr_array_add(frames,
			(gpointer)frames_text_of(f, &g_array_index(f->calls, struct call, i)));
	return true;
}

bool ana_frames_wants_maps(const struct ana_frames *f)
{
	return f->met_programs && !f->maps;
}

bool ana_frames_walk(struct ana_frames *f, bool (*walk)(void *data, GError **error), void *data,
	struct base_progress *progress, GError **error)
{
	struct qry_maps *maps;
	bool fine = walk(data, error);

	if (!fine || !ana_frames_wants_maps(f))
		return fine;
	f->maps = maps = qry_maps_new(f->q, progress, error);
	fine = maps && walk(data, error);
	f->maps = NULL;
	qry_maps_free(maps);
	return fine;
}

bool ana_frames_absent(const struct ana_frames *f, uint32_t host, uint64_t enough)
{
	return !f->met[host].place && f->met[host].read >= enough;
}

static bool is_entry(const char *name)
{
	static const char *const entries[] = { "asm_common_interrupt", "asm_spurious_interrupt",
		"common_interrupt", "ret_from_intr", "apic_timer_interrupt", "reschedule_interrupt",
		"call_function_interrupt", "call_function_single_interrupt", "irq_work_interrupt",
		"el1h_64_irq", "el1t_64_irq", "el0t_64_irq", "el0t_32_irq", "el1_irq", "el0_irq", "__irq_svc",
		"__irq_usr" };
	bool is = g_str_has_prefix(name, "asm_sysvec_");

	for (size_t i = 0; i < G_N_ELEMENTS(entries); i++)
		is |= strcmp(name, entries[i]) == 0;
	return is;
}

bool ana_frames_interrupt(const GPtrArray *frames, guint *first)
{
	guint i = frames->len;

	while (i > 0 && !is_entry(g_ptr_array_index(frames, i - 1)))
		i--;
	*first = i > 0 ? i - 1 : 0;
	return i > 0;
}

void ana_frames_warn(const struct ana_frames *f)
{
	for (uint32_t host = 0; host < qry_host_count(f->q); host++) {
		char *text;

		if (f->met[host].named == 0 || f->met[host].fitting > 0)
			continue;
		text = g_strdup_printf(
			"%s: the kernel's symbols do not fit its stacks: copy /proc/kallsyms on the machine of the recording, as root, before it reboots",
			qry_host(f->q, host)->name);
		qry_warn(f->q, text);
		g_free(text);
	}
}
