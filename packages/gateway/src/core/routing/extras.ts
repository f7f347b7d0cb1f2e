/*
 * Extras: parameters of a client that only its carrier understands. The gateway passes them on unchanged, and only to a
 * carrier whose settings name all of them.
 */

export interface Extra {
  readonly tag: number;
  /** In hexadecimal. */
  readonly octets: string;
}

interface PassingCarrier {
  readonly profile: { readonly passTlvs: readonly number[] | 'any' };
}

export function passesOn(carrier: PassingCarrier | undefined, extras: readonly Extra[]): boolean {
  const allowed = carrier?.profile.passTlvs ?? [];
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
