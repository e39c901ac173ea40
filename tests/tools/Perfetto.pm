# SPDX-License-Identifier: MIT
# Reads Chrome trace events by the rules of Perfetto's importer (src/trace_processor/importers/json: json_trace_tokenizer.cc,
# json_trace_parser.cc, json_utils.cc; importers/common: slice_tracker.cc, flow_tracker.cc), and reports events that it would drop or misread.
package Perfetto;
use strict;
use warnings;
use JSON::PP ();
use Exporter 'import';
our @EXPORT = qw(perfetto);

# CoerceToTs() for numbers, and for texts, in ns.  For texts it cuts the fraction off apart from the whole part.
sub ns_of {
	my ($digits) = @_;
	my ($whole, $fraction) = $digits =~ /^(\d+)(?:\.(\d+))?$/ or return;
	return (int($digits * 1000), $whole * 1000 + int(("0." . ($fraction // 0)) * 1000));
}

# { wrong: [texts], slices: { "pid tid" => [[from, to, name, args], …] }, names: { "pid tid" => name }, flows: [[slice, slice, name], …] }
sub perfetto {
	my ($text) = @_;
	my (@wrong, %slices, %names, %tracks, %open, @flows, @events);
	push @wrong, 'not a dictionary whose first member is the list of events' if $text !~ /\A\{"traceEvents":\[/;
	push @wrong, 'displayTimeUnit, which some versions read times by' if $text =~ /"displayTimeUnit"/;
	push @wrong, 'an escape \\u' if $text =~ /(?<!\\)(?:\\\\)*\\u/;
	push @wrong, 'a control character' if $text =~ /[\x00-\x09\x0b-\x1f\x7f]/;
	my $all = eval { JSON::PP->new->utf8->decode($text) } or return { wrong => ["no JSON: $@"] };
	# The times with their original digits, in the order of the file.
	my @digits;
	for my $line (grep { /^\{"ts"/ } split /\n/, $text) {
		my ($ts, $dur) = $line =~ /^\{"ts":([0-9.]+),(?:"dur":([0-9.]+),)?/;
		push @digits, [$ts, $dur];
	}
	push @wrong, 'an event without a time, or not with that first' if @digits != @{ $all->{traceEvents} };
	for my $i (0 .. $#{ $all->{traceEvents} }) {
		my $e = $all->{traceEvents}[$i];
		my ($ts, $dur) = map { [ns_of($_ // 0)] } @{ $digits[$i] // [0, 0] };
		push @wrong, "event $i: its time depends on who reads it" if grep { @$_ != 2 || $_->[0] != $_->[1] } $ts, $dur;
		push @wrong, "event $i: a list in it" if grep { ref eq 'ARRAY' } values %$e;
		push @wrong, "event $i: $_ is no number of 32 bits" for grep { defined $e->{$_} && ($e->{$_} !~ /^\d+$/ || $e->{$_} > 0xffffffff) } qw(pid tid);
		push @wrong, "event $i: no pid" if !defined $e->{pid};
		push @wrong, "event $i: no dur" if $e->{ph} eq 'X' && !defined $digits[$i][1];
		push @events, [$ts->[0], $dur->[0], $e];
	}
	@events = sort { $a->[0] <=> $b->[0] } @events; # stable
	for (@events) {
		my ($ts, $dur, $e) = @$_;
		my $track = join ' ', $e->{pid}, $e->{tid} // $e->{pid};
		if ($e->{ph} eq 'M') {
			push @wrong, "$track: metadata without a name" if ($e->{name} // '') !~ /^(?:thread|process)_name$/ || !length($e->{args}{name} // '');
			push @wrong, "$track: named twice" if exists $names{$track};
			$names{$track} = $e->{args}{name};
		} elsif ($e->{ph} eq 'X') {
			my $last = $slices{$track} ? $slices{$track}[-1] : undef;
			push @wrong, "$track: at $ts a slice that overlaps the one before" if $last && $last->[1] > $ts;
			push @wrong, "$track: at $ts a slice without a name" if !length($e->{name} // '');
			push @{ $slices{$track} }, [$ts, $ts + $dur, $e->{name}, $e->{args}];
		} elsif ($e->{ph} =~ /^[sf]$/) {
			# GetFlowIdForV1Event(): by id, category and name; Begin() and End() with "bp":"e" take the topmost slice of the track.
			my $slice = $slices{$track} ? $slices{$track}[-1] : undef;
			my $id = join ' ', map { $e->{$_} // '' } qw(id cat name);
			push @wrong, "flow $id: at $ts no slice on $track" if !$slice || $slice->[1] <= $ts;
			push @wrong, "flow $id: its id is no number" if ($e->{id} // '') !~ /^\d+$/;
			push @wrong, "flow $id: its end takes the next slice" if $e->{ph} eq 'f' && ($e->{bp} // '') ne 'e';
			if ($e->{ph} eq 's') {
				push @wrong, "flow $id: begins twice" if $open{$id};
				$open{$id} = [$slice, $track];
			} elsif (!$open{$id}) {
				push @wrong, "flow $id: ends before it begins";
			} else {
				push @flows, [@{ $open{$id} }, $slice, $track, $e->{name}];
			}
		} else {
			push @wrong, "an event $e->{ph}";
		}
	}
	push @wrong, 'flows without an end' if keys %open != @flows;
	push @wrong, "$_ has no name" for grep { !exists $names{$_} } keys %slices;
	# process_tracker.cc knows a thread by its tid first.
	my %tids;
	$tids{ (split / /)[1] }++ for keys %names;
	push @wrong, "tid $_ on several tracks" for grep { $tids{$_} > 1 } keys %tids;
	return { wrong => \@wrong, slices => \%slices, names => \%names, flows => \@flows, other => $all->{otherData} };
}

1;
