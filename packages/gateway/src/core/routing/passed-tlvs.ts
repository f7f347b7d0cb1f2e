/*
 * Vendor-specific TLVs of clients, with tags from 0x1400 (SMPP 3.4, section 5.3.2). Only the carrier knows their
 * meaning. So the gateway passes them on unchanged, and only to a carrier whose profile accepts all of them.
 */

import { kindOf, type OpenSettings } from '@morsel/api/admin/routing/carrier-kinds.ts';

export interface PassedTlv {
  readonly tag: number;
  /** Value in hexadecimal. */
  readonly value: string;
}

interface PassingCarrier {
  readonly settings: OpenSettings;
}

export function passesOn(carrier: PassingCarrier | undefined, tlvs: readonly PassedTlv[]): boolean {
  const allowed = carrier ? kindOf(carrier.settings).passes(carrier.settings) : [];
  return allowed === 'any' || tlvs.every(({ tag }) => allowed.includes(tag));
}

export function closedTo(
  carriers: readonly { readonly carrier: number }[],
  settings: ReadonlyMap<number, PassingCarrier>,
  tlvs: readonly PassedTlv[],
): readonly number[] {
  return carriers.map(({ carrier }) => carrier).filter((id) => !passesOn(settings.get(id), tlvs));
}

export function tagText(tag: number): string {
  return `0x${tag.toString(16).padStart(4, '0')}`;
}
