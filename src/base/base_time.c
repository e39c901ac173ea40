/* SPDX-License-Identifier: MIT */
/* Decimal text becomes nanoseconds digit by digit, never through floating point: a time of today does not fit
 * into the 53 bits of a double. */
#include "base/base_time.h"

#include "base/base_error.h"
#include "base/base_text.h"

#include <string.h>
#include <time.h>

#define NS_PER_S INT64_C(1000000000)

static const struct unit {
	const char *name;
	int64_t ns;
} units[] = {
	{ "ns", 1 },
	{ "us", 1000 },
	{ "µs", 1000 },
	{ "ms", 1000000 },
	{ "s", NS_PER_S },
};

static bool time_refuse(GError **error, const char *text, const char *wanted)
{
	g_autofree char *shown = base_text_clean(text, -1);

	return base_error_false(error, BASE_ERROR_USAGE, "\"%s\" is not %s", shown, wanted);
}

/* Read digits at *P into *VALUE in steps of SCALE per unit, with a fraction after '.' or not; digits finer
 * than one nanosecond are dropped. False when there is no digit or it does not fit. */
static bool read_decimal(const char **p, int64_t scale, int64_t *value)
{
	const char *at = *p;
	int64_t v = 0;

	if (!g_ascii_isdigit(*at))
		return false;
	for (; g_ascii_isdigit(*at); at++) {
		if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, *at - '0', &v))
			return false;
	}
	if (__builtin_mul_overflow(v, scale, &v))
		return false;
	if (*at == '.') {
		if (!g_ascii_isdigit(at[1]))
			return false;
		for (at++; g_ascii_isdigit(*at); at++) {
			scale /= 10;
			if (__builtin_add_overflow(v, (*at - '0') * scale, &v))
				return false;
		}
	}
	*p = at;
	*value = v;
	return true;
}

/* The unit TEXT; NULL if it is none. */
static const struct unit *find_unit(const char *text)
{
	for (gsize i = 0; i < G_N_ELEMENTS(units); i++) {
		if (!strcmp(text, units[i].name))
			return &units[i];
	}
	return NULL;
}

bool base_time_parse_duration(const char *text, int64_t *duration, GError **error)
{
	const struct unit *unit = find_unit(text + strspn(text, "0123456789."));
	const char *at = text;

	if (unit && read_decimal(&at, unit->ns, duration) && find_unit(at) == unit)
		return true;
	return time_refuse(error, text, "a duration: type a number with ns, us, ms or s, such as 2.5ms");
}

/* True if TIME counts from the boot of its host. No trace is from the first ten years after the Epoch: the
 * clock of such a time was not set to the time of day (perf's without --tod). */
static bool is_since_boot(int64_t time)
{
	return time >= 0 && time < 10 * INT64_C(365) * 86400 * NS_PER_S;
}

/* The number of N digits at TEXT; -1: these are not N digits. */
static int digits_at(const char *text, unsigned n)
{
	int value = 0;

	for (unsigned i = 0; i < n; i++) {
		if (!g_ascii_isdigit(text[i]))
			return -1;
		value = value * 10 + text[i] - '0';
	}
	return g_ascii_isdigit(text[n]) ? -1 : value;
}

/* Read "YYYY-MM-DD " before the time of day into TM. Returns the text after it, or TEXT if there is none. */
static const char *read_date(const char *text, struct tm *tm)
{
	int year = digits_at(text, 4), month = year < 0 || text[4] != '-' ? -1 : digits_at(text + 5, 2);
	int day = month < 1 || month > 12 || text[7] != '-' ? -1 : digits_at(text + 8, 2);

	if (day < 1 || day > 31 || (text[10] != ' ' && text[10] != 'T'))
		return text;
	tm->tm_year = year - 1900;
	tm->tm_mon = month - 1;
	tm->tm_mday = day;
	return text + 11;
}

/* "HH:MM:SS[.fraction]" since boot, of any number of hours. */
static bool parse_since_boot(const char *text, int64_t *time)
{
	int64_t hours, ns;
	int minutes;

	if (text[strspn(text, "0123456789")] != ':' || !read_decimal(&text, 1, &hours))
		return false;
	minutes = digits_at(text + 1, 2);
	if (minutes < 0 || minutes > 59 || text[3] != ':' || digits_at(text + 4, 2) < 0)
		return false;
	text += 4;
	return read_decimal(&text, NS_PER_S, &ns) && !*text && ns < 61 * NS_PER_S &&
		!__builtin_mul_overflow(hours, 3600 * NS_PER_S, time) &&
		!__builtin_add_overflow(*time, minutes * 60 * NS_PER_S + ns, time);
}

/* "[YYYY-MM-DD ]HH:MM:SS[.fraction]", without a date of the local day that holds DAY. */
static bool parse_clock(const char *text, int64_t day, int64_t *time)
{
	time_t seconds = (time_t)(day / NS_PER_S) - (day % NS_PER_S < 0);
	int64_t ns;
	struct tm tm;
	int month_day;

	if (is_since_boot(day))
		return parse_since_boot(text, time);
	if (!localtime_r(&seconds, &tm))
		return false;
	text = read_date(text, &tm);
	month_day = tm.tm_mday;
	tm.tm_hour = digits_at(text, 2);
	if (tm.tm_hour < 0 || tm.tm_hour > 23 || text[2] != ':')
		return false;
	tm.tm_min = digits_at(text + 3, 2);
	if (tm.tm_min < 0 || tm.tm_min > 59 || text[5] != ':' || digits_at(text + 6, 2) < 0)
		return false;
	tm.tm_sec = 0;
	tm.tm_isdst = -1;
	text += 6;
	if (!read_decimal(&text, NS_PER_S, &ns) || *text || ns >= 61 * NS_PER_S)
		return false;
	seconds = mktime(&tm); /* which makes 3 March of 31 February */
	return tm.tm_mday == month_day && !__builtin_mul_overflow((int64_t)seconds, NS_PER_S, time) &&
		!__builtin_add_overflow(*time, ns, time);
}

bool base_time_parse(const char *text, int64_t from, int64_t to, int64_t *time, GError **error)
{
	const char *at = text;
	int64_t d;

	if (*text == '+' || *text == '-') {
		if (!base_time_parse_duration(text + 1, &d, error))
			return false;
		if (*text == '+' ? __builtin_add_overflow(from, d, time)
				 : __builtin_sub_overflow(to, d, time))
			return time_refuse(error, text, "within the range of times");
	} else if (strchr(text, ':') ? !parse_clock(text, from, time)
				     : text[strspn(text, "0123456789")] || !read_decimal(&at, 1, time)) {
		return time_refuse(error, text,
			"a time: type nanoseconds since the Epoch, [YYYY-MM-DD ]HH:MM:SS[.fraction], "
			"+D from the start or -D from the end, such as +2.5ms");
	}
	*time = base_time_near(*time);
	return true;
}

bool base_time_parse_inside(const char *text, int64_t from, int64_t to, int64_t *time, GError **error)
{
	g_autofree char *first = NULL, *last = NULL, *length = NULL, *shown = NULL;

	if (!base_time_parse(text, from, to, time, error))
		return false;
	if (*time >= from && (*time <= to || *time - 1 == to))
		return true;
	shown = base_text_clean(text, -1);
	first = base_time_format_full(from);
	last = base_time_format_full(to);
	length = base_time_format_duration(to - from, true);
	return base_error_false(error, BASE_ERROR_NO_ANSWER,
		"\"%s\" is outside the recording, which is from %s to %s (%s): type ns since the Epoch (%" G_GINT64_FORMAT
		" is its start), [YYYY-MM-DD ]HH:MM:SS[.fraction], +D from the start or -D from the end",
		shown, first, last, length, (gint64)from);
}

/* TIME in the local zone, or since boot, with DIGITS of fraction, its whole seconds formatted by FORMAT. */
static char *format_local(int64_t time, const char *format, unsigned digits)
{
	int64_t fraction = time % NS_PER_S;
	time_t seconds = (time_t)(time / NS_PER_S);
	char whole[64] = "?", part[16];
	struct tm tm;

	if (is_since_boot(time))
		g_snprintf(whole, sizeof(whole), "%02d:%02d:%02d", (int)(seconds / 3600),
			(int)(seconds / 60 % 60), (int)(seconds % 60));
	if (fraction < 0) {
		fraction += NS_PER_S;
		seconds--;
	}
	if (!is_since_boot(time) && localtime_r(&seconds, &tm))
		strftime(whole, sizeof(whole), format, &tm);
	g_snprintf(part, sizeof(part), ".%09d", (int)fraction);
	part[digits ? MIN(digits, 9) + 1 : 0] = '\0';
	return g_strconcat(whole, part, NULL);
}

char *base_time_format_full(int64_t time)
{
	char *text = time == BASE_TIME_NONE ? g_strdup("-") : format_local(time, "%Y-%m-%d %H:%M:%S", 9),
	     *boot;

	if (!is_since_boot(time))
		return text;
	boot = g_strconcat(text, " since boot", NULL);
	g_free(text);
	return boot;
}

char *base_time_format_clock(int64_t time, unsigned digits)
{
	return time == BASE_TIME_NONE ? g_strdup("-") : format_local(time, "%H:%M:%S", digits);
}

/* The largest unit that leaves at least one whole; a value that rounds up to 1000 of a unit is shown as 1.00
 * of the next. */
char *base_time_format_duration(int64_t duration, bool ascii)
{
	const char *names[] = { "ns", ascii ? "us" : "µs", "ms", "s" };
	uint64_t v = duration < 0 ? -(uint64_t)duration : (uint64_t)duration;
	double value = (double)v;
	unsigned unit = 0;
	int digits;

	if (duration == BASE_TIME_NONE)
		return g_strdup("-");
	if (!v)
		return g_strdup("0");
	while (unit < 3 && value >= 999.5) {
		value /= 1000;
		unit++;
	}
	digits = !unit || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
	return g_strdup_printf("%s%.*f %s", duration < 0 ? "-" : "", digits, value, names[unit]);
}

int64_t base_time_column(int64_t from, int64_t to, uint32_t n, uint32_t c)
{
	__extension__ typedef __int128 wide;
	wide exact = from + ((wide)to - from) * c / n;
	uint64_t width = (uint64_t)(((wide)to - from) / n);
	unsigned level = width >> BASE_TIME_COARSE != 0 ? 63 - (unsigned)__builtin_clzll(width) : 0;

	if (level == 0 || c == 0 || c == n)
		return (int64_t)exact;
	return (int64_t)(((exact + ((wide)1 << (level - 1))) >> level) * ((wide)1 << level));
}

int base_time_column_of(int64_t from, int64_t to, uint32_t n, int64_t time)
{
	uint32_t c;

	if (time < from)
		return -1;
	if (time >= to)
		return (int)n;
	c = (uint32_t)((__extension__(__int128) 1) * (time - from) * n / (to - from));
	while (c > 0 && base_time_column(from, to, n, c) > time)
		c--;
	while (c + 1 < n && base_time_column(from, to, n, c + 1) <= time)
		c++;
	return (int)c;
}

/* ---- formats for times on the screen ---- */

/* The number of digits after the point for a STEP in ns, shown in UNIT ns. */
static unsigned way_digits(int64_t step, int64_t unit)
{
	unsigned n = 0;

	while (step % unit && unit > 1) {
		unit /= 10;
		n++;
	}
	return n;
}

static char *clock_text(int64_t time, G_GNUC_UNUSED int64_t origin)
{
	return base_time_format_clock(time, 9);
}

static char *clock_tick(int64_t time, G_GNUC_UNUSED int64_t origin, int64_t step, G_GNUC_UNUSED int64_t most)
{
	return base_time_format_clock(time, way_digits(step, NS_PER_S));
}

static char *since_text(int64_t time, int64_t origin)
{
	int64_t since = time - origin;

	return g_strdup_printf("%s%" G_GINT64_FORMAT ".%09" G_GINT64_FORMAT " s", since < 0 ? "-" : "",
		ABS(since) / NS_PER_S, ABS(since) % NS_PER_S);
}

/* All ticks have one unit. */
static char *since_tick(int64_t time, int64_t origin, int64_t step, int64_t most)
{
	static const struct {
		int64_t ns;
		const char *name;
	} steps[] = { { NS_PER_S, "s" }, { 1000000, "ms" }, { 1000, "µs" }, { 1, "ns" } };
	unsigned i = 0, n;
	int64_t since = time - origin, scale = 1, whole;

	while (i + 1 < G_N_ELEMENTS(steps) && most - origin < steps[i].ns)
		i++;
	n = way_digits(step, steps[i].ns);
	whole = since / steps[i].ns;
	for (unsigned k = 0; k < n; k++)
		scale *= 10;
	if (!n)
		return g_strdup_printf("%" G_GINT64_FORMAT " %s", whole, steps[i].name);
	return g_strdup_printf("%" G_GINT64_FORMAT ".%0*" G_GINT64_FORMAT " %s", whole, (int)n,
		since % steps[i].ns / MAX(steps[i].ns / scale, 1), steps[i].name);
}

static const struct base_time_way ways[] = {
	{ .name = "since",
		.unit = " s",
		.width = 16,
		.counts_since = true,
		.text = since_text,
		.tick = since_tick },
	{ .name = "clock", .unit = "", .width = 18, .text = clock_text, .tick = clock_tick },
};

const struct base_time_way *base_time_way_next(const struct base_time_way *way)
{
	return way && way + 1 < ways + G_N_ELEMENTS(ways) ? way + 1 : ways;
}

const struct base_time_way *base_time_way_find(const char *name)
{
	for (gsize i = 0; i < G_N_ELEMENTS(ways); i++)
		if (g_str_equal(ways[i].name, name))
			return &ways[i];
	return NULL;
}
