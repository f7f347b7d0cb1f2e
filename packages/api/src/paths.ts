/* The paths of the public HTTP API. They are not in `endpoints.ts`, because that file loads TypeBox and delays the start. */

export interface EndpointPath {
  readonly path: string;
  /** The allowed methods. A request with another method gets 405, with the allowed methods in `Allow`. */
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

/** `/v1/sms/send` is the same endpoint as `/sms/send`. Version 1 never changes. */
export function pathsOf(endpoint: Pick<EndpointPath, 'path'>): readonly string[] {
  return endpoint.path.startsWith('/sms/') ? [endpoint.path, `/v1${endpoint.path}`] : [endpoint.path];
}
