// SPDX-License-Identifier: MIT
/* How hosts are told apart: marks, short names that no other host has, labels in little room; for names that are long, alike, or not text at all. */
#include "index/idx_writer.h"
#include "ui/pane/host_look.h"

#include <glib/gstdio.h>
#include <string.h>

/* An experiment of hosts with these NAMES (NULL-terminated), each a CPU that idles. */
static struct qry *open_hosts(const char *const *names)
{
	GPtrArray *paths = g_ptr_array_new_with_free_func(g_free), *fingerprints = g_ptr_array_new();
	GError *error = NULL;
	struct qry *q;

	for (unsigned i = 0; names[i]; i++) {
		struct mdl_row cpu = { .type = MDL_ROW_CPU, .cpu = MDL_NONE, .pid = -1, .ppid = -1, .parent = MDL_NONE, .last = 100 };
		struct mdl_interval iv = { .to = 100, .state = MDL_ST_IDLE, .aux = MDL_NONE };
		char *path = g_strdup_printf("%s/host%u.index", g_get_tmp_dir(), i);
		struct idx_writer *writer = idx_writer_new(path, &error);
		struct idx_meta *meta = idx_meta_new();
		struct base_strings *strings = base_strings_new();
		struct idx_tables tables = { .meta = meta, .strings = strings };

		g_assert_no_error(error);
		meta->fingerprint = g_strdup("");
		meta->path = g_strdup("synthetic");
		meta->host = g_strdup(names[i]);
		meta->uuid = g_strdup("");
		meta->tracer = g_strdup("");
		meta->release = g_strdup("");
		meta->reader = g_strdup("");
		meta->to = 100;
		meta->n_cpus = 1;
		idx_writer_interval(writer, 0, &iv);
		idx_writer_over(writer, 0, &cpu);
		idx_writer_finish(writer, &tables, &error);
		g_assert_no_error(error);
		idx_writer_free(writer);
		idx_meta_free(meta);
		base_strings_free(strings);
		g_ptr_array_add(paths, path);
		g_ptr_array_add(fingerprints, NULL);
	}
	q = qry_open(paths, fingerprints, &error);
	g_assert_no_error(error);
	for (guint i = 0; i < paths->len; i++)
		g_remove(g_ptr_array_index(paths, i));
	g_ptr_array_unref(paths);
	g_ptr_array_unref(fingerprints);
	return q;
}

static void assert_tags(const char *const *names, unsigned width, const char *const *expected)
{
	struct qry *q = open_hosts(names);

	for (uint32_t i = 0; i < qry_host_count(q); i++) {
		char *tag = host_look_tag(q, i, width);

		g_assert_cmpstr(tag, ==, expected[i]);
		g_free(tag);
	}
	qry_free(q);
}

static void test_tags(void)
{
	assert_tags((const char *[]){ "client", "httpd", "db", NULL }, 8, (const char *[]){ "client", "httpd", "db" });
	assert_tags((const char *[]){ "web.example.com", "db.example.com", NULL }, 8, (const char *[]){ "web", "db" });
	/* The first parts agree: the beginnings do not. */
	assert_tags((const char *[]){ "db.eu.example.com", "db.us.example.com", NULL }, 8, (const char *[]){ "db.eu.e…", "db.us.e…" });
	/* Only the ends differ. */
	assert_tags((const char *[]){ "compute-rack7-node1", "compute-rack7-node2", NULL }, 8, (const char *[]){ "…7-node1", "…7-node2" });
	/* Neither: their numbers. */
	assert_tags((const char *[]){ "frontend-a-backend", "frontend-b-backend", NULL }, 8, (const char *[]){ "#1", "#2" });
	/* A name that fits is its own, and no other one is shortened to it. */
	assert_tags((const char *[]){ "db", "db.example.com", NULL }, 8, (const char *[]){ "db", "db.exam…" });
}

static void test_hostile(void)
{
	struct qry *q = open_hosts((const char *[]){ "\xe2\x80\xae", "\x1b[31mevil and longer", "\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad", NULL });

	for (uint32_t i = 0; i < qry_host_count(q); i++) {
		char *tag = host_look_tag(q, i, 6);

		g_assert_true(g_utf8_validate(tag, -1, NULL));
		g_assert_cmpuint(term_text_width(tag), <=, 6);
		g_assert_cmpuint(host_look_mark(q, i), ==, '1' + i);
		g_free(tag);
	}
	qry_free(q);
}

static void test_marks(void)
{
	struct qry *q = open_hosts((const char *[]){ "client", "httpd", "db", NULL });
	const char *many[HOST_LOOK_MARKS + 3] = { NULL };
	GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
	GHashTable *seen = g_hash_table_new(NULL, NULL);

	g_assert_cmpuint(host_look_mark(q, 0), ==, 'c');
	g_assert_cmpuint(host_look_mark(q, 1), ==, 'h');
	g_assert_cmpuint(host_look_mark(q, 2), ==, 'd');
	qry_free(q);
	for (unsigned i = 0; i < HOST_LOOK_MARKS + 2; i++) {
		g_ptr_array_add(names, g_strdup_printf("node%u", i));
		many[i] = g_ptr_array_index(names, i);
	}
	q = open_hosts(many);
	for (uint32_t i = 0; i < HOST_LOOK_MARKS; i++)
		g_assert_true(g_hash_table_add(seen, GUINT_TO_POINTER(host_look_mark(q, i))));
	g_assert_cmpuint(host_look_mark(q, HOST_LOOK_MARKS), ==, '+');
	g_assert_cmpuint(host_look_role(0), !=, host_look_role(1));
	g_assert_cmpuint(host_look_role(0), ==, host_look_role(6));
	qry_free(q);
	g_hash_table_unref(seen);
	g_ptr_array_unref(names);
}

/* LABEL of something on HOST in WIDTH columns. */
static void assert_label(const struct qry *q, uint32_t host, const char *label, unsigned width, const char *expected)
{
	struct term_grid *grid = term_grid_new(40, 1);
	struct term_area area = term_grid_area(grid);
	unsigned end = host_look_label(&area, 0, 0, width, TERM_ROLE_TEXT, q, host, label);
	GString *text = g_string_new(NULL);

	for (unsigned x = 0; x < end; x++)
		g_string_append_unichar(text, term_grid_cell(grid, x, 0)->ch);
	g_assert_cmpstr(text->str, ==, expected);
	for (unsigned x = end; x < grid->columns; x++)
		g_assert_cmpuint(term_grid_cell(grid, x, 0)->ch, ==, ' ');
	g_string_free(text, TRUE);
	term_grid_free(grid);
}

static void test_labels(void)
{
	struct qry *q = open_hosts((const char *[]){ "client", "httpd", NULL }), *one = open_hosts((const char *[]){ "client", NULL });

	assert_label(q, 1, "httpd/apache2[1234]", 30, "httpd/apache2[1234]");
	assert_label(q, 1, "apache2[1234]", 30, "httpd/apache2[1234]");
	assert_label(q, 1, "httpd/apache2[1234]", 19, "httpd/apache2[1234]");
	assert_label(q, 1, "httpd/apache2[1234]", 15, "h/apache2[1234]");
	assert_label(q, 1, "httpd/apache2[1234]", 10, "h/apache2…");
	assert_label(q, 1, "httpd/apache2[1234]", 1, "h");
	assert_label(q, 1, "httpd/apache2[1234]", 0, "");
	/* Something that is only called like a host. */
	assert_label(q, 0, "httpd[12]", 20, "client/httpd[12]");
	assert_label(one, 0, "httpd/8[12]", 20, "httpd/8[12]");
	qry_free(q);
	qry_free(one);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/host-look/tags", test_tags);
	g_test_add_func("/host-look/hostile", test_hostile);
	g_test_add_func("/host-look/marks", test_marks);
	g_test_add_func("/host-look/labels", test_labels);
	return g_test_run();
}
