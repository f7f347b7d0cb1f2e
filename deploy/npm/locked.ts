/* The packages of package-lock.json that a set of dependencies needs. */

interface Locked {
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly os?: readonly string[];
}

/**
 * Returns the path of each package below the repository, such as `node_modules/pino`, with its version. Throws if a
 * dependency is not in the lock, or at a place where the published package, which has no workspaces, does not find it.
 */
export function lockedPackages(lock: unknown, names: readonly string[]): ReadonlyMap<string, string> {
  const all = packagesOf(lock);
  const found = new Map<string, string>();
  const wanted = names.map((name) => ({ name, from: '', isOptional: false }));
  for (const { name, from, isOptional } of wanted) {
    const place = placeOf(name, from, all);
    const locked = place === undefined ? undefined : all.get(place);
    if (place === undefined || locked === undefined) {
      if (isOptional) continue;
      throw new Error(`package-lock.json does not have ${name}`);
    }
    if (found.has(place)) continue;
    if (locked.os !== undefined)
      throw new Error(`${name} is only for ${locked.os.join(', ')}, so it cannot be bundled`);
    found.set(place, locked.version);
    for (const each of Object.keys(locked.dependencies ?? {})) {
      wanted.push({ name: each, from: place, isOptional: false });
    }
    for (const each of Object.keys(locked.optionalDependencies ?? {})) {
      wanted.push({ name: each, from: place, isOptional: true });
    }
  }
  return new Map([...found].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Finds a package from the folder of another package upwards, as Node does. */
function placeOf(name: string, from: string, all: ReadonlyMap<string, Locked>): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const place = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
    if (all.has(place)) return place;
    if (folder === '') return undefined;
  }
}

function packagesOf(lock: unknown): ReadonlyMap<string, Locked> {
  if (typeof lock !== 'object' || lock === null || !('packages' in lock)) throw new Error('not a package-lock.json');
  return new Map(Object.entries(lock.packages ?? {}));
}
