/**
 * Why a part was not delivered. The list is closed, so each client API can translate every word; words may be added, and
 * a released word never changes. The carrier's own code stays beside it.
 */
export type Reason =
  // The receiver, or the phone.
  | 'absent_subscriber'
  | 'handset_busy'
  | 'handset_full'
  | 'handset_fault'
  | 'receiver_funds'
  | 'unknown_subscriber'
  | 'invalid_receiver'
  | 'landline'
  | 'sms_unsupported'
  | 'barred'
  | 'receiver_blocked'
  | 'opted_out'
  // The message, or its sender.
  | 'spam_filtered'
  | 'content_refused'
  | 'sender_refused'
  | 'sender_unregistered'
  | 'flooding'
  | 'volume_limit'
  | 'message_invalid'
  // The network, or the carrier.
  | 'network_fault'
  | 'congested'
  | 'no_route'
  | 'carrier_fault'
  | 'carrier_account'
  | 'carrier_balance'
  | 'request_invalid'
  // Receipts only.
  | 'expired'
  | 'canceled'
  | 'unspecified';
