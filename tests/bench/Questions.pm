# SPDX-License-Identifier: MIT
#
# Measures questions about the whole trace: their processor time / that of making its index in the same run; also queries and exports.
package Questions;
use strict;
use utf8;
use warnings;
use Bench;
use Exporter qw(import);
use JSON::PP ();

our @EXPORT_OK = qw(measure_questions measure_sql measure_exports);

# A rule for all wake-ups, and nine more.
my @rules = map { "[$_->[0]]\nentry = $_->[1]\nexit = $_->[2]\nkey = $_->[3]\n" } (
	['wake-up', 'sched_wakeup', 'sched_switch', "tid = next_tid\nthread = tid"],
	['woken', 'sched_waking', 'sched_wakeup', 'tid'],
	['run', 'sched_switch', 'sched_switch', 'next_tid = prev_tid'],
	['off', 'sched_switch[prev_state>0]', 'sched_switch', 'prev_tid = next_tid'],
	['tick', 'x86_irq_vectors_local_timer_entry', 'x86_irq_vectors_local_timer_exit', '$cpu'],
	['ipi', 'x86_irq_vectors_reschedule_entry', 'x86_irq_vectors_reschedule_exit', '$cpu'],
	['timer', 'timer_hrtimer_expire_entry', 'timer_hrtimer_expire_exit', '$cpu, hrtimer'],
	['softirq', 'irq_softirq_entry', 'irq_softirq_exit', '$cpu, vec'],
	['disk', 'block_rq_issue[nr_sector>0]', 'block_rq_complete', 'dev, sector'],
	['work', 'workqueue_execute_start', 'workqueue_execute_end', '$tid'],
);

sub rules_file {
	my ($n) = @_;
	my $file = "$tmp/$n.rules";
	open my $out, '>', $file or die "$file: $!\n";
	print $out @rules[0 .. $n - 1];
	close $out or die "$file: $!\n";
	return $file;
}

# Run the command WHAT on the index in "questions", with output to a file.
sub ask {
	my ($trace, $before, $what, @more) = @_;
	return measure(@$before, $wakepath, $what, '--index-dir', "$tmp/questions", '-o', "$tmp/answer", @more, $trace);
}

# Before each first answer the index is rebuilt, which removes stored results.
sub measure_questions {
	my ($trace, $rounds) = @_;
	my @questions = (
		{ name => 'causes of all threads', ask => ['causes'], goals => [1, 0.3], kept => [50, 50] },
		{ name => 'info --top', ask => ['info', '--top'], goals => [1.5, 0.5], kept => [100, 100] },
		{ name => 'one rule', ask => ['latency', '--rules', rules_file(1), '--top', 1], goals => [1, 0.4] },
		{ name => 'ten rules together', ask => ['latency', '--rules', rules_file(10), '--top', 1], goals => [1.5, 1.5] },
		{ name => 'the kinds read from the trace', ask => ['latency', '--kind', 'irq', '--top', 1], goals => [0.5, 0.5] },
		{ name => 'compare of all wake-ups', ask => ['compare', '--set', 'latency:wakeup'], goals => [1.5, 1.5] },
	);
	my (@cpu, %wall);
	my @alone = machine()->{processors} > 1 ? ([qw(taskset -c 0)]) : ();
	for my $round (1 .. $rounds) {
		for my $q (@questions) {
			for my $before ([], @alone) {
				my $where = @$before ? 'one' : 'all';
				my $index = measure(@$before, $wakepath, 'index', '--quiet', '--force', '--index-dir', "$tmp/questions", $trace);
				my $first = ask($trace, $before, @{ $q->{ask} });
				push @{ $wall{$where} }, $index->{wall};
				push @{ $q->{$where} }, $first->{wall};
				next if @$before;
				push @cpu, $index->{cpu};
				push @{ $q->{ratio} }, $first->{cpu} / $index->{cpu};
				push @{ $q->{memory} }, $first->{memory};
				push @{ $q->{again} }, ask($trace, [], @{ $q->{ask} })->{wall} / 1e6 if $q->{kept};
			}
		}
	}
	add('wakepath index', 'build, processor time', median(@cpu) / 1e9, 's');
	add('wakepath index', 'build on one processor / on all, wall', median(@{ $wall{one} }) / median(@{ $wall{all} }), '') if @alone;
	for my $q (@questions) {
		add('questions', "$q->{name}, first time / build, processor time", median(@{ $q->{ratio} }), '', $q->{goals});
		add('questions', "$q->{name}, once it is kept, wall", median(@{ $q->{again} }), 'ms', $q->{kept}) if $q->{kept};
		add('questions', "$q->{name}, on one processor / on all, wall", median(@{ $q->{one} }) / median(@{ $q->{all} }), '') if @alone;
		add('questions', "$q->{name}, peak memory", median(@{ $q->{memory} }) / 2**20, 'MB', [192, 96]);
	}
	measure_windows($trace);
}

# Causes in windows of a tenth of the trace.
sub measure_windows {
	my ($trace) = @_;
	ask($trace, [], 'info', '--format', 'json');
	my $info = JSON::PP::decode_json(slurp("$tmp/answer"));
	my $length = $info->{to} - $info->{from};
	my @took = sort { $a <=> $b } map {
		my $from = int($info->{from} + $length * $_ / 21);
		ask($trace, [], 'causes', '--from', $from, '--to', int($from + $length / 10))->{wall} / 1e6;
	} 0 .. 18;
	add('questions', 'causes in a tenth of the trace, p95', $took[18 * 0.95], 'ms', [500, 500]);
}

# SQL queries.  The first, which is not measured, finds and stores the types of events.
sub measure_sql {
	my ($trace, $rounds) = @_;
	my $sql = sub {
		my ($query) = @_;
		my @args = ('sql', '--index-dir', "$tmp/own", '--format', 'csv', '-o', "$tmp/rows.csv", $trace, $query);
		return (sort { $a->{cpu} <=> $b->{cpu} } map { measure($wakepath, @args) } 1 .. $rounds)[$rounds / 2];
	};
	$sql->('SELECT count(*) FROM wakepath_tables');
	my @queries = (['count of an event', 'SELECT count(*) FROM sched_switch', [50, 5]],
		['time of each thread in each state', 'SELECT utid, state, sum(dur) FROM thread_state GROUP BY utid, state', [300, 30]],
		map { ["wake-ups GROUP BY $_", "SELECT $_, count(*), sum(ts - since), max(latency) FROM wakeup GROUP BY $_", [1500, 500]] } 'utid', 'kind, grade', 'by_utid');
	my $most = 0;
	for my $q (@queries) {
		my $m = $sql->($q->[1]);
		add('wakepath sql', "$q->[0], processor time", $m->{cpu} / 1e6, 'ms', $q->[2]);
		$most = $m->{memory} if $m->{memory} > $most;
	}
	add('wakepath sql', 'peak memory of these', $most / 2**20, 'MB', [192, 96]);
	my $m = $sql->('SELECT count(prev_tid) FROM sched_switch');
	open my $rows, '<', "$tmp/rows.csv" or die "$tmp/rows.csv: $!\n";
	my ($n) = map { /^(\d+)/ } <$rows>;
	add('wakepath sql', 'sched_switch with a field: each, processor time', $m->{cpu} / $n, 'ns', [500, 200]);
	unlink "$tmp/rows.csv";
}

# Lists and tables as files: rows per second of processor time.
sub measure_exports {
	my ($trace, $rounds) = @_;
	my @index = ('--index-dir', "$tmp/own");
	my $rate = sub {
		my ($what, $rows, $goals, $name, @ask) = @_;
		my @took = sort { $a <=> $b } map { must_run('rm', '-rf', $name); measure($wakepath, @ask, @index, '-o', $name, $trace)->{cpu} } 1 .. $rounds;
		add('exports', "$what: $rows rows, each, processor time", $took[$rounds / 2] / $rows, 'ns', $goals);
		must_run('rm', '-rf', $name);
	};
	must_run($wakepath, 'sql', @index, '--format', 'csv', '-o', "$tmp/rows.csv", $trace, 'SELECT count(*) FROM wakeup');
	my ($rows) = slurp("$tmp/rows.csv") =~ /^(\d+)/m;
	$rate->("table wakeup as $_", $rows, undef, "$tmp/export.$_", 'export', '--format', $_, '--tables', 'wakeup') for qw(sqlite parquet);
	unlink "$tmp/rows.csv";
}

1;
