/* Where each endpoint of the public HTTP API is. It stands apart from `endpoints.ts` so that a start loads no TypeBox. */

export interface EndpointPath {
  readonly path: string;
  /** Other methods are answered with 405 and these in `Allow`. */
  readonly methods: readonly ('GET' | 'HEAD' | 'POST')[];
}

export const paths = {
  send: { path: '/sms/send', methods: ['GET', 'POST'] },
  quote: { path: '/sms/quote', methods: ['GET', 'POST'] },
  dlr: { path: '/sms/dlr', methods: ['GET', 'POST'] },
  cancel: { path: '/sms/cancel', methods: ['POST'] },
  balance: { path: '/sms/balance', methods: ['GET', 'POST'] },
  health: { path: '/health', methods: ['GET', 'HEAD'] },
  ready: { path: '/ready', methods: ['GET', 'HEAD'] },
  openapi: { path: '/openapi.json', methods: ['GET'] },
} as const satisfies Record<string, EndpointPath>;

export type EndpointName = keyof typeof paths;

/** `/sms/*` is version 1, frozen; `/v1/sms/*` is the same. */
export function pathsOf(endpoint: Pick<EndpointPath, 'path'>): readonly string[] {
  return endpoint.path.startsWith('/sms/') ? [endpoint.path, `/v1${endpoint.path}`] : [endpoint.path];
}
