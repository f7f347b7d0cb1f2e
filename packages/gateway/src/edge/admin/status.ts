import { carrier } from '@morsel/api/admin/routing/carrier.ts';
import { jsonOf } from '@morsel/api/admin/field.ts';
import { ok } from '@morsel/api/values/result.ts';
import { hourMs } from '@morsel/api/values/time.ts';
import type { Journal } from '../../store/journal.ts';
import { version } from '../../runtime/version.ts';
import { time } from './present.ts';
import { carrierRows } from './carrier-rows.ts';
import type { QuestionNeeds } from './questions.ts';
import type { Answer } from './answer.ts';

/* The state of the gateway, for `status`. */

export interface StatusNeeds extends QuestionNeeds {
  readonly journal: Pick<Journal, 'durability' | 'statistics'>;
  /** Where clients bind; null while it is off. */
  readonly smppListeners: { readonly port: number | null; readonly tlsPort: number | null; readonly unbound: number };
  readonly sessions: { readonly size: number };
}

/** Alerts of the last day are counted. */
const dayMs = 24 * hourMs;

/** The words of SQLite for `pragma synchronous`; every answer relies on FULL. */
const synchronousWords = ['OFF', 'NORMAL', 'FULL', 'EXTRA'];

/** The state of the running program, and the durability that the writing connection reports. */
export async function askStatus(needs: StatusNeeds): Answer {
  const carriers = await carrierRows(needs);
  if (!carriers.ok) return carriers;
  const now = needs.clock.now();
  const alerts = await needs.reader.ask('alertCount', now - dayMs);
  if (!alerts.ok) return alerts;
  const { durability, statistics } = needs.journal;
  const uptimeMs = process.uptime() * 1_000;
  const memory = process.memoryUsage();
  const { troubles } = needs.readiness;
  const ready = needs.readiness.ready();
  return ok({
    version,
    node: process.version,
    pid: process.pid,
    startedAt: time(now - uptimeMs),
    uptimeSeconds: Math.floor(uptimeMs / 1_000),
    ready: ready.ok,
    troubles: troubles.map(({ kind, since, detail }) => ({ kind, since: time(since), detail })),
    held: needs.readiness.isHeld,
    store: {
      journalMode: durability.journalMode,
      synchronous: synchronousWords[durability.synchronous] ?? String(durability.synchronous),
      groups: statistics.groups,
      commands: statistics.commands,
      waiting: statistics.waiting,
    },
    smpp: {
      port: needs.smppListeners.port,
      tlsPort: needs.smppListeners.tlsPort,
      sessions: needs.sessions.size,
      unbound: needs.smppListeners.unbound,
    },
    alertsOfDay: alerts.value + troubles.length,
    memory: { residentBytes: memory.rss, heapBytes: memory.heapUsed },
    carriers: carriers.value.map((row) => jsonOf(carrier.operations.show.answer, row)),
  });
}
