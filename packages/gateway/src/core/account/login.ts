import type { AddressRange, AllowList } from '@morsel/api/values/address-range.ts';
import { passwordLength } from '@morsel/api/values/credentials.ts';

/** What makes a hash of a password: `cost`, `block` and `lanes` are N, r and p of scrypt (RFC 7914, section 2). */
export interface PasswordHash {
  readonly hash: Uint8Array;
  readonly salt: Uint8Array;
  readonly cost: number;
  readonly block: number;
  readonly lanes: number;
}

/** A system_id and a password that an account binds with over SMPP. */
export interface Login {
  readonly id: number;
  readonly account: number;
  readonly systemId: string;
  readonly password: PasswordHash;
  /** Networks that it may bind from. */
  readonly from: AllowList<AddressRange>;
}

/** No two characters look alike: neither 0 and O, nor 1, l and I. */
const alphabet = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';
/** Octets from here on are skipped: they would make some characters more likely. */
const fairBelow = 256 - (256 % alphabet.length);

/** Random octets that `makePassword` needs. Nearly all of 64 are usable. */
export const passwordRandomBytes = 64;

/** Makes a password of `passwordLength` equally likely characters: 46 bits together. */
export function makePassword(random: Uint8Array): string {
  const characters = [...random].filter((octet) => octet < fairBelow).map((octet) => alphabet[octet % alphabet.length]);
  if (characters.length < passwordLength) throw new Error('a password needs more chance than there was');
  return characters.slice(0, passwordLength).join('');
}
