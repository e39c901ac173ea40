/* SPDX-License-Identifier: MIT */
#include "model/mdl_feed.h"

#include "ingest/ing_feed.h"
#include "model/kernel/exit.h"
#include "model/core/frame.h"
#include "model/event/table.h"
#include "model/net/net.h"
#include "trace/trc_reader.h"
#include "trace/trc_test_open.h"

#include <stdio.h>
#include <string.h>

struct record {
	GArray *intervals; /* of struct mdl_interval */
	GArray *wakeups;   /* of struct mdl_wakeup */
	GString *names;
	bool over;
	struct mdl_row row; /* valid once it is over */
};

struct mdl_feed {
	struct mdl_machine *machine;
	GPtrArray *records; /* by row: struct record * */
	GArray *causes;     /* of struct mdl_cause, by number - 1 */
	GArray *spans;      /* of struct mdl_span, in order of recording */
	GArray *ipi_waits;  /* of struct mdl_ipi_wait, in order of recording */
};

static void record_free(void *data)
{
	struct record *r = data;

	g_array_unref(r->intervals);
	g_array_unref(r->wakeups);
	g_string_free(r->names, TRUE);
	g_free(r);
}

static struct record *record_of(struct mdl_feed *f, uint32_t row)
{
	while (row >= f->records->len) {
		struct record *r = g_new0(struct record, 1);

		r->intervals = g_array_new(FALSE, FALSE, sizeof(struct mdl_interval));
		r->wakeups = g_array_new(FALSE, FALSE, sizeof(struct mdl_wakeup));
		r->names = g_string_new(NULL);
		g_ptr_array_add(f->records, r);
	}
	return g_ptr_array_index(f->records, row);
}

static void on_interval(void *data, uint32_t row, const struct mdl_interval *interval)
{
	g_assert_false(record_of(data, row)->over);
	g_array_append_vals(record_of(data, row)->intervals, interval, 1);
}

static void on_wakeup(void *data, uint32_t row, const struct mdl_wakeup *wakeup)
{
	g_assert_false(record_of(data, row)->over);
	g_array_append_vals(record_of(data, row)->wakeups, wakeup, 1);
}

static void on_span(void *data, const struct mdl_span *span)
{
	struct mdl_feed *f = data;

	g_array_append_vals(f->spans, span, 1);
}

static void on_ipi_wait(void *data, const struct mdl_ipi_wait *wait)
{
	struct mdl_feed *f = data;

	g_array_append_vals(f->ipi_waits, wait, 1);
}

static void on_cause(void *data, const struct mdl_cause *cause)
{
	struct mdl_feed *f = data;

	g_array_append_vals(f->causes, cause, 1);
}

static void on_over(void *data, uint32_t row, const struct mdl_row *facts)
{
	struct record *r = record_of(data, row);

	g_assert_false(r->over);
	r->over = true;
	r->row = *facts;
}

static void on_name(void *data, uint32_t row, int64_t time, uint32_t name)
{
	struct mdl_feed *f = data;
	GString *names = record_of(f, row)->names;

	g_assert_false(record_of(f, row)->over);
	g_string_append_printf(names, "%s%" G_GINT64_FORMAT " %s", names->len ? ", " : "", time,
		base_strings_get(mdl_machine_strings(f->machine), name));
}

/* ---- events ---- */

/* FIELDS: a = argument, t = text, l = label, p = packet, in the order of the line. */
static const struct {
	const char *word;
	enum mdl_kind kind;
	const char *fields;
} kinds[] = {
	{ "gap", MDL_EV_GAP_BEGIN, "" },
	{ "gapend", MDL_EV_GAP_END, "a" },
	{ "first", MDL_EV_FIRST, "at" },
	{ "runs", MDL_EV_RUNS, "aa" },
	{ "hole", MDL_EV_HOLE, "a" },
	{ "switch", MDL_EV_SCHED_SWITCH, "aaatt" },
	{ "waking", MDL_EV_SCHED_WAKING, "aat" },
	{ "wakeup", MDL_EV_SCHED_WAKEUP, "aat" },
	{ "wakeup_new", MDL_EV_SCHED_WAKEUP_NEW, "aat" },
	{ "migrate", MDL_EV_SCHED_MIGRATE, "aa" },
	{ "setprio", MDL_EV_PI_SETPRIO, "a" },
	{ "rename", MDL_EV_SCHED_RENAME, "at" },
	{ "cgroup", MDL_EV_CGROUP, "aat" },
	{ "cgroup_thread", MDL_EV_CGROUP, "aatl" },
	{ "fork", MDL_EV_FORK, "aaaatt" },
	{ "exec", MDL_EV_EXEC, "aat" },
	{ "exit", MDL_EV_EXIT, "at" },
	{ "free", MDL_EV_FREE, "at" },
	{ "sys", MDL_EV_SYSCALL_ENTRY, "l" },
	{ "call", MDL_EV_SYSCALL_ENTRY, "laaaa" },
	{ "sysret", MDL_EV_SYSCALL_EXIT, "l" },
	{ "irq", MDL_EV_IRQ_ENTRY, "at" },
	{ "irqret", MDL_EV_IRQ_EXIT, "aa" },
	{ "softirq", MDL_EV_SOFTIRQ_ENTRY, "a" },
	{ "softirqret", MDL_EV_SOFTIRQ_EXIT, "a" },
	{ "hrtimer", MDL_EV_HRTIMER_ENTRY, "aaa" },
	{ "hrtimerret", MDL_EV_HRTIMER_EXIT, "" },
	{ "arm", MDL_EV_HRTIMER_START, "aaaa" },
	{ "armwheel", MDL_EV_TIMER_START, "aaaaaa" },
	{ "disarm", MDL_EV_TIMER_CANCEL, "a" },
	{ "wheel", MDL_EV_TIMER_ENTRY, "aaaaa" },
	{ "wheelret", MDL_EV_TIMER_EXIT, "a" },
	{ "queue", MDL_EV_WORK_QUEUE, "aa" },
	{ "work", MDL_EV_WORK_START, "aa" },
	{ "workret", MDL_EV_WORK_END, "a" },
	{ "signal", MDL_EV_SIGNAL, "aaaaa" },
	{ "suspend", MDL_EV_SUSPEND, "at" },
	{ "cpuhp", MDL_EV_HOTPLUG_ENTER, "aaaa" },
	{ "cpuhpret", MDL_EV_HOTPLUG_EXIT, "aaaaa" },
	{ "send", MDL_EV_NET_QUEUE, "aatp" },
	{ "receive", MDL_EV_NET_RECEIVE, "aatp" },
	{ "poll", MDL_EV_NAPI_POLL, "" },
	{ "raise", MDL_EV_SOFTIRQ_RAISE, "a" },
	{ "sendipi", MDL_EV_IPI_SEND, "aata" },
	{ "csd", MDL_EV_CSD_QUEUE, "aa" },
	{ "csdcall", MDL_EV_CSD_ENTRY, "a" },
	{ "csdret", MDL_EV_CSD_EXIT, "a" },
	{ "bio", MDL_EV_BIO_QUEUE, "aaaa" },
	{ "merge", MDL_EV_BIO_MERGE, "aaaa" },
	{ "mergefront", MDL_EV_BIO_MERGE_FRONT, "aaaa" },
	{ "remap", MDL_EV_BIO_REMAP, "aaaaaa" },
	{ "get", MDL_EV_RQ_GET, "aaaa" },
	{ "insert", MDL_EV_RQ_INSERT, "aaaaa" },
	{ "issue", MDL_EV_RQ_ISSUE, "aaaaa" },
	{ "requeue", MDL_EV_RQ_REQUEUE, "aaaa" },
	{ "mergerq", MDL_EV_RQ_MERGE, "aaaaa" },
	{ "complete", MDL_EV_RQ_COMPLETE, "aaaa" },
	{ "dumpblock", MDL_EV_DUMP_BLOCK, "at" },
	{ "vector", MDL_EV_VECTOR_ENTRY, "al" },
	{ "vectorret", MDL_EV_VECTOR_EXIT, "al" },
	{ "ipi", MDL_EV_IPI_ENTRY, "t" },
	{ "ipiret", MDL_EV_IPI_EXIT, "t" },
	{ "dump", MDL_EV_DUMP_PROCESS, "aaaaaat" },
	{ "dumpirq", MDL_EV_DUMP_IRQ, "att" },
	{ "enter", MDL_EV_VCPU_ENTRY, "" },
	{ "leave", MDL_EV_VCPU_EXIT, "aaa" },
	{ "by", MDL_EV_VIRQ_BY, "laaaa" },
	{ "post", MDL_EV_VIRQ_POST, "aaaa" },
	{ "direct", MDL_EV_VIRQ_DIRECT, "aa" },
	{ "inject", MDL_EV_VIRQ_INJECT, "aaaa" },
	{ "eoi", MDL_EV_VIRQ_END, "aa" },
	{ "kvm", MDL_EV_KVM, "" },
	{ "none", MDL_EV_NONE, "" },
};

static int64_t number(const char *word)
{
	char *end;
	int64_t n;

	if (g_str_equal(word, "-"))
		return MDL_ARG_ABSENT;
	n = g_ascii_strtoll(word, &end, 0);
	g_assert_cmpstr(end, ==, "");
	return n;
}

/* "waking!": the tracer finds the woken thread on this CPU. */
static void take_current(char *word, struct mdl_event *e, const char *tid)
{
	char *found = strchr(word, '!');

	if (!found)
		return;
	*found = '\0';
	e->arg[MDL_WAKE_CURRENT] = number(tid);
}

/* "waking^": the tracer's flags give the context of the event: none; "waking^h" a hard interrupt, "waking^s"
 * a softirq. */
static const char *kind_of(char *word, struct mdl_event *e)
{
	char *told = strchr(word, '^');

	if (told) {
		*told = '\0';
		e->told = (uint8_t)(MDL_TOLD_WITHIN | (strchr(told + 1, 'h') ? MDL_TOLD_IRQ : 0) |
			(strchr(told + 1, 's') ? MDL_TOLD_SOFTIRQ : 0));
	}
	for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
		if (!g_str_equal(kinds[i].word, word))
			continue;
		e->kind = kinds[i].kind;
		return kinds[i].fields;
	}
	g_error("no kind of event: %s", word);
}

/* The IPv4 TCP packet "10.0.0.1:80>10.0.0.2:4000#SEQUENCE" with one byte of data, or with "+BYTES"; or
 * "#SEQUENCE/ACKNOWLEDGEMENT" if only these are known. */
static const struct mdl_packet *read_packet(struct mdl_packet *p, const char *word)
{
	uint8_t *s = p->source, *d = p->destination;
	int n;

	*p = (struct mdl_packet){ .protocol = 6, .payload = MDL_NONE };
	if (sscanf(word, "#%u/%u", &p->sequence, &p->acknowledgement) == 2)
		return p;
	*p = (struct mdl_packet){ .version = 4, .protocol = 6, .has_ports = true, .payload = 1 };
	n = sscanf(word, "%hhu.%hhu.%hhu.%hhu:%hu>%hhu.%hhu.%hhu.%hhu:%hu#%u+%u", &s[0], &s[1], &s[2], &s[3],
		&p->source_port, &d[0], &d[1], &d[2], &d[3], &p->destination_port, &p->sequence, &p->payload);
	g_assert_cmpint(n, >=, 11);
	return p;
}

static void fill(struct mdl_event *e, struct mdl_packet *packet, const char *fields, char **words)
{
	unsigned args = 0, texts = 0;

	for (; *fields != '\0' && *words; fields++, words++) {
		if (*fields == 'a')
			e->arg[args++] = number(*words);
		else if (*fields == 'l')
			e->label = g_intern_string(*words);
		else if (*fields == 'p')
			e->packet = read_packet(packet, *words);
		else
			e->text[texts++] = g_str_equal(*words, "-") ? NULL : *words;
	}
	g_assert_null(*words);
}

/* For mdl_machine_cut(). */
static bool was_passed(const void *tid, int64_t of, G_GNUC_UNUSED int64_t since)
{
	return *(const int64_t *)tid == of;
}

/* For mdl_machine_calls_of(). */
static bool is_same(const void *tid, int64_t of)
{
	return *(const int64_t *)tid == of;
}

static int64_t feed(struct mdl_feed *f, const char *line, uint64_t *rank)
{
	char **words = g_strsplit(line, " ", -1);
	struct mdl_event e = { .time = number(words[0]), .cpu = (uint32_t)number(words[1]) };
	struct mdl_packet packet;
	const char *fields;

	if (g_str_equal(words[2], "clock")) {
		mdl_machine_clock(f->machine, number(words[3]));
		g_strfreev(words);
		return e.time;
	}
	if (g_str_equal(words[2], "goeson")) {
		mdl_machine_clock_goes_on(f->machine);
		g_strfreev(words);
		return e.time;
	}
	if (g_str_equal(words[2], "somecalls")) { /* from here on only some calls are recorded */
		mdl_machine_coverage(f->machine)->some_calls = true;
		mdl_coverage_update(mdl_machine_coverage(f->machine));
		g_strfreev(words);
		return e.time;
	}
	if (g_str_equal(words[2], "noexits")) { /* no exit was recorded so far */
		mdl_machine_coverage(f->machine)->left = 0;
		g_strfreev(words);
		return e.time;
	}
	if (g_str_equal(words[2], "begins")) { /* things from before may be under way */
		f->machine->gaps.lost_until = e.time;
		g_strfreev(words);
		return e.time;
	}
	if (g_str_equal(words[2], "nopolls")) {
		f->machine->net->has_polls = false;
		g_strfreev(words);
		return e.time;
	}
	if (g_str_equal(words[2], "nobios")) {
		mdl_machine_coverage(f->machine)->seen &= ~((uint64_t)1 << MDL_GROUP_BIO);
		g_strfreev(words);
		return e.time;
	}
	if (g_str_equal(words[2], "cut")) { /* WHOLE [TID]: TID did not stay blocked */
		static int64_t tid;

		tid = words[4] ? g_ascii_strtoll(words[4], NULL, 10) : -1;
		mdl_machine_cut(f->machine, g_ascii_strtoll(words[3], NULL, 10), was_passed, &tid);
		g_strfreev(words);
		return e.time;
	}
	if (g_str_equal(words[2], "callsof")) { /* TID: calls of other threads were left out */
		static int64_t tid;

		tid = g_ascii_strtoll(words[3], NULL, 10);
		mdl_machine_calls_of(f->machine, is_same, &tid);
		g_strfreev(words);
		return e.time;
	}
	if (g_str_equal(words[2], "allseen")) { /* interrupts of all kinds were recorded */
		mdl_machine_coverage(f->machine)->entered = UINT_MAX;
		mdl_coverage_see(mdl_machine_coverage(f->machine), MDL_GROUP_CALL_SINGLE);
		mdl_coverage_update(mdl_machine_coverage(f->machine));
		g_strfreev(words);
		return e.time;
	}
	if (g_str_equal(words[2], "namesnobody")) { /* as in a trace of LTTng */
		mdl_machine_names_nobody(f->machine);
		g_strfreev(words);
		return e.time;
	}
	if (g_str_equal(words[2], "somevectors")) { /* others are not recorded */
		mdl_machine_coverage(f->machine)->some_vectors = true;
		mdl_coverage_update(mdl_machine_coverage(f->machine));
		g_strfreev(words);
		return e.time;
	}
	if (g_str_equal(words[2], "lone")) { /* the trace is of one CPU, with its IPIs */
		mdl_machine_coverage(f->machine)->lone = true;
		mdl_machine_coverage(f->machine)->lone_ipis = words[3];
		mdl_coverage_update(mdl_machine_coverage(f->machine));
		g_strfreev(words);
		return e.time;
	}
	mdl_event_no_args(&e);
	take_current(words[2], &e, words[3]);
	fields = kind_of(words[2], &e);
	fill(&e, &packet, fields, words + 3);
	if (e.kind != MDL_EV_GAP_BEGIN && e.kind != MDL_EV_GAP_END && e.kind != MDL_EV_FIRST &&
		e.kind != MDL_EV_RUNS && e.kind != MDL_EV_HOLE)
		e.rank = ++*rank;
	mdl_machine_event(f->machine, &e);
	g_strfreev(words);
	return e.time;
}

static struct mdl_feed *start(const char *release, int64_t from)
{
	static const struct mdl_sink sink = {
		.interval = on_interval,
		.wakeup = on_wakeup,
		.name = on_name,
		.over = on_over,
		.cause = on_cause,
		.span = on_span,
		.ipi_wait = on_ipi_wait,
	};
	struct mdl_feed *f = g_new0(struct mdl_feed, 1);

	f->records = g_ptr_array_new_with_free_func(record_free);
	f->causes = g_array_new(FALSE, FALSE, sizeof(struct mdl_cause));
	f->spans = g_array_new(FALSE, FALSE, sizeof(struct mdl_span));
	f->ipi_waits = g_array_new(FALSE, FALSE, sizeof(struct mdl_ipi_wait));
	f->machine = mdl_machine_new(&sink, f, release);
	mdl_machine_begin(f->machine, from);
	return f;
}

struct mdl_feed *mdl_feed_new(const char *release, const char *const *events)
{
	struct mdl_feed *f = start(release, 0);
	uint64_t rank = 0;
	int64_t last = 0;

	/* Exits of all kinds, bios and polls were recorded before, and nothing was under way. */
	f->machine->coverage.left = UINT_MAX;
	mdl_coverage_see(&f->machine->coverage, MDL_GROUP_BIO);
	f->machine->net->has_polls = true;
	f->machine->gaps.lost_until = MDL_NEVER;

	for (; *events; events++)
		last = feed(f, *events, &rank);
	mdl_machine_finish(f->machine, last);
	return f;
}

static struct mdl_feed *new_trace(const char *folder)
{
	struct trc_reader *r = trc_test_open(folder, NULL, NULL);
	struct trc_recording *recording = trc_test_recording(folder);
	GArray *firsts = ing_first_find(recording, NULL, NULL, NULL, NULL);
	struct mdl_feed *f = NULL;
	struct mdl_event events[512];
	guint first = 0;
	int n;

	trc_folders_recording_free(recording);
	g_assert_nonnull(r);
	while ((n = trc_reader_read(r, events, G_N_ELEMENTS(events), NULL)) > 0) {
		if (!f) {
			f = start(trc_reader_info(r)->release, events[0].time);
			mdl_machine_clock(f->machine, trc_reader_info(r)->clock_zero);
			mdl_coverage_declare(mdl_machine_coverage(f->machine), trc_reader_info(r)->classes,
				false, trc_reader_cpu_count(r));
		}
		for (int i = 0; i < n; i++) {
			for (; first < firsts->len &&
				g_array_index(firsts, struct mdl_event, first).time <= events[i].time;
				first++)
				mdl_machine_event(f->machine,
					&g_array_index(firsts, struct mdl_event, first));
			mdl_machine_event(f->machine, &events[i]);
		}
	}
	g_assert_cmpint(n, ==, 0);
	ing_first_free(firsts);
	mdl_machine_finish(f->machine, trc_reader_info(r)->last);
	trc_reader_free(r);
	return f;
}

struct mdl_feed *mdl_feed_new_sample(const char *name)
{
	const char *const places[] = { g_getenv("SAMPLES"), g_getenv("SHARED_TRACES") };
	struct mdl_feed *f = NULL;

	for (size_t i = 0; i < G_N_ELEMENTS(places) && !f; i++) {
		char *folder = places[i] ? g_build_filename(places[i], name, NULL) : NULL;

		if (folder && g_file_test(folder, G_FILE_TEST_IS_DIR))
			f = new_trace(folder);
		g_free(folder);
	}
	return f;
}

const struct mdl_machine *mdl_feed_machine(const struct mdl_feed *f)
{
	return f->machine;
}

/* ---- checks of every row ---- */

static void check_intervals(const struct mdl_row *row, const GArray *intervals)
{
	int64_t at = row->first;

	for (guint i = 0; i < intervals->len; i++) {
		const struct mdl_interval *v = &g_array_index(intervals, struct mdl_interval, i);

		g_assert_cmpint(v->from, ==, at);
		g_assert_cmpint(v->to, >, v->from);
		g_assert_true(i == 0 || v->state != v[-1].state || v->detail != v[-1].detail ||
			v->aux != v[-1].aux);
		at = v->to;
	}
	g_assert_cmpint(row->last, ==, at);
}

static void check_wakeups(const struct mdl_row *row, const GArray *wakeups)
{
	int64_t at = row->first;

	for (guint i = 0; i < wakeups->len; i++) {
		const struct mdl_wakeup *w = &g_array_index(wakeups, struct mdl_wakeup, i);

		g_assert_cmpint(w->time, >=, at);
		g_assert_cmpint(w->time, <=, row->last);
		g_assert_true(w->since == MDL_NEVER || w->since <= w->time);
		g_assert_true(w->ran_at == MDL_NEVER || w->ran_at >= w->time);
		at = w->time;
	}
}

void mdl_feed_free(struct mdl_feed *f)
{
	for (uint32_t i = 0; i < f->records->len; i++) {
		const struct record *r = record_of(f, i);

		g_assert_true(r->over);
		check_intervals(&r->row, r->intervals);
		check_wakeups(&r->row, r->wakeups);
	}
	mdl_machine_free(f->machine);
	g_ptr_array_unref(f->records);
	g_array_unref(f->causes);
	g_array_unref(f->spans);
	g_array_unref(f->ipi_waits);
	g_free(f);
}

/* ---- finding rows ---- */

uint32_t mdl_feed_row_count(const struct mdl_feed *f)
{
	return f->records->len;
}

const struct mdl_row *mdl_feed_row_at(const struct mdl_feed *f, uint32_t row)
{
	g_assert_cmpuint(row, <, f->records->len);
	return &((const struct record *)g_ptr_array_index(f->records, row))->row;
}

static bool is_row(const struct mdl_row *row, const char *name, unsigned *life)
{
	char *own;
	bool is;

	switch (row->type) {
	case MDL_ROW_THREAD:
		own = row->nr == 0 ? g_strdup_printf("idle%u", row->cpu)
				   : g_strdup_printf("%" G_GINT64_FORMAT, row->nr);
		break;
	case MDL_ROW_CPU: own = g_strdup_printf("cpu%" G_GINT64_FORMAT, row->nr); break;
	case MDL_ROW_IRQ: own = g_strdup_printf("irq%" G_GINT64_FORMAT, row->nr); break;
	case MDL_ROW_VCPU: own = g_strdup_printf("vcpu%" G_GINT64_FORMAT, row->nr); break;
	case MDL_ROW_DEVICE: own = g_strdup_printf("dev%" G_GINT64_FORMAT, row->nr); break;
	default: own = g_strdup_printf("softirq%" G_GINT64_FORMAT "/%u", row->nr, row->cpu); break;
	}
	is = strcspn(name, "#") == strlen(own) && g_str_has_prefix(name, own) && --*life == 0;
	g_free(own);
	return is;
}

static uint32_t find_row(const struct mdl_feed *f, const char *name)
{
	const char *hash = strchr(name, '#');
	unsigned life = hash ? (unsigned)number(hash + 1) : 1;

	for (uint32_t i = 0; i < f->records->len; i++)
		if (is_row(mdl_feed_row_at(f, i), name, &life))
			return i;
	return MDL_NONE;
}

bool mdl_feed_has_row(const struct mdl_feed *f, const char *row)
{
	return find_row(f, row) != MDL_NONE;
}

static uint32_t must_find(const struct mdl_feed *f, const char *name)
{
	uint32_t row = find_row(f, name);

	if (row == MDL_NONE)
		g_error("no row %s", name);
	return row;
}

const struct mdl_row *mdl_feed_row(const struct mdl_feed *f, const char *row)
{
	return mdl_feed_row_at(f, must_find(f, row));
}

/* ---- text ---- */

void mdl_feed_append_thread(GString *s, const struct mdl_feed *f, uint32_t row)
{
	const struct mdl_row *r;

	if (row == MDL_NONE) {
		g_string_append(s, "-");
		return;
	}
	r = mdl_feed_row_at(f, row);
	g_assert_cmpint(r->type, ==, MDL_ROW_THREAD);
	if (r->nr == 0)
		g_string_append_printf(s, "idle%u", r->cpu);
	else
		g_string_append_printf(s, "%" G_GINT64_FORMAT, r->nr);
}

static void append_number(GString *s, const char *before, int64_t n, int64_t none)
{
	if (n == none)
		g_string_append_printf(s, "%s-", before);
	else
		g_string_append_printf(s, "%s%" G_GINT64_FORMAT, before, n);
}

void mdl_feed_append_context(GString *s, const struct mdl_feed *f, uint32_t context)
{
	const struct mdl_context *c;
	const char *name;

	g_assert_cmpuint(context, <, mdl_machine_context_count(f->machine));
	c = mdl_machine_context(f->machine, context);
	name = base_strings_get(mdl_machine_strings(f->machine), c->name);
	g_string_append(s, mdl_ctx_type_name(c->type));
	append_number(s, "", c->nr, -1);
	if (*name != '\0')
		g_string_append_printf(s, ":%s", name);
}

static void append_detail(GString *s, const struct mdl_feed *f, const struct mdl_interval *v)
{
	const char *block;
	char *reason;

	switch (v->state) {
	case MDL_ST_SYSCALL:
		g_string_append_printf(s, "(%s)",
			base_strings_get(mdl_machine_strings(f->machine), v->detail));
		break;
	case MDL_ST_INTERRUPTED:
		g_string_append(s, "(");
		mdl_feed_append_context(s, f, v->detail);
		g_string_append(s, ")");
		break;
	case MDL_ST_BLOCKED:
		block = mdl_block_name(v->detail);
		g_string_append_printf(s, "(%s)", block ? block : "?");
		break;
	case MDL_ST_VCPU_EXIT:
		reason = v->detail != 0 ? mdl_exit_name(v->detail) : g_strdup("?");
		g_string_append_printf(s, "(%s)", reason);
		g_free(reason);
		break;
	case MDL_ST_QUEUED:
	case MDL_ST_IN_FLIGHT:
		g_string_append_printf(s, "(%u+%u)", mdl_depth_in_flight(v->detail),
			mdl_depth_queued(v->detail));
		break;
	default: g_assert_cmpuint(v->detail, ==, 0);
	}
}

static void append_interval(GString *s, const struct mdl_feed *f, const struct mdl_row *row,
	const struct mdl_interval *v)
{
	g_string_append_printf(s, "%s%" G_GINT64_FORMAT "-%" G_GINT64_FORMAT " %s", s->len ? ", " : "",
		v->from, v->to, mdl_state_name(v->state));
	append_detail(s, f, v);
	if (v->aux == MDL_NONE)
		return;
	if (row->type != MDL_ROW_CPU) {
		g_string_append_printf(s, " @%u", v->aux);
		return;
	}
	g_string_append(s, " ");
	mdl_feed_append_thread(s, f, v->aux);
}

static char *states_of(const struct mdl_feed *f, const char *name)
{
	const struct record *r = record_of((struct mdl_feed *)f, must_find(f, name));
	GString *s = g_string_new(NULL);

	for (guint i = 0; i < r->intervals->len; i++) {
		const struct mdl_interval *v = &g_array_index(r->intervals, struct mdl_interval, i);

		g_string_append_printf(s, "%s%" G_GINT64_FORMAT "-%" G_GINT64_FORMAT " %s",
			s->len ? ", " : "", v->from, v->to, mdl_state_name(v->state));
	}
	return g_string_free(s, FALSE);
}

void mdl_feed_expect_states(const struct mdl_feed *f, const char *name, const char *expected)
{
	g_autofree char *states = states_of(f, name);

	g_assert_cmpstr(states, ==, expected);
}

void mdl_feed_expect_last_states(const struct mdl_feed *f, const char *name, const char *expected)
{
	g_autofree char *states = states_of(f, name);
	gsize all = strlen(states), last = strlen(expected);

	g_assert_cmpstr(states + (all > last ? all - last : 0), ==, expected);
}

void mdl_feed_expect(const struct mdl_feed *f, const char *name, const char *expected)
{
	uint32_t id = must_find(f, name);
	const struct record *r = record_of((struct mdl_feed *)f, id);
	GString *s = g_string_new(NULL);

	for (guint i = 0; i < r->intervals->len; i++)
		append_interval(s, f, &r->row, &g_array_index(r->intervals, struct mdl_interval, i));
	g_assert_cmpstr(s->str, ==, expected);
	g_string_free(s, TRUE);
}

static void append_wakeup(GString *s, const struct mdl_feed *f, const struct mdl_wakeup *w)
{
	static const char *const vias[] = { "none", "waking", "wakeup", "new" };

	g_string_append_printf(s, "%s%" G_GINT64_FORMAT " %s", s->len ? ", " : "", w->time, vias[w->via]);
	append_number(s, " #", (int64_t)w->rank, 0);
	g_string_append(s, " by ");
	mdl_feed_append_thread(s, f, w->waker);
	append_number(s, " cpu ", w->cpu, MDL_NONE);
	append_number(s, ">", w->target_cpu, MDL_NONE);
	append_number(s, " since ", w->since, MDL_NEVER);
	append_number(s, " ran ", w->ran_at, MDL_NEVER);
	for (unsigned i = 0; i < w->n_contexts; i++) {
		g_string_append(s, i == 0 ? " in " : " ");
		mdl_feed_append_context(s, f, w->contexts[i].context);
		append_number(s, "/", w->contexts[i].entry, MDL_NEVER);
	}
}

void mdl_feed_expect_wakeups(const struct mdl_feed *f, const char *name, const char *expected)
{
	const struct record *r = record_of((struct mdl_feed *)f, must_find(f, name));
	GString *s = g_string_new(NULL);

	for (guint i = 0; i < r->wakeups->len; i++)
		append_wakeup(s, f, &g_array_index(r->wakeups, struct mdl_wakeup, i));
	g_assert_cmpstr(s->str, ==, expected);
	g_string_free(s, TRUE);
}

guint mdl_feed_wakeup_count(const struct mdl_feed *f, const char *name)
{
	return record_of((struct mdl_feed *)f, must_find(f, name))->wakeups->len;
}

const struct mdl_wakeup *mdl_feed_wakeup(const struct mdl_feed *f, const char *name, guint i)
{
	return &g_array_index(record_of((struct mdl_feed *)f, must_find(f, name))->wakeups, struct mdl_wakeup,
		i);
}

const struct mdl_wakeup *mdl_feed_wakeup_at(const struct mdl_feed *f, uint32_t row, guint i)
{
	const struct record *r = record_of((struct mdl_feed *)f, row);

	return i < r->wakeups->len ? &g_array_index(r->wakeups, struct mdl_wakeup, i) : NULL;
}

const struct mdl_cause *mdl_feed_cause(const struct mdl_feed *f, uint32_t number)
{
	g_assert_cmpuint(number, <=, f->causes->len);
	return number != 0 ? &g_array_index(f->causes, struct mdl_cause, number - 1) : NULL;
}

void mdl_feed_expect_names(const struct mdl_feed *f, const char *name, const char *expected)
{
	const struct record *r = record_of((struct mdl_feed *)f, must_find(f, name));

	g_assert_cmpstr(r->names->str, ==, expected);
}

/* ---- spans ---- */

static void append_row(GString *s, const struct mdl_feed *f, uint32_t row)
{
	static const char *const prefixes[MDL_ROW_TYPES] = { "", "cpu", "irq", "softirq", "vcpu", "dev" };
	const struct mdl_row *r = row == MDL_NONE ? NULL : mdl_feed_row_at(f, row);

	if (!r)
		g_string_append_c(s, '-');
	else
		g_string_append_printf(s, "%s%" G_GINT64_FORMAT, prefixes[r->type], (gint64)r->nr);
}

static void append_key(GString *s, const struct mdl_feed *f, const struct mdl_span *span)
{
	if (span->kind == MDL_SPAN_SYSCALL || span->kind == MDL_SPAN_IRQ || span->kind == MDL_SPAN_RETURN)
		g_string_append(s, base_strings_get(mdl_machine_strings(f->machine), (uint32_t)span->key));
	else
		g_string_append_printf(s, "0x%" G_GINT64_MODIFIER "x", (guint64)span->key);
}

void mdl_feed_expect_spans(const struct mdl_feed *f, enum mdl_span_kind kind, const char *expected)
{
	static const char
		*const fates[MDL_SPAN_FATES] = { [MDL_SPAN_OPEN] = "open", [MDL_SPAN_LOST] = "lost" };
	GString *s = g_string_new(NULL);

	for (guint i = 0; i < f->spans->len; i++) {
		const struct mdl_span *span = &g_array_index(f->spans, struct mdl_span, i);

		if (span->kind != kind)
			continue;
		g_string_append(s, s->len > 0 ? ", " : "");
		append_key(s, f, span);
		g_string_append_printf(s, " %" G_GINT64_FORMAT, (gint64)span->start);
		if (span->fate == MDL_SPAN_DONE)
			g_string_append_printf(s, "-%" G_GINT64_FORMAT " ", (gint64)span->end);
		else
			g_string_append_printf(s, " %s ", fates[span->fate]);
		append_row(s, f, span->row);
	}
	g_assert_cmpstr(s->str, ==, expected);
	g_string_free(s, TRUE);
}

void mdl_feed_expect_ipi_waits(const struct mdl_feed *f, const char *expected)
{
	g_autoptr(GString) text = g_string_new(NULL);

	for (guint i = 0; i < f->ipi_waits->len; i++) {
		const struct mdl_ipi_wait *w = &g_array_index(f->ipi_waits, struct mdl_ipi_wait, i);
		const struct record *r = g_ptr_array_index(f->records, w->row);

		g_string_append_printf(text,
			"%s%" G_GINT64_FORMAT ": %" G_GINT64_FORMAT "-%" G_GINT64_FORMAT
			" on %" G_GUINT32_FORMAT " for %" G_GINT64_MODIFIER "x last %" G_GUINT32_FORMAT
			" in %" G_GINT64_FORMAT "%s",
			i > 0 ? ", " : "", r->row.nr, w->from, w->to, w->cpu, w->cpus, w->last, w->entry,
			w->doubts ? "?" : "");
	}
	g_assert_cmpstr(text->str, ==, expected);
}
