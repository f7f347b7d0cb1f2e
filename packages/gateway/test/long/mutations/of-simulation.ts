/* Mutations of the gateway that the simulation must notice. */

import type { Mutation } from '../mutate.ts';

const decide = 'gateway/src/state/decide';
const flow = 'gateway/src/flow';
const core = 'gateway/src/core';
const link = 'gateway/src/edge/carriers/smpp/link.ts';

export const mutationsOfSimulation: readonly Mutation[] = [
  // Acceptance
  {
    wrong: 'a message is acknowledged before its commit',
    file: `${flow}/message/submit.ts`,
    text: "const kept = await (needs.traces ? needs.traces.commit('accept', append) : append());",
    becomes:
      'void append(); const kept = { ok: true, value: { clientBalance: 0n, reference: command.reference, first: undefined } };',
  },
  {
    wrong: 'a message is sent before its commit',
    file: `${flow}/message/submit.ts`,
    text: "const append = () => needs.journal.append<'accept'>(whole);",
    becomes: `reservation?.send(reservedMessage(command, value.composed, command.reference));
      if (reservation) reservation.send = () => undefined;
      const append = () => needs.journal.append<'accept'>(whole);`,
  },
  {
    wrong: 'the answer counts one part less than are sent',
    file: `${flow}/message/submit.ts`,
    text: '    numParts,\n    totalCost: rated.totalCost,',
    becomes: '    numParts: Math.max(1, numParts - 1),\n    totalCost: rated.totalCost,',
  },
  {
    wrong: 'a long message costs a single part',
    file: `${core}/money/rating.ts`,
    text: 'toMicros(unitPrice * BigInt(numParts))',
    becomes: 'unitPrice',
  },
  {
    wrong: 'an idempotency key is not kept',
    file: `${decide}/message/accept.ts`,
    text: 'if (command.idempotency) keepKey(rows, message, command.idempotency);',
    becomes: '',
  },
  {
    wrong: 'a key is read from the wrong end of its life',
    file: `${flow}/message/repeats.ts`,
    text: 'needs.clock.now() - idempotencyLifeMs;',
    becomes: 'needs.clock.now() + idempotencyLifeMs;',
    why: 'the commit looks for the key, too',
  },
  {
    wrong: 'some messages fill no bucket of a rate',
    file: `${decide}/account/limits.ts`,
    text: 'account.rateFullAt = taken.fullAt;',
    becomes: 'if (at % 2 === 0) account.rateFullAt = taken.fullAt;',
  },
  {
    wrong: 'a limit that refused a message refuses others for too long',
    file: `${flow}/account/limits.ts`,
    text: 'until: at + refusal.waitMs,',
    becomes: 'until: at + refusal.waitMs + 30_000,',
  },
  {
    wrong: 'an event goes back',
    file: `${core}/base/message.ts`,
    text: 'if (!forward && !correction) return record;',
    becomes: '',
    why: '150 seeds did not show it',
  },
  {
    wrong: 'each part of a message carries the text of the first',
    file: 'gateway/src/edge/carriers/smpp/submit-sm.ts',
    text: 'composed.parts[number - 1]',
    becomes: 'composed.parts[0]',
  },
  {
    wrong: 'the header of a part counts a part too many',
    file: 'gateway/src/edge/carriers/smpp/submit-sm.ts',
    text: 'needsNoPlace ? { ...composed, numParts: 1 } : composed,',
    becomes:
      'needsNoPlace ? { ...composed, numParts: 1 } : { ...composed, numParts: composed.numParts + part.attempt },',
  },
  // The life of a part
  {
    wrong: 'the claims of a process that crashed are forgotten',
    file: `${decide}/process.ts`,
    text: 'const found = rows.values(orphans, node.id);',
    becomes: 'const found: ReturnType<typeof rows.values<typeof orphans>> = [];',
  },
  {
    wrong: 'a claim stays after its answer',
    file: `${decide}/message/outcome.ts`,
    text: '  part.claim = null;',
    becomes: '',
  },
  {
    wrong: 'a part that was sent has no deadline',
    file: `${decide}/message/part.ts`,
    text: 'part.deadline = isFinal(state) ? null : move.deadline;',
    becomes: "part.deadline = isFinal(state) || state === 'sent' ? null : move.deadline;",
  },
  {
    wrong: 'a part that ends keeps its deadline',
    file: `${decide}/message/part.ts`,
    text: 'part.deadline = isFinal(state) ? null : move.deadline;',
    becomes: 'part.deadline = isFinal(state) ? message.expiresAt : move.deadline;',
  },
  {
    wrong: 'deadlines are not looked at',
    file: `${flow}/message/due-work.ts`,
    text: 'due?.parts !== false && !isHeld()',
    becomes: 'false',
  },
  {
    wrong: 'an accepted part is taken for one that failed for a time',
    file: 'gateway/src/edge/carriers/smpp/answer.ts',
    text: "outcome: 'accepted', scope: 'message', carrierIds }",
    becomes: "outcome: 'temporary', scope: 'message', carrierIds }",
  },
  {
    wrong: 'a part is given to a link twice',
    file: `${flow}/routing/running-carrier.ts`,
    text: '    link.send(costed, turn, (answer) => {',
    becomes: '    link.send(costed, turn, () => undefined);\n    link.send(costed, turn, (answer) => {',
  },
  {
    wrong: 'an answer of the carrier is lost',
    file: `${flow}/message/receive.ts`,
    text: '  append();\n}',
    becomes: "  if (answer.outcome !== 'accepted') append();\n}",
  },
  {
    wrong: 'an answer that the carrier is busy ends nothing',
    file: `${decide}/message/outcome.ts`,
    text: 'return again(rows, part, busyUntil(rows, part, answer), at);',
    becomes: "return answer.outcome === 'busy' ? null : again(rows, part, busyUntil(rows, part, answer), at);",
  },
  {
    wrong: 'a throttled part goes behind those that came after it',
    file: `${decide}/message/outcome.ts`,
    text: 'busy <= receiverBusyMax) return messageOf(rows, part).dueAt;',
    becomes: 'busy <= receiverBusyMax) return retryOf(rows, part, 1, at);',
  },
  {
    wrong: 'a part without an answer leaves its link out of the reckoning',
    file: link,
    text: '        return response.written ? unanswered : unsent;',
    becomes: "        return { ...unsent, outcome: 'accepted' };",
    why: '150 seeds did not show it',
  },
  {
    wrong: 'the window is compared with >= instead of >',
    file: link,
    text: '(this.#session?.room ?? 0) > (this.#gate?.held ?? 0)',
    becomes: '(this.#session?.room ?? 0) >= (this.#gate?.held ?? 0)',
    why: 'reserved room is enough while nobody lowers a window in the middle',
  },
  {
    wrong: 'a link gives out room that it does not have',
    file: link,
    text: 'Math.min(session.room - onTheirWay, ',
    becomes: 'Math.min(session.room, ',
    why: 'the link gives the part back unsent; only time is lost',
  },
  // Notifications
  {
    wrong: 'a notification that failed is not tried again',
    file: `${flow}/notification/notify.ts`,
    text: 'if (tried.due !== null) this.#lookNoLaterThan(notification.account, tried.due);',
    becomes: '',
  },
  {
    wrong: 'a delivered notification stays under way',
    file: `${decide}/notification/tried.ts`,
    text: "    row.state = isDelivered ? 'delivered' : 'dead';",
    becomes: "    row.state = isDelivered ? 'waiting' : 'dead';",
  },
  // What the judge or the world does not have yet
  {
    wrong: 'a refund is skipped',
    file: `${decide}/message/part.ts`,
    text: 'if (move.isText !== true) refund(rows, message, part, state, move);',
    becomes: '',
  },
  {
    wrong: 'a part is refunded twice',
    file: `${decide}/message/part.ts`,
    text: 'part.refundEntry !== null || ',
    becomes: '',
    why: 'a part that has ended does not end again',
  },
  {
    wrong: 'a charge leaves the balance as it was',
    file: `${decide}/message/accept.ts`,
    text: '  account.balance = balance;',
    becomes: '',
  },
  {
    wrong: 'the credit limit is ignored',
    file: `${core}/money/ledger.ts`,
    text: 'if (balance < -account.creditLimit) {',
    becomes: 'if (balance < -account.creditLimit && account.creditLimit < 0n) {',
  },
  {
    wrong: 'a receipt that came before its answer is dropped',
    file: `${decide}/message/unmatched.ts`,
    text: '  for (const unmatched of unmatchedOf(rows, carrier, carrierIdKey)) settleIfNamed(rows, unmatched, { part, at });',
    becomes: '',
  },
  {
    wrong: 'a receipt is acknowledged before its commit',
    file: `${flow}/message/receive.ts`,
    text: "  journal.appendThen<'inbound' | 'receipt'>(command,",
    becomes: "  if (command.kind === 'receipt') respond(true);\n  journal.appendThen<'inbound' | 'receipt'>(command,",
  },
  {
    wrong: 'an inbound message is acknowledged before its commit',
    file: `${flow}/message/receive.ts`,
    text: "  if (command.kind === 'inbound') answers.came(command);",
    becomes: "  if (command.kind === 'inbound') respond(true);",
  },
  {
    wrong: 'ids are compared by another rule',
    file: `${core}/message/carrier-id.ts`,
    text: "return rule === 'same' ? receiptKey :",
    becomes: "return rule === 'auto' ? receiptKey :",
  },
  {
    wrong: 'ids are compared by their first letters',
    file: `${core}/message/carrier-id.ts`,
    text: 'const key = id.toLowerCase();',
    becomes: 'const key = id.toLowerCase().slice(0, 6);',
  },
  {
    wrong: 'the setting inDoubt is ignored',
    file: `${decide}/message/outcome.ts`,
    text: "const isResent = policy === 'resend' && ",
    becomes: 'const isResent = ',
  },
  {
    wrong: 'the fence of a lease is dropped',
    file: `${decide}/message/outcome.ts`,
    text: 'attempt.lease !== command.lease || ',
    becomes: '',
    why: '150 seeds did not show it',
  },
  {
    wrong: 'a late answer is not heard',
    file: link,
    text: 'if (this.#late.size < lateMax) this.#late.set(response.sequence_number, part);',
    becomes: '',
    why: 'the judge does not ask for parts that stay in doubt',
  },
  {
    wrong: 'an answer that the store refused is forgotten',
    file: `${flow}/message/receive.ts`,
    text: "recorded.error.code !== 'unavailable' || isOver()",
    becomes: "recorded.error.code === 'unavailable' || isOver()",
  },
  {
    wrong: 'a window slot is forgotten',
    file: link,
    text: '    this.#reserved -= count;',
    becomes: '',
  },
  {
    wrong: 'the room of a claim is given back twice',
    file: `${flow}/routing/running-carrier.ts`,
    text: 'if (parts.length < max) link.freeRoom(max - parts.length);',
    becomes: 'if (parts.length < max) link.freeRoom(max);',
    why: 'the link gives the part back unsent; only time is lost',
  },
  {
    wrong: 'the queue is not looked at after a start',
    file: `${flow}/routing/carriers.ts`,
    text: '    for (const running of this.#all) running.somethingWaits();\n    this.#duties.look();',
    becomes: '    this.#duties.look();',
    why: 'a carrier that comes up looks, too',
  },
  {
    wrong: 'a notification is given up after one try',
    file: `${core}/notification/retry.ts`,
    text: 'return due - triedFrom > triedMs ? null : due;',
    becomes: 'return due - triedFrom > 0 ? null : due;',
  },
  // Several nodes
  {
    wrong: 'a row that another node changed is overwritten',
    file: 'gateway/src/store/postgres/table-writes.ts',
    text: ' and t.xmin = u.version returning 1',
    becomes: ' returning 1',
  },
  {
    wrong: 'a rate does not see what other nodes have taken',
    file: 'gateway/src/store/postgres/charges.ts',
    text: "  't.rate_full_at <= u.rate_latest',\n",
    becomes: '',
  },
  {
    wrong: 'a client gets the balance without the charges of other nodes',
    file: 'gateway/src/store/postgres/charges.ts',
    text: 'return { ...applied, results: withBalances(this.#rows, commands, applied.results) };',
    becomes: 'return applied;',
  },
  {
    wrong: 'a node writes to carriers after its lease',
    file: 'gateway/src/edge/carriers/smpp/bind.ts',
    text: 'if (held.length === 0 && !certain) return socket.write(bytes);',
    becomes: 'if (held.length === 0) return socket.write(bytes);',
    why: '250 seeds did not show it',
  },
];
