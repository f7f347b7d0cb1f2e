/** The types of the npm package `pg`, as far as the gateway uses it. */
declare module 'pg' {
  import type { ConnectionOptions } from 'node:tls';

  export interface ClientConfig {
    readonly connectionString?: string;
    readonly host?: string;
    readonly user?: string;
    readonly database?: string;
    readonly connectionTimeoutMillis?: number;
    readonly query_timeout?: number;
    readonly application_name?: string;
    readonly keepAlive?: boolean;
    readonly ssl?: ConnectionOptions | false;
  }

  /** The type of a field is an OID (src/include/catalog/pg_type.dat). */
  export interface Field {
    readonly name: string;
    readonly dataTypeID: number;
  }

  export interface Answer {
    readonly fields: readonly Field[];
    readonly rows: readonly (readonly unknown[])[];
  }

  export interface Question {
    /** A statement with a name is prepared once. */
    readonly name?: string;
    readonly text: string;
    readonly values?: readonly unknown[];
    readonly rowMode: 'array';
  }

  /** Sends the messages of the extended query protocol (55.2.3 of PostgreSQL's manual). */
  export interface Protocol {
    readonly stream: { cork(): void; uncork(): void; destroy(): void };
    parse(message: { readonly text: string; readonly name: string }): void;
    describe(message: { readonly type: 'S'; readonly name: string }): void;
    close(message: { readonly type: 'S'; readonly name: string }): void;
    bind(message: { readonly statement: string; readonly values: readonly (Buffer | string | null)[] }): void;
    execute(message: object): void;
    sync(): void;
  }

  /** A query that speaks the protocol itself. Its other methods are called with the messages of the server. */
  export interface Submittable {
    submit(to: Protocol): void;
    handleRowDescription(message: { readonly fields: readonly Field[] }): void;
    handleDataRow(message: { readonly fields: readonly (string | null)[] }): void;
    handleCommandComplete(message: { readonly text: string }): void;
    handleError(fault: unknown): void;
    handleReadyForQuery(): void;
  }

  export const types: { getTypeParser(dataTypeID: number): (text: string) => unknown };

  export class Client {
    constructor(config: ClientConfig);
    connect(): Promise<void>;
    query(question: Question | string): Promise<Answer>;
    query(question: Submittable): void;
    end(): Promise<void>;
    ref(): void;
    unref(): void;
    on(event: 'error' | 'end', hear: (fault: Error) => void): this;
    on(
      event: 'notification',
      hear: (notification: { readonly channel: string; readonly payload?: string }) => void,
    ): this;
    readonly connection: Protocol;
    /** The process of the server, as the start of the connection named it. */
    readonly processID: number | null;
  }
}
