import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import type { Encodable } from '../codec/pdu.ts';
import type { SessionEvent } from './session-state.ts';
import {
  type State,
  ask,
  bindPdu,
  bindUs,
  bound,
  deliver,
  enquire,
  fault,
  hear,
  nack,
  open,
  play,
  submit,
  submitted,
  tick,
  unbind,
} from './session.fixture.ts';
import { step } from './session.ts';

/*
 * Tests of the state machine of a session, event by event, without a network.
 */

describe('session: the bind', () => {
  test('a client is bound by the answer, whatever its sequence number', () => {
    const state = open('client');
    play(state, [
      [bindUs, 'send bind_transmitter 1 0'],
      [hear({ command: 'bind_transmitter_resp', sequence_number: 0, system_id: 'them' }), 'bound bound_tx'],
      [hear({ command: 'bind_transmitter_resp', sequence_number: 1 }), 'stray bind_transmitter_resp unknown'],
    ]);
    assert.equal(state.phase, 'bound_tx');
  });

  test('the bind of a client is refused by an error without a body and by a generic_nack', () => {
    play(open('client'), [
      [bindUs, 'send bind_transmitter 1 0'],
      [
        hear({ command: 'bind_transmitter_resp', sequence_number: 1, command_status: 0x0e }),
        'refused bind_transmitter_resp 1',
        'close bind_refused flush',
      ],
    ]);
    play(open('client'), [
      [bindUs, 'send bind_transmitter 1 0'],
      [
        hear({ command: 'generic_nack', sequence_number: 0, command_status: 3 }),
        'refused generic_nack 0',
        'close bind_refused flush',
      ],
    ]);
  });

  test('both sides give up a bind at its deadline, which an enquire_link does not change', () => {
    play(open('client'), [
      [bindUs, 'send bind_transmitter 1 0'],
      [hear(enquire, 4_999), 'send enquire_link_resp 77 0'],
      [tick(4_999)],
      [tick(5_000), 'close bind_timeout'],
      [hear(enquire, 5_000)],
    ]);
    play(open('server'), [
      [hear(enquire, 4_000), 'send enquire_link_resp 77 0'],
      [hear({ command: 'bind_receiver', sequence_number: 1 }, 4_500), 'decide bind_receiver'],
      [tick(5_000), 'close bind_timeout'],
    ]);
  });

  test('a server decides once, and refuses all requests besides enquire_link before the decision', () => {
    const bind = bindPdu('bind_receiver', 0x34);
    play(open('server'), [
      [hear(submit(3)), 'send submit_sm_resp 3 4'],
      [{ kind: 'pdu', pdu: bind, now: 0 }, 'decide bind_receiver'],
      [hear(submit(4)), 'send submit_sm_resp 4 4'],
      [{ kind: 'pdu', pdu: bind, now: 0 }, 'send bind_receiver_resp 9 5'],
      [
        { kind: 'admit', bind, system_id: 'us', version: 0x50, now: 0 },
        'send bind_receiver_resp 9 0',
        'bound bound_rx',
      ],
      [{ kind: 'pdu', pdu: bind, now: 0 }, 'send bind_receiver_resp 9 5'],
      [hear(submit(5)), 'send submit_sm_resp 5 4'],
    ]);
    play(open('server'), [
      [{ kind: 'pdu', pdu: bind, now: 0 }, 'decide bind_receiver'],
      [{ kind: 'refuse', bind, command_status: 0x0e }, 'send bind_receiver_resp 9 14', 'close bind_refused flush'],
    ]);
  });

  test('sc_interface_version is sent only to clients that know TLVs', () => {
    // Some clients send 0x00 or 0x04 and mean 3.4, but they expect no TLV.
    for (const [version, expected, meant] of [
      [0x00, undefined, 0x34],
      [0x04, undefined, 0x34],
      [0x33, undefined, 0x33],
      [0x34, 0x34, 0x34],
      [0x50, 0x50, 0x50],
    ] as const) {
      const state = open('server');
      const bind = bindPdu('bind_transceiver', version);
      step(state, { kind: 'pdu', pdu: bind, now: 0 });
      const [sent] = step(state, { kind: 'admit', bind, system_id: 'us', version: 0x50, now: 0 });
      assert.ok(sent?.kind === 'send');
      assert.equal(sent.pdu.tlvs?.[0]?.value[0], expected, `version ${version}`);
      assert.equal(state.version, meant);
    }
  });
});

describe('session: requests of ours', () => {
  test('answers find their requests by sequence number, in any order; late and unknown answers are reported', () => {
    const state = bound('client');
    const [a, b, c] = [ask(state, 'a'), ask(state, 'b'), ask(state, 'c', 5)];
    play(state, [
      [hear(submitted(b)), 'answer b submit_sm_resp 0'],
      [hear(submitted(b)), 'stray submit_sm_resp unknown'],
      [hear(submitted(c, 0x58)), 'answer c submit_sm_resp 88'],
      [tick(9_999)],
      [tick(10_000), 'timeout a', 'send enquire_link 5 0'],
      [hear(submitted(a), 10_001), 'stray submit_sm_resp late'],
      [hear(submitted(a), 10_001), 'stray submit_sm_resp unknown'],
    ]);
  });

  test('a request that timed out keeps its place until the peer sends a PDU, and an enquire_link is sent at once', () => {
    for (const word of [
      enquire,
      submitted(2),
      deliver(9),
      { command: 'enquire_link_resp', sequence_number: 5 },
    ] as const) {
      const state = bound('client');
      for (const waiter of ['a', 'b', 'c']) ask(state, waiter);
      play(state, [
        [hear(enquire, 9_000), 'send enquire_link_resp 77 0'],
        [tick(10_000), 'timeout a', 'timeout b', 'timeout c', 'send enquire_link 5 0'],
      ]);
      assert.deepEqual([state.window.size, state.window.room], [0, 0]);
      step(state, hear(word, 10_001));
      assert.equal(state.window.room, 3);
    }
  });

  test('an answer of another command is not accepted', () => {
    const state = bound('client');
    const a = ask(state, 'a');
    play(state, [
      [hear({ command: 'deliver_sm_resp', sequence_number: a }), 'stray deliver_sm_resp unknown'],
      [hear(submitted(a)), 'answer a submit_sm_resp 0'],
    ]);
  });

  test('a generic_nack answers a request by its number, and by 0 if only one request is in flight', () => {
    const state = bound('client');
    const [a] = [ask(state, 'a'), ask(state, 'b')];
    play(state, [
      [nack(0), 'stray generic_nack unknown'],
      [nack(a), 'answer a generic_nack 2'],
      [nack(0), 'answer b generic_nack 2'],
      [nack(0), 'stray generic_nack unknown'],
      [nack(99), 'stray generic_nack unknown'],
    ]);
  });
});

describe('session: signs of life', () => {
  test('enquire_link is answered in every state, also when the window is full', () => {
    const full = bound('client');
    for (const waiter of ['a', 'b', 'c']) ask(full, waiter);
    const leaving = bound('client');
    ask(leaving, 'a');
    step(leaving, { kind: 'unbind', now: 0 });
    for (const state of [open('client'), open('server'), full, bound('server'), leaving]) {
      play(state, [[hear(enquire), 'send enquire_link_resp 77 0']]);
    }
  });

  test('while answers may be unread, an enquire_link is sent every five seconds, whatever the peer sends', () => {
    const state = bound('client');
    play(state, [
      [tick(4_999, 0)],
      [tick(5_000, 0), 'send enquire_link 2 0'],
      [tick(9_000, 0)],
      [hear(enquire, 9_500), 'send enquire_link_resp 77 0'],
      [tick(10_000, 0), 'send enquire_link 3 0'],
      [hear({ command: 'enquire_link_resp', sequence_number: 3 }, 10_100)],
      [tick(20_000)],
      [tick(21_000, 17_000)],
      [tick(22_000, 17_000), 'send enquire_link 4 0'],
      [tick(28_000, 17_000)],
      [tick(31_999, 17_000)],
      [tick(32_000, 17_000), 'send enquire_link 5 0'],
    ]);
  });

  test('the session ends after two unanswered enquire_link', () => {
    const state = bound('client');
    ask(state, 'a', 45_000);
    play(state, [
      [tick(29_999)],
      [tick(30_000), 'send enquire_link 3 0'],
      [tick(39_999)],
      [tick(40_000), 'send enquire_link 4 0'],
      [tick(49_999)],
      [tick(50_000), 'close silent a'],
      [tick(60_000)],
    ]);
  });

  const signs: [string, SessionEvent][] = [
    ['the answer', hear({ command: 'enquire_link_resp', sequence_number: 2 }, 35_000)],
    ['an answer of another number', hear({ command: 'enquire_link_resp', sequence_number: 0 }, 35_000)],
    ['a nack', hear({ command: 'generic_nack', sequence_number: 2, command_status: 3 }, 35_000)],
    ['any request', hear(enquire, 35_000)],
    ['a stray answer', hear(submitted(999), 35_000)],
  ];
  for (const [name, sign] of signs) {
    test(`${name} is a sign of life`, () => {
      const state = bound('client');
      play(state, [[tick(30_000), 'send enquire_link 2 0']]);
      step(state, sign);
      play(state, [[tick(64_999)], [tick(65_000), 'send enquire_link 3 0']]);
    });
  }
});

describe('session: unreadable PDUs', () => {
  test('an unknown command gets a generic_nack, and the session continues', () => {
    play(bound('server'), [
      [fault({}), 'send generic_nack 5 3'],
      [hear(submit(6)), 'request submit_sm 6'],
    ]);
  });

  test('a response never gets a generic_nack', () => {
    for (const command_id of [0x80000099, 0x80000000, 0x80000004]) {
      play(bound('client'), [[fault({ command_id })]]);
      play(bound('client'), [[fault({ command_id, kind: 'body' })]]);
      play(bound('client'), [[fault({ command_id, kind: 'command_length' }), 'close framing flush']]);
    }
  });

  test('a request with an incomplete body gets the response of its command', () => {
    play(bound('client'), [[fault({ kind: 'body', command_id: 5, command_status: 1 }), 'send deliver_sm_resp 5 1']]);
  });

  test('a request with an unreadable body is passed to an owner that wants to answer it', () => {
    const asked = { ...fault({ kind: 'body', command_id: 5, command_status: 1 }), isAsked: true };
    const state = bound('client');
    play(state, [
      [asked, 'unreadable'],
      [asked, 'unreadable'],
      [asked, 'unreadable'],
      [asked, 'unreadable', 'pause'],
    ]);
    assert.equal(state.peerUnanswered, 4);
  });

  test('bytes that are not SMPP get a generic_nack, and the session ends', () => {
    const event = fault({ kind: 'command_length', command_status: 2, command_id: 0, sequence_number: 0 });
    for (const state of [open('server'), bound('server'), bound('client')]) {
      play(state, [[event, 'send generic_nack 0 2', 'close framing flush'], [event]]);
    }
  });
});

describe('session: requests of the peer', () => {
  test('reading stops at peerWindowMax unanswered requests, and continues at half of that number', () => {
    play(bound('server'), [
      [hear(submit(1)), 'request submit_sm 1'],
      [hear(submit(2)), 'request submit_sm 2'],
      [hear(submit(3)), 'request submit_sm 3'],
      [hear(submit(4)), 'request submit_sm 4', 'pause'],
      [hear(submit(5)), 'request submit_sm 5'],
      [{ kind: 'responded', now: 0 }],
      [{ kind: 'responded', now: 0 }],
      [{ kind: 'responded', now: 0 }, 'resume'],
      [{ kind: 'responded', now: 0 }],
    ]);
  });

  test('each side accepts the requests that the standard allows the other side', () => {
    const rows: [State, Encodable, string][] = [
      [bound('server', 'bind_transmitter'), submit(2), 'request submit_sm 2'],
      [bound('server', 'bind_receiver'), submit(2), 'send submit_sm_resp 2 4'],
      [bound('server'), deliver(2), 'send deliver_sm_resp 2 4'],
      [bound('server'), { command: 'query_sm', sequence_number: 2 }, 'request query_sm 2'],
      [bound('server'), { command: 'data_sm', sequence_number: 2 }, 'request data_sm 2'],
      [bound('client'), { command: 'data_sm', sequence_number: 2 }, 'request data_sm 2'],
      [bound('client'), deliver(2), 'request deliver_sm 2'],
      [bound('client', 'bind_transmitter'), deliver(2), 'request deliver_sm 2'],
      [bound('client'), submit(2), 'send submit_sm_resp 2 4'],
      [bound('client'), { command: 'bind_receiver', sequence_number: 2 }, 'send bind_receiver_resp 2 4'],
      [bound('client'), { command: 'alert_notification', sequence_number: 2 }, 'notify alert_notification 2'],
    ];
    for (const [state, what, expected] of rows) play(state, [[hear(what), expected]]);
  });
});

test('session: the end of a session settles its requests in flight', () => {
  const state = bound('client');
  ask(state, 'a');
  ask(state, 'b');
  play(state, [
    [{ kind: 'end', reason: 'socket_error' }, 'close socket_error a b'],
    [{ kind: 'end', reason: 'destroyed' }],
  ]);
});

test('session: after any events, every request has one outcome, and a closed session does nothing', () => {
  const now = fc.nat(200_000);
  const number = fc.nat(8);
  const event: fc.Arbitrary<SessionEvent | 'ask'> = fc.oneof(
    fc.constant('ask' as const),
    now.map(tick),
    fc.tuple(number, now).map(([n, at]) => hear(submitted(n), at)),
    fc.tuple(number, now).map(([n, at]) => hear(deliver(n), at)),
    fc.tuple(number, now).map(([n, at]) => hear({ command: 'generic_nack', sequence_number: n }, at)),
    fc.constantFrom(hear(enquire), hear(unbind), fault({}), fault({ kind: 'command_length' })),
    fc.constantFrom<SessionEvent>({ kind: 'unbind', now: 0 }, { kind: 'end', reason: 'destroyed' }),
  );
  fc.assert(
    fc.property(fc.array(event, { maxLength: 40 }), (events) => {
      const state = bound('client');
      const settled: string[] = [];
      let asked = 0;
      let closes = 0;
      for (const one of [...events, { kind: 'end', reason: 'destroyed' } as const]) {
        if (one === 'ask') {
          if (state.phase === 'bound_trx' && state.window.room > 0) ask(state, `${asked++}`);
          continue;
        }
        const wasClosed = state.phase === 'closed';
        const actions = step(state, one);
        if (wasClosed) assert.deepEqual(actions, []);
        for (const action of actions) {
          if (action.kind === 'answer' || action.kind === 'timeout') settled.push(action.waiting.waiter);
          if (action.kind !== 'close') continue;
          closes += 1;
          settled.push(...action.abandoned.map((waiting) => waiting.waiter));
        }
      }
      assert.equal(closes, 1);
      assert.deepEqual(
        settled.map(Number).toSorted((a, b) => a - b),
        Array.from({ length: asked }, (_, index) => index),
      );
    }),
  );
});
