import type { AddressRange } from '@morsel/api/values/address-range.ts';
import { passwordLength } from '@morsel/api/values/login.ts';
import type { AllowList } from '@morsel/api/values/allow-list.ts';

/** What makes a hash of a password: `cost`, `block` and `lanes` are N, r and p of scrypt (RFC 7914, section 2). */
export interface PasswordHash {
  readonly hash: Uint8Array;
  readonly salt: Uint8Array;
  readonly cost: number;
  readonly block: number;
  readonly lanes: number;
}

/** A system_id and a password by which an account binds to us over SMPP. */
export interface Login {
  readonly id: number;
  readonly account: number;
  readonly systemId: string;
  readonly password: PasswordHash;
  /** Where it may bind from. */
  readonly from: AllowList<AddressRange>;
}

/** No two of them look alike: neither 0 and O, nor 1, l and I. */
const alphabet = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';
/** Octets from here on would make some characters likelier than others. */
const fairBelow = 256 - (256 % alphabet.length);

/** Random octets that `makePassword` needs: of 64 nearly all are fair. */
export const passwordRandomBytes = 64;

/** A password of `passwordLength` characters, each with as much chance in it as any other: 46 bits together. */
export function makePassword(random: Uint8Array): string {
  const characters = [...random].filter((octet) => octet < fairBelow).map((octet) => alphabet[octet % alphabet.length]);
  if (characters.length < passwordLength) throw new Error('a password needs more chance than there was');
  return characters.slice(0, passwordLength).join('');
}
