/* SPDX-License-Identifier: MIT */
#include "query/host/parts.h"

#include "base/base_search.h"

#define CPU_LIMIT 8192 /* as in the model */
#define TID_KTHREADD 2 /* parent of all kernel threads */

/*
 * Names that the kernel gives its own threads: kthread_create() and alloc_workqueue() in the folders named.
 * '#' is a number; '*' is any rest. A program's name is the last part of its file's path, so it has no '/'.
 */
static const char *const kernel_names[] = {
	"kthreadd", "ksoftirqd/#", "migration/#", "cpuhp/#", "idle_inject/#", "watchdog/#",
	"stopper/#",                     /* kernel */
	"kworker/*", "pool_workqueue_*", /* workqueue.c */
	"ktimers/#", "ktimersoftd/#", "posixcputmr/#", "irq_work/#", "irq/*", "psimon", "rcu_sched",
	"rcu_preempt", "rcu_bh", "rcu_gp", "rcu_par_gp", "rcu_tasks_kthre", "rcu_tasks_rude_",
	"rcu_tasks_trace", "rcu_exp_*", "rcuc/#", "rcub/#", "rcuo*/#", "rcuop/#", "rcuos/#", "rcuog/#",
	"rcuob/#", /* rcu */
	"kauditd", "khungtaskd", "oom_reaper", "kswapd#", "kcompactd#", "khugepaged", "ksmd",
	"kdamond.#", /* mm */
	"kdevtmpfs", "watchdogd", "hwrng", "kdmflush/*", "scsi_eh_#", "scsi_tmf_#", "spi#",
	"usb-storage", /* drivers */
	"jbd2/*", "kjournald", "xfsaild/*", "ext4lazyinit", "btrfs-*", "f2fs_*", "kcryptd/*",
	"dmcrypt_write/*", "napi/*", "backlog_napi/#", "vhost-#", "kvm-pit/#", "kvm-nx-lpage-re", "nfsd",
	"lockd", "krfcommd", /* net */
};

static bool fits(const char *name, const char *pattern)
{
	for (; *pattern && *pattern != '*'; pattern++) {
		if (*pattern != '#') {
			if (*name++ != *pattern)
				return false;
			continue;
		}
		if (!g_ascii_isdigit(*name))
			return false;
		while (g_ascii_isdigit(*name))
			name++;
	}
	return *pattern == '*' || *name == '\0';
}

/* kthreadd is the parent of all kernel threads (kernel/kthread.c). State dumps and forks record the parent.
 * If neither did, the name decides. */
static bool is_kernel(const struct qry_row *r)
{
	if (r->type != MDL_ROW_THREAD || r->nr == 0 || r->nr == TID_KTHREADD)
		return r->type == MDL_ROW_THREAD;
	if (r->ppid != -1 || r->born || (r->pid != -1 && r->pid != r->nr))
		return r->ppid == TID_KTHREADD;
	for (size_t i = 0; i < G_N_ELEMENTS(kernel_names); i++)
		if (fits(r->name, kernel_names[i]))
			return true;
	return false;
}

static void load_row(struct qry *q, const struct qry_source *s, uint32_t host, uint32_t local)
{
	struct mdl_row m = idx_reader_row(s->reader, local);
	uint32_t id = s->host.first_row + local;

	q->rows[id] = (struct qry_row){ .id = id,
		.host = host,
		.type = m.type,
		.nr = m.nr,
		.cpu = m.type == MDL_ROW_VCPU ? MDL_NONE : m.cpu,
		.vcpu = m.type == MDL_ROW_VCPU ? m.cpu : MDL_NONE,
		.pid = m.pid,
		.ppid = m.ppid,
		.parent = m.parent == MDL_NONE ? MDL_NONE : s->host.first_row + m.parent,
		.process = id,
		.name = idx_reader_string(s->reader, m.name),
		.cgroup = idx_reader_string(s->reader, m.cgroup),
		.born = m.born,
		.died = m.died,
		.final = m.final };
	q->rows[id].is_kernel = is_kernel(&q->rows[id]);
	q->has_cgroups |= m.cgroup != 0;
}

/* Note the rows of CPUs and interrupt lines. They are few among many threads, and needed often. */
static void load_places(struct qry *q)
{
	for (uint32_t i = 0; i < q->n_rows; i++) {
		const struct qry_row *r = &q->rows[i];
		struct qry_source *s = qry_source(q, r->host);

		if (r->type == MDL_ROW_IRQ || r->type == MDL_ROW_SOFTIRQ) {
			s->line_rows = g_renew(uint32_t, s->line_rows, s->n_lines + 1);
			s->line_rows[s->n_lines++] = i;
		}
		if (r->type != MDL_ROW_CPU || r->nr < 0 || r->nr >= CPU_LIMIT)
			continue;
		if (r->nr >= s->n_cpus) {
			s->cpu_rows = g_renew(uint32_t, s->cpu_rows, r->nr + 1);
			while (s->n_cpus <= r->nr)
				s->cpu_rows[s->n_cpus++] = MDL_NONE;
		}
		s->cpu_rows[r->nr] = i;
	}
}

/* Three-way comparison by TID, then by birth, which is the order of ids. */
static gint compare_tids(gconstpointer a, gconstpointer b, gpointer rows)
{
	const struct qry_row *left = (const struct qry_row *)rows + *(const uint32_t *)a,
			     *right = (const struct qry_row *)rows + *(const uint32_t *)b;

	return BASE_BY(left, right, nr) ?: BASE_BY(left, right, id);
}

/* The threads of one host except the idle ones, by TID: GArray of row ids. */
static GArray *rows_by_tid(const struct qry *q, const struct qry_source *s)
{
	GArray *ids = g_array_sized_new(FALSE, FALSE, sizeof(uint32_t), s->host.n_rows);

	for (uint32_t id = s->host.first_row; id < s->host.first_row + s->host.n_rows; id++)
		if (q->rows[id].type == MDL_ROW_THREAD && q->rows[id].nr != 0)
			g_array_append_val(ids, id);
	g_array_sort_with_data(ids, compare_tids, q->rows);
	return ids;
}

struct sought_tid {
	const struct qry *q;
	const GArray *by_tid;
	int64_t tid;
};

static bool has_lower_tid(const void *data, uint64_t i)
{
	const struct sought_tid *s = data;

	return s->q->rows[g_array_index(s->by_tid, uint32_t, i)].nr < s->tid;
}

/* When row ID of S began, by the clock of S. */
static int64_t begin_of(const struct qry_source *s, uint32_t id)
{
	return idx_reader_row(s->reader, id - s->host.first_row).first;
}

/* The main thread of R's process. If its TID has several lives, the last one that began before R. */
static uint32_t main_thread(const struct qry *q, const struct qry_source *s, const GArray *by_tid,
	const struct qry_row *r)
{
	struct sought_tid sought = { q, by_tid, r->pid };
	uint32_t found = r->id;
	int64_t begin;
	guint first;

	if (r->pid == -1)
		return found;
	begin = begin_of(s, r->id);
	first = (guint)base_search(0, by_tid->len, has_lower_tid, &sought);
	for (guint i = first; i < by_tid->len; i++) {
		uint32_t id = g_array_index(by_tid, uint32_t, i);

		if (q->rows[id].nr != r->pid)
			break;
		if (i == first || begin_of(s, id) <= begin)
			found = id;
	}
	return found;
}

static void load_processes(struct qry *q, const struct qry_source *s)
{
	g_autoptr(GArray) by_tid = rows_by_tid(q, s);

	for (guint i = 0; i < by_tid->len; i++) {
		struct qry_row *r = &q->rows[g_array_index(by_tid, uint32_t, i)];

		r->process = main_thread(q, s, by_tid, r);
	}
}

/* A virtual CPU has the name of the thread that runs it, and belongs to the process of that thread. */
static void load_vcpus(struct qry *q, const struct qry_source *s)
{
	for (uint32_t id = s->host.first_row; id < s->host.first_row + s->host.n_rows; id++) {
		struct qry_row *r = &q->rows[id];
		const struct qry_row *thread = r->parent == MDL_NONE ? NULL : &q->rows[r->parent];

		if (r->type != MDL_ROW_VCPU || !thread || thread->type != MDL_ROW_THREAD)
			continue;
		r->nr = thread->nr;
		r->pid = thread->pid;
		r->process = thread->process;
		r->name = thread->name;
	}
}

void qry_rows_load(struct qry *q)
{
	q->rows = g_atomic_rc_box_alloc0(sizeof(struct qry_row) * ((gsize)q->n_rows + 1));
	for (guint h = 0; h < q->sources->len; h++) {
		struct qry_source *s = qry_source(q, h);

		for (uint32_t i = 0; i < s->host.n_rows; i++)
			load_row(q, s, h, i);
		load_processes(q, s);
		load_vcpus(q, s);
	}
	load_places(q);
}

void qry_rows_share(struct qry *q, const struct qry *other)
{
	q->rows = g_atomic_rc_box_acquire(other->rows);
	q->tracer = g_atomic_rc_box_acquire(other->tracer);
	q->has_cgroups = other->has_cgroups;
	load_places(q);
}

void qry_rows_unshare(struct qry *q)
{
	struct qry_row *own = g_atomic_rc_box_dup(sizeof(struct qry_row) * ((gsize)q->n_rows + 1), q->rows);

	g_atomic_rc_box_release(q->rows);
	q->rows = own;
}

uint32_t qry_row_count(const struct qry *q)
{
	return q->n_rows;
}

const struct qry_row *qry_row(const struct qry *q, uint32_t row)
{
	return &q->rows[row];
}

bool qry_has_cgroups(const struct qry *q)
{
	return q->has_cgroups;
}

uint32_t qry_row_again(const struct qry *q, const struct qry *before, uint32_t row)
{
	uint32_t host = row < before->n_rows ? before->rows[row].host : MDL_NONE;

	return host == MDL_NONE ? row
				: row - qry_host(before, host)->first_row + qry_host(q, host)->first_row;
}

GArray *qry_rows_again(const struct qry *q, const struct qry *before, const GArray *rows)
{
	GArray *again = g_array_sized_new(FALSE, FALSE, sizeof(uint32_t), rows->len);

	for (guint i = 0; i < rows->len; i++) {
		uint32_t row = qry_row_again(q, before, g_array_index(rows, uint32_t, i));

		g_array_append_val(again, row);
	}
	return again;
}

bool qry_is_kernel_thread(const struct qry *q, uint32_t row)
{
	return q->rows[row].is_kernel;
}

uint32_t qry_vcpu_row(const struct qry *q, uint32_t thread)
{
	const struct qry_host *host = qry_host(q, q->rows[thread].host);

	for (uint32_t i = host->first_row; i < host->first_row + host->n_rows; i++)
		if (q->rows[i].type == MDL_ROW_VCPU && q->rows[i].parent == thread)
			return i;
	return MDL_NONE;
}

uint32_t qry_cpu_row(const struct qry *q, uint32_t host, uint32_t cpu)
{
	const struct qry_source *s = qry_source(q, host);

	return cpu < s->n_cpus ? s->cpu_rows[cpu] : MDL_NONE;
}

const char *qry_name_at(const struct qry *q, uint32_t row, int64_t time)
{
	uint32_t local, count;
	const struct qry_source *s = qry_source_of(q, row, &local);
	struct idx_name name;

	count = idx_reader_name_count(s->reader, local);
	if (count == 0)
		return q->rows[row].name;
	time = qry_source_held(s, time);
	name = idx_reader_name(s->reader, local, 0);
	for (uint32_t i = 1; i < count; i++) {
		struct idx_name next = idx_reader_name(s->reader, local, i);

		if (next.time > time)
			break;
		name = next;
	}
	return idx_reader_string(s->reader, name.name);
}

struct sought_priority {
	const struct idx_reader *reader;
	uint32_t row;
	int64_t time;
};

static bool had_priority(const void *data, uint64_t i)
{
	const struct sought_priority *s = data;

	return idx_reader_priority(s->reader, s->row, (uint32_t)i).time <= s->time;
}

/* The number of priorities of row LOCAL of S that were recorded up to TIME. *COUNT: the number of all. */
static uint32_t priorities_until(const struct qry_source *s, uint32_t local, int64_t time, uint32_t *count)
{
	struct sought_priority sought = { s->reader, local, qry_source_held(s, time) };

	*count = idx_reader_priority_count(s->reader, local);
	if (*count < 2) /* true of nearly all threads */
		return *count;
	return (uint32_t)base_search(0, *count, had_priority, &sought);
}

int qry_priority_at(const struct qry *q, uint32_t row, int64_t time)
{
	uint32_t local, count;
	const struct qry_source *s = qry_source_of(q, row, &local);
	uint32_t behind = priorities_until(s, local, time, &count);

	if (count == 0)
		return MDL_PRIORITY_NONE;
	return idx_reader_priority(s->reader, local, behind > 0 ? behind - 1 : 0).priority;
}

int64_t qry_priority_change(const struct qry *q, uint32_t row, int64_t time)
{
	uint32_t local, count;
	const struct qry_source *s = qry_source_of(q, row, &local);
	/* The first priority also holds before it was recorded. */
	uint32_t next = MAX(priorities_until(s, local, time, &count), 1);

	return next < count ? qry_source_shown(s, idx_reader_priority(s->reader, local, next).time)
			    : BASE_TIME_NONE;
}

/* ---- classes ---- */

/* The class of each thread. Most threads have one priority all the time. */
struct qry_classes {
	const struct qry *q; /* weak */
	uint8_t of[];        /* by row: enum mdl_span_class; MDL_SPAN_NO_CLASS: it changes */
};

static enum mdl_span_class class_of(int priority)
{
	if (priority == MDL_PRIORITY_NONE)
		return MDL_SPAN_CLASS_UNKNOWN;
	return priority <= MDL_PRIORITY_DEADLINE ? MDL_SPAN_CLASS_DEADLINE
		: priority < MDL_PRIORITY_FAIR   ? MDL_SPAN_CLASS_RT
						 : MDL_SPAN_CLASS_FAIR;
}

static void *classes_new(struct qry *q)
{
	struct qry_classes *c = g_malloc(sizeof *c + q->n_rows * sizeof *c->of);

	c->q = q;
	for (uint32_t row = 0; row < q->n_rows; row++) {
		enum mdl_span_class class = MDL_SPAN_CLASS_UNKNOWN;

		if (q->rows[row].type == MDL_ROW_THREAD)
			class = qry_priority_change(q, row, INT64_MIN) != BASE_TIME_NONE
				? MDL_SPAN_NO_CLASS
				: class_of(qry_priority_at(q, row, INT64_MIN));
		c->of[row] = (uint8_t) class;
	}
	return c;
}

const struct qry_classes *qry_classes(struct qry *q)
{
	static const char key;

	return qry_memo(q, &key, classes_new, g_free);
}

enum mdl_span_class qry_class_at(const struct qry_classes *classes, uint32_t row, int64_t time)
{
	enum mdl_span_class class = row != MDL_NONE ? classes->of[row] : MDL_SPAN_CLASS_UNKNOWN;

	return class != MDL_SPAN_NO_CLASS ? class : class_of(qry_priority_at(classes->q, row, time));
}

/* ---- waits for IPIs ---- */

struct sought_wait {
	const struct idx_reader *reader;
	uint32_t row;
	int64_t time;
};

static bool wait_begins(const void *data, uint64_t i)
{
	const struct sought_wait *s = data;

	return idx_reader_ipi_wait(s->reader, s->row, (uint32_t)i).from < s->time;
}

static bool wait_is_over(const void *data, uint64_t i)
{
	const struct sought_wait *s = data;

	return idx_reader_ipi_wait(s->reader, s->row, (uint32_t)i).to <= s->time;
}

/* Set *WAIT to wait NUMBER of row LOCAL of S, which is row ROW of the experiment. False if there is none. */
static bool wait_get(const struct qry_source *s, uint32_t local, uint64_t number, uint32_t row,
	struct mdl_ipi_wait *wait)
{
	if (number >= idx_reader_ipi_wait_count(s->reader, local))
		return false;
	*wait = idx_reader_ipi_wait(s->reader, local, (uint32_t)number);
	wait->row = row;
	wait->from = qry_source_shown(s, wait->from);
	wait->entry = qry_source_shown(s, wait->entry);
	wait->to = qry_source_shown(s, wait->to);
	return true;
}

bool qry_ipi_wait_before(const struct qry *q, uint32_t row, int64_t time, struct mdl_ipi_wait *wait)
{
	uint32_t local, count;
	const struct qry_source *s = qry_source_of(q, row, &local);
	struct sought_wait sought = { s->reader, local, 0 };

	count = idx_reader_ipi_wait_count(s->reader, local);
	if (count == 0) /* true of nearly all threads */
		return false;
	sought.time = qry_source_held(s, time);
	/* If no wait begins before, the number wraps to one that does not exist. */
	return wait_get(s, local, base_search(0, count, wait_begins, &sought) - 1, row, wait);
}

bool qry_ipi_wait_after(const struct qry *q, uint32_t row, int64_t time, struct mdl_ipi_wait *wait)
{
	uint32_t local, count;
	const struct qry_source *s = qry_source_of(q, row, &local);
	struct sought_wait sought = { s->reader, local, 0 };

	count = idx_reader_ipi_wait_count(s->reader, local);
	if (count == 0)
		return false;
	sought.time = qry_source_held(s, time);
	return wait_get(s, local, base_search(0, count, wait_is_over, &sought), row, wait);
}

/* ---- names ---- */

GPtrArray *qry_names(const struct qry *q, uint32_t row)
{
	uint32_t local;
	const struct qry_source *s = qry_source_of(q, row, &local);
	uint32_t count = idx_reader_name_count(s->reader, local);
	GPtrArray *array = g_ptr_array_new();

	for (uint32_t i = 0; i < count; i++) {
		const char *name = idx_reader_string(s->reader, idx_reader_name(s->reader, local, i).name);

		if (!g_ptr_array_find_with_equal_func(array, name, g_str_equal, NULL))
			g_ptr_array_add(array, (gpointer)name);
	}
	return array;
}

static char *plain_label(const struct qry_row *r)
{
	const char *name = *r->name != '\0' ? r->name : "?";

	switch (r->type) {
	case MDL_ROW_THREAD:
		if (r->nr == 0)
			return *r->name != '\0' ? g_strdup(r->name) : g_strdup_printf("idle/%u", r->cpu);
		return g_strdup_printf("%s[%" G_GINT64_FORMAT "]", name, r->nr);
	case MDL_ROW_CPU: return g_strdup_printf("CPU %" G_GINT64_FORMAT, r->nr);
	case MDL_ROW_IRQ: return g_strdup_printf("IRQ %" G_GINT64_FORMAT " %s", r->nr, name);
	case MDL_ROW_DEVICE: return g_strdup(name);
	case MDL_ROW_VCPU: return g_strdup_printf("vCPU of %s[%" G_GINT64_FORMAT "]", name, r->nr);
	default: return g_strdup_printf("softirq %s/%u", name, r->cpu);
	}
}

const char *qry_row_type_name(enum mdl_row_type type)
{
	static const char *const names[MDL_ROW_TYPES] = { [MDL_ROW_THREAD] = "thread",
		[MDL_ROW_CPU] = "cpu",
		[MDL_ROW_IRQ] = "irq",
		[MDL_ROW_SOFTIRQ] = "softirq",
		[MDL_ROW_VCPU] = "vcpu",
		[MDL_ROW_DEVICE] = "device" };

	return names[type];
}

char *qry_row_label(const struct qry *q, uint32_t row)
{
	const struct qry_row *r = &q->rows[row];
	char *plain = plain_label(r), *full;

	if (q->sources->len == 1)
		return plain;
	full = g_strdup_printf("%s/%s", qry_source(q, r->host)->name, plain);
	g_free(plain);
	return full;
}

char *qry_label_with_host(const struct qry *q, uint32_t host, char *label)
{
	gsize length = strcspn(label, "/:");
	bool names = label[length] == '/' || (label[length] == ':' && label[length + 1] == ' ');
	char *full;

	if (q->sources->len == 1)
		return label;
	for (uint32_t i = 0; names && i < q->sources->len; i++) {
		const char *name = qry_source(q, i)->name;

		if (!strncmp(name, label, length) && !name[length])
			return label;
	}
	full = g_strdup_printf("%s/%s", qry_source(q, host)->name, label);
	g_free(label);
	return full;
}
