import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import { readPrefix } from '@morsel/api/admin/money/price-cells.ts';
import { readCsv, type FileProblem } from '@morsel/api/admin/csv-read.ts';

/*
 * Networks, by mobile country code and network code (ITU-T E.212), and their prefixes. A network code has two or three
 * digits: 05 and 005 may be two networks of one country.
 */

export interface Network {
  readonly mcc: string;
  readonly mnc: string;
  /** Leading zeros of the network code may be missing, because the file had it as a number. */
  readonly isShortened: boolean;
}

/** An MCC of three digits and an MNC of two or three, with or without a hyphen between them. */
export function readNetwork(cell: string): Result<Network, string> {
  const match = /^(\d{3})[- ]?(\d{2,3})$/.exec(cell);
  if (!match) return refused('MCC and MNC must be 5 or 6 digits, such as 22801 or 310-026');
  return ok({ mcc: match[1] ?? '', mnc: match[2] ?? '', isShortened: false });
}

/** A network code with a single digit has lost its leading zero. */
export function joinNetwork(mcc: string, mnc: string, isNumber: boolean): Result<Network, string> {
  if (!/^\d{3}$/.test(mcc) || !/^\d{1,3}$/.test(mnc))
    return refused('the MCC must have 3 digits, and the MNC 1 to 3 digits');
  return ok({ mcc, mnc, isShortened: mnc.length < 3 && (isNumber || mnc.length === 1) });
}

export class NetworkMap {
  /** Prefixes by MCC, and then by MNC. */
  readonly #networks = new Map<string, Map<string, string[]>>();

  add({ mcc, mnc }: Network, prefix: string): void {
    const country = this.#networks.get(mcc) ?? new Map<string, string[]>();
    this.#networks.set(mcc, country);
    const prefixes = country.get(mnc);
    if (prefixes) prefixes.push(prefix);
    else country.set(mnc, [prefix]);
  }

  /** The prefixes of a network. Null if the map lacks the network; refused if the code may mean two networks. */
  find({ mcc, mnc, isShortened }: Network): Result<{ mnc: string; prefixes: readonly string[] } | null, string> {
    const country = this.#networks.get(mcc);
    const alike = [...(country ?? [])].filter(([each]) => (isShortened ? Number(each) === Number(mnc) : each === mnc));
    const [first, second] = alike;
    if (first && second) {
      return refused(
        `MNC ${mnc} has lost its leading zeros: it may be ${mcc}-${first[0]} or ${mcc}-${second[0]} of the mapping`,
      );
    }
    return ok(first ? { mnc: first[0], prefixes: first[1] } : null);
  }
}

/** Reads the map of networks from a file. Each line has a prefix and an MCC-MNC. A heading is optional. */
export function readNetworkMap(text: string): { readonly map: NetworkMap; readonly problems: readonly FileProblem[] } {
  const { lines, problems } = readCsv(text);
  const map = new NetworkMap();
  const found = [...problems];
  const seen = new Map<string, { readonly network: string; readonly line: number }>();
  for (const [index, { line, cells }] of lines.entries()) {
    const [prefixCell = '', networkCell = ''] = cells;
    if (index === 0 && /^prefix$/i.test(prefixCell)) continue;
    const prefix = readPrefix(prefixCell);
    const network = readNetwork(networkCell);
    if (cells.length !== 2)
      found.push({ line, detail: `the row has ${cells.length} cells, but must have 2: a prefix and an MCC-MNC` });
    else if (!prefix.ok) found.push({ line, detail: prefix.error });
    else if (!network.ok) found.push({ line, detail: network.error });
    else {
      const key = `${network.value.mcc}-${network.value.mnc}`;
      const former = seen.get(prefix.value);
      if (!former) {
        seen.set(prefix.value, { network: key, line });
        map.add(network.value, prefix.value);
      } else if (former.network !== key) {
        found.push({
          line,
          detail: `prefix ${prefix.value} belongs to network ${former.network} in line ${former.line}`,
        });
      }
    }
  }
  return { map, problems: found };
}
