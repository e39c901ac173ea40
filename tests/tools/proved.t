#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Stored proofs (Proved.pm): a proved result is not derived again unless something differs: an answer, an exit status, the trace, the table, the test or
# the digest.  A run that failed, or asked about other files, is not stored.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Proved;
use Wake;
use Test::More;

plan skip_all => 'all is derived anew here' if ($ENV{PROOFS} // '') eq 'none';

my $scratch = $ENV{TMPDIR};
my $trace = copy_trace('pulse');
my $real = $ENV{WAKEPATH};
local $Proved::folder = "$scratch/proved";

# A program with the real program's answers, changed by the sed command CHANGE.
sub program {
	my ($change, $status) = @_;
	spew("$scratch/program", "#!/bin/sh\n'$real' \"\$@\" | sed '$change'\nexit " . ($status // 0) . "\n");
	chmod 0755, "$scratch/program";
	$ENV{WAKEPATH} = $ENV{WAKEPATH_FAST} = "$scratch/program";
}

# Returns 1 if the result was derived.  RIGHT: the verdict of the oracle; -1: it has none.  Afterwards the file has $proof again, if set.
my ($derived, $file, $proof);
sub holds {
	my ($also, $right, @questions) = @_;
	$derived = 0;
	@questions = (['threads', $trace, '--format', 'json'], ['latency', $trace, '--kind', 'wakeup', '--format', 'csv']) if !@questions;
	Proved::holds('tools/proved', { pulse => $trace }, $also, sub {
		$derived = 1;
		wakepath(@$_) for @questions;
		ok($right, 'the oracle agrees') if $right >= 0;
	});
	spew($file, $proof) if defined $proof;
	return $derived;
}
sub file { return glob "$scratch/proved/*" }

program('');
is(do { local $Proved::folder; holds('a', 1) }, 1, 'without a folder the result is derived');
is(file(), undef, 'without a folder no proof is written');
is(holds('a', 1), 1, 'a result without a proof is derived');
($file) = file();
like(slurp($file), qr/\A[0-9a-f]{32}\n[0-9a-f]{32}\nthreads\t\{pulse\}\t--format\tjson\nlatency\t\t--kind\twakeup\t--format\tcsv\n\z/, 'a proof has a key, the digest of the answers, and the questions');
is(holds('a', 1), 0, 'a proved result is not derived again');
$proof = slurp($file);

program('s/"cpu_time":1/"cpu_time":2/');
is(holds('a', 1), 1, 'a changed digit in an answer derives the result');
program('', 1);
is(holds('a', 1), 1, 'another exit status derives the result');
program('');
is(holds('a', 1), 0, 'the original answers need no derivation');
spew("$scratch/program", "#!/bin/sh\n'$real' \"\$@\"; echo more >&2\n");
is(holds('a', 1), 1, 'a word on standard error derives the result');
program('');

is(holds('b', 1), 1, 'a changed table derives the result');
spew($file, $proof =~ s/\A(.{32}\n)(.)/$1 . ($2 eq '0' ? '1' : '0')/er);
is(holds('a', 1), 1, 'another digest in the proof derives the result');
spew($file, $proof =~ s/\A(.)/$1 eq '0' ? '1' : '0'/er);
is(holds('a', 1), 1, 'another key in the proof derives the result');
spew($file, $proof =~ s/--kind\twakeup\t/--kind\tblocked\t/r);
is(holds('a', 1), 1, 'other questions in the proof derive the result');
spew($file, $proof =~ s/^latency.*\n//mr);
is(holds('a', 1), 1, 'fewer questions in the proof derive the result');
spew($file, '');
is(holds('a', 1), 1, 'an empty proof derives the result');
spew($file, $proof);
is(holds('a', 1), 0, 'the original proof needs no derivation');

# The path of the trace does not matter.
my $there = "$scratch/traces/a-name-that-is-much-longer";
rename $trace, $there or die;
$trace = $there;
is(holds('a', 1), 0, 'a moved trace needs no derivation');
my ($stream) = grep { -s } glob "$trace/kernel/k_0 $trace/k_0";
patch($stream, sub { substr($_, -1) = chr(ord(substr $_, -1) ^ 1) });
is(holds('a', 1), 1, 'a flipped bit of the trace derives the result');
patch($stream, sub { substr($_, -1) = chr(ord(substr $_, -1) ^ 1) });
is(holds('a', 1), 0, 'the restored trace needs no derivation');
spew("$scratch/oracle.pm", "1;\n");
local $INC{'oracle.pm'} = "$ENV{TOP}/tests/tools/Growing.pm";
is(holds('a', 1), 1, 'another module of the tests derives the result');
delete $INC{'oracle.pm'};

# Runs that are not stored.
undef $proof;
unlink $file;
is(holds('a', -1, ['threads', sample('preempt')]), 1, 'a question about another trace is derived');
is(file(), undef, 'a question about another trace is not stored');
my $builder = Test::More->builder;
$builder->todo_start('it fails');
holds('a', 0);
$builder->todo_end;
is(file(), undef, 'a failed run is not stored');
done_testing;
