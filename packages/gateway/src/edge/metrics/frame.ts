/* Reads, at a scrape, the counts that other parts of the gateway keep anyway. */

import { stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { secondMs } from '@morsel/api/values/time.ts';
import type { Account } from '../../core/account/account.ts';
import type { Snapshot } from '../../core/snapshot.ts';
import type { Meters } from '../../flow/metrics/meters.ts';
import type { Nodes } from '../../flow/nodes/nodes.ts';
import type { Readiness } from '../../flow/readiness.ts';
import type { LinkStatus } from '../../flow/routing/carrier-link.ts';
import type { Journal } from '../../store/journal.ts';
import { databaseName } from '../../store/stopped.ts';
import type { StoreFigures } from '../../store/views/running/figures.ts';
import type { Tools } from '../../flow/ports.ts';

export interface MetricsNeeds extends Pick<Tools, 'clock' | 'prices'> {
  readonly dataDir: string;
  readonly meters: Meters;
  readonly snapshot: () => Snapshot;
  readonly links: () => ReadonlyMap<number, readonly LinkStatus[]>;
  readonly journal: Pick<Journal, 'durability' | 'statistics'>;
  readonly readiness: Pick<Readiness, 'ready' | 'troubles'>;
  readonly nodes: Pick<Nodes, 'name' | 'holds' | 'list'>;
  readonly sessions: { readonly size: number };
  readonly smppListeners: { readonly unbound: number };
}

export interface Frame extends Pick<
  MetricsNeeds,
  'meters' | 'journal' | 'readiness' | 'nodes' | 'sessions' | 'smppListeners'
> {
  readonly now: number;
  readonly snapshot: Snapshot;
  /** Carriers with their running links, in the order of their ids. */
  readonly carriers: readonly ShownCarrierLinks[];
  /** The label of an account: its name, or `other`. */
  readonly accountLabel: (account: number) => string;
  /** Figures of the whole store; undefined at a node that another node reports them for. */
  readonly figures: StoreFigures | undefined;
  readonly disk: DiskSizes;
}

interface ShownCarrierLinks {
  readonly id: number;
  readonly name: string;
  readonly isActive: boolean;
  readonly links: readonly LinkStatus[];
}

export interface DiskSizes {
  readonly freeBytes: number | undefined;
  /** The octets of the write-ahead log; undefined on PostgreSQL, whose files are elsewhere. */
  readonly walBytes: number | undefined;
  readonly databaseBytes: number | undefined;
}

/** The most carriers with metrics. The oldest carriers have them. */
const carriersMax = 500;
/** The most accounts with a label of their own: the oldest accounts. All others share the label `other`. */
const accountsMax = 1_000;
/** The most destinations of each kind whose waiting notifications are counted. */
const destinationsMax = 200;
/** Scrapes within this time get the same figures of the store. */
const figuresKeptMs = 5 * secondMs;

export class FrameReader {
  readonly #needs: MetricsNeeds;
  #kept: { readonly at: number; readonly figures: StoreFigures } | undefined;

  constructor(needs: MetricsNeeds) {
    this.#needs = needs;
  }

  async read(): Promise<Frame> {
    const { clock, nodes, links, ...needs } = this.#needs;
    const snapshot = needs.snapshot();
    const statuses = links();
    const [carriers, named] = [oldest(snapshot.carriers, carriersMax), oldest(snapshot.accounts, accountsMax)];
    const labels = new Map(named.map(({ id, name }) => [id, name]));
    const [figures, disk] = await Promise.all([this.#figures(carriers, named), readDisk(needs)]);
    return {
      ...needs,
      nodes,
      now: clock.now(),
      snapshot,
      carriers: carriers.map(({ id, name, status }) => ({
        id,
        name,
        isActive: status === 'active',
        // A link of another node is left out, because that node reports its metrics.
        links: (statuses.get(id) ?? []).filter(({ node }) => node === null || node === nodes.name),
      })),
      accountLabel: (account) => labels.get(account) ?? 'other',
      figures,
      disk,
    };
  }

  /** Only the node with the duty of upkeep reports figures of the store, so that their sum over all nodes is right. */
  async #figures(
    carriers: readonly { readonly id: number }[],
    accounts: readonly Account[],
  ): Promise<StoreFigures | undefined> {
    const { nodes, prices, clock, snapshot } = this.#needs;
    if (!nodes.holds('upkeep', 0)) return undefined;
    const at = clock.monotonicMs();
    if (this.#kept && at - this.#kept.at < figuresKeptMs) return this.#kept.figures;
    const { webhooks, callbacks, logins } = snapshot();
    const withLogin = new Set([...logins.values()].map(({ account }) => account));
    const idsOf = (isAsked: (id: number) => boolean) =>
      accounts.flatMap(({ id }) => (isAsked(id) ? id : [])).slice(0, destinationsMax);
    const asked = await prices.ask('figures', {
      carriers: carriers.map(({ id }) => id),
      webhooks: oldest(webhooks, destinationsMax).map(({ id }) => id),
      sessions: idsOf((id) => withLogin.has(id)),
      callbacks: idsOf((id) => callbacks.has(id)),
    });
    if (!asked.ok) return undefined;
    this.#kept = { at, figures: asked.value };
    return asked.value;
  }
}

export async function readDisk({ dataDir, journal }: Pick<MetricsNeeds, 'dataDir' | 'journal'>): Promise<DiskSizes> {
  const isHere = journal.durability.engine === 'SQLite';
  const file = join(dataDir, databaseName);
  const [space, wal, database] = await Promise.all([
    statfs(dataDir).catch(() => undefined),
    isHere ? sizeOf(`${file}-wal`) : undefined,
    isHere ? sizeOf(file) : undefined,
  ]);
  return { freeBytes: space && space.bavail * space.bsize, walBytes: wal, databaseBytes: database };
}

async function sizeOf(file: string): Promise<number> {
  // The file may be missing, because SQLite removes an empty write-ahead log.
  return stat(file).then(
    ({ size }) => size,
    () => 0,
  );
}

function oldest<Row extends { readonly id: number }>(rows: ReadonlyMap<number, Row>, max: number): Row[] {
  return [...rows.values()].toSorted((one, other) => one.id - other.id).slice(0, max);
}
