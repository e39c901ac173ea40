#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Proofs that are kept (Proved.pm): what was proved is not derived again, and whatever differs is: another answer, another exit status, another trace, another table,
# another test, another digest.  Nothing that failed, or asked about something else, is kept.
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

# A program that answers as the real one does, but for what CHANGE, of sed, makes of it.
sub program {
	my ($change, $status) = @_;
	spew("$scratch/program", "#!/bin/sh\n'$real' \"\$@\" | sed '$change'\nexit " . ($status // 0) . "\n");
	chmod 0755, "$scratch/program";
	$ENV{WAKEPATH} = $ENV{WAKEPATH_FAST} = "$scratch/program";
}

# True if all was derived.  RIGHT: what the oracle finds, -1: it finds nothing.  $proof, once it is set, is there again afterwards.
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
is(do { local $Proved::folder; holds('a', 1) }, 1, 'without a folder all is derived');
is(file(), undef, '… and nothing is written');
is(holds('a', 1), 1, 'what was never proved is derived');
($file) = file();
like(slurp($file), qr/\A[0-9a-f]{32}\n[0-9a-f]{32}\nthreads\t\{pulse\}\t--format\tjson\nlatency\t\t--kind\twakeup\t--format\tcsv\n\z/, 'a proof: what it is about, the digest of the answers, the questions');
is(holds('a', 1), 0, 'what was proved is not');
$proof = slurp($file);

program('s/"cpu_time":1/"cpu_time":2/');
is(holds('a', 1), 1, 'one digit of an answer is another: derived');
program('', 1);
is(holds('a', 1), 1, 'another exit status');
program('');
is(holds('a', 1), 0, 'the same again');
spew("$scratch/program", "#!/bin/sh\n'$real' \"\$@\"; echo more >&2\n");
is(holds('a', 1), 1, 'a word on standard error');
program('');

is(holds('b', 1), 1, 'a table says otherwise');
spew($file, $proof =~ s/\A(.{32}\n)(.)/$1 . ($2 eq '0' ? '1' : '0')/er);
is(holds('a', 1), 1, 'another digest');
spew($file, $proof =~ s/\A(.)/$1 eq '0' ? '1' : '0'/er);
is(holds('a', 1), 1, 'another key');
spew($file, $proof =~ s/--kind\twakeup\t/--kind\tblocked\t/r);
is(holds('a', 1), 1, 'other questions');
spew($file, $proof =~ s/^latency.*\n//mr);
is(holds('a', 1), 1, 'fewer questions');
spew($file, '');
is(holds('a', 1), 1, 'an empty file');
spew($file, $proof);
is(holds('a', 1), 0, 'the proof again');

# Elsewhere it is the same.
my $there = "$scratch/traces/a-name-that-is-much-longer";
rename $trace, $there or die;
$trace = $there;
is(holds('a', 1), 0, 'the trace lies elsewhere');
my ($stream) = grep { -s } glob "$trace/kernel/k_0 $trace/k_0";
patch($stream, sub { substr($_, -1) = chr(ord(substr $_, -1) ^ 1) });
is(holds('a', 1), 1, 'one bit of the trace is another');
patch($stream, sub { substr($_, -1) = chr(ord(substr $_, -1) ^ 1) });
is(holds('a', 1), 0, '… and back');
spew("$scratch/oracle.pm", "1;\n");
local $INC{'oracle.pm'} = "$ENV{TOP}/tests/tools/Growing.pm";
is(holds('a', 1), 1, 'another file of the tests is used');
delete $INC{'oracle.pm'};

# What is no proof.
undef $proof;
unlink $file;
is(holds('a', -1, ['threads', sample('preempt')]), 1, 'a question about something else');
is(file(), undef, '… is no proof');
my $builder = Test::More->builder;
$builder->todo_start('it fails');
holds('a', 0);
$builder->todo_end;
is(file(), undef, 'what failed is no proof');
done_testing;
