import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, ConnectError, encode, type ConnectOptions, type Session } from '@morsel/smpp';
import type { Gateway } from '../../src/app.ts';
import { makeLog } from '../../src/runtime/log.ts';
import { startOn } from '../support/gateway/gateway.ts';
import type { AdminCalls } from '@morsel/api/admin/client.ts';
import type { Rejection } from '../../src/core/base/rejection.ts';
import { operatorCalls } from '../../src/edge/admin/handlers.ts';
import { done } from '../support/done.ts';

/* A gateway with clients that bind to it, in this process, on real sockets. */

export const host = '127.0.0.1';

type Fields = { readonly [field: string]: unknown };

/** A gateway with an account acme that has a login. */
export class SmppSite implements AsyncDisposable {
  readonly gateway: Gateway;
  /** The log, at the level trace. */
  readonly log: readonly Fields[];
  readonly systemId = 'acme';
  readonly password = 'Right-1';
  readonly #dataDir: string;
  #isStopped = false;

  private constructor(gateway: Gateway, dataDir: string, log: readonly Fields[]) {
    this.gateway = gateway;
    this.#dataDir = dataDir;
    this.log = log;
  }

  static async open(environment: { readonly [name: string]: string } = {}): Promise<SmppSite> {
    const dataDir = mkdtempSync(join(tmpdir(), 'morsel-smpp-'));
    const lines: Fields[] = [];
    const log = makeLog('trace', { write: (line) => void lines.push(toFields(JSON.parse(line))) });
    const gateway = await startOn(dataDir, { environment, log }).catch((fault: unknown) => {
      rmSync(dataDir, { recursive: true, force: true });
      throw fault;
    });
    const site = new SmppSite(gateway, dataDir, lines);
    assert.ok((await site.operator.account.add({ name: 'acme', currency: 'EUR', balance: '100' })).ok);
    done(await site.operator.login.add({ account: 'acme', systemId: site.systemId, password: site.password }));
    return site;
  }

  get port(): number {
    return this.gateway.smppPort ?? assert.fail('SMPP is off');
  }

  /** The operator's calls on this gateway. */
  get operator(): AdminCalls<Rejection> {
    return operatorCalls(this.gateway.operator);
  }

  async sessions(given: { readonly account?: string } = {}) {
    return done(await this.operator.session.list(given)).items;
  }

  bind(more: Partial<ConnectOptions['bind']> = {}, options: Partial<ConnectOptions> = {}): Promise<Session> {
    const { systemId: system_id, password } = this;
    return connect({
      host,
      port: this.port,
      bind: { command: 'bind_transceiver', system_id, password, interface_version: 0x34, ...more },
      onRequest: (_pdu, respond) => void respond(0),
      ...options,
    });
  }

  /** Binds, which must be refused. Returns the status, and the time that the refusal took. */
  async refusal(more: Partial<ConnectOptions['bind']> = {}): Promise<{ readonly status: number; readonly ms: number }> {
    const startedAt = performance.now();
    try {
      const session = await this.bind(more);
      session.destroy();
    } catch (error) {
      assert.ok(error instanceof ConnectError, String(error));
      return { status: error.command_status ?? -1, ms: performance.now() - startedAt };
    }
    return { status: 0, ms: performance.now() - startedAt };
  }

  stop(): Promise<void> {
    this.#isStopped = true;
    return this.gateway.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#isStopped) await this.stop();
    rmSync(this.#dataDir, { recursive: true, force: true });
  }
}

function toFields(value: unknown): Fields {
  assert.ok(typeof value === 'object' && value !== null);
  return { ...value };
}

/** A bind as octets, for clients that are only a socket. */
export function bindOctets({ systemId: system_id, password }: SmppSite): Uint8Array {
  return encode({ command: 'bind_transceiver', sequence_number: 1, system_id, password, interface_version: 0x34 });
}
