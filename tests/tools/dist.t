#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The source tarball has every file of the git tree and builds without git.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Test::More;

plan skip_all => 'no git checkout here' if !-e "$ENV{TOP}/.git";
delete @ENV{qw(BUILD MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES)};

my $build = "$ENV{TMPDIR}/build";
my $said = qx(cd "$ENV{TOP}" && make -s dist BUILD="$build" 2>&1);
my ($tar) = glob "$build/wakepath-*.tar.gz";
ok(defined $tar, 'make dist makes a tarball') or BAIL_OUT($said);
my ($version) = wakepath('--version')->{out} =~ /^wakepath (\S+)$/;
is($tar =~ s!.*/!!r, "wakepath-$version.tar.gz", 'the tarball is named after the version');

my $source = "$ENV{TMPDIR}/wakepath-$version";
is(system('tar', '-xf', $tar, '-C', $ENV{TMPDIR}), 0, 'tar unpacks the tarball');
my @packed = map { chomp; s!^\Q$source\E/!!r } qx(find "$source" ! -type d | LC_ALL=C sort);
my @kept = grep { chomp; length } qx(cd "$ENV{TOP}" && git -c core.quotePath=off ls-tree -r --name-only HEAD | LC_ALL=C sort);
is_deeply(\@packed, \@kept, 'the tarball has every file of the git tree');

# A stand-in for git that prints a line and fails, so that a call is noticed.
mkdir "$ENV{TMPDIR}/bin";
spew("$ENV{TMPDIR}/bin/git", "#!/bin/sh\necho git was called >&2\nexit 1\n");
chmod 0755, "$ENV{TMPDIR}/bin/git";
local $ENV{PATH} = "$ENV{TMPDIR}/bin:$ENV{PATH}";
$said = qx(cd "$source" && make -s -j2 LTO= OPT=-O0 all 2>&1);
is($?, 0, 'the tarball builds') or diag(substr $said, -2000);
unlike($said, qr/git was called/, 'the build does not call git');
is(qx("$source/build/wakepath" --version), "wakepath $version\n", 'the program from the tarball runs');
done_testing;
