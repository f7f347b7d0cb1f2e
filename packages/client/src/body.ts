/** The methods that we use of the body of a `Request` or `Response`. */
export interface Body {
  getReader(): {
    read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
    cancel(): Promise<unknown>;
  };
}

export type Octets = Uint8Array<ArrayBuffer>;

/**
 * The most octets of a body. The longest answer, a report of 255 parts, has about 40 KB. The longest notification, a
 * text of 255 parts, has about 100 KB.
 */
export const bodyMax = 1024 * 1024;

/** Reads a body to its end. If the body has more than `bodyMax` octets, stops reading and returns undefined. */
export async function readBody(body: Body): Promise<Octets | undefined> {
  const reader = body.getReader();
  const chunks: Uint8Array[] = [];
  for (let size = 0; ;) {
    const { done, value } = await reader.read();
    if (done || !value) return joined(chunks);
    size += value.length;
    if (size > bodyMax) {
      reader.cancel().catch(() => undefined);
      return undefined;
    }
    chunks.push(value);
  }
}

export function joined(chunks: readonly Uint8Array[]): Octets {
  const all = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}
