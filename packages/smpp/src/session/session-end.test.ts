import { describe, test } from 'node:test';
import { ask, bound, deliver, hear, open, play, submit, submitted, tick, unbind } from './session.fixture.ts';

describe('session: the unbind', () => {
  test('our unbind waits for requests in flight, and for our answers to the peer', () => {
    const state = bound('client');
    const a = ask(state, 'a');
    play(state, [
      [{ kind: 'unbind', now: 0 }],
      [hear(deliver(50)), 'request deliver_sm 50'],
      [hear(submitted(a)), 'answer a submit_sm_resp 0', 'send unbind 3 0'],
      [hear({ command: 'unbind_resp', sequence_number: 3 })],
      [{ kind: 'responded', now: 0 }, 'close unbound flush'],
    ]);
  });

  test('our unbind ends at the deadline of its answer, and with a generic_nack', () => {
    play(bound('client'), [
      [{ kind: 'unbind', now: 100 }, 'send unbind 2 0'],
      [tick(10_099)],
      [tick(10_100), 'close unbind_timeout'],
    ]);
    play(bound('client'), [
      [{ kind: 'unbind', now: 0 }, 'send unbind 2 0'],
      [hear({ command: 'generic_nack', sequence_number: 2, command_status: 3 }), 'close unbound flush'],
    ]);
  });

  test('messages of a client after our unbind get a status that lets the client send them again', () => {
    const state = bound('server');
    play(state, [
      [{ kind: 'unbind', now: 0 }, 'send unbind 1 0'],
      [hear(submit(4)), 'send submit_sm_resp 4 8'],
    ]);
  });

  test("the peer's unbind is answered after its requests, or after a second if our requests have no answer", () => {
    const state = bound('server');
    play(state, [
      [hear(submit(4)), 'request submit_sm 4'],
      [hear(unbind)],
      [hear(submit(5)), 'send submit_sm_resp 5 4'],
      [{ kind: 'responded', now: 0 }, 'send unbind_resp 8 0', 'close peer_unbound flush'],
    ]);
    const slow = bound('client');
    ask(slow, 'a');
    play(slow, [
      [hear(unbind, 100)],
      [tick(1_099)],
      [tick(1_100), 'send unbind_resp 8 0', 'close peer_unbound flush a'],
    ]);
    play(open('server'), [[hear(unbind), 'send unbind_resp 8 0', 'close peer_unbound flush']]);
  });

  test("the peer's unbind waits up to responseTimeoutMs for our answers, but not for the peer's answers", () => {
    const state = bound('server');
    ask(state, 'a');
    play(state, [
      [hear(submit(4)), 'request submit_sm 4'],
      [hear(submit(5)), 'request submit_sm 5'],
      [hear(unbind, 100)],
      [tick(1_100)],
      [{ kind: 'responded', now: 9_000 }],
      [{ kind: 'responded', now: 9_500 }, 'send unbind_resp 8 0', 'close peer_unbound flush a'],
    ]);
    const stalled = bound('server');
    play(stalled, [
      [hear(submit(4)), 'request submit_sm 4'],
      [hear(unbind, 100)],
      [tick(10_099)],
      [tick(10_100), 'send unbind_resp 8 0', 'close peer_unbound flush'],
    ]);
    const waiting = bound('server');
    ask(waiting, 'a');
    play(waiting, [
      [hear(submit(4)), 'request submit_sm 4'],
      [hear(unbind, 100)],
      [{ kind: 'responded', now: 500 }],
      [tick(1_100), 'send unbind_resp 8 0', 'close peer_unbound flush a'],
    ]);
  });

  test('both sides unbind at once', () => {
    play(bound('client'), [
      [{ kind: 'unbind', now: 0 }, 'send unbind 2 0'],
      [hear(unbind), 'send unbind_resp 8 0', 'close peer_unbound flush'],
      [{ kind: 'unbind', now: 0 }],
    ]);
  });
});
