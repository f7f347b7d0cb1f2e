/* Words and limits of carriers and routes, which the gateway and the operator's HTTP API share. */

export const inDoubtPolicies = ['resend', 'hold', 'fail'] as const;

export const inboundCodings = ['gsm7', 'gsm7-packed', 'latin1', 'ascii', 'ucs2', 'ucs2-le', 'binary'] as const;
export type InboundCoding = (typeof inboundCodings)[number];

/** The first and last tag of vendor-specific optional parameters (SMPP 3.4, section 5.3.2). */
export const vendorTagMin = 0x1400;
export const tagMax = 0xffff;

export const routeEncodings = ['gsm7', 'ucs2'] as const;
export type RouteEncoding = (typeof routeEncodings)[number];

/** How a route chooses among carriers with the same rank: by weight, or the cheapest carrier with room. */
export const rankOrders = ['weight', 'cost'] as const;
export type RankOrder = (typeof rankOrders)[number];
