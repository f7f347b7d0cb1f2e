import { writeTlv, type CommandName, type ResponseFields, type Session } from '@morsel/smpp';

/** Clients that bound with an older version get no TLVs (SMPP 3.4, section 3.4). */
const interfaceVersion34 = 0x34;

/** The most characters of additional_status_info_text without the final NUL (SMPP 3.4, section 5.3.2.11). */
const textMax = 255;

export function saying({ version }: Pick<Session, 'version'>, sentence: string): ResponseFields {
  if (version < interfaceVersion34) return {};
  return { tlvs: [writeTlv('additional_status_info_text', asLatin1(sentence))] };
}

export function notOffered(command: CommandName): string {
  return `${command} is not supported: use submit_sm, data_sm, query_sm or cancel_sm`;
}

function asLatin1(sentence: string): string {
  return sentence.replaceAll(/[^\u0020-\u00ff]/g, '?').slice(0, textMax);
}
