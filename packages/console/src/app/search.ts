/** The search of a link. Every page takes texts by name, which the types of the router cannot tell for a link to any page. */
export function searchOf(values: object): never {
  return values as never;
}
