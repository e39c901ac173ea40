# SPDX-License-Identifier: MIT
package Each::Evidence;

# Evidence is an event of the trace: babeltrace2 prints it with that name, time and CPU, and the file has the header of such an
# event at the offset in the answer.

use strict;
use warnings;
use Cause::Checks;
use Verdict;

# Everything needed to read the header of an event of TRACE: kind of header, offset of the clock, names by number, and the streams'
# bytes.
sub layout {
    my ($trace) = @_;
    my $text = `babeltrace2 -o ctf-metadata '$trace' 2>/dev/null`;
    my ($clock) = $text =~ /^clock \{(.*?)^\};/ms or die "$trace: no clock";
    my %names;
    for ($text =~ /^event \{(.*?)^\};/msg) {
        my ($name) = /\bname = "([^"]+)"/;
        $names{$1} = $name if /\bid = (\d+);/;
    }
    my ($seconds) = $clock =~ /offset_s = (-?\d+);/;
    my ($cycles) = $clock =~ /offset = (-?\d+);/;
    die "$trace: a clock of $1 Hz" if $clock =~ /freq = (\d+);/ && $1 != 1000000000;
    return { trace => $trace, compact => scalar($text =~ /event\.header := struct event_header_compact/), names => \%names,
        zero => ($seconds // 0) * 1000000000 + ($cycles // 0), bytes => {} };
}

sub _bytes {
    my ($file) = @_;
    open my $in, '<:raw', $file or return '';
    local $/;
    return <$in> // '';
}

# The name of the event at byte AT of STREAM, and the low 27 bits of its clock.
sub _header {
    my ($layout, $stream, $at) = @_;
    my $bytes = \($layout->{bytes}{$stream} //= _bytes("$layout->{trace}/$stream"));
    return ('', -1) if $at + 10 > length $$bytes;
    my ($id, $clock);
    if ($layout->{compact}) {
        my $word = unpack 'V', substr $$bytes, $at, 4;
        ($id, $clock) = ($word & 31, $word >> 5);
        ($id, $clock) = unpack 'VV', substr $$bytes, $at + 1, 8 if $id == 31;
    } else {
        ($id, $clock) = unpack 'vV', substr $$bytes, $at, 6;
        ($id, $clock) = unpack 'VV', substr $$bytes, $at + 2, 8 if $id == 65535;
    }
    return ($layout->{names}{$id} // '', $clock & 0x7ffffff);
}

my @keys = qw(event time host cpu stream packet offset);

# The differences of the evidence of a LIST.
sub wrong {
    my ($o, $layout, @list) = @_;
    my @wrong = Cause::Checks::evidence($o, @list);
    for my $e (@list) {
        my $what = 'evidence ' . join ' ', map { n($e->{$_}) } @keys;
        if (grep { !defined $e->{$_} } @keys) {
            push @wrong, "$what has not all keys";
            next;
        }
        my ($there, $clock) = _header($layout, $e->{stream}, $e->{packet} + $e->{offset});
        push @wrong, "$what: another event is there ($there)" if $there ne $e->{event} || $clock != (($e->{time} - $layout->{zero}) & 0x7ffffff);
    }
    return @wrong;
}

1;
