/* SPDX-License-Identifier: MIT */
/* Marks that distinguish hosts: colours, unique short names, labels in little room; for names that are
 * long, equal, or not text at all. */
#include "analysis/ana_synth.h"
#include "ui/widget/host_look.h"

/* An experiment of hosts with these NAMES (NULL-terminated). */
static struct qry *open_hosts(struct ana_synth **synth, const char *const *names)
{
	*synth = ana_synth_named(names[0], 100);
	for (unsigned i = 1; names[i]; i++)
		ana_synth_beside(*synth, names[i]);
	return ana_synth_open(*synth);
}

static void assert_tags(const char *const *names, unsigned width, const char *const *expected)
{
	struct ana_synth *synth;
	struct qry *q = open_hosts(&synth, names);

	for (uint32_t i = 0; i < qry_host_count(q); i++) {
		char *tag = host_look_tag(q, i, width);

		g_assert_cmpstr(tag, ==, expected[i]);
		g_free(tag);
	}
	ana_synth_free(synth);
}

static void test_tags(void)
{
	assert_tags((const char *[]){ "client", "httpd", "db", NULL }, 8,
		(const char *[]){ "client", "httpd", "db" });
	assert_tags((const char *[]){ "web.example.com", "db.example.com", NULL }, 8,
		(const char *[]){ "web", "db" });
	/* The first parts are equal: beginnings are used. */
	assert_tags((const char *[]){ "db.eu.example.com", "db.us.example.com", NULL }, 8,
		(const char *[]){ "db.eu.e…", "db.us.e…" });
	/* Only the ends differ. */
	assert_tags((const char *[]){ "compute-rack7-node1", "compute-rack7-node2", NULL }, 8,
		(const char *[]){ "…7-node1", "…7-node2" });
	/* Neither beginning nor end differs: numbers are used. */
	assert_tags((const char *[]){ "frontend-a-backend", "frontend-b-backend", NULL }, 8,
		(const char *[]){ "#1", "#2" });
	/* A name that fits is kept, and no other one is shortened to it. */
	assert_tags((const char *[]){ "db", "db.example.com", NULL }, 8,
		(const char *[]){ "db", "db.exam…" });
}

static void test_hostile(void)
{
	struct ana_synth *synth;
	struct qry *q = open_hosts(&synth,
		(const char *[]){ "\xe2\x80\xae", "\x1b[31mevil and longer",
			"\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad", NULL });

	for (uint32_t i = 0; i < qry_host_count(q); i++) {
		char *tag = host_look_tag(q, i, 6);

		g_assert_true(g_utf8_validate(tag, -1, NULL));
		g_assert_cmpuint(term_text_width(tag), <=, 6);
		g_assert_cmpuint(host_look_mark(q, i), ==, '1' + i);
		g_free(tag);
	}
	ana_synth_free(synth);
}

static void test_marks(void)
{
	struct ana_synth *synth;
	struct qry *q = open_hosts(&synth, (const char *[]){ "client", "httpd", "db", NULL });
	const char *many[HOST_LOOK_MARKS + 3] = { NULL };
	GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
	GHashTable *seen = g_hash_table_new(NULL, NULL);

	g_assert_cmpuint(host_look_mark(q, 0), ==, 'c');
	g_assert_cmpuint(host_look_mark(q, 1), ==, 'h');
	g_assert_cmpuint(host_look_mark(q, 2), ==, 'd');
	ana_synth_free(synth);
	for (unsigned i = 0; i < HOST_LOOK_MARKS + 2; i++) {
		g_ptr_array_add(names, g_strdup_printf("node%u", i));
		many[i] = g_ptr_array_index(names, i);
	}
	q = open_hosts(&synth, many);
	for (uint32_t i = 0; i < HOST_LOOK_MARKS; i++)
		g_assert_true(g_hash_table_add(seen, GUINT_TO_POINTER(host_look_mark(q, i))));
	g_assert_cmpuint(host_look_mark(q, HOST_LOOK_MARKS), ==, '+');
	g_assert_cmpuint(host_look_role(0), !=, host_look_role(1));
	g_assert_cmpuint(host_look_role(0), ==, host_look_role(6));
	ana_synth_free(synth);
	g_hash_table_unref(seen);
	g_ptr_array_unref(names);
}

/* LABEL of an item on HOST, in WIDTH columns. */
static void assert_label(const struct qry *q, uint32_t host, const char *label, unsigned width,
	const char *expected)
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
	struct ana_synth *synth, *alone;
	struct qry *q = open_hosts(&synth, (const char *[]){ "client", "httpd", NULL }),
		   *one = open_hosts(&alone, (const char *[]){ "single", NULL });

	assert_label(q, 1, "httpd/apache2[1234]", 30, "httpd/apache2[1234]");
	assert_label(q, 1, "apache2[1234]", 30, "httpd/apache2[1234]");
	assert_label(q, 1, "httpd/apache2[1234]", 19, "httpd/apache2[1234]");
	assert_label(q, 1, "httpd/apache2[1234]", 15, "h/apache2[1234]");
	assert_label(q, 1, "httpd/apache2[1234]", 18, "h/apache2[1234]");
	assert_label(q, 1, "httpd/apache2[1234]", 10, "h/apache2…");
	assert_label(q, 1, "httpd/apache2[1234]", 1, "h");
	assert_label(q, 1, "httpd/apache2[1234]", 0, "");
	/* A name that only resembles a host's. */
	assert_label(q, 0, "httpd[12]", 20, "client/httpd[12]");
	assert_label(one, 0, "httpd/8[12]", 20, "httpd/8[12]");
	ana_synth_free(synth);
	ana_synth_free(alone);
}

/* LABEL of an item on HOST, with its host. */
static void assert_with_host(const struct qry *q, uint32_t host, const char *label, const char *expected)
{
	char *text = qry_label_with_host(q, host, g_strdup(label));

	g_assert_cmpstr(text, ==, expected);
	g_free(text);
}

static void test_with_host(void)
{
	struct ana_synth *synth, *alone;
	struct qry *q = open_hosts(&synth, (const char *[]){ "guest", "host", NULL }),
		   *one = open_hosts(&alone, (const char *[]){ "single", NULL });

	assert_with_host(q, 0, "hrtimer", "guest/hrtimer");
	assert_with_host(q, 0, "CPU 0/KVM[12]", "guest/CPU 0/KVM[12]");
	/* Labels that already have a host, even another one. */
	assert_with_host(q, 1, "host/wk-pulse[679]", "host/wk-pulse[679]");
	assert_with_host(q, 0, "host/wk-pulse[679]", "host/wk-pulse[679]");
	assert_with_host(q, 1, "host: interrupt", "host: interrupt");
	/* A name that only resembles a host's. */
	assert_with_host(q, 1, "host[12]", "host/host[12]");
	assert_with_host(q, 1, "host:12", "host/host:12");
	assert_with_host(q, 1, "hos/12", "host/hos/12");
	assert_with_host(one, 0, "hrtimer", "hrtimer");
	ana_synth_free(synth);
	ana_synth_free(alone);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/host-look/tags", test_tags);
	g_test_add_func("/host-look/hostile", test_hostile);
	g_test_add_func("/host-look/marks", test_marks);
	g_test_add_func("/host-look/labels", test_labels);
	g_test_add_func("/host-look/with-host", test_with_host);
	return g_test_run();
}
