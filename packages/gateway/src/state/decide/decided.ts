/* The answers to commands: a result, or a rejection with its reason. */

import { refused, type Result } from '@morsel/api/values/result.ts';
import { invalid, type Rejection } from '../../core/base/rejection.ts';

export type Decided<Value> = Result<Value, Rejection>;

export function exists(detail: string): { ok: false; error: Rejection } {
  return refused({ code: 'already_exists', detail });
}

export function inUse(detail: string): { ok: false; error: Rejection } {
  return refused({ code: 'in_use', detail });
}

export function conflict(detail: string): { ok: false; error: Rejection } {
  return refused({ code: 'conflict', detail });
}

export function missing(detail: string): { ok: false; error: Rejection } {
  return refused({ code: 'does_not_exist', detail });
}

export function inPast(field: string): { ok: false; error: Rejection } {
  return invalid(field, 'must be in the future');
}

type Present<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> };

/** The members that have a value. In a change these are the settings to change. */
export function present<T extends object>(values: T): Present<T> {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  // All members that are kept come from the same object.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return Object.fromEntries(entries) as Present<T>;
}
