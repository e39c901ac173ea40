#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The map of reach, in a small project: the sources whose functions a script entered, and the scripts that a change affects.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Test::More;

my $top = "$ENV{TMPDIR}/project";
$ENV{TEST_CACHE} = "$ENV{TMPDIR}/kept";
$ENV{WAKEPATH} = "$top/build/program";
local @ENV{qw(GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL)} = ('a', 'a@b.example') x 2;

sub write_file {
	my ($name, $text, $mode) = @_;
	system('mkdir', '-p', "$top/$name" =~ s{/[^/]*$}{}r) == 0 or die;
	spew("$top/$name", $text);
	chmod $mode // 0644, "$top/$name" or die;
}
sub run_in { my $out = qx(cd '$top' && $_[0] 2>&1); is($?, 0, $_[0]) or diag($out); return $out }
sub reach { return [split /\n/, run_in("tests/tools/reach @_")] }

write_file('src/a/one.h', "int one(void);\n");
write_file('src/a/two.h', "#include \"a/one.h\"\nint two(void);\n");
write_file('src/a/one.c', "#include \"a/one.h\"\nint one(void) { return 1; }\n");
write_file('src/a/two.c', "#include \"a/two.h\"\nint two(void) { return 2; }\n");
write_file('src/main.c', "#include \"a/two.h\"\nint main(int n, char **v) { (void)v; return (n > 1 ? one() : two()) == 3; }\n");
write_file('tests/tools/run_one', "#!/bin/sh\nexec sh \"\$1\"\n", 0755);
write_file('tests/x/one.t', "\$WAKEPATH 1\n");
write_file('tests/x/two.t', "use Helper;\n\$WAKEPATH\n" =~ s/^use .*\n/: <<E\nuse Helper;\nE\n/r);
write_file('tests/x/Helper.pm', "1;\n");
system('cp', "$ENV{TOP}/tests/tools/reach", "$top/tests/tools/") == 0 or die;
run_in('mkdir -p build/obj/a && for f in main a/one a/two; do gcc -Isrc --coverage -c -o build/obj/$f.o src/$f.c || exit; done && gcc --coverage -o build/program build/obj/*.o build/obj/a/*.o');
run_in('git init -q . && echo build >.gitignore && git add . && git commit -q --date=@1000000000 -m one');

is_deeply(reach('affected', 9, 'src/a/one.c'), [], 'without a map a source affects no script');
is_deeply(reach('affected', 9, 'tests/x/one.t'), ['tests/x/one.t'], 'without a map a changed script affects itself');
is_deeply(reach('make', 'tests/x/one.t', 'tests/x/two.t'), [], 'reach make makes the map');
is(slurp("$ENV{TEST_CACHE}/reach/tests-x-one.t"), "src/a/one.c\nsrc/main.c\n", 'an entry has the sources that the script entered, and no others');
is(slurp("$ENV{TEST_CACHE}/reach/tests-x-two.t"), "src/a/two.c\nsrc/main.c\n", 'each script has its own entry');
is_deeply(reach('affected', 9, 'src/a/one.c'), ['tests/x/one.t'], 'a source affects the scripts that enter it');
is_deeply(reach('affected', 9, 'src/main.c'), ['tests/x/one.t', 'tests/x/two.t'], 'a source that all scripts enter affects all');
is_deeply(reach('affected', 9, 'src/a/one.h'), ['tests/x/one.t', 'tests/x/two.t'], 'a header affects the scripts of all sources that include it, directly or not');
is_deeply(reach('affected', 9, 'tests/x/Helper.pm'), ['tests/x/two.t'], 'a module affects the scripts that use it');
is_deeply(reach('affected', 9, 'README.md'), [], 'a page affects no script');
like(join(' ', @{ reach('affected', 1, 'src/main.c', 'tests/x/two.t') }), qr{^1 more scripts.* tests/x/two.t$}, 'beyond the limit a changed script comes first, and reach prints the number of the others');

spew("$ENV{TEST_CACHE}/reach/tests-x-two.t", '');
is_deeply(reach('affected', 9, 'src/a/one.c'), ['tests/x/one.t', 'tests/x/two.t'], 'each source affects a script with an empty entry');
unlink "$ENV{TEST_CACHE}/reach/tests-x-two.t";
write_file('tests/x/one.t', "\$WAKEPATH; \$WAKEPATH 1\n");
reach('make', 'tests/x/one.t', 'tests/x/two.t');
is(slurp("$ENV{TEST_CACHE}/reach/tests-x-two.t"), "src/a/two.c\nsrc/main.c\n", 'reach make makes a missing entry');
write_file('tests/x/one.t', "exit 1\n");
utime time + 10, time + 10, "$top/tests/x/one.t";
my $out = qx(cd '$top' && tests/tools/reach make tests/x/one.t 2>&1);
is($? >> 8, 1, 'reach make fails if a script fails');
like($out, qr{^reach: tests/x/one.t fails}m, 'reach make names the script that fails');

is_deeply(reach('changed'), ['tests/x/one.t'], 'after a single commit, the uncommitted files are the changed ones');
run_in("GIT_COMMITTER_DATE='\@1900000000' git commit -q -a -m two");
is_deeply(reach('changed'), ['tests/x/one.t'], 'commits of the last day count as changed');
run_in("touch new.c && git add . && GIT_COMMITTER_DATE='\@1900100000' git commit -q -m three");
is_deeply(reach('changed'), ['new.c'], 'older commits do not count as changed');
run_in('rm -rf .git');
is_deeply(reach('changed'), [], 'without git no file counts as changed');
done_testing;
