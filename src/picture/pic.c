/* SPDX-License-Identifier: MIT */
/*
 * Text is drawn with cairo's simple interface in the system's font for "sans". In SVG and PDF it becomes
 * outlines, so a picture looks alike on a system without this font.
 */
#include "picture/pic.h"

#include "base/base_error.h"
#include "base/base_library.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#define DOTS_PER_INCH 216 /* so that a tile has a whole number of dots */
#define TILE 4.0          /* points of a pattern; a whole number, because SVG has only these */
#define TILE_LINE 0.8
#define HEAD 3.0 /* points of an arrow's head */

/* ---- cairo, loaded when the first picture is drawn; any thread may draw ---- */

#define LIBRARY "libcairo.so.2"

/* The functions that are used. */
#define CAIRO_FUNCTIONS(F)               \
	F(close_path)                    \
	F(create)                        \
	F(destroy)                       \
	F(fill)                          \
	F(image_surface_create)          \
	F(line_to)                       \
	F(move_to)                       \
	F(new_path)                      \
	F(paint)                         \
	F(pattern_create_for_surface)    \
	F(pattern_destroy)               \
	F(pattern_set_extend)            \
	F(pattern_set_filter)            \
	F(pdf_surface_create_for_stream) \
	F(pdf_surface_set_metadata)      \
	F(rectangle)                     \
	F(select_font_face)              \
	F(set_dash)                      \
	F(set_font_size)                 \
	F(set_line_width)                \
	F(set_source)                    \
	F(set_source_rgb)                \
	F(show_text)                     \
	F(status)                        \
	F(status_to_string)              \
	F(stroke)                        \
	F(surface_create_similar)        \
	F(surface_destroy)               \
	F(surface_finish)                \
	F(surface_set_device_scale)      \
	F(surface_status)                \
	F(surface_write_to_png_stream)   \
	F(svg_surface_create_for_stream) \
	F(svg_surface_set_document_unit) \
	F(text_extents)

#define MEMBER(name) __typeof__ (&cairo_##name)(name);
/* MOVE_TO is cairo_move_to(), and so on. */
struct cairo {
	CAIRO_FUNCTIONS(MEMBER)
};

#define SYMBOL(name) { "cairo_" #name, offsetof(struct cairo, name) },
static const struct base_library_symbol symbols[] = { CAIRO_FUNCTIONS(SYMBOL) };

/* ---- the page ---- */

struct pic {
	enum pic_format format;
	cairo_surface_t *surface; /* owned */
	cairo_t *cairo;           /* owned */
	const struct cairo *lib;
	GString *bytes; /* owned; SVG or PDF */
};

static cairo_status_t take_bytes(void *to, const unsigned char *data, unsigned length)
{
	g_string_append_len(to, (const char *)data, length);
	return CAIRO_STATUS_SUCCESS;
}

static cairo_surface_t *surface_of(struct pic *p, const char *title)
{
	const double dots = DOTS_PER_INCH / 72.0;
	cairo_surface_t *surface;

	switch (p->format) {
	case PIC_SVG:
		surface = p->lib->svg_surface_create_for_stream(take_bytes, p->bytes, PIC_WIDTH, PIC_HEIGHT);
		p->lib->svg_surface_set_document_unit(surface, CAIRO_SVG_UNIT_PT);
		return surface;
	case PIC_PDF:
		surface = p->lib->pdf_surface_create_for_stream(take_bytes, p->bytes, PIC_WIDTH, PIC_HEIGHT);
		p->lib->pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, title);
		p->lib->pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATOR, "wakepath");
		return surface;
	case PIC_PNG:
	default:
		surface = p->lib->image_surface_create(CAIRO_FORMAT_RGB24, (int)ceil(PIC_WIDTH * dots),
			(int)ceil(PIC_HEIGHT * dots));
		p->lib->surface_set_device_scale(surface, dots, dots);
		return surface;
	}
}

static void set_colour(const struct pic *p, cairo_t *c, uint32_t colour)
{
	p->lib->set_source_rgb(c, (colour >> 16 & 255) / 255.0, (colour >> 8 & 255) / 255.0,
		(colour & 255) / 255.0);
}

struct pic *pic_new(enum pic_format format, const char *title, GError **error)
{
	static struct cairo cairo;
	static struct base_library library = { LIBRARY, symbols, G_N_ELEMENTS(symbols), &cairo, NULL, 0 };
	const struct cairo *lib = base_library_need(&library, "a picture needs cairo: install libcairo2",
		error);
	struct pic *p;

	if (!lib)
		return NULL;
	p = g_new0(struct pic, 1);
	p->lib = lib;
	p->format = format;
	p->bytes = g_string_new(NULL);
	p->surface = surface_of(p, title);
	p->cairo = p->lib->create(p->surface);
	set_colour(p, p->cairo, 0xffffff);
	p->lib->paint(p->cairo);
	return p;
}

/* ---- areas ---- */

/* Draw the white parts of a tile: lines that continue in the tiles beside it. */
static void draw_tile(const struct pic *p, cairo_t *c, enum pic_pattern pattern)
{
	const double t = TILE;

	for (int i = -1; i <= 1; i++) {
		if (pattern == PIC_RISING || pattern == PIC_CROSSED) {
			p->lib->move_to(c, i * t - t, 2 * t);
			p->lib->line_to(c, i * t + 2 * t, -t);
		}
		if (pattern == PIC_FALLING || pattern == PIC_CROSSED) {
			p->lib->move_to(c, i * t - t, -t);
			p->lib->line_to(c, i * t + 2 * t, 2 * t);
		}
	}
	if (pattern == PIC_UPRIGHT || pattern == PIC_GRID)
		p->lib->rectangle(c, t / 2, -t, 0, 3 * t);
	if (pattern == PIC_LEVEL || pattern == PIC_GRID)
		p->lib->rectangle(c, -t, t / 2, 3 * t, 0);
	p->lib->set_line_width(c, TILE_LINE);
	p->lib->stroke(c);
	if (pattern == PIC_DOTS)
		p->lib->rectangle(c, t / 3, t / 3, t / 3, t / 3);
	p->lib->fill(c);
}

/* COLOUR with PATTERN on it. The pattern is aligned to the page, not to each area. The caller frees. */
static cairo_pattern_t *tiles(struct pic *p, uint32_t colour, enum pic_pattern pattern)
{
	cairo_surface_t *tile = p->lib->surface_create_similar(p->surface, CAIRO_CONTENT_COLOR, TILE, TILE);
	cairo_t *c = p->lib->create(tile);
	cairo_pattern_t *all;

	set_colour(p, c, colour);
	p->lib->paint(c);
	set_colour(p, c, 0xffffff);
	draw_tile(p, c, pattern);
	p->lib->destroy(c);
	all = p->lib->pattern_create_for_surface(tile);
	p->lib->pattern_set_extend(all, CAIRO_EXTEND_REPEAT);
	p->lib->pattern_set_filter(all, CAIRO_FILTER_NEAREST);
	p->lib->surface_destroy(tile);
	return all;
}

static void add_rects(const struct pic *p, cairo_t *c, const struct pic_rect *rects, guint n, double inset)
{
	for (guint i = 0; i < n; i++)
		if (rects[i].width > 2 * inset && rects[i].height > 2 * inset)
			p->lib->rectangle(c, rects[i].x + inset, rects[i].y + inset,
				rects[i].width - 2 * inset, rects[i].height - 2 * inset);
}

void pic_rects(struct pic *p, const struct pic_rect *rects, guint n, uint32_t colour,
	enum pic_pattern pattern)
{
	cairo_t *c = p->cairo;

	if (n == 0)
		return;
	set_colour(p, c, colour);
	if (pattern != PIC_SOLID && pattern != PIC_HOLLOW) {
		cairo_pattern_t *all = tiles(p, colour, pattern);

		p->lib->set_source(c, all);
		p->lib->pattern_destroy(all);
	}
	add_rects(p, c, rects, n, 0);
	p->lib->fill(c);
	set_colour(p, c, 0xffffff);
	add_rects(p, c, rects, n, TILE_LINE);
	if (pattern == PIC_HOLLOW)
		p->lib->fill(c);
	p->lib->new_path(c);
}

/* ---- lines ---- */

void pic_line(struct pic *p, double x1, double y1, double x2, double y2, const struct pic_look *look)
{
	static const double dashes[] = { 2, 1.5 };

	set_colour(p, p->cairo, look->colour);
	p->lib->set_line_width(p->cairo, look->width);
	p->lib->set_dash(p->cairo, dashes, look->dashed ? G_N_ELEMENTS(dashes) : 0, 0);
	p->lib->move_to(p->cairo, x1, y1);
	p->lib->line_to(p->cairo, x2, y2);
	p->lib->stroke(p->cairo);
	p->lib->set_dash(p->cairo, NULL, 0, 0);
}

void pic_arrow(struct pic *p, double x1, double y1, double x2, double y2, const struct pic_look *look)
{
	double length = hypot(x2 - x1, y2 - y1), dx = length > 0 ? (x2 - x1) / length : 0,
	       dy = length > 0 ? (y2 - y1) / length : 0;

	pic_line(p, x1, y1, x2 - dx * HEAD / 2, y2 - dy * HEAD / 2, look);
	p->lib->move_to(p->cairo, x2, y2);
	p->lib->line_to(p->cairo, x2 - HEAD * (dx - dy / 2), y2 - HEAD * (dy + dx / 2));
	p->lib->line_to(p->cairo, x2 - HEAD * (dx + dy / 2), y2 - HEAD * (dy - dx / 2));
	p->lib->close_path(p->cairo);
	p->lib->fill(p->cairo);
}

/* ---- text ---- */

static void set_font(struct pic *p, const struct pic_font *font)
{
	p->lib->select_font_face(p->cairo, "sans", CAIRO_FONT_SLANT_NORMAL,
		font->bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
	p->lib->set_font_size(p->cairo, font->size);
}

double pic_text_width(struct pic *p, const struct pic_font *font, const char *text)
{
	cairo_text_extents_t extents;

	set_font(p, font);
	p->lib->text_extents(p->cairo, text, &extents);
	return extents.x_advance;
}

void pic_text(struct pic *p, double x, double y, const struct pic_font *font, uint32_t colour,
	const char *text)
{
	x -= font->align > 0 ? font->align * pic_text_width(p, font, text) : 0;
	set_font(p, font);
	set_colour(p, p->cairo, colour);
	p->lib->move_to(p->cairo, x, y);
	p->lib->show_text(p->cairo, text);
}

char *pic_text_fit(struct pic *p, const struct pic_font *font, const char *text, double width)
{
	char *cut = g_strdup(text);

	for (glong n = g_utf8_strlen(text, -1); n > 0 && pic_text_width(p, font, cut) > width; n--) {
		g_autofree char *shorter = g_utf8_substring(text, 0, n - 1);

		g_free(cut);
		cut = g_strconcat(shorter, "…", NULL);
	}
	return cut;
}

/* ---- the end ---- */

bool pic_finish(struct pic *p, GString *out, GError **error)
{
	cairo_status_t status = p->lib->status(p->cairo);

	p->lib->destroy(p->cairo);
	if (p->format == PIC_PNG && status == CAIRO_STATUS_SUCCESS)
		status = p->lib->surface_write_to_png_stream(p->surface, take_bytes, p->bytes);
	p->lib->surface_finish(p->surface);
	if (status == CAIRO_STATUS_SUCCESS)
		status = p->lib->surface_status(p->surface);
	p->lib->surface_destroy(p->surface);
	if (status == CAIRO_STATUS_SUCCESS)
		g_string_append_len(out, p->bytes->str, (gssize)p->bytes->len);
	else
		g_set_error(error, BASE_ERROR, BASE_ERROR_IO, "the picture cannot be drawn: cairo: %s",
			p->lib->status_to_string(status));
	g_string_free(p->bytes, TRUE);
	g_free(p);
	return status == CAIRO_STATUS_SUCCESS;
}
