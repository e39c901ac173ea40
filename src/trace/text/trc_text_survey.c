/* SPDX-License-Identifier: MIT */
/*
 * How it works: the heads of all lines are read once, and the file is cut into blocks at lines of events. A
 * block is for each CPU with events in it what a packet is in LTTng. So the reader knows for each CPU where
 * its events continue, however far away: a CPU that sleeps for an hour has no line in all blocks between.
 *
 * Between blocks may be lines without events, as in HTML the page around the script that has the text.
 */
#include "trace/text/trc_text.h"

#include "base/base_io.h"
#include "base/base_time.h"

#include <string.h>

#define BLOCK_SIZE (256 * 1024) /* bytes; then a block ends after a line */
#define BLOCK_MOST (64 * 1024 * 1024)
#define DETECT_BYTES (256 * 1024)
#define DETECT_HTML (32 * 1024 * 1024) /* bytes of a page in which the text must begin */
#define HEAD_LINES 200                 /* lines in which a text must have its first event */
#define THREAD_COST 128
#define BLOCK_COST 48
#define SCRIPT "<script class=\"trace-data\""

typedef struct trc_text_part part;

struct span {
	uint64_t begin, end; /* bytes of the file */
};

struct walk {
	struct trc_text_survey *s;  /* weak */
	struct trc_text_cpu **cpus; /* owned: by number; weak */
	int64_t *lasts;             /* owned: ns, of each CPU's last event */
	bool *meant;                /* owned: of each CPU: a thread was put on it */
	GArray *blocks;             /* owned, of struct span */
	bool open;                  /* the last block may get more lines */
	bool after_lost;     /* the line before reports lost events: the next event goes into its block */
	GHashTable *pending; /* owned: CPU → struct pending *, owned */
	uint64_t lines;
	bool inside; /* within a script of HTML */
};

/* Events lost before the next one of a CPU. */
struct pending {
	uint64_t count, offset; /* OFFSET: of the line that reports them */
};

/* ---- the head of the text ---- */

static bool has(part p, const char *text)
{
	return p.n > 0 && memmem(p.at, p.n, text, strlen(text));
}

static bool is_html(part text)
{
	part p = { text.at, MIN(text.n, 512) };

	while (p.n > 0 && g_ascii_isspace(*p.at))
		trc_text_skip(&p, 1);
	return p.n > 5 && *p.at == '<' &&
		(g_ascii_strncasecmp(p.at, "<!doctype html", MIN(p.n, 14)) == 0 ||
			g_ascii_strncasecmp(p.at, "<html", 5) == 0);
}

/* Read a line of perf script --header: "# os release : 6.1.0". */
static void take_head(char **slot, part line, const char *key)
{
	const char *colon = memchr(line.at, ':', line.n);

	if (!colon || !trc_text_begins(line, key))
		return;
	g_free(*slot);
	*slot = g_strstrip(g_strndup(colon + 1, line.n - (size_t)(colon + 1 - line.at)));
}

/* Read a line that begins with '#'. The lines with "=>" describe the columns of flags: "#  | / _---=>
 * hardirq/softirq" is the third. */
static void comment(struct trc_text_survey *s, part line, unsigned *columns)
{
	if (has(line, "=> ")) {
		if (has(line, "=> hardirq/softirq"))
			s->ways.context = MIN(*columns, 8);
		++*columns;
	}
	take_head(&s->host, line, "# hostname :");
	take_head(&s->release, line, "# os release :");
	take_head(&s->machine, line, "# arch :");
	take_head(&s->version, line, "# perf version :");
}

/* ---- blocks ---- */

static struct span *last_block(const struct walk *w)
{
	return &g_array_index(w->blocks, struct span, w->blocks->len - 1);
}

/* Add the line from BEGIN to END to the current block, or to a new one. HOLD: not to a new one. */
static void take_line(struct walk *w, uint64_t begin, uint64_t end, bool hold)
{
	struct span b = { begin, end };

	if (!w->open || (!hold && begin - last_block(w)->begin >= BLOCK_SIZE)) {
		g_array_append_val(w->blocks, b);
		w->open = true;
	}
	last_block(w)->end = end;
}

/* Note that C has an event in the current block. */
static void note_block(struct walk *w, struct trc_text_cpu *c)
{
	struct trc_text_block b = { .offset = last_block(w)->begin };
	const struct pending *lost = g_hash_table_size(w->pending) > 0
		? g_hash_table_lookup(w->pending, GUINT_TO_POINTER(c->cpu))
		: NULL;

	if (lost && lost->offset < b.offset) { /* else this block has the line */
		b.lost = true;
		b.count = lost->count;
	}
	if (lost)
		g_hash_table_remove(w->pending, GUINT_TO_POINTER(c->cpu));
	if ((c->blocks->len == 0 ||
		    g_array_index(c->blocks, struct trc_text_block, c->blocks->len - 1).offset != b.offset) &&
		trc_budget_spend(&w->s->budget, BLOCK_COST,
			"it has events of more CPUs than its size has room for"))
		g_array_append_val(c->blocks, b);
}

/* Set the sizes of C's blocks. */
static void set_sizes(const struct walk *w, struct trc_text_cpu *c)
{
	guint at = 0;

	for (guint i = 0; i < c->blocks->len; i++) {
		struct trc_text_block *b = &g_array_index(c->blocks, struct trc_text_block, i);

		while (g_array_index(w->blocks, struct span, at).begin != b->offset)
			at++;
		b->size = g_array_index(w->blocks, struct span, at).end - b->offset;
	}
}

static struct trc_text_cpu *survey_cpu(struct walk *w, uint32_t cpu)
{
	struct trc_text_cpu *c = w->cpus[cpu];

	if (c ||
		!trc_budget_spend(&w->s->budget, TRC_BUDGET_STREAM,
			"it has events of more CPUs than its size has room for"))
		return c;
	c = g_new0(struct trc_text_cpu, 1);
	c->cpu = cpu;
	c->blocks = g_array_new(FALSE, FALSE, sizeof(struct trc_text_block));
	w->cpus[cpu] = c;
	w->lasts[cpu] = BASE_TIME_NONE;
	g_ptr_array_add(w->s->cpus, c);
	return c;
}

/* ---- events ---- */

/* False if the program did not know the name and printed another COMM: "<...>" of the kernel and trace-cmd,
 * ":652" of perf (thread__comm_str(), tools/perf/util/thread.c). */
static bool is_name(part comm)
{
	return comm.n > 0 && *comm.at != ':' && !trc_text_is(comm, "<...>");
}

static void note_thread(struct walk *w, const struct trc_text_line *line)
{
	struct trc_text_survey *s = w->s;
	struct trc_text_thread *t;
	size_t n = MIN(line->comm.n, MDL_COMM - 1);

	if (line->tid <= 0 || (!is_name(line->comm) && line->pid < 0))
		return;
	t = g_hash_table_lookup(s->threads, GINT_TO_POINTER(line->tid));
	if (!t) {
		if (!trc_budget_spend(&s->budget, THREAD_COST,
			    "it names more threads than its size has room for"))
			return;
		t = g_new0(struct trc_text_thread, 1);
		t->pid = -1;
		g_hash_table_insert(s->threads, GINT_TO_POINTER(line->tid), t);
	}
	if (line->pid >= 0)
		t->pid = line->pid;
	/* trace-cmd report -l cuts names */
	if (!is_name(line->comm) || (n <= 8 && strlen(t->comm) > n && memcmp(t->comm, line->comm.at, n) == 0))
		return;
	memcpy(t->comm, line->comm.at, n);
	t->comm[n] = '\0';
}

/* Note the old letters of states: "rcu_preempt:18 [120] W ==> swapper/0:0 [120]". Since Linux 4.14 the kernel
 * has I instead of W. */
static void note_letters(struct trc_text_survey *s, const struct trc_text_line *line)
{
	const char *arrow = s->ways.old_letters ? NULL : memmem(line->fields.at, line->fields.n, " ==> ", 5);

	if (arrow && arrow - line->fields.at > 2 && arrow[-1] == 'W' && arrow[-2] == ' ')
		s->ways.old_letters = true;
}

/* Note if LINE, of an event of KIND, shows that the kernel is PREEMPT_RT or is not (proofs.md R17.2). */
static void note_kernel(struct trc_text_survey *s, const struct trc_text_line *line, enum mdl_kind kind)
{
	bool wakes = kind == MDL_EV_SCHED_WAKING || kind == MDL_EV_SCHED_WAKEUP;

	/* report -l cuts off "/0" */
	s->has_rt_thread |= trc_text_begins(line->comm, "irq_work");
	s->idle_serves |= line->tid == 0 &&
		(kind == MDL_EV_SOFTIRQ_ENTRY || (wakes && line->told & MDL_TOLD_SOFTIRQ));
}

/* Return the tool that printed LINE. trace-cmd report aligns the fields. */
static enum trc_text_tool tool_of(const struct trc_text_line *line)
{
	bool aligned = line->fields.at - (line->event.at + line->event.n) > 2;

	return line->tool == TRC_TEXT_KERNEL && aligned ? TRC_TEXT_TRACE_CMD : line->tool;
}

static void note_time(struct walk *w, const struct trc_text_line *line)
{
	struct trc_text_survey *s = w->s;
	int64_t *last = &w->lasts[line->cpu];

	s->coarse |= line->digits < 9 && line->digits > 0;
	s->counts |= line->digits == 0;
	s->unsorted |= line->time < s->last && *last <= line->time;
	*last = MAX(*last, line->time);
	s->first = MIN(s->first, line->time);
	s->last = MAX(s->last, line->time);
}

static void note_event(struct walk *w, const struct trc_text_line *line, uint64_t begin, uint64_t end)
{
	struct trc_text_survey *s = w->s;
	const struct trc_text_class *class;
	struct trc_text_cpu *c;
	uint32_t aim;

	if (line->cpu >= TRC_CPUS_MAX) {
		s->far++;
		return;
	}
	c = survey_cpu(w, line->cpu);
	class = trc_text_classes_get(s->classes, line);
	if (!c || !class)
		return;
	take_line(w, begin, end, w->after_lost || trc_text_class_is_stack(class));
	note_block(w, c);
	note_thread(w, line);
	if (s->events++ == 0) {
		s->flags = line->told != 0;
		if (s->ways.tool == TRC_TEXT_TOOLS)
			s->ways.tool = tool_of(line);
		s->first = s->last = line->time;
	}
	note_time(w, line);
	note_kernel(s, line, trc_text_class_kind(class));
	if (trc_text_class_kind(class) == MDL_EV_SCHED_SWITCH)
		note_letters(s, line);
	aim = trc_text_class_aim(class, line);
	if (aim < TRC_CPUS_MAX)
		w->meant[aim] = true;
}

static void note_lost(struct walk *w, const struct trc_text_line *line, uint64_t begin, uint64_t end)
{
	struct pending *p = g_hash_table_lookup(w->pending, GUINT_TO_POINTER(line->cpu));

	if (line->cpu >= TRC_CPUS_MAX)
		return;
	if (!p) {
		if (!trc_budget_spend(&w->s->budget, THREAD_COST,
			    "it has events of more CPUs than its size has room for"))
			return;
		p = g_new0(struct pending, 1);
		g_hash_table_insert(w->pending, GUINT_TO_POINTER(line->cpu), p);
	}
	take_line(w, begin, end, w->after_lost);
	p->count += line->lost;
	p->offset = begin;
}

/* ---- all lines ---- */

/* In HTML, only scripts have the text of a trace. */
static void follow_html(struct walk *w, part line)
{
	if (has(line, "</script"))
		w->inside = false;
	if (has(line, SCRIPT))
		w->inside = true;
	w->open &= w->inside;
}

/* Note a line from BEGIN to END that is no event. */
static void note_other(struct walk *w, enum trc_text_what what, part text, uint64_t begin, uint64_t end)
{
	struct trc_text_survey *s = w->s;

	switch (what) {
	case TRC_TEXT_STACK:
		if (w->open && end - last_block(w)->begin <= BLOCK_MOST)
			take_line(w, begin, end, true);
		break;
	case TRC_TEXT_NO_CPU: s->no_cpu++; break;
	case TRC_TEXT_OTHER:
		if (s->events == 0 && trc_text_begins(text, "cpus="))
			s->ways.tool = TRC_TEXT_TRACE_CMD;
		if (s->events > 0 && s->strange++ == 0)
			s->strange_at = w->lines;
		break;
	default: break;
	}
}

static void survey_walk(struct walk *w)
{
	struct trc_text_survey *s = w->s;
	part rest = s->file.text, text;
	unsigned columns = 0;
	enum trc_text_what what = TRC_TEXT_COMMENT;

	while (!s->budget.refused && trc_text_next(&rest, &text)) {
		uint64_t begin = (uint64_t)(text.at - s->file.text.at),
			 end = (uint64_t)(rest.at - s->file.text.at);
		struct trc_text_line line;

		w->lines++;
		trc_text_file_use(&s->file, end - begin);
		if (s->html && memchr(text.at, '<', text.n))
			follow_html(w, text);
		if (s->html && !w->inside)
			continue;
		what = trc_text_line_read(text, s->ways.context, &line);
		if (what == TRC_TEXT_EVENT)
			note_event(w, &line, begin, end);
		else if (what == TRC_TEXT_LOST)
			note_lost(w, &line, begin, end);
		else if (what == TRC_TEXT_COMMENT && s->events == 0)
			comment(s, text, &columns);
		else
			note_other(w, what, text, begin, end);
		w->after_lost = what == TRC_TEXT_LOST;
	}
	s->cut = (s->html && w->inside) ||
		(s->file.text.n > 0 && s->file.text.at[s->file.text.n - 1] != '\n' && what == TRC_TEXT_OTHER);
}

static int by_cpu(gconstpointer a, gconstpointer b)
{
	const struct trc_text_cpu *const *x = a, *const *y = b;

	return ((*x)->cpu > (*y)->cpu) - ((*x)->cpu < (*y)->cpu);
}

/* Finish what needs all lines: CPUs without events, sizes of blocks, losses at the end. */
static void survey_settle(struct walk *w)
{
	struct trc_text_survey *s = w->s;

	for (uint32_t i = 0; i < TRC_CPUS_MAX; i++)
		if (w->meant[i] && !w->cpus[i] && s->cpus->len > 0)
			g_array_append_val(s->absent, i);
	for (guint i = 0; i < s->cpus->len; i++) {
		struct trc_text_cpu *c = g_ptr_array_index(s->cpus, i);
		const struct pending *lost = g_hash_table_lookup(w->pending, GUINT_TO_POINTER(c->cpu));

		set_sizes(w, c);
		c->lost_rest = lost;
		c->rest = lost ? lost->count : 0;
	}
	g_ptr_array_sort(s->cpus, by_cpu);
}

static void cpu_free(void *data)
{
	struct trc_text_cpu *c = data;

	g_array_unref(c->blocks);
	g_free(c);
}

struct trc_text_survey *trc_text_survey_new(const char *path, GError **error)
{
	struct trc_text_survey *s = g_new0(struct trc_text_survey, 1);
	struct walk w = { .s = s };

	if (!trc_text_file_open(&s->file, path, error)) {
		g_free(s);
		return NULL;
	}
	s->budget = trc_budget_of(s->file.text.n);
	s->ways = (struct trc_text_ways){ .tool = TRC_TEXT_TOOLS, .context = TRC_TEXT_CONTEXT };
	s->classes = trc_text_classes_new(&s->budget);
	s->cpus = g_ptr_array_new_with_free_func(cpu_free);
	s->threads = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	s->absent = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	s->html = is_html(s->file.text);
	w.cpus = g_new0(struct trc_text_cpu *, TRC_CPUS_MAX);
	w.lasts = g_new(int64_t, TRC_CPUS_MAX);
	w.meant = g_new0(bool, TRC_CPUS_MAX);
	w.blocks = g_array_new(FALSE, FALSE, sizeof(struct span));
	w.pending = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	survey_walk(&w);
	survey_settle(&w);
	g_free(w.cpus);
	g_free(w.lasts);
	g_free(w.meant);
	g_array_unref(w.blocks);
	g_hash_table_unref(w.pending);
	return s;
}

void trc_text_survey_free(void *survey)
{
	struct trc_text_survey *s = survey;

	trc_text_file_close(&s->file);
	trc_text_classes_free(s->classes);
	g_ptr_array_unref(s->cpus);
	g_hash_table_unref(s->threads);
	g_array_unref(s->absent);
	g_free(s->host);
	g_free(s->release);
	g_free(s->machine);
	g_free(s->version);
	g_free(s);
}

/* ---- detection ---- */

/* True if TEXT, the begin of a file, has an event in its first lines. */
static bool has_event(part text, bool *flags)
{
	part line;

	for (unsigned i = 0; i < HEAD_LINES && trc_text_next(&text, &line); i++) {
		struct trc_text_line l;

		switch (trc_text_line_read(line, TRC_TEXT_CONTEXT, &l)) {
		case TRC_TEXT_EVENT: *flags = l.told != 0; return true;
		case TRC_TEXT_NO_CPU: return true;
		default: break;
		}
	}
	return false;
}

bool trc_text_detect(const char *path, bool *is, bool *flags)
{
	g_autofree char *bytes = g_malloc(DETECT_BYTES);
	ssize_t got = base_io_begin(path, bytes, DETECT_BYTES);
	part text = { bytes, got > 0 ? (size_t)got : 0 };
	struct trc_text_file f = { .map = NULL };
	const char *script;

	*is = *flags = false;
	if (got < 0)
		return false;
	if (is_html(text) && trc_text_file_open(&f, path, NULL)) {
		text = (part){ f.text.at, MIN(f.text.n, DETECT_HTML) };
		script = text.n > 0 ? memmem(text.at, text.n, SCRIPT, strlen(SCRIPT)) : NULL;
		*is = script;
		text = script ? (part){ script, f.text.n - (size_t)(script - f.text.at) }
			      : (part){ bytes, 0 };
	}
	*is |= trc_text_begins(text, "# tracer:") || trc_text_begins(text, "TRACE:\n# tracer:");
	*is |= has_event(text, flags);
	if (f.map)
		trc_text_file_close(&f);
	return true;
}
