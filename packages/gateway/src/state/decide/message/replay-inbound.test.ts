import { describe } from 'node:test';
import { opened, stories } from '../../../../test/support/store/stories/story.ts';
import { inboundWaitMs } from '../../../core/message/inbound.ts';

const ours = '+41791112233';
const phone = '+41790000009';
const said = `write hello to=${ours}`;
const owned = `number ${ours}`;
/** The number goes from acme to beta. */
const moved = `no-number ${ours}; number ${ours} beta`;
const nobody = 'whose 1 = - -; notifications 1 =';

/** Accounts acme and beta, each with a webhook that has its number. */
const told = () => opened('account beta 100; webhook acme; webhook beta');

describe('an unmatched message', () => {
  stories(
    {
      'goes to the present account of its number with one notification, however often it is replayed': `
        ${said}; replay 1 -> unmatched=1; ${owned}; replay 1 -> replayed=1 rerouted=1; replay 1 -> waiting=1; restart
        replay 1 -> waiting=1; whose 1 = acme number; notifications 1 = acme.1 waiting`,
      'goes by a keyword, too, that its number got since; an incomplete one has no keyword': `
        number ${ours} none; write Taxi,_please to=${ours}; part 2/2 taxi to=${ours}; wait ${inboundWaitMs}ms
        expire-inbound -> 1; keyword ${ours} taxi beta; replay 1 2 -> replayed=1 unmatched=1 rerouted=1
        whose 1 = beta keyword taxi; whose 2 = - -`,
      'opts its sender out if it says STOP, and never in again: later wishes are not known': `
        write STOP to=${ours}; write START to=${ours} from=${phone}; opt-out ${phone}; ${owned}
        replay 1 2 -> replayed=2 rerouted=2; rows opt_out account=1 receiver=+41790000002 = 1
        rows opt_out account=1 receiver=${phone} = 1`,
      'that says STOP opts nobody out who has been in and out since': `
        write STOP to=${ours}; ${owned}; wait 1s; write STOP to=${ours}; wait 1s; write START to=${ours}
        replay 1 -> replayed=1 rerouted=1; rows opt_out = 0; rows opt_out_event = 2`,
      'with an unknown id beside it stays, and nothing changes': `
        ${said}; ${owned}; replay 1 9 -> does_not_exist; ${nobody}`,
    },
    told,
  );
});

describe('a message with an account', () => {
  stories(
    {
      'is delivered again under its own id, if it was delivered or given up': `
        ${owned}; ${said}; ${said}; tried 1 delivered & tried 2; replay 1 2 -> replayed=2
        notifications 1 = acme.1 delivered | acme.1 waiting; notifications 2 = acme.1 waiting; replay-dead ->`,
      'keeps its account when the number has another one, unless it is rerouted': `
        ${owned}; ${said}; ${moved}; replay 1 -> waiting=1; replay 1 reroute -> replayed=1 rerouted=1
        whose 1 = beta number; notifications 1 = acme.1 withdrawn | beta.2 waiting; replay 1 reroute -> waiting=1
        no-number ${ours}; replay 1 reroute -> waiting=1; whose 1 = beta number`,
      'that waits for a removed webhook waits for another one, and for the removed one while there is none': `
        ${owned}; ${said}; no-webhook 1; replay 1 -> withoutDestination=1; notifications 1 = acme.1 waiting
        webhook acme; replay 1 -> replayed=1; notifications 1 = acme.3 waiting`,
      'that is rerouted goes to no other account any more, not even by a replay of dead letters': `
        ${owned}; ${said}; ${said}; tried 1; ${moved}; replay 1 2 reroute -> replayed=2 rerouted=2
        notifications 1 = acme.1 withdrawn | beta.2 waiting; notifications 2 = acme.1 withdrawn | beta.2 waiting
        replay-dead ->; tried 1; tried 2 delivered; notifications 1 = acme.1 withdrawn | beta.2 waiting
        notifications 2 = acme.1 delivered | beta.2 waiting`,
    },
    told,
  );

  stories({
    'without a destination is kept, and delivered once there is one': `
      ${owned}; ${said}; replay 1 -> withoutDestination=1; webhook acme taxi; replay 1 -> withoutDestination=1
      write #Taxi! to=${ours}; notifications 2 = acme.1 waiting; webhook acme; replay 1 2 -> replayed=1 waiting=1
      notifications 1 = acme.2 waiting`,
  });
});
