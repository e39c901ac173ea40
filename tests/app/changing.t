#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# A trace that changes while it is read: the answer is that of the trace before or after, or an error; no index is used for a trace that it does not
# describe.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use POSIX ();
use Test::More;
use Time::HiRes qw(sleep time);

my $seed = $ENV{SEED} // time ^ $$;
srand $seed;
note "SEED=$seed";

my $dir = "$ENV{TMPDIR}/changing";
my @names = qw(metadata k_0 k_1);
my %now = map { $_ => slurp(sample('lockfight') . "/kernel/$_") } @names;

# The packet of a stream again, 2^32 cycles later: its times are at bytes 32 and 40, its number at 64 (as its metadata says).
sub next_packet {
	my ($packet) = @_;
	for my $at (32, 40) { substr($packet, $at, 8) = pack 'Q<', unpack('Q<', substr $packet, $at, 8) + 2**32 }
	substr($packet, 64, 8) = pack 'Q<', unpack('Q<', substr $packet, 64, 8) + 1;
	return $packet;
}

(my $renamed = $now{k_1}) =~ s/wk-fighter/WK-FIGHTER/g;
my $later = next_packet($now{k_1});
my $k = "$dir/kernel/k_1";
my %change = (
	'a packet is appended' => sub { open my $f, '>>:raw', $k or die; syswrite $f, $later; close $f },
	'packets are appended one after the other' => sub {
		for my $name (qw(k_0 k_1)) {
			open my $f, '>>:raw', "$dir/kernel/$name" or die;
			syswrite $f, next_packet($now{$name});
			close $f;
		}
	},
	'a packet is appended in two halves' => sub {
		open my $f, '>>:raw', $k or die;
		syswrite $f, substr $later, 0, length($later) / 2;
		sleep 0.002;
		syswrite $f, substr $later, length($later) / 2;
		close $f;
	},
	'it is cut' => sub { truncate $k, length($now{k_1}) / 2 or die },
	'a stream is removed' => sub { unlink $k or die },
	'another is renamed over it' => sub { spew("$dir/new", $renamed); rename "$dir/new", $k or die },
	'it is written in place, all times set back' => sub {
		my @st = Time::HiRes::stat($k);
		open my $f, '+<:raw', $k or die;
		syswrite $f, $renamed;
		close $f;
		Time::HiRes::utime($st[8], $st[9], $k) or die;
	},
);

sub restore {
	mkdir $dir;
	mkdir "$dir/kernel";
	for my $name (@names) {
		spew("$dir/kernel/$name.new", $now{$name});
		rename "$dir/kernel/$name.new", "$dir/kernel/$name" or die;
	}
}

# The answer of the program for a trace that does not change meanwhile.
my $caches = 0;
sub answer_at_rest {
	my $r = wakepath('threads', $dir, '--format', 'json', '--index-dir', "$ENV{TMPDIR}/rest" . $caches++);
	is($r->{status}, 0, 'at rest there is an answer') or diag($r->{err});
	return $r->{out};
}

restore();
my $before = answer_at_rest();
my %after;
for my $name (sort keys %change) {
	restore();
	$change{$name}->();
	$after{$name} = answer_at_rest();
	isnt($after{$name}, $before, "$name: the change changes the answer");
}

my $cache = "$ENV{TMPDIR}/cache";
our @command = ('threads', $dir, '--format', 'json', '--index-dir', $cache);

# Run the program, and CHANGE after DELAY; STOPPED: the program is stopped during the change.  Only the other runs look for leaks: the leak check stops
# each thread by SIGSTOP and waits for it, forever if a SIGCONT undid that.
sub run_while {
	my ($change, $delay, $stopped) = @_;
	local $ENV{ASAN_OPTIONS} = ($ENV{ASAN_OPTIONS} // '') . ($stopped ? ':detect_leaks=0' : '');
	my ($out, $err) = map { "$ENV{TMPDIR}/while.$_" } qw(out err);
	my $pid = fork() // die;
	if (!$pid) {
		open STDOUT, '>', $out;
		open STDERR, '>', $err;
		{ exec $ENV{WAKEPATH}, @command }
		POSIX::_exit(127);
	}
	sleep $delay;
	kill 'STOP', $pid if $stopped;
	$change->();
	kill 'CONT', $pid if $stopped;
	waitpid $pid, 0;
	return { status => $? >> 8, signal => $? & 127, out => slurp($out), err => slurp($err) };
}

# The answer once nobody changes the trace any more, whatever index the interrupted run left.
sub afterwards {
	local $ENV{WAKEPATH} = $ENV{WAKEPATH_FAST} if $ENV{WAKEPATH_FAST};
	return wakepath(@command);
}

restore();
my $began = time;
wakepath(@command);
my $whole = time - $began;

# Changes at random instants, some after the end of the run; each leaves an index or none for the next query, whose answer must be right.
my %seen;
my $rounds = $ENV{ROUNDS} // 5;	# (make sweep: 20)
for my $name (sort keys %change) {
	my (@odd, @stale);
	for my $round (1 .. $rounds) {
		restore();
		system('rm', '-rf', $cache) if $round % 3 == 0;
		my $r = run_while($change{$name}, rand(1.5 * $whole), $round % 2);
		my $what = $r->{signal} ? "signal $r->{signal}"
			: $r->{status} == 0 && $r->{out} eq $before ? 'the trace before'
			: $r->{status} == 0 && $r->{out} eq $after{$name} ? 'the trace after'
			: $r->{status} == 3 && $r->{err} =~ /\Awakepath: \S+: the trace changed while it was read: [^\n]*\n\z/ ? 'refused'
			: $r->{status} == 3 && $r->{err} =~ /\Awakepath: [^\n]*(cannot read|No such file)[^\n]*\n\z/ ? 'gone'
			: "status $r->{status}, $r->{err}";
		$seen{$what}++;
		push @odd, $what if $what !~ /\A(the trace (before|after)|refused|gone)\z/;
		push @odd, 'there are files beside the index' if grep { !/\.wp[is]$/ } files_below($cache);
		my $next = afterwards();
		push @stale, "$what: then status $next->{status} $next->{err}" if $next->{status} != 0 || $next->{out} ne $after{$name};
	}
	is_deeply(\@odd, [], "$name: the answer is that of before or after, or an error");
	is_deeply(\@stale, [], "$name: the next answer describes the present trace");
}
note "$_: $seen{$_}" for sort keys %seen;
ok($seen{'the trace before'}, 'some changes came after reading');
ok($seen{refused}, 'some changes came during reading');

# babeltrace2 maps files: if one is cut short while it is mapped, the program ends with a message and without an index.
{
	my (@odd, $cut);
	local $ENV{ASAN_OPTIONS} = ($ENV{ASAN_OPTIONS} // '') . ':detect_leaks=0';	# babeltrace2 leaks its packets' index when it gives up
	local @command = ('index', $dir, '--reader', 'babeltrace2', '--force', '--quiet', '--index-dir', $cache);
	restore();
	$began = time;
	wakepath(@command);
	$whole = time - $began;
	for my $round (1 .. 4 * $rounds) {
		restore();
		unlink files_below($cache);
		my $r = run_while(sub { truncate $k, 4096 or die }, rand(1.5 * $whole), $round % 2);
		$cut++ if $r->{err} =~ /cannot be read any more: it was cut short/;
		push @odd, "status $r->{status}, signal $r->{signal}, $r->{err}"
			if $r->{signal} || ($r->{status} && ($r->{status} != 3 || $r->{err} !~ /\Awakepath: [^\n]*\n\z/));
		push @odd, 'an index' if $r->{status} && grep { /\.wpi$/ } files_below($cache);
	}
	is_deeply(\@odd, [], 'cut short under babeltrace2: an answer or an error');
	note(($cut // 0) . ' times under its hands');
}

# Between index and query, within one tick of the file system's clock.
for my $name (sort keys %change) {
	restore();
	wakepath('index', $dir, '--index-dir', $cache, '--quiet');
	$change{$name}->();
	is(afterwards()->{out}, $after{$name}, "$name between index and query: the index is built again");
	is(wakepath('verify', $dir, '--index-dir', $cache)->{status}, 0, '… and describes it');
}

done_testing();
