/*
 * The engine for PostgreSQL. A group of commands is decided with unlocked rows. One flight then writes the group, and
 * proves that the rows are unchanged, or that only charges of other nodes changed them. Otherwise the group is decided
 * again with locked rows, and if it conflicts once more, while no other node writes.
 */

import { nodeTable } from '../../state/tables/node.ts';
import type { Applied, Engine } from '../writer.ts';
import { decideAll, isRefusedForSure, isSetting, subjectOf, type Command } from '../../state/commands.ts';
import { webhookTable } from '../../state/tables/webhook.ts';
import type { Rows, Start } from '../../state/rows/rows.ts';
import type { Vault } from '../../state/sealing/vault.ts';
import { arrayOf } from './wire/arrays.ts';
import {
  afterwards,
  settingsChannel,
  PostgresConnection,
  ConnectionLost,
  sqlStateOf,
  type DatabaseConnection,
} from './wire/connection.ts';
import type { Found, Statement } from './wire/flight.ts';
import { stopwatchMs } from '../stopwatch.ts';
import { PostgresLoader } from './load.ts';
import type { Charges } from './charges.ts';
import { writesOf } from './writes.ts';
import { askNewestIds, askNode, askSettings, newestIdsOf, rowsOfNode, startOfNode } from './start.ts';

/** The advisory lock of the whole store: `Morsel` in ASCII. */
const storeLock = '85093541144940';
/** The first half of the advisory locks of subjects: `Mors` in ASCII. */
const subjectLocks = 1_299_149_427;

const begin: Statement = { text: 'begin', values: [] };
/** The last four values are the node's id, its lease, the number of its last group, and the settings version. */
const fenceText = (() => {
  const { names } = nodeTable.moving;
  const [id, lease, groups, settings] = [1, 2, 3, 4].map((at) => `$${names.length + at}`);
  const set = names.map((name, at) => `${name} = $${at + 1}`).join(', ');
  const update = `update node set ${set} where id = ${id} and lease = ${lease} and groups = ${groups} returning 1`;
  return `with fenced as (${update}) select pg_current_xact_id()::text::bigint % 4294967296,
    morsel_expect((select count(*) from fenced), 1), morsel_expect((select version from setting), ${settings}::bigint)`;
})();
/** Other nodes then read the settings again, and decide groups again that used the old ones. */
const newSettings: readonly Statement[] = [
  { text: 'update setting set version = version + 1' },
  { text: `notify ${settingsChannel}` },
];
const commit: Statement = { text: 'commit', values: [] };
const rollback: Statement = { text: 'rollback', values: [] };

/*
 * SQLSTATEs of conflicts (appendix A of PostgreSQL's manual): a row has changed since it was loaded (`morsel_expect`),
 * a key exists, a deadlock, a serialization failure, a lock was not available.
 */
const conflicts = ['MV001', '23505', '40P01', '40001', '55P03'];
const diskFull = ['53100', '53400'];
const damaged = ['XX001', 'XX002'];

/** Another node has taken over this node's work. This node must write nothing more (P7). */
export class LeaseLost extends Error {}

/**
 * `open`: rows are loaded before the transaction. `locking`: in it, so that rows can be locked. `again`: so are all
 * accounts and messages that the commands name, after a conflict. `alone`: no other node writes meanwhile.
 */
type Mode = 'open' | 'locking' | 'again' | 'alone';

const lockSql: { readonly [M in Mode]: string } = {
  open: `select pg_advisory_xact_lock_shared(${storeLock})`,
  locking: `select pg_advisory_xact_lock_shared(${storeLock})`,
  again: `select pg_advisory_xact_lock_shared(${storeLock})`,
  alone: `select pg_advisory_xact_lock(${storeLock})`,
};

/** After two lost connections, the server waits longer: perhaps the node decides a large group for so long. */
const waitLonger: Statement = { text: "set local idle_in_transaction_session_timeout = '10s'" };

/** If a group takes longer, the database counts as away, and new messages are refused. */
const awayMs = 2_000;

interface EngineOptions {
  readonly vault: Vault;
  readonly url: string;
  readonly name: string;
  /** The memory that the process should need at most. */
  readonly memoryMib?: number | undefined;
  /** Called when the database stops answering, or answers again. */
  readonly away?: (isAway: boolean) => void;
  /** Called after a failover if the database lacks this many commits that it had acknowledged. */
  readonly lost?: (groups: number) => void;
}

const sessionSettings = [
  // A commit that the server has answered must be safe, whatever the default of the database is.
  'set synchronous_commit = on',
  // A statement is planned once, not again for other values.
  'set plan_cache_mode = force_generic_plan',
  // The server ends a transaction that waits this long for its node, so that a stopped node blocks no other.
  "set idle_in_transaction_session_timeout = '900ms'",
  // While a statement runs, the server checks each second whether the node is still connected.
  'set client_connection_check_interval = 1000',
];

const commitSettings = ['synchronous_commit', 'fsync', 'synchronous_standby_names'];

interface Sent {
  readonly applied: Applied;
  readonly commands: readonly Command[];
  readonly charges: Charges | undefined;
  /** The number of the group. The row of the node has this number once the group is committed. */
  readonly group: number;
}

export class PostgresEngine implements Engine {
  readonly #options: EngineOptions;
  #connection: DatabaseConnection;
  #start: Start;
  #settings = 0;
  #sent: Sent | undefined;
  readonly #loader: PostgresLoader;

  protected constructor(options: EngineOptions, connection: DatabaseConnection, start: Start) {
    this.#options = options;
    this.#connection = connection;
    this.#start = start;
    this.#loader = new PostgresLoader(options.memoryMib);
  }

  static async open(options: EngineOptions): Promise<PostgresEngine> {
    const connection = await PostgresConnection.open(options.url, sessionSettings);
    const { vault } = options;
    try {
      return new this(options, connection, { ...(await startOfNode(connection, options.name)), vault });
    } catch (fault) {
      await connection.close();
      throw fault;
    }
  }

  async commitSettings(): Promise<string> {
    const text = `select ${commitSettings.map((name) => `current_setting('${name}')`).join(', ')}`;
    const [[values = []] = []] = await this.#connection.send([{ text }]);
    return commitSettings.map((name, at) => `${name} ${String(values[at]) || 'empty'}`).join(', ');
  }

  listen(accounts: readonly number[]): void {
    this.#loader.listen(accounts);
  }

  forget(commands?: readonly Command[]): void {
    if (!commands) this.#loader.forgetAnswers();
    for (const command of commands ?? []) this.#loader.forgetReads(command);
  }

  async apply(commands: readonly Command[]): Promise<Applied> {
    const { away } = this.#options;
    const wait = afterwards(awayMs, () => away?.(true));
    try {
      return await this.#applied(commands);
    } finally {
      if (wait.isOver()) away?.(false);
      wait.cancel();
    }
  }

  async #applied(commands: readonly Command[]): Promise<Applied> {
    let mode = this.#modeOf(commands);
    let losses = 0;
    for (;;) {
      try {
        return await this.#attempt(commands, mode, losses > 1);
      } catch (fault) {
        if (fault instanceof ConnectionLost) {
          losses += 1;
          const applied = await this.#recover();
          if (applied) return applied;
        } else if (isOneOf(fault, conflicts) && mode !== 'alone') {
          mode = mode === 'again' ? 'alone' : 'again';
        } else throw fault;
      }
    }
  }

  /**
   * Only one node at a time changes settings. A claim locks the heads of the queue, so nodes take different parts. An
   * operation finds its account by name, so it would not notice that messages beside it have an old row in memory.
   */
  #modeOf(commands: readonly Command[]): Mode {
    if (commands.some(isSetting)) return 'alone';
    const isLocking = commands.some((each) => each.kind === 'claim' || each.kind === 'operate' || subjectOf(each));
    return isLocking ? 'locking' : 'open';
  }

  async #attempt(commands: readonly Command[], mode: Mode, isLong: boolean): Promise<Applied> {
    this.#sent = undefined;
    const opening = [begin, ...(isLong ? [waitLonger] : []), { text: lockSql[mode], values: [] }];
    if (mode !== 'alone') opening.push(...lockSubjects(commands));
    const isInTransaction = mode !== 'open';
    try {
      if (mode === 'alone' || mode === 'again') await this.#look(opening.splice(0), commands, mode);
      const rows = rowsOfNode(this.#start, commands);
      const before = isInTransaction ? opening : [];
      const isLocking = mode === 'again';
      await this.#loader.load(commands, { connection: this.#connection, rows, before, isInTransaction, isLocking });
      const results = decideAll(rows, commands);
      const oldRefusals = mode === 'alone' ? [] : this.#oldRefusals(commands, results);
      let applied: Applied = { results, rows, oldRefusals };
      let commitMs = 0;
      const writes = writesOf(rows, this.#loader.versions, !commands.some(isAudited));
      if (writes.statements.length === 0 && rows.node.change === 'none') {
        const last = [...writes.checks, ...(isInTransaction ? [rollback] : [])];
        if (last.length > 0) await this.#connection.send(last);
      } else {
        const fence = this.#fence(rows);
        const isNews = commands.some(isSetting) || rows.isChanged(webhookTable);
        const flight = [...opening, ...writes.checks, fence, ...writes.statements, ...(isNews ? newSettings : [])];
        const { charges } = writes;
        this.#sent = { applied, commands, charges: charges?.of, group: rows.node.groups };
        const from = stopwatchMs();
        const answers = await this.commit(flight);
        commitMs = stopwatchMs() - from;
        const version = String(answers[flight.indexOf(fence)]?.[0]?.[0]);
        for (const row of writes.rows) this.#loader.versions.set(row, version);
        if (charges) applied = charges.of.settle(answers[flight.indexOf(charges.first)] ?? [], commands, applied);
      }
      this.#committed(rows);
      this.#loader.committed(rows);
      return { ...applied, commitMs };
    } catch (fault) {
      this.#loader.rolledBack();
      if (!this.#connection.isLost) await this.#connection.send([rollback]).catch(() => undefined);
      throw fault;
    }
  }

  /** A refused command writes nothing, so no version check compares the rows with which it was decided. */
  #oldRefusals(commands: readonly Command[], results: Applied['results']): readonly Command[] {
    return commands.filter((command, at) => {
      const result = results[at];
      return result?.ok === false && !isRefusedForSure(result) && this.#loader.isRecalled(command);
    });
  }

  /** Sends the last flight of a group, and commits. */
  protected commit(flight: readonly Statement[]): Promise<Found[]> {
    return this.#connection.send([...flight, commit]);
  }

  /**
   * Checks the row of this node: the lease must still be ours (P7), the group before must be the last one, and the
   * settings unchanged. Answers with the number of this transaction, as in `xmin`.
   */
  #fence(rows: Rows): Statement {
    const { lease, groups } = this.#start.node;
    rows.node.groups = groups + 1;
    const values = nodeTable.moving.write(rows.node);
    return { text: fenceText, values: [...values, this.#start.node.id, lease, groups, this.#settings] };
  }

  /**
   * Begins a transaction; reads the node's lease and the settings version. A node with a `begin` command takes the
   * stored lease, because another node may just have taken over the work of its former run.
   */
  async #look(opening: readonly Statement[], commands: readonly Command[], mode: Mode): Promise<void> {
    const { id } = this.#start.node;
    const asked = [askNode(id), askSettings, ...askNewestIds(id)];
    const answers = await this.#connection.send([...opening, ...asked]);
    const [stored, settings, ...ids] = answers.slice(opening.length);
    const node = stored?.[0] && nodeTable.shape.read(stored[0]);
    if (node && commands.some(({ kind }) => kind === 'begin')) this.#start = { ...this.#start, node };
    if (node?.lease !== this.#start.node.lease) throw new LeaseLost('another node has taken over the work of this one');
    const version = Number(settings?.[0]?.[0]);
    if (mode === 'alone' || version !== this.#settings) this.#loader.forgetAll();
    this.#settings = version;
    this.#start = { ...this.#start, newestIds: newestIdsOf(id, ids) };
  }

  #committed(rows: Rows): void {
    const { node, turns, newestIds, vault } = rows;
    this.#start = { node, turns, newestIds, vault };
  }

  /**
   * After a lost connection. Returns what was applied if the commit was done. A database that refuses the question, for
   * example because its disk is full, is asked again until it answers.
   */
  async #recover(): Promise<Applied | undefined> {
    for (let tries = 0; ; tries++) {
      this.#connection = await this.connectAgain(tries);
      try {
        return await this.#resolve();
      } catch (fault) {
        if (this.isFatal(fault)) throw fault;
        await this.#connection.close();
      }
    }
  }

  protected connectAgain(tries: number): Promise<DatabaseConnection> {
    return PostgresConnection.openAgain(this.#options.url, sessionSettings, tries);
  }

  /**
   * Finds out whether the last group that was sent is committed. If not, its number is skipped: the server may still
   * have the group in a buffer, and its fence must then fail.
   */
  async #resolve(): Promise<Applied | undefined> {
    const sent = this.#sent;
    const { id, lease, groups } = this.#start.node;
    const [[[found] = []] = []] = await this.#connection.send([
      {
        text: `update node set groups = case groups when $2 then $3 else groups end
          where id = $1 and lease in ($4, $5) returning groups`,
        values: [id, groups, sent ? sent.group + 1 : groups, lease, sent?.applied.rows.node.lease ?? lease],
      },
    ]);
    if (found === undefined) throw new LeaseLost('another node has taken over the work of this one');
    if (sent && Number(found) === sent.group) {
      const { commands, charges } = sent;
      const [stored = []] = charges ? await this.#connection.send([charges.question()]) : [];
      const applied = charges?.settleAgain(stored, commands, sent.applied) ?? sent.applied;
      this.#committed(applied.rows);
      return applied;
    }
    if (Number(found) < groups) this.#options.lost?.(groups - Number(found));
    this.#start = { ...this.#start, node: { ...this.#start.node, groups: Number(found) } };
    return undefined;
  }

  isNoRoom(fault: unknown): boolean {
    return isOneOf(fault, diskFull);
  }

  isFatal(fault: unknown): boolean {
    return fault instanceof LeaseLost || isOneOf(fault, damaged);
  }

  async close(): Promise<void> {
    await this.#connection.close();
  }
}

/** Subjects are locked in the order of their hashes, so that two nodes never wait for each other. */
function lockSubjects(commands: readonly Command[]): Statement[] {
  const subjects = commands.flatMap((each) => subjectOf(each) ?? []);
  if (subjects.length === 0) return [];
  const hashes = 'select distinct hashtext(subject) as hash from unnest($1::text[]) as subject order by hash offset 0';
  const text = `select pg_advisory_xact_lock(${subjectLocks}, hash) from (${hashes}) as subjects`;
  return [{ text, values: [arrayOf('text', subjects)] }];
}

/** The audit log has the balance before and after these commands, so no other node may charge their accounts. */
function isAudited({ kind, audit }: Command): boolean {
  return audit !== undefined || kind === 'operate' || kind === 'together';
}

function isOneOf(fault: unknown, states: readonly string[]): boolean {
  return states.includes(sqlStateOf(fault) ?? '');
}
