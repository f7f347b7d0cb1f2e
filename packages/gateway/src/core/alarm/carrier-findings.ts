/*
 * Finds faults of carriers and routes. A carrier without a bound link is one finding, with its routes as evidence. That
 * finding explains all other faults of the carrier.
 */

import {
  counted,
  fewOf,
  percentOf,
  overdueOf,
  type AlarmFigures,
  type CarrierFigures,
  type Find,
  type Finding,
} from './figures.ts';

type CarrierKind =
  | 'carrier-down'
  | 'link-down'
  | 'route-without-carrier'
  | 'queue-old'
  | 'carrier-throttles'
  | 'carrier-refuses'
  | 'delivery-low'
  | 'receipts-stopped'
  | 'receipts-unmatched'
  | 'carrier-setting';

/** A share of answers or receipts is judged only if there are at least this many. */
const shareMin = 20;
/** If receipts came for at least this share of a carrier's parts, the carrier is known to send receipts. */
const receiptShareMin = 0.5;

export const carrierFinders: { readonly [K in CarrierKind]: Find } = {
  'carrier-down': (figures) => figures.carriers.filter(isDown).map((carrier) => downFinding(figures, carrier)),
  'link-down': ({ carriers }) =>
    carriers
      .filter(({ isActive, links }) => isActive && links.some(({ isBound }) => !isBound))
      .map((carrier) => ({
        subject: carrier.name,
        evidence: `${unboundOf(carrier)}${errorsOf(carrier)}`,
        help: `carrier show ${carrier.name}`,
        ...becauseDown(carrier.name),
      })),
  'route-without-carrier': withoutCarrier,
  'queue-old': (figures, threshold) =>
    figures.carriers.flatMap(({ name, oldest, waiting }) => {
      const wait = overdueOf(figures, oldest, threshold);
      if (!wait) return [];
      const { seconds, ...early } = wait;
      const evidence = `${counted(waiting, 'part', ['waits', 'wait'])} for ${name}, the oldest for ${seconds} s`;
      return [{ subject: name, evidence, help: `carrier show ${name}`, ...becauseDown(name), ...early }];
    }),
  'carrier-throttles': ({ carriers }, threshold) =>
    carriers
      .map(({ name, links }) => ({
        name,
        throttled: links.filter(({ isBound, throttledPercent }) => isBound && throttledPercent >= threshold),
      }))
      .filter(({ throttled }) => throttled.length > 0)
      .map(({ name, throttled }) => {
        const shares = throttled.map(({ link, throttledPercent }) => `link ${link}: ${Math.round(throttledPercent)} %`);
        const evidence = `${name} throttles; its share of the last answers is ${fewOf(shares)}`;
        return { subject: name, evidence, help: `carrier show ${name}` };
      }),
  'carrier-refuses': ({ carriers }, threshold) =>
    carriers
      .filter(({ isActive, recent }) => isActive && recent.accepted + recent.refused >= shareMin)
      .map(({ name, recent: { accepted, refused } }) => ({ name, refused, percent: percentOf(refused, accepted) }))
      .filter(({ percent }) => percent >= threshold)
      .map(({ name, refused, percent }) => ({
        subject: name,
        evidence: `${name} refused ${refused} parts, ${Math.round(percent)} % of its last answers`,
        help: `carrier pause ${name}`,
      })),
  'delivery-low': ({ carriers }, threshold) =>
    carriers
      .filter(({ recent, week }) => [recent, week].every((each) => each.delivered + each.failed >= shareMin))
      .map(({ name, recent, week }) => ({
        name,
        now: percentOf(recent.delivered, recent.failed),
        usual: percentOf(week.delivered, week.failed),
      }))
      .filter(({ now, usual }) => usual - now >= threshold)
      .map(({ name, now, usual }) => ({
        subject: name,
        evidence: `${name} delivers ${Math.round(now)} % of its parts, in the last week ${Math.round(usual)} %`,
        help: `message find --carrier ${name} --event undelivered`,
      })),
  'receipts-stopped': ({ carriers }, threshold) =>
    carriers
      .filter(({ recent }) => recent.accepted >= threshold && recent.delivered + recent.failed === 0)
      .filter(({ week }) => week.accepted > 0 && (week.delivered + week.failed) / week.accepted >= receiptShareMin)
      .map(({ name, recent }) => ({
        subject: name,
        evidence: `${name} accepted ${recent.accepted} parts in the last minutes, and sent no receipt`,
        help: `carrier rebind ${name}`,
        ...becauseDown(name),
      })),
  'receipts-unmatched': ({ carriers }, threshold) =>
    carriers
      .filter(({ unmatched }) => unmatched >= threshold)
      .map(({ name, unmatched }) => ({
        subject: name,
        evidence: `${unmatched} receipts of ${name} match no message`,
        help: `carrier learned ${name}`,
      })),
  'carrier-setting': ({ carriers }, threshold) =>
    carriers.flatMap(({ name, unread, shownRule }) => {
      const rule = shownRule !== null && {
        evidence: `unmatched receipts of ${name} have message ids by the rule ${shownRule}`,
        help: `carrier set ${name} --id-rule ${shownRule}`,
      };
      const texts = unread >= threshold && {
        evidence: `${unread} inbound messages of ${name} look like receipts without a mark`,
        help: `carrier set ${name} --text-receipts on`,
      };
      // One after the other: the alarm has one command.
      const finding = rule || texts;
      return finding ? [{ subject: name, ...finding }] : [];
    }),
};

function isUp({ isActive, links }: CarrierFigures): boolean {
  return isActive && links.some(({ isBound }) => isBound);
}

function isDown(carrier: CarrierFigures): boolean {
  return carrier.isActive && !isUp(carrier);
}

function becauseDown(carrier: string): Pick<Finding, 'because'> {
  return { because: [{ kind: 'carrier-down', subject: carrier }] };
}

/** The routes without a carrier that is active and bound. */
function uncovered({ routes, carriers }: AlarmFigures): AlarmFigures['routes'] {
  const up = new Set(carriers.filter(isUp).map(({ name }) => name));
  return routes.filter((route) => !route.carriers.some((name) => up.has(name)));
}

function downFinding(figures: AlarmFigures, carrier: CarrierFigures): Omit<Finding, 'kind'> {
  const { name } = carrier;
  const routes = uncovered(figures).filter((route) => route.carriers.includes(name));
  const prefixes = fewOf(routes.map(prefixOf));
  const lost =
    routes.length === 0
      ? 'its routes have other carriers'
      : `${counted(routes.length, 'route', ['has', 'have'])} no other bound carrier: ${prefixes}`;
  const evidence = `no link of ${name} is bound${errorsOf(carrier)}; ${lost}`;
  // The help is not `carrier rebind`, because a rebind fails while the carrier is down.
  return { subject: name, evidence, help: `carrier show ${name}` };
}

/**
 * One finding for all routes with the same carriers. If one of them is active, its alarm `carrier-down` comes first.
 */
function withoutCarrier(figures: AlarmFigures): readonly Omit<Finding, 'kind'>[] {
  const byCarriers = Map.groupBy(uncovered(figures), ({ carriers }) => carriers.toSorted().join(',') || 'none');
  return [...byCarriers].map(([subject, routes]) => {
    const names = routes[0]?.carriers ?? [];
    const active = figures.carriers.filter(({ name, isActive }) => names.includes(name) && isActive);
    const [first] = figures.carriers.filter(({ name }) => names.includes(name));
    const which = names.length === 0 ? 'no carrier' : `no active and bound carrier of ${names.join(', ')}`;
    return {
      subject,
      evidence: `${counted(routes.length, 'route', ['has', 'have'])} ${which}: ${fewOf(routes.map(prefixOf))}`,
      help: first && active.length === 0 ? `carrier resume ${first.name}` : 'route list',
      because: active.map(({ name }) => ({ kind: 'carrier-down', subject: name }) as const),
    };
  });
}

function prefixOf({ prefix }: AlarmFigures['routes'][number]): string {
  return prefix === '' ? '(any)' : prefix;
}

function unboundOf({ name, links }: CarrierFigures): string {
  const unbound = links.filter(({ isBound }) => !isBound).map(({ link }) => String(link));
  return unbound.length === 1
    ? `link ${unbound.join()} of ${name} is not bound`
    : `${unbound.length} of ${links.length} links of ${name} are not bound: ${fewOf(unbound)}`;
}

function errorsOf({ links }: CarrierFigures): string {
  const errors = new Set(links.flatMap(({ isBound, lastError }) => (isBound || lastError === null ? [] : [lastError])));
  return errors.size === 0 ? '' : ` (${[...errors].slice(0, 2).join('; ')})`;
}
