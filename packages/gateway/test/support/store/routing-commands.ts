import type { CommandOf } from '../../../src/state/commands.ts';
import type { SharedSettings } from '@morsel/api/admin/routing/carrier-kinds.ts';
import {
  profileOf,
  type SmppGiven,
  type SmppProfile,
  type SmppSettings,
} from '@morsel/api/admin/routing/kinds/smpp.ts';
import type { CarrierStatus } from '../../../src/core/routing/carrier.ts';
import type { RouteCarrier } from '../../../src/core/routing/route.ts';
import { operate } from './operate.ts';

/* For tests: commands about carriers and routes. */

type Command = CommandOf<'operate'>;

/** The settings of a carrier over SMPP. */
export function smppSettings(
  profile: Partial<SmppProfile> = {},
  more: Partial<Omit<SmppSettings, 'profile'>> = {},
): SmppSettings {
  return {
    kind: 'smpp',
    host: '127.0.0.1',
    port: 2775,
    systemId: 'id',
    password: 'password',
    systemType: '',
    receiverPassword: null,
    tlsKey: null,
    profile: profileOf('standard', profile),
    ...more,
  };
}

const shared: SharedSettings = { window: 10, throughput: 0, links: 1, inDoubt: 'resend', idRule: 'same' };

interface CarrierSettings extends SharedSettings {
  readonly settings: SmppSettings;
}

/** The settings of a carrier. */
export function carrierSettings(more: Partial<CarrierSettings> = {}): CarrierSettings {
  return { ...shared, settings: smppSettings(), ...more };
}

interface Added extends Partial<SharedSettings> {
  readonly at?: number;
  readonly name?: string;
  readonly costList?: string | null;
}

export function carrierCommand({ at = 0, name = 'alpha', costList = null, ...more }: Added = {}): Command {
  const { profile: _profile, ...given } = smppSettings();
  const { host, port, systemId, password } = given;
  const input = { name, costList, host, port, systemId, password };
  return operate('carrier.add', input, { at, made: { shared: { ...shared, ...more }, given } });
}

interface Changed {
  readonly settings?: Partial<SharedSettings>;
  readonly profile?: Partial<Omit<SmppGiven, 'kind'>>;
  readonly at?: number;
  readonly carrier?: string;
  readonly preset?: undefined;
  readonly costList?: string | null | undefined;
}

export function setCarrierCommand({ at = 0, carrier = 'alpha', costList, ...more }: Changed): Command {
  const { settings = {}, profile = {} } = more;
  const made = { shared: settings, given: { kind: 'smpp', ...profile } } as const;
  return operate('carrier.set', { carrier, ...(costList !== undefined && { costList }) }, { at, made });
}

const statusOperations = {
  active: 'carrier.resume',
  paused: 'carrier.pause',
  drained: 'carrier.drain',
  removed: 'carrier.remove',
} as const;

export function carrierStatusCommand(carrier: string, status: CarrierStatus, at = 0): Command {
  return operate(statusOperations[status], { carrier }, { at });
}

/** Members that may also be undefined, as if they were missing. */
type Given<T> = { readonly [K in keyof T]?: T[K] | undefined };

type Match = Given<{
  at: number;
  prefix: string;
  sender: string | null;
  account: string | null;
  encoding: 'gsm7' | 'ucs2' | null;
}>;

type AddedRoute = Match &
  Given<Omit<RouteCarrier, 'carrier'>> &
  Given<{ carrier: string; by: 'weight' | 'cost' | null }>;

/** The command that adds a route for 41; by default over alpha. */
export function routeCommand({ at = 0, sender = null, carrier = 'alpha', ...more }: AddedRoute = {}): Command {
  const { rank = 1, weight = 1, cost = null, waitMs = null, by = null } = more;
  const place = { carrier, rank, weight, cost, after: waitMs === null ? null : waitMs / 1_000, by: by ?? undefined };
  return operate('route.add', { ...matchIn(more), ...place }, { at, made: sender });
}

export function removeRouteCommand(more: Match & { readonly carrier?: string | null | undefined } = {}): Command {
  const { at = 0, sender = null, carrier } = more;
  return operate('route.remove', { ...matchIn(more), carrier: carrier ?? undefined }, { at, made: sender });
}

type ChangedRoute = Match &
  Given<{
    carrier: string | null;
    newCarrier: string;
    settings: Given<Omit<RouteCarrier, 'carrier'>>;
    by: 'weight' | 'cost';
    newMatch: Omit<Match, 'at'>;
  }>;

export function setRouteCommand({ at = 0, sender = null, ...more }: ChangedRoute): Command {
  const { carrier, newCarrier, by, settings: { waitMs, ...settings } = {}, newMatch = {} } = more;
  const given = {
    ...matchIn(more),
    ...settings,
    ...(waitMs !== undefined && { after: waitMs === null ? null : waitMs / 1_000 }),
    carrier: carrier ?? undefined,
    newCarrier,
    by,
    newPrefix: newMatch.prefix,
    newAccount: newMatch.account,
    newEncoding: newMatch.encoding,
  };
  return operate('route.set', given, { at, made: { sender, newSender: newMatch.sender } });
}

function matchIn({ prefix = '41', account, encoding }: Match) {
  return { prefix, account: account ?? undefined, encoding: encoding ?? undefined };
}
