import { writeTlv } from '@morsel/smpp';
import type { CommandName, ResponseFields, Session } from '@morsel/smpp';

/** TLVs only to clients that know them (SMPP 3.4, section 3.4). */
const interfaceVersion34 = 0x34;

/** Of section 5.3.2.11 of SMPP 3.4, without its NUL. */
const textMax = 255;

/** A sentence for the people at the other end, beside the status of an answer. */
export function saying({ version }: Pick<Session, 'version'>, sentence: string): ResponseFields {
  if (version < interfaceVersion34) return {};
  return { tlvs: [writeTlv('additional_status_info_text', asLatin1(sentence))] };
}

/** Of a command that is not to be had here. */
export function notOffered(command: CommandName): string {
  return `${command} is not done here: submit_sm, data_sm, query_sm and cancel_sm are`;
}

function asLatin1(sentence: string): string {
  return sentence.replaceAll(/[^\u0020-\u00ff]/g, '?').slice(0, textMax);
}
