#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# One result, three formats: the header of CSV has the keys of JSON's rows, in their order, with the same values, and the text shows each under a
# heading.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Test::More;

# COMMAND, the list in its JSON, and the heading of the text under which each column is shown; "*": in words above or below the table.
my $pulse = sample('pulse');
my $rpc = sample('rpc-chain');
my %state = map { $_ => 'STATES' } qw(usermode syscall running interrupted wait-cpu preempted blocked new exited vcpu-preempted vcpu-exit unknown);
my %state_columns = (from => 'FROM', to => 'FOR', state => 'STATE', detail => 'DETAIL', cpu => 'CPU', interrupted_by => 'DETAIL');
my @results = (
	[['threads', $pulse], 'threads', { host => 'HOST', tid => 'TID', pid => 'PID', ppid => 'PARENT', name => 'NAME', first => 'FIRST SEEN', last => 'LAST SEEN',
		cpu_time => 'ON CPU', wakeups => 'WAKE-UPS', %state, kernel => 'KERNEL', tracer => 'TRACER', cgroup => '*', cpu => 'CPU', states => 'STATES', names => 'ALL NAMES', waiting => 'STATES', tracer_by => '*' }],
	[['states', $pulse, '--thread', 'wk-pulse'], 'intervals', \%state_columns],
	[['states', $pulse, '--cpu', '0'], 'intervals', { %state_columns, tid => 'TID', name => 'NAME' }],
	[['wakeups', $pulse, '--thread', 'wk-pulse'], 'wakeups', { time => 'WOKEN AT', since => 'WAITED', cpu => 'CPU', target_cpu => 'TO CPU', kind => 'KIND',
		grade => 'GRADE', doubts => '*', (map { $_ => 'BY' } qw(tid name context device source)), ran_at => 'RAN AFTER', latency => 'RAN AFTER' }],
	[['path', $pulse, '--thread', 'wk-pulse'], 'segments', { from => 'AT', to => 'FOR', duration => 'FOR', (map { $_ => 'ACTOR' } qw(actor_type host tid name depth actor)),
		kind => 'KIND', ipi_wait => 'WHAT', on_path_because => 'ON THE PATH', then => 'THEN', (map { $_ => 'WHAT' } qw(detail source_kind source_grade error grade source what)),
		(map { $_ => '*' } qw(source_doubts doubts)) }],
	[['requests', $rpc, '--thread', 'client/wk-client'], 'requests', { number => '#', cause => 'CAUSE', from => 'START', to => 'END', duration => 'TOOK', role => 'ROLE',
		protocol => 'PROTOCOL', (map { $_ => 'CONNECTION' } qw(own_end peer_end connection)), (map { $_ => 'REQUEST' } qw(request_bytes request_packets request)),
		(map { $_ => 'REPLY' } qw(reply_bytes reply_packets reply)), (map { $_ => 'PEER' } qw(peer_host peer_tid peer_name peer)),
		peer_from => 'AT PEER', peer_to => 'PEER FOR', served => 'PEER FOR', (map { $_ => 'CPU' } qw(path_from path_to cpu)), net => 'NET', waiting => 'WAITING',
		unknown => 'UNKNOWN', (map { $_ => '*' } qw(host tid name thread client server path_time)) }],
	[['causes', $pulse], 'causes', { kind => 'KIND', cause => 'CAUSE', count => 'WAITS', time => 'TIME', proved => 'PROVED', inferred => 'INFERRED',
		unknown => 'UNKNOWN', longest => 'LONGEST', (map { $_ => 'OF' } qw(longest_tid longest_name longest_thread)), longest_end => 'ENDED AT',
		(map { $_ => 'CAUSE' } qw(host name subject)), threads => 'THREADS', share => 'SHARE', declared => 'KIND' }],
	[['latency', $pulse, '--kind', 'wakeup'], 'worst', { start => 'FROM', end => 'TO', latency => 'LATENCY', (map { $_ => 'OF' } qw(host tid name subject)),
		cpu => 'CPU', key => 'KEY', cause => 'CAUSE', blame => 'CAUSE' }],
	[['latency', $pulse, '--kind', 'blocked', '--by', 'key'], 'groups', { name => 'BY', count => 'COUNT', sum => 'SUM', min => 'MIN', mean => 'MEAN',
		max => 'MAX', (map { $_ => 'P50' } qw(stddev p50)), p90 => 'P90', p99 => 'P99', p999 => 'P999', outliers => 'OUTLIERS', outliers_over => 'OUTLIERS',
		unfinished => 'UNFINISHED', dropped => 'DROPPED' }],
	[['latency', $pulse, '--kind', 'blocked', '--unfinished'], 'open', { start => 'START', open_for => 'OPEN FOR', (map { $_ => 'OF' } qw(host tid name subject)), key => 'KEY' }],
	[['latency', $pulse, '--kind', 'wakeup', '--histogram'], 'histogram', { from => 'FROM', to => 'TO', count => 'COUNT' }],
	[['latency', $pulse, '--against', sample('preempt')], 'kinds', { kind => 'KIND', change => 'CHANGE', mean_before => 'BEFORE', mean => 'NOW', p => 'P', more => 'MORE/S',
		most => 'MAIN GROUP', (map { $_ => '*' } qw(most_more count_before count difference error test by)) }],
	[['compare', $rpc, '--set', 'requests:wk-client'], 'rows', { difference => 'DIFFERENCE', share => 'SHARE', (map { $_ => 'STEP' } qw(kind what step)), (map { $_ => 'IN' } qw(count_slow
		count_fast in)), (map { $_ => 'TAKES' } qw(mean_slow mean_fast)), (map { $_ => '*' } qw(p50_slow p50_fast p99_slow p99_fast min_slow min_fast max_slow
		max_fast correlation_slow correlation_fast)), p_value => 'P', class => 'CLASS' }],
	[['events', $pulse, '--top', '20'], 'events', { rank => 'EVENT', time => 'TIME', host => 'HOST', cpu => 'CPU', name => 'NAME', tid => 'TID', thread => 'THREAD',
		fields => 'FIELDS' }],
	[['sync', $rpc, '--residuals'], 'packets', { sender => 'SENDER', receiver => 'RECEIVER', sent => 'SENT', received => 'RECEIVED', residual => 'ON THE WAY' }],
	[['sync', $rpc, '--residuals', '--columns', '3'], 'columns', { sender => 'SENDER', receiver => 'RECEIVER', from => 'FROM', to => 'TO', packets => 'PACKETS',
		too_early => 'TOO EARLY', least => 'MIN', most => 'MAX' }],
);

# The keys of the first row in their order, which a parsed object loses.
sub keys_of {
	my ($text, $list) = @_;
	my ($row) = $text =~ /"\Q$list\E":\[\n?(\{.*)/ or return ();
	my ($depth, @keys) = (0);
	while ($row =~ /\G("(?:[^"\\]|\\.)*"|[\[\]{}:,]|[^\[\]{}:,"]+)/gc) {
		my $token = $1;
		$depth++ if $token =~ /^[\[{]$/;
		$depth-- if $token =~ /^[\]}]$/;
		last if !$depth;
		push @keys, $token =~ s/^"|"$//gr if $depth == 1 && $token =~ /^"/ && $row =~ /\G:/gc;
	}
	return @keys;
}

for my $result (@results) {
	my ($command, $list, $told) = @$result;
	my $name = join ' ', map { s{.*/}{}r } @$command;
	my %of = map { $_ => wakepath(@$command, '--format', $_) } qw(json csv text);
	my $rows = json_of($of{json})->{$list};
	ok(@$rows > 0, "$name: has rows") or next;
	my ($header, @lines) = @{ csv_of($of{csv}) };
	is_deeply($header, [keys_of($of{json}{out}, $list)], "$name: the columns of CSV are the keys of JSON");
	is(scalar @lines, scalar @$rows, "$name: as many rows");
	my @wrong;
	for my $i (0 .. $#$rows) {
		for my $c (0 .. $#$header) {
			my $value = $rows->[$i]{ $header->[$c] };
			next if ref $value eq 'HASH' || ref $value eq 'ARRAY';
			my $text = !defined $value ? '' : ref $value ? ($value ? 'true' : 'false') : $value;
			$text = "'$text" if $text =~ /^[=+\-@\t\r]/ && $text !~ /^-?\d+(?:\.\d+(?:e-?\d+)?)?$/; # a number cannot be a formula
			next if $text =~ /^-?\d+\.\d+(e-?\d+)?$/ && $lines[$i][$c] == $value; # Perl has fewer digits
			push @wrong, "row $i $header->[$c]: $lines[$i][$c], not $text" if $lines[$i][$c] ne Encode::encode('UTF-8', $text) && $lines[$i][$c] ne $text;
		}
	}
	is_deeply([@wrong[0 .. ($#wrong > 3 ? 3 : $#wrong)]], [], "$name: the same values");
	is_deeply([sort keys %$told], [sort @$header], "$name: the text shows each value");
	my ($headings) = grep { my $line = $_; !grep { $_ ne '*' && $line !~ /(?:^|\s)\Q$_\E(?:\s|$)/ } values %$told } split /\n/, $of{text}{out};
	ok(defined $headings, "$name: under its headings") or diag($of{text}{out} =~ /((?:.*\n){3})/);
}

# Clocks and traces have a row per host; nested members of JSON have their path as column name.  The bounds of a clock serve only to read it again.
for (['sync', 'hosts', $rpc], ['info', 'traces', $rpc]) {
	my ($command, $list, @trace) = @$_;
	my $rows = json_of(wakepath($command, @trace, '--format', 'json'))->{$list};
	my ($header, @lines) = @{ csv_of(wakepath($command, @trace, '--format', 'csv')) };
	my %columns = map { $_ => 1 } @$header;
	my @missing = grep { !$columns{$_} && $_ ne 'bounds' && ref $rows->[0]{$_} ne 'ARRAY' && ref $rows->[0]{$_} ne 'HASH' } keys %{ $rows->[0] };
	is_deeply([sort @missing], [], "$command: each key of JSON is a column of CSV");
	my %keys = map { my $k = $_; ref $rows->[0]{$k} eq 'HASH' ? map { ("${k}_$_" => 1) } keys %{ $rows->[0]{$k} } : ($k => 1) } keys %{ $rows->[0] };
	my %renamed = map { ("observing_all_$_" => $_) } qw(packets_sent bytes_sent packets_received bytes_received);
	$keys{ $renamed{$_} } = 1 for grep { $keys{$_} } keys %renamed;
	is_deeply([grep { !$keys{$_} } @$header], [], "$command: each column of CSV is a key of JSON");
	for my $i (0 .. $#$rows) {
		my @wrong = grep { my $v = $rows->[$i]{ $header->[$_] }; defined $v && !ref $v && $v ne $lines[$i][$_] } 0 .. $#$header;
		is_deeply([map { $header->[$_] } @wrong], [], "$command: the same values of $rows->[$i]{host}");
	}
}

# A thread can have any name: one that a spreadsheet would run is text in CSV, and unchanged elsewhere.
my $copy = copy_trace('pulse');
my $name = '=1+1|cmd';
patch($_, sub { s/wk-pulse/$name/g }) for grep { !/metadata|index/ } files_below($copy);
my ($thread) = grep { $_->{name} eq $name } @{ json_of(wakepath('threads', $copy, '--format', 'json'))->{threads} };
ok($thread, "a thread $name");
my ($row) = grep { $_->[1] eq $thread->{tid} } @{ csv_of(wakepath('threads', $copy, '--format', 'csv')) };
is($row->[4], "'$name", 'is text in CSV');
is_deeply([grep { /^[=+\-@\t\r]/ && !/^-?\d+$/ } map { @$_ } map { @{ csv_of($_) } } map { wakepath(@$_, $copy, '--format', 'csv') }
	(['threads'], ['states', '--thread', $thread->{tid}], ['wakeups', '--thread', $thread->{tid}], ['path', '--thread', $thread->{tid}], ['causes'],
	['latency', '--kind', 'wakeup'], ['events', '--top', 500, '--thread', $thread->{tid}])], [], '… at any place');

done_testing();
