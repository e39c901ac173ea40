#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The explorer's export of a window has the rows on its screen, in their order, and a message says so.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use JSON::PP;
use Wake;
use Test::More;

my $dir = "$ENV{TMPDIR}/export";
mkdir $dir;

# The screen after KEYS, and the names of rows in the export for Perfetto.
sub written {
	my ($args, @keys) = @_;
	unlink glob "$dir/*";
	my @export = map { ('e', 'C-u', qq("$dir/$_"), 'Enter', "dump $dir/said.$_") } 'w.perfetto.json', 'w.svg';
	spew("$dir/script", join "\n", 'size 120 60', @keys, "dump $dir/screen", @export, '');
	my $run = wakepath(@$args, '--script', "$dir/script");
	is($run->{status}, 0, 'played') or diag $run->{err};
	like(slurp("$dir/said.$_"), qr/\n wrote \S+ \(.*\): control flow over .*, \d+ rows\n\z/, "$_: said") for 'w.perfetto.json', 'w.svg';
	my $all = decode_json(slurp("$dir/w.perfetto.json"));
	my @order = map { $_->{args}{name} } grep { $_->{name} eq 'thread_name' } @{ $all->{traceEvents} };
	return (slurp("$dir/screen"), \@order);
}

# TIDs of the threads on SCREEN from above; those of NAMES.
sub shown { my ($screen) = @_; return [$screen =~ /^.[^│\n]*? (\d+)│/mg] }
sub tids { my ($names) = @_; return [map { /\[(\d+)\]/ } @$names] }

my ($screen, $names) = written([sample('preempt'), '--thread', 'wk-victim'], '&', '"wk- sleep|wk"', 'Enter', ('O') x 2);
is_deeply(tids($names), shown($screen), 'with a filter and an order: the rows of the screen');
is(scalar @{ shown($screen) }, 2, '... which are few');
like(slurp("$dir/said.w.svg"), qr/ 2 rows\n\z/, '... of the picture, too');
like(slurp("$dir/w.perfetto.json"), qr/"made_by":"wakepath flow [^"]* # with the rows that the explorer showed"/, '... and a comment says that no command line selects them');

($screen, $names) = written([sample('preempt'), '--thread', 'wk-victim', '--show-tracer'], 'O');
my @sorted = sort { $a <=> $b } @{ shown($screen) };
is_deeply([grep { my $tid = $_; grep { $_ == $tid } @{ shown($screen) } } @{ tids($names) }], \@sorted, 'by TID');

# ---- lists ----

# The export of the focused list to FILE, after KEYS and "e"; and the message.
sub list_of {
	my ($trace, $file, @keys) = @_;
	unlink glob "$dir/*";
	spew("$dir/script", join "\n", 'size 120 60', @keys, 'e', "dump $dir/asked", 'C-u', qq("$dir/$file"), 'Enter', "dump $dir/said", '');
	my $run = wakepath(sample($trace), '--script', "$dir/script");
	is($run->{status}, 0, "$file: played") or diag $run->{err};
	return (slurp("$dir/$file"), slurp("$dir/said"), slurp("$dir/asked"));
}
my @whole = ('--format', 'json', '--hide-tracer');
my ($list, $said, $asked) = list_of('preempt', 'l.json', 'w');
like($asked, qr/write the list to .*latency\.txt/, 'a list of latencies has its name as the default');
like($said, qr/\n wrote \S+ \(.*\): the worst wakeup latencies, 80 over 578 ms\n\z/, '... and a message says that it is written');
is_deeply(decode_json($list), json_of(wakepath('latency', sample('preempt'), '--kind', 'wakeup', '--top', 1000, @whole)), '... as the command writes it');
($list) = list_of('ioburst-ipi', 'g.csv', ':', '"kind block"', 'Enter', 'G', 'G');
like($list, qr/\Aname,count,sum,.*\n.*,/, 'groups as a table of groups');
($list) = list_of('ioburst-ipi', 'p.json', ':', '"kind blocked"', 'Enter', ':', '"pick disk write flush"', 'Enter');
my $picked = decode_json($list);
is(join(' ', $picked->{count}, scalar @{ $picked->{worst} }, $picked->{worst}[0]{latency}), '22 22 1959590', 'a picked part: only its cases, fsync() first');
($list, $said, $asked) = list_of('rpc-chain', 'r.csv', 'M-r');
like($asked, qr/write the list to .*requests\.txt/, 'a list of requests');
like($said, qr/: \d+ requests over 12\.2 s\n\z/, '... is written');
my @lines = split /\n/, wakepath('requests', sample('rpc-chain'), '--format', 'csv')->{out};
is_deeply([sort map { s/^\d+,//r } split /\n/, $list], [sort map { s/^\d+,//r } @lines], '... as the command writes it');
($list, $said, $asked) = list_of('preempt', 'c.json', 'C', ':', '"scope all"', 'Enter', 'Space');
like($asked, qr/write the list to .*causes\.txt/, 'a list of causes');
like($said, qr/: \d+ causes over 578 ms\n\z/, '... is written');
is_deeply(decode_json($list), json_of(wakepath('causes', sample('preempt'), '--by', 'thread', '--top', 1000, @whole)), '... as the command writes it');
($list) = list_of('preempt', 'c.csv', '/', '"wk-rt"', 'Enter', 'C', 'O', 'O');
is($list, wakepath('causes', sample('preempt'), '--thread', 'wk-rt', '--top', 1000, '--format', 'csv')->{out}, '... of a thread');
($list, $said) = list_of('lost-events', 'n.csv', '!', 'O');
my $lost = 0;
$lost += $_ for $list =~ /^lost,.*: (\d+) events? lost within/mg;
is($lost, 9941, 'notes: all events that babeltrace2 says are lost');
like($list, qr/^warning,.*9941 events.*^not recorded,/ms, '... and what would be found with others');
my @events = ('events', sample('preempt'), '--top', 0, '--format', 'csv');
($list, $said, $asked) = list_of('preempt', 'e.csv', 'F6');
like($asked, qr/write the list to .*events\.txt/, 'a list of events');
like($said, qr/: events over 578 ms\n\z/, '... is written');
ok($list eq wakepath(@events)->{out}, '... all, including the last one');
($list) = list_of('preempt', 'e.csv', '/', '"wk-rt"', 'Enter', 'F6', ':', '"scope row"', 'Enter');
ok($list eq wakepath(@events, '--thread', 'wk-rt')->{out}, '... of a thread');
($list) = list_of('imbalance', 's.csv', ':', '"goto +100ms"', 'Enter', 'v', ':', '"goto +5ms"', 'Enter', 'v', 'F6', ':', '"scope cpu"', 'Enter');
my @selected = ('events', sample('imbalance'), '--top', 0, '--format', 'csv', '--from', '+100ms', '--to', '+105ms');
my ($cpu) = $list =~ /\n\d+,\d+,\w+,(\d+)/;
is($list, wakepath(@selected, '--cpu', $cpu)->{out}, '... of a CPU in the selection');
ok($list ne wakepath(@selected)->{out}, '... which are not all of it');
($list, $said, $asked) = list_of('preempt', 'p.txt', '/', '"wk-rt"', 'Enter', 'w', 'Tab');
like($asked, qr/write the window \(as text: its path\) to/, 'other panes export the window, or the path');
is($list, wakepath('path', sample('preempt'), '--thread', 'wk-rt', '--from', '+0ns', '--to', '-0ns')->{out}, '... of the selected thread');
# ---- a cut ----

# The selection becomes a recording of its own, equal to that of "wakepath cut"; existing files remain.
unlink glob "$dir/*";
my $pipeline = sample('pipeline');
my $info = json_of(wakepath('info', $pipeline, '--format', 'json'));
my ($from, $to) = map { $info->{from} + $_ * 1_000_000 } 400, 500;
my $ask = sub { ('M-e', 'C-u', qq("$dir/$_[0]"), 'Enter', "dump $dir/said.$_[0]") };
spew("$dir/kept", 'as it was');
spew("$dir/script", join "\n", 'size 120 60', ':', qq("goto $from"), 'Enter', 'v', ':', qq("goto $to"), 'Enter', 'v', "dump $dir/screen", $ask->('cut'), $ask->('kept'), '');
is(wakepath($pipeline, '--script', "$dir/script")->{status}, 0, 'cut: played');
like(slurp("$dir/said.cut"), qr/\n wrote \S+: all events of 100 ms, and of 25\.0 ms before it\n\z/, '... and a message says that it is written');
is(wakepath('cut', $pipeline, '--from', $from, '--to', $to, '-o', "$dir/same")->{status}, 0, '... as the command');
is(wakepath('events', "$dir/cut", '--top', 0, '--format', 'csv')->{out} =~ s/^\d+,//mgr, wakepath('events', "$dir/same", '--top', 0, '--format', 'csv')->{out} =~ s/^\d+,//mgr, '... writes it');
like(slurp("$dir/said.kept"), qr/exists: choose another name/, 'a file that exists is refused');
is(slurp("$dir/kept"), 'as it was', '... and remains');

# Where no cut can be written, the explorer gives the reason and a hint.
my $machines = ($ENV{SHARED_TRACES} // '/none') . '/../recordings/machines';
for my $refused ([ "$machines/x64-perfetto/pipeline.pftrace", 'does not write this format: share the whole file' ], [ "$machines/x64-text/tracefs-trace.txt", 'does not write this format: cut the recording' ],
	[ "$machines/x64-lttng-both-ctf2/trace/kernel", 'writes no metadata of CTF 2: record with lttng create' ]) {
	my ($trace, $why) = @$refused;
	next if !-e $trace;
	spew("$dir/script", join "\n", 'size 300 60', $ask->('none'), '');
	is(wakepath($trace, '--script', "$dir/script")->{status}, 0, "cut of $trace: played");
	like(slurp("$dir/said.none"), qr/\Q$why\E/, '... and refused');
	ok(!-e "$dir/none", '... and nothing is written');
}
spew("$dir/script", join "\n", 'size 120 60', 'M-e', "dump $dir/said.hosts", '');
is(wakepath(sample('rpc-chain'), '--script', "$dir/script")->{status}, 0, 'cut of three hosts: played');
like(slurp("$dir/said.hosts"), qr/a cut is of one host: select one of its rows|write the events of the window to/, '... asks for a host, or is of the selected one');

done_testing;
