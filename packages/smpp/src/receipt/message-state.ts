/**
 * The states of a message (5.0 section 4.7.15; 3.4 section 5.2.28 has those from 1 to 8): the number in message_state,
 * the seven letters of a receipt's `stat`, and whether another state can follow.
 *
 * ACCEPTED is final in the standard ("read by customer service"); carriers say it when they have taken the message, and
 * send the real end later.
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

/** By number, which is the place in the table. */
const states: readonly MessageState[] = Object.keys(messageStateTable).filter(isMessageState);

/**
 * How `stat` begins, letters only, in the spellings that carriers use. BUFFERD and its like mean that the carrier holds
 * the message back, which is what SCHEDULED says of it.
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

/** The state that a message_state octet means, if any. */
export function stateOfNumber(value: number): MessageState | undefined {
  return states[value];
}

/** The state that a `stat` means, if any: case and marks between the letters do not count. */
export function stateOfStat(stat: string): MessageState | undefined {
  const letters = stat.toUpperCase().replaceAll(/[^A-Z]/g, '');
  return statStems.find(([stem]) => letters.startsWith(stem))?.[1];
}
