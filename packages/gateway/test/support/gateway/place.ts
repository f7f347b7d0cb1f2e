import assert from 'node:assert/strict';
import { writeTlv } from '@morsel/smpp';
import { ScriptedCarrier } from '../carriers/scripted-carrier.ts';
import { SmppClient, type ClientOptions } from '../clients/smpp-client.ts';
import { done } from '../done.ts';
import { Tour } from './tour.ts';
import { waitUntil } from '../wait-until.ts';

/** The number of the account. */
export const ours = '41791112233';

/** A gateway with a carrier that sends inbound messages, and an account acme with a number and a login. */
export class Place implements AsyncDisposable {
  readonly tour: Tour;
  readonly carrier: ScriptedCarrier;

  private constructor(tour: Tour, carrier: ScriptedCarrier) {
    this.tour = tour;
    this.carrier = carrier;
  }

  static async open(): Promise<Place> {
    const carrier = await ScriptedCarrier.open();
    const tour = await Tour.open({
      carriers: [
        { name: 'phones', prefix: '49', port: carrier.port },
        { name: 'alpha', prefix: '41' },
      ],
    });
    await waitUntil('the link is bound', () => carrier.links === 1);
    done(await tour.operator.login.add({ account: 'acme', systemId: 'acme', password: 'Right-1' }));
    done(await tour.operator.number.add({ number: `+${ours}`, account: 'acme' }));
    return new Place(tour, carrier);
  }

  ear(options: Omit<ClientOptions, 'port'> = {}): Promise<SmppClient> {
    return SmppClient.bind({ ...options, port: this.tour.gateway.smppPort ?? assert.fail('SMPP is off') });
  }

  /** Sends inbound messages from the carrier; each must be acknowledged. */
  async receive(...texts: readonly string[]): Promise<void> {
    const waiting = [...texts];
    const one = async (): Promise<void> => {
      for (let text = waiting.shift(); text !== undefined; text = waiting.shift()) {
        assert.equal(await this.receiveOne(text), 0, text);
      }
    };
    // Eight at once are within the window of a link.
    await Promise.all(Array.from({ length: 8 }, one));
  }

  async receiveOne(text: string): Promise<number> {
    const answer = await this.carrier.session().request({
      command: 'deliver_sm',
      source_addr_ton: 1,
      source_addr: '41791230001',
      dest_addr_ton: 1,
      destination_addr: ours,
      ...(text.length > 254
        ? { tlvs: [writeTlv('message_payload', Buffer.from(text))] }
        : { short_message: Buffer.from(text) }),
    });
    return answer.kind === 'answered' ? answer.pdu.command_status : -1;
  }

  /** Submits a message over the session. Returns its id. */
  async submit(ear: SmppClient, registered: number, to: string, user?: number): Promise<string> {
    const { status, messageId } = await ear.submit({
      destination_addr: to,
      registered_delivery: registered,
      short_message: Buffer.from('Hello'),
      tlvs: user === undefined ? [] : [writeTlv('user_message_reference', user)],
    });
    assert.equal(status, 0);
    return messageId;
  }

  /** The states of the notifications in the store. */
  async notifications(): Promise<readonly string[]> {
    return this.tour.readStore((store) =>
      store.texts("select kind || ' ' || state || ' ' || coalesce(outcome, '') from notification order by id"),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.tour[Symbol.asyncDispose]();
    await this.carrier[Symbol.asyncDispose]();
  }
}
