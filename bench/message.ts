import type { Command, CommandOf } from '../packages/gateway/src/store/commands.ts';
import { compose } from '@morsel/gsm';
import { accountDefaults } from '@morsel/gateway/core/account/account.ts';
import type { Draft } from '@morsel/gateway/core/message/admission.ts';
import { standardProfile } from '@morsel/gateway/core/routing/carrier-profile.ts';
import { toMicros } from '@morsel/api/values/money.ts';
import { helloContent } from '../packages/gateway/test/support/store.ts';
import type { MessageContent } from '../packages/gateway/src/core/message/content.ts';
import { nodeCount } from '@morsel/gateway/core/base/message-id.ts';
import type { MessageId } from '@morsel/gateway/core/base/message-id.ts';
import type { Settings } from '@morsel/gateway/core/snapshot.ts';
import { hourMs } from '@morsel/api/values/time.ts';
import type { OutgoingPart } from '@morsel/gateway/flow/routing/carrier-link.ts';
import type { LinkClaim } from '@morsel/gateway/store/tables/message.ts';

/* The message that all benchmarks measure, and its commands. */

const validityMs = 48 * hourMs;

export const draft: Draft = {
  sender: '+41791112233',
  receiver: '+41791234567',
  text: 'Hello your code is 123456',
  dcs: 'GSM',
};

export const unitPrice = toMicros(7_500n);

/** The lease of the first run, which `setUpCommands` starts. */
export const firstLease = nodeCount;

/** The operator's settings before the first message. */
export const setUpCommands: readonly Command[] = [
  { kind: 'begin', at: 0 },
  {
    kind: 'add-account',
    at: 0,
    name: 'acme',
    currency: 'EUR',
    priceList: 'default',
    ...accountDefaults,
    balance: toMicros(10n ** 12n),
    actor: 'bench',
  },
  {
    kind: 'add-carrier',
    at: 0,
    name: 'sink',
    host: '127.0.0.1',
    port: 1,
    systemId: 'morsel',
    password: 'secret',
    systemType: '',
    window: 1_000,
    throughput: 0,
    links: 1,
    inDoubt: 'resend',
    idRule: 'same',
    receiverPassword: null,
    tlsKey: null,
    profile: standardProfile,
  },
  {
    kind: 'add-route',
    at: 0,
    prefix: '41',
    sender: null,
    account: null,
    encoding: null,
    carrier: 'sink',
    rank: 1,
    weight: 1,
    cost: null,
    waitMs: null,
    by: null,
  },
  { kind: 'set-prices', at: 0, list: 'default', currency: 'EUR', prices: [{ prefix: '41', unitPrice }] },
];

/** Ids from the set-up, which the commands of a message need. */
export interface Ids {
  readonly account: number;
  readonly carrier: number;
  readonly route: number;
  readonly priceList: number;
  readonly priceVersion: number;
  /** The lease of the run that claims. */
  readonly lease: number;
}

export function idsOf(settings: Settings, lease: number): Ids {
  const [account] = settings.accounts;
  const [carrier] = settings.carriers;
  const [route] = settings.routes;
  const [list] = settings.priceLists;
  const version = list?.versions.at(-1);
  if (!account || !carrier || !route || !list || !version) throw new Error('the store is not set up');
  return {
    account: account.id,
    carrier: carrier.id,
    route: route.id,
    priceList: list.id,
    priceVersion: version.version,
    lease,
  };
}

export interface Moment {
  readonly id: MessageId;
  readonly at: number;
  readonly receiver: string;
}

const content: MessageContent = {
  ...helloContent,
  sender: draft.sender,
  receiver: draft.receiver,
  text: draft.text,
};

export function acceptCommand(
  ids: Ids,
  { id, at, receiver }: Moment,
): CommandOf<'accept'> & { readonly claim: LinkClaim } {
  return {
    kind: 'accept',
    at,
    id,
    account: ids.account,
    source: 'http',
    ...content,
    receiver,
    priority: 0,
    route: ids.route,
    dueAt: at,
    expiresAt: at + validityMs,
    priceList: ids.priceList,
    priceVersion: ids.priceVersion,
    unitPrice,
    totalCost: unitPrice,
    claim: { carrier: ids.carrier, link: 1, lease: ids.lease, isWhole: false },
  };
}

export function outcomeCommand(ids: Ids, { id, at }: Moment): CommandOf<'outcome'> {
  const carrierId = String(id);
  return {
    kind: 'outcome',
    at,
    message: id,
    part: 1,
    attempt: 1,
    carrier: ids.carrier,
    lease: ids.lease,
    outcome: 'accepted',
    commandStatus: 0,
    errorCode: null,
    carrierId,
    carrierIdKey: carrierId,
  };
}

export function receiptCommand(ids: Ids, { id, at, receiver }: Moment): CommandOf<'receipt'> {
  const carrierId = String(id);
  return {
    kind: 'receipt',
    at,
    carrier: ids.carrier,
    carrierId,
    carrierIdKey: carrierId,
    state: 'DELIVERED',
    errorCode: '000',
    sender: draft.sender,
    receiver,
  };
}

export function outgoingPart(id: MessageId): OutgoingPart {
  const composed = compose(draft.text, 'GSM');
  if (!composed.ok) throw new Error('the text makes no parts');
  return {
    message: id,
    number: 1,
    attempt: 1,
    ...content,
    composed,
    expiresAt: Date.now() + validityMs,
    isWhole: false,
  };
}
