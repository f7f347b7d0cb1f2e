/** How many UTF-16 units become a string at once; an argument list has a limit in every engine. */
const UNITS_AT_ONCE = 4096;

/** The string of these UTF-16 units, surrogates as they come. */
export function stringOf(units: Uint16Array): string {
  let text = '';
  for (let at = 0; at < units.length; at += UNITS_AT_ONCE) {
    text += String.fromCharCode(...units.subarray(at, at + UNITS_AT_ONCE));
  }
  return text;
}
