/* SPDX-License-Identifier: MIT */
#include "model/core/context.h"

#include "model/core/frame.h"

#include <string.h>

static guint context_hash(gconstpointer key)
{
	const struct mdl_context *c = key;

	return (guint)(c->nr * 31 + c->name * 7 + c->type);
}

static gboolean context_equal(gconstpointer a, gconstpointer b)
{
	return memcmp(a, b, sizeof(struct mdl_context)) == 0;
}

void mdl_context_init(struct mdl_contexts *contexts)
{
	contexts->all = g_array_new(FALSE, FALSE, sizeof(struct mdl_context));
	contexts->ids = g_hash_table_new_full(context_hash, context_equal, g_free, NULL);
}

void mdl_context_clear(struct mdl_contexts *contexts)
{
	g_array_unref(contexts->all);
	g_hash_table_unref(contexts->ids);
}

uint32_t mdl_context_id(struct mdl_contexts *contexts, enum mdl_ctx_type type, int64_t nr, uint32_t name)
{
	struct mdl_context key, *copy;
	gpointer found;

	memset(&key, 0, sizeof key); /* the key is hashed as bytes */
	key.type = (uint8_t)type;
	key.nr = nr;
	key.name = name;
	if (g_hash_table_lookup_extended(contexts->ids, &key, NULL, &found))
		return GPOINTER_TO_UINT(found);
	copy = g_memdup2(&key, sizeof key);
	g_hash_table_insert(contexts->ids, copy, GUINT_TO_POINTER(contexts->all->len));
	g_array_append_val(contexts->all, key);
	return contexts->all->len - 1;
}

const struct mdl_context *mdl_context_get(const struct mdl_machine *m, uint32_t context)
{
	return &g_array_index(m->contexts.all, struct mdl_context, context);
}

const char *mdl_context_name(const struct mdl_machine *m, uint32_t context)
{
	return base_strings_get(m->strings, mdl_context_get(m, context)->name);
}

enum mdl_ctx_type mdl_context_type(const struct mdl_machine *m, uint32_t context)
{
	return mdl_context_get(m, context)->type;
}

/* IPIs have interrupt lines on arm64 (ipi_setup(), arch/arm64/kernel/smp.c: "IPI"), riscv, loongarch and
 * PowerPC (xive_request_ipi(), arch/powerpc/sysdev/xive/common.c: "IPI-0"). On s390 they use the line of all
 * external interrupts (do_ext_interrupt(), arch/s390/kernel/irq.c: "EXT"). */
bool mdl_context_calls(const struct mdl_machine *m, uint32_t context)
{
	enum mdl_ctx_type type = mdl_context_type(m, context);
	const char *name = mdl_context_name(m, context);

	return (type == MDL_CTX_IPI && strstr(name, "call")) ||
		(type == MDL_CTX_IRQ && (g_str_has_prefix(name, "IPI") || !strcmp(name, "EXT")));
}
