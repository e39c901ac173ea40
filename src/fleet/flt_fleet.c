/* SPDX-License-Identifier: MIT */
/* Reads summaries one after the other and adds them up. */
#include "fleet/flt_parts.h"

#include "analysis/latency/latency.h"
#include "base/base_error.h"
#include "base/base_file.h"
#include "base/base_io.h"
#include "base/base_search.h"
#include "base/base_time.h"
#include "trace/trc_reader.h"

#include <math.h>
#include <string.h>

#define DEPTH 8    /* depth of folders below the named one */
#define SECOND 1e9 /* ns */
#define SPREADS 4

/* ---- which hosts ---- */

struct flt_source *flt_source_new(const char *host, const char *path)
{
	struct flt_source *s = g_new0(struct flt_source, 1);

	s->host = g_strdup(host);
	s->path = g_strdup(path);
	return s;
}

struct flt_source *flt_source_at(const struct flt_source *source, const char *path)
{
	struct flt_source *s = flt_source_new(source->host, path);

	s->role = g_strdup(source->role);
	return s;
}

void flt_source_free(void *source)
{
	struct flt_source *s = source;

	g_free(s->host);
	g_free(s->path);
	g_free(s->role);
	g_free(s->reason);
	g_free(s);
}

/* Add all summaries below FOLDER, in the order of their names. */
static void look_below(GPtrArray *to, const char *folder, unsigned depth)
{
	g_autoptr(GPtrArray) names = base_io_names(folder);

	if (names)
		g_ptr_array_sort(names, base_search_by_text);
	for (guint i = 0; names && i < names->len; i++) {
		g_autofree char *path = g_build_filename(folder, g_ptr_array_index(names, i), NULL);

		if (g_str_has_suffix(path, IDX_SUMMARY_ENDING))
			g_ptr_array_add(to, flt_source_new(NULL, path));
		else if (depth > 0 && g_file_test(path, G_FILE_TEST_IS_DIR) &&
			!g_file_test(path, G_FILE_TEST_IS_SYMLINK))
			look_below(to, path, depth - 1);
	}
}

/* Add the host in LINE, which is line NUMBER of the list PATH in FOLDER. */
static bool take_line(GPtrArray *to, const char *path, const char *folder, const char *line, unsigned number,
	GError **error)
{
	g_auto(GStrv) words = NULL;
	g_autoptr(GError) why = NULL;
	g_autofree char *place = NULL;
	int n = 0;

	if (!g_shell_parse_argv(line, &n, &words, &why)) {
		if (g_error_matches(why, G_SHELL_ERROR, G_SHELL_ERROR_EMPTY_STRING))
			return true;
		return base_error_false(error, BASE_ERROR_USAGE, "%s, line %u: a quote does not end", path,
			number);
	}
	if (n > 3)
		return base_error_false(error, BASE_ERROR_USAGE,
			"%s, line %u: %d words; a line is PATH, HOST PATH or HOST PATH ROLE, with quotes around blanks",
			path, number, n);
	place = g_canonicalize_filename(words[n > 1], folder);
	g_ptr_array_add(to, flt_source_new(n > 1 ? words[0] : NULL, place));
	((struct flt_source *)to->pdata[to->len - 1])->role = g_strdup(n > 2 ? words[2] : NULL);
	return true;
}

static bool take_list(GPtrArray *to, const char *path, GError **error)
{
	static const struct base_file_kind kind = { "list of hosts", 64 << 20, BASE_ERROR_USAGE };
	g_autofree char *here = g_get_current_dir(), *whole = g_canonicalize_filename(path, here),
			*folder = g_path_get_dirname(whole), *text = NULL;
	g_auto(GStrv) lines = NULL;

	if (trc_find_is(whole) || trc_find_is(folder))
		return base_error_false(error, BASE_ERROR_USAGE,
			"%s is %s, no list of hosts: give the folder that has all traces or summaries, or a file with a line \"HOST PATH\" for each",
			path, trc_find_is(whole) ? "a trace" : "a file of a trace");
	text = base_file_text(path, &kind, error);
	lines = text ? g_strsplit(text, "\n", -1) : NULL;

	for (unsigned i = 0; lines && lines[i]; i++)
		if (!take_line(to, path, folder, lines[i], i + 1, error))
			return false;
	if (text && to->len == 0)
		return base_error_false(error, BASE_ERROR_USAGE, "%s: it names no host", path);
	return text;
}

bool flt_sources_is_summary(const char *path)
{
	return g_str_has_suffix(path, IDX_SUMMARY_ENDING) || flt_summary_is(path);
}

GPtrArray *flt_sources_read(const char *path, GError **error)
{
	GPtrArray *all = g_ptr_array_new_with_free_func(flt_source_free);

	if (g_file_test(path, G_FILE_TEST_IS_DIR))
		look_below(all, path, DEPTH);
	else if (flt_sources_is_summary(path))
		g_ptr_array_add(all, flt_source_new(NULL, path));
	else if (!take_list(all, path, error))
		g_clear_pointer(&all, g_ptr_array_unref);
	return all;
}

/* ---- memory ---- */

static void host_clear(void *data)
{
	struct flt_host *h = data;

	g_free(h->name);
	g_free(h->trace);
	g_free(h->path);
	g_free(h->role);
	g_array_unref(h->figures);
	g_array_unref(h->causes);
	g_array_unref(h->steps);
}

static void fleet_kind_clear(void *data)
{
	g_free(((struct flt_fleet_kind *)data)->name);
	base_sketch_clear(&((struct flt_fleet_kind *)data)->all);
}

static void fleet_cause_clear(void *data)
{
	g_free(((struct flt_fleet_cause *)data)->kind);
	g_free(((struct flt_fleet_cause *)data)->name);
}

static void fleet_step_clear(void *data)
{
	g_free(((struct flt_fleet_step *)data)->set);
	g_free(((struct flt_fleet_step *)data)->text);
}

static void fleet_case_clear(void *data)
{
	struct flt_case *c = &((struct flt_fleet_case *)data)->of;

	g_free(c->subject);
	g_free(c->key);
	g_free(c->cause);
	g_array_unref(c->parts);
}

static GArray *owned(guint size, GDestroyNotify clear)
{
	GArray *array = g_array_new(FALSE, TRUE, size);

	g_array_set_clear_func(array, clear);
	return array;
}

static struct flt_fleet *fleet_new(void)
{
	struct flt_fleet *f = g_new0(struct flt_fleet, 1);

	f->hosts = owned(sizeof(struct flt_host), host_clear);
	f->left = g_ptr_array_new_with_free_func(flt_source_free);
	f->roles = g_ptr_array_new_with_free_func(g_free);
	f->kinds = owned(sizeof(struct flt_fleet_kind), fleet_kind_clear);
	f->groups = owned(sizeof(struct flt_fleet_kind), fleet_kind_clear);
	f->causes = owned(sizeof(struct flt_fleet_cause), fleet_cause_clear);
	f->steps = owned(sizeof(struct flt_fleet_step), fleet_step_clear);
	f->worst = owned(sizeof(struct flt_fleet_case), fleet_case_clear);
	f->differences = g_array_new(FALSE, TRUE, sizeof(struct flt_difference));
	f->kind_ids = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	f->cause_ids = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	f->step_ids = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	return f;
}

void flt_fleet_free(struct flt_fleet *f)
{
	if (!f)
		return;
	g_array_unref(f->hosts);
	g_ptr_array_unref(f->left);
	g_ptr_array_unref(f->roles);
	g_array_unref(f->kinds);
	g_array_unref(f->groups);
	g_array_unref(f->causes);
	g_array_unref(f->steps);
	g_array_unref(f->worst);
	g_array_unref(f->differences);
	g_hash_table_unref(f->kind_ids);
	g_hash_table_unref(f->cause_ids);
	g_hash_table_unref(f->step_ids);
	g_free(f);
}

/* ---- adding a host ---- */

/* The place in TO of the element with KEY (taken over). If there is none, an element of zeros is appended,
 * and *IS_NEW is true. */
static uint32_t place_of(GHashTable *ids, GArray *to, char *key, bool *is_new)
{
	uint32_t id = GPOINTER_TO_UINT(g_hash_table_lookup(ids, key));

	*is_new = id == 0;
	if (id != 0) {
		g_free(key);
		return id - 1;
	}
	flt_append(to);
	g_hash_table_insert(ids, key, GUINT_TO_POINTER(to->len));
	return to->len - 1;
}

static char *joined(const char *first, const char *second)
{
	return g_strconcat(first, "\n", second ? "=" : "", second, NULL);
}

/* The standard deviation, by chance alone, of the logarithm of the quantile SHARE. It is a fourth of the
 * distance to the quantile whose rank is SPREADS standard deviations (of the binomial distribution) lower. So
 * a gap between two clusters of cases counts as chance, too. */
static double spread_of(const struct base_sketch *s, double share)
{
	double off = SPREADS * sqrt(share * (1 - share) / (double)s->count);
	int64_t low = base_sketch_quantile(s, MAX(share - off, 0)), at = base_sketch_quantile(s, share);

	return (log1p((double)MAX(at, 0)) - log1p((double)MAX(low, 0))) / SPREADS;
}

static struct flt_figures figures_of(const struct flt_kind *k, int64_t length)
{
	const struct base_sketch *s = &k->all;
	struct flt_figures of = { .recorded = true, .count = s->count };
	double n = (double)s->count - 1;

	for (unsigned i = 0; i < FLT_MEASURES; i++)
		of.value[i] = BASE_TIME_NONE;
	if (g_str_has_prefix(k->name, FLT_WAITS))
		of.value[FLT_RATE] = 0;
	if (s->count == 0)
		return of;
	of.total = (double)s->sum - (double)s->max;
	of.squares = MAX((double)s->squares - (double)s->max * (double)s->max, 0);
	of.value[FLT_MEAN] = n > 0 ? (int64_t)(of.total / n) : BASE_TIME_NONE;
	of.value[FLT_P50] = base_sketch_quantile(s, 0.5);
	of.value[FLT_P99] = base_sketch_quantile(s, 0.99);
	of.spread[FLT_P50] = spread_of(s, 0.5);
	of.spread[FLT_P99] = spread_of(s, 0.99);
	if (g_str_has_prefix(k->name, FLT_WAITS) && length > 0)
		of.value[FLT_RATE] = (int64_t)(of.total / (double)length * SECOND);
	return of;
}

static void add_fleet_kind(struct flt_fleet_kind *to, const char *name, uint64_t unfinished,
	const struct base_sketch *all, uint32_t host)
{
	double mean = base_sketch_mean(all);

	if (to->hosts++ == 0) {
		to->name = g_strdup(name);
		to->slowest = MDL_NONE;
	}
	to->unfinished += unfinished;
	base_sketch_join(&to->all, all);
	if (all->count > 0 && (to->slowest == MDL_NONE || mean > to->slowest_mean)) {
		to->slowest = host;
		to->slowest_mean = mean;
	}
}

static void take_kinds(struct flt_fleet *f, struct flt_host *h, const struct flt_summary *s)
{
	for (guint i = 0; i < s->kinds->len; i++) {
		const struct flt_kind *k = &g_array_index(s->kinds, struct flt_kind, i);
		bool is_new;
		uint32_t id = place_of(f->kind_ids, f->kinds, g_strdup(k->name), &is_new);

		add_fleet_kind(&g_array_index(f->kinds, struct flt_fleet_kind, id), k->name, k->unfinished,
			&k->all, f->hosts->len - 1);
		if (h->figures->len <= id)
			g_array_set_size(h->figures, id + 1);
		g_array_index(h->figures, struct flt_figures, id) = figures_of(k, s->to - s->from);
	}
}

static void take_groups(struct flt_fleet *f, GHashTable *ids, const struct flt_kind *k)
{
	for (guint i = 0; i < k->groups->len; i++) {
		const struct flt_group *g = &g_array_index(k->groups, struct flt_group, i);
		bool is_new;
		uint32_t id = place_of(ids, f->groups, joined("", g->name), &is_new);

		add_fleet_kind(&g_array_index(f->groups, struct flt_fleet_kind, id), g->name, 0, &g->sketch,
			f->hosts->len - 1);
	}
}

static int by_latency(gconstpointer a, gconstpointer b)
{
	const struct flt_fleet_case *x = a, *y = b;

	return BASE_BY(y, x, of.latency) ?: BASE_BY(x, y, host) ?: BASE_BY(x, y, of.start);
}

/* Move the worst cases of K to F, and keep only the worst FLT_WORST of F. */
static void take_worst(struct flt_fleet *f, struct flt_kind *k)
{
	for (guint i = 0; i < k->worst->len; i++) {
		struct flt_case *c = &g_array_index(k->worst, struct flt_case, i);
		struct flt_fleet_case *to = flt_append(f->worst);

		to->host = f->hosts->len - 1;
		to->of = *c;
		to->of.subject = g_strdup(c->subject);
		to->of.key = g_strdup(c->key);
		to->of.cause = g_strdup(c->cause);
		to->of.parts = g_array_ref(c->parts);
	}
	g_array_sort(f->worst, by_latency);
	g_array_set_size(f->worst, MIN(f->worst->len, FLT_WORST));
}

static void take_causes(struct flt_fleet *f, struct flt_host *h, const struct flt_summary *s)
{
	double length = MAX((double)(s->to - s->from), 1);

	for (guint i = 0; i < s->causes->len; i++) {
		const struct flt_cause *c = &g_array_index(s->causes, struct flt_cause, i);
		bool is_new;
		struct flt_seen seen = { .id = place_of(f->cause_ids, f->causes, joined(c->kind, c->name),
						 &is_new),
			.time = (double)c->sum.time,
			.rate = (double)c->sum.time / length * SECOND,
			.squares = (double)c->sum.squares };
		struct flt_fleet_cause *to = &g_array_index(f->causes, struct flt_fleet_cause, seen.id);

		if (is_new) {
			to->kind = g_strdup(c->kind);
			to->name = g_strdup(c->name);
			to->own_sleep = c->own_sleep;
		}
		flt_sum_join(&to->sum, &c->sum);
		if (to->hosts++ == 0 || seen.rate > to->most_rate) {
			to->most = f->hosts->len - 1;
			to->most_rate = seen.rate;
		}
		g_array_append_val(h->causes, seen);
	}
}

static void take_paths(struct flt_fleet *f, struct flt_host *h, const struct flt_paths *p)
{
	double n = MAX((double)p->of.count, 1);

	for (guint i = 0; i < p->steps->len; i++) {
		const struct flt_step *step = &g_array_index(p->steps, struct flt_step, i);
		bool is_new;
		struct flt_seen seen = { .id = place_of(f->step_ids, f->steps, joined(p->set, step->text),
						 &is_new),
			.time = (double)step->sum.time,
			.rate = (double)step->sum.time / n,
			.squares = (double)step->sum.squares };
		struct flt_fleet_step *to = &g_array_index(f->steps, struct flt_fleet_step, seen.id);

		if (is_new) {
			to->set = g_strdup(p->set);
			to->text = g_strdup(step->text);
		}
		flt_sum_join(&to->sum, &step->sum);
		g_array_append_val(h->steps, seen);
	}
}

/* The name of a host, "web1#2" if there is one already. */
static char *unique_name(GHashTable *names, const char *wanted)
{
	char *name = g_strdup(wanted);

	for (unsigned n = 2; g_hash_table_contains(names, name); n++) {
		g_free(name);
		name = g_strdup_printf("%s#%u", wanted, n);
	}
	g_hash_table_add(names, g_strdup(name));
	return name;
}

/* The state while a fleet is read. */
struct reading {
	struct flt_fleet *f;
	const char *kind;   /* weak; NULL: all */
	GHashTable *names;  /* set of the names of hosts */
	GHashTable *groups; /* the groups of KIND: name → id + 1 */
};

static void take_host(struct reading *r, const struct flt_source *source, const struct flt_summary *s)
{
	struct flt_fleet *f = r->f;
	struct flt_host *h = flt_append(f->hosts);

	*h = (struct flt_host){ .name = unique_name(r->names, source->host ? source->host : s->host),
		.trace = g_strdup(s->trace),
		.path = g_strdup(source->path),
		.role = g_strdup(source->role),
		.from = s->from,
		.to = s->to,
		.events = s->events,
		.lost = s->lost,
		.cpus = s->cpus,
		.kind = MDL_NONE,
		.cause = MDL_NONE,
		.p50 = BASE_TIME_NONE,
		.p99 = BASE_TIME_NONE,
		.value = BASE_TIME_NONE,
		.typical = BASE_TIME_NONE,
		.p = NAN,
		.figures = g_array_new(FALSE, TRUE, sizeof(struct flt_figures)),
		.causes = g_array_new(FALSE, FALSE, sizeof(struct flt_seen)),
		.steps = g_array_new(FALSE, FALSE, sizeof(struct flt_seen)) };
	f->length = base_time_sum(f->length, s->to - s->from);
	if (h->role && !g_ptr_array_find_with_equal_func(f->roles, h->role, g_str_equal, NULL))
		g_ptr_array_add(f->roles, g_strdup(h->role));
	take_kinds(f, h, s);
	take_causes(f, h, s);
	for (guint i = 0; i < s->paths->len; i++)
		take_paths(f, h, &g_array_index(s->paths, struct flt_paths, i));
	for (guint i = 0; r->kind && i < s->kinds->len; i++) {
		struct flt_kind *k = &g_array_index(s->kinds, struct flt_kind, i);

		if (!g_str_equal(k->name, r->kind))
			continue;
		take_groups(f, r->groups, k);
		take_worst(f, k);
	}
}

static void leave_out(struct flt_fleet *f, const struct flt_source *source, const char *reason)
{
	struct flt_source *left = flt_source_at(source, source->path);

	left->reason = g_strdup(reason);
	g_ptr_array_add(f->left, left);
}

/* ---- the whole ---- */

static int fleet_by_time(gconstpointer a, gconstpointer b)
{
	const struct flt_fleet_kind *x = a, *y = b;

	return BASE_ORDER(y->all.sum, x->all.sum) ?: g_strcmp0(x->name, y->name);
}

static bool read_all(struct reading *r, const GPtrArray *sources, struct base_progress *progress,
	GError **error)
{
	unsigned wanted = FLT_KINDS | FLT_BY_CAUSE | FLT_BY_STEP | (r->kind ? FLT_BY_NAME | FLT_CASES : 0);

	for (guint i = 0; i < sources->len; i++) {
		const struct flt_source *source = g_ptr_array_index(sources, i);
		g_autoptr(GError) why = NULL;
		struct flt_summary *s = source->reason ? NULL
						       : flt_summary_read(source->path, NULL, wanted, &why);

		if (base_progress_cancelled(progress))
			return base_error_false(error, BASE_ERROR_CANCELLED, "interrupted");
		if (progress)
			base_progress_set(progress, (double)i / sources->len, 0);
		if (s)
			take_host(r, source, s);
		else
			leave_out(r->f, source, source->reason ? source->reason : why->message);
		flt_summary_free(s);
	}
	if (r->f->hosts->len > 0)
		return true;
	if (r->f->left->len > 0)
		return base_error_false(error, BASE_ERROR_NO_ANSWER, "no host is left: %s",
			((struct flt_source *)g_ptr_array_index(r->f->left, 0))->reason);
	return base_error_false(error, BASE_ERROR_NO_ANSWER, "there is no host");
}

static bool find_kind(const struct reading *r, uint32_t *id, GError **error)
{
	uint32_t found = r->kind ? GPOINTER_TO_UINT(g_hash_table_lookup(r->f->kind_ids, r->kind)) : 0;
	g_autoptr(GString) known = g_string_new(NULL);

	*id = found ? found - 1 : MDL_NONE;
	if (found || !r->kind)
		return true;
	for (guint i = 0; i < r->f->kinds->len; i++)
		g_string_append_printf(known, "%s%s", i ? ", " : "",
			g_array_index(r->f->kinds, struct flt_fleet_kind, i).name);
	return base_error_false(error, BASE_ERROR_USAGE, "no host has the kind \"%s\": use one of %s",
		r->kind, known->str);
}

struct flt_fleet *flt_fleet_new(const GPtrArray *sources, const char *kind, struct base_progress *progress,
	GError **error)
{
	struct reading r = { .f = fleet_new(),
		.kind = kind,
		.names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
		.groups = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL) };
	uint32_t id;
	bool fine = read_all(&r, sources, progress, error) && find_kind(&r, &id, error);

	if (fine) {
		flt_judge(r.f, id);
		g_array_sort(r.f->groups, fleet_by_time);
	} else {
		g_clear_pointer(&r.f, flt_fleet_free);
	}
	g_hash_table_unref(r.names);
	g_hash_table_unref(r.groups);
	return r.f;
}

char *flt_cause_text(const char *kind, const char *name)
{
	return g_strdup_printf("%s: %s", kind, name ? name : "others");
}

const char *flt_measure_name(enum flt_measure measure)
{
	static const char *const
		names[] = { [FLT_MEAN] = "mean", [FLT_P50] = "p50", [FLT_P99] = "p99", [FLT_RATE] = "rate" };

	return names[measure];
}
