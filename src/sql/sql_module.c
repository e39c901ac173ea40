/* SPDX-License-Identifier: MIT */
/* Life cycle of all kinds of virtual tables and their cursors. */
#include "sql/sql_parts.h"

#include "base/base_error.h"

/* The argument of sqlite3_create_module_v2(). */
struct made {
	struct sql *sql;
	const struct sql_module *module;
	const void *of;
};

static int declare(struct sql *s, const char *text)
{
	int status;

	s->declares = true;
	status = sqlite3_declare_vtab(s->db, text);
	s->declares = false;
	return status;
}

int sql_module_disconnect(sqlite3_vtab *base)
{
	struct sql_module_vtab *t = (struct sql_module_vtab *)base;

	if (t->module->clear)
		t->module->clear(t);
	g_free(t);
	return SQLITE_OK;
}

static struct sql_module_vtab *make_vtab(const struct made *made)
{
	struct sql_module_vtab *t = g_malloc0(made->module->vtab_size);

	t->sql = made->sql;
	t->module = made->module;
	t->of = made->of;
	return t;
}

int sql_module_connect(sqlite3 *db, void *data, G_GNUC_UNUSED int argc, G_GNUC_UNUSED const char *const *argv,
	sqlite3_vtab **vtab, char **message)
{
	struct sql_module_vtab *t = make_vtab(data);
	g_autofree char *text = NULL;
	int status;

	text = t->module->declare(t);
	status = declare(t->sql, text);
	if (status == SQLITE_OK)
		*vtab = &t->base;
	else {
		*message = sqlite3_mprintf("%s", sqlite3_errmsg(db));
		sql_module_disconnect(&t->base);
	}
	return status;
}

int sql_module_open(sqlite3_vtab *base, sqlite3_vtab_cursor **cursor)
{
	struct sql_module_cursor *c = g_malloc0(((struct sql_module_vtab *)base)->module->cursor_size);

	c->host = MDL_NONE;
	c->all = ((struct sql_module_vtab *)base)->sql->copies;
	*cursor = &c->base;
	return SQLITE_OK;
}

int sql_module_close(sqlite3_vtab_cursor *base)
{
	((struct sql_module_vtab *)base->pVtab)->module->reset((struct sql_module_cursor *)base);
	g_free(base);
	return SQLITE_OK;
}

int sql_module_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *id)
{
	struct sql_module_cursor *c = (struct sql_module_cursor *)base;

	*id = sql_module_of(c)->id ? sql_module_of(c)->id(c) : c->id;
	return SQLITE_OK;
}

int sql_module_column(sqlite3_vtab_cursor *base, sqlite3_context *to, int i)
{
	struct sql_module_cursor *c = (struct sql_module_cursor *)base;
	struct sql_value value = { .kind = SQL_NULL };
	int status = sql_module_of(c)->value(c, i, &value);

	switch (value.kind) {
	case SQL_NULL: break;
	case SQL_INTEGER: sqlite3_result_int64(to, value.number); break;
	case SQL_REAL: sqlite3_result_double(to, value.real); break;
	case SQL_TEXT: /* sql_copy() writes each row before it reads the next one, so texts stay valid */
		sqlite3_result_text64(to, value.text, value.length,
			((struct sql_module_vtab *)base->pVtab)->sql->copies ? SQLITE_STATIC
									     : SQLITE_TRANSIENT,
			SQLITE_UTF8);
	}
	return status;
}

/* ---- cursors without a statement ---- */

struct sql_module_cursor *sql_module_cursor_new(struct sql *s, const char *name)
{
	struct sql_module_vtab *t = make_vtab(g_hash_table_lookup(s->made, name));
	sqlite3_vtab_cursor *c;

	g_free(t->module->declare(t));
	sql_module_open(&t->base, &c);
	c->pVtab = &t->base;
	return (struct sql_module_cursor *)c;
}

void sql_module_cursor_free(struct sql_module_cursor *c)
{
	sqlite3_vtab *t = c->base.pVtab;

	sql_module_close(&c->base);
	sqlite3_free(t->zErrMsg);
	sql_module_disconnect(t);
}

int sql_module_fail(struct sql_module_vtab *t, GError *problem)
{
	bool cancelled = g_error_matches(problem, BASE_ERROR, BASE_ERROR_CANCELLED);

	sqlite3_free(t->base.zErrMsg);
	t->base.zErrMsg = sqlite3_mprintf("%s", problem->message);
	if (t->sql->problem)
		g_error_free(problem);
	else
		t->sql->problem = problem;
	return cancelled ? SQLITE_INTERRUPT : SQLITE_ERROR;
}

bool sql_module_add(struct sql *s, const char *name, const struct sql_module *module, const void *of,
	GError **error)
{
	struct made *made = g_new(struct made, 1);

	*made = (struct made){ s, module, of };
	g_hash_table_replace(s->made, g_strdup(name), made);
	if (sqlite3_create_module_v2(s->db, name, &module->calls, made, g_free) == SQLITE_OK)
		return true;
	return base_error_false(error, BASE_ERROR_IO, "SQLite: %s", sqlite3_errmsg(s->db));
}
