/** The types of the npm package `pg`, as far as these tests use it. */
declare module 'pg' {
  export interface ClientConfig {
    /** A folder for the socket. */
    readonly host: string;
    readonly user: string;
    readonly database: string;
    readonly connectionTimeoutMillis?: number;
    readonly query_timeout?: number;
  }

  export interface Answer {
    readonly fields: readonly { readonly name: string }[];
    readonly rows: readonly (readonly unknown[])[];
  }

  export class Client {
    constructor(config: ClientConfig);
    connect(): Promise<void>;
    query(query: {
      readonly text: string;
      readonly values?: readonly unknown[];
      readonly rowMode: 'array';
    }): Promise<Answer>;
    end(): Promise<void>;
    on(event: 'error', hear: (fault: Error) => void): this;
  }
}
