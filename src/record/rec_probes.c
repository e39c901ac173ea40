/* SPDX-License-Identifier: MIT */
/*
 * A probe is a line in uprobe_events or kprobe_events of tracefs:
 *
 *   p:GROUP/NAME PATH:0xOFFSET            entry of a program's function
 *   r:GROUP/NAME__return PATH:0xOFFSET    … its return
 *   p:GROUP/NAME PATH:0xOFFSET(0xCOUNTER) a USDT probe, and the place of its semaphore
 *   p:GROUP/NAME FUNCTION                 entry of a kernel function
 *
 * Arguments follow at its end (record/rec_args.h).  Lines with the same NAME are one event
 * (append_trace_uprobe() in kernel/trace/trace_uprobe.c).
 *
 * All instances share these events, so GROUP begins with the owner, "wakepath_PID_START_"; by that wakepath
 * finds the probes of a killed recording.  Readers remove the owner (own_system() in
 * trace/tracefs/trc_format.c), so that spans have the same names in all recordings.
 */
#include "record/rec_probes.h"

#include "base/base_error.h"
#include "base/base_near.h"
#include "base/base_text.h"
#include "record/rec_args.h"
#include "record/rec_command.h"
#include "record/rec_elf.h"
#include "record/rec_tracefs.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <tracefs.h>
#include <unistd.h>

#define NAME_MOST 63 /* bytes of a group or an event: MAX_EVENT_NAME_LEN - 1, kernel/trace/trace_probe.h */
#define RETURN "__return"
#define LINES_MOST 1000
#ifdef __aarch64__
#define MACHINE EM_AARCH64 /* of the kernel */
#else
#define MACHINE EM_X86_64
#endif

static const char *const files[] = { "uprobe_events", "kprobe_events" };
enum { UPROBES, KPROBES };

struct line {
	unsigned file; /* of FILES */
	char *event;   /* "group/name"; owned */
	char *text;    /* owned */
};

struct rec_probes {
	char *owner;      /* prefix of the groups; "": none; owned */
	GPtrArray *lines; /* of struct line * */
};

static void free_line(gpointer data)
{
	struct line *l = data;

	g_free(l->event);
	g_free(l->text);
	g_free(l);
}

void rec_probes_free(struct rec_probes *p)
{
	if (!p)
		return;
	g_ptr_array_unref(p->lines);
	g_free(p->owner);
	g_free(p);
}

/* ---- names ---- */

/* Return TEXT as a valid name for the kernel, at most MOST bytes (is_good_name(),
 * kernel/trace/trace_probe.h).  The caller frees. */
static char *name_of(const char *text, size_t most)
{
	char *name = g_strconcat(g_ascii_isdigit(*text) ? "_" : "", text, NULL);

	if (strlen(name) > most)
		name[most] = '\0';
	for (char *c = name; *c; c++)
		if (!g_ascii_isalnum(*c))
			*c = '_';
	return name;
}

/* Add the probe KIND ('p' or 'r') NAME of GROUP at WHERE.  Takes WHERE. */
static bool probes_add(struct rec_probes *p, unsigned file, char kind, const char *group, const char *name,
	char *where, GError **error)
{
	g_autofree char *whole = g_strconcat(p->owner, group, NULL), *system = name_of(whole, NAME_MOST);
	struct line l = { file, g_strdup_printf("%s/%s", system, name), NULL };

	l.text = g_strdup_printf("%c:%s %s", kind, l.event, where);
	g_free(where);
	g_ptr_array_add(p->lines, g_memdup2(&l, sizeof l));
	return p->lines->len <= LINES_MOST ||
		base_error_false(error, BASE_ERROR_USAGE,
			"these are more than %d probes: name fewer with --usdt BINARY:PROVIDER:NAME",
			LINES_MOST);
}

/* ---- the program ---- */

/* Return the path without links of the program TEXT, a file or a name in PATH.  The caller frees. */
static char *program_of(const char *text, GError **error)
{
	g_autofree char *found = strchr(text, '/') ? NULL : g_find_program_in_path(text);
	char *path = realpath(found ? found : text, NULL), *own = g_strdup(path);

	free(path);
	/* The kernel splits its line at these characters (trace_parse_run_command(), argv_split()). */
	if (own && !own[strcspn(own, " \t\n\v\f\r#")])
		return own;
	if (own)
		g_set_error(error, BASE_ERROR, BASE_ERROR_USAGE,
			"cannot probe \"%s\": the kernel takes no path with a blank or a \"#\"", own);
	else
		g_set_error(error, BASE_ERROR, BASE_ERROR_USAGE, "cannot probe \"%s\": %s", text,
			g_strerror(errno));
	g_free(own);
	return NULL;
}

/* Return the group of the probes of PATH: BEFORE and the file name.  The caller frees. */
static char *group_of(const char *before, const char *path)
{
	g_autofree char *base = g_path_get_basename(path), *text = g_strconcat(before, base, NULL);

	return name_of(text, NAME_MOST);
}

/* ---- --probe ---- */

/* The parts of --probe.  All owned; BINARY NULL: the kernel. */
struct wanted {
	char *name, *binary, *symbol;
	char *words; /* its arguments; NULL: none */
	uint64_t offset;
	bool has_offset;
};

static void wanted_clear(struct wanted *w)
{
	g_free(w->name);
	g_free(w->binary);
	g_free(w->symbol);
	g_free(w->words);
}

static bool is_name(const char *name)
{
	g_autofree char *good = name_of(name, NAME_MOST - strlen(RETURN));

	return *name && g_str_equal(good, name);
}

/* Parse "[p:NAME ][BINARY:]SYMBOL[+OFFSET] [ARGUMENT=VALUE …]"; "NAME=" can replace "p:NAME ". */
static bool wanted_read(const char *typed, struct wanted *w, GError **error)
{
	g_autofree char *text = g_strdup(typed);
	const char *place = text, *colon, *plus, *end;

	*w = (struct wanted){ .words = rec_args_split(text) };
	if (g_str_has_prefix(text, "p:") && (end = strchr(text, ' '))) {
		w->name = g_strndup(text + 2, (gsize)(end - text - 2));
		place = end + strspn(end, " ");
	} else if ((end = strchr(text, '=')) && end > text && !memchr(text, '/', (size_t)(end - text))) {
		w->name = g_strndup(text, (gsize)(end - text));
		place = end + 1;
	}
	colon = strrchr(place, ':');
	w->binary = colon ? g_strndup(place, (gsize)(colon - place)) : NULL;
	place = colon ? colon + 1 : place;
	plus = strchr(place, '+');
	w->symbol = plus ? g_strndup(place, (gsize)(plus - place)) : g_strdup(place);
	w->has_offset = plus;
	if (plus && !g_ascii_isdigit(plus[1]))
		plus = "+?"; /* a sign is no digit */
	w->offset = plus ? g_ascii_strtoull(plus + 1, (char **)(uintptr_t)&end, 0) : 0;
	if (!w->name)
		w->name = name_of(w->symbol, NAME_MOST - strlen(RETURN));
	if (*w->symbol && (!w->binary || *w->binary) && is_name(w->name) && (!plus || !*end) &&
		!w->symbol[strcspn(w->symbol, " \t\n#")])
		return true;
	wanted_clear(w);
	return base_error_false(error, BASE_ERROR_USAGE,
		"--probe \"%s\": type 'p:NAME BINARY:FUNCTION', with a NAME of at most %d letters, digits and \"_\"; without BINARY: it is a function of the kernel",
		typed, (int)(NAME_MOST - strlen(RETURN)));
}

/* Return the arguments of W, for MACHINE, as the end of a line; the caller frees.  NULL with an error. */
static char *arguments_of(const struct wanted *w, unsigned machine, GError **error)
{
	g_autoptr(GPtrArray) args = rec_args_of_function(w->offset ? EM_NONE : machine);

	return rec_args_text(args, w->words ? w->words : "", w->symbol, error);
}

/* Add the entry and the return of a function; only the place itself if an offset was typed, even +0. */
static bool add_program(struct rec_probes *p, const struct wanted *w, char **note, GError **error)
{
	g_autofree char *path = program_of(w->binary, error), *group = path ? group_of("", path) : NULL,
			*returns = g_strconcat(w->name, RETURN, NULL);
	g_autoptr(GArray) places = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	struct rec_elf *elf = path ? rec_elf_open(path, error) : NULL;
	g_autofree char *args = elf ? arguments_of(w, rec_elf_machine(elf), error) : NULL;
	bool ok = args && rec_elf_function(elf, w->symbol, w->offset, places, error),
	     go = elf && rec_elf_is_go(elf);

	for (guint i = 0; ok && i < places->len; i++) {
		uint64_t at = g_array_index(places, uint64_t, i);

		ok = probes_add(p, UPROBES, 'p', group, w->name,
			     g_strdup_printf("%s:0x%" PRIx64 "%s", path, at, args), error) &&
			(go || w->has_offset ||
				probes_add(p, UPROBES, 'r', group, returns,
					g_strdup_printf("%s:0x%" PRIx64, path, at), error));
	}
	if (ok && go && !w->has_offset && !*note)
		*note = g_strdup_printf(
			"%s is written in Go, where probes of returns crash the program: only entries are recorded",
			path);
	if (elf)
		rec_elf_free(elf);
	return ok;
}

/* True if this kernel has the function SYMBOL.  Lines of kallsyms: "ADDRESS TYPE NAME [MODULE]". */
static bool is_in_kernel(const char *symbol, GError **error)
{
	g_autofree char *text = NULL, *near_text = NULL;
	g_auto(GStrv) lines = NULL;
	struct base_near near;

	if (!g_file_get_contents("/proc/kallsyms", &text, NULL, NULL))
		return true; /* then the kernel itself refuses a bad name */
	base_near_init(&near, symbol, true);
	lines = g_strsplit(text, "\n", -1);
	for (char **l = lines; *l; l++) {
		char *name = strchr(*l, ' ');

		if (!name || (name[1] != 't' && name[1] != 'T' && name[1] != 'W') || name[2] != ' ')
			continue;
		name += 3;
		name[strcspn(name, "\t")] = '\0';
		if (g_str_equal(name, symbol))
			return true;
		base_near_offer(&near, name);
	}
	near_text = base_near_text(&near);
	return base_error_false(error, BASE_ERROR_USAGE, "the kernel has no function \"%s\"%s", symbol,
		near_text);
}

static bool add_kernel(struct rec_probes *p, const struct wanted *w, GError **error)
{
	g_autofree char *returns = g_strconcat(w->name, RETURN, NULL),
			*args = arguments_of(w, MACHINE, error),
			*offset = w->has_offset ? g_strdup_printf("+%" PRIu64, w->offset) : g_strdup("");

	if (!args || (*p->owner && !is_in_kernel(w->symbol, error)))
		return false;
	return probes_add(p, KPROBES, 'p', "kernel", w->name, g_strconcat(w->symbol, offset, args, NULL),
		       error) &&
		(w->has_offset || probes_add(p, KPROBES, 'r', "kernel", returns, g_strdup(w->symbol), error));
}

/* True if the lines from BEFORE on make new events: two probes with one name would become one event. */
static bool is_new(const struct rec_probes *p, guint before, GError **error)
{
	for (guint i = before; i < p->lines->len; i++)
		for (guint k = 0; k < before; k++) {
			const struct line *a = p->lines->pdata[i], *b = p->lines->pdata[k];

			if (g_str_equal(a->event, b->event))
				return base_error_false(error, BASE_ERROR_USAGE,
					"two probes are called \"%s\": give one another name, with --probe 'p:NAME BINARY:FUNCTION'",
					strchr(a->event, '/') + 1);
		}
	return true;
}

static bool add_probe(struct rec_probes *p, const char *text, char **note, GError **error)
{
	struct wanted w;
	guint before = p->lines->len;
	bool ok;

	if (!wanted_read(text, &w, error))
		return false;
	ok = (w.binary ? add_program(p, &w, note, error) : add_kernel(p, &w, error)) &&
		is_new(p, before, error);
	wanted_clear(&w);
	return ok;
}

/* ---- --usdt ---- */

/* A USDT probe that matches the pattern. */
struct fit {
	const struct rec_elf_usdt *usdt; /* weak */
	char *group, *event;             /* owned */
	GPtrArray *args;                 /* owned; of struct rec_arg * */
};

static void fit_clear(void *data)
{
	struct fit *f = data;

	g_free(f->group);
	g_free(f->event);
	g_ptr_array_unref(f->args);
}

/* Give all places of one event the same arguments. */
static void join_events(const GArray *fits)
{
	/* Two rounds: the first places must also drop what only a later place lacks. */
	for (guint n = 0; n < 2 * fits->len; n++)
		for (guint i = 0, k = n % fits->len; i < k; i++) {
			struct fit *a = &g_array_index(fits, struct fit, i),
				   *b = &g_array_index(fits, struct fit, k);

			if (g_str_equal(a->event, b->event) && g_str_equal(a->group, b->group))
				rec_args_join(a->args, b->args);
		}
}

/* Set *NOTE, if it is NULL, to the first argument of F that is not recorded. */
static void note_lost(const struct fit *f, char **note)
{
	for (guint i = 0; !*note && i < f->args->len; i++) {
		const struct rec_arg *a = f->args->pdata[i];
		g_autofree char *shown = a->fetch ? NULL : base_text_clean(a->operand, -1);

		if (shown)
			*note = g_strdup_printf(
				"argument %u of %s (%s) is not recorded: the kernel cannot read it, or not at each place of the probe",
				i + 1, f->event, shown);
	}
}

static bool add_fits(struct rec_probes *p, const char *path, const GArray *fits, const char *words,
	char **note, GError **error)
{
	bool ok = true;

	join_events(fits);
	for (guint i = 0; ok && i < fits->len; i++) {
		const struct fit *f = &g_array_index(fits, struct fit, i);
		g_autofree char *args = rec_args_text(f->args, words, f->event, error),
				*counter = f->usdt->counter
			? g_strdup_printf("(0x%" PRIx64 ")", f->usdt->counter)
			: g_strdup("");

		if (!words)
			note_lost(f, note);
		ok = args &&
			probes_add(p, UPROBES, 'p', f->group, f->event,
				g_strdup_printf("%s:0x%" PRIx64 "%s%s", path, f->usdt->place, counter, args),
				error);
	}
	return ok;
}

/* Add the probes of PATH that match PROVIDER and NAME, with the arguments of WORDS (NULL: all). */
static bool add_usdts(struct rec_probes *p, const char *path, const char *provider, const char *name,
	const char *words, char **note, GError **error)
{
	struct rec_elf *elf = rec_elf_open(path, error);
	g_autoptr(GPtrArray) all = elf ? rec_elf_usdts(elf) : NULL;
	g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GArray) fits = g_array_new(FALSE, FALSE, sizeof(struct fit));
	g_autofree char *typed = g_strdup_printf("%s:%s", provider, name), *near_text = NULL, *shown = NULL;
	struct base_near near;
	guint before = p->lines->len;

	if (!elf)
		return false;
	g_array_set_clear_func(fits, fit_clear);
	base_near_init(&near, typed, true);
	for (guint i = 0; i < all->len; i++) {
		const struct rec_elf_usdt *u = all->pdata[i];

		g_ptr_array_add(names, g_strdup_printf("%s:%s", u->provider, u->name));
		base_near_offer(&near, names->pdata[i]);
		if (fits->len <= LINES_MOST && g_pattern_match_simple(provider, u->provider) &&
			g_pattern_match_simple(name, u->name)) {
			struct fit f = { u, group_of("sdt_", u->provider), name_of(u->name, NAME_MOST),
				rec_args_of_usdt(elf, u) };

			g_array_append_val(fits, f);
		}
	}
	rec_elf_free(elf);
	if (fits->len > 0)
		return add_fits(p, path, fits, words, note, error) && is_new(p, before, error);
	near_text = base_near_text(&near);
	shown = base_text_clean(near_text, -1);
	return all->len > 0
		? base_error_false(error, BASE_ERROR_USAGE, "%s has no USDT probe %s%s", path, typed, shown)
		: base_error_false(error, BASE_ERROR_USAGE,
			  "%s has no USDT probes (no section .note.stapsdt): build it with <sys/sdt.h>, or type --probe",
			  path);
}

static bool add_usdt(struct rec_probes *p, const char *text, char **note, GError **error)
{
	g_autofree char *binary = g_strdup(text), *words = rec_args_split(binary), *path = NULL;
	char *name = strrchr(binary, ':'), *provider = NULL;

	if (name) {
		*name++ = '\0';
		provider = strrchr(binary, ':');
	}
	if (provider)
		*provider++ = '\0';
	if (name && (!provider || !*binary || !*provider || !*name))
		return base_error_false(error, BASE_ERROR_USAGE,
			"--usdt \"%s\": type BINARY, for all its probes, or BINARY:PROVIDER:NAME", text);
	path = program_of(binary, error);
	return path && add_usdts(p, path, provider ? provider : "*", name ? name : "*", words, note, error);
}

/* ---- all ---- */

/* True if the kernel can make PROBES. */
static bool probes_are_possible(const struct rec_probes *p, GError **error)
{
	static const char *const options[] = { "CONFIG_UPROBE_EVENTS", "CONFIG_KPROBE_EVENTS" };

	for (guint i = 0; i < p->lines->len; i++) {
		const struct line *l = p->lines->pdata[i];
		g_autofree char *path = g_build_filename(tracefs_tracing_dir(), files[l->file], NULL);

		if (access(path, F_OK) != 0)
			return base_error_false(error, BASE_ERROR_USAGE,
				"this kernel cannot probe %s: it is built without %s",
				l->file == UPROBES ? "programs" : "its functions", options[l->file]);
		if (access(path, W_OK) != 0)
			return base_error_false(error, BASE_ERROR_USAGE, "cannot write %s: %s", path,
				g_strerror(errno));
	}
	return true;
}

struct rec_probes *rec_probes_new(const struct rec_wish *w, const char *owner, char **note, GError **error)
{
	struct rec_probes *p = g_new0(struct rec_probes, 1);
	bool ok = true;

	p->owner = owner ? g_strdelimit(g_strconcat(owner, "_", NULL), "-", '_') : g_strdup("");
	p->lines = g_ptr_array_new_with_free_func(free_line);
	for (char *const *text = w->probes; ok && text && *text; text++)
		ok = add_probe(p, *text, note, error);
	for (char *const *text = w->usdts; ok && text && *text; text++)
		ok = add_usdt(p, *text, note, error);
	if (!ok || (owner && !probes_are_possible(p, error)))
		g_clear_pointer(&p, rec_probes_free);
	return p;
}

/* "group:name"; the caller frees. */
static char *event_of(const struct line *l)
{
	return g_strdelimit(g_strdup(l->event), "/", ':');
}

void rec_probes_add_events(const struct rec_probes *p, GPtrArray *events)
{
	for (guint i = 0; i < p->lines->len; i++) {
		char *event = event_of(p->lines->pdata[i]);

		if (g_ptr_array_find_with_equal_func(events, event, g_str_equal, NULL))
			g_free(event);
		else
			g_ptr_array_add(events, event);
	}
}

bool rec_probes_are_in(const struct rec_probes *p, const GPtrArray *events, GError **error)
{
	for (guint i = 0; p && i < p->lines->len; i++) {
		const struct line *l = p->lines->pdata[i];
		g_autofree char *event = event_of(l);

		if (!g_ptr_array_find_with_equal_func((GPtrArray *)(uintptr_t)events, event, g_str_equal,
			    NULL))
			return base_error_false(error, BASE_ERROR_USAGE,
				"the kernel refuses to record the probe \"%s\"", l->text);
	}
	return true;
}

/* True if no line before number I has the same event. */
static bool is_first(const struct rec_probes *p, guint i)
{
	const struct line *l = p->lines->pdata[i];

	for (guint k = 0; k < i; k++)
		if (g_str_equal(((const struct line *)p->lines->pdata[k])->event, l->event))
			return false;
	return true;
}

void rec_probes_tell(const struct rec_probes *p, bool make, GString *out)
{
	const char *top = tracefs_tracing_dir();

	for (guint i = 0; i < p->lines->len; i++) {
		const struct line *l = p->lines->pdata[i];
		g_autofree char *quoted = make ? g_shell_quote(l->text) : g_strdup_printf("-:%s", l->event);

		if (make || is_first(p, i))
			g_string_append_printf(out, "echo %s >> %s/%s\n", quoted,
				top ? top : "/sys/kernel/tracing", files[l->file]);
	}
}

/* ---- in the kernel ---- */

/* Remove EVENT from FILE.  True also if it does not exist. */
static bool probes_drop(unsigned file, const char *event)
{
	g_autofree char *text = g_strdup_printf("-:%s\n", event);

	return tracefs_instance_file_append(NULL, files[file], text) >= 0 || errno == ENOENT;
}

bool rec_probes_remove(const struct rec_probes *p, GError **error)
{
	const char *stays = NULL;
	int saved_errno = 0;

	for (guint i = 0; i < p->lines->len; i++) {
		const struct line *l = p->lines->pdata[i];

		if (probes_drop(l->file, l->event))
			continue;
		saved_errno = errno;
		stays = l->event;
	}
	return !stays || base_error_false_errno(error, saved_errno, "cannot remove the probe", stays);
}

/* Return TEXT of the last entry in the kernel's error log, "[8.1] trace_uprobe: error: TEXT".  If that is
 * still BEFORE (NULL: empty), return the text of SAVED_ERRNO.  The caller frees. */
static char *refusal(int saved_errno, const char *before)
{
	char *last = tracefs_error_last(NULL), *text;
	const char *at = last && g_strcmp0(last, before) != 0 ? strstr(last, "error: ") : NULL;

	text = at ? g_strndup(at + 7, strcspn(at + 7, "\n")) : g_strdup(g_strerror(saved_errno));
	free(last);
	return text;
}

bool rec_probes_make(const struct rec_probes *p, GError **error)
{
	char *said = tracefs_error_last(NULL);
	bool ok = true;

	for (guint i = 0; ok && i < p->lines->len; i++) {
		const struct line *l = p->lines->pdata[i];
		g_autofree char *text = g_strconcat(l->text, "\n", NULL), *why = NULL;

		if (tracefs_instance_file_append(NULL, files[l->file], text) >= 0)
			continue;
		why = refusal(errno, said);
		rec_probes_remove(p, NULL); /* those made so far */
		ok = base_error_false(error, BASE_ERROR_USAGE, "the kernel refuses the probe \"%s\": %s",
			l->text, why);
	}
	free(said);
	return ok;
}

/* ---- what is left ---- */

/* True if the owner of EVENT, "wakepath_PID_START_GROUP/NAME", is gone. */
static bool is_left(const char *event)
{
	g_autofree char *owner = g_strdelimit(g_strdup(event), "_", '-');

	return rec_name_is_left(owner);
}

/* Return the probes in FILE whose owner is gone, "group/name". */
static GPtrArray *left_in(unsigned file)
{
	GPtrArray *left = g_ptr_array_new_with_free_func(g_free);
	char *text = rec_tracefs_problem() ? NULL : tracefs_instance_file_read(NULL, files[file], NULL);
	g_auto(GStrv) lines = g_strsplit(text ? text : "", "\n", -1);

	for (char **l = lines; *l; l++) {
		char *event = strchr(*l, ':');

		if (!event || !is_left(++event))
			continue;
		event[strcspn(event, " ")] = '\0';
		if (!g_ptr_array_find_with_equal_func(left, event, g_str_equal, NULL))
			g_ptr_array_add(left, g_strdup(event));
	}
	free(text);
	return left;
}

GPtrArray *rec_probes_left(void)
{
	GPtrArray *groups = g_ptr_array_new_with_free_func(g_free);

	for (unsigned file = 0; file < G_N_ELEMENTS(files); file++) {
		g_autoptr(GPtrArray) left = left_in(file);

		for (guint i = 0; i < left->len; i++) {
			char *group = g_strndup(left->pdata[i], strcspn(left->pdata[i], "/"));

			if (g_ptr_array_find_with_equal_func(groups, group, g_str_equal, NULL))
				g_free(group);
			else
				g_ptr_array_add(groups, group);
		}
	}
	return groups;
}

bool rec_probes_clean(GError **error)
{
	bool ok = true;

	for (unsigned file = 0; file < G_N_ELEMENTS(files); file++) {
		g_autoptr(GPtrArray) left = left_in(file);

		for (guint i = 0; i < left->len; i++) {
			/* A probe in use stays. */
			if (probes_drop(file, left->pdata[i]))
				continue;
			if (ok)
				base_error_set_errno(error, errno, "cannot remove the probe", left->pdata[i]);
			ok = false;
		}
	}
	return ok;
}
