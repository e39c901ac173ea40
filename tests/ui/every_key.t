#!/usr/bin/perl
# SPDX-License-Identifier: MIT
#
# Each command in each pane, by its first key: the screen changes, or a message gives the reason, in words of its own.
use strict;
use warnings;
use File::Basename qw(dirname);
use Cwd qw(abs_path);
use lib "$ENV{TOP}/tests/tools";
use Starter;
use Test::More;

my $top = abs_path(dirname(__FILE__) . '/../..');
my $samples = $ENV{SAMPLES} // "$top/sample-traces";
my $program = $ENV{WAKEPATH_FAST} // $ENV{WAKEPATH} // "$top/build/wakepath";	# a thousand runs
my $tmp = $ENV{TMPDIR} or die "run through tests/tools/run_one\n";
chdir $tmp or die;
mkdir 'config';
$ENV{XDG_CONFIG_HOME} = "$tmp/config";

sub slurp { my ($path) = @_; open my $f, '<', $path or return ''; local $/; return scalar <$f> }

# The message of a command that did nothing and has no reason: no code handles that case.
my $unsaid = qr/ has no effect here|: no pane here has this command/;
my %changes_nothing = map { $_ => 1 } qw(repaint quit close);

my %key = map { /^([a-z-]+) +(\S+)/ && substr($2, 0, 1) ne '#' ? ($1 => $2) : () } split /\n/, (`'$program' --print-config` =~ s/.*\[keys\]//sr);
my @commands = grep { !$changes_nothing{$_} } sort keys %key;
cmp_ok scalar @commands, '>', 80, 'commands with keys';

# The keys to each place, with its trace.
my @places = (
	['rows at the start', 'preempt', ''],
	['a thread', 'preempt --thread 547', "}"],
	['a CPU', 'preempt', "Home\nDown\nDown"],
	['a heading', 'preempt', "Home"],
	['the end', 'preempt --thread 547', "\$\nEnd"],
	['the second window', 'preempt --thread 547', "\\\n}"],
	['overview', 'preempt', 'i'],
	['path', 'preempt --thread 547', 'p'],
	['path, list', 'preempt --thread 547', "p\nS"],
	['latencies', 'preempt', 'w'],
	['kinds of latencies', 'preempt', "w\nD"],
	['groups of latencies', 'preempt', "w\nG"],
	['causes', 'preempt --thread 547', 'C'],
	['stacks', 'preempt', 'I'],
	['machines', 'preempt', 'V'],
	['requests', 'rpc-chain', 'M-r'],
	['no requests', 'preempt', 'M-r'],
	['slow against fast', 'rpc-chain --thread client/wk-client', '='],
	['two paths', 'rpc-chain --thread client/wk-client', "=\nEnter"],
	['a wait', 'preempt --thread 547', "}\nEnter"],
	['an account', 'preempt --thread 547', "}\nB"],
	['a story', 'preempt --thread 547', 'E'],
	['events', 'preempt --thread 547', "}\nF6"],
	['clocks', 'rpc-chain', 'K'],
	['warnings', 'preempt', '!'],
	['no hits', 'preempt', 'M-h'],
	['events by name', 'preempt', 'F4'],
	['a table', 'preempt', ":\n\"table thread\"\nEnter"],
);

# A wait for the end of the work that is under way: the script waits.
sub run {
	my ($trace, @keys) = @_;
	unlink 'before', 'before-roles', 'after', 'after-roles';
	open my $f, '>', 'script' or die;
	print $f map { "$_\n" } @keys;
	close $f;
	my ($folder, @args) = split / /, $trace;
	return (Starter::run($program, "$samples/$folder", @args, '--script', 'script'))[0];
}

for my $place (@places) {
	my ($name, $trace, $keys) = @$place;
	next if @ARGV && !grep { $_ eq $name } @ARGV;
	subtest $name => sub {
		for my $command (@commands) {
			my $status = run($trace, split(/\n/, $keys), 'dump before', 'attrs before-roles', $key{$command}, 'dump after', 'attrs after-roles');
			my ($before, $after) = map { slurp($_) . slurp("$_-roles") } 'before', 'after';
			my $good = !$status && $before ne '' && $before ne $after && $after !~ $unsaid;
			ok($good, "$command ($key{$command})") or diag $status ? "status $status" : (split /\n/, slurp('after'))[-1];
		}
	};
}
done_testing;
