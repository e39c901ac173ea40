/* SPDX-License-Identifier: MIT */
/*
 * How it works: all recordings of a watch are of one machine and one clock; each is a host of the experiment.
 * The meter of the watch and the recording stamp the same event one after the other, so a hit is the case of
 * its thread and kind whose begin and end are nearest to the reported ones.
 */
#include "analysis/watched/watched.h"

#include "analysis/latency/latency.h"
#include "analysis/overview/overview.h"
#include "base/base_error.h"
#include "base/base_search.h"
#include "base/base_time.h"
#include "query/clock/clock.h"

#include <math.h>
#include <string.h>

#define HOUR INT64_C(3600000000000)
#define NEAR \
	INT64_C(5000000) /* ns by which meter and recording may differ: an interrupt may run in between */

/* ---- hits ---- */

/* The host whose recording is FILE of FOLDER; MDL_NONE: not open. */
static uint32_t host_of(const struct qry *q, const char *folder, const char *file)
{
	g_autofree char *path = g_canonicalize_filename(file, folder);

	for (uint32_t i = 0; i < qry_host_count(q); i++) {
		const char *trace = qry_host(q, i)->meta->path;
		g_autofree char *name = g_path_get_basename(trace);

		if (g_str_equal(trace, path) || (qry_host_count(q) == 1 && g_str_equal(name, file)))
			return i;
	}
	return MDL_NONE;
}

/* Find the thread of H. */
static void watched_find(const struct qry *q, struct ana_watched_hit *h)
{
	const struct watch_hit *hit = h->hit;
	g_autofree char *spec = NULL;
	int64_t time = qry_shown_time(q, h->host, hit->time);

	h->to = time;
	h->from = time - hit->value;
	spec = g_strdup_printf("%s/%d@%" G_GINT64_FORMAT, qry_host(q, h->host)->name, hit->tid, (gint64)time);
	if (hit->tid <= 0 || !qry_find_thread(q, spec, &h->row, NULL))
		h->row = MDL_NONE;
}

static int watched_order(gconstpointer a, gconstpointer b)
{
	const struct ana_watched_hit *x = a, *y = b;

	return BASE_BY(x->hit, y->hit, typical) ?: BASE_BY(x->hit, y->hit, trigger)
		?: BASE_BY(y->hit, x->hit, value) ?: BASE_BY(x->hit, y->hit, number);
}

static void clear_hit(gpointer data)
{
	g_free(((struct ana_watched_hit *)data)->text);
}

static void add_hits(struct ana_watched *w, const struct qry *q)
{
	/* The paths of traces are real, too. */
	char *real = realpath(w->manifest->folder, NULL);

	for (guint i = 0; i < w->manifest->hits->len; i++) {
		const struct watch_hit *hit = &g_array_index(w->manifest->hits, struct watch_hit, i);
		const struct watch_trigger *t = watch_manifest_trigger_at(w->manifest, hit->trigger);
		struct ana_watched_hit h = { .hit = hit,
			.trigger = t->text,
			.kind = t->kind,
			.host = MDL_NONE,
			.row = MDL_NONE,
			.from = BASE_TIME_NONE,
			.to = BASE_TIME_NONE };

		if (!hit->file)
			continue;
		h.host = host_of(q, real ? real : w->manifest->folder, hit->file);
		if (h.host != MDL_NONE)
			watched_find(q, &h);
		g_array_append_val(w->hits, h);
	}
	free(real);
	g_array_sort(w->hits, watched_order);
}

/* ---- sums ---- */

static int hour_order(gconstpointer a, gconstpointer b)
{
	const struct ana_watched_hour *x = a, *y = b;

	return BASE_BY(x, y, from) ?: strcmp(x->trigger, y->trigger);
}

/* The hour of TRIGGER at WALL; added if it is new. */
static struct ana_watched_hour *hour_at(GArray *hours, const char *trigger, int64_t wall)
{
	struct ana_watched_hour new = { .from = wall - wall % HOUR,
		.trigger = trigger,
		.worst = BASE_TIME_NONE };

	/* Hits come in order of time: it is one of the last. */
	for (guint i = hours->len; i-- > 0;) {
		struct ana_watched_hour *h = &g_array_index(hours, struct ana_watched_hour, i);

		if (h->from == new.from && h->trigger == trigger)
			return h;
	}
	g_array_append_val(hours, new);
	return &g_array_index(hours, struct ana_watched_hour, hours->len - 1);
}

static void add_hours(struct ana_watched *w)
{
	const struct watch_manifest *m = w->manifest;

	for (guint i = 0; i < m->hours->len; i++) {
		const struct watch_hour *part = &g_array_index(m->hours, struct watch_hour, i);

		hour_at(w->hours, watch_manifest_trigger_at(m, part->trigger)->text, part->to)->over +=
			part->over;
	}
	for (guint i = 0; i < m->hits->len; i++) {
		const struct watch_hit *hit = &g_array_index(m->hits, struct watch_hit, i);
		struct ana_watched_hour *hour;

		if (hit->typical)
			continue;
		hour = hour_at(w->hours, watch_manifest_trigger_at(m, hit->trigger)->text, hit->wall);
		hour->kept++;
		hour->worst = MAX(hour->worst, hit->value);
	}
	g_array_sort(w->hours, hour_order);
}

/* Add the classes of TRIGGER's distribution, by powers of two. */
static void add_classes(struct ana_watched *w, const struct watch_trigger *t)
{
	uint64_t counts[64] = { 0 }, most = 0;
	int first = 64, last = -1;

	for (unsigned i = 0; i < WATCH_SEEN_CLASSES; i++) {
		int64_t from, to;
		int power;

		watch_seen_class(i, &from, &to);
		power = from > 0 ? 64 - __builtin_clzll((uint64_t)from) : 0;
		counts[power] += t->seen->classes[i];
		most = MAX(most, counts[power]);
		if (t->seen->classes[i]) {
			first = MIN(first, power);
			last = MAX(last, power);
		}
	}
	for (int power = first; power <= last; power++) {
		const struct ana_watched_class class = { .trigger = t->text,
			.from = power ? INT64_C(1) << (power - 1) : 0,
			.to = power < 63 ? INT64_C(1) << power : INT64_MAX,
			.count = counts[power],
			.most = most };

		g_array_append_val(w->classes, class);
	}
}

static void add_triggers(struct ana_watched *w)
{
	for (unsigned i = 0; i < w->manifest->triggers->len; i++) {
		const struct watch_trigger *t = watch_manifest_trigger_at(w->manifest, i);
		const struct ana_watched_sum sum = { .trigger = t->text,
			.kind = t->kind,
			.count = t->seen->count,
			.over = t->over,
			.hits = t->hits,
			.lost = t->lost,
			.p50 = watch_seen_quantile(t->seen, 0.5),
			.p90 = watch_seen_quantile(t->seen, 0.9),
			.p99 = watch_seen_quantile(t->seen, 0.99),
			.p999 = watch_seen_quantile(t->seen, 0.999),
			.max = watch_seen_quantile(t->seen, 1),
			.seen = t->seen };

		g_array_append_val(w->triggers, sum);
		add_classes(w, t);
	}
}

/* ---- life ---- */

struct ana_watched *ana_watched_new(struct qry *q, const char *folder, GError **error)
{
	g_autofree char *beside = folder ? NULL : g_path_get_dirname(qry_host(q, 0)->meta->path),
			*name = folder ? NULL : g_path_get_basename(qry_host(q, 0)->meta->path);
	struct watch_manifest *m;
	struct ana_watched *w;

	if (!folder && !watch_manifest_is_recording(name))
		return base_error_null(error, BASE_ERROR_NO_ANSWER,
			"this recording is not from \"wakepath watch\"");
	m = watch_manifest_read(folder ? folder : beside, error);
	if (!m)
		return NULL;
	w = g_new0(struct ana_watched, 1);
	w->manifest = m;
	w->hits = g_array_new(FALSE, FALSE, sizeof(struct ana_watched_hit));
	g_array_set_clear_func(w->hits, clear_hit);
	w->hours = g_array_new(FALSE, FALSE, sizeof(struct ana_watched_hour));
	w->triggers = g_array_new(FALSE, FALSE, sizeof(struct ana_watched_sum));
	w->classes = g_array_new(FALSE, FALSE, sizeof(struct ana_watched_class));
	add_hits(w, q);
	add_hours(w);
	add_triggers(w);
	return w;
}

void ana_watched_free(struct ana_watched *w)
{
	if (!w)
		return;
	g_array_unref(w->hits);
	g_array_unref(w->hours);
	g_array_unref(w->triggers);
	g_array_unref(w->classes);
	watch_manifest_free(w->manifest);
	g_free(w);
}

/* ---- explaining a hit ---- */

/* Sum of the differences, ns, of begin and end between case C of L and hit H; NEAR: C is another case.  The
 * tid of a disk request is that of the thread that issued it; its row is the thread that asked for it. */
static int64_t differs(const struct ana_watched_hit *h, const struct ana_latency *l,
	const struct ana_latency_case *c)
{
	int64_t off = ABS(c->start - h->from) + ABS(c->end - h->to);

	if (c->host != h->host || (!l->of_device && h->row != MDL_NONE && c->row != h->row) ||
		(h->hit->tid == 0 && c->cpu != MDL_NONE && c->cpu != h->hit->cpu))
		return NEAR;
	return MIN(off, NEAR);
}

/* Find the case of H in its recording.  *OF_DEVICE: H has the row of the thread that asked.  False: not
 * found. */
static bool find_case(struct qry *q, struct ana_watched_hit *h, struct base_progress *progress,
	struct ana_latency_case *found, bool *of_device)
{
	struct ana_latency_options options = { .kind = h->kind,
		.row = MDL_NONE,
		.from = h->from - NEAR,
		.to = h->from + NEAR,
		.top = UINT32_MAX };
	struct ana_latency *l = ana_latency_new(q, &options, progress, NULL);
	int64_t nearest = NEAR;

	for (guint i = 0; l && i < l->worst->len; i++) {
		const struct ana_latency_case *c = &g_array_index(l->worst, struct ana_latency_case, i);
		int64_t off = differs(h, l, c);

		if (off >= nearest)
			continue;
		nearest = off;
		*found = *c;
		found->cause = found->key = NULL;
	}
	*of_device = nearest < NEAR && l->of_device;
	if (*of_device)
		h->row = found->row;
	ana_latency_free(l);
	return nearest < NEAR;
}

/* TEXT without the name of the recording, because all recordings are of one machine; NULL if TEXT is NULL.
 * The caller frees. */
static char *unnamed(const struct qry *q, const struct ana_watched_hit *h, const char *text)
{
	g_autofree char *prefix = g_strconcat(qry_host(q, h->host)->name, "/", NULL);
	g_auto(GStrv) parts = text ? g_strsplit(text, prefix, -1) : NULL;

	return parts ? g_strjoinv(NULL, parts) : NULL;
}

/* "wakeup of wk-victim[7] took 150 ms", "block-device 254:0 read for dd[20844] took 48.0 ms", "softirq 3
 * BLOCK on CPU 1 took 5.00 ms".  KEY: of the case, NULL: none.  The caller frees. */
static char *what_of(const struct qry *q, const struct ana_watched_hit *h, const char *key, bool of_device)
{
	const struct watch_hit *hit = h->hit;
	g_autofree char *took = base_time_format_duration(hit->value, !g_get_charset(NULL)),
			*label = h->found && h->row != MDL_NONE ? qry_row_label(q, h->row) : NULL,
			*name = unnamed(q, h, label);
	g_autoptr(GString) what = g_string_new(h->kind);

	if (key)
		g_string_append_printf(what, " %s", key);
	if (hit->tid == 0)
		g_string_append_printf(what, " on CPU %u", hit->cpu);
	else if (name)
		g_string_append_printf(what, " %s %s", of_device ? "for" : "of", name);
	else if (!of_device)
		g_string_append_printf(what, " of %s[%d]", *hit->name ? hit->name : "a thread", hit->tid);
	return g_strdup_printf("%s took %s", what->str, took);
}

void ana_watched_explain(struct qry *q, struct ana_watched_hit *h, struct base_progress *progress)
{
	g_autofree char *what = NULL, *cause = NULL;
	struct ana_latency_case c = { .start = 0 };
	bool of_device = false;
	struct ana_story *story = NULL;

	if (h->text)
		return;
	h->found = h->host != MDL_NONE && find_case(q, h, progress, &c, &of_device);
	if (!h->found) {
		what = what_of(q, h, NULL, false);
		h->text = g_strdup_printf("%s; %s", what,
			h->host == MDL_NONE ? "its recording is not open"
				: h->hit->whole
				? "it is not in its recording: events are missing there"
				: "its begin is not in its recording: a larger --flight SIZE reaches further back");
		return;
	}
	h->from = c.start;
	h->to = c.end;
	ana_latency_explain(q, NULL, h->kind, &c);
	what = what_of(q, h, c.key, of_device);
	cause = unnamed(q, h, c.cause);
	if (h->row != MDL_NONE && !c.cause)
		story = ana_story_new(q, h->row, c.start, c.end, progress, NULL);
	h->text = story ? unnamed(q, h, story->text)
		: cause ? g_strdup_printf("%s: %s", what, cause)
			: g_strdup(what);
	if (story)
		ana_story_free(story);
	g_free(c.cause);
	g_free(c.key);
}

/* ---- slow against typical ---- */

struct ana_compare *ana_watched_compare(struct qry *q, const struct ana_watched *w, unsigned trigger,
	struct base_progress *progress, GError **error)
{
	static const char *const keys[] = { "", "hits", "typical" };
	const struct ana_compare_options options = { .by = ANA_COMPARE_BY_KEY,
		.group = keys[1],
		.one_host = true,
		.at = NAN };
	struct ana_set set = { .spec = g_strdup("watch"),
		.intervals = base_many_new(sizeof(struct ana_set_interval)),
		.key_name = "name",
		.keys = g_ptr_array_new_with_free_func(g_free) };
	struct ana_compare *c = NULL;
	guint n[G_N_ELEMENTS(keys)] = { 0 };

	for (gsize i = 0; i < G_N_ELEMENTS(keys); i++)
		g_ptr_array_add(set.keys, g_strdup(keys[i]));
	for (guint i = 0; i < w->hits->len; i++) {
		const struct ana_watched_hit *h = &g_array_index(w->hits, struct ana_watched_hit, i);
		struct ana_set_interval interval = { h->from, h->to, h->row, h->hit->typical ? 2 : 1 };

		if (h->hit->trigger != trigger || h->row == MDL_NONE || !h->found || h->from >= h->to)
			continue;
		n[interval.key]++;
		base_many_add(set.intervals, &interval);
	}
	base_many_sort(set.intervals, ana_set_order);
	if (n[1] > 0 && n[2] > 0)
		c = ana_compare_new(q, &set, NULL, NULL, &options, progress, error);
	else
		g_set_error(error, BASE_ERROR, BASE_ERROR_NO_ANSWER,
			"nothing to compare: %u hit%s of a thread and %u typical case%s of \"%s\" were kept",
			n[1], n[1] == 1 ? "" : "s", n[2], n[2] == 1 ? "" : "s",
			watch_manifest_trigger_at(w->manifest, trigger)->text);
	g_free(set.spec);
	base_many_free(set.intervals);
	g_ptr_array_unref(set.keys);
	return c;
}
