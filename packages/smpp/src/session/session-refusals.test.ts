import { test } from 'node:test';
import type { SessionEvent } from './session-state.ts';
import { bound, fault, open, play } from './session.fixture.ts';

test('session: a request that the state does not allow gets the status for that, even if its body cannot be read', () => {
  for (const isAsked of [true, false]) {
    play(open('client'), [[cut(5, isAsked), 'send deliver_sm_resp 5 4']]);
    play(bound('client'), [
      [cut(4, isAsked), 'send submit_sm_resp 5 4'],
      [cut(9, isAsked), 'send bind_transceiver_resp 5 4'],
    ]);
    play(open('server'), [
      [cut(4, isAsked), 'send submit_sm_resp 5 4'],
      [cut(9, isAsked), 'send bind_transceiver_resp 5 1'],
    ]);
    play(bound('server', 'bind_receiver'), [
      [cut(4, isAsked), 'send submit_sm_resp 5 4'],
      [cut(5, isAsked), 'send deliver_sm_resp 5 4'],
      [cut(9, isAsked), 'send bind_transceiver_resp 5 5'],
    ]);
  }
});

function cut(command_id: number, isAsked: boolean): SessionEvent {
  const event = fault({ kind: 'body', command_id, command_status: 1 });
  return event.kind === 'fault' ? { ...event, isAsked } : event;
}
