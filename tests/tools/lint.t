#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# make lint finds nothing in a copy of one file; after one change it does, for each kind of fault that it checks for.
use strict;
use warnings;
use Test::More;

my $scratch = $ENV{TMPDIR} or die "run through tests/tools/run_one\n";
my $copy = "$scratch/copy";
my $file = 'src/base/base_text.c';
system("mkdir -p '$copy/src/base' '$copy/tests/tools' && cd '$ENV{TOP}' && cp -r Makefile .clang-format .clang-tidy '$copy/' && cp src/base/base_text.[ch] '$copy/src/base/' && "
	. "cp tests/tools/form.sh tests/tools/tidy '$copy/tests/tools/'") == 0 or die 'no copy';
$ENV{CCACHE_DIR} = "$scratch/ccache";	# an empty cache
delete @ENV{qw(BUILD MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES)};
open my $f, '<', "$copy/$file" or die;
my $as_it_is = do { local $/; <$f> };

sub lint_with {
	my ($text, $in) = @_;
	open my $out, '>', "$copy/" . ($in // $file) or die;
	print $out $text;
	close $out;
	my $said = qx(cd '$copy' && make -s lint 2>&1);
	return ($?, $said);
}

my ($status, $said) = lint_with($as_it_is);
is($status, 0, 'lint finds nothing in the original file') or diag($said);

my $head = "\nint base_text_odd(const char *a, const char *b);\nint base_text_odd(const char *a, const char *b)\n{\n";
for (
	[ 'a line of another form', $as_it_is . "${head}\treturn a [0] - b[0];\n}\n", qr/\Q$file\E:\d+:\d+: error: .*clang-format/ ],
	[ 'no licence line', $as_it_is =~ s/^.*\n//r, qr/\Q$file\E:1: the licence line is missing/ ],
	[ 'a comparison with NULL', $as_it_is . "${head}\treturn a == NULL || b[0];\n}\n", qr/\Q$file\E:\d+:\treturn a == NULL/ ],
	[ 'strcmp() as a condition', $as_it_is . "${head}\tif (strcmp(a, b))\n\t\treturn 1;\n\treturn 2;\n}\n", qr/\Q$file\E:\d+:\d+: error: .*bugprone-suspicious-string-compare/ ],
	[ 'a warning of clang that gcc does not have', $as_it_is . "${head}\ta = a;\n\treturn a[0] - b[0];\n}\n", qr/\Q$file\E:\d+:\d+: error: .*clang-diagnostic-self-assign/ ],
	[ 'NULL looked into', $as_it_is . "${head}\treturn !a ? a[0] : b[0];\n}\n", qr/\Q$file\E:\d+:\d+: error: .*clang-analyzer-core.NullDereference/ ],
) {
	my ($what, $text, $finding) = @$_;
	($status, $said) = lint_with($text);
	isnt($status, 0, "lint refuses $what");
	like($said, $finding, "lint names the place of $what");
}
# ccache, if installed, also notices changes that preprocessing hides: a comment, and a macro without uses.
my $odd = $as_it_is . "${head}\tif (strcmp(a, b)) /* NOLINT */\n\t\treturn 1;\n\treturn 2;\n}\n";
($status, $said) = lint_with($odd);
is($status, 0, 'lint accepts a fault with NOLINT') or diag($said);
($status, $said) = lint_with($odd =~ s/NOLINT/no lint/r);
isnt($status, 0, 'lint refuses the fault without NOLINT');
lint_with($as_it_is);
my $header = $file =~ s/c$/h/r;
open my $h, '<', "$copy/$header" or die;
my $header_is = do { local $/; <$h> };
($status, $said) = lint_with($header_is =~ s/(?=\n#endif\n\z)/\n#define BASE_TEXT_ODD(x) x + 1\n/r, $header);
isnt($status, 0, 'lint refuses a faulty macro without uses');
like($said, qr/\Q$header\E:\d+:\d+: error: .*bugprone-macro-parentheses/, 'lint names the place of the macro');
lint_with($header_is, $header);

($status, $said) = lint_with($as_it_is);
is($status, 0, 'lint finds nothing in the restored files') or diag($said);
done_testing;
