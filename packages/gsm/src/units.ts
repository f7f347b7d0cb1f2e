/** How many UTF-16 units become a string at once; an argument list has a limit in every engine. */
const unitsAtOnce = 4096;

/** The string of these UTF-16 units, surrogates as they come. */
export function stringOf(units: Uint16Array): string {
  let text = '';
  for (let at = 0; at < units.length; at += unitsAtOnce) {
    text += String.fromCharCode(...units.subarray(at, at + unitsAtOnce));
  }
  return text;
}
