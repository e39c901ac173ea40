#!/usr/bin/perl
# SPDX-License-Identifier: MIT
#
# Every table can be shown as a list by its name: of a thread and of all, sorted both ways, and its rows lead to a place or give a message that they do
# not.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use JSON::PP qw(decode_json);
use Wake;
use Test::More;

# The screens after KEYS on TRACE, each as lines.
sub screens {
	my ($trace, @keys) = @_;
	my $n = 0;
	my @script = map { ($_, /^"|^:/ ? () : "dump $ENV{TMPDIR}/screen." . $n++) } @keys;
	spew("$ENV{TMPDIR}/script", join "\n", 'size 120 40', @script, 'quit', '');
	my $run = wakepath('view', @$trace, '--script', "$ENV{TMPDIR}/script");
	is($run->{status}, 0, "@$trace[1 .. $#$trace] @keys[0 .. 1]: no error") or diag $run->{err};
	return map { [split /\n/, slurp("$ENV{TMPDIR}/screen.$_")] } 0 .. $n - 1;
}

sub title { my ($screen) = @_; my ($title) = grep { /whole trace, / && /^\W+\w/ } @$screen; return $title // '' }

my $names = (screens([sample('preempt'), '--thread', 'wk-rt'], 'size 900 40', ':', '"table nothing"', 'Enter'))[-1][-1];
my @names = $names =~ /: "nothing" is not one of: (.*?)(?:, on, off)?\s*$/ ? split /, /, $1 : ();
cmp_ok scalar @names, '>', 20, 'the names of tables';
for my $trace ([sample('preempt'), '--thread', 'wk-rt'], [sample('rpc-chain'), '--thread', 'client/wk-client']) {
	for my $name (@names) {
		my @s = screens($trace, ':', "\"table $name\"", 'Enter', 'O', 'M-o', 'j', 'r', 'r', 'Enter');
		# Without the events that it needs, a table gives a message.
		next if (grep { / (?:was|were) recorded[ ,:]|this recording is not from "wakepath watch"/ } @{ $s[0] }) && ok title($s[0]) !~ /  \d+ \w+/, "$name: no rows";
		like title($s[0]), qr/^\W+\S.*  whole trace, .*  \d+ \w+/, "$name: the number of rows";
		like $s[1][-1], qr/^ sorted by \S|^ \? keys/, '... sorted';
		isnt $s[2][-1], $s[1][-1], '... and the other way around' if $s[1][-1] =~ /sorted by/;
	}
}

# The list has all rows of the command.
for my $of ([[], '--hide-tracer'], [['X'], '--show-tracer']) {
	my @lines = split /\n/, wakepath('threads', sample('preempt'), '--format', 'csv', $of->[1])->{out};
	my $list = (screens([sample('preempt')], @{ $of->[0] }, ':', '"table thread"', 'Enter'))[-1];
	like title($list), qr/  \Q$#lines\E threads$/, 'all threads are in the list';
}

# A list of the requests of a host stays that while the cursor goes to one of them, and these requests are compared.
my ($all, $of_host, $gone, $compared) = screens([sample('rpc-chain'), '--thread', 'client/wk-client'], 'M-r', ':', '"scope host"', 'Enter', 'f', '=');
like title($of_host), qr/^\W+Requests of client  whole trace, .*  \d+ requests/, 'the requests of a host';
is_deeply [grep { /^\W+Requests / } @$gone], [title($of_host)], '... stay when the cursor goes to one of them';
my ($of) = title($of_host) =~ /  (\d+) requests/;
like join("\n", @$compared), qr/^ slow \d+ of $of /m, '... and are compared';
isnt $of, (title($all) =~ /  (\d+) requests/)[0], '... which are not all';

# Filter and search also find what stands only in a cause, which is worked out row by row: as many rows as the command has, and a row far below the screen.
{
	my $trace = sample('rpc-chain');
	my %kinds = (requests => ['X', 'M-r', ':', '"scope all"', 'Enter'], worst => ['X', ':', '"kind blocked"', 'Enter']);
	my %json = (requests => ['requests', $trace], worst => ['latency', $trace, '--kind', 'blocked', '--top', 1000, '--show-tracer']);
	my %needle = (requests => 'call_function_single', worst => 'workqueue');
	for my $list (sort keys %kinds) {
		my $rows = decode_json(wakepath(@{ $json{$list} }, '--format', 'json')->{out})->{$list};
		my @have = grep { ($_->{cause} // '') =~ /$needle{$list}/ } @$rows;
		my @s = screens([$trace], @{ $kinds{$list} }, '&', qq("$needle{$list}"), 'Enter', 'Esc', '/', qq("$needle{$list}"), 'Enter', 'N');
		my ($n, $all) = title($s[-5]) =~ /  (\d+) of (?:the longest )?(\d+)\b/;
		is_deeply [$n, $all], [scalar @have, scalar @$rows], "$list: as many with $needle{$list} as the command";
		unlike $s[$_][-1], qr/no line has/, '... and the search finds one' for -2, -1;
	}
}

# A filter that is given before the rows exist applies to them, or is refused once they are there: here a thread is selected then.
for my $case (['kind=preempted', qr/  \d+ of \d+ causes  only kind=preempted$/, qr/^ \?/], ['time>soon', qr/  \d+ causes$/, qr/^ "soon" is not a value of time/],
	['share>10%, kind=preempted', qr/  \d+ of \d+ causes  only share>10%, kind=preempted$/, qr/^ \?/],
	['took>5ms', qr/  \d+ causes$/, qr/^ no column "took" here: use .*\btime\b/]) {
	my ($filter, $title, $said) = @$case;
	my @s = screens([sample('preempt')], ':', '"row-first"', 'Enter', ':', '"causes on"', 'Enter', ':', '"scope thread"', 'Enter', ':', qq("filter $filter"), 'Enter', 'Tab', ':', '"row-last"', 'Enter');
	ok scalar(grep { /this row is not a thread: select one/ } @{ $s[3] }), "$filter: there are no rows yet";
	like +(grep { /^\W+Causes of waiting/ } @{ $s[-1] })[0] // '', $title, '... it is in the title if it is accepted';
	like $s[-1][-1], $said, '... otherwise it is refused';
}
done_testing;
