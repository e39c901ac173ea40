# SPDX-License-Identifier: MIT
package Spans;

# The states of a thread in a time, from babeltrace2's text of one host alone: on its CPU, interrupted there, waiting for it, preempted.

use strict;
use warnings;

# Of the trace in FOLDER: { on: { tid => [[from, to, cpu, switch in, state that it left in]] }, woken: { tid => [times] }, upon: { cpu => [[from, to]] },
# packets: [{ time, sent, from, to: ports, bytes }], marks: [[time, cpu, words]] }. Times are ns since 1970 by the clock of that host.
sub of {
	my ($folder) = @_;
	my $host = { on => {}, woken => {}, upon => {}, packets => [], marks => [] };
	my (%depth, %since, %has);
	open my $text, '-|', "babeltrace2 --clock-seconds '$folder' 2>/dev/null" or die "babeltrace2: $!";
	while (my $line = <$text>) {
		my ($s, $ns, $event, $cpu) = $line =~ /^\[(\d+)\.(\d{9})\] \S+ \S+ (\w+): \{ cpu_id = (\d+)/ or next;
		my $t = "$s$ns" + 0;
		if ($event eq 'sched_switch') {
			my ($out, $state, $in) = $line =~ /prev_tid = (\d+).*prev_state = (\d+).*next_tid = (\d+)/;
			if (my $begun = delete $has{$cpu}) { push @{ $host->{on}{$out} }, [$begun, $t, $cpu, $state] }
			$has{$cpu} = $t;
		} elsif ($event eq 'sched_waking') {
			push @{ $host->{woken}{$1} }, $t if $line =~ / tid = (\d+)/;
		} elsif ($event =~ /^(?:irq_handler|irq_softirq|x86_irq_vectors_\w+)_entry$/) {
			$since{$cpu} = $t if !$depth{$cpu}++;
		} elsif ($event =~ /^(?:irq_handler|irq_softirq|x86_irq_vectors_\w+)_exit$/) {
			next if !$depth{$cpu};
			push @{ $host->{upon}{$cpu} }, [$since{$cpu}, $t] if !--$depth{$cpu};
		} elsif ($event eq 'net_dev_queue' || $event eq 'net_if_receive_skb') {
			next unless $line =~ /"_tcp"/;
			my %p = map { $line =~ /\b$_ = (\d+)/; ($_ => $1) } qw(ihl tot_len source_port dest_port data_offset);
			my $bytes = $p{tot_len} - 4 * $p{ihl} - 4 * $p{data_offset};
			push @{ $host->{packets} }, { time => $t, sent => $event eq 'net_dev_queue', from => $p{source_port}, to => $p{dest_port}, bytes => $bytes } if $bytes > 0;
		} elsif ($event eq 'lttng_logger') {
			push @{ $host->{marks} }, [$t, $cpu, $1] if $line =~ /msg = "([^"]*)"/;
		}
	}
	close $text;
	return $host;
}

# The part of [A, B) that the stretches ALL, in order, cover.
sub overlap {
	my ($all, $from, $to) = @_;
	my $sum = 0;
	for (@{ $all // [] }) {
		my ($a, $b) = ($_->[0] > $from ? $_->[0] : $from, $_->[1] < $to ? $_->[1] : $to);
		$sum += $b - $a if $b > $a;
	}
	return $sum;
}

# Thread TID between FROM and TO on HOST, ns: { running, interrupted, preempted, wait-cpu }.
sub account {
	my ($host, $tid, $from, $to) = @_;
	my %sum = map { $_ => 0 } qw(running interrupted preempted wait-cpu);
	my $before;
	for my $on (@{ $host->{on}{$tid} }) {
		my ($in, $out, $cpu, $state) = @$on;
		my $left = $before ? $before->[1] : 0;
		if ($in > $from && $left < $to) {
			my $able = $before && ($before->[3] & 0xff) == 0;	# 0, or 256: preempted
			my ($woken) = $able ? $left : grep { $_ >= $left && $_ <= $in } @{ $host->{woken}{$tid} };
			$sum{ $able ? 'preempted' : 'wait-cpu' } += overlap([[$woken, $in]], $from, $to) if $woken;
		}
		$before = $on;
		my ($a, $b) = ($in > $from ? $in : $from, $out < $to ? $out : $to);
		next if $b <= $a;
		my $upon = overlap($host->{upon}{$cpu}, $a, $b);
		$sum{interrupted} += $upon;
		$sum{running} += $b - $a - $upon;
	}
	return \%sum;
}

1;
