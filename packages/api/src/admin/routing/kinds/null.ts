import { ok } from '../../../values/result.ts';
import type { CarrierSettingsKind } from './kind.ts';
import { standardProfile, type SmppShown } from './smpp.ts';

/* The settings of a carrier that accepts every part at once, and delivers it. It has none. */

export interface NullSettings {
  readonly kind: 'null';
}

export const nullKind: CarrierSettingsKind<NullSettings, object, NullSettings, SmppShown> = {
  secrets: [],
  stored: (row) => row,
  change: (given) => given,
  check: () => ok(null),
  shown: () => ({ host: 'null', port: 1, systemId: '', systemType: '', profile: standardProfile }),
  connection: () => null,
  takesWhole: () => false,
  defaultSender: () => null,
  passes: () => 'any',
  textReceipts: () => 'off',
};
