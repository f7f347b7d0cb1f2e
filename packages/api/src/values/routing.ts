/* Words and numbers of carriers and routes that the gateway's core and the operator's contract share. */

/** What happens to a part that was sent and never answered. */
export const inDoubtPolicies = ['resend', 'hold', 'fail'] as const;

/** How the octets of an inbound message are read. */
export const inboundCodings = ['gsm7', 'gsm7-packed', 'latin1', 'ascii', 'ucs2', 'ucs2-le', 'binary'] as const;

/** Tags of optional parameters that a vendor defines (SMPP 3.4, section 5.3.2). */
export const vendorTagMin = 0x1400;
export const tagMax = 0xffff;

/** Encodings that a route can require. */
export const routeEncodings = ['gsm7', 'ucs2'] as const;
export type RouteEncoding = (typeof routeEncodings)[number];

/** How carriers of one rank share: by weight, or the cheapest with room first. */
export const rankOrders = ['weight', 'cost'] as const;
export type RankOrder = (typeof rankOrders)[number];
