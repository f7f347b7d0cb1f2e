/** The types of the npm package `pg`, as far as the gateway uses it. */
declare module 'pg' {
  export interface ClientConfig {
    readonly connectionString?: string;
    readonly host?: string;
    readonly user?: string;
    readonly database?: string;
    readonly connectionTimeoutMillis?: number;
    readonly query_timeout?: number;
    readonly application_name?: string;
    readonly keepAlive?: boolean;
    /** Statements are sent without waiting for the answers of those before them. */
    readonly pipeline?: boolean;
  }

  export interface Answer {
    /** The first word of what was done, such as COMMIT. */
    readonly command: string;
    /** The type of a field is an OID (src/include/catalog/pg_type.dat). */
    readonly fields: readonly { readonly name: string; readonly dataTypeID: number }[];
    readonly rows: readonly (readonly unknown[])[];
  }

  export interface Question {
    /** A statement with a name is prepared once. */
    readonly name?: string;
    readonly text: string;
    readonly values?: readonly unknown[];
    readonly rowMode: 'array';
  }

  export class Client {
    constructor(config: ClientConfig);
    connect(): Promise<void>;
    query(question: Question): Promise<Answer>;
    end(): Promise<void>;
    ref(): void;
    unref(): void;
    on(event: 'error' | 'end', hear: (fault: Error) => void): this;
    on(
      event: 'notification',
      hear: (notification: { readonly channel: string; readonly payload?: string }) => void,
    ): this;
    readonly connection: { readonly stream: { cork(): void; uncork(): void; destroy(): void } };
  }
}
