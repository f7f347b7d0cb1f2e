/*
 * Extras: parameters of a client that only its carrier understands. The gateway passes them on unchanged, and only to a
 * carrier whose settings name all of them.
 */

import { kindOf, type OpenSettings } from '@morsel/api/admin/routing/carrier-kinds.ts';

export interface Extra {
  readonly tag: number;
  /** In hexadecimal. */
  readonly octets: string;
}

interface PassingCarrier {
  readonly settings: OpenSettings;
}

export function passesOn(carrier: PassingCarrier | undefined, extras: readonly Extra[]): boolean {
  const allowed = carrier ? kindOf(carrier.settings).passes(carrier.settings) : [];
  return allowed === 'any' || extras.every(({ tag }) => allowed.includes(tag));
}

export function closedTo(
  carriers: readonly { readonly carrier: number }[],
  settings: ReadonlyMap<number, PassingCarrier>,
  extras: readonly Extra[],
): readonly number[] {
  return carriers.map(({ carrier }) => carrier).filter((id) => !passesOn(settings.get(id), extras));
}

export function tagText(tag: number): string {
  return `0x${tag.toString(16).padStart(4, '0')}`;
}
