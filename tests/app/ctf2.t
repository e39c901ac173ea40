#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# CTF 2: each sample trace with the metadata that LTTng 2.15 would write for the same stream files gives the same answers; and recordings of LTTng 2.16.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Ctf2;
use Cwd ();
use Wake;
use Test::More;

$ENV{WAKEPATH} = $ENV{WAKEPATH_FAST} if $ENV{WAKEPATH_FAST};	# long answers

# The output of `info` for TRACE, without the lines that must differ.
sub info_of {
	my ($trace) = @_;
	my $info = perl_of(wakepath('info', $trace, '--format', 'json')->{out} =~ s/\Q$trace\E/TRACE/gr);
	for my $t (@{ $info->{traces} }, $info) { delete @$t{qw(path index)} }
	my %formats;
	for my $t (@{ $info->{traces} }) {
		$formats{ delete $t->{format} }++;
		delete $_->{path} for @{ $t->{chunks} // [] };
	}
	return ($info, join ' ', sort keys %formats);
}

# The labels of a number in order of their names: JSON has none.
sub sorted { my ($labels) = @_; return join ', ', sort split /, /, $labels }

# The answers of TRACE, as text.
sub answers {
	my ($trace, $thread) = @_;
	return map { my @c = @$_; my $r = wakepath($c[0], $trace, @c[1 .. $#c]); ("@c" => "$r->{status} $r->{out}" =~ s/\Q$trace\E/TRACE/gr =~ s/(\( )(""[^:]*"", ""[^:]*"")(?= : container)/$1 . sorted($2)/ger) }
		[qw(threads --format csv)], [qw(events --top 0 --format csv)], [qw(states --format csv --thread), $thread], [qw(wakeups --format csv --thread), $thread],
		[qw(path --format csv --thread), $thread], [qw(latency --kind wakeup --top 0 --format csv)], [qw(latency --kind block --top 0 --format csv)], [qw(requests --format csv)], [qw(causes --format csv)];
}

# The first must be CTF 1.8, the second CTF 2, and all else equal.
sub alike {
	my ($one, $two, $name) = @_;
	my ($info, $format) = info_of($one);
	my ($other, $other_format) = info_of($two);
	is_deeply([$format, $other_format], ['ctf 1.8', 'ctf 2'], "$name: info tells the format");
	is_deeply($other, $info, "$name: info");
	my ($most) = sort { $b->{states}{running} <=> $a->{states}{running} } grep { $_->{tid} } @{ perl_of(wakepath('threads', $one, '--format', 'json')->{out})->{threads} };
	my (%one, %two);
	%one = answers($one, "$most->{host}/$most->{tid}");
	%two = answers($two, "$most->{host}/$most->{tid}");
	cmp_ok(scalar(grep { /^0 / } values %one), '>=', 7, "$name: there are answers");
	for my $what (sort keys %one) {
		my ($n, @lines) = (0, split /\n/, $one{$what});
		my ($other) = grep { $_->[0] ne $_->[1] } map { [$_, $lines[$n++] // ''] } split /\n/, $two{$what};
		ok($two{$what} eq $one{$what}, "$name: $what") or diag($other ? "$other->[0]\ninstead of\n$other->[1]" : 'fewer lines');
	}
}

my @samples = @ARGV ? @ARGV : map { m{([^/]+)/\z} } glob "$ENV{SAMPLES}/*/";
for my $sample (@samples) {
	ctf2_copy(sample($sample), "$ENV{TMPDIR}/ctf2/$sample");
	alike(sample($sample), "$ENV{TMPDIR}/ctf2/$sample", $sample);
}

# ---- recordings of LTTng 2.13 in chunks, and of 2.16 in either version ----

my $shared = Cwd::realpath($ENV{SHARED_TRACES} // "$ENV{TOP}/../shared/traces") // "";
my $machines = Cwd::realpath("$shared/../recordings/machines") // "";
for my $trace (@ARGV ? () : grep { -d } "$shared/inputs/rotated", "$shared/inputs/snapshots", "$machines/x64-lttng-both/trace") {
	my ($name) = $trace =~ m{([^/]+)(?:/trace)?\z};
	ctf2_copy($trace, "$ENV{TMPDIR}/ctf2/$name");
	alike($trace, "$ENV{TMPDIR}/ctf2/$name", $name);
}

# Recordings of LTTng 2.16 itself are checked with babeltrace2, which reads CTF 1.8: it gets the same stream files with TSDL.
my $real = "$machines/x64-lttng-both-ctf2/trace/kernel";
if (-d $real && !@ARGV) {
	my $as_tsdl = "$ENV{TMPDIR}/tsdl";
	system('cp', '-r', '--no-preserve=mode', $real, $as_tsdl) == 0 or die;
	spew("$as_tsdl/metadata", tsdl_of(ctf2_fragments(slurp("$real/metadata"))));
	open my $f, '-|', 'babeltrace2', '--clock-seconds', $as_tsdl or die;
	my @theirs = map { /^\[(\d+)\.(\d+)\] \(\S+\) \S+ (\S+): \{ cpu_id = (\d+) \}, (.*)$/ ? "$1$2 $4 $3 $5" : "? $_" } <$f>;
	my @ours = map { "$_->{time} $_->{cpu} $_->{name} $_->{fields}" } @{ perl_of(wakepath('events', $real, '--top', 0, '--format', 'json')->{out})->{events} };
	my ($at) = grep { ($ours[$_] // '') ne $theirs[$_] } 0 .. $#theirs;
	cmp_ok(scalar @theirs, '>', 8000, 'LTTng 2.16: babeltrace2 reads it with TSDL');
	is(scalar @ours, scalar @theirs, 'LTTng 2.16: as many events as babeltrace2 reads');
	ok(!defined $at, 'LTTng 2.16: each event with its fields') or diag("$ours[$at]\ninstead of\n$theirs[$at]");
	my ($info) = @{ perl_of(wakepath('info', $real, '--format', 'json')->{out})->{traces} };
	is_deeply([@$info{qw(format tracer release host)}], ['ctf 2', 'lttng-modules 2.16.0', '7.2.13+deb14-amd64', 'h5-x86_64'], 'LTTng 2.16: format, tracer, release, host');
}
done_testing;
