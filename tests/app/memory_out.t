#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# No memory: wherever it runs out, there is one line, status 3, and nothing left; the next run with enough memory gives the whole answer.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Pty;
use Fcntl qw(F_SETFD);
use POSIX ();
use Test::More;

my $program = $ENV{WAKEPATH_FAST} // $ENV{WAKEPATH};	# the sanitizers take all addresses, and end programs in their own way
my ($trace, $index_dir, $tmp, $out) = (sample('pipeline'), map { "$ENV{TMPDIR}/$_" } qw(index tmp out));
my $line = qr/\Awakepath: out of memory[^\n]*: close other programs[^\n]*\n\z/;
mkdir $tmp;
spew("$ENV{TMPDIR}/script", "Enter\ndump $ENV{TMPDIR}/screen\n");

# Runs ARGS with KB of address space.
sub limited {
	my ($kb, @args) = @_;
	local $ENV{TMPDIR} = $tmp;
	return Wake::run('sh', '-c', 'ulimit -v $0; exec timeout 60 "$@"', $kb, $program, @args, '--index-dir', $index_dir);
}

my @commands = ([ 'index', $trace ], [ 'info', $trace ], [ 'events', $trace, '--top', 0, '--format', 'json' ], [ 'latency', $trace, '--kind', 'irq' ], [ 'flow', $trace, '-o', "$out.png" ],
	[ 'view', $trace, '--script', "$ENV{TMPDIR}/script" ], [ 'threads', sample('rpc-chain'), '--format', 'json', '-o', $out ], [ 'index', $trace, '--reader', 'babeltrace2' ]);
my @wrong;
my %count;
for my $command (@commands) {
	for my $kb (map { $_ * 5_000 } 3 .. 24) {
		system 'rm', '-rf', $index_dir;
		my $r = limited($kb, @$command);
		my @left = grep { m{/\.} || m{^\Q$tmp\E} } files_below($index_dir), files_below($tmp);
		$count{$r->{ended}}++;
		push @wrong, "@$command with $kb KB: $r->{ended}: @left: $r->{err}" if $r->{signal} || @left || ($r->{status} != 0 && ($r->{status} != 3 || $r->{err} !~ $line && $r->{err} !~ /\A[^\n]*Cannot allocate memory[^\n]*\n\z/));
	}
}
is_deeply(\@wrong, [], 'one line, or the answer') or diag(join "\n", @wrong);
ok($count{0} && $count{3}, 'there was enough memory and too little');
system 'rm', '-rf', $index_dir;
is(wakepath('threads', $trace, '--index-dir', $index_dir)->{status}, 0, 'the next run is right');

# The explorer, which has the terminal: from now on it gets no more memory.
SKIP: {
	skip 'no prlimit here', 4 if system('prlimit --version >/dev/null 2>&1') != 0;
	my $p = pty_start(100, 30, { TERM => 'xterm' }, {}, $program, $trace, '--index-dir', $index_dir);
	pty_read($p, qr/wk-pipe/, 30);
	my $modes = `stty -a </proc/$p->{pid}/fd/0`;
	like($modes, qr/-icanon/, 'the explorer has the terminal');
	open my $terminal, '<', "/proc/$p->{pid}/fd/0" or die;
	fcntl $terminal, F_SETFD, 0;	# for stty
	system('prlimit', "--pid=$p->{pid}", '--as=1') == 0 or die;
	my $seen = '';
	for my $key (("+") x 20, "w", "\r", "l", "e", "s", "\r") {
		pty_type($p, $key);
		$seen .= pty_read($p, qr/out of memory[^\n]*\n/, 2);
		last if $seen =~ /out of memory/;
	}
	like($seen, qr/\e\[\?1049l.*wakepath: out of memory[^\n]*\n\z/s, 'the screen is restored, and then the message is printed');
	like(`stty -a </proc/self/fd/@{[ fileno $terminal ]}`, qr/(?<!-)icanon.*(?<!-)echo\b/s, '… and the modes');
	is(pty_ends($p, 30), 3, '… and its status is 3');
}

done_testing();
