/* SPDX-License-Identifier: MIT */
/* Interrupt lines and softirqs as rows: private to src/model. */
#ifndef MDL_LINE_H
#define MDL_LINE_H

#include "model/event/event.h"

#include <glib.h>

struct mdl_machine;

struct mdl_lines {
	uint32_t softirq_names[MDL_SOFTIRQS]; /* vector → string id; 0: not seen yet */
	GHashTable *irq_names;                /* IRQ number → string id */
	GHashTable *irqs;                     /* IRQ number → struct mdl_track * (weak) */
};

void mdl_line_init(struct mdl_lines *lines);
void mdl_line_clear(struct mdl_lines *lines);

/* The handler of line NR, or softirq VEC, begins (ENTER) or ends on CPU: set the state of its row, which is
 * made if it is new. NAME: string id, 0: unknown. */
void mdl_line_irq(struct mdl_machine *m, uint32_t cpu, int64_t nr, uint32_t name, bool enter);
void mdl_line_softirq(struct mdl_machine *m, uint32_t cpu, int64_t vec, bool enter);
/* String id of the name of softirq VEC. */
uint32_t mdl_line_softirq_name(struct mdl_machine *m, int64_t vec);
/* String id of the name of line NR: NAME if the event has one, otherwise the name from the state dump. */
uint32_t mdl_line_irq_name(struct mdl_machine *m, int64_t nr, const char *name);
/* Events of CPU were lost since TIME (ns): the states of its softirqs, and of lines that it served, are
 * unknown. */
void mdl_line_lose(struct mdl_machine *m, uint32_t cpu, int64_t time);

/* State dump of an interrupt line: set its name, unless it has one. */
void mdl_line_dumped(struct mdl_machine *m, const struct mdl_event *e);

#endif
