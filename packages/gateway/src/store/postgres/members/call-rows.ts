/* Calls between nodes. A call and its answer are rows of a table. A hint tells a node of a new row. */

import type { NodeConnection } from './node-connection.ts';

/** Deletes calls for whose answer nobody waits any more. */
const oldCalls = `delete from call where made_at < clock_timestamp() - interval '1 minute'`;

interface Call {
  readonly id: number;
  readonly name: string;
  /** The call, as JSON. */
  readonly body: string;
}

interface CallAnswer {
  readonly node: number;
  /** The answer, as JSON. */
  readonly body: string;
}

export class CallRows {
  readonly #connection: NodeConnection;

  constructor(connection: NodeConnection) {
    this.#connection = connection;
  }

  async call(name: string, body: string): Promise<number> {
    const [, [[id] = []] = []] = await this.#connection.send(
      { text: oldCalls },
      {
        text: 'insert into call (node, name, body) values ($1, $2, $3) returning id',
        values: [this.#connection.self.node, name, body],
      },
    );
    await this.#connection.hint({ kind: 'call', keys: [] });
    return Number(id);
  }

  async answers(call: number): Promise<readonly CallAnswer[]> {
    const [found = []] = await this.#connection.send({
      text: 'select node, body from answer where call = $1',
      values: [call],
    });
    return found.map(([node, body]) => ({ node: Number(node), body: String(body) }));
  }

  async end(call: number): Promise<void> {
    await this.#connection.send({ text: 'delete from call where id = $1', values: [call] });
  }

  /** Unanswered calls of other nodes, the oldest first. */
  async unanswered(max: number): Promise<readonly Call[]> {
    const [found = []] = await this.#connection.send({
      text: `select id, name, body from call where node <> $1
        and not exists (select 1 from answer where answer.call = call.id and answer.node = $1) order by id limit $2`,
      values: [this.#connection.self.node, max],
    });
    return found.map(([id, name, body]) => ({ id: Number(id), name: String(name), body: String(body) }));
  }

  async answer(call: number, body: string): Promise<void> {
    const values = [call, this.#connection.self.node, body];
    const text = `insert into answer (call, node, body) select id, $2, $3 from call where id = $1 on conflict do nothing`;
    await this.#connection.send({ text, values });
    await this.#connection.hint({ kind: 'answer', keys: [] });
  }
}
