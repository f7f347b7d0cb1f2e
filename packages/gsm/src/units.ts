/** How many UTF-16 units to convert at once, because JavaScript engines limit the number of arguments of a call. */
const unitsAtOnce = 4096;

/** Makes a string from UTF-16 units. Lone surrogates remain in the string. */
export function stringOf(units: Uint16Array): string {
  let text = '';
  for (let at = 0; at < units.length; at += unitsAtOnce) {
    text += String.fromCharCode(...units.subarray(at, at + unitsAtOnce));
  }
  return text;
}
