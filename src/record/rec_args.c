/* SPDX-License-Identifier: MIT */
/*
 * A USDT note lists the arguments of its probe as "SIZE@OPERAND", separated by blanks.  SIZE is negative for
 * a signed number, and has an "f" for floating point.  OPERAND is in assembler syntax:
 *
 *   x86-64    $42   %edi   -20(%rbp)   (%rax)   total+8(%rip)
 *   aarch64   42    x1     [sp, 8]     [x0]
 *
 * The kernel writes these as \42, %di, -20(%bp) and @+PLACE.  PLACE is the file offset that the variable
 * would have if it were mapped like the probe (translate_user_vaddr(), kernel/trace/trace_uprobe.c).  The
 * kernel has no syntax for vector registers, sums of two registers, and thread-local memory.  Names of
 * registers: regoffset_table of arch/x86/kernel/ptrace.c and arch/arm64/kernel/ptrace.c.
 */
#include "record/rec_args.h"

#include "base/base_error.h"
#include "base/base_text.h"

#include <elf.h>
#include <inttypes.h>
#include <string.h>

#define NUMBER "-?(?:0x[0-9a-fA-F]+|[0-9]+)"
#define SIZE "^(?:(?<size>-?[1248])@)?(?:"

static const char x86[] = SIZE "\\$(?<number>" NUMBER ")|%(?<register>\\w+)|"
			       "(?<places>[-+\\w.$]*)\\(%(?<base>\\w+)\\))$",
		  arm[] = SIZE "#?(?<number>" NUMBER ")|(?<register>\\w+)|"
			       "\\[(?<base>\\w+)(?:, ?#?(?<places>" NUMBER "))?\\])$";

/* Argument registers: System V ABI of AMD64, 3.2.3; AAPCS64, 6.4. */
static const char *const x86_arguments[] = { "di", "si", "dx", "cx", "r8", "r9", NULL },
			 *const arm_arguments[] = { "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", NULL };

/* ---- operands ---- */

/* Return the kernel's name of register NAME; NULL if it has none.  The caller frees. */
static char *register_of(unsigned machine, const char *name)
{
	static const char of_x86[] =
		"^(?|[re]?([abcd])x|([abcd])l|[re]?(si|di|bp|sp)l?|(r(?:8|9|1[0-5]))[dwb]?|(rip))$",
			  of_arm[] = "^[wx]([0-9]|[12][0-9]|30)$";
	g_autoptr(GRegex) regex = g_regex_new(machine == EM_X86_64 ? of_x86 : of_arm, 0, 0, NULL);
	g_autoptr(GMatchInfo) match = NULL;
	g_autofree char *own = NULL;

	if (machine == EM_AARCH64 && g_str_equal(name, "sp"))
		return g_strdup(name);
	if (!g_regex_match(regex, name, 0, &match))
		return NULL;
	own = g_match_info_fetch(match, 1);
	if (machine == EM_AARCH64)
		return g_strconcat("x", own, NULL);
	return own[1] ? g_steal_pointer(&own) : g_strconcat(own, "x", NULL);
}

/* Add up PLACES ("-16", "8+4", "total+8") into *SUM: numbers, and the address of at most one variable.
 * *VARIABLE becomes true if there is one. */
static bool add_up(const struct rec_elf *elf, const char *places, int64_t *sum, bool *variable)
{
	uint64_t total = 0, value = 0;
	size_t length;

	*variable = false;
	for (const char *p = places; *p; p += length) {
		bool minus = *p == '-', number;
		char *end = NULL;

		p += *p == '-' || *p == '+';
		length = strcspn(p, "+-");
		number = g_ascii_isdigit(*p);
		if (number)
			value = g_ascii_strtoull(p, &end, 0);
		if (number && end != p + length)
			return false;
		if (!number) {
			g_autofree char *name = g_strndup(p, length);

			if (minus || *variable || !rec_elf_variable(elf, name, &value))
				return false;
			*variable = true;
		}
		total += minus ? 0 - value : value;
	}
	*sum = (int64_t)total;
	return true;
}

/* Return the kernel's syntax for memory at register BASE plus PLACES, for USDT; NULL if it has none. */
static char *memory_of(const struct rec_elf *elf, const struct rec_elf_usdt *usdt, const char *places,
	const char *base)
{
	g_autofree char *own = register_of(rec_elf_machine(elf), base);
	bool variable;
	int64_t at = 0;

	if (!own || !add_up(elf, places, &at, &variable) || variable != g_str_equal(own, "rip"))
		return NULL;
	if (!variable)
		return g_strdup_printf("%+" PRId64 "(%%%s)", at, own);
	at = at - (int64_t)usdt->address + (int64_t)usdt->place;
	return at >= 0 ? g_strdup_printf("@+%" PRId64, at) : NULL;
}

/* Set the fetch and type of A, an argument of USDT. */
static void read_operand(const struct rec_elf *elf, const struct rec_elf_usdt *usdt, struct rec_arg *a)
{
	static const char *const types[] = { "u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64" };
	unsigned machine = rec_elf_machine(elf);
	g_autoptr(GRegex) regex = g_regex_new(machine == EM_X86_64 ? x86 : arm, G_REGEX_RAW, 0, NULL);
	g_autoptr(GMatchInfo) match = NULL;
	g_autofree char *size = NULL, *number = NULL, *name = NULL, *base = NULL, *places = NULL, *own = NULL;
	bool below;

	if ((machine != EM_X86_64 && machine != EM_AARCH64) || !g_regex_match(regex, a->operand, 0, &match))
		return;
	size = g_match_info_fetch_named(match, "size");
	number = g_match_info_fetch_named(match, "number");
	name = g_match_info_fetch_named(match, "register");
	base = g_match_info_fetch_named(match, "base");
	places = g_match_info_fetch_named(match, "places");
	if (name && (g_str_equal(name, "wzr") || g_str_equal(name, "xzr"))) {
		g_free(number);
		number = g_strdup("0");
	}
	a->is_constant = number && *number;
	own = !a->is_constant && name && *name ? register_of(machine, name) : NULL;
	if (a->is_constant)
		a->fetch = g_strconcat("\\", number, NULL);
	else if (own)
		a->fetch = g_strconcat("%", g_str_equal(own, "rip") ? "ip" : own, NULL);
	else if (base && *base)
		a->fetch = memory_of(elf, usdt, places ? places : "", base);
	/* Without SIZE the operand is as large as a register: early notes have no sizes. */
	below = size && *size == '-';
	a->type = types[(below ? 4 : 0) + (size && *size ? MIN(strcspn("1248", size + below), 3) : 3)];
}

static void free_arg(gpointer data)
{
	struct rec_arg *a = data;

	g_free(a->operand);
	g_free(a->fetch);
	g_free(a);
}

static struct rec_arg *add_arg(GPtrArray *args, char *operand)
{
	struct rec_arg *a = g_new0(struct rec_arg, 1);

	a->operand = operand;
	g_ptr_array_add(args, a);
	return a;
}

GPtrArray *rec_args_of_usdt(const struct rec_elf *elf, const struct rec_elf_usdt *usdt)
{
	GPtrArray *args = g_ptr_array_new_with_free_func(free_arg);

	for (const char *p = usdt->arguments + strspn(usdt->arguments, " "), *end; *p;
		p = end + strspn(end, " ")) {
		/* "[sp, 8]" is one operand. */
		for (end = p; *end && *end != ' '; end++)
			end += *end == '[' ? strcspn(end, "]") : 0;
		read_operand(elf, usdt, add_arg(args, g_strndup(p, (gsize)(end - p))));
	}
	return args;
}

GPtrArray *rec_args_of_function(unsigned machine)
{
	const char *const *names = machine == EM_X86_64 ? x86_arguments : arm_arguments;
	GPtrArray *args = g_ptr_array_new_with_free_func(free_arg);

	while ((machine == EM_X86_64 || machine == EM_AARCH64) && *names) {
		struct rec_arg *a = add_arg(args, g_strconcat("%", *names++, NULL));

		a->fetch = g_strdup(a->operand);
	}
	return args;
}

/* ---- several places ---- */

/* True if A can have TYPE: a constant fits any type that can represent it. */
static bool may_be(const struct rec_arg *a, const char *type)
{
	guint64 bits = g_ascii_strtoull(type + 1, NULL, 10);
	gint64 value = a->is_constant ? g_ascii_strtoll(a->fetch + 1, NULL, 0) : 0, most;

	if (g_str_equal(a->type, type) || !a->is_constant)
		return g_str_equal(a->type, type);
	most = bits == 64 ? G_MAXINT64 : (INT64_C(1) << (*type == 's' ? bits - 1 : bits)) - 1;
	return value <= most && value >= (*type == 's' ? -most - 1 : 0);
}

void rec_args_join(GPtrArray *a, GPtrArray *b)
{
	g_ptr_array_set_size(a, (int)MIN(a->len, b->len));
	g_ptr_array_set_size(b, (int)a->len);
	for (guint i = 0; i < a->len; i++) {
		struct rec_arg *x = a->pdata[i], *y = b->pdata[i];
		const char *const types[] = { x->type, y->type, "s64" };
		gsize n = 0;

		while (x->fetch && y->fetch && n < G_N_ELEMENTS(types) &&
			!(may_be(x, types[n]) && may_be(y, types[n])))
			n++;
		if (x->fetch && y->fetch && n < G_N_ELEMENTS(types)) {
			x->type = y->type = types[n];
			continue;
		}
		g_clear_pointer(&x->fetch, g_free);
		g_clear_pointer(&y->fetch, g_free);
	}
}

/* ---- words ---- */

char *rec_args_split(char *text)
{
	static const char word[] = " +\\w+=[^ ]+";
	g_autofree char *pattern = g_strconcat("(?:", word, ")+ *$", NULL);
	g_autoptr(GRegex) regex = g_regex_new(pattern, G_REGEX_RAW, 0, NULL);
	g_autoptr(GMatchInfo) match = NULL;
	int from;

	if (!g_regex_match(regex, text, 0, &match) || !g_match_info_fetch_pos(match, 0, &from, NULL))
		return NULL;
	char *words = g_strdup(text + from);

	text[from] = '\0';
	return words;
}

/* Append FROM with each argN replaced by its argument.  *ONE becomes the argument if FROM is only argN. */
static bool put_value(GString *out, const GPtrArray *args, const char *from, const char *probe,
	const struct rec_arg **one, GError **error)
{
	*one = NULL;
	for (const char *p = from; *p;) {
		size_t length = strspn(p, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_");
		const struct rec_arg *a;
		char *end;
		guint64 n;

		if (length < 4 || !g_str_has_prefix(p, "arg") || !g_ascii_isdigit(p[3]) ||
			(p > from && strchr("%$@", p[-1]))) {
			g_string_append_len(out, p, (gssize)MAX(length, 1));
			p += MAX(length, 1);
			continue;
		}
		n = g_ascii_strtoull(p + 3, &end, 10);
		if (end != p + length || n < 1 || n > args->len)
			return base_error_false(error, BASE_ERROR_USAGE,
				"%s has no argument \"%.*s\": it has %u%s", probe, (int)length, p, args->len,
				args->len ? ", the first is arg1" : "");
		a = args->pdata[n - 1];
		if (!a->fetch) {
			g_autofree char *shown = base_text_clean(a->operand, -1);

			return base_error_false(error, BASE_ERROR_USAGE,
				"the kernel cannot read argument %d of %s (%s)", (int)n, probe, shown);
		}
		g_string_append(out, a->fetch);
		*one = length == strlen(from) ? a : NULL;
		p += length;
	}
	return true;
}

/* Append " NAME=VALUE:TYPE" for WORD, "NAME=VALUE" or "NAME=VALUE:TYPE". */
static bool put_word(GString *out, const GPtrArray *args, const char *word, const char *probe, GError **error)
{
	const char *equals = strchr(word, '='), *colon = strrchr(equals, ':'),
		   *type = colon ? colon + 1 : NULL;
	g_autofree char *from = g_strndup(equals + 1,
		colon ? (gsize)(colon - equals - 1) : strlen(equals + 1));
	g_autoptr(GString) value = g_string_new(NULL);
	const struct rec_arg *one;
	bool string = type && (g_str_equal(type, "string") || g_str_equal(type, "ustring"));

	if (!put_value(value, args, from, probe, &one, error))
		return false;
	/* The argument is a pointer to the text. */
	if (one && string) {
		g_string_prepend(value, "+0(");
		g_string_append_c(value, ')');
	}
	if (!type && one)
		type = one->type;
	g_string_append_printf(out, " %.*s=%s%s%s", (int)(equals - word), word, value->str, type ? ":" : "",
		type ? type : "");
	return true;
}

char *rec_args_text(const GPtrArray *args, const char *words, const char *probe, GError **error)
{
	g_autoptr(GString) out = g_string_new(NULL);
	g_auto(GStrv) all = g_strsplit(words ? words : "", " ", -1);

	for (char **word = all; *word; word++)
		if (**word && !put_word(out, args, *word, probe, error))
			return NULL;
	for (guint i = 0; !words && i < args->len; i++) {
		const struct rec_arg *a = args->pdata[i];

		if (a->fetch)
			g_string_append_printf(out, " arg%u=%s:%s", i + 1, a->fetch, a->type);
	}
	return g_string_free(g_steal_pointer(&out), FALSE);
}
