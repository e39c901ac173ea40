#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The tracer's own threads and packets: recognised, counted as in babeltrace2's text, and left out on request.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use List::Util qw(sum0);
use Test::More;

my @hosts = qw(client httpd db);
my %tracers = map { $_ => 1 } qw(lttng-consumerd lttng-sessiond lttng-relayd lttng-runas lttng);

# ---- from the text ----

# The threads of TRACE: names, process, ns on a CPU, from one sched_switch to the next (the first thread switched out ran since the trace began); its
# packets in order, with their senders.
sub count {
	my ($trace) = @_;
	local $_;
	my (%names, %pid, %cpu_time, %on, %since, %softirqs, @packets, $begin);
	open my $f, '-|', 'babeltrace2', '--clock-seconds', '--names=payload,context', $trace or die "babeltrace2: $!";
	while (<$f>) {
		my ($s, $ns, $event, $cpu) = /^\[(\d+)\.(\d{9})\].* (\w+): \{ cpu_id = (\d+) \}/ or next;
		my $t = "$s$ns";
		$begin //= $t;
		if ($event eq 'sched_switch') {
			my ($prev, $from, $next, $to) = /prev_comm = "(.*)", prev_tid = (\d+),.* next_comm = "(.*)", next_tid = (\d+)/ or die $_;
			$cpu_time{$from} += $t - ($since{$cpu} // $begin);
			($on{$cpu}, $since{$cpu}) = ($to, $t);
			$names{$from}{$prev} = $names{$to}{$next} = 1;
		} elsif ($event eq 'lttng_statedump_process_state') {
			my ($tid, $pid, $name) = /\btid = (\d+),.*\bpid = (\d+),.* name = "(.*?)"/ or die $_;
			($pid{$tid}, $names{$tid}{$name}) = ($pid, 1);
		} elsif ($event eq 'sched_process_fork') {
			my ($name, $tid, $pid) = /child_comm = "(.*?)", child_tid = (\d+),.* child_pid = (\d+)/ or die $_;
			($pid{$tid}, $names{$tid}{$name}) = ($pid, 1);
		} elsif ($event =~ /^irq_softirq_(entry|exit)$/) {
			$softirqs{$cpu} += $1 eq 'entry' ? 1 : -1;
		} elsif ($event =~ /^(net_dev_queue|net_if_receive_skb)$/) {
			my ($length) = /\blen = (\d+)/ or die $_;
			my %p = (received => $event eq 'net_if_receive_skb' ? 1 : 0, length => $length);
			for my $way (qw(saddr daddr)) {
				my ($bytes) = /\b$way = \[ ([^]]*(?:\[\d+\][^]]*)*?) \]/;
				push @{ $p{ends} }, join '.', $bytes =~ /\] = (\w+)/g if defined $bytes;
			}
			my @ports = /source_port = (\d+), dest_port = (\d+)/;
			$p{flow} = join ' - ', sort map { "$p{ends}[$_]:$ports[$_]" } 0, 1 if @ports && $p{ends};
			$p{by} = $on{$cpu} if !$p{received} && !$softirqs{$cpu};
			push @packets, \%p;
		}
	}
	close $f or die "babeltrace2 failed";
	my %is = map { my $n = $names{ $pid{$_} // $_ } // $names{$_}; $_ => scalar grep { $tracers{$_} } keys %$n } keys %names;
	return { is => \%is, cpu_time => \%cpu_time, packets => \@packets };
}

sub traffic {
	my (@packets) = @_;
	my %n;
	for my $way (0, 1) {
		my @of = grep { $_->{received} == $way } @packets;
		my $name = $way ? 'received' : 'sent';
		$n{"packets_$name"} = @of;
		$n{"bytes_$name"} = sum0(map { $_->{length} } @of);
	}
	return \%n;
}

# Compares info of the hosts below FOLDER with the text.
sub check {
	my ($folder, $name) = @_;
	my %text = map { $_ => count("$folder/$_") } @hosts;
	my %flows = map { $_->{flow} => 1 } grep { defined $_->{flow} } map { my $x = $_; grep { $_->{by} && $x->{is}{ $_->{by} } } @{ $x->{packets} } } values %text;
	my %info = map { $_->{host} => $_->{observing} } @{ json_of(wakepath('info', $folder, '--sync', 'none', '--format', 'json'))->{traces} };	# the time of their own clocks
	my @threads = @{ json_of(wakepath('threads', $folder, '--format', 'json'))->{threads} };
	for my $host (@hosts) {
		my ($x, $o) = ($text{$host}, $info{$host});
		my @mine = sort { $a <=> $b } grep { $x->{is}{$_} } keys %{ $x->{is} };
		is(join(' ', sort { $a <=> $b } map { $_->{tid} } grep { $_->{host} eq $host && $_->{tracer} } @threads), "@mine", "$name, $host: threads");
		is($o->{threads}, @mine, "$name, $host: their number");
		is($o->{cpu_time}, sum0(map { $x->{cpu_time}{$_} // 0 } @mine), "$name, $host: their time on CPUs");
		cmp_ok(abs($o->{cpu_share} - $o->{cpu_time} / $o->{cpu_busy}), '<', 1e-9, "$name, $host: their share");
		my $all = traffic(@{ $x->{packets} });
		my $part = traffic(grep { defined $_->{flow} && $flows{ $_->{flow} } } @{ $x->{packets} });
		is_deeply([map { $o->{"all_$_"} } sort keys %$all], [map { $all->{$_} } sort keys %$all], "$name, $host: all packets");
		is_deeply([map { $o->{$_} } sort keys %$part], [map { $part->{$_} } sort keys %$part], "$name, $host: the tracer's packets");
	}
	return \%info;
}

my $rpc = sample('rpc-chain');
my $plain = check($rpc, 'rpc-chain');
is(sum0(map { $_->{packets_sent} } values %$plain), 0, 'rpc-chain: the tracer wrote to a file');

# A copy in which the client's program has the tracer's name: its requests, and the answers on the same connections.
my $copy = copy_trace('rpc-chain', 'observed');
for my $file (grep { !/metadata$|\.idx$|\.(log|txt)$/ } files_below("$copy/client")) {
	patch($file, sub { s/wk-client\0/lttng\0\0\0\0\0/g });
}
my $observed = check($copy, 'observed');
cmp_ok($observed->{client}{packets_sent}, '>', 10, 'observed: some of the client\'s packets');
cmp_ok($observed->{httpd}{packets_sent}, '>', 10, 'observed: and the answers of httpd, where no tracer sends');
like(wakepath('info', $copy)->{out}, qr/observing 31 threads of the tracer, \S+ ms on CPUs: [\d.]+% of the time they were busy\n +17 of 41 packets sent \(1\.6 KiB of 4\.7 KiB: 34\.70%\)/,
	'observed: text');
my ($header, $line) = @{ csv_of(wakepath('info', "$copy/client", '--format', 'csv')) };
my %csv;
@csv{@$header} = @$line;
is(join(' ', @csv{qw(observing_threads observing_cpu_time observing_packets_sent packets_sent)}),
	join(' ', @{ $observed->{client} }{qw(threads cpu_time packets_sent all_packets_sent)}), 'observed: CSV');

# Matching leaves them out: a host's packets are those that are not the tracer's, and all others are matched as before.
my %with = map { $_->{host} => $_ } @{ json_of(wakepath('sync', (map { "$copy/$_" } @hosts), '--format', 'json'))->{hosts} };
my %less = map { $_->{host} => $_ } @{ json_of(wakepath('sync', (map { "$copy/$_" } @hosts), '--hide-tracer', '--format', 'json'))->{hosts} };
for my $host (@hosts) {
	is($less{$host}{"packets_$_"}, $observed->{$host}{"all_packets_$_"} - $observed->{$host}{"packets_$_"}, "sync, $host: packets $_ of others") for qw(sent received);
}
is("$less{client}{packets_matched} $less{httpd}{quality}", '0 incomplete', 'sync: all packets between the client and the others were the tracer\'s');
is($less{httpd}{packets_matched}, $with{httpd}{packets_matched} - $with{client}{packets_matched}, 'sync: those of httpd and db are matched as before');
my $same = json_of(wakepath('sync', (map { "$rpc/$_" } @hosts), '--hide-tracer', '--format', 'json'));
is_deeply($same, json_of(wakepath('sync', (map { "$rpc/$_" } @hosts), '--format', 'json')), 'sync: nothing to leave out, the same clocks');

# Without softirqs the thread that sent a packet is unknown.
my $blind = copy_trace('rpc-chain', 'blind');
patch("$blind/$_/metadata", sub { s/"irq_softirq_entry"/"irq_softirq_entrx"/ }) for @hosts;
my ($o) = map { $_->{observing} } @{ json_of(wakepath('info', "$blind/client", '--format', 'json'))->{traces} };
is($o->{packets_sent}, undef, 'without softirqs: not known');
is($o->{all_packets_sent}, $plain->{client}{all_packets_sent}, 'without softirqs: all packets are counted');
like(wakepath('info', "$blind/client")->{out}, qr/packets of the tracer unknown: record irq_softirq_entry/, 'without softirqs: a message says so');

# ---- left out ----

# The text shows the tracer's threads; the answers with and without them must differ by them alone.
my $is = count("$rpc/httpd")->{is};
my @t = ("$rpc/httpd", '--format', 'json');
my @hide = (@t, '--hide-tracer');

sub not_tracers { my ($tid) = @_; return !$is->{$tid} }

my ($all, $left) = map { json_of(wakepath('threads', @$_))->{threads} } \@t, \@hide;
is_deeply($left, [grep { not_tracers($_->{tid}) } @$all], 'threads: those of others, the same');
is_deeply(json_of(wakepath('threads', @t, '--show-tracer'))->{threads}, $all, 'threads: shown');
cmp_ok(@$left, '<', @$all, 'threads: some were left out');

my @cases = ('--kind', 'wakeup', '--top', 1000000);
my ($measured, $others) = map { json_of(wakepath('latency', @$_, @cases)) } \@t, \@hide;
my @kept = grep { not_tracers($_->{subject}{tid}) } @{ $measured->{worst} };
is(@{ $measured->{worst} }, $measured->{count}, 'latency: all cases are listed');
is($others->{count}, @kept, 'latency: statistics of others only');
is_deeply($others->{worst}, \@kept, 'latency: their cases');
cmp_ok(@kept, '<', $measured->{count}, 'latency: some cases were left out');

my ($tid) = grep { $is->{$_} } map { $_->{subject}{tid} } @{ $measured->{worst} };
my ($asked) = json_of(wakepath('latency', @hide, @cases, '--thread', $tid));
cmp_ok($asked->{count}, '>', 0, 'latency: a thread that is named is shown');

sub waits { my ($list) = @_; return sum0(map { $_->{count} } @{ $list->{causes} }) }
my @top = ('--top', 100000);
my ($everybody, $without) = map { json_of(wakepath('causes', @$_, @top)) } \@t, \@hide;
my $theirs = sum0(map { waits(json_of(wakepath('causes', @t, @top, '--thread', $_))) }
	grep { my $x = $_; grep { $_->{tid} == $x } @$all } grep { $is->{$_} } keys %$is);
is(waits($without), waits($everybody) - $theirs, 'causes: without the waits of the tracer');
cmp_ok($theirs, '>', 10, 'causes: there are many of these');
is(waits(json_of(wakepath('causes', @hide, @top, '--thread', $tid))), waits(json_of(wakepath('causes', @t, @top, '--thread', $tid))),
	'causes: a thread that is named is shown');
says(wakepath('threads', @hide, '--show-tracer'), 2, qr/--hide-tracer and --show-tracer/, 'both');

done_testing();
