/* SPDX-License-Identifier: MIT */
/*
 * A page with a picture on it, as SVG, PNG or PDF, by cairo.  Places and sizes are points (1/72 inch) from
 * the upper left corner; colours are 0xrrggbb.  What is drawn is not cleaned: text must be valid UTF-8.
 */
#ifndef PIC_H
#define PIC_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

enum pic_format { PIC_SVG, PIC_PNG, PIC_PDF };

/* A4, landscape. */
#define PIC_WIDTH 841.89
#define PIC_HEIGHT 595.28

/* What tells areas apart where there are no colours. */
enum pic_pattern {
	PIC_SOLID,
	PIC_RISING,
	PIC_FALLING,
	PIC_CROSSED,
	PIC_UPRIGHT,
	PIC_LEVEL,
	PIC_GRID,
	PIC_DOTS,
	PIC_HOLLOW, /* a frame */
	PIC_PATTERNS
};

struct pic_rect {
	double x, y, width, height;
};

struct pic_font {
	double size;
	bool bold;
	double align; /* where X is: 0 its begin, 0.5 its middle, 1 its end */
};

struct pic_look {
	double width; /* of the line */
	uint32_t colour;
	bool dashed;
};

struct pic;

/* A white page; a PDF has TITLE.  NULL with BASE_ERROR_IO: there is no cairo. */
struct pic *pic_new(enum pic_format format, const char *title, GError **error);
/* N areas of one look. */
void pic_rects(struct pic *p, const struct pic_rect *rects, guint n, uint32_t colour,
	enum pic_pattern pattern);
void pic_line(struct pic *p, double x1, double y1, double x2, double y2, const struct pic_look *look);
/* The same, with a head at its end. */
void pic_arrow(struct pic *p, double x1, double y1, double x2, double y2, const struct pic_look *look);
/* TEXT, which stands on Y. */
void pic_text(struct pic *p, double x, double y, const struct pic_font *font, uint32_t colour,
	const char *text);
double pic_text_width(struct pic *p, const struct pic_font *font, const char *text);
/* TEXT as far as it has room in WIDTH, "…" behind it where it is cut.  The caller frees. */
char *pic_text_fit(struct pic *p, const struct pic_font *font, const char *text, double width);
/* Append the picture to OUT and free P.  BASE_ERROR_IO where cairo cannot. */
bool pic_finish(struct pic *p, GString *out, GError **error);

#endif
