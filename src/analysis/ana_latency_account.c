/* SPDX-License-Identifier: MIT */
/* Of what the account of a case is. */
#include "analysis/ana_latency_kind.h"

struct ana_account_of ana_latency_account(const struct qry *q, enum ana_account_what what,
	const struct ana_latency_case *c)
{
	struct ana_account_of of = { what, c->host, c->row, c->cpu, 0, c->start, c->end };

	if (what == ANA_ACCOUNT_REQUEST)
		of.device = (uint32_t)(c->number >> 8);
	else if (what == ANA_ACCOUNT_PACKET)
		of.device = (uint32_t)(c->number >> 32);
	else if (what == ANA_ACCOUNT_THREAD &&
		(c->row == MDL_NONE || qry_row(q, c->row)->type != MDL_ROW_THREAD))
		of.what = ANA_ACCOUNT_NONE;
	return of;
}
