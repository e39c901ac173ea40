#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Kernel threads: `threads` marks those that the state dump of LTTng marks (its type 1), or, where no event gives parents, finds them by name: no
# thread that makes system calls is one.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Test::More;

sub said { return { map { ($_->{tid} => $_) } @{ json_of(wakepath('threads', $_[0], '--format', 'json'))->{threads} } } }
sub word { my ($thread) = @_; return !defined $thread->{kernel} ? 'unknown' : $thread->{kernel} ? 'kernel' : 'user' }

for my $name (qw(pipeline preempt)) {
	my %type = map { ($_->{tid} => $_->{type} ? 'kernel' : 'user') } grep { $_->{name} eq 'lttng_statedump_process_state' && $_->{tid} } trace_events($name)->@*;
	my $said = said(sample($name));
	cmp_ok(scalar(grep { $_ eq $type{2} } values %type), '>', 20, "$name: there are kernel threads");
	is_deeply({ map { ($_ => word($said->{$_})) } keys %type }, \%type, '… all of them are marked, and no others');
	my ($heading, @lines) = split /\n/, wakepath('threads', sample($name))->{out};
	my $column = index $heading, 'KERNEL';
	is_deeply([ map { substr($_, $column, 6) =~ /(\S+)/ } @lines ], [ map { { kernel => 'yes', user => 'no', unknown => '-' }->{word($_)} }
		@{ json_of(wakepath('threads', sample($name), '--format', 'json'))->{threads} } ], '… in words, too');
}

my $fight = ($ENV{SHARED_TRACES} // '') . '/../recordings/machines/a64-lockfight/trace.dat';
SKIP: {
	skip 'the recording is not at hand, or there is no trace-cmd', 4 if !-f $fight || system('command -v trace-cmd >/dev/null') != 0;
	my (%calls, %name);
	for (`trace-cmd report '$fight' 2>/dev/null`) {
		my ($name, $tid, $event) = /^\s*(\S.*?)-(\d+)\s+\[\d+\]\s+\S*\s*[\d.]+: (\w+):/ or next;
		$calls{$tid} = 1 if $event =~ /^sys_(enter|exit)/;
		$name{$tid} = $name if $tid;
	}
	my $said = said($fight);
	my @by_name = grep { $name{$_} =~ m{^(kworker/|ksoftirqd/|migration/|rcu_)} } keys %name;
	cmp_ok(scalar @by_name, '>', 5, 'without a state dump: there are names of kernel threads');
	is_deeply([ grep { word($said->{$_}) ne 'kernel' } @by_name ], [], '… they are marked');
	cmp_ok(scalar keys %calls, '>', 3, '… there are threads that make system calls');
	is_deeply([ grep { word($said->{$_}) ne 'user' } keys %calls ], [], '… none of them is marked');
}

done_testing;
