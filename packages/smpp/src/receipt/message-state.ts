/*
 * The states of a message in delivery receipts, and how to read them from the words that carriers use.
 */

/**
 * The states of a message (5.0 section 4.7.15; 3.4 section 5.2.28 defines only the states 1 to 8). `value` is the
 * number in message_state, `stat` is the word in a receipt, and `final` says whether the state is final.
 *
 * We do not treat ACCEPTED as final, although the standard does ("read by customer service"). Carriers use ACCEPTED
 * when they have accepted a message, and send the final state later.
 */
export const messageStateTable = {
  SCHEDULED: { value: 0, stat: 'SCHEDLD', final: false },
  ENROUTE: { value: 1, stat: 'ENROUTE', final: false },
  DELIVERED: { value: 2, stat: 'DELIVRD', final: true },
  EXPIRED: { value: 3, stat: 'EXPIRED', final: true },
  DELETED: { value: 4, stat: 'DELETED', final: true },
  UNDELIVERABLE: { value: 5, stat: 'UNDELIV', final: true },
  ACCEPTED: { value: 6, stat: 'ACCEPTD', final: false },
  UNKNOWN: { value: 7, stat: 'UNKNOWN', final: true },
  REJECTED: { value: 8, stat: 'REJECTD', final: true },
  SKIPPED: { value: 9, stat: 'SKIPPED', final: true },
} as const;

export type MessageState = keyof typeof messageStateTable;

/** The names of the states; the index of a name is its number in message_state. */
const states: readonly MessageState[] = Object.keys(messageStateTable).filter(isMessageState);

/**
 * The first letters of `stat` in the spellings that carriers use. BUFFERD and similar words mean that the carrier will
 * send the message later, so they count as SCHEDULED.
 */
const statStems: readonly (readonly [string, MessageState])[] = [
  ['DELIV', 'DELIVERED'],
  ['DELVR', 'DELIVERED'],
  ['DLVRD', 'DELIVERED'],
  ['UNDEL', 'UNDELIVERABLE'],
  ['UNDLV', 'UNDELIVERABLE'],
  ['NOTDEL', 'UNDELIVERABLE'],
  ['NONDEL', 'UNDELIVERABLE'],
  ['FAIL', 'UNDELIVERABLE'],
  ['EXP', 'EXPIRED'],
  ['DELET', 'DELETED'],
  ['CANCEL', 'DELETED'],
  ['ACCEPT', 'ACCEPTED'],
  ['ACCPT', 'ACCEPTED'],
  ['ACK', 'ACCEPTED'],
  ['REJ', 'REJECTED'],
  ['DND', 'REJECTED'],
  ['ENROUT', 'ENROUTE'],
  ['SENT', 'ENROUTE'],
  ['BUFF', 'SCHEDULED'],
  ['QUEUE', 'SCHEDULED'],
  ['SCHED', 'SCHEDULED'],
  ['SKIP', 'SKIPPED'],
  ['UNKN', 'UNKNOWN'],
];

function isMessageState(name: string): name is MessageState {
  return Object.hasOwn(messageStateTable, name);
}

/** The words of the standard, which most carriers use. */
const stateOfWord: ReadonlyMap<string, MessageState> = new Map(
  states.map((state) => [messageStateTable[state].stat, state]),
);

/** The state for a number in message_state; undefined if the number is unknown. */
export function stateOfNumber(value: number): MessageState | undefined {
  return states[value];
}

/**
 * The state for a `stat` in a receipt; undefined if the word is unknown. Ignores case and all characters except
 * letters.
 */
export function stateOfStat(stat: string): MessageState | undefined {
  const state = stateOfWord.get(stat);
  if (state !== undefined) return state;
  const letters = stat.toUpperCase().replaceAll(/[^A-Z]/g, '');
  return statStems.find(([stem]) => letters.startsWith(stem))?.[1];
}
