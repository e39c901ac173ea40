/* SPDX-License-Identifier: MIT */
/*
 * How it works: a TID and a birth identify a thread. Two levels of pages find live threads by TID. A fork of
 * a TID that is still in the table ends the thread that had it, because the kernel frees a thread's structure
 * some time after its TID can be used again. TID 0 is the idle thread, one per CPU.
 */
#include "model/core/thread.h"

#include "model/core/cpu.h"
#include "model/core/gap.h"
#include "model/core/missing.h"

#define PAGE 1024
#define PAGES G_N_ELEMENTS(((struct mdl_threads *)0)->pages)
#define TIDS ((uint64_t)(PAGES * PAGE))

void mdl_thread_forget(struct mdl_machine *m, struct mdl_thread *t, int64_t since)
{
	for (const struct mdl_part *const *p = m->parts; *p; p++)
		if ((*p)->forget)
			(*p)->forget(m, t, since);
}

/* Free T without its row, which the tracks own. */
static void thread_free(const struct mdl_machine *m, struct mdl_thread *t)
{
	for (const struct mdl_part *const *p = m->parts; *p; p++)
		if ((*p)->clear_thread)
			(*p)->clear_thread(t);
	g_free(t->call);
	g_free(t);
}

static void free_threads(const struct mdl_machine *m, GPtrArray *threads)
{
	for (guint i = 0; i < threads->len; i++)
		thread_free(m, g_ptr_array_index(threads, i));
	g_ptr_array_set_size(threads, 0);
}

void mdl_thread_free_ended(struct mdl_machine *m)
{
	free_threads(m, m->threads.ended);
}

void mdl_thread_init(struct mdl_threads *threads)
{
	threads->living = g_ptr_array_new();
	threads->ended = g_ptr_array_new();
}

void mdl_thread_free_all(struct mdl_machine *m)
{
	struct mdl_threads *threads = &m->threads;

	free_threads(m, threads->living);
	free_threads(m, threads->ended);
	g_ptr_array_unref(threads->living);
	g_ptr_array_unref(threads->ended);
	for (size_t i = 0; i < PAGES; i++) {
		g_free(threads->pages[i]);
		g_free(threads->freed[i]);
	}
	g_clear_pointer(&threads->saved, g_hash_table_unref);
}

/* ---- what the recording has apart from its events ---- */

struct saved {
	int64_t pid;
	char *name; /* owned */
};

static void free_saved(gpointer data)
{
	g_free(((struct saved *)data)->name);
	g_free(data);
}

void mdl_thread_saved(struct mdl_machine *m, int64_t tid, int64_t pid, const char *name)
{
	gpointer key = (gpointer)(intptr_t)tid;
	struct saved *s;

	if (!m->threads.saved)
		m->threads.saved = g_hash_table_new_full(NULL, NULL, NULL, free_saved);
	s = g_hash_table_lookup(m->threads.saved, key);
	if (!s) {
		s = g_new(struct saved, 1);
		*s = (struct saved){ .pid = -1 };
		g_hash_table_insert(m->threads.saved, key, s);
	}
	s->pid = pid != -1 ? pid : s->pid;
	if (name) {
		g_free(s->name);
		s->name = g_strdup(name);
	}
}

void mdl_thread_recall(struct mdl_machine *m)
{
	for (guint i = 0; m->threads.saved && i < m->threads.living->len; i++) {
		struct mdl_thread *t = g_ptr_array_index(m->threads.living, i);
		const struct saved *s = g_hash_table_lookup(m->threads.saved, (gpointer)(intptr_t)t->tid);

		if (!s || t->tid == 0)
			continue;
		if (t->track->row.pid == -1)
			t->track->row.pid = s->pid;
		if (!t->has_comm && s->name)
			mdl_thread_name(m, t, s->name);
	}
}

static struct mdl_thread **thread_slot_of(struct mdl_machine *m, int64_t tid)
{
	struct mdl_thread ***page;

	if ((uint64_t)tid >= TIDS) {
		m->threads.bad_tids++;
		return NULL;
	}
	page = &m->threads.pages[tid / PAGE];
	if (!*page)
		*page = g_new0(struct mdl_thread *, PAGE);
	return &(*page)[tid % PAGE];
}

static struct mdl_thread *thread_new(struct mdl_machine *m, int64_t tid, int64_t first)
{
	struct mdl_thread *t = g_new0(struct mdl_thread, 1);

	t->track = mdl_track_new(m, MDL_ROW_THREAD, tid, first);
	t->tid = tid;
	t->cpu = MDL_NONE;
	t->phase_since = t->dumped_at = t->active_since = MDL_NEVER;
	t->priority = MDL_PRIORITY_NONE;
	t->place = m->threads.living->len;
	g_ptr_array_add(m->threads.living, t);
	mdl_thread_refresh(m, t);
	return t;
}

static struct mdl_thread *idle_thread(struct mdl_machine *m, uint32_t cpu)
{
	struct mdl_cpu *c = mdl_cpu_get(m, cpu);

	if (!c->idle) {
		c->idle = thread_new(m, 0, m->from);
		c->idle->track->row.cpu = cpu;
		c->idle->track->row.pid = 0;
	}
	return c->idle;
}

/* Note that no thread has TID from now on. */
static void note_freed(struct mdl_machine *m, int64_t tid)
{
	int64_t **page = &m->threads.freed[tid / PAGE];

	if (m->threads.has_births)
		return;
	if (!*page) {
		*page = g_new(int64_t, PAGE);
		for (unsigned i = 0; i < PAGE; i++)
			(*page)[i] = MDL_NEVER;
	}
	(*page)[tid % PAGE] = m->now;
}

/* The earliest time from which thread TID, which is new to the model, may have lived. */
static int64_t begin_of(const struct mdl_machine *m, int64_t tid)
{
	const int64_t *page = m->threads.freed[tid / PAGE];

	return page && page[tid % PAGE] != MDL_NEVER ? page[tid % PAGE] : m->from;
}

/* The rest of mdl_thread_get() for a TID without a slot, apart so that mdl_thread_get() stays short. */
G_NO_INLINE static struct mdl_thread *get_other(struct mdl_machine *m, int64_t tid, uint32_t cpu)
{
	struct mdl_thread **slot;

	if (tid == 0)
		return idle_thread(m, cpu);
	slot = thread_slot_of(m, tid);
	if (slot)
		*slot = thread_new(m, tid, begin_of(m, tid));
	return slot ? *slot : NULL;
}

struct mdl_thread *mdl_thread_get(struct mdl_machine *m, int64_t tid, uint32_t cpu)
{
	uint64_t n = (uint64_t)tid;
	struct mdl_thread **page = n < TIDS ? m->threads.pages[n / PAGE] : NULL;

	return G_LIKELY(page && page[n % PAGE]) ? page[n % PAGE] : get_other(m, tid, cpu);
}

struct mdl_thread *mdl_thread_peek(struct mdl_machine *m, int64_t tid)
{
	struct mdl_thread **slot = tid == 0 ? NULL : thread_slot_of(m, tid);

	return slot ? *slot : NULL;
}

bool mdl_thread_call_is(const struct mdl_machine *m, uint32_t call, const char *const *names)
{
	return call != 0 && g_strv_contains(names, base_strings_get(m->strings, call));
}

/* Take T from the living threads. The next event frees it. */
static void bury(struct mdl_machine *m, struct mdl_thread *t)
{
	g_ptr_array_steal_index_fast(m->threads.living, t->place);
	if (t->place < m->threads.living->len)
		((struct mdl_thread *)g_ptr_array_index(m->threads.living, t->place))->place = t->place;
	g_ptr_array_add(m->threads.ended, t);
}

/* End the life of T at TIME: now, or earlier if it exited before and nothing is known since. */
static void end_life(struct mdl_machine *m, struct mdl_thread *t, int64_t time)
{
	struct mdl_thread **slot = thread_slot_of(m, t->tid);

	mdl_thread_doubt(m, t);
	for (const struct mdl_part *const *p = m->parts; *p; p++)
		if ((*p)->over)
			(*p)->over(m, t);
	t->track->row.died = true;
	mdl_track_end(m, t->track, time);
	if (slot && *slot == t)
		*slot = NULL;
	for (guint i = 0; i < m->cpus->len; i++) {
		struct mdl_cpu *c = g_ptr_array_index(m->cpus, i);

		if (!c || c->current != t)
			continue;
		c->current = NULL;
		mdl_cpu_refresh(m, i);
	}
	bury(m, t);
}

struct mdl_thread *mdl_thread_born(struct mdl_machine *m, int64_t tid)
{
	struct mdl_thread **slot = tid == 0 ? NULL : thread_slot_of(m, tid);

	if (!slot)
		return NULL;
	m->threads.has_births = true;
	if (*slot)
		end_life(m, *slot, m->now);
	*slot = thread_new(m, tid, m->now);
	(*slot)->track->row.born = true;
	mdl_thread_set_phase(m, *slot, MDL_PH_NEW, MDL_NONE);
	return *slot;
}

struct mdl_thread *mdl_thread_again(struct mdl_machine *m, struct mdl_thread *t)
{
	struct mdl_thread **slot = thread_slot_of(m, t->tid);
	const struct mdl_track *track = t->track;
	int64_t over = track->has_open && track->open.state == MDL_ST_EXITED ? track->open.from : m->now;

	if (!slot || *slot != t)
		return t;
	end_life(m, t, over);
	*slot = thread_new(m, t->tid, over);
	return *slot;
}

bool mdl_thread_is_over(const struct mdl_thread *t)
{
	return t->phase == MDL_PH_EXITED && t->phase_since != MDL_NEVER;
}

bool mdl_thread_is_called(const struct mdl_thread *t, const char *comm)
{
	return !t->has_comm || !comm || !strncmp(t->comm, comm, MDL_COMM - 1);
}

static void set_name(struct mdl_machine *m, struct mdl_thread *t, const char *name)
{
	uint32_t id = base_strings_add_hostile(m->strings, name, (gssize)strnlen(name, MDL_COMM - 1));

	/* a fork may name the thread whose TID it reuses */
	if (id == 0 || id == t->track->row.name || !t->track->has_open)
		return;
	t->track->row.name = id;
	m->sink->name(m->data, t->track->id, m->now, id);
}

void mdl_thread_name(struct mdl_machine *m, struct mdl_thread *t, const char *comm)
{
	if (!comm || (t->has_comm && !strncmp(t->comm, comm, MDL_COMM - 1)))
		return;
	memset(t->comm, 0, sizeof t->comm);
	memcpy(t->comm, comm, strnlen(comm, MDL_COMM - 1));
	t->has_comm = true;
	set_name(m, t, t->comm);
}

static void show_running(struct mdl_machine *m, struct mdl_thread *t)
{
	const struct mdl_cpu *c = mdl_cpu_get(m, t->cpu);

	if (c->gap != MDL_GAP_NONE || (!mdl_missing_none(&m->missing) && mdl_missing_hides_run(m, t)))
		mdl_track_set(m, t->track, m->now, MDL_ST_UNKNOWN, 0, MDL_NONE);
	else if (mdl_cpu_is_interrupted(c))
		mdl_track_set(m, t->track, m->now, MDL_ST_INTERRUPTED, c->stack[c->depth - 1].context,
			t->cpu);
	else
		mdl_track_set(m, t->track, m->now, mdl_thread_runs(t), mdl_thread_call(t), t->cpu);
}

static bool thread_waits(const struct mdl_thread *t)
{
	return t->phase != MDL_PH_RUN && t->phase != MDL_PH_EXITED && t->phase != MDL_PH_UNKNOWN;
}

static void thread_show(struct mdl_machine *m, struct mdl_thread *t)
{
	static const uint8_t states[] = { [MDL_PH_UNKNOWN] = MDL_ST_UNKNOWN,
		[MDL_PH_RUN] = MDL_ST_RUNNING,
		[MDL_PH_WAIT_CPU] = MDL_ST_WAIT_CPU,
		[MDL_PH_PREEMPTED] = MDL_ST_PREEMPTED,
		[MDL_PH_BLOCKED] = MDL_ST_BLOCKED,
		[MDL_PH_NEW] = MDL_ST_NEW,
		[MDL_PH_EXITED] = MDL_ST_EXITED };
	int64_t time;

	if (t->phase == MDL_PH_RUN) {
		show_running(m, t);
		return;
	}
	/* A new thread's history begins with its birth, an older one's with the trace. */
	time = t->track->has_open ? m->now : t->track->row.first;
	/* A thread that does not run may have been woken, and may have run, on a CPU that is losing
	 * events. */
	if (m->gaps.open > 0 && t->phase != MDL_PH_EXITED &&
		!(t->phase == MDL_PH_BLOCKED && mdl_gap_holds(&m->gaps, m->now, t->tid, t->phase_since)))
		mdl_track_set(m, t->track, time, MDL_ST_UNKNOWN, 0, MDL_NONE);
	else if (!mdl_missing_none(&m->missing) && thread_waits(t) && mdl_missing_hides_wait(m, t))
		mdl_track_set(m, t->track, time, MDL_ST_UNKNOWN, 0, t->cpu);
	else
		mdl_track_set(m, t->track, time, states[t->phase], t->phase == MDL_PH_BLOCKED ? t->block : 0,
			t->cpu);
}

void mdl_thread_doubt(struct mdl_machine *m, struct mdl_thread *t)
{
	if (!mdl_missing_none(&m->missing) && t && thread_waits(t) && mdl_missing_hides_wait(m, t))
		mdl_thread_disbelieve(m, t);
}

void mdl_thread_disbelieve(struct mdl_machine *m, struct mdl_thread *t)
{
	if (!t->track->has_open)
		return;
	mdl_thread_forget(m, t, MDL_NEVER);
	t->phase = MDL_PH_UNKNOWN;
	t->mode = MDL_MODE_UNKNOWN;
	mdl_track_set(m, t->track, t->track->open.from, MDL_ST_UNKNOWN, 0, t->cpu);
}

void mdl_thread_refresh(struct mdl_machine *m, struct mdl_thread *t)
{
	thread_show(m, t);
	for (const struct mdl_part *const *p = m->parts; t->vcpu && *p; p++)
		if ((*p)->refresh)
			(*p)->refresh(m, t);
}

void mdl_thread_set_phase(struct mdl_machine *m, struct mdl_thread *t, enum mdl_phase phase, uint32_t cpu)
{
	t->phase = (uint8_t)phase;
	t->phase_since = m->now;
	t->placed = t->is_first = false;
	if (cpu != MDL_NONE)
		t->cpu = cpu;
	mdl_thread_refresh(m, t);
}

static int64_t known_or(int64_t arg, int64_t otherwise)
{
	return arg == MDL_ARG_ABSENT ? otherwise : arg;
}

/* A new thread of a process has the parent of the process. A new process has the forking process as
 * parent. */
static void set_family(struct mdl_row *child, int64_t child_pid, const struct mdl_thread *parent,
	int64_t parent_pid)
{
	child->pid = child_pid;
	child->parent = parent->track->id;
	if (child_pid == -1)
		return;
	if (child_pid == parent_pid)
		child->ppid = parent->track->row.ppid;
	else
		child->ppid = parent_pid != -1 ? parent_pid : parent->tid;
}

/* A birth may come twice, from perf's own record (ASIDE) and from a tracepoint (copy_process(), then
 * kernel_clone(), kernel/fork.c). The kernel does not reuse a TID before its thread has run. So a thread of
 * this parent that has not run is this thread. */
static struct mdl_thread *born_of(struct mdl_machine *m, const struct mdl_thread *parent, int64_t tid,
	bool aside)
{
	struct mdl_thread *t = mdl_thread_peek(m, tid);

	return t && parent && (t->born_aside || aside) && mdl_thread_is_new(t) &&
			t->track->row.parent == parent->track->id
		? t
		: mdl_thread_born(m, tid);
}

void mdl_thread_fork(struct mdl_machine *m, const struct mdl_event *e)
{
	struct mdl_thread *parent = NULL, *child;
	int64_t parent_pid;

	if (e->arg[MDL_FORK_PARENT_TID] != MDL_ARG_ABSENT)
		parent = mdl_thread_get(m, e->arg[MDL_FORK_PARENT_TID], e->cpu);
	child = born_of(m, parent, e->arg[MDL_FORK_CHILD_TID], e->aside);
	if (!child)
		return;
	child->born_aside = e->aside;
	for (const struct mdl_part *const *p = m->parts; *p; p++)
		if ((*p)->born)
			(*p)->born(m, child, parent);
	mdl_thread_name(m, child, e->text[1]);
	if (!parent)
		return;
	mdl_thread_name(m, parent, e->text[0]);
	if (e->aside && !child->has_comm &&
		parent->has_comm) /* dup_task_struct() copies the name (kernel/fork.c) */
		mdl_thread_name(m, child, parent->comm);
	if (parent->track->row.pid == -1)
		parent->track->row.pid = known_or(e->arg[MDL_FORK_PARENT_PID], -1);
	parent_pid = parent->track->row.pid;
	set_family(&child->track->row, known_or(e->arg[MDL_FORK_CHILD_PID], child->track->row.pid), parent,
		parent_pid);
	if (!mdl_machine_has_calls(m, child->tid))
		return;
	child->mode = parent->mode; /* it returns from the same system call */
	child->syscall = parent->syscall;
	child->is_numbered = parent->is_numbered;
	child->is_wide = parent->is_wide;
}

/* The new name is the last part of the file's path (begin_new_exec(), fs/exec.c). */
static void name_from_file(struct mdl_machine *m, struct mdl_thread *t, const char *file)
{
	const char *slash;

	if (!file)
		return;
	slash = strrchr(file, '/');
	mdl_thread_name(m, t, slash ? slash + 1 : file);
}

/* A thread that executes a file becomes the leader of its process. If it was not, it takes the leader's TID
 * (de_thread(), fs/exec.c). */
static void take_over(struct mdl_machine *m, struct mdl_thread *t, int64_t tid)
{
	struct mdl_thread **to = thread_slot_of(m, tid), **from = thread_slot_of(m, t->tid);

	if (!to || !from || *to == t)
		return;
	if (*to)
		end_life(m, *to, m->now);
	*to = t;
	*from = NULL;
	t->tid = t->track->row.nr = tid;
}

void mdl_thread_exec(struct mdl_machine *m, const struct mdl_event *e)
{
	int64_t tid = e->arg[MDL_EXEC_TID], old = known_or(e->arg[MDL_EXEC_OLD_TID], tid);
	struct mdl_thread *t;

	if (tid == 0 || old == 0)
		return;
	t = mdl_thread_get(m, old, e->cpu);
	if (!t)
		return;
	if (old != tid)
		take_over(m, t, tid);
	if (t->track->row.pid == -1)
		t->track->row.pid = tid;
	name_from_file(m, t, e->text[0]);
}

/* True if T, last on CPU (MDL_ARG_ABSENT: unknown), surely does not run now. */
static bool surely_off_cpu(const struct mdl_machine *m, const struct mdl_thread *t, int64_t cpu)
{
	const struct mdl_cpu *c;

	if (cpu != MDL_ARG_ABSENT) {
		c = cpu >= 0 && cpu < m->cpus->len ? g_ptr_array_index(m->cpus, cpu) : NULL;
		return c && c->current && c->current != t;
	}
	for (guint i = 0; i < m->cpus->len; i++) {
		c = g_ptr_array_index(m->cpus, i);
		if (c && (!c->current || c->current == t))
			return false;
	}
	return m->cpus->len > 0;
}

/* enum lttng_process_status of lttng-modules src/lttng-statedump-impl.c */
enum { DUMP_EXIT = 3, DUMP_ZOMBIE = 4, DUMP_WAIT = 5, DUMP_DEAD = 7 };

static void remember_dump(const struct mdl_machine *m, struct mdl_thread *t, int64_t cpu)
{
	t->dumped_at = m->now;
	t->dumped_cpu = cpu;
}

/* True if each CPU except CPU, which switches now, has switched threads. */
static bool have_all_settled(const struct mdl_machine *m, uint32_t cpu)
{
	for (guint i = 0; i < m->cpus->len; i++) {
		const struct mdl_cpu *c = g_ptr_array_index(m->cpus, i);

		if (i != cpu && c && !c->settled)
			return false;
	}
	return true;
}

void mdl_thread_settle(struct mdl_machine *m, uint32_t cpu, const struct mdl_thread *prev)
{
	for (guint i = 0; i < m->threads.living->len; i++) {
		struct mdl_thread *t = g_ptr_array_index(m->threads.living, i);

		if (t == prev || !t->track->has_open || t->phase != MDL_PH_UNKNOWN ||
			t->dumped_at < t->track->open.from)
			continue;
		if (t->dumped_cpu != (int64_t)cpu &&
			(t->dumped_cpu != MDL_ARG_ABSENT || !have_all_settled(m, cpu)))
			continue;
		t->phase = MDL_PH_BLOCKED;
		t->phase_since = MDL_NEVER; /* it waited before the dump */
		mdl_track_set(m, t->track, t->dumped_at, MDL_ST_BLOCKED, MDL_BLOCK_UNKNOWN, t->cpu);
	}
}

void mdl_thread_dumped(struct mdl_machine *m, const struct mdl_event *e)
{
	int64_t status = e->arg[MDL_DUMP_STATUS];
	struct mdl_thread *t;

	if (e->arg[MDL_DUMP_TID] == 0)
		return;
	t = mdl_thread_get(m, e->arg[MDL_DUMP_TID], e->cpu);
	if (!t)
		return;
	t->track->row.pid = known_or(e->arg[MDL_DUMP_PID], t->track->row.pid);
	t->track->row.ppid = known_or(e->arg[MDL_DUMP_PPID], t->track->row.ppid);
	if (!t->has_comm && e->text[0])
		mdl_thread_name(m, t, e->text[0]);
	if (t->phase != MDL_PH_UNKNOWN)
		return;
	if (status == DUMP_WAIT &&
		(surely_off_cpu(m, t, e->arg[MDL_DUMP_CPU]) ||
			mdl_gap_holds(&m->gaps, m->now, t->tid, MDL_NEVER)))
		mdl_thread_set_phase(m, t, MDL_PH_BLOCKED, MDL_NONE);
	else if (status == DUMP_WAIT)
		remember_dump(m, t, e->arg[MDL_DUMP_CPU]);
	else if (status == DUMP_EXIT || status == DUMP_ZOMBIE || status == DUMP_DEAD)
		mdl_thread_set_phase(m, t, MDL_PH_EXITED, MDL_NONE);
	t->phase_since = MDL_NEVER; /* it began before the dump */
}

void mdl_thread_freed(struct mdl_machine *m, const struct mdl_event *e)
{
	struct mdl_thread *t = mdl_thread_peek(m, e->arg[MDL_EXIT_TID]);

	/* The structure of a thread may be freed after its TID has a new owner. The new owner lives on. */
	if (!t || (t->phase != MDL_PH_EXITED && (t->phase != MDL_PH_UNKNOWN || t->track->row.born)))
		return;
	end_life(m, t, m->now);
	note_freed(m, e->arg[MDL_EXIT_TID]);
}
