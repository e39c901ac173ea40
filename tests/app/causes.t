#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The sums of causes, by name and by thread, against all wake-ups one by one.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Test::More;

sub ask { return json_of(wakepath(@_, '--format', 'json')) }

# The name that threads share: as the text of --by says it, with other means.
sub shared_name {
	my ($name) = @_;
	return "kworker/$1*$2" if $name =~ m{^kworker/(u?)\d+:\d+(.*)$};
	return $name =~ m{^(.+)/\d+$} ? "$1/*" : $name;
}

# Waits of THREADS of TRACE that a thread ended, by what is made of kind and thread: [waits, ns, {TIDs}].
sub sums {
	my ($trace, $threads, $key) = @_;
	my %sums;
	for my $t (@$threads) {
		for my $w (@{ ask('wakeups', $trace, '--thread', $t->{type})->{wakeups} }) {
			my ($s, $by) = ($w->{source}, $w->{source}{thread});
			next if !$by || !defined $w->{since} || $s->{kind} eq 'fork';
			my $sum = $sums{ $key->($s->{kind}, $by) } //= [0, 0, {}];
			$sum->[0]++;
			$sum->[1] += $w->{time} - $w->{since};
			$sum->[2]{ $by->{tid} } = 1;
		}
	}
	return { map { $_ => [@{ $sums{$_} }[0, 1], scalar keys %{ $sums{$_}[2] }] } keys %sums };
}

for my $name ('pipeline', 'rpc-chain/httpd', 'lockfight') {
	my $trace = sample($name);
	my @threads = map { { %$_, type => $_->{tid} || $_->{name} } } grep { $_->{wakeups} } @{ ask('threads', $trace)->{threads} };
	my %last = map { $_->{tid} => $_->{name} } @threads, @{ ask('threads', $trace)->{threads} };
	my @user = grep { $_->{tid} && $_->{tid} != 2 && ($_->{ppid} // -1) != 2 } @threads;
	for my $who ([\@threads], [\@user, '--user-threads']) {
		my ($whose, @options) = @$who;
		my @c = map { [@{ ask('causes', $trace, '--top', 100000, '--by', $_, @options)->{causes} }] } qw(name thread);
		my %by_name = map { ("$_->{kind} $_->{name}" => [@$_{qw(count time threads)}]) } grep { $_->{threads} } @{ $c[0] };
		my %by_thread = map { ("$_->{kind} $_->{subject}{tid}" => [@$_{qw(count time threads)}]) } grep { $_->{threads} } @{ $c[1] };
		is_deeply(\%by_name, sums($trace, $whose, sub { "$_[0] " . shared_name($last{ $_[1]{tid} }) }), "$name @options: by name");
		is_deeply(\%by_thread, sums($trace, $whose, sub { "$_[0] $_[1]{tid}" }), "$name @options: by thread");
		is(scalar(grep { !$_->{threads} } @{ $c[0] }), scalar(grep { !$_->{threads} } @{ $c[1] }), "$name @options: the others are the same");
	}
}

my $trace = sample('rpc-chain/httpd');
my ($sshd) = grep { ($_->{name} // '') eq 'sshd' && $_->{kind} eq 'thread' } @{ ask('causes', $trace, '--top', 1000)->{causes} };
is("$sshd->{threads} $sshd->{cause}", '8 sshd (8 threads)', 'several threads: their number is said');
is($sshd->{subject}, undef, 'several threads: no one is the subject');
like(wakepath('causes', $trace)->{out}, qr/ thread +sshd \(8 threads\) /, 'text');
says(wakepath('causes', $trace, '--by', 'process'), 2, qr/cannot be grouped by "process": type --by name or --by thread/, 'by what is not known');

done_testing();
