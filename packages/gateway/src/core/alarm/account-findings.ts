/* What is wrong with accounts and their webhooks. What many have at once is one finding. */

import { formatMicros, toMicros } from '@morsel/api/values/money.ts';
import { formatInstant } from '@morsel/api/values/time.ts';
import { counted, fewOf, overdueOf } from './figures.ts';
import type { AlarmFigures, AlarmName, Find, Finding, RefusalFigures } from './figures.ts';

type AccountKind = 'webhook-late' | 'refusals-rising' | 'rule-broken' | 'low-balance';

const usualTimes = 3;
/** So many accounts that are refused with the same code have one cause, such as a route that is missing. */
const accountsMin = 3;

export const accountFinders: { readonly [K in AccountKind]: Find } = {
  'webhook-late': lateWebhooks,
  'refusals-rising': (figures, threshold) => {
    const { refusals } = figures;
    const byCode = Map.groupBy(refusals.filter(isRising(threshold)), ({ code }) => code);
    const shared = new Map([...byCode].filter(([, its]) => its.length >= accountsMin));
    const byAccount = Map.groupBy(refusals, ({ account }) => account);
    const ofOne = [...byAccount.values()].filter((its) => isRising(threshold)(sumOf(its)));
    return [
      ...[...shared].map(([code, its]) => sharedFinding(code, its, figures)),
      ...ofOne.map((its) => oneFinding(its, { shared: new Set(shared.keys()), figures })),
    ];
  },
  'rule-broken': ({ brokenRules }) =>
    [...Map.groupBy(brokenRules, ({ account }) => account)].map(([account, its]) => ({
      subject: account,
      evidence: `messages of ${account} break rules; refused since they were set: ${fewOf(its.map(({ rule, refused }) => `${rule} ${refused}`))}`,
      help: `account rules ${account}`,
    })),
  'low-balance': ({ low }) =>
    low.map(({ name, balance, alertedBelow, currency }) => ({
      subject: name,
      evidence: `the balance of ${name} is ${formatMicros(balance)} ${currency}, below ${formatMicros(alertedBelow)}`,
      help: `account top-up ${name} ${formatMicros(toMicros(alertedBelow - balance))}`,
    })),
};

/** One finding for the webhooks of the same host, because a host that does not answer delays them all. */
function lateWebhooks(figures: AlarmFigures, threshold: number): readonly Omit<Finding, 'kind'>[] {
  const late = figures.webhooks.flatMap((webhook) => {
    const wait = overdueOf(figures, webhook.oldest, threshold);
    return wait ? [{ ...webhook, ...wait }] : [];
  });
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
    };
  });
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

/** Codes of refusals that have an alarm of their own about the account. */
const ownAlarms: { readonly [code: string]: AlarmName['kind'] } = {
  insufficient_balance: 'low-balance',
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
