/** A log of which a test expects nothing. */
export const quietLog = { info: () => undefined, warn: () => undefined, error: () => undefined };
