#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Copies of a recording in which the clock of one host is changed: sync matches the same packets, and finds clocks that differ by that change alone.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use List::Util qw(sum0);
use Math::BigFloat;
use Math::BigInt;
use Test::More;

my @hosts = qw(client httpd db);
my $rpc = sample('rpc-chain');

sub sync_of {
	my @all = @{ json_of(wakepath('sync', @_, '--format', 'json'))->{hosts} };
	return { map { $_->{host} => $_ } @all };
}

sub info_of { return json_of(wakepath('info', $_[0], '--format', 'json'))->{traces}[0] }

# T of the host H in the reference's clock.
sub reference_of {
	my ($h, $t) = @_;
	return Math::BigFloat->new($h->{slope}) * $t + $h->{offset_ns};
}

# [ns of the clock's 0 from the Epoch, freq] of the trace.
sub clock_of {
	my ($trace) = @_;
	my ($block) = slurp("$trace/metadata") =~ /^(clock \{.*?^\};)/ms or die;
	my ($freq) = $block =~ /\bfreq = (\d+)/;
	my ($seconds) = $block =~ /\boffset_s = (\d+)/;
	my ($offset) = $block =~ /\boffset = (\d+)/;
	return [Math::BigInt->new($seconds // 0) * 1_000_000_000 + Math::BigInt->new($offset) * 1_000_000_000 / $freq, $freq];
}

# The copy's time of an event at T.
sub copied_time {
	my ($t, $old, $new) = @_;
	return $new->[0] + (Math::BigInt->new($t) - $old->[0]) * 1_000_000_000 / $new->[1];
}

sub times_by_babeltrace {
	my ($trace) = @_;
	my @times;
	open my $f, '-|', 'babeltrace2', '--clock-seconds', $trace or die "babeltrace2: $!";
	while (<$f>) {
		push @times, "$1$2" if /^\[(\d+)\.(\d{9})\]/;
	}
	close $f or die "babeltrace2 failed";
	return @times;
}

sub times_by_wakepath {
	my ($trace) = @_;
	my ($header, @lines) = @{ csv_of(wakepath('events', $trace, '--top', 0, '--format', 'csv')) };
	return map { $_->[1] } @lines;
}

my $was = sync_of(map { "$rpc/$_" } @hosts);
my %info = map { $_ => info_of("$rpc/$_") } @hosts;
my %clocks = map { $_ => clock_of_text($_) } @hosts;

# The unchanged clock: set_clock writes plain text even then.
sub clock_of_text {
	my ($host) = @_;
	my $copy = "$ENV{TMPDIR}/same-$host";
	system("$ENV{TOP}/tests/tools/set_clock", "$rpc/$host", $copy) == 0 or die;
	my $info = info_of($copy);
	is("$info->{from} $info->{to}", "$info{$host}{from} $info{$host}{to}", "$host copied without a change: the same times");
	return clock_of($copy);
}

# The largest change of a host's times, in the reference's clock, at begin and end of the client's trace.
sub moved {
	my ($now, $host, $reference, $clock) = @_;
	my $most = 0;
	for my $instant (@{ $info{client} }{qw(from to)}) {
		my $t = ((Math::BigFloat->new($instant) - $was->{$host}{offset_ns}) / $was->{$host}{slope})->bint;
		my $before = reference_of($was->{$host}, $t);
		my $after = reference_of($now->{$host}, $clock->{$host} ? copied_time($t, $clocks{$host}, $clock->{$host}) : $t);
		# By the clock of the reference as it was.
		my $r = $clock->{$reference};
		$after = $clocks{$reference}[0] + ($after - $r->[0]) * $r->[1] / 1_000_000_000 if $r;
		my $d = ($after - $before)->numify;
		$most = abs $d if abs $d > $most;
	}
	return $most;
}

my $n = 0;
for my $host (@hosts) {
	for my $change ([-100, 0], [100, 0], [0, -200], [0, 200], [100, 200], [-100, -200]) {
		my ($shift, $ppm) = @$change;
		my $what = "$host $shift s, $ppm ppm";
		my $copy = "$ENV{TMPDIR}/copy" . $n++;
		system("$ENV{TOP}/tests/tools/set_clock", "$rpc/$host", $copy, '--shift', $shift, '--ppm', $ppm) == 0 or die;
		my $now = sync_of(map { $_ eq $host ? $copy : "$rpc/$_" } @hosts);
		for my $key (qw(packets_matched quality by pieces)) {
			is(join(' ', map { $now->{$_}{$key} // '-' } @hosts), join(' ', map { $was->{$_}{$key} // '-' } @hosts), "$what: $key");
		}
		is(sum0(map { $_->{violations_after} } values %$now), 0, "$what: no packet is too early");
		my %changed = ($host => clock_of($copy));
		# The few packets of the client do not show its rate: an error of a guess shows at the ends of its trace.
		for my $h (@hosts) {
			my $limit = !$ppm || $h eq 'client' ? 3 : abs($ppm) / 1e6 * ($info{client}{to} - $info{client}{from});
			cmp_ok(moved($now, $h, 'client', \%changed), '<=', $limit, "$what: $h is where it was");
		}
		my ($before, $after) = map { Math::BigFloat->new($_->{db}{slope}) / $_->{httpd}{slope} } $was, $now;
		my $faster = $ppm ? Math::BigFloat->new(1_000_000_000) / $changed{$host}[1] : 1;
		my $expected = $host eq 'db' ? $before / $faster : $host eq 'httpd' ? $before * $faster : $before;
		cmp_ok(abs(($after / $expected - 1)->numify), '<', 1e-9, "$what: the rate of db against httpd, which packets show");
	}
}

for my $change ([-100, 200], [100, -200]) {
	my ($shift, $ppm) = @$change;
	my $copy = "$ENV{TMPDIR}/times$ppm";
	system("$ENV{TOP}/tests/tools/set_clock", "$rpc/client", $copy, '--shift', $shift, '--ppm', $ppm) == 0 or die;
	my @ours = times_by_wakepath($copy);
	cmp_ok(scalar @ours, '>', 1000, "$shift s, $ppm ppm: events");
	is("@ours", join(' ', times_by_babeltrace($copy)), "$shift s, $ppm ppm: all times are those of babeltrace2");
}
done_testing();
