#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The number of requests each block device had, and the number of threads that waited for it: from babeltrace2's text, to the nanosecond, for the whole
# trace and windows of it, against the intervals of the device's row and the sums that its cells are made of.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use List::Util qw(max min sum0);
use Test::More;

my %FLAG = (write => 1, flush => 1 << 8);
my $NOWHERE = '18446744073709551615';

# [from, to, state, in flight, queued] of each device by its number; the names; begin and end of the trace.  A request is known by its device and first
# sector; those of a device without sectors are indistinguishable.  Lost events, [from, to] each, make all unknown up to the next event of the device.
sub count {
	my ($trace, @gaps) = @_;
	my (%of, %names, %spans, $first, $last);
	my $put = sub {
		my ($dev, $time) = @_;
		my $d = $of{$dev};
		my ($in, $out) = map { my $stage = $_; sum0 map { scalar grep { $_ eq $stage } @$_ } values %{ $d->{requests} } } 'issued', 'queued';
		my $state = !$d->{known} ? 'unknown' : $in ? 'in-flight' : $out ? 'queued' : 'idle';
		my $now = $d->{known} ? [$state, $in, $out] : ['unknown', 0, 0];
		return if "@$now" eq "@{ $d->{now} }";
		push @{ $spans{$dev} }, [$d->{since}, $time, @{ $d->{now} }] if $d->{since} < $time;
		@$d{qw(since now)} = ($time, $now);
	};
	# Everything is lost from TIME on.  Requests that exist at TIME and end later existed all the time, so nothing is known of their number
	# after that.
	my $lose = sub {
		my ($time) = @_;
		for (keys %of) {
			@{ $of{$_} }{qw(known requests)} = (0, {});
			$put->($_, max($time, $of{$_}{since}));
			$of{$_}{lost} = $time;
		}
	};
	open my $f, '-|', "babeltrace2 --clock-seconds '$trace' 2>/dev/null" or die "babeltrace2: $!";
	while (<$f>) {
		my ($s, $ns, $event) = /^\[(\d+)\.(\d{9})\] \(\S+\) (?:\S+ )?(\w+): / or next;
		my $time = $s * 1_000_000_000 + $ns;
		$first //= $time;
		$last = $time;
		my ($cpu) = /cpu_id = (\d+)/;
		# A loss lasts until the CPU's next event.
		for (grep { $_->{from} <= $time } @gaps) {
			$lose->($_->{from}) if !$_->{open}++;
			$_->{over} = $_->{cpu} == $cpu && $time >= $_->{to};
		}
		@gaps = grep { !$_->{over} } @gaps;
		$names{$1} = $2 if $event eq 'lttng_statedump_block_device' && /dev = (\d+), diskname = "([^"]*)"/;
		my ($what) = $event =~ /^block_(getrq|rq_insert|rq_issue|rq_requeue|rq_complete)$/ or next;
		my ($dev) = /\bdev = (\d+)/;
		my ($sector) = /\bsector = (\d+)/;
		my ($n) = /\bnr_sector = (\d+)/;
		my ($rwbs) = /\brwbs = (\d+)/;
		next if grep { $_->{open} } @gaps;
		my $d = $of{$dev} //= { since => $first, lost => $first, now => ['unknown', 0, 0], requests => {} };
		$d->{known} = 1;
		my $flush = $rwbs & $FLAG{flush} && !($rwbs & $FLAG{write});
		my $key = $n ? $sector : $flush ? 'flush' : $rwbs & $FLAG{write} ? 'empty write' : 'command';
		my $all = $d->{requests}{$key} //= [];
		my ($queued) = grep { $all->[$_] eq 'queued' } 0 .. $#$all;
		my ($issued) = grep { $all->[$_] eq 'issued' } 0 .. $#$all;
		if ($what eq 'getrq') {
			push @$all, 'queued';
		} elsif ($what eq 'rq_insert') {
			push @$all, 'queued' if !defined $queued;
		} elsif ($what eq 'rq_issue') {
			splice @$all, $queued, 1 if defined $queued;
			push @$all, 'issued';
		} elsif ($what eq 'rq_requeue') {
			splice @$all, $issued, 1 if defined $issued;
			push @$all, 'queued';
		} elsif (defined $issued) {
			splice @$all, $issued, 1;
		} elsif (!$n && defined $queued) {
			splice @$all, $queued, 1;	# a write without data, after its flush
		} elsif ($n || $sector eq $NOWHERE) {	# 0 sectors somewhere: a write is over whose data were written before
			$spans{$dev} = [grep { $_->[0] < $d->{lost} } @{ $spans{$dev} }];
			@$d{qw(since now)} = (@{ $spans{$dev} } ? $spans{$dev}[-1][1] : $first, ['unknown', 0, 0]);
		}
		$put->($dev, $time);
	}
	close $f;
	for (keys %of) {
		push @{ $spans{$_} }, [$of{$_}{since}, $last, @{ $of{$_}{now} }] if $of{$_}{since} < $last;
	}
	return (\%spans, \%names, $first, $last);
}

my %traces = map { $_ => sample($_) } qw(ioburst-ipi lost-events pipeline preempt);
if (my $more = $ENV{SHARED_TRACES}) {
	$traces{'apt-install'} = "$more/apt-install" if -d "$more/apt-install";
	$traces{nvme} = "$more/inputs/nvme-ioburst/lttng" if -d "$more/inputs/nvme-ioburst/lttng";
}
for my $name (sort keys %traces) {
	my $info = json_of(wakepath('info', $traces{$name}, '--format', 'json'))->{traces}[0];
	my ($spans, $names, $first, $last) = count($traces{$name}, map { { %$_ } } @{ $info->{gaps} });
	for my $dev (sort { $a <=> $b } keys %$spans) {
		my $called = $names->{$dev} // sprintf '%d:%d', $dev >> 20, $dev & 0xfffff;
		for my $window ([$first, $last], map { [map { $first + int(($last - $first) * $_ / 97) } $_, $_ + 7] } 2, 12, 31, 64, 88) {
			my ($from, $to) = @$window;
			my $is = state_sums($from, $to, @{ $spans->{$dev} });
			my $got = json_of(wakepath('states', $traces{$name}, '--device', $called, '--from', $from, '--to', $to, '--format', 'json'));
			my %cells = map { $got->{states}{$_} ? ($_ => $got->{states}{$_}) : () } keys %{ $got->{states} };
			is_deeply(\%cells, $is, "$name: $called from $from to $to: sums");
			my @told = map { $_->{detail} // '' } @{ $got->{intervals} };
			my @counted = map { $_->[2] =~ /in-flight|queued/ ? "$_->[3] in flight, $_->[4] queued" : '' } grep { $_->[0] < $to && $_->[1] > $from } @{ $spans->{$dev} };
			is(join("\n", @told), join("\n", @counted), "$name: $called from $from to $to: " . @told . ' intervals');
		}
	}
}
done_testing;
