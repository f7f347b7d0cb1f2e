import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { endings } from '@morsel/simulator';
import { inDoubtPolicies } from '@morsel/api/values/routing.ts';
import { resendsMax } from '../../src/core/routing/carrier.ts';
import { ofEvent } from './carrier-evidence.ts';
import { CarrierRun, endInbound } from './carrier-run.ts';
import { endsMidWindow } from './closing-carrier.ts';
import { closingFaults } from './closing-promises.ts';
import { sendTraffic } from './closing-traffic.ts';
import { faults } from '../support/carriers/carrier-faults.ts';
import { alterStore } from '../support/store/store-file.ts';
import { Tour } from '../support/gateway/tour.ts';
import { operatorCalls } from '../../src/edge/admin/handlers.ts';

/*
 * The simulator misbehaves in every way that it or the tests' faults know, each in the middle of ordinary traffic
 * over one link with a window. Every promise about carriers is checked from outside (carrier-promises.ts,
 * receipt-promises.ts); the tour checks M1 to M3, A1 and A5 at the end of each.
 */

/**
 * Every way to misbehave, and each way to end a connection under each policy. Otherwise one in six ways, and each way to
 * end a connection and each policy once: each takes seconds, and the tests of decisions have all outcomes.
 */
const isLong = process.env['EVERY_PAIR'] === '1';
const ordinaryCount = 12;
const unitPrice = 0.0075;

/** Every ending of the simulator, and the faults that only tests need. */
const behaviours = { ...endings, ...faults };

/** The event of the message that meets it, if it is not delivered. */
const events: { readonly [suffix: string]: string } = {
  '9902': 'undelivered',
  '9903': 'expired',
  '9904': 'rejected',
  '9905': 'undelivered',
  '9906': 'unknown',
  '9912': 'sent',
  '9915': 'sent',
  '9930': 'rejected',
  '9931': 'queued',
  '9934': 'rejected',
  '9939': 'queued',
  '9942': 'sent',
  '9944': 'sent',
  '9945': 'sent',
  '9948': 'sent',
  '9949': 'rejected',
  '9952': 'sent',
  '9953': 'rejected',
  '9954': 'sent',
  '9955': 'sent',
  '9956': 'rejected',
  '9959': 'sent',
  '9973': 'sent',
  '9974': 'sent',
  '9976': 'sent',
  '9977': 'sent',
  '9978': 'sent',
  '9979': 'sent',
  '9980': 'sent',
  '9990': 'undelivered',
};

/** Refused by the submit_sm_resp, and so refunded. */
const refusedAtSubmit = new Set(['9930', '9934', '9949', '9953', '9956']);

/** How long the link or the part waits before others go on. */
const slow: { readonly [suffix: string]: number } = { '9933': 8_000 };
const quietMs = 1_500;
const oneIn = 6;
const ways = Object.entries(behaviours).filter(([suffix], at) => isLong || (at % oneIn === 0 && !(suffix in slow)));

/** They end the link with a window of others: those are in doubt, and held. */
const takesOthersAlong = new Set(['9976', '9977', '9978']);

/** Ids that the answer and the receipt write differently. */
const needsLearning = new Set(['9916', '9917']);

/** The simulator marks all other receipts, so that under auto these would be inbound messages. */
const textOnly = new Set(['9921']);

/** One link that soon gives up unanswered requests, and holds doubts, so that nothing is sent twice. */
const carrier = {
  name: 'wild',
  window: 5,
  inDoubt: 'hold',
  answerTimeoutMs: 400,
  enquireLinkMs: 300,
  backOffMinMs: 20,
  backOffMaxMs: 100,
};

/** Requests that they send twice, and the simulator's journal has once. */
const twice = new Set(['9897']);

/** They end the connection, and octets in the network or being written are not read. */
const lossy = new Set(['9944', '9945', '9946', '9947', '9948', '9954', '9955', '9973', '9974']);

/** Connections that end mid-window, with half of the answers sent, over several links. */
const closings = { afterSubmits: 12, times: 5 } as const;
const closingCarrier = {
  name: 'closing',
  prefix: '41',
  links: 3,
  window: 8,
  idRule: 'same',
  answerTimeoutMs: 1_000,
  enquireLinkMs: 200,
  backOffMinMs: 20,
  backOffMaxMs: 100,
};

/** So that windows are full; less than the simulator gathers before it ends a connection. */
const answerDelayMs = 30;
/** Longer than the gateway waits between two looks for due parts, or for unmatched receipts. */
const closingQuietMs = 1_600;
const hourMs = 3_600_000;
/** Parts that wait to be sent again go now; held ones wait for days. */
const resendNowSql = "update part set deadline = 0 where state = 'in_doubt' and deadline < ?";

describe('a carrier that misbehaves in one way', { concurrency: 10 }, () => {
  for (const [place, by] of (['rst', 'fin', 'silence'] as const).entries()) {
    for (const inDoubt of isLong ? inDoubtPolicies : inDoubtPolicies.slice(place, place + 1)) {
      it(
        `${by} in the middle of a window, half of its answers sent, under ${inDoubt}`,
        { timeout: 120_000 },
        async () => {
          const throughput = inDoubt === 'fail' ? 40 : 0;
          await using run = await CarrierRun.open(
            {
              carriers: [{ ...closingCarrier, inDoubt, throughput }],
              simulator: { receiptDelayMs: 20, answerDelayMs, holdAnswer: endsMidWindow({ by, ...closings }) },
            },
            {
              ...closingCarrier,
              carrier: closingCarrier.name,
              throughput,
              inDoubt,
              isLossy: by !== 'silence',
              learns: false,
              sentTwice: 0,
            },
          );
          const { tour } = run;
          phoneWrites(tour);
          const count = await sendTraffic(tour, closingCarrier.name);
          await run.settle(closingQuietMs);
          // Once more than anything may be sent again: the last time nothing goes.
          for (let again = inDoubt === 'resend' ? resendsMax + 1 : 1; again > 0; again--) {
            await tour.restart(() => void alterStore(tour.dataDir, resendNowSql, Date.now() + hourMs));
            await run.settle(closingQuietMs);
          }
          await endInbound(tour);
          const { parts, inbound } = await tour.readStore((store) => run.holdsPromises(store));
          assert.equal(parts.length, count, 'A1: nothing is lost');
          assert.deepEqual(closingFaults(parts, inDoubt), []);
          assert.equal(inbound.incomplete, 1, 'O3: one of two parts came');
          const fullest = Math.max(...ofEvent(tour.journal, 'submit').map(({ unanswered }) => unanswered));
          if (throughput === 0) assert.equal(fullest, closingCarrier.window, 'the windows were full');
          const bound = ofEvent(tour.journal, 'bind').length;
          assert.ok(bound >= closingCarrier.links + closings.times, `the connections did end: ${bound} binds`);
        },
      );
    }
  }
});

describe('a carrier that misbehaves for one receiver', () => {
  let host: Tour;
  const runs: { readonly suffix: string; readonly run: CarrierRun }[] = [];
  before(async () => {
    host = await Tour.open({ carriers: [] });
  });
  after(async () => {
    for (const { run } of runs) await run[Symbol.asyncDispose]();
    await host[Symbol.asyncDispose]();
  });

  describe('and ordinary messages beside it', { concurrency: 10 }, () => {
    for (const [place, [suffix, { about }]] of ways.entries()) {
      it(`${suffix}: ${about}`, { timeout: 120_000 }, async () => {
        const prefix = `4179${100 + place}`;
        const run = await openWild(host, suffix, prefix);
        runs.push({ suffix, run });
        await wildEnds(run, suffix, prefix);
        // Its remaining requests are not waited for.
        const drained = await operatorCalls(host.gateway.operator).carrier.drain({ carrier: wildName(suffix) });
        assert.ok(drained.ok, JSON.stringify(drained));
      });
    }
  });

  it('keeps every promise', async () => {
    await endInbound(host);
    await host.readStore((store) => {
      for (const { suffix, run } of runs) {
        const { received, incomplete } = run.holdsPromises(store).inbound;
        if (behaviours[suffix]?.replies === undefined)
          assert.equal(received, phoneParts, `${suffix}: O4: a receipt is no message`);
        else assert.ok(received > phoneParts, `${suffix}: O1: what was acknowledged is kept`);
        assert.equal(incomplete, suffix === '9896' ? 2 : 1, `${suffix}: O3: one of two parts came`);
      }
    });
    assert.equal(runs.length, ways.length);
  });
});

/** A carrier for one way to misbehave, at an account of its own. */
function openWild(host: Tour, suffix: string, prefix: string): Promise<CarrierRun> {
  const learns = needsLearning.has(suffix);
  const rule = learns ? { idRule: 'auto', answerTimeoutMs: 5_000 } : { idRule: 'same' };
  const own = { ...rule, textReceipts: textOnly.has(suffix) ? 'on' : 'auto' };
  return CarrierRun.open(
    { carriers: [{ ...carrier, ...own, prefix }], simulator: { receiptDelayMs: 20 } },
    {
      carrier: wildName(suffix),
      prefix,
      window: carrier.window,
      links: 1,
      throughput: 0,
      inDoubt: 'hold',
      isLossy: lossy.has(suffix),
      learns,
      sentTwice: twice.has(suffix) ? 1 : 0,
    },
    { host, name: suffix },
  );
}

function wildName(suffix: string): string {
  return `${suffix}-${carrier.name}`;
}

/** Sends to the receiver among ordinary ones, and asserts the final events that clients see. */
async function wildEnds(run: CarrierRun, suffix: string, prefix: string): Promise<void> {
  const { tour } = run;
  const ordinary = `+${prefix}0001`;
  const others: string[] = [];
  let wildId = '';
  for (let number = 1; number <= ordinaryCount; number++) {
    others.push(await tour.accept({ receiver: ordinary, text: `number ${number}` }));
    if (number === ordinaryCount / 3) phoneWrites(tour);
    if (number === ordinaryCount / 2) wildId = await tour.accept({ receiver: `+${prefix}${suffix}` });
  }
  await run.settle(slow[suffix] ?? (needsLearning.has(suffix) ? 4_000 : quietMs));

  const mayBe = takesOthersAlong.has(suffix) || lossy.has(suffix) ? ['delivered', 'sent'] : ['delivered'];
  for (const id of others) assert.ok(mayBe.includes(String((await tour.report(id))['event'])), `another, ${id}`);
  const wildEnd = String((await tour.report(wildId))['event']);
  // A generic_nack without a sequence number belongs to the one request in flight; with several in flight it matches
  // none, and its request is in doubt.
  const ends = suffix === '9956' ? ['rejected', 'sent'] : [events[suffix] ?? 'delivered'];
  assert.ok(ends.includes(wildEnd), wildEnd);
  const refunds = refusedAtSubmit.has(suffix) && wildEnd === 'rejected' ? 1 : 0;
  const charged = ordinaryCount + 1 - refunds;
  assert.equal(await tour.balance(), 100 - charged * unitPrice, 'M3: one charge each, and back what was refused');

  const texts = tour.submits(ordinary).map(({ text }) => Number(text?.split(' ')[1]));
  assert.deepEqual(
    texts,
    texts.toSorted((one, other) => one - other),
    'S6: in order for one account and receiver',
  );
}

/** Inbound parts: one whole message, and the first of two. */
const phoneParts = 2;

function phoneWrites({ simulator }: Tour): void {
  const [from, to] = ['+41791230009', '+41790000001'];
  void simulator.sendInbound({ from, to, text: 'Hello from a phone' });
  const octets = Buffer.concat([Buffer.from([5, 0, 3, 77, 2, 1]), Buffer.from('The first of two parts')]);
  void simulator.sendInbound({ from, to, octets, esm_class: 0x40 });
}
