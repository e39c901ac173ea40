/* SPDX-License-Identifier: MIT */
/* Requests on the loopback of a host whose packets were recorded without headers. */
#ifndef ANA_BARE_H
#define ANA_BARE_H

#include "analysis/request/exchange.h"

/* Like ana_exchange_each() for HOST, of the packets on its loopback without headers: connections and bytes
 * are unknown, so the VERSION of each connection is 0. */
void ana_bare_each(struct qry *q, uint32_t row, uint32_t host, int64_t from, int64_t to,
	struct base_progress *progress, ana_exchange_visit *visit, void *data);

#endif
