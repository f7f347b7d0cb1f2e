/* The metrics of the process, its store, its listeners, its readiness and its node. */

import { secondMs } from '@morsel/api/values/time.ts';
import { version } from '../../runtime/version.ts';
import { histogram, many, one, type DeclaredMetric } from './declare.ts';

const troubles = ['disk-full', 'database-away', 'clock-behind', 'clock-ahead'] as const;

export const processMetrics: readonly DeclaredMetric[] = [
  many(
    'gauge',
    {
      name: 'morsel_build_info',
      labels: ['version', 'node_version', 'engine'],
      help: 'Always 1. The labels have the versions of the gateway and of Node, and the database.',
    },
    ({ journal }) => [[{ version, node_version: process.version, engine: journal.durability.engine }, 1]],
  ),
  one('gauge', 'morsel_ready', {
    help: 'Whether the gateway takes messages (1) or not (0), as /ready answers.',
    read: ({ readiness }) => Number(readiness.ready().ok),
  }),
  many(
    'gauge',
    {
      name: 'morsel_trouble',
      labels: ['kind'],
      help: 'Whether the gateway has this trouble now (1) or not (0): a full disk, no database, a wrong clock.',
    },
    ({ readiness }) =>
      troubles.map((kind) => [{ kind }, Number(readiness.troubles.some((each) => each.kind === kind))]),
  ),
  histogram(
    { name: 'morsel_store_group_commands', labels: [], help: 'Commands that were committed together.' },
    ({ meters }) => [[{}, meters.groupCommands]],
  ),
  histogram(
    {
      name: 'morsel_store_group_duration_seconds',
      labels: [],
      help: 'Seconds to read, decide, write and commit a group of commands.',
    },
    ({ meters }) => [[{}, meters.groupSeconds]],
  ),
  histogram(
    {
      name: 'morsel_store_commit_duration_seconds',
      labels: [],
      help: 'Seconds of a commit: the fsync of the write-ahead log of SQLite, or the last round trip to PostgreSQL.',
    },
    ({ meters }) => [[{}, meters.commitSeconds]],
  ),
  one('gauge', 'morsel_store_waiting_commands', {
    help: 'Commands that wait for a commit. At 50000 the gateway refuses new messages.',
    read: ({ journal }) => journal.statistics.waiting,
  }),
  one('gauge', 'morsel_store_wal_bytes', {
    help: 'Size of the write-ahead log of SQLite.',
    read: ({ disk }) => disk.walBytes,
  }),
  one('gauge', 'morsel_store_database_bytes', {
    help: 'Size of the database file of SQLite.',
    read: ({ disk }) => disk.databaseBytes,
  }),
  one('gauge', 'morsel_disk_free_bytes', {
    help: 'Free space of the disk with the data directory.',
    read: ({ disk }) => disk.freeBytes,
  }),
  one('gauge', 'morsel_smpp_sessions', {
    help: 'Client sessions that are bound.',
    read: ({ sessions }) => sessions.size,
  }),
  one('gauge', 'morsel_smpp_unbound_connections', {
    help: 'SMPP connections of clients that are not bound yet.',
    read: ({ smppListeners }) => smppListeners.unbound,
  }),
  many(
    'counter',
    {
      name: 'morsel_http_requests_total',
      labels: ['path', 'status'],
      help: 'Answered requests of clients, by the path in the API and the HTTP status.',
    },
    ({ meters }) =>
      [...meters.requests].flatMap(([path, { statuses }]) =>
        Object.entries(statuses).map(([status, count]) => [{ path: pathLabel(path), status }, count] as const),
      ),
  ),
  histogram(
    {
      name: 'morsel_http_request_duration_seconds',
      labels: ['path'],
      help: 'Seconds from the head of a request to its answer.',
    },
    ({ meters }) => [...meters.requests].map(([path, { seconds }]) => [{ path: pathLabel(path) }, seconds] as const),
  ),
  one('gauge', 'morsel_node_upkeep', {
    help: 'Whether this node does the upkeep of the store (1) or leaves it to another one (0). It gives the figures of the whole store.',
    read: ({ nodes }) => Number(nodes.holds('upkeep', 0)),
  }),
  one('gauge', 'morsel_node_lease_age_seconds', {
    help: 'Seconds since this node renewed its lease; missing if the store has only one node.',
    read: ({ nodes }) => {
      const own = nodes.list().find(({ name }) => name === nodes.name);
      return own && own.agoMs / secondMs;
    },
  }),
];

function pathLabel(path: string): string {
  return path === '' ? 'unknown' : path;
}
