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

# The waits of a thread of TRACE that a thread ended: [kind, who ended it, ns].
sub waits_of {
	my ($trace, $t) = @_;
	return map { [$_->{source}{kind}, $_->{source}{thread}, $_->{time} - $_->{since}] }
		grep { $_->{source}{thread} && defined $_->{since} && $_->{source}{kind} ne 'fork' }
		@{ ask('wakeups', $trace, '--thread', $t->{tid} || $t->{name})->{wakeups} };
}

# The waits of THREADS by what is made of kind and thread: [waits, ns, how many threads].
sub sums {
	my ($threads, $key) = @_;
	my %sums;
	for my $w (map { @{ $_->{waits} } } @$threads) {
		my ($kind, $by, $length) = @$w;
		my $sum = $sums{ $key->($kind, $by) } //= [0, 0, {}];
		$sum->[0]++;
		$sum->[1] += $length;
		$sum->[2]{ $by->{tid} } = 1;
	}
	return { map { $_ => [@{ $sums{$_} }[0, 1], scalar keys %{ $sums{$_}[2] }] } keys %sums };
}

for my $name ('pipeline', 'rpc-chain/httpd', 'lockfight') {
	my $trace = sample($name);
	my $all = ask('threads', $trace)->{threads};
	my %last = map { $_->{tid} => $_->{name} } @$all;
	my @threads = map { { %$_, waits => [waits_of($trace, $_)] } } grep { $_->{wakeups} } @$all;
	my @user = grep { $_->{tid} && $_->{tid} != 2 && ($_->{ppid} // -1) != 2 } @threads;
	for my $who ([\@threads], [\@user, '--user-threads']) {
		my ($whose, @options) = @$who;
		my @c = map { [@{ ask('causes', $trace, '--top', 100000, '--by', $_, @options)->{causes} }] } qw(name thread);
		my %by_name = map { ("$_->{kind} $_->{name}" => [@$_{qw(count time threads)}]) } grep { $_->{threads} } @{ $c[0] };
		my %by_thread = map { ("$_->{kind} $_->{subject}{tid}" => [@$_{qw(count time threads)}]) } grep { $_->{threads} } @{ $c[1] };
		is_deeply(\%by_name, sums($whose, sub { "$_[0] " . shared_name($last{ $_[1]{tid} }) }), "$name @options: by name");
		is_deeply(\%by_thread, sums($whose, sub { "$_[0] $_[1]{tid}" }), "$name @options: by thread");
		is(scalar(grep { !$_->{threads} } @{ $c[0] }), scalar(grep { !$_->{threads} } @{ $c[1] }), "$name @options: the others are the same");
	}
}

# What interrupts took of a wait, which is theirs in the sums.
sub interrupts_of {
	my ($w) = @_;
	my $ns = 0;
	for (grep { $_->{what} =~ /^(handling|ipi|softirq|thread)$/ } @{ $w->{source}{steps} }) {
		my ($from, $to) = ($_->{from} > $w->{since} ? $_->{from} : $w->{since}, $_->{to} < $w->{time} ? $_->{to} : $w->{time});
		$ns += $to - $from if $from < $to;
	}
	return $ns;
}

# Who sent the packets that a thread waited for, on whatever host.
for my $who ('httpd/492', 'client/wk-client') {
	my @t = (sample('rpc-chain'), '--thread', $who);
	my %sent;
	for my $w (grep { $_->{source}{kind} eq 'network' && $_->{source}{packet}{sender} } @{ ask('wakeups', @t)->{wakeups} }) {
		my $sum = $sent{ join '/', @{ $w->{source}{packet}{sender} }{qw(host tid)} } //= [0, 0];
		$sum->[0]++;
		$sum->[1] += $w->{time} - $w->{since} - interrupts_of($w);
	}
	my %said = map { ("$_->{host}/$_->{subject}{tid}" => [@$_{qw(count time)}]) }
		grep { $_->{kind} eq 'network' && $_->{threads} } @{ ask('causes', @t, '--by', 'thread', '--top', 1000)->{causes} };
	is_deeply(\%said, \%sent, "$who: by who sent it");
	cmp_ok(scalar keys %sent, '>', 0, "$who: somebody did");
}

my $trace = sample('rpc-chain/httpd');
my ($sshd) = grep { ($_->{name} // '') eq 'sshd' && $_->{kind} eq 'thread' } @{ ask('causes', $trace, '--top', 1000)->{causes} };
is("$sshd->{threads} $sshd->{cause}", '8 sshd (8 threads)', 'several threads: their number is said');
is($sshd->{subject}, undef, 'several threads: no one is the subject');
like(wakepath('causes', $trace)->{out}, qr/ thread +sshd \(8 threads\) /, 'text');
like(wakepath('causes', sample('rpc-chain'), '--top', 100)->{out}, qr{ network +httpd/eth0 .* httpd/sshd\[}, 'text: with several hosts a device has its host');
says(wakepath('causes', $trace, '--by', 'process'), 2, qr/cannot be grouped by "process": type --by name or --by thread/, 'by what is not known');

done_testing();
