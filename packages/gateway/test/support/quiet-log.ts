/** A log that drops every line, for tests that do not check the log. */
export const quietLog = { info: () => undefined, warn: () => undefined, error: () => undefined };
