/** What happens to a part whose bytes went out and whose answer never came. */
export const inDoubtPolicies = ['resend', 'hold', 'fail'] as const;
export type InDoubtPolicy = (typeof inDoubtPolicies)[number];

/**
 * How the id in a carrier's submit_sm_resp and the id in its receipts compare. `same`: as text, without regard to case
 * and leading zeros of digits; `hex-answer`: the answer is hexadecimal and the receipt decimal; `hex-receipt`: the reverse.
 */
export const idRules = ['same', 'hex-answer', 'hex-receipt'] as const;
export type IdRule = (typeof idRules)[number];

export type CarrierStatus = 'active' | 'paused' | 'removed';

/** Who we send through, over one or more links of the same kind. */
export interface Carrier {
  readonly id: number;
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly systemId: string;
  readonly password: string;
  readonly systemType: string;
  /** Requests in flight a link. */
  readonly window: number;
  /** submit_sm a second a link; 0 for no limit. */
  readonly throughput: number;
  readonly links: number;
  readonly inDoubt: InDoubtPolicy;
  readonly idRule: IdRule;
  readonly status: CarrierStatus;
}

/** Times a part in doubt is sent again under `resend`; after that it is held, or a phone would get it again and again. */
export const resendsMax = 2;

const firstResendMs = 30_000;

/** How long a part waits after its `doubts`th doubt until it is sent again: a late answer or receipt may settle it first. */
export function resendDelayMs(doubts: number): number {
  return firstResendMs * 4 ** (doubts - 1);
}

const digits = /^\d+$/;
const hexDigits = /^[0-9a-f]+$/i;

/** The id as both sides of a rule agree on it. What does not fit the rule (a UUID under `hex-answer`) is compared as text. */
export function carrierIdKey(id: string, rule: IdRule, from: 'answer' | 'receipt'): string {
  const isHex = (rule === 'hex-answer' && from === 'answer') || (rule === 'hex-receipt' && from === 'receipt');
  if (isHex && hexDigits.test(id)) return BigInt(`0x${id}`).toString();
  if (digits.test(id)) return id.replace(/^0+(?=\d)/, '');
  return id.toLowerCase();
}
