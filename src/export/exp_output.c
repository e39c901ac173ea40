/* SPDX-License-Identifier: MIT */
/* The formats of each result, from the lists of exp.h, by name or by the ending of a file. */
#include "export/exp.h"

#include "base/base_error.h"
#include "base/base_text.h"

#include <string.h>

static const struct {
	const char *name, *ending;
} formats[] = {
#define EXP_FORMAT_ROW(id, name, ending) { name, ending },
	TABLE_FORMATS(EXP_FORMAT_ROW)
};

static const struct writer {
	const char *result;
	exp_writer *write;
	const char *name, *ending; /* NULL: all formats */
} writers[] = {
#define EXP_WRITER_ALL(result) { #result, exp_##result, NULL, NULL },
#define EXP_WRITER_ONE(result, format, ending) { #result, exp_##result##_##format, #format, ending },
	EXP_RESULTS(EXP_WRITER_ALL, EXP_WRITER_ONE)
};

bool exp_output_at(const char *result, unsigned i, struct exp_output *output)
{
	for (const struct writer *w = writers; w < writers + G_N_ELEMENTS(writers); w++) {
		unsigned n = w->name ? 1 : G_N_ELEMENTS(formats);

		if (!g_str_equal(w->result, result))
			continue;
		if (i < n) {
			*output = (struct exp_output){ .name = w->name ? w->name : formats[i].name,
				.ending = w->name ? w->ending : formats[i].ending,
				.format = w->name ? TABLE_TEXT : i,
				.write = w->write };
			return true;
		}
		i -= n;
	}
	return false;
}

bool exp_output_find(const char *result, const char *name, struct exp_output *output, GError **error)
{
	g_autofree char *names = NULL, *shown = NULL;

	for (unsigned i = 0; exp_output_at(result, i, output); i++)
		if (g_str_equal(name, output->name))
			return true;
	names = exp_output_names(result, "");
	shown = base_text_clean(name, -1);
	return base_error_false(error, BASE_ERROR_USAGE, "no format is called \"%s\": type %s", shown, names);
}

char *exp_output_names(const char *result, const char *behind_default)
{
	GString *names = g_string_new(NULL);
	struct exp_output output, next;

	for (unsigned i = 0; exp_output_at(result, i, &output); i++)
		g_string_append_printf(names, "%s%s%s",
			i == 0                                        ? ""
				: exp_output_at(result, i + 1, &next) ? ", "
								      : " or ",
			output.name, i == 0 ? behind_default : "");
	return g_string_free(names, FALSE);
}

bool exp_output_of_file(const char *result, const char *file, struct exp_output *found)
{
	struct exp_output output;
	size_t longest = 0;

	for (unsigned i = 0; exp_output_at(result, i, &output); i++) {
		if (!g_str_has_suffix(file, output.ending) || strlen(output.ending) <= longest)
			continue;
		*found = output;
		longest = strlen(output.ending);
	}
	return longest > 0;
}

const char *exp_output_endings(const char *result)
{
	g_autoptr(GString) all = g_string_new(NULL);
	struct exp_output output;

	for (unsigned i = 0; exp_output_at(result, i, &output); i++)
		g_string_append_printf(all, "%s%s", i ? " " : "", output.ending);
	return g_intern_string(all->str);
}

bool exp_output_write(const char *result, struct qry *q, const void *what, struct exp_options *o,
	const char *file, GError **error)
{
	g_autoptr(GString) text = g_string_new(NULL);
	struct exp_output output;
	bool fine;

	if (!exp_output_of_file(result, file, &output))
		return base_error_false(error, BASE_ERROR_USAGE, "%s: end it with one of %s", file,
			exp_output_endings(result));
	o->format = output.format;
	o->file = exp_file_new(file);
	fine = output.write(text, q, what, o, error) && exp_file_finish(o->file, text, false, error);
	exp_file_free(o->file);
	return fine;
}
