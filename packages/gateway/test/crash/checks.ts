import { microsIn, textIn } from '../support/clients/http-client.ts';
import { partNumber, type Submit } from './carrier-process.ts';
import { loadCarriers, type Remembered } from './load.ts';
import type { Row, StoreFile } from '../support/store/store-file.ts';

/*
 * Compares the records that clients, carrier and store have of a load. Each check returns a sentence for each
 * disagreement.
 */

/** How often a part in doubt is sent again. After that, the part is held, whatever the carrier's policy for doubts. */
const resendsMax = 2;

const messagesSql = `select message.id, account.name as account, receiver,
    text_in('message', account.id, message.id, content) as text, num_parts, total_cost, balance_after,
  (select report_event from part where part.message = message.id and number = 1) as event, (select coalesce(sum(in_doubt), 0) from part where part.message = message.id) as doubts
  from message join account on account.id = message.account`;

/** A1, A2, A5, M3, M6, M7: the store has the answered messages, each once; it has no refused message. */
export function answerFaults(store: StoreFile, remembered: readonly Remembered[]): string[] {
  const faults: string[] = [];
  const stored = new Map<string, Row[]>();
  for (const row of store.rows(messagesSql)) {
    const receiver = row.text('receiver');
    stored.set(receiver, [...(stored.get(receiver) ?? []), row]);
  }
  for (const sent of remembered) {
    const rows = stored.get(sent.receiver) ?? [];
    stored.delete(sent.receiver);
    const say = (fault: string) => faults.push(`the message to ${sent.receiver} of round ${sent.round} ${fault}`);
    const [row] = rows;
    if (rows.length > 1) say(`is there ${rows.length} times`);
    const { answer, twin } = sent;
    if (twin?.status === 200 && twin.text !== answer?.text) say(`has two answers: ${answer?.text} and ${twin.text}`);
    if (answer === undefined) {
      if (row && sent.wanted === undefined) say('had to be refused and is there');
      continue;
    }
    const isWanted = sent.wanted === undefined ? answer.status !== 200 : [200, 402, 503].includes(answer.status);
    if (!isWanted || answer.status === 500) say(`was answered ${answer.status} ${answer.text}`);
    if (answer.status !== 200) {
      if (row) say(`was answered ${answer.status} and is there`);
    } else if (!row) say('was answered 200 and is not there');
    else for (const fault of differences(sent, answer, row)) say(fault);
  }
  for (const [receiver] of stored) faults.push(`nobody sent the message to ${receiver}`);
  return faults;
}

function differences(sent: Remembered, answer: NonNullable<Remembered['answer']>, row: Row): string[] {
  const facts: readonly (readonly [what: string, answered: unknown, stored: unknown])[] = [
    ['msgId', textIn(answer.body, 'msgId'), row.micros('id').toString()],
    ['totalCost', microsIn(answer.text, 'totalCost'), row.micros('total_cost')],
    ['clientBalance', microsIn(answer.text, 'clientBalance'), row.micros('balance_after')],
    ['numParts', answer.body['numParts'], row.integer('num_parts')],
    ['numParts by hand', sent.numParts, row.integer('num_parts')],
    ['text', sent.text, row.text('text')],
    ['account', sent.account, row.text('account')],
  ];
  return facts
    .filter(([, answered, stored]) => answered !== stored)
    .map(([what, answered, stored]) => `was answered with ${what} ${String(answered)} and has ${String(stored)}`);
}

/**
 * A3: every part has the final state that its receiver causes, or was in doubt at least once. A part still in doubt
 * waits for a receipt: by the carrier's policy, after all resends, after a refused second attempt, or because another
 * part of its message was refused.
 */
export function endFaults(store: StoreFile, remembered: readonly Remembered[]): string[] {
  const wanted = new Map(remembered.map((sent) => [sent.receiver, sent.wanted]));
  const faults: string[] = [];
  for (const row of store.rows(messagesSql)) {
    const end = wanted.get(row.text('receiver'));
    if (row.integer('doubts') === 0 && row.text('event') !== end) {
      faults.push(`the message to ${row.text('receiver')} was never in doubt and is ${row.text('event')}, not ${end}`);
    }
  }
  const openStates = `state in ('scheduled', 'queued', 'claimed', 'sent', 'buffered') or (state = 'in_doubt'
    and (select outcome from attempt where attempt.message = part.message and attempt.part = part.number
      order by attempt.number desc limit 1) <> 'refused'
    and not exists (select 1 from part as other where other.message = part.message and other.state = 'rejected')
    and message in (select message.id from message join route on route.id = message.route
      join route_carrier on route_carrier.route = route.id join carrier on carrier.id = route_carrier.carrier
      where carrier.in_doubt = 'fail' or (carrier.in_doubt = 'resend' and part.in_doubt <= ${resendsMax})))`;
  for (const row of store.rows(`select message, number, state from part where ${openStates}`)) {
    faults.push(`part ${row.integer('number')} of ${row.micros('message')} is still ${row.text('state')}`);
  }
  return faults;
}

/** S1, S5: the carrier has read only claimed parts, and has accepted each part at most as often as S5 allows. */
export function carrierFaults(store: StoreFile, submits: readonly Submit[]): string[] {
  const parts = new Map<string, Row>();
  const rows = store.rows(
    `select receiver, number, attempts, in_doubt, (select count(*) from attempt where attempt.message = part.message
        and attempt.part = part.number and outcome = 'busy' and code is null) as unsent
      from part join message on message.id = part.message`,
  );
  for (const row of rows) parts.set(`${row.text('receiver')} part ${row.integer('number')}`, row);
  const read = new Map<string, { read: number; accepted: number }>();
  for (const submit of submits) {
    const key = `+${submit.destination} part ${partNumber(submit)}`;
    const count = read.get(key) ?? { read: 0, accepted: 0 };
    count.read += 1;
    if (submit.command_status === 0) count.accepted += 1;
    read.set(key, count);
  }
  const faults: string[] = [];
  for (const [key, count] of read) {
    const row = parts.get(key);
    if (!row) faults.push(`S1: the carrier has read ${key}, which the store does not know`);
    else if (count.read > row.integer('attempts')) {
      faults.push(`S1: the carrier has read ${key} ${count.read} times, claimed ${row.integer('attempts')} times`);
    } else if (count.accepted > 1 + row.integer('in_doubt')) {
      faults.push(
        `S5: the carrier has taken ${key} ${count.accepted} times, in doubt ${row.integer('in_doubt')} times`,
      );
    }
  }
  for (const [key, row] of parts) {
    const unread = row.integer('in_doubt') + row.integer('unsent');
    if (!read.has(key) && row.integer('attempts') > unread) {
      faults.push(`${key} has ${row.integer('attempts')} attempts, and the carrier has read none`);
    }
  }
  return faults;
}

/** A crash leaves at most as many parts in doubt as the windows of all links have room for. */
export function doubtFaults(store: StoreFile): string[] {
  const left = store.rows(
    `select lease, carrier.name as carrier, link, count(*) as doubts from attempt
      join carrier on carrier.id = attempt.carrier where outcome = 'in_doubt' group by lease, carrier.id, link`,
  );
  return left
    .filter((row) => {
      const carrier = loadCarriers.find(({ name }) => name === row.text('carrier'));
      return row.integer('doubts') > (carrier?.window ?? 0) || row.integer('link') > (carrier?.links ?? 0);
    })
    .map(
      (row) => `run ${row.integer('lease')} left ${row.integer('doubts')} in doubt of a link of ${row.text('carrier')}`,
    );
}
