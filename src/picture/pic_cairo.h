/* SPDX-License-Identifier: MIT */
/* cairo, which is loaded when the first picture is drawn: with the twenty libraries that it brings it would
 * take a third of the time of a short command. */
#ifndef PIC_CAIRO_H
#define PIC_CAIRO_H

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>
#include <glib.h>

/* The functions that are used. */
#define PIC_CAIRO(F)                     \
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

#define PIC_CAIRO_MEMBER(name) __typeof__ (&cairo_##name)(name);
/* MOVE_TO is cairo_move_to(), and so on. */
struct pic_cairo {
	PIC_CAIRO(PIC_CAIRO_MEMBER)
};

/* Those of the library, static; any thread may ask.  NULL with BASE_ERROR_IO: there is none. */
const struct pic_cairo *pic_cairo(GError **error);

#endif
