#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The subcommand "events" against babeltrace2's text, which uses no index: every event with its fields, filters, windows, places.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use File::Temp qw(tempdir);
use Test::More;

# The events that babeltrace2 prints of TRACE: { time, host, cpu, name, fields } in its order.
sub witness {
	my ($trace) = @_;
	open my $f, '-|', "babeltrace2 --clock-seconds --no-delta '$trace' 2>/dev/null" or die;
	my @events;
	while (<$f>) {
		/^\[(\d+)\.(\d{9})\] (\S+) (\S+): \{ cpu_id = (\d+) \}, (.*)$/ or die $_;
		push @events, { time => "$1$2" + 0, host => $3, name => $4, cpu => $5, fields => $6 };
	}
	close $f or die;
	return \@events;
}

# Events with equal times may come in another order; babeltrace2 2.0 prints an empty string as the one before it.
sub plain { return join ' ', @{ $_[0] }{qw(time host cpu name)}, $_[0]{fields} =~ s/"(?:[^"\\]|\\.)*"/""/gr }
sub same {
	my ($got, $want, $what) = @_;
	is_deeply([sort map { plain($_) } @$got], [sort map { plain($_) } @$want], $what) or diag(scalar(@$got), ' and ', scalar(@$want));
}

# The number of events that match EXPRESSION according to the explorer.
sub explorer_counts {
	my ($trace, $expression) = @_;
	my $dir = tempdir(CLEANUP => 1);
	open my $f, '>', "$dir/script" or die;
	print $f "size 120 30\nF6\n/\n\"$expression\"\nEnter\ndump $dir/screen\nquit\n";
	close $f or die;
	wakepath('view', $trace, '--script', "$dir/script");
	open $f, '<', "$dir/screen" or die;
	my ($count) = map { /^\W+Events of all CPUs  whole trace, [^ ]+ \S+  (?:\d+ of )?(\d+) match  #/ } <$f>;
	return $count;
}

sub events { return json_of(wakepath('events', @_, '--format', 'json')) }

# The explorer counts the events of several hosts together.
{
	my ($trace, $expression) = (sample('rpc-chain'), 'next_comm = .(wk-|swapper)');
	is(explorer_counts($trace, $expression), scalar(grep { "$_->{name} $_->{fields}" =~ /$expression/ } @{ witness($trace) }), 'as many on three hosts');
}

for my $name (qw(pipeline lost-events)) {
	my $trace = sample($name);
	my $all = witness($trace);
	my $own = events($trace, '--top', 0);
	same($own->{events}, $all, "$name: all events");
	ok(!$own->{more}, "$name: no others");
	my (%rank, $wrong, $before);
	for my $e (@{ $own->{events} }) {
		$wrong++ if $e->{rank} != ++$rank{ $e->{host} } || ($before && $e->{time} < $before->{time});
		$before = $e;
	}
	ok(!$wrong, "$name: numbers rise by one, times never step back");

	my $middle = $all->[@$all / 2];
	same(events($trace, '--top', 0, '--cpu', 1)->{events}, [grep { $_->{cpu} == 1 } @$all], "$name: one CPU");
	same(events($trace, '--top', 0, '--name', 'sched_')->{events}, [grep { $_->{name} =~ /sched_/ } @$all], "$name: part of a name");
	same(events($trace, '--top', 0, '--name', 'SCHED_*')->{events}, [grep { $_->{name} =~ /^sched_/ } @$all], "$name: a pattern");
	# The lines that grep finds in the text that babeltrace2 prints.
	my $line = sub { "$_[0]{name} $_[0]{fields}" };
	for my $expression ('comm = "wk-', 'prev_state = [12],.*next_comm = "(wk-|swapper/1)', '^irq_handler_.*\\birq = \\d+', 'W', '1 \\}$', 'nothing like this') {
		my $perl = $expression =~ /(?<!\\)[A-Z]/ ? qr/$expression/ : qr/$expression/i;
		my @want = grep { $line->($_) =~ $perl } @$all;
		same(events($trace, '--top', 0, '--match', $expression)->{events}, \@want, "$name: the events that match $expression");
		is(explorer_counts($trace, $expression), scalar @want, "$name: the explorer counts as many");
	}
	my ($from, $to) = map { $all->[@$all * $_]{time} } 0.4, 0.6;
	same(events($trace, '--top', 0, '--from', $from, '--to', $to)->{events}, [grep { $_->{time} >= $from && $_->{time} < $to } @$all],
		"$name: a window");

	# Around an instant: half before it, the rest from it on.
	my $around = events($trace, '--at', $middle->{time}, '--top', 11)->{events};
	is(scalar @$around, 11, "$name: around an instant");
	is(scalar(grep { $_->{time} < $middle->{time} } @$around), 5, "$name: with the instant in the middle");
	my $e = $own->{events}[@{ $own->{events} } / 3];
	my $at = events($trace, '--at', "$e->{host}/#$e->{rank}", '--top', 1)->{events};
	is_deeply($at, [$e], "$name: an event by its number");
	is_deeply(events($trace, '--at', "$e->{host}/$e->{rank}#", '--top', 5)->{events}[2], $e, "$name: the other notation of it");
}

# Three hosts, each by its own clock, as babeltrace2 shows them.
my $chain = sample('rpc-chain');
my $hosts = witness($chain);
my @own = qw(--sync none);
same(events($chain, @own, '--top', 0, '--name', 'net_')->{events}, [grep { $_->{name} =~ /net_/ } @$hosts], 'three hosts: a name');
same(events($chain, @own, '--top', 0, '--cpu', 'httpd/1', '--name', 'waking')->{events},
	[grep { $_->{host} eq 'httpd' && $_->{cpu} == 1 && $_->{name} =~ /waking/ } @$hosts], 'three hosts: a CPU of one');
for my $host (qw(client httpd db)) {
	my @of_host = grep { $_->{host} eq $host } @$hosts;
	my $at = events($chain, @own, '--at', "$host/#@{[int(@of_host / 2)]}", '--top', 1)->{events}[0];
	is("$at->{host} $at->{rank} $at->{time}", "$host @{[int(@of_host / 2)]} $of_host[int(@of_host / 2) - 1]{time}", "event of $host by its number");
}

# A thread's events are those of its CPU between the switches to it and from it.
my $trace = sample('pipeline');
my (%on, @of_thread);
for (sort { $a->{time} <=> $b->{time} } @{ witness($trace) }) {
	push @of_thread, $_ if ($on{ $_->{cpu} } // 0) == 436;
	($on{ $_->{cpu} }) = $_->{fields} =~ /next_tid = (\d+)/ if $_->{name} eq 'sched_switch';
}
cmp_ok(scalar @of_thread, '>', 50, 'thread 436 has events');
my $thread = events($trace, '--thread', 436, '--top', 0)->{events};
same([grep { $_->{time} >= $of_thread[0]{time} } @$thread], \@of_thread, 'events of a thread');
is_deeply([grep { $_->{tid} != 436 } @$thread], [], 'each names its thread');

# Text and CSV agree.
my $csv = csv_of(wakepath('events', $trace, '--top', 20, '--format', 'csv'));
my $json = events($trace, '--top', 20);
ok($json->{more}, 'there are more than 20');
is_deeply([map { { rank => $_->[0], fields => $_->[7] } } @$csv[1 .. $#$csv]],
	[map { { rank => $_->{rank}, fields => $_->{fields} } } @{ $json->{events} }], 'CSV');
my $text = wakepath('events', $trace, '--top', 20)->{out};
like($text, qr/^ +$_->{rank}  .*\Q$_->{name}\E +\Q$_->{fields}\E$/m, "text of event $_->{rank}") for @{ $json->{events} }[0, 7, 19];
like($text, qr/and more: --top/, 'text says that there are more');

# Queries without an answer, and wrong ones.
for ([1, qr/has no event 999999: the last one is 4872/, '--at', '#999999'], [1, qr/has no event 0/, '--at', '#0'], [2, qr/bogus/, '--at', 'bogus'],
	[1, qr/no CPU "7"/, '--cpu', 7], [1, qr/no thread "nobody"/, '--thread', 'nobody'], [2, qr/window is empty/, '--from', '+2s', '--to', '+1s'],
	[2, qr/--top/, '--top', -1]) {
	my ($status, $message, @args) = @$_;
	my $r = wakepath('events', $trace, @args);
	is($r->{status}, $status, "@args");
	like($r->{err}, $message, "@args: the message gives the reason");
	is($r->{out}, '', "@args: no answer");
}
is(scalar @{ events($trace, '--name', 'no such event')->{events} }, 0, 'an unknown name: an empty list');

# --goto of the explorer is exact.
my $wanted = events($trace, '--at', '#1777', '--top', 1)->{events}[0];
spew("$ENV{TMPDIR}/script", "size 80 24\ndump $ENV{TMPDIR}/screen\nquit\n");
is(wakepath('view', $trace, '--goto', '#1777', '--script', "$ENV{TMPDIR}/script")->{status}, 0, '--goto #1777');
my $since = $wanted->{time} - events($trace, '--top', 1)->{events}[0]{time};
my $second = sprintf '%.9f', $since / 1e9;
like(slurp("$ENV{TMPDIR}/screen"), qr/\Q$second\E/, 'the cursor is at the time of that event');

# A trace that only babeltrace2 can read, because of an event number that our decoder does not know: the same events, and a warning about the reader.
my $foreign = "$ENV{TMPDIR}/foreign";
my $kernel = "$trace/kernel";
system("mkdir '$foreign' && cp '$kernel'/k_* '$foreign' && { echo '/* CTF 1.8 */'; babeltrace2 -o ctf-metadata '$kernel'; } >'$foreign/metadata'") == 0
	or die 'cannot copy the trace';
open my $metadata, '>>', "$foreign/metadata" or die;
print $metadata 'event { name = "other"; id = 2000000; stream_id = 0; fields := struct { integer { size = 8; align = 8; } a; }; };';
close $metadata or die;
my $r = wakepath('events', $foreign, '--top', 0, '--format', 'json');
is($r->{status}, 0, 'events of a trace that only babeltrace2 can read');
same(json_of($r)->{events}, witness($foreign), 'all of them');
is(scalar(() = $r->{err} =~ /warning: k_[01]: events are read from its start: only babeltrace2 can read this stream/g), 2, 'one warning for each stream');
spew("$ENV{TMPDIR}/script", "size 120 30\nF6\ndump $ENV{TMPDIR}/screen\nquit\n");
wakepath('view', $foreign, '--script', "$ENV{TMPDIR}/script");
like(slurp("$ENV{TMPDIR}/screen"), qr/k_[01]: events are read from its start/, 'the explorer warns, too');
done_testing;
