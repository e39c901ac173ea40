/* SPDX-License-Identifier: MIT */
/* A page with one picture, as SVG, PNG or PDF, drawn with cairo.  Coordinates and sizes are in points (1/72
 * inch) from the upper left corner; colours are 0xrrggbb.  Text is drawn as it is: it must be valid UTF-8. */
#ifndef PIC_H
#define PIC_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

enum pic_format { PIC_SVG, PIC_PNG, PIC_PDF };

/* A4 landscape, in points. */
#define PIC_WIDTH 841.89
#define PIC_HEIGHT 595.28

/* Patterns that distinguish areas without colour. */
enum pic_pattern {
	PIC_SOLID,
	PIC_RISING,
	PIC_FALLING,
	PIC_CROSSED,
	PIC_UPRIGHT,
	PIC_LEVEL,
	PIC_GRID,
	PIC_DOTS,
	PIC_HOLLOW, /* outline only */
	PIC_PATTERNS
};

struct pic_rect {
	double x, y, width, height;
};

struct pic_font {
	double size;
	bool bold;
	double align; /* position of X in the text: 0 start, 0.5 middle, 1 end */
};

struct pic_look {
	double width; /* of the line, in points */
	uint32_t colour;
	bool dashed;
};

struct pic;

/* Create a white page; a PDF gets TITLE.  NULL with BASE_ERROR_IO if cairo cannot be loaded. */
struct pic *pic_new(enum pic_format format, const char *title, GError **error);
/* Draw N rectangles of the same colour and pattern. */
void pic_rects(struct pic *p, const struct pic_rect *rects, guint n, uint32_t colour,
	enum pic_pattern pattern);
void pic_line(struct pic *p, double x1, double y1, double x2, double y2, const struct pic_look *look);
/* Like pic_line(), with an arrow head at its end. */
void pic_arrow(struct pic *p, double x1, double y1, double x2, double y2, const struct pic_look *look);
/* Draw TEXT with its baseline at Y. */
void pic_text(struct pic *p, double x, double y, const struct pic_font *font, uint32_t colour,
	const char *text);
double pic_text_width(struct pic *p, const struct pic_font *font, const char *text);
/* Return TEXT cut to fit into WIDTH points, with "…" after a cut.  The caller frees. */
char *pic_text_fit(struct pic *p, const struct pic_font *font, const char *text, double width);
/* Append the picture to OUT and free P.  False with BASE_ERROR_IO if cairo fails. */
bool pic_finish(struct pic *p, GString *out, GError **error);

#endif
