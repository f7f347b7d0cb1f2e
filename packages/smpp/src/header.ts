import { commandName } from './commands.ts';

/** The header of a PDU (SMPP 3.4, section 3.2): nothing of its body. */
export interface PduHeader {
  /** In hex where no version has it. */
  readonly command: string;
  readonly command_length: number;
  readonly command_status: number;
  readonly sequence_number: number;
}

/** Of a PDU as it came. */
export function headerOf(bytes: Uint8Array): PduHeader {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const id = view.getUint32(4);
  return {
    command: commandName(id) ?? `0x${id.toString(16).padStart(8, '0')}`,
    command_length: bytes.byteLength,
    command_status: view.getUint32(8),
    sequence_number: view.getUint32(12),
  };
}
