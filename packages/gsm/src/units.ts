/** How many UTF-16 units to convert at once. Every engine limits the number of arguments. */
const unitsAtOnce = 4096;

/** The string of these UTF-16 units. Lone surrogates stay. */
export function stringOf(units: Uint16Array): string {
  let text = '';
  for (let at = 0; at < units.length; at += unitsAtOnce) {
    text += String.fromCharCode(...units.subarray(at, at + unitsAtOnce));
  }
  return text;
}
