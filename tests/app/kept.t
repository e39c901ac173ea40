#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Stored latencies, of rules and of kinds: they give the same answer again, are made anew after a change of rule, trace or clocks, and are complete or
# absent.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use List::Util qw(sum0 max);
use Test::More;

my $trace = sample('ioburst-ipi');
my $cache = "$ENV{TMPDIR}/kept-cache";
my $rules = "$ENV{TMPDIR}/kept.rules";
my $one = "[disk]\nentry = block_rq_issue\nexit = block_rq_complete\nkey = dev, sector\n";
my @ask = ('latency', $trace, '--rules', $rules, '--top', 1000, '--format', 'json', '--index-dir', $cache);

sub kept { return grep { /-[0-9a-f]{16}-[0-9a-f]{16}\.wps$/ } files_below($cache) }
sub answer { my $r = json_of(wakepath(@ask, @_)); return $r->{rules} ? $r->{rules}[0] : $r }
sub inode { return join ' ', map { (stat)[1] } @_ }

spew($rules, $one);
my $first = wakepath(@ask);
is($first->{status}, 0, 'a rule is measured') or diag($first->{err});
my ($file) = kept();
ok($file, '… and stored');
my $whole = slurp($file);
my $inode = inode($file);
is(wakepath(@ask)->{out}, $first->{out}, 'again: the same answer');
is(inode($file), $inode, '… from the same file');

# ---- windows, threads, thresholds: from the stored cases ----

my $all = answer();
my @cases = @{ $all->{worst} };
is(scalar @cases, $all->{count}, 'all cases are listed');
my $windows = 0;
for my $at (map { $cases[ $_ * 7 % @cases ]{start} } 1 .. 6) {
	my ($before, $after) = (answer('--to', $at), answer('--from', $at));
	for my $part ([$before, grep { $_->{start} < $at } @cases], [$after, grep { $_->{start} >= $at } @cases]) {
		my ($got, @want) = @$part;
		my $same = $got->{count} == @want && $got->{sum} == sum0(map { $_->{latency} } @want) && ($got->{max} // 0) == (max(map { $_->{latency} } @want) // 0);
		$windows++ if $same && JSON::PP->new->canonical->encode($got->{worst}) eq JSON::PP->new->canonical->encode(\@want);
	}
	is($before->{$_} + $after->{$_}, $all->{$_}, "what begins before and from $at: $_") for qw(unfinished unmatched repeated);
}
is($windows, 12, 'a window has the cases that begin in it');
my %of;
push @{ $of{ $_->{tid} } }, $_->{latency} for grep { defined $_->{tid} && $_->{tid} > 0 } @cases;
for my $tid (sort keys %of) {
	my $got = answer('--thread', $tid);
	is("$got->{count} $got->{sum}", @{ $of{$tid} } . ' ' . sum0(@{ $of{$tid} }), "the cases of thread $tid");
}
my $long = answer('--threshold', '1ms');
is(scalar @{ $long->{worst} }, scalar(grep { $_->{latency} >= 1e6 } @cases), 'a threshold');
spew($rules, "${one}threshold = 2ms\n");
is(scalar @{ answer()->{worst} }, scalar(grep { $_->{latency} >= 2e6 } @cases), '… of the rule');
is(inode(kept()), $inode, 'all of that comes from the same file');

# ---- made anew ----

spew($rules, $one =~ s/issue/issue[nr_sector>8]/r);
my $other = answer();
cmp_ok($other->{count}, '<', $all->{count}, 'a changed rule is measured anew');
is(scalar kept(), 1, '… and replaces the previous one');
isnt(slurp(kept()), $whole, '… which is another file');
spew($rules, $one);
is(wakepath(@ask)->{out}, $first->{out}, 'changed back: the first answer');
spew($rules, "$one\n[none]\nentry = no_such_event\nexit = block_rq_complete\n");
my @none = map { wakepath(@ask) } 1 .. 2;
is($none[$_]{status}, 0, 'the answer for a rule without events beside one with events') for 0, 1;
like($none[$_]{err}, qr/rule "none": no trace here has an event "no_such_event"/, '… has a warning') for 0, 1;
is($none[1]{out}, $none[0]{out}, '… also if it is stored');
is(scalar kept(), 2, '… without a change');
is(wakepath('verify', $trace, '--index-dir', $cache)->{status}, 0, 'the stored files are intact');
is(scalar(grep { /-[0-9a-f]{16}-[0-9a-f]{16}\.wps: intact: \d+ bytes, \d+ blocks?, \d+ latenc(?:y|ies)$/ } split /\n/, wakepath('verify', $trace, '--index-dir', $cache)->{out}), 2, '… according to verify');
is(wakepath('index', $trace, '--force', '--index-dir', $cache)->{status}, 0, 'another index');
is_deeply([kept()], [], '… and the stored files are gone');

# ---- damage ----

spew($rules, $one);
is(wakepath(@ask)->{out}, $first->{out}, 'the same answer from another index');
($file) = kept();
$whole = slurp($file);
my @wrong;
for my $at (9, 50, 140, length($whole) - 20, map { int(length($whole) * $_ / 41) } 0 .. 40) {
	spew($file, $whole);
	patch($file, sub { substr $_, $at, 1, chr(ord(substr $_, $at, 1) ^ 0x81) });
	my $again = wakepath(@ask);
	push @wrong, "byte $at: $again->{status} $again->{err}" if $again->{out} ne $first->{out} || $again->{status};
}
is("@wrong", '', 'a damaged byte does not change the answer');
spew($file, substr $whole, 0, length($whole) / 2);
is(wakepath(@ask)->{out}, $first->{out}, 'cut short: the same answer');
is(slurp($file), $whole, '… and the file is whole again');
patch($file, sub { substr $_, 200, 1, chr(ord(substr $_, 200, 1) ^ 0x81) });
is(wakepath('verify', $file)->{status}, 3, 'verify finds damage') or diag(wakepath('verify', $file)->{out});
unlink $file;
mkdir $file or die;
my $unkept = wakepath(@ask);
is($unkept->{out}, $first->{out}, 'where it cannot be stored: the same answer');
like($unkept->{err}, qr/wakepath finds latencies and causes again each time, because it cannot store them/, '… with a warning');
rmdir $file or die;

# ---- two at once, no room ----

my @at_once = map { my $pid = fork() // die; if (!$pid) { $ENV{TMPDIR} .= "/$_"; exec $ENV{WAKEPATH}, @ask, '-o', "$ENV{TMPDIR}-out" or die } $pid } 1 .. 4;
waitpid $_, 0 for @at_once;
is(slurp("$ENV{TMPDIR}/$_-out"), $first->{out}, "parallel runs: the same answer to number $_") for 1 .. 4;
is(scalar kept(), 1, '… and one file');
is_deeply([grep { !/\.wp[is]$/ } files_below($cache)], [], '… nothing else');
SKIP: {
	my $disk = small_disk('1m');
	skip 'needs the right to mount a tmpfs', 1 if !defined $disk;
	is(wakepath('index', $trace, '--index-dir', $disk)->{status}, 0, 'an index on a small disk');
	my %before = map { $_ => 1 } files_below($disk);
	open my $f, '>:raw', "$disk/filler" or die;
	1 while syswrite $f, 'x' x 4096;
	close $f;
	for my $more (['latency', '--rules', $rules], ['latency', '--kind', 'blocked'], ['causes', '--top', 0]) {
		my ($command, @more) = @$more;
		my @question = ($command, $trace, @more, '--format', 'json');
		my $r = wakepath(@question, '--index-dir', $disk);
		is($r->{out}, wakepath(@question, '--index-dir', $cache)->{out}, "@$more on a full disk: the answer");
		like($r->{err}, qr/cannot store them: .*No space left on device/, '… with a warning');
	}
	is_deeply([map { s{.*/}{}r } grep { !$before{$_} } files_below($disk)], ['filler'], '… no half-written file remains');
}

# ---- kinds, of several hosts ----

my $three = sample('rpc-chain');
my %kinds = map { $_ => json_of(wakepath('latency', $three, '--kind', $_, '--by', 'host', '--top', 100000, '--format', 'json')) } qw(wakeup softirq);
for my $kind (sort keys %kinds) {
	my %count = map { $_->{name} => $_->{count} } @{ $kinds{$kind}{groups} };
	for my $host (glob "$three/*/metadata $three/*/*/metadata") {
		my $alone = json_of(wakepath('latency', $host =~ s{/metadata$}{}r, '--kind', $kind, '--by', 'host', '--format', 'json'));
		is($alone->{count}, $count{ $alone->{groups}[0]{name} }, "$kind: the number of cases is that of the host alone") if @{ $alone->{groups} };
	}
	my $plain = json_of(wakepath('latency', $three, '--kind', $kind, '--format', 'json'));
	is_deeply([map { $plain->{$_} } qw(count sum min max p50 p90 p99 p999 outliers outliers_over unfinished dropped histogram)], [map { $kinds{$kind}{$_} } qw(count sum min max p50 p90 p99 p999 outliers outliers_over unfinished dropped histogram)],
		"$kind: stored figures equal counted ones");
	is(sum0(map { $_->{latency} } @{ $kinds{$kind}{worst} }), $plain->{sum}, '… and the sum of all cases');
}
my $apart = json_of(wakepath('latency', $three, '--kind', 'wakeup', '--sync', 'none', '--by', 'host', '--format', 'json'));
is($apart->{count}, $kinds{wakeup}{count}, 'other clocks: made anew');

# ---- kinds from the history of threads: only the places of their cases are stored ----

my $httpd = sample('rpc-chain/httpd');
my $outlines = "$ENV{TMPDIR}/outlines";
sub of_kind { return json_of(wakepath('latency', $httpd, '--index-dir', $outlines, '--kind', @_, '--format', 'json')) }
for my $kind (qw(wakeup wait-cpu off-cpu blocked)) {
	my $told = of_kind($kind, '--top', 0);
	my @all = @{ $told->{worst} };
	cmp_ok(scalar @all, '>', 600, "$kind: cases of several leaves");
	is(@all . ' ' . sum0(map { $_->{latency} } @all), "$told->{count} $told->{sum}", '… all of them are found again');
	is(scalar(keys %{ { map { join(' ', @$_{qw(tid start end)}) => 1 } @all } }), scalar @all, '… each once');
	my %by;
	push @{ $by{ $_->{tid} } }, $_->{latency} for @all;
	my ($most) = sort { @{ $by{$b} } <=> @{ $by{$a} } || $a <=> $b } keys %by;
	my $one = of_kind($kind, '--thread', $most);
	is("$one->{count} $one->{sum}", @{ $by{$most} } . ' ' . sum0(@{ $by{$most} }), "… those of thread $most");
	for my $at (map { $all[ $_ * 131 % @all ]{start} } 1 .. 3) {
		my $after = of_kind($kind, '--from', $at);
		my @want = map { $_->{latency} } grep { $_->{start} >= $at } @all;
		is("$after->{count} $after->{sum}", @want . ' ' . sum0(@want), "… those from $at on");
	}
}
my ($outline) = sort { -s $b <=> -s $a } grep { /-[0-9a-f]{16}-[0-9a-f]{16}\.wps$/ } files_below($outlines);
my $outlined = slurp($outline);
my ($toc, $chunks) = unpack 'x24 Q< L<', $outlined;
my ($worst) = map { unpack 'x16 Q<', $_ } grep { /^WRST/ } unpack "x$toc (a32)$chunks", $outlined;
cmp_ok($worst, '>', 0, 'an outline has the worst cases');
cmp_ok(length($outlined) - $worst, '<', 4096, '… and is small');
is(wakepath('verify', $httpd, '--index-dir', $outlines)->{status}, 0, '… and intact');
my %told = map { $_ => wakepath('latency', $httpd, '--index-dir', $outlines, '--kind', $_, '--top', 100)->{out} } qw(off-cpu blocked);
my @other;
for my $at (map { int(length($outlined) * $_ / 61) } 0 .. 60) {
	spew($outline, $outlined);
	patch($outline, sub { substr $_, $at, 1, chr(ord(substr $_, $at, 1) ^ 0x81) });
	for my $kind (sort keys %told) {
		my $again = wakepath('latency', $httpd, '--index-dir', $outlines, '--kind', $kind, '--top', 100);
		push @other, "byte $at: $kind: $again->{status} $again->{err}" if $again->{out} ne $told{$kind} || $again->{status};
	}
}
is("@other", '', '… a damaged byte in one does not change the answer');

# ---- other answers: causes of all threads, parts of the overview ----

my $answers = "$ENV{TMPDIR}/answers";
my @questions = (['causes', '--top', 0], ['causes', '--by', 'thread', '--top', 0], ['causes', '--hide-tracer', '--top', 0], ['info', '--top']);
sub asked {
	my ($of, $command, @more) = @_;
	my $r = wakepath($command, $of, @more, '--format', 'json', '--index-dir', $answers);
	return $r->{status} . $r->{err} . ($r->{out} =~ s/"built_in":[^,]*//r);
}
# The files of answers, not those of the spans that sentences are made of: stored answers do not read these again.
my %spans;
sub answered { return grep { /-[0-9a-f]{16}-[0-9a-f]{16}\.wps$/ && !$spans{$_} } files_below($answers) }
for my $of ($trace, $three) {
	unlink answered();
	asked($of, 'spans');
	$spans{$_} = 1 for answered();
}
for my $of ($trace, $three) {
	my %fresh;
	for my $q (@questions) {
		unlink answered();
		$fresh{"@$q"} = asked($of, @$q);
		like($fresh{"@$q"}, qr/^0\{/, "@$q: an answer");
		cmp_ok(scalar answered(), '>', 0, '… is stored') if $of eq $trace;
		is(asked($of, @$q), $fresh{"@$q"}, '… the same answer again');
	}
	unlink answered();
	asked($of, @$_) for @questions;
	is(asked($of, @$_), $fresh{"@$_"}, "@$_: the same answer beside others") for @questions;
	next if $of ne $trace;
	my %whole = map { $_ => slurp($_) } answered();
	cmp_ok(scalar keys %whole, '>=', 6, 'each has its file');
	is(wakepath('verify', $of, '--index-dir', $answers)->{status}, 0, '… all intact');
	is(asked($of, 'causes', '--top', 0, '--to', '+20ms') eq $fresh{'causes --top 0'}, '', 'a window is a separate answer');
	my @wrong;
	for my $at (map { $_ / 23 } 0 .. 22) {
		for my $file (keys %whole) {
			spew($file, $whole{$file});
			patch($file, sub { substr $_, int($at * length), 1, chr(ord(substr $_, int($at * length), 1) ^ 0x81) });
		}
		for my $q (@questions) {
			my $again = asked($of, @$q);
			push @wrong, "at $at: @$q" if $again ne $fresh{"@$q"};
		}
	}
	is("@wrong", '', 'a damaged byte does not change the answer');
	is_deeply({ map { $_ => slurp($_) } answered() }, \%whole, '… and the files are complete again');
	unlink answered();
	mkdir $_ or die for keys %whole;
	my $r = wakepath('causes', $of, '--top', 0, '--format', 'json', '--index-dir', $answers);
	is("$r->{status}$r->{out}", $fresh{'causes --top 0'}, 'where it cannot be stored: the same answer');
	like($r->{err}, qr/cannot store them/, '… with a warning');
	rmdir $_ or die for keys %whole;
	is(wakepath('index', $of, '--force', '--index-dir', $answers)->{status}, 0, 'another index');
	is_deeply([answered()], [], '… and the stored files are gone');
}

# The options that leave out the tracer's own threads.
for my $kind (qw(wakeup blocked)) {
	my $without = json_of(wakepath('latency', $trace, '--kind', $kind, '--hide-tracer', '--format', 'json'));
	my $counted = json_of(wakepath('latency', $trace, '--kind', $kind, '--hide-tracer', '--by', 'thread', '--top', 100000, '--format', 'json'));
	is_deeply([map { $without->{$_} } qw(count sum p50 p99 histogram)], [map { $counted->{$_} } qw(count sum p50 p99 histogram)], "$kind without the tracer: stored figures equal counted ones");
	my @worst = @{ json_of(wakepath('latency', $trace, '--kind', $kind, '--hide-tracer', '--top', 20, '--format', 'json'))->{worst} };
	is_deeply(\@worst, [@{ $counted->{worst} }[0 .. 19]], '… the worst of them');
	is(scalar(grep { ($_->{name} // '') =~ /^lttng-(?:sessiond|consumerd|relayd)/ } @{ $counted->{worst} }), 0, '… none of its threads');
}

my $listed = csv_of(wakepath('latency', $trace, '--kind', 'wakeup', '--top', 0, '--format', 'csv'));
is(@$listed - 1, json_of(wakepath('latency', $trace, '--kind', 'wakeup', '--format', 'json'))->{count}, '--top 0: every case');

done_testing;
