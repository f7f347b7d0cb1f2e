/* Finds faults of accounts and their webhooks. A fault that many accounts have at once is one finding. */

import { formatMicros, toMicros } from '@morsel/api/values/money.ts';
import { formatInstant } from '@morsel/api/values/time.ts';
import {
  counted,
  fewOf,
  overdueOf,
  reportFindings,
  type AlarmFigures,
  type AlarmName,
  type CapFigures,
  type Find,
  type Finding,
  type RefusalFigures,
} from './figures.ts';

type AccountKind =
  | 'webhook-late'
  | 'webhook-stopped'
  | 'refusals-rising'
  | 'rule-broken'
  | 'cap-near'
  | 'cap-reached'
  | 'low-balance'
  | 'margin-low';

const usualTimes = 3;
/** So many accounts that are refused with the same code have one cause, such as a missing route. */
const accountsMin = 3;

export const accountFinders: { readonly [K in AccountKind]: Find } = {
  'webhook-late': lateWebhooks,
  'webhook-stopped': ({ stoppedWebhooks }) =>
    stoppedWebhooks.map(({ id, account, status, failingSince, failure }) => ({
      subject: String(id),
      evidence:
        status === 'off'
          ? `webhook ${id} of ${account} is off, because its receiver answered 410`
          : `webhook ${id} of ${account} is paused, because every try failed since ${formatInstant(failingSince)}: ${failure ?? ''}`,
      help: `webhook resume ${id}`,
    })),
  'margin-low': ({ reports }) =>
    reportFindings(reports, 'margin-low', (account) => `account set ${account} --below-margin refuse`),
  'refusals-rising': (figures, threshold) => {
    const { refusals } = figures;
    const rising = refusals.filter((each) => isRising(threshold)(each) && ownAlarms[each.code] === undefined);
    const byCode = Map.groupBy(rising, ({ code }) => code);
    const shared = new Map([...byCode].filter(([, its]) => its.length >= accountsMin));
    const byAccount = Map.groupBy(refusals, ({ account }) => account);
    const ofOne = [...byAccount.values()].filter((its) => isRising(threshold)(sumOf(its)));
    return [
      ...[...shared].map(([code, its]) => sharedFinding(code, its, figures)),
      ...ofOne.map((its) => oneFinding(its, { shared: new Set(shared.keys()), figures })),
    ];
  },
  'rule-broken': ({ brokenRules }, threshold) =>
    [...Map.groupBy(brokenRules, ({ account }) => account)]
      .filter(([, its]) => its.some(({ broken }) => broken >= threshold))
      .map(([account, its]) => ({
        subject: account,
        evidence: `messages of ${account} broke rules in the last 10 to 20 minutes: ${fewOf(brokenFirst(its))}`,
        help: `account rules ${account}`,
      })),
  'cap-near': ({ caps }, threshold) =>
    capFindings(
      caps.filter(({ spent, cap }) => cap > 0n && spent * hundred >= cap * BigInt(threshold)),
      'cap-near',
    ),
  'cap-reached': ({ caps }) =>
    capFindings(
      caps.filter(({ spent, cap, isRefused }) => isRefused || (cap > 0n && spent >= cap)),
      'cap-reached',
    ),
  'low-balance': ({ low }) =>
    low.map(({ name, balance, alertedBelow, currency }) => ({
      subject: name,
      evidence: `the balance of ${name} is ${formatMicros(balance)} ${currency}, below ${formatMicros(alertedBelow)}`,
      help: `account top-up ${name} ${formatMicros(toMicros(alertedBelow - balance))}`,
    })),
};

const hundred = 100n;

/** A text for each broken rule, such as `rate 40 (30 refused)`. The rule that is broken most often comes first. */
function brokenFirst(its: AlarmFigures['brokenRules']): readonly string[] {
  const sorted = its.toSorted((one, other) => other.broken - one.broken);
  return sorted.map(({ rule, broken, refused }) => `${rule} ${broken} (${refused} refused)`);
}

/** One finding for each account, for its daily cap and its monthly cap together. */
function capFindings(caps: readonly CapFigures[], kind: 'cap-near' | 'cap-reached'): readonly Omit<Finding, 'kind'>[] {
  return [...Map.groupBy(caps, ({ account }) => account)].map(([account, its]) => {
    const spendings = its.map(
      ({ period, cap, spent, currency, endsAt }) =>
        `${formatMicros(spent)} of ${formatMicros(cap)} ${currency} of the ${period} that ends at ${formatInstant(endsAt)}`,
    );
    const evidence = `${account} has spent ${spendings.join(', and ')}`;
    return {
      subject: account,
      evidence: kind === 'cap-near' ? evidence : `${evidence}; messages beyond the cap are refused`,
      help: `account show ${account}`,
      ...(kind === 'cap-near' ? { because: [{ kind: 'cap-reached', subject: account } as const] } : {}),
    };
  });
}

/** One finding for the webhooks of the same host, because a host that does not answer delays them all. */
function lateWebhooks(figures: AlarmFigures, threshold: number): readonly Omit<Finding, 'kind'>[] {
  const late = figures.webhooks.flatMap((webhook) => {
    const wait = overdueOf(figures, webhook.oldest, threshold);
    return wait ? [{ ...webhook, ...wait }] : [];
  });
  const stopped = new Set(figures.stoppedWebhooks.map(({ id }) => id));
  return [...Map.groupBy(late, ({ host }) => host)].map(([host, its]) => {
    const byAge = its.toSorted((one, other) => other.seconds - one.seconds);
    const waiting = its.reduce((sum, each) => sum + each.waiting, 0);
    const ids = fewOf(byAge.map(({ id }) => String(id)));
    const [oldest] = byAge;
    return {
      subject: host,
      evidence: `${counted(waiting, 'notification', ['waits', 'wait'])} for ${host} (${its.length === 1 ? 'webhook' : 'webhooks'} ${ids}), the oldest for ${oldest?.seconds} s`,
      help: `webhook resume ${oldest?.id}`,
      ...(its.every(({ isEarly }) => isEarly) ? { isEarly: true } : {}),
      // Stopped webhooks explain this finding only if all late webhooks of the host are stopped.
      ...(its.every(({ id }) => stopped.has(id)) ? { because: its.map(stoppedName) } : {}),
    };
  });
}

function stoppedName({ id }: { readonly id: number }): AlarmName {
  return { kind: 'webhook-stopped', subject: String(id) };
}

function isRising(threshold: number) {
  return ({ now, usual }: Pick<RefusalFigures, 'now' | 'usual'>) => now >= threshold && now >= usualTimes * usual;
}

function sumOf(its: readonly RefusalFigures[]): Pick<RefusalFigures, 'now' | 'usual'> {
  const sum = (of: 'now' | 'usual') => its.reduce((all, each) => all + each[of], 0);
  return { now: sum('now'), usual: sum('usual') };
}

function sharedFinding(
  code: string,
  its: readonly RefusalFigures[],
  { now }: Pick<AlarmFigures, 'now'>,
): Omit<Finding, 'kind'> {
  const names = fewOf(mostFirst(its).map(({ account }) => account));
  const { now: refused, usual } = sumOf(its);
  return {
    subject: code,
    evidence: `${refused} requests of ${its.length} accounts were refused with ${code} in this hour; usual are ${usual}: ${names}`,
    help: `refusal summary --since ${formatInstant(now)}`,
  };
}

/** Refusal codes whose cause opens another alarm about the account. */
const ownAlarms: { readonly [code: string]: AlarmName['kind'] } = {
  insufficient_balance: 'low-balance',
  spend_cap_reached: 'cap-reached',
  rate_limited: 'rule-broken',
  destination_blocked: 'rule-broken',
  sender_not_allowed: 'rule-broken',
};

function oneFinding(
  its: readonly RefusalFigures[],
  { shared, figures }: { readonly shared: ReadonlySet<string>; readonly figures: AlarmFigures },
): Omit<Finding, 'kind'> {
  const { now: refused, usual } = sumOf(its);
  const [most] = mostFirst(its);
  const { account, code } = most ?? { account: '', code: '' };
  const own = ownAlarms[code];
  const codes = mostFirst(its).map((each) => `${each.code} ${each.now}`);
  return {
    subject: account,
    evidence: `${refused} requests of ${account} were refused in this hour; usual are ${usual}: ${fewOf(codes)}`,
    help: `refusal summary --account ${account} --since ${formatInstant(figures.now)}`,
    because: [
      ...(own === undefined ? [] : [{ kind: own, subject: account }]),
      ...(shared.has(code) ? [{ kind: 'refusals-rising', subject: code } as const] : []),
    ],
  };
}

function mostFirst(its: readonly RefusalFigures[]): readonly RefusalFigures[] {
  return its.filter(({ now }) => now > 0).toSorted((one, other) => other.now - one.now);
}
