/* The metrics of the process, its store, its listeners, its readiness and its node. */

import { secondMs } from '@morsel/api/values/time.ts';
import { version } from '../../runtime/version.ts';
import { histogram, many, one, type DeclaredMetrics } from './declare.ts';

const troubles = ['disk-full', 'database-away', 'clock-behind', 'clock-ahead'] as const;

export const processMetrics: DeclaredMetrics = {
  morsel_build_info: many(
    'Always 1. The labels have the versions of the gateway and of Node, and the database.',
    ['version', 'node_version', 'engine'],
    ({ journal }) => [[{ version, node_version: process.version, engine: journal.durability.engine }, 1]],
  ),
  morsel_ready: one('Whether the gateway takes messages (1) or not (0), as /ready answers.', ({ readiness }) =>
    Number(readiness.ready().ok),
  ),
  morsel_trouble: many(
    'Whether the gateway has this trouble now (1) or not (0): a full disk, no database, a wrong clock.',
    ['kind'],
    ({ readiness }) =>
      troubles.map((kind) => [{ kind }, Number(readiness.troubles.some((each) => each.kind === kind))]),
  ),
  morsel_store_group_commands: histogram('Commands that were committed together.', [], ({ meters }) => [
    [{}, meters.groupCommands],
  ]),
  morsel_store_group_duration_seconds: histogram(
    'Seconds to read, decide, write and commit a group of commands.',
    [],
    ({ meters }) => [[{}, meters.groupSeconds]],
  ),
  morsel_store_commit_duration_seconds: histogram(
    'Seconds of a commit: the fsync of the write-ahead log of SQLite, or the last round trip to PostgreSQL.',
    [],
    ({ meters }) => [[{}, meters.commitSeconds]],
  ),
  morsel_store_waiting_commands: one(
    'Commands that wait for a commit. At 50000 the gateway refuses new messages.',
    ({ journal }) => journal.statistics.waiting,
  ),
  morsel_store_wal_bytes: one('Size of the write-ahead log of SQLite.', ({ disk }) => disk.walBytes),
  morsel_store_database_bytes: one('Size of the database file of SQLite.', ({ disk }) => disk.databaseBytes),
  morsel_disk_free_bytes: one('Free space of the disk with the data directory.', ({ disk }) => disk.freeBytes),
  morsel_smpp_sessions: one('Client sessions that are bound.', ({ sessions }) => sessions.size),
  morsel_smpp_unbound_connections: one(
    'SMPP connections of clients that are not bound yet.',
    ({ smppListeners }) => smppListeners.unbound,
  ),
  morsel_http_requests_total: many(
    'Answered requests of clients, by the path in the API and the HTTP status.',
    ['path', 'status'],
    ({ meters }) =>
      [...meters.requests].flatMap(([path, { statuses }]) =>
        Object.entries(statuses).map(([status, count]) => [{ path: pathLabel(path), status }, count] as const),
      ),
  ),
  morsel_http_request_duration_seconds: histogram(
    'Seconds from the head of a request to its answer.',
    ['path'],
    ({ meters }) => [...meters.requests].map(([path, { seconds }]) => [{ path: pathLabel(path) }, seconds] as const),
  ),
  morsel_node_upkeep: one(
    'Whether this node does the upkeep of the store (1) or leaves it to another one (0). It gives the figures of the whole store.',
    ({ nodes }) => Number(nodes.holds('upkeep', 0)),
  ),
  morsel_node_lease_age_seconds: one(
    'Seconds since this node renewed its lease; missing if the store has only one node.',
    ({ nodes }) => {
      const own = nodes.list().find(({ name }) => name === nodes.name);
      return own && own.agoMs / secondMs;
    },
  ),
};

function pathLabel(path: string): string {
  return path === '' ? 'unknown' : path;
}
