/** Masks a phone number, but leaves enough digits to see its country and recognize it: `+4179*****34`. */
export function maskNumber(number: string): string {
  const [first, last] = number.length > 8 ? [5, 2] : [3, 0];
  const hidden = Math.max(0, number.length - first - last);
  return number.slice(0, first) + '*'.repeat(hidden) + number.slice(number.length - last);
}
