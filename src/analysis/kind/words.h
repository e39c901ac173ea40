/* SPDX-License-Identifier: MIT */
/* Facts of causes as text, without the kind in front.  The caller frees char *; const char * is static. */
#ifndef ANA_WORDS_H
#define ANA_WORDS_H

#include "query/qry.h"

/* "thread wk-client[595]", "IRQ 28 virtio2-req.0", "ipi call_function_single", "softirq BLOCK", "hrtimer". */
char *ana_words_act(const struct qry *q, uint32_t host, const struct mdl_act *act);
/* "irq 28 virtio2-req.0 > softirq BLOCK", see ana_words_act(); "" for an empty chain. */
char *ana_words_chain(const struct qry *q, uint32_t host, const struct mdl_chain *chain);
/* "60 bytes on lo, from wk-client[595]". */
char *ana_words_carried(struct qry *q, uint32_t host, const struct mdl_received *r);
/* "127.0.0.1:52816 > 127.0.0.1:7000 seq 4198286643"; NULL if the headers were not recorded. */
char *ana_words_packet(const struct mdl_packet *p);
/* The function of HOST's kernel at ADDRESS by name, or "0xffffffff81000000" without symbols.  The caller
 * frees. */
char *ana_words_function(struct qry *q, uint32_t host, uint64_t address);
/* "the wake-up took 45.0 µs to CPU 1, by ipi call_function_single". */
char *ana_words_flight(const struct qry *q, uint32_t host, const struct mdl_arrival *a, int64_t flight);

/* Static: "read", "write", …; "request" for an unknown operation. */
const char *ana_words_operation(enum mdl_block_op op);
/* The virtio device that DEVICE, the name of a disk or IRQ (NULL: none), belongs to: "virtio block", "virtio
 * net", …, "virtio"; NULL if it is none. */
const char *ana_words_virtio(const char *device);
/* An address in the form of inet_ntop(3). */
char *ana_words_address(unsigned version, const uint8_t address[16]);
/* "127.0.0.1:7000", "[::1]:7000". */
char *ana_words_endpoint(unsigned version, const uint8_t address[16], uint16_t port);
/* "ALRM" for 14 (numbers of x86 and arm); NULL for a number without a name. */
const char *ana_words_signal_name(uint32_t number);

#endif
