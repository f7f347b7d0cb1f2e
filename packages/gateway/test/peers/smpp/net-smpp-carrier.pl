#!/usr/bin/perl
# A carrier made of Net::SMPP, for net-smpp.ts: it binds, answers, sends receipts and inbound messages. It writes what
# it hears as one JSON object a line, and reads what it is to do as words, one line each:
#
#   hold           answer no submit_sm from now on
#   answer COUNT   answer the oldest that wait
#   inbound HEX    send the octets as an inbound message
#   receipt ID SENDER RECEIVER
#                  bring the receipt of a message, again or late
#   enquire        ask enquire_link
#
# Usage: net-smpp-carrier.pl PORT FIRST-ID PLAN; PLAN is how ids and receipts are written: "decimal", "hex" (hexadecimal
# in the answer, decimal in the receipt) or "data_sm" (receipts come that way).
use strict;
use warnings;
use IO::Select;
use JSON::PP;
use Net::SMPP;

my ($port, $last_id, $plan) = @ARGV;
my $is_holding = 0;
my (@held, %boundAs, %waiting);
my $sequence = 0;

$| = 1;
$SIG{PIPE} = 'IGNORE';
# Net::SMPP complains of every connection that ends.
$SIG{__WARN__} = sub { tell_test(event => 'warning', text => $_[0]) unless $_[0] =~ /premature eof|reset by peer/ };

my $listener = Net::SMPP->new_listen('127.0.0.1', port => $port, smpp_version => 0x34) or die "cannot listen: $!";
my $select = IO::Select->new($listener, \*STDIN);
tell_test(event => 'listening', port => $listener->sockport);

while (1) {
    for my $ready ($select->can_read) {
        if ($ready == $listener) {
            my $link = $listener->accept or next;
            $select->add($link);
        }
        elsif (fileno($ready) == fileno(STDIN)) { obey() }
        else { hear($ready) }
    }
}

sub tell_test { print encode_json({@_}), "\n" }

# By single octets, so that select sees what is left.
sub obey {
    my $line = '';
    while (1) {
        my $count = sysread STDIN, my $octet, 1;
        exit unless $count;
        last if $octet eq "\n";
        $line .= $octet;
    }
    my ($word, @rest) = split / /, $line;
    if ($word eq 'hold') { $is_holding = 1 }
    elsif ($word eq 'answer') { answer(shift @held) for 1 .. $rest[0] }
    elsif ($word eq 'receipt') { bring_receipt(@rest) }
    elsif ($word eq 'inbound') {
        my $link = receiver() or die 'nobody is bound to receive';
        $link->deliver_sm(async => 1, seq => ++$sequence, source_addr_ton => 1, source_addr_npi => 1,
            source_addr => '41791234567', dest_addr_ton => 3, destination_addr => '8400',
            short_message => pack 'H*', $rest[0]);
    }
    elsif ($word eq 'enquire') { $_->enquire_link(async => 1, seq => ++$sequence) for links() }
}

sub links { grep { $boundAs{$_} } $select->handles }

sub receiver {
    my ($link) = grep { $boundAs{$_} =~ /receiver|transceiver/ } links();
    return $link;
}

sub hear {
    my ($link) = @_;
    my $pdu = $link->read_pdu;
    if (!$pdu) {
        tell_test(event => 'ended', as => delete $boundAs{$link} // 'nothing');
        @held = grep { $_->{link} != $link } @held;
        $select->remove($link);
        close $link;
        return;
    }
    my $name = $pdu->explain_cmd;
    my $seq = $pdu->{seq};
    if ($name =~ /^bind_(\w+)$/) {
        $link->set_version($pdu->{interface_version});
        $boundAs{$link} = $1;
        tell_test(event => 'bound', as => $1, system_id => $pdu->{system_id}, version => $pdu->{interface_version});
        my $respond = "${name}_resp";
        $link->$respond(seq => $seq, system_id => 'Net::SMPP');
    }
    elsif ($name eq 'submit_sm') {
        my $taken = { link => $link, seq => $seq, id => ++$last_id, sender => $pdu->{source_addr},
            receiver => $pdu->{destination_addr}, registered => $pdu->{registered_delivery} };
        tell_test(event => 'submit', id => "$last_id", sender => $pdu->{source_addr}, receiver => $pdu->{destination_addr},
            esm_class => $pdu->{esm_class}, data_coding => $pdu->{data_coding}, octets => unpack 'H*', $pdu->{short_message});
        if ($is_holding) { push @held, $taken }
        else { answer($taken) }
    }
    elsif ($name eq 'deliver_sm_resp' || $name eq 'data_sm_resp') {
        tell_test(event => 'acknowledged', command => $name, status => $pdu->{status});
    }
    elsif ($name eq 'enquire_link') { $link->enquire_link_resp(seq => $seq) }
    elsif ($name eq 'enquire_link_resp') { tell_test(event => 'enquired') }
    elsif ($name eq 'unbind') {
        tell_test(event => 'unbind', as => $boundAs{$link});
        $link->unbind_resp(seq => $seq);
    }
    else { tell_test(event => 'unexpected', command => $name) }
}

sub answer {
    my ($taken) = @_;
    my $id = $plan eq 'hex' ? sprintf '%X', $taken->{id} : $taken->{id};
    $taken->{link}->submit_sm_resp(seq => $taken->{seq}, message_id => $id);
    tell_test(event => 'answered', id => "$taken->{id}");
    bring_receipt(@$taken{qw(id sender receiver)}) if $taken->{registered};
}

sub bring_receipt {
    my ($id, $sender, $receiver) = @_;
    my $link = receiver() or die 'nobody is bound to receive';
    my $text = sprintf 'id:%010d sub:001 dlvrd:001 submit date:2601010101 done date:2601010102 stat:DELIVRD err:000 text:-', $id;
    my @fields = (async => 1, seq => ++$sequence, source_addr => $receiver, destination_addr => $sender, esm_class => 4);
    if ($plan eq 'data_sm') { $link->data_sm(@fields, receipted_message_id => "$id\0", message_state => "\2") }
    else { $link->deliver_sm(@fields, short_message => $text) }
}
