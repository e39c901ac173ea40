#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The hosts of a fleet in the explorer: those that stand out come first; Enter opens the trace of one, or shows the command for one on another machine.
use strict;
use warnings;
use utf8;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Fleet;
use Pty;
use Test::More;

my $dir = "$ENV{TMPDIR}/fleet";
my $index = $ENV{WAKEPATH_INDEX_DIR} = "$ENV{TMPDIR}/index";
mkdir $_ or die for $dir, "$dir/sums";
for my $i (1 .. 10) {
	made_host("$dir/$i.txt", seed => $i, iterations => 80, disk => $i == 4 ? 4 : 1);
	is(wakepath('index', '--quiet', '--summary-as', "$dir/sums/$i.wpm", '--host', "web$i", "$dir/$i.txt")->{status}, 0, "host $i");
}
sub script {
	my (@lines) = @_;
	spew("$dir/script", Encode::encode_utf8(join '', map { "$_\n" } 'size 140 30', @lines));
	return wakepath('view', "$dir/1.txt", '--script', "$dir/script");
}
sub dump_of { return Encode::decode_utf8(slurp("$dir/dump")) }

my $r = script(':', "\"fleet $dir/sums\"", 'Enter', "dump $dir/dump");
is($r->{status}, 0, ':fleet') or diag($r->{err});
like(dump_of(), qr/Hosts of the fleet .* 10 hosts$/m, 'the pane');
my ($first) = dump_of() =~ /^ HOST .*\n(.*)$/m;
like($first, qr/^ web4 +yes +block-device +80 .* block: 8:0 /, 'the host that stands out comes first');
is($r->{out}, '', 'nothing is opened');

$r = script('M-f', "\"$dir/sums\"", 'Enter', 'Enter');
is($r->{out}, "$dir/4.txt\n", 'Enter opens its trace');
$r = script('M-f', "\"$dir/sums\"", 'Enter', 'O', 'j', "dump $dir/dump", 'Enter');
my ($second) = dump_of() =~ /^.?HOST.*\n.*\n web(\d+) /m;
is($r->{out}, "$dir/$second.txt\n", '... of the selected line');

mkdir "$dir/few" or die;
link "$dir/sums/$_.wpm", "$dir/few/$_.wpm" or die for 1 .. 3;
script(':', "\"fleet $dir/few\"", 'Enter', "dump $dir/dump");
like(dump_of(), qr/not compared: a role needs at least 8 hosts/, 'a few hosts are not compared');
script(':', "\"fleet $dir/sums\"", 'Enter', "dump $dir/dump");
unlike(dump_of(), qr/not compared/, '... ten are');

rename "$dir/4.txt", "$dir/elsewhere.txt" or die;
$r = script('M-f', "\"$dir/sums\"", 'Enter', 'Enter', "dump $dir/dump");
is($r->{out}, '', 'a trace that is not here');
like(dump_of(), qr{ssh -t 'web4' wakepath '\Q$dir\E/4\.txt'}, '... gives a command');
rename "$dir/elsewhere.txt", "$dir/4.txt" or die;

script(':', '"fleet /nowhere/at/all"', 'Enter', "dump $dir/dump");
like(dump_of(), qr{/nowhere/at/all}, 'a list that is not there');
spew("$dir/sums/bad.wpm", 'x');
script(':', "\"fleet $dir/sums\"", 'Enter', "dump $dir/dump");
like(dump_of(), qr/10 hosts/, 'a bad summary is left out');

# On a terminal the other trace is opened in place of this one.
my $p = pty_start(140, 30, { TERM => 'xterm-256color', LC_ALL => 'C.UTF-8' }, {}, $ENV{WAKEPATH}, 'view', '--fresh', "$dir/1.txt");
like(pty_read($p, qr/quit/, 20), qr/quit/, 'a trace on a terminal');
pty_type($p, ":fleet $dir/sums\r");
like(pty_read($p, qr/web4/, 20), qr/web4/, '... and the fleet');
pty_type($p, "\r");
like(pty_read($p, qr/4\.txt.*quit/s, 20), qr/4\.txt/, '... and the trace of a host');
pty_type($p, 'ZZ');
is(pty_ends($p, 20), 0, '... which ends them all');
pty_close($p);
done_testing;
