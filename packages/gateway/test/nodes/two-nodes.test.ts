/* Two nodes on one PostgreSQL die in many ways under load: no message is lost, and none is sent or charged twice. */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { quickTimes, replacedStatus } from './pair.ts';
import { leaseOverMs, links, Trial } from './trial.ts';
import { waitUntil } from '../support/wait-until.ts';
import { needsPostgres } from '../peers/needs.ts';

type Death = (trial: Trial) => Promise<void>;

const frozen = 'a node stopped for longer than its lease';
const cutOff = 'the network to the database is cut for longer than the lease';
/** After these, the links of a node that lives on stay bound for a while, though another node has its work. */
const withZombies = [frozen, cutOff];

const deaths: { readonly [name: string]: Death } = {
  'kill -9 of a node, which starts again': async (trial) => {
    const victim = trial.victim();
    await victim.node.kill();
    await trial.pair.restart(victim);
  },
  'kill -9 of a node, which another one replaces': async (trial) => {
    const victim = trial.victim();
    await victim.node.kill();
    await trial.bound();
    await trial.pair.replace(victim, trial.newName());
  },
  'kill -9 of both nodes': async (trial) => {
    await Promise.all(trial.pair.places.map(({ node }) => node.kill()));
    for (const place of trial.pair.places) await trial.pair.restart(place);
  },
  [frozen]: async (trial) => {
    const victim = trial.victim();
    const zombies = trial.books.sessions;
    victim.node.signal('SIGSTOP');
    await sleep(leaseOverMs);
    const wakesAt = performance.now();
    victim.node.signal('SIGCONT');
    const { status, errors } = await victim.node.ended;
    assert.equal(status, replacedStatus, errors);
    const isGone = (session: (typeof zombies)[number]) => !trial.books.sessions.includes(session);
    await waitUntil('its links are closed', () => trial.books.sessions.length === links && zombies.some(isGone));
    const late = [...trial.books.taken.values()]
      .flat()
      .filter(({ session, at }) => at > wakesAt && zombies.includes(session) && isGone(session));
    assert.equal(late.length, 0, 'a zombie sends nothing');
    await trial.pair.restart(victim);
  },
  'a node stopped for a moment': async (trial) => {
    const victim = trial.victim();
    victim.node.signal('SIGSTOP');
    await sleep(quickTimes.quietMs);
    victim.node.signal('SIGCONT');
  },
  'the network to the database is cut for a moment': async (trial) => {
    const { cable } = trial.victim();
    cable.cut();
    await trial.moment();
    cable.restore();
  },
  'the network to the database is silent for a moment': async (trial) => {
    const { cable } = trial.victim();
    cable.silence();
    await sleep(quickTimes.quietMs);
    cable.restore();
  },
  [cutOff]: async (trial) => {
    const victim = trial.victim();
    victim.cable.cut();
    const { status, errors } = await victim.node.ended;
    assert.equal(status, replacedStatus, errors);
    victim.cable.restore();
    await trial.pair.restart(victim);
  },
  'the network to the database is silent for longer than the lease': async (trial) => {
    const victim = trial.victim();
    victim.cable.silence();
    await waitUntil('a load balancer sees it', async () => (await fetch(victim.node.url('/ready'))).status === 503);
    const { status, errors } = await victim.node.ended;
    assert.equal(status, replacedStatus, errors);
    victim.cable.restore();
    await trial.pair.restart(victim);
  },
  'kill -9 of a node whose network to the database is cut': async (trial) => {
    const victim = trial.victim();
    victim.cable.cut();
    await trial.moment();
    await victim.node.kill();
    victim.cable.restore();
    await trial.pair.restart(victim);
  },
  'kill -9 of a node while the network of the other one is cut': async (trial) => {
    const victim = trial.victim();
    const { cable } = trial.besides(victim);
    cable.cut();
    await victim.node.kill();
    await trial.moment();
    cable.restore();
    await trial.pair.restart(victim);
  },
  'the database ends all connections': (trial) => trial.endConnections(),
  'kill -9 of a process of the database, which ends all others and recovers': (trial) => trial.crashDatabase(),
  "kill -9 of a node under a client's session": async (trial) => {
    const victim = trial.victim();
    const first = await trial.bind(victim);
    const submitted = trial.submitOver(first);
    await trial.moment();
    await victim.node.kill();
    const ids = await submitted;
    await using next = await trial.bind(trial.besides(victim));
    const untold = () => ids.filter((id) => ![...first.taken, ...next.taken].some(({ receipt }) => receipt?.id === id));
    await waitUntil(
      () => `the other node brings the receipts of ${untold().join(', ')}`,
      async () => {
        await trial.resendDoubts();
        return untold().length === 0;
      },
      receiptsLimitMs,
    );
    await trial.pair.restart(victim);
  },
};

const receiptsLimitMs = 30_000;
const ways = Object.entries(deaths);
/** The number of deaths in a run. The seed chooses the kind of the first death. */
const rounds = Number(process.env['NODES_DEATHS'] ?? 6);

const seed = Number(process.env['CRASH_SEED'] ?? Date.now() % 2 ** 32);
/** Deaths in a trial. Each death checks all messages of its trial, so a long run has several trials. */
const roundsOfTrial = 20;

for (let first = 0; first < rounds; first += roundsOfTrial) {
  const last = Math.min(first + roundsOfTrial, rounds);
  it(
    `two nodes die under load, deaths ${first + 1} to ${last}: all records agree on every message and cent`,
    needsPostgres,
    async (t) => {
      t.diagnostic(`seed ${seed}`);
      await using trial = await Trial.open(seed + first);
      for (let round = first; round < last; round++) {
        const [name, die] = ways[(seed + round) % ways.length] ?? assert.fail('there are ways');
        const beganAt = performance.now();
        try {
          await oneDeath(trial, name, die);
        } catch (fault) {
          // The fault is printed now, because closing the trial may fail, too, and would hide it.
          t.diagnostic(`death ${round + 1}, ${name}: ${fault instanceof Error ? fault.stack : String(fault)}`);
          throw fault;
        }
        t.diagnostic(`${name}: ${Math.round(performance.now() - beganAt)} ms`);
      }
      await trial.bound();
      t.diagnostic(
        `${trial.remembered.length} requests, ${trial.accepted} accepted, ${trial.pair.ownEnds} nodes ended by themselves`,
      );
    },
  );
}

async function oneDeath(trial: Trial, name: string, die: Death): Promise<void> {
  trial.startLoad();
  await trial.more();
  await trial.moment();
  await die(trial);
  await trial.goesOn();
  await trial.compare();
  if (!withZombies.includes(name)) assert.ok(trial.books.mostBinds <= links, `${trial.books.mostBinds} binds`);
  trial.books.mostBinds = trial.books.sessions.length;
}
