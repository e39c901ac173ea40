/* SPDX-License-Identifier: MIT */
/*
 * Page faults in which a thread waits: for the disk of its file, or for a lock of its memory.
 *
 * How it works: page_fault_user comes when the fault begins (arch/x86/mm/fault.c handle_page_fault(), since
 * Linux 3.13; arch/riscv/mm/fault.c handle_page_fault(), since 6.12).  No event comes when it ends.  So a
 * fault counts if the thread came from user mode, entered no system call, and left its CPU uninterruptibly:
 * nothing else does that except work on the way back to user mode (resume_user_mode_work(),
 * include/linux/resume_user_mode.h).  If all system calls are recorded, the thread is known to be in user
 * mode (proofs.md R34).  Faults in system calls (page_fault_kernel) do not count: the call may wait for
 * something else after them.
 *
 * The file is that of the first mm_filemap_fault (mm/filemap.c filemap_fault(), since 6.16), or of the first
 * page that enters the page cache (mm_filemap_add_to_page_cache, since 3.9), between the fault and the wait.
 * No kernel event shows swap.
 */
#include "analysis/latency/program.h"

#include "query/cases/kept.h"
#include "query/events/scan.h"

#include <inttypes.h>
#include <string.h>

#define NAME "page fault"
#define DOUBTS MDL_DOUBT(WAY)

/* The last fault of a thread. */
struct fault {
	int64_t time, file_time; /* of the file; INT64_MAX: it has none */
	uint64_t dev, ino;
};

struct finding_faults {
	struct qry_kept *kept;
	GHashTable *last; /* row → struct fault; owned */
};

static bool is_called(const char *name, const char *event)
{
	const char *own = strchr(name, ':');

	return g_str_equal(own ? own + 1 : name, event);
}

static bool is_fault(const char *name)
{
	return is_called(name, "page_fault_user") || g_str_equal(name, "x86_exceptions_page_fault_user");
}

static bool is_file(const char *name)
{
	return is_called(name, "mm_filemap_fault") || is_called(name, "mm_filemap_add_to_page_cache");
}

static bool wants(G_GNUC_UNUSED void *data, const char *name)
{
	return is_fault(name) || is_file(name);
}

bool ana_faults_is(const char *name)
{
	return g_str_has_prefix(name, NAME);
}

/* True if IV is a wait that a page fault can cause. */
static bool is_wait(const struct mdl_interval *iv)
{
	return iv->state == MDL_ST_BLOCKED &&
		(iv->detail == MDL_BLOCK_UNINTERRUPTIBLE || iv->detail == MDL_BLOCK_KILLABLE);
}

/* True if a thread in IV may still be in a fault from user mode, without waiting. */
static bool goes_on(const struct mdl_interval *iv)
{
	return iv->state == MDL_ST_USERMODE || iv->state == MDL_ST_INTERRUPTED ||
		iv->state == MDL_ST_PREEMPTED || iv->state == MDL_ST_WAIT_CPU;
}

/* The key of the text "page fault", or "page fault, file 254:0 inode 10970817". */
static uint64_t text_of(const struct finding_faults *f, uint32_t row, const struct fault *fault, int64_t wait)
{
	struct qry *q = f->kept->q;
	g_autofree char *name = fault->file_time >= wait
		? g_strdup(NAME)
		: g_strdup_printf(NAME ", file %s inode %" PRIu64,
			  qry_device_name(q, qry_row(q, row)->host, (uint32_t)fault->dev), fault->ino);

	return qry_kept_text(f->kept, name);
}

/* FAULT, of thread ROW, ended before UNTIL: keep it if the thread waited in it. */
static void settle(const struct finding_faults *f, uint32_t row, const struct fault *fault, int64_t until)
{
	struct mdl_span span = { .start = fault->time, .row = row, .fate = MDL_SPAN_DONE, .cpu = MDL_NONE };
	struct mdl_interval iv;
	int64_t first = INT64_MAX;

	for (int64_t at = fault->time; at < until && qry_kernel_state_at(f->kept->q, row, at, &iv);
		at = iv.to) {
		if (is_wait(&iv) && at > fault->time) {
			first = MIN(first, iv.from);
			span.end = iv.to;
		} else if (at == fault->time ? iv.state != MDL_ST_USERMODE : !goes_on(&iv)) {
			break;
		}
	}
	if (first == INT64_MAX)
		return;
	span.key = text_of(f, row, fault, first);
	qry_kept_add(f->kept, qry_row(f->kept->q, row)->host, &span);
}

static void on_file(struct finding_faults *f, const struct qry_event *e, const struct trc_value *v)
{
	struct fault *fault = g_hash_table_lookup(f->last, GUINT_TO_POINTER(e->thread));

	if (!fault || fault->file_time != INT64_MAX || v[0].type == TRC_VALUE_NONE ||
		v[0].type == TRC_VALUE_TEXT || v[1].type == TRC_VALUE_NONE || v[1].type == TRC_VALUE_TEXT)
		return;
	fault->file_time = e->time;
	fault->dev = v[0].number;
	fault->ino = v[1].number;
}

static void on_fault(struct finding_faults *f, const struct qry_event *e)
{
	struct fault *fault = g_hash_table_lookup(f->last, GUINT_TO_POINTER(e->thread));

	if (fault) {
		settle(f, e->thread, fault, e->time);
	} else {
		fault = g_new(struct fault, 1);
		g_hash_table_insert(f->last, GUINT_TO_POINTER(e->thread), fault);
	}
	*fault = (struct fault){ .time = e->time, .file_time = INT64_MAX };
}

/* True if a trace of Q may have events of page faults from user mode. */
static bool may_fault(struct qry *q)
{
	static const char *const names[] = { "page_fault_user", "exceptions:page_fault_user",
		"x86_exceptions_page_fault_user" };

	for (uint32_t host = 0; host < qry_host_count(q); host++)
		for (gsize i = 0; i < G_N_ELEMENTS(names); i++)
			if (qry_events_declared(q, host, names[i]))
				return true;
	return false;
}

static bool find_faults(G_GNUC_UNUSED void *data, struct qry_kept *kept, struct base_progress *progress,
	GError **error)
{
	static const char *const fields[] = { "s_dev", "i_ino" };
	static const struct qry_scan_want want = { fields, G_N_ELEMENTS(fields), false, true };
	struct finding_faults f = { kept, g_hash_table_new_full(NULL, NULL, NULL, g_free) };
	struct qry_events_filter filter = QRY_EVENTS_ALL;
	struct qry_scan *scan;
	struct qry_event e;
	GHashTableIter i;
	void *row, *fault;
	int got = -1;

	filter.wants = wants;
	scan = qry_scan_new(kept->q, &filter, &want, error);
	while (scan && (got = qry_scan_next(scan, &e, progress, error)) > 0) {
		const struct trc_value *v = is_file(e.name) ? qry_scan_values(scan, NULL) : NULL;

		if (e.thread != MDL_NONE && v)
			on_file(&f, &e, v);
		else if (e.thread != MDL_NONE && is_fault(e.name))
			on_fault(&f, &e);
	}
	qry_scan_free(scan);
	g_hash_table_iter_init(&i, f.last);
	while (got == 0 && g_hash_table_iter_next(&i, &row, &fault))
		settle(&f, GPOINTER_TO_UINT(row), fault, INT64_MAX);
	g_hash_table_unref(f.last);
	return got == 0;
}

struct adding {
	const struct qry_spans *spans;
	struct qry_spins *works;
	guint most;
	bool more;
};

static void add_fault(void *data, const struct idx_spans_found *found)
{
	struct adding *a = data;
	const struct mdl_span *span = &found->span;
	const char *text = qry_spans_text(a->spans, span->key);
	struct qry_spin spin = { span->start, span->end, span->end, span->row, MDL_NONE, NULL, DOUBTS };

	if (!text || span->fate != MDL_SPAN_DONE || span->row == MDL_NONE)
		return;
	a->more |= a->works->all->len >= a->most;
	if (a->more)
		return;
	spin.name = g_string_chunk_insert_const(a->works->names, text);
	g_array_append_val(a->works->all, spin);
}

bool ana_faults_add(struct qry *q, struct qry_spins *works, guint most, GError **error)
{
	const struct qry_spans_filter filter = { INT64_MIN, INT64_MAX, MDL_NONE, false, NULL };
	struct qry_kept kept = { .name = "page faults", .key = "1" };
	struct qry_spans spans;
	struct adding a = { .spans = &spans, .works = works, .most = most };

	if (!may_fault(q))
		return true;
	if (!qry_kept_open(q, &kept, 1, find_faults, NULL, NULL, error))
		return false;
	spans = (struct qry_spans){ kept.file, 0, NULL };
	qry_spans_each(q, &spans, &filter, add_fault, &a);
	if (a.more)
		qry_warn(q,
			"too many page faults with waits: causes and paths show only the first ones; cut the trace");
	return true;
}
