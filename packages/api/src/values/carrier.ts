/* Words and numbers of carriers that the gateway's core and the operator's contract share. */

/** What becomes of a part whose bytes went out and whose answer never came. */
export const inDoubtPolicies = ['resend', 'hold', 'fail'] as const;

/** How the octets of an inbound message are read. */
export const inboundCodings = ['gsm7', 'gsm7-packed', 'latin1', 'ascii', 'ucs2', 'ucs2-le', 'binary'] as const;

/** Tags of optional parameters that a vendor defines (SMPP 3.4, section 5.3.2). */
export const vendorTagMin = 0x1400;
export const tagMax = 0xffff;
