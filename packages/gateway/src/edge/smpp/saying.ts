import { writeTlv } from '@morsel/smpp';
import type { CommandName, ResponseFields, Session } from '@morsel/smpp';

/** TLVs go only to clients that bound with 3.4 or later (SMPP 3.4, section 3.4). */
const interfaceVersion34 = 0x34;

/** Characters of additional_status_info_text without its NUL (SMPP 3.4, section 5.3.2.11). */
const textMax = 255;

/** A sentence for the people who run the client, beside the command_status of an answer. */
export function saying({ version }: Pick<Session, 'version'>, sentence: string): ResponseFields {
  if (version < interfaceVersion34) return {};
  return { tlvs: [writeTlv('additional_status_info_text', asLatin1(sentence))] };
}

/** The sentence for a command that the gateway does not support. */
export function notOffered(command: CommandName): string {
  return `${command} is not supported: use submit_sm, data_sm, query_sm or cancel_sm`;
}

function asLatin1(sentence: string): string {
  return sentence.replaceAll(/[^\u0020-\u00ff]/g, '?').slice(0, textMax);
}
