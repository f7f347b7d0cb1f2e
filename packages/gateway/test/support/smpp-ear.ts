import { connect, readReceipt, readTlv, statuses } from '@morsel/smpp';
import type { BindName, PduOf, Receipt, Session, StatusName, Version } from '@morsel/smpp';
import { messageIdTag } from '../../src/edge/smpp/deliver-sm.ts';

/** A deliver_sm that came. */
export interface Delivered {
  /** Ours: of a message from a phone by the vendor's TLV, of a receipt by its id. */
  readonly msgId: string;
  readonly text: string;
  readonly receipt: Receipt | undefined;
  readonly pdu: PduOf<'deliver_sm'>;
  /** What it was answered with; null for nothing. */
  readonly status: number | null;
}

export interface EarOptions {
  readonly port: number;
  readonly systemId?: string;
  readonly password?: string;
  readonly bind?: BindName;
  readonly version?: Version;
  /** What each is answered with; null leaves it without an answer. */
  readonly answer?: (pdu: PduOf<'deliver_sm'>) => StatusName | null;
  /** Milliseconds before each answer. */
  readonly delayMs?: number;
  /** Where what comes is kept, if several keep it together. */
  readonly delivered?: Delivered[];
}

/** A client of ours that is bound, keeps what it is told, and answers as a test says. */
export class SmppEar implements AsyncDisposable {
  readonly session: Session;
  readonly delivered: Delivered[];

  private constructor(session: Session, delivered: Delivered[]) {
    this.session = session;
    this.delivered = delivered;
  }

  static async bind(options: EarOptions): Promise<SmppEar> {
    const { port, systemId = 'acme', password = 'Right-1', bind = 'bind_transceiver', version = 0x34 } = options;
    const { answer = () => 'ESME_ROK', delayMs = 0, delivered = [] } = options;
    const session = await connect({
      host: '127.0.0.1',
      port,
      bind: { command: bind, system_id: systemId, password, interface_version: version },
      handlerStallMs: Infinity,
      onRequest: (pdu, respond) => {
        if (pdu.command !== 'deliver_sm') {
          respond(statuses.ESME_RINVCMDID);
          return;
        }
        const name = answer(pdu);
        const status = name === null ? null : statuses[name];
        delivered.push({ ...readDelivered(pdu), status });
        if (status === null) return;
        if (delayMs === 0) respond(status);
        else setTimeout(() => respond(status), delayMs);
      },
    });
    return new SmppEar(session, delivered);
  }

  /** Those that it answered with 0. */
  get taken(): readonly Delivered[] {
    return this.delivered.filter(({ status }) => status === 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.session.unbind();
  }
}

function readDelivered(pdu: PduOf<'deliver_sm'>): Omit<Delivered, 'status'> {
  const receipt = readReceipt(pdu);
  const octets = pdu.short_message.length > 0 ? pdu.short_message : readTlv(pdu, 'message_payload');
  const ours = pdu.tlvs.find(({ tag }) => tag === messageIdTag);
  const id = Buffer.from(ours?.value ?? []).toString('latin1');
  return {
    msgId: receipt?.id ?? id.replace('\0', ''),
    text: Buffer.from(octets ?? []).toString('latin1'),
    receipt,
    // The PDU's octets are views of what was read.
    pdu: structuredClone(pdu),
  };
}
