/* SPDX-License-Identifier: MIT */
#include "query/host/parts.h"

struct memo {
	void *value;
	GDestroyNotify free;
};

static void memo_free(void *data)
{
	struct memo *memo = data;

	memo->free(memo->value);
	g_free(memo);
}

void *qry_memo(struct qry *q, const void *key, void *(*make)(struct qry *q), GDestroyNotify free)
{
	struct memo *memo = q->memos ? g_hash_table_lookup(q->memos, key) : NULL;

	if (memo)
		return memo->value;
	memo = g_new(struct memo, 1);
	*memo = (struct memo){ make(q), free };
	if (!q->memos)
		q->memos = g_hash_table_new_full(NULL, NULL, NULL, memo_free);
	g_hash_table_insert(q->memos, (void *)(uintptr_t)key, memo);
	return memo->value;
}
