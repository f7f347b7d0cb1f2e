/*
 * A refusal writes nothing, so no commit checks that the rows behind it are still current. Random commands go to two
 * nodes, and a model checks each refusal: it must be right for some state between its request and its answer.
 */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { toMicros, type Micros } from '@morsel/api/values/money.ts';
import { messageIdsAfter } from '../../src/core/base/message-id.ts';
import type { AnyResult, Command, CommandOf } from '../../src/state/commands.ts';
import { Journal } from '../../src/store/journal.ts';
import { needsPostgres } from '../peers/needs.ts';
import { operate } from '../support/store/operate.ts';
import { Chance } from '../support/chance.ts';
import { moneyFaultsOf } from '../support/store/rules/money-faults.ts';
import { Postgres } from '../support/store/postgres.ts';
import { optOut } from '../support/gateway/opt-outs.ts';
import { carrierCommand, routeCommand } from '../support/store/routing-commands.ts';
import { acceptCommand, helloContent, propertyRuns } from '../support/store/store.ts';
import { testMasterKey } from '../support/store/vault.ts';

const { receiver } = helloContent;

/** The state of the account in the model. */
interface State {
  readonly balance: number;
  readonly credit: number;
  readonly cap: number;
  readonly spent: number;
  readonly isSuspended: boolean;
  readonly isOptedOut: boolean;
}

/** A command, with its change of the model, and the reason to refuse it in a state of the model. */
interface Step {
  readonly command: Command;
  readonly done: (state: State) => State;
  readonly refusal: (state: State) => string | undefined;
}

const never = () => undefined;

function stepsOf(accept: (cost: number) => CommandOf<'accept'>): readonly ((chance: Chance) => Step)[] {
  const said = { at: Date.now(), account: 'acme', actor: 'test', reason: 'test' };
  const set = (settings: { creditLimit: Micros } | { dayCap: Micros }): Command =>
    operate('account.set', { account: 'acme', ...settings }, { at: said.at, made: {} });
  const send = (chance: Chance): Step => {
    const cost = chance.between(1, 40);
    return {
      command: accept(cost),
      done: (state) => ({ ...state, balance: state.balance - cost, spent: state.spent + cost }),
      refusal: ({ balance, credit, cap, spent, isSuspended, isOptedOut }) => {
        if (isSuspended) return 'forbidden';
        if (isOptedOut) return 'receiver_opted_out';
        if (balance - cost < -credit) return 'insufficient_balance';
        return spent + cost > cap ? 'spend_cap_reached' : undefined;
      },
    };
  };
  const adjust = (chance: Chance): Step => {
    const amount = chance.between(-60, 60) || 1;
    return {
      command: operate(
        'posting.adjust',
        { account: 'acme', reason: 'test', amount: toMicros(BigInt(amount)) },
        { at: said.at },
      ),
      done: (state) => ({ ...state, balance: state.balance + amount }),
      refusal: ({ balance, credit }) => (amount < 0 && balance + amount < -credit ? 'conflict' : undefined),
    };
  };
  const credit = (chance: Chance): Step => {
    const limit = chance.between(0, 60);
    return {
      command: set({ creditLimit: toMicros(BigInt(limit)) }),
      done: (state) => ({ ...state, credit: limit }),
      refusal: ({ balance }) => (balance < -limit ? 'invalid_parameter' : undefined),
    };
  };
  const cap = (chance: Chance): Step => {
    const more = chance.between(0, 100);
    const spent = chance.between(0, 2_000);
    return {
      command: set({ dayCap: toMicros(BigInt(spent + more)) }),
      done: (state) => ({ ...state, cap: spent + more }),
      refusal: never,
    };
  };
  const status = (chance: Chance): Step => {
    const isSuspended = chance.happens(0.3);
    return {
      command: operate(isSuspended ? 'account.suspend' : 'account.resume', { account: 'acme' }, { at: said.at }),
      done: (state) => ({ ...state, isSuspended }),
      refusal: never,
    };
  };
  const entry = (chance: Chance): Step => {
    const isOptedOut = chance.happens(0.3);
    return {
      command: optOut(isOptedOut ? 'add' : 'remove', { receiver }, said.at),
      done: (state) => ({ ...state, isOptedOut }),
      refusal: (state) => (isOptedOut || state.isOptedOut ? undefined : 'does_not_exist'),
    };
  };
  return [send, send, send, send, adjust, adjust, credit, cap, status, entry];
}

/** All states that simultaneous commands can lead to, done in any order. */
function statesOf(from: State, steps: readonly Step[]): readonly State[] {
  return [
    from,
    ...steps.flatMap((step, at) =>
      statesOf(
        step.done(from),
        steps.filter((_each, other) => other !== at),
      ),
    ),
  ];
}

it('each refusal of two nodes is right for some state between its request and its answer', needsPostgres, async () => {
  await using postgres = await Postgres.start();
  await using opened = new AsyncDisposableStack();
  const nodes = [await openNode(postgres.url, 'n1', opened), await openNode(postgres.url, 'n2', opened)] as const;
  const seed = Number(process.env['CRASH_SEED'] ?? Math.floor(Math.random() * 1_000_000));
  const chance = new Chance(seed);
  const [first] = nodes;
  const account = { name: 'acme', currency: 'EUR', balance: toMicros(100n) };
  await first.done(operate('account.add', account, { at: Date.now(), made: {} }));
  await first.done(carrierCommand({ at: Date.now() }));
  await first.done(routeCommand({ at: Date.now() }));
  await first.done(operate('account.set', { account: 'acme', dayCap: toMicros(500n) }, { at: Date.now(), made: {} }));
  let state: State = { balance: 100, credit: 0, cap: 500, spent: 0, isSuspended: false, isOptedOut: false };
  for (let round = 1; round <= propertyRuns(100); round++) {
    const taken = Array.from({ length: chance.between(1, 3) }, (_each, at) => {
      const node = chance.pick(nodes);
      const known = stepsOf(node.accept);
      // Each round has one change beside messages, so that the state after the round is certain.
      return { node, step: (at === 0 ? chance.pick(known) : (known[0] ?? assert.fail('it sends')))(chance) };
    });
    const results = await Promise.all(taken.map(({ node, step }) => node.append(step.command)));
    const about = (at: number) =>
      `seed ${seed}, round ${round}: ${JSON.stringify([state, taken.map(({ step }) => step.command.kind), results[at]], plain)}`;
    const done = taken.filter((_each, at) => results[at]?.ok).map(({ step }) => step);
    for (const [at, { step }] of taken.entries()) {
      const others = done.filter((other) => other !== step);
      const possible = statesOf(state, others).map((each) => step.refusal(each));
      const result: AnyResult | undefined = results[at];
      assert.ok(possible.includes(result?.ok === false ? result.error.code : undefined), about(at));
    }
    state = done.reduce((before, step) => step.done(before), state);
  }
  const { rows } = await postgres.query('select balance from account');
  assert.deepEqual(rows, [[String(state.balance)]], `seed ${seed}`);
  assert.deepEqual(await moneyFaultsOf(postgres), []);
});

function plain(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

const end = (reason: string) => assert.fail(reason);

async function openNode(url: string, name: string, opened: AsyncDisposableStack) {
  const place = { kind: 'postgres', url, name, masterKey: testMasterKey } as const;
  const journal = opened.use(await Journal.open({ place, onFatal: end, onFault: end }));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the kind of a command says what it answers
  const append = (command: Command): Promise<AnyResult> => journal.append(command as CommandOf<'begin'>);
  const done = async (command: Command) => {
    const result = await append(command);
    return result.ok ? result.value : assert.fail(JSON.stringify(result.error));
  };
  const begun = await journal.append<'begin'>({ kind: 'begin', at: Date.now() });
  const nextId = messageIdsAfter(0, begun.ok ? begun.value.node : 0, Date.now);
  const accept = (cost: number) =>
    acceptCommand({
      at: Date.now(),
      id: nextId(),
      unitPrice: toMicros(BigInt(cost)),
      totalCost: toMicros(BigInt(cost)),
    });
  return { append, done, accept };
}
