# SPDX-License-Identifier: MIT
# Makes CTF 2 metadata for the stream files of a CTF 1.8 trace, as LTTng would have written it.  Reads the TSDL that LTTng, perf and barectf
# write, and uses no code of wakepath.
package Ctf2;
use strict;
use warnings;
use Exporter 'import';
use File::Basename ();
use File::Path ();
use JSON::PP ();
use Math::BigInt ();

our @EXPORT = qw(ctf2_copy ctf2_text ctf2_of ctf2_fragments tsdl_of tsdl_text);

my $json = JSON::PP->new->utf8->canonical->allow_bignum;

# The text of a metadata file, without its packets.
sub tsdl_text {
	my ($bytes) = @_;
	return $bytes if substr($bytes, 0, 4) ne pack('V', 0x75d11d57);
	my $text = '';
	while (length $bytes >= 37) {
		my ($content, $packet) = unpack 'x24VV', $bytes;
		$text .= substr $bytes, 37, $content / 8 - 37;
		substr($bytes, 0, $packet / 8) = '';
	}
	return $text;
}

# The bytes of a metadata file with FRAGMENTS.
sub ctf2_text { return join '', map { "\x1e" . $json->encode($_) . "\n" } @_ }

# Copy the folders below FROM to TO, and turn all metadata there into CTF 2.
sub ctf2_copy {
	my ($from, $to) = @_;
	File::Path::make_path(File::Basename::dirname($to));
	system('cp', '-r', '--no-preserve=mode', $from, $to) == 0 or die "cp: $?";
	for my $file (split /\n/, qx(find "$to" -name metadata)) {
		open my $in, '<:raw', $file or die "$file: $!";
		my $tsdl = do { local $/; <$in> };
		open my $out, '>:raw', $file or die "$file: $!";
		print $out ctf2_text(ctf2_of(tsdl_text($tsdl)));
		close $out or die "$file: $!";
	}
}

# ---- TSDL to a tree ----

my (@tokens, @scopes, $order);

sub tokens_of {
	my ($text) = @_;
	$text =~ s{("(?:\\.|[^"\\])*")|/\*.*?\*/|//[^\n]*}{$1 // ' '}ges;
	return $text =~ /"(?:\\.|[^"\\])*"|[\w.]+|:=|\.\.\.|[{}\[\]()<>;:,=+-]/gs;
}

sub take {
	my ($wanted) = @_;
	my $t = shift @tokens // die "TSDL: the end\n";
	die "TSDL: $t instead of $wanted before @tokens[0 .. 5]\n" if defined $wanted && $t ne $wanted;
	return $t;
}

sub unquote { my ($t) = @_; $t =~ s/^"(.*)"\z/$1/s and $t =~ s/\\(.)/$1/g; return $t }
sub number { my ($t) = @_; return $t =~ /^0x/i ? Math::BigInt->from_hex($t) : Math::BigInt->new($t =~ s/[uUlL]+\z//r) }

sub signed_number {
	my $minus = $tokens[0] =~ /^[+-]\z/ ? take() : '';
	return $minus eq '-' ? -number(take()) : number(take());
}

# "{ name = value; … }"
sub attributes {
	my %a;
	take('{');
	while ($tokens[0] ne '}') {
		my $name = take();
		take('=');
		my $minus = $tokens[0] eq '-' ? take() : '';
		$a{$name} = $minus . take();
		take(';');
	}
	take('}');
	return \%a;
}

sub look_up {
	my ($key) = @_;
	for (reverse @scopes) { return $_->{$key} if $_->{$key} }
	die "TSDL: unknown type $key\n";
}

# Fields and definitions between braces: [name, type].
sub fields {
	my @fields;
	take('{');
	push @scopes, {};
	while ($tokens[0] ne '}') {
		next if definition();
		my $type = type(1);
		do {
			take() if $tokens[0] eq ',';
			push @fields, [declarator($type)];
		} while $tokens[0] eq ',';
		take(';');
	}
	pop @scopes;
	take('}');
	return \@fields;
}

# "name[4][n]"
sub declarator {
	my ($type) = @_;
	my ($name, @lengths) = take();
	while ($tokens[0] eq '[') {
		take('[');
		push @lengths, take();
		take(']');
	}
	for (reverse @lengths) {
		$type = /^\d/ ? { kind => 'array', length => number($_), element => $type } : { kind => 'sequence', length => $_, element => $type };
	}
	return ($name, $type);
}

sub definition {
	return 0 if $tokens[0] !~ /^(?:typealias|typedef)\z/;
	if (take() eq 'typedef') {
		my $type = type(1);
		my ($name, $made) = declarator($type);
		$scopes[-1]{$name} = $made;
	} else {
		my $type = type(0);
		take(':=');
		my @words;
		push @words, take() while $tokens[0] ne ';';
		$scopes[-1]{"@words"} = $type;
	}
	take(';');
	return 1;
}

sub labels {
	my ($next, @labels) = (Math::BigInt->new(0));
	take('{');
	while ($tokens[0] ne '}') {
		my $name = unquote(take());
		my ($low, $high) = ($next, $next);
		if ($tokens[0] eq '=') {
			take('=');
			$low = $high = signed_number();
			if ($tokens[0] eq '...') { take(); $high = signed_number() }
		}
		$next = $high + 1;
		push @labels, [$name, $low, $high];
		take(',') if $tokens[0] eq ',';
	}
	take('}');
	return \@labels;
}

sub type {
	my ($with_name) = @_;
	my $word = take();
	if ($word eq 'integer' || $word eq 'floating_point') {
		return { kind => $word, %{ attributes() } };
	} elsif ($word eq 'string') {
		attributes() if $tokens[0] eq '{';
		return { kind => 'string' };
	} elsif ($word =~ /^(?:struct|variant|enum)\z/) {
		my $name = $tokens[0] =~ /^\w/ ? take() : undef;
		my ($type, $tag, $container);
		if ($word eq 'variant' && $tokens[0] eq '<') { take('<'); $tag = take(); take('>') }
		if ($word eq 'enum' && ($tokens[0] eq ':' || $tokens[0] eq '{')) {
			if ($tokens[0] eq ':') { take(':'); $container = type(0) }
			$type = { %{ $container // look_up('int') }, labels => labels() };
		} elsif ($tokens[0] eq '{') {
			$type = { kind => $word, fields => fields() };
			if ($tokens[0] eq 'align') { take(); take('('); $type->{align} = take(); take(')') }
		} else {
			$type = { %{ look_up("$word $name") } };
		}
		$scopes[-1]{"$word $name"} = $type if defined $name;
		return defined $tag ? { %$type, tag => $tag } : $type;
	}
	my @words = $word eq 'const' ? () : $word;
	push @words, take() while $tokens[0] =~ /^[a-z_]\w*\z/i && (!$with_name || $tokens[1] =~ /^[a-z_]/i);
	return look_up("@words");
}

# ---- a tree to field classes ----

my %roles = (
	'packet-header' => { magic => 'packet-magic-number', uuid => 'metadata-stream-uuid', stream_id => 'data-stream-class-id', stream_instance_id => 'data-stream-id' },
	'packet-context' => { timestamp_begin => 'default-clock-timestamp', timestamp_end => 'packet-end-default-clock-timestamp', packet_size => 'packet-total-length',
		content_size => 'packet-content-length', events_discarded => 'discarded-event-record-counter-snapshot', packet_seq_num => 'packet-sequence-number' },
	'event-record-header' => { id => 'event-record-class-id' },
);
my %origins = ('stream.event.header' => 'event-record-header', 'stream.event.context' => 'event-record-common-context', 'event.context' => 'event-record-specific-context',
	'event.fields' => 'event-record-payload', 'trace.packet.header' => 'packet-header', 'stream.packet.context' => 'packet-context');

sub bare { return $_[0] =~ s/^_//r }

sub integer_class {
	my ($type, $root, $name) = @_;
	my $bits = $type->{size};
	my $byte_order = $type->{byte_order} // 'native';
	my %class = (type => 'fixed-length-' . (($type->{signed} // 'false') =~ /^(?:true|TRUE|1)\z/ ? 'signed' : 'unsigned') . '-integer', length => 0 + $bits,
		'byte-order' => ($byte_order eq 'native' ? $order : $byte_order) eq 'le' ? 'little-endian' : 'big-endian', alignment => 0 + ($type->{align} // ($bits % 8 ? 1 : 8)));
	my %bases = (hexadecimal => 16, hex => 16, x => 16, X => 16, p => 16, octal => 8, oct => 8, o => 8, binary => 2, b => 2);
	my $base = $type->{base} // 10;
	$base = $bases{$base} // ($base =~ /^\d+\z/ ? $base : 10);
	$class{'preferred-display-base'} = 0 + $base if $base != 10;
	push @{ $class{mappings}{ $_->[0] } }, [$_->[1], $_->[2]] for @{ $type->{labels} // [] };
	my $role = $roles{$root}{ bare($name) };
	$role //= 'default-clock-timestamp' if $type->{map} && $root eq 'event-record-header';
	$class{roles} = [$role] if $role;
	return \%class;
}

# The location of the field PATH that a field refers to.  That field is in the last struct of AROUND, [name, fields so far]…
sub location {
	my ($path, $root, @around) = @_;
	my @parts = split /\./, $path;
	for my $start (sort { length $b <=> length $a } keys %origins) {
		return { origin => $origins{$start}, path => [map { bare($_) } split /\./, $1] } if $path =~ /^\Q$start\E\.(.+)/;
	}
	for my $up (0 .. $#around) {
		my $seen = $around[-1 - $up]{seen};
		return { path => [(undef) x $up, map { bare($_) } @parts] } if $seen->{ $parts[0] };
	}
	die "TSDL: $path is nowhere\n";
}

# The type of the field PATH, as location().
sub located {
	my ($path, @around) = @_;
	my ($first, @rest) = split /\./, $path =~ s/^(?:stream\.event\.(?:header|context)|event\.(?:context|fields))\.//r;
	for (reverse @around) {
		my $type = $_->{seen}{$first} or next;
		for my $name (@rest) { ($type) = map { $_->[1] } grep { $_->[0] eq $name } @{ $type->{fields} } }
		return $type;
	}
	die "TSDL: $path is nowhere\n";
}

sub class_of {
	my ($type, $root, $name, @around) = @_;
	my $kind = $type->{kind};
	return integer_class($type, $root, $name) if $kind eq 'integer';
	return { type => 'null-terminated-string' } if $kind eq 'string';
	if ($kind eq 'floating_point') {
		my $class = integer_class({ %$type, size => $type->{exp_dig} + $type->{mant_dig} }, $root, '');
		delete $class->{'preferred-display-base'};
		return { %$class, type => 'fixed-length-floating-point-number' };
	}
	if ($kind eq 'struct') {
		my $here = { seen => {} };
		my @members;
		for my $field (@{ $type->{fields} }) {
			my ($own, $of) = @$field;
			push @members, { name => bare($own), 'field-class' => class_of($of, $root, $own, @around, $here) };
			$here->{seen}{$own} = $here->{seen}{ bare($own) } = $of;
		}
		return { type => 'structure', 'member-classes' => \@members, $type->{align} ? ('minimum-alignment' => 0 + $type->{align}) : () };
	}
	if ($kind eq 'variant') {
		my $tag = located($type->{tag}, @around);
		my @options;
		for my $field (@{ $type->{fields} }) {
			my ($own, $of) = @$field;
			my @ranges = map { [$_->[1], $_->[2]] } grep { bare($_->[0]) eq bare($own) } @{ $tag->{labels} };
			push @options, { name => bare($own), 'selector-field-ranges' => \@ranges, 'field-class' => class_of($of, $root, $own, @around) } if @ranges;
		}
		return { type => 'variant', 'selector-field-location' => location($type->{tag}, $root, @around), options => \@options };
	}
	my $element = $type->{element};
	my %length = $kind eq 'array' ? (length => $type->{length}) : ('length-field-location' => location($type->{length}, $root, @around));
	my $how = $kind eq 'array' ? 'static-length' : 'dynamic-length';
	if ($element->{kind} eq 'integer' && $element->{size} == 8 && ($element->{align} // 8) == 8) {
		return { type => "$how-string", %length } if ($element->{encoding} // 'none') !~ /^none\z/i;
		return { type => "$how-blob", %length, roles => ['metadata-stream-uuid'] } if $root eq 'packet-header' && $name eq 'uuid';
	}
	return { type => "$how-array", %length, 'element-field-class' => class_of($element, $root, '', @around) };
}

# ---- the fragments ----

# A block "{ … };", name → text (or [number]) or type.
sub block {
	my %block;
	take('{');
	push @scopes, {};
	while ($tokens[0] ne '}') {
		next if definition();
		my $name = take();
		if (take() eq ':=') {
			$block{$name} = type(0);
		} else {
			my $minus = $tokens[0] eq '-' ? take() : '';
			my $t = take();
			$block{$name} = $t =~ /^\d/ ? ($minus ? -number($t) : number($t)) : unquote($t);
		}
		take(';');
	}
	pop @scopes;
	take('}');
	take(';');
	return \%block;
}

# The fragments with the same meaning as TSDL.
sub ctf2_of {
	my ($tsdl) = @_;
	my (%blocks, @fragments);
	@tokens = tokens_of($tsdl);
	@scopes = ({});
	while (@tokens) {
		next if definition();
		if ($tokens[0] =~ /^(?:struct|variant|enum)\z/) { type(0); take(';'); next }
		my $kind = take();
		push @{ $blocks{$kind} }, block();
	}
	my ($trace, $env) = ($blocks{trace}[0], $blocks{env}[0] // {});
	$order = $trace->{byte_order} eq 'le' ? 'le' : 'be';
	my $class = sub {
		my ($block, $member, $root, $key) = @_;
		return $block->{$member} ? ($key => class_of($block->{$member}, $root, '')) : ();
	};
	my $uuid = $trace->{uuid};
	push @fragments, { type => 'preamble', version => 2, defined $uuid ? (uuid => [unpack 'C16', pack 'H32', $uuid =~ s/-//gr]) : () };
	push @fragments, { type => 'trace-class', environment => $env, defined $uuid ? (uid => $uuid) : (), $class->($trace, 'packet.header', 'packet-header', 'packet-header-field-class') };
	for my $clock (@{ $blocks{clock} // [] }) {
		my $frequency = $clock->{freq} // Math::BigInt->new(1000000000);
		my ($seconds, $cycles) = ($clock->{offset} // Math::BigInt->new(0))->copy->bdiv($frequency);
		push @fragments, { type => 'clock-class', id => $clock->{name}, name => $clock->{name}, defined $clock->{uuid} ? (uid => $clock->{uuid}) : (), frequency => $frequency,
			origin => 'unix-epoch', 'offset-from-origin' => { seconds => $seconds + ($clock->{offset_s} // 0), cycles => $cycles } };
	}
	for my $stream (@{ $blocks{stream} }) {
		push @fragments, { type => 'data-stream-class', id => $stream->{id} // 0, $blocks{clock} ? ('default-clock-class-id' => $blocks{clock}[0]{name}) : (),
			$class->($stream, 'packet.context', 'packet-context', 'packet-context-field-class'),
			$class->($stream, 'event.header', 'event-record-header', 'event-record-header-field-class'),
			$class->($stream, 'event.context', 'event-record-common-context', 'event-record-common-context-field-class') };
	}
	for my $event (@{ $blocks{event} // [] }) {
		push @fragments, { type => 'event-record-class', name => $event->{name}, id => $event->{id} // 0, 'data-stream-class-id' => $event->{stream_id} // 0,
			$class->($event, 'context', 'event-record-specific-context', 'specific-context-field-class'),
			$class->($event, 'fields', 'event-record-payload', 'payload-field-class') };
	}
	return @fragments;
}

# ---- back to TSDL, for a program that reads only CTF 1.8: the part of CTF 2 that LTTng uses ----

# The fragments of a metadata file.
sub ctf2_fragments { my ($bytes) = @_; return map { $json->decode($_) } grep { /\S/ } split /\x1e/, $bytes }

my %aliases;

sub tsdl_integer {
	my ($class, $map) = @_;
	my $order = $class->{'byte-order'} eq 'big-endian' ? 'be' : 'le';
	my $signed = $class->{type} =~ /-signed-/ ? 'true' : 'false';
	my $align = $class->{alignment} // 1;
	my $base = $class->{'preferred-display-base'} // 10;
	$map = grep({ /clock/ } @{ $class->{roles} // [] }) && $map ? "map = clock.$map.value;" : '';
	my $integer = "integer { size = $class->{length}; align = $align; signed = $signed; byte_order = $order; base = $base; $map }";
	my $mappings = $class->{mappings} or return $integer;
	my @labels = map { my $name = $_; map { qq("$name" = $_->[0] ... $_->[1]) } @{ $mappings->{$name} } } sort keys %$mappings;
	return "enum : $integer { " . join(', ', @labels) . ' }';
}

# The field NAME of CLASS.
sub tsdl_field {
	my ($class, $name, $map) = @_;
	$class = $aliases{$class} if !ref $class;
	my $type = $class->{type};
	my $size = defined $class->{length} ? $class->{length} : $class->{'length-field-location'} ? "_$class->{'length-field-location'}{path}[-1]" : '';
	return tsdl_integer($class, $map) . " $name;" if $type =~ /integer/;
	return "string $name;" if $type eq 'null-terminated-string';
	return "integer { size = 8; align = 8; signed = false; encoding = UTF8; } ${name}[$size];" if $type =~ /-string/;
	return "integer { size = 8; align = 8; signed = false; } ${name}[$size];" if $type =~ /-blob/;
	if ($type =~ /-array/) {
		my $element = tsdl_field($class->{'element-field-class'}, '', $map) =~ s/ ;\z//r;
		return "$element ${name}[$size];";
	}
	if ($type eq 'structure') {
		my @members = map { tsdl_field($_->{'field-class'}, "_$_->{name}", $map) } @{ $class->{'member-classes'} };
		return "struct { @members } align(" . ($class->{'minimum-alignment'} // 1) . ") $name;";
	}
	die "$type: not of LTTng" if $type ne 'variant';
	my @options = map { tsdl_field($_->{'field-class'}, $_->{name}, $map) } @{ $class->{options} };
	return "variant <_$class->{'selector-field-location'}{path}[-1]> { @options } $name;";
}

# A root of fields.  TSDL reserves their names unless the root is EVENT's.
sub tsdl_root {
	my ($key, $class, $map, $event) = @_;
	return '' if !$class;
	my $text = tsdl_field($class, '', $map) =~ s/ ;\z//r;
	$text =~ s/\b_(\w+)(?=;|\[|>)/$1/g if !$event;
	return "$key := $text;\n";
}

# TSDL for FRAGMENTS.
sub tsdl_of {
	my (@fragments) = @_;
	my ($text, %clock) = ("/* CTF 1.8 */\n");
	for my $f (@fragments) {
		$aliases{ $f->{name} } = ref $f->{'field-class'} ? $f->{'field-class'} : $aliases{ $f->{'field-class'} } if $f->{type} eq 'field-class-alias';
		if ($f->{type} eq 'trace-class') {
			my $uuid = join '-', unpack 'A8 A4 A4 A4 A12', join '', map { sprintf '%02x', $_ } @{ $fragments[0]{uuid} };
			$text .= "trace { major = 1; minor = 8; byte_order = le; uuid = \"$uuid\"; " . tsdl_root('packet.header', $f->{'packet-header-field-class'}) . "};\n";
			my $env = $f->{environment};
			$text .= 'env { ' . join('', map { "$_ = " . ($env->{$_} =~ /^-?\d+\z/ ? $env->{$_} : qq("$env->{$_}")) . '; ' } sort keys %$env) . "};\n";
		} elsif ($f->{type} eq 'clock-class') {
			$clock{ $f->{id} } = $f;
			$text .= "clock { name = $f->{id}; freq = $f->{frequency}; offset_s = $f->{'offset-from-origin'}{seconds}; offset = $f->{'offset-from-origin'}{cycles}; };\n";
		} elsif ($f->{type} eq 'data-stream-class') {
			my $map = $f->{'default-clock-class-id'};
			$text .= 'stream { id = ' . ($f->{id} // 0) . '; ' . tsdl_root('packet.context', $f->{'packet-context-field-class'}, $map)
				. tsdl_root('event.header', $f->{'event-record-header-field-class'}, $map) . tsdl_root('event.context', $f->{'event-record-common-context-field-class'}, undef, 1) . "};\n";
		} elsif ($f->{type} eq 'event-record-class') {
			$text .= qq(event { name = "$f->{name}"; id = ) . ($f->{id} // 0) . '; stream_id = ' . ($f->{'data-stream-class-id'} // 0) . '; '
				. tsdl_root('context', $f->{'specific-context-field-class'}, undef, 1) . tsdl_root('fields', $f->{'payload-field-class'}, undef, 1) . "};\n";
		}
	}
	return $text;
}

1;
