/*
 * Checks the passwords and one-time codes of operators. Anybody can guess at the sign-in, so each network has one
 * sign-in checked at a time, and a wrong sign-in is refused late. A flood from one network costs one check in eight
 * seconds, and delays no other network.
 */

import { refused, ok, type Result } from '@morsel/api/values/result.ts';
import { dayMs, minuteMs, secondMs } from '@morsel/api/values/time.ts';
import { BindFailures } from '../../core/account/bind-failures.ts';
import { stepOfCode } from '../../core/account/one-time-code.ts';
import { RecentTable } from '../../core/base/recent-table.ts';
import type { Rejection } from '../../core/base/rejection.ts';
import type { Passwords } from './passwords.ts';
import { sleep } from '../../runtime/clock.ts';
import type { Tools } from '../ports.ts';

interface Claim {
  readonly operator: string;
  readonly password: string;
  readonly code?: string | undefined;
}

/** The most sign-ins of a network that are under way: one is checked, and a few of other operators may wait. */
const underWayMax = 5;
/** Wrong passwords and codes are counted for this long. */
const countMs = 15 * minuteMs;
/** A code has six digits, so nobody may try many, from however many addresses. */
const wrongCodesMax = 10;
const wrongPasswordsMax = 10;
/**
 * The limit for one operator from all networks (NIST SP 800-63B, 5.2.2). Networks of recent sign-ins have only their
 * own limit, so guesses lock no operator out.
 */
const wrongOfAllMax = 100;
const usualMs = 30 * dayMs;
const keysMax = 10_000;

const wrong = refused({ code: 'unauthorized' } as const);
const tooMany = refused({
  code: 'too_many_tries',
  detail: 'too many sign-ins from this address: try again',
  waitMs: secondMs,
} as const);

/** Refusals that are delayed, and that delay later refusals more: for a wrong password and for a reached limit. */
const lateRefusals: ReadonlySet<string> = new Set<Rejection['code']>(['unauthorized', 'too_many_tries']);

/** Sign-ins of one network, one after the other. */
interface Line {
  length: number;
  last: Promise<unknown>;
}

export class SignInGuard {
  readonly #needs;
  readonly #lines = new Map<string, Line>();
  readonly #ending = new AbortController();
  readonly #failures = new BindFailures();
  readonly #wrongPasswords = new RecentTable(countMs, keysMax);
  readonly #wrongCodes = new RecentTable(countMs, keysMax);
  /** The networks from which an operator signed in. */
  readonly #usual = new RecentTable(usualMs, keysMax);

  constructor(
    needs: Pick<Tools, 'clock' | 'reader'> & {
      readonly passwords: Pick<Passwords, 'isKnown' | 'check'>;
      /** Addresses of one network count together. */
      readonly networkOf: (address: string) => string;
    },
  ) {
    this.#needs = needs;
  }

  /** Runs a sign-in after earlier sign-ins from the same network. The refusal of a wrong sign-in is delayed. */
  async inTurn<T>(address: string, signIn: () => Promise<Result<T, Rejection>>): Promise<Result<T, Rejection>> {
    const network = this.#needs.networkOf(address);
    const line = this.#lines.get(network) ?? { length: 0, last: Promise.resolve() };
    if (line.length >= underWayMax) return tooMany;
    this.#lines.set(network, line);
    line.length += 1;
    const done = line.last.then(() => this.#run(network, signIn));
    line.last = done.catch(() => undefined);
    try {
      return await done;
    } finally {
      line.length -= 1;
      if (line.length === 0) this.#lines.delete(network);
    }
  }

  /** Call this inside `inTurn`. Returns the time step of the code; null if the operator has no codes. */
  async check(claim: Claim, address: string): Promise<Result<number | null, Rejection>> {
    const { operator, password } = claim;
    const { reader, passwords, networkOf } = this.#needs;
    const network = networkOf(address);
    // This check comes before the password check: no answer to somebody who must wait depends on the password.
    const waitMs = this.#waitMs(operator, network);
    if (waitMs > 0) return refused({ code: 'too_many_tries', detail: tooManyWrong('passwords'), waitMs });
    const found = await reader.ask('operatorSignIn', operator);
    if (!found.ok) return found;
    const claimed = { user: operator, hash: found.value?.password, password };
    const isRight = passwords.isKnown(claimed) ? ok(true) : await this.#isRight(claimed, network);
    if (!isRight.ok) return isRight;
    if (!isRight.value || !found.value) return wrong;
    const step = this.#stepOf(claim, found.value);
    if (step.ok) this.#usual.add(pair(operator, network), this.#needs.clock.monotonicMs());
    return step;
  }

  /** Ends all delays, and refuses new sign-ins at once, so that nobody delays the end of the gateway. */
  end(): void {
    this.#ending.abort();
  }

  async #run<T>(network: string, signIn: () => Promise<Result<T, Rejection>>): Promise<Result<T, Rejection>> {
    const { clock } = this.#needs;
    if (this.#ending.signal.aborted) return refused({ code: 'unavailable', detail: 'the gateway is stopping' });
    const beganMs = clock.monotonicMs();
    const delayMs = this.#failures.delayMs(network, beganMs);
    const done = await signIn();
    if (done.ok || !lateRefusals.has(done.error.code)) return done;
    this.#failures.note(network, beganMs);
    await sleep(clock, Math.max(0, beganMs + delayMs - clock.monotonicMs()), this.#ending.signal);
    return done;
  }

  /** Unknown names have the same limits as operators, so that an answer does not reveal which names exist. */
  #waitMs(operator: string, network: string): number {
    const nowMs = this.#needs.clock.monotonicMs();
    const own = pair(operator, network);
    return Math.max(
      this.#wrongPasswords.waitUntilBelow(own, wrongPasswordsMax, nowMs),
      this.#usual.sum(own, nowMs) > 0 ? 0 : this.#wrongPasswords.waitUntilBelow(operator, wrongOfAllMax, nowMs),
    );
  }

  async #isRight(claimed: Parameters<Passwords['check']>[0], network: string): Promise<Result<boolean, Rejection>> {
    const { user: operator } = claimed;
    const nowMs = this.#needs.clock.monotonicMs();
    const verdict = await this.#needs.passwords.check(claimed, network);
    if (verdict === 'busy') return refused({ code: 'unavailable', detail: 'too many sign-ins: try again' });
    if (verdict === 'wrong')
      for (const key of [pair(operator, network), operator]) this.#wrongPasswords.add(key, nowMs);
    return ok(verdict === 'right');
  }

  #stepOf(
    { operator, code }: Claim,
    { codeSecret, codeStep }: { readonly codeSecret: Uint8Array | null; readonly codeStep: number },
  ): Result<number | null, Rejection> {
    if (!codeSecret) return ok(null);
    const { clock } = this.#needs;
    const nowMs = clock.monotonicMs();
    if (this.#wrongCodes.sum(operator, nowMs) >= wrongCodesMax) return wrongCode(tooManyWrong('codes'));
    const step = stepOfCode(codeSecret, code ?? '', { now: clock.now(), after: codeStep });
    if (step !== undefined) return ok(step);
    if (code !== undefined) this.#wrongCodes.add(operator, nowMs);
    return wrongCode('the one-time code is wrong, or was used before');
  }
}

function pair(operator: string, network: string): string {
  return `${operator} ${network}`;
}

function tooManyWrong(things: string): string {
  return `too many ${things} were wrong: wait ${countMs / minuteMs} minutes, or let an owner make a sign-in link`;
}

function wrongCode(detail: string) {
  return refused({ code: 'invalid_parameter', field: 'code', detail } as const);
}
