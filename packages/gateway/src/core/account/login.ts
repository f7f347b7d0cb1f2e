import type { AddressRange, AllowList } from '@morsel/api/values/address-range.ts';
import { passwordLength } from '@morsel/api/values/credentials.ts';

/** `cost`, `block` and `lanes` are N, r and p of scrypt (RFC 7914, section 2). */
export interface PasswordHash {
  readonly hash: Uint8Array;
  readonly salt: Uint8Array;
  readonly cost: number;
  readonly block: number;
  readonly lanes: number;
}

export interface Login {
  readonly id: number;
  readonly account: number;
  /** The name that a client gives. */
  readonly user: string;
  readonly password: PasswordHash;
  readonly from: AllowList<AddressRange>;
}

/** The characters of passwords. Characters that look alike are left out, such as 0 and O, or 1, l and I. */
const alphabet = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';
/** Random octets from this value on are skipped, because they would make some characters more likely than others. */
const fairBelow = 256 - (256 % alphabet.length);

/** Number of random octets that `makePassword` needs. It skips a few of them. */
export const passwordRandomBytes = 64;

/** A password is as hard to guess as 46 random bits. */
export function makePassword(random: Uint8Array): string {
  const characters = [...random].filter((octet) => octet < fairBelow).map((octet) => alphabet[octet % alphabet.length]);
  if (characters.length < passwordLength) throw new Error('makePassword needs more usable random octets');
  return characters.slice(0, passwordLength).join('');
}
