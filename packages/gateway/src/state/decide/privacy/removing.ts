/*
 * Removes texts, numbers or records of messages that have ended: after the account's number of days, or for an erasure.
 * The columns' marks (state/tables/column.ts) say what is removed; the store makes the statements from them.
 */

import type { Retained } from '@morsel/api/values/account.ts';
import { isErased, isPhoneNumber } from '../../../core/privacy/erased.ts';
import type { MessageId } from '../../../core/base/message-id.ts';
import type { Rows } from '../../rows/rows.ts';
import { effect } from '../../tables/lookup.ts';
import {
  leftBehind,
  leftBehindTable,
  oldMessageById,
  type LeftBy,
  type OldMessage,
} from '../../tables/privacy/removal.ts';

type OfRun = [first: number, last: number];
/** Effects on messages with ids from `first` to `last`. With a record, the rows that refer to it are removed, too. */
const removals = {
  texts: effect<OfRun>()('message.remove-texts'),
  records: effect<OfRun>()('message.remove-records'),
  'inbound-texts': effect<OfRun>()('inbound.remove-texts'),
  'inbound-records': effect<OfRun>()('inbound.remove-records'),
};
const countMessages = effect<[node: number, ...OfRun]>()('message.count-run');
const writeNumbers = effect<[sender: string, receiver: string, message: number]>()('message.write-numbers');
const writeSender = effect<[sender: string, inbound: number]>()('inbound.write-numbers');
const eraseReplacedSender = effect<[message: number]>()('note.erase-sender');
const deleteTag = effect<[tag: string, message: number]>()('tagged.delete');

export function kindOf(what: Retained): 'message' | 'inbound' {
  return what.startsWith('inbound') ? 'inbound' : 'message';
}

/** Makes the code that replaces a phone number. */
export type CodeOf = (number: string) => string;

/** Removes data of the ended messages. `found`: all messages of the range, in the order of their ids. */
export function remove(
  rows: Rows,
  what: Retained,
  {
    found,
    ended,
    codeOf,
  }: { readonly found: readonly OldMessage[]; readonly ended: ReadonlySet<OldMessage>; readonly codeOf: CodeOf },
): void {
  if (what === 'numbers' || what === 'records') for (const each of ended) deleteTags(rows, each);
  if (what === 'numbers' || what === 'inbound-numbers') {
    for (const each of ended) eraseNumbers(rows, what, each, codeOf);
    return;
  }
  for (const { first, last } of runsOf(found, ended)) {
    if (what === 'records') rows.run(countMessages, rows.node.id, first, last);
    rows.run(removals[what], first, last);
  }
}

/** Ranges of ids in which every message is wanted. */
function runsOf(all: readonly OldMessage[], wanted: ReadonlySet<OldMessage>) {
  const runs: { readonly first: number; last: number }[] = [];
  let isInRun = false;
  for (const message of all) {
    const run = runs.at(-1);
    const isWanted = wanted.has(message);
    if (isWanted && isInRun && run) run.last = message.id;
    else if (isWanted) runs.push({ first: message.id, last: message.id });
    isInRun = isWanted;
  }
  return runs;
}

function eraseNumbers(
  rows: Rows,
  what: 'numbers' | 'inbound-numbers',
  { id, sender, receiver }: OldMessage,
  codeOf: CodeOf,
): void {
  if (what === 'inbound-numbers') {
    rows.run(writeSender, codeOf(sender), id);
    return;
  }
  const isNumber = isPhoneNumber(sender) || isErased(sender);
  rows.run(writeNumbers, isNumber ? codeOf(sender) : sender, codeOf(receiver), id);
  rows.run(eraseReplacedSender, id);
}

function deleteTags(rows: Rows, { id, tags }: OldMessage): void {
  for (const tag of tags ?? []) rows.run(deleteTag, tag, id);
}

/** Notes a message that has not ended, so that a later command removes its data. */
export function leaveBehind(rows: Rows, what: LeftBy, message: MessageId): void {
  rows.add(leftBehindTable, { change: 'add', what, message });
}

/** Takes ended messages off the list of messages that were left behind. */
export function takeLeft(
  rows: Rows,
  {
    left,
    kind,
    after,
    max,
  }: { readonly left: LeftBy; readonly kind: 'message' | 'inbound'; readonly after: number; readonly max: number },
) {
  const looked = rows.all(leftBehind, left, after, max);
  const ended: OldMessage[] = [];
  let open = 0;
  for (const row of looked) {
    const [message] = rows.values(oldMessageById[kind], row.message);
    if (message?.isOpen) {
      open += 1;
      continue;
    }
    if (message) ended.push(message);
    row.change = 'gone';
  }
  return { ended, open, isMore: looked.length === max, last: looked.at(-1)?.message };
}
