/* The answers to commands: a result, or a rejection with its reason. */

import { refused, type Result } from '@morsel/api/values/result.ts';
import type { Rejection } from '../../core/base/rejection.ts';

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

export function invalid(field: string, detail: string): { ok: false; error: Rejection } {
  return refused({ code: 'invalid_parameter', field, detail });
}

export function inPast(field: string): { ok: false; error: Rejection } {
  return invalid(field, 'must be in the future');
}
