/** A place in the CDRs as text: the id of the last record of each node, such as `4.1021568371490816,5.1021568371490944`. */
export function placesIn(text: string): Map<number, number> {
  const places = text.split(',').filter(Boolean);
  return new Map(
    places.map((each): [node: number, id: number] => {
      const [node = 0, id = 0] = each.split('.').map(Number);
      return [node, id];
    }),
  );
}

export function placesText(places: ReadonlyMap<number, number>): string {
  const sorted = [...places].toSorted(([one], [other]) => one - other);
  return sorted.map((each) => each.join('.')).join(',');
}
