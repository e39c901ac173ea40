#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Some recipes of CONTRIBUTING.md, each as a patch to the tree: it applies, touches no more places than the recipe says, builds, and works.
# All are built together in a copy of the tree. The copy has the files that are already built, so only changes are compiled, and without
# optimisation, also across files, so a link is only a link.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Test::More;

my $top = $ENV{TOP};
my $build = $ENV{BUILD} // "$top/build";
plan skip_all => 'the program is not built to be changed' if !-x "$build/wakepath" || !-d "$build/obj/model";
delete @ENV{qw(BUILD MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES)};

my $copy = "$ENV{TMPDIR}/copy";
system("mkdir -p '$copy/build' && cd '$top' && cp -a Makefile src themes '$copy/' && cd '$build' && cp -a flags gen lib wakepath '$copy/build/' && "
	. "mkdir '$copy/build/obj' && for f in obj/*; do [ \$f = obj/tests ] || cp -a \$f '$copy/build/obj/'; done && "
	. "sed -i 's/-O2 -g/-O0/; s/-O3 -flto=auto -ffat-lto-objects/-fno-lto/' '$copy/Makefile' '$copy/build/flags' && touch -r '$build/flags' '$copy/build/flags' && touch -r '$top/Makefile' '$copy/Makefile'") == 0 or die 'no copy';

# Apply the recipe of that name in the copy; it changes at most PLACES (4) existing files.
sub follow {
	my ($recipe, $places) = @_;
	my $patch = "$top/tests/recipes/$recipe.patch";
	my $said = qx(cd '$top' && patch --dry-run -p1 < '$patch' 2>&1) . qx(cd '$copy' && patch --no-backup-if-mismatch -p1 < '$patch' 2>&1);
	is($?, 0, "$recipe: the patch applies") or diag($said);
	unlike($said, qr/fuzz|FAILED/, '… as it is');
	open my $f, '<', $patch or die;
	my $changed = grep { /^--- a/ } my @lines = <$f>;
	my $made = grep { /^\@\@ -0,0 / } @lines;
	cmp_ok($changed - $made, '<=', $places // 4, '… to few places');
}

# The result of the program of the copy.
sub ask {
	my (@args) = @_;
	local $ENV{WAKEPATH} = "$copy/build/wakepath";
	return wakepath(@args);
}

sub make {
	my (@what) = @_;
	my $said = qx(cd '$copy' && make @what 2>&1);
	return ($?, $said);
}

follow('alias');
my ($status, $said) = make('-n', 'all');
is(scalar(() = $said =~ /^echo "cc build/mg), 1, '… which compiles one file');
follow($_) for qw(event-kind latency-kind colour-role format);
follow('chunk', 5);	# also its check, which is written beside those of the others
($status, $said) = make('-s', 'all', 'build/tests/bench/marks');
is($status, 0, 'all of them build') or do { diag($said); done_testing; exit };

# ---- another name of an event ----

# A trace whose tracer has that name for sched_waking: the same bytes except the name, which has the same
# length.
my $renamed = "$ENV{TMPDIR}/renamed";
system('cp', '-r', sample('pipeline'), $renamed) == 0 or die;
my ($metadata) = glob "$renamed/kernel/metadata";
my $n = 0;
patch($metadata, sub { $n = s/"sched_waking"/"sched_awaken"/g });
is($n, 1, 'an event has another name');
my @ask = qw(wakeups --thread wk-stage0 --format csv);
my $wanted = wakepath(@ask, sample('pipeline'))->{out};
isnt(wakepath(@ask, $renamed)->{out}, $wanted, 'the unpatched program does not know it');
system('rm', '-rf', $ENV{XDG_CACHE_HOME} // "$ENV{HOME}/.cache");
is(ask(@ask, $renamed)->{out}, $wanted, 'the patched program does');

# ---- a kind of latency ----

my $r = ask(qw(latency --kind sleep --thread wk-stage0 --format json), sample('pipeline'));
is($r->{status}, 0, 'a kind of latency is measured') or diag($r->{err});
my ($count) = $r->{out} =~ /"count": *(\d+)/;
my $waits = grep { /,blocked,/ } split /\n/, wakepath(qw(states --thread wk-stage0 --format csv), sample('pipeline'))->{out};
is($count, $waits, '… each wait once');

# ---- a chunk of the index, which is a series of blocks ----

my $found = qx('$copy/build/tests/bench/marks' '$ENV{TMPDIR}/marks.wpi' 2>&1);
is($?, 0, 'a new chunk returns what was written into it') or diag($found);
like($found, qr/^block at offset \d+: times step back$/, '… and is verified');

# ---- a role of colour ----

my %file = ('own.theme' => "message #010203 -\n", 'named.theme' => "note red -\n", 'script' => "q\n");
for (keys %file) {
	open my $out, '>', "$ENV{TMPDIR}/$_" or die;
	print $out $file{$_};
	close $out;
}
my @view = ('view', '--script', "$ENV{TMPDIR}/script", sample('pipeline'), '--theme');
is(ask(@view, $_)->{status}, 0, "theme $_ need not name a new role of colour") for qw(dark mono), "$ENV{TMPDIR}/own.theme";
is(ask(@view, "$ENV{TMPDIR}/named.theme")->{status}, 0, '… but may');
like(wakepath(@view, "$ENV{TMPDIR}/named.theme")->{err}, qr/no such role: note/, 'the unpatched program does not know it');

# ---- a format of one command ----

like(ask(qw(path --help))->{out}, qr/--format=FORMAT +text \(default\), json, csv, .*\bkinds\b/m, 'the help lists the new format');
$r = ask(qw(path --format kinds --thread wk-stage0), sample('pipeline'));
is($r->{status}, 0, '… and is written') or diag($r->{err});
my $life = wakepath(qw(path --format json --thread wk-stage0), sample('pipeline'))->{out};
my ($from, $to) = $life =~ /"from":(\d+),"to":(\d+)/;
my $sum = 0;
$sum += $_ for $r->{out} =~ / (\d+)$/mg;
is($sum, $to - $from, '… and counts all of the time once');
is(ask(qw(threads --format kinds), sample('pipeline'))->{err}, "wakepath: no format is called \"kinds\": type text, json, csv or markdown\n", 'another command refuses it, and lists its formats');

# ---- a kind of event ----

patch("$copy/src/model/event/event.h", sub { s/E\(SCHED_MOVE_NUMA, mdl_sched_migrate\)/E(SCHED_MOVE_NUMA)/ or die });
($status, $said) = make('-s', map { "build/obj/model/$_.o" } qw(event/table dispatch));
isnt($status, 0, 'a kind of event without a handler does not build');
like($said, qr/requires 2 arguments/, '… and the compiler says what is missing');

done_testing;
