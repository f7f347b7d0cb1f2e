import type { Message, Pdu } from 'smpp';

/** Concatenated short messages, 8-bit reference number (3GPP TS 23.040, 9.2.3.24.1). */
const concatenated = 0x00;

interface Part {
  readonly reference: number;
  readonly total: number;
  readonly number: number;
  readonly text: string;
}

/** Joins the parts of long messages, with the texts as the npm package decodes them. */
export class TextsByPart {
  readonly #parts = new Map<string, Map<number, string>>();
  readonly #whole = new Map<string, string>();

  /** The joined texts by their receivers: in these tests, each receiver gets one message. */
  get whole(): ReadonlyMap<string, string> {
    return this.#whole;
  }

  add(receiver: string, pdu: Pdu): void {
    const part = partOf(pdu);
    const key = `${receiver} ${part.reference}`;
    const parts = this.#parts.get(key) ?? new Map<number, string>();
    this.#parts.set(key, parts.set(part.number, part.text));
    if (parts.size !== part.total) return;
    const texts = [...parts].toSorted(([one], [other]) => one - other).map(([, text]) => text);
    this.#whole.set(receiver, texts.join(''));
  }
}

/** The text of a PDU, and its place in its message: from the user data header, or from sar_ TLVs. */
function partOf(pdu: Pdu): Part {
  const { short_message, message_payload, sar_msg_ref_num, sar_total_segments, sar_segment_seqnum } = pdu;
  const text = textOf(message_payload) || textOf(short_message);
  const header = short_message?.udh?.find((element) => element[0] === concatenated);
  if (header) {
    const [, , reference = 0, total = 0, number = 0] = header;
    return { reference, total, number, text };
  }
  if (sar_total_segments === undefined) return { reference: 0, total: 1, number: 1, text };
  return { reference: sar_msg_ref_num ?? 0, total: sar_total_segments, number: sar_segment_seqnum ?? 0, text };
}

function textOf(message: Message | undefined): string {
  return message?.message ?? '';
}
