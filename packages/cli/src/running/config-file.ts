/* Reads and writes the settings as YAML. Errors name the line and column in the file. */

import { resources } from '@morsel/api/admin/resources.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import {
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  parseDocument,
  Parser,
  stringify,
  visit,
  type Document,
  type Pair,
  type ScalarTag,
  type Tags,
} from 'yaml';
import { usage, type Failure, type Shell } from '../command.ts';
import { dataIn, unusable } from '../files/data-file.ts';
import { contentOf, firstLineOf } from '../files/file-content.ts';

/** The longest file of settings, in characters: more than ten thousand accounts with their routes. */
const configMax = 8 * 1024 * 1024;
/** How deep settings may be nested. The deepest ones have a few levels; thousands would exhaust the stack. */
const levelsMax = 100;
const widthMax = 120;

export interface ConfigFile {
  /** The settings as the gateway reads them, with the secrets instead of their references. */
  readonly json: string;
  /** Where a setting such as `carriers[2].window` stands in the file. */
  readonly placeOf: (path: string) => Place;
  /** The reference of each secret, such as `carriers[0].password: !file /etc/morsel/alpha.password`. */
  readonly references: readonly string[];
}

/** A place in a file. Both numbers begin with 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** A reference to a secret, such as `!env ALPHA_PASSWORD`. */
class Elsewhere {
  readonly kind: 'env' | 'file';
  readonly name: string;

  constructor(kind: Elsewhere['kind'], name: string) {
    this.kind = kind;
    this.name = name;
  }
}

function tagOf(kind: Elsewhere['kind']): ScalarTag {
  return { tag: `!${kind}`, resolve: (name) => new Elsewhere(kind, name) };
}

/** YAML without numbers, which would lose zeros and signs, and with the tags of secrets. */
function customTags(tags: Tags): Tags {
  const numbers = new Set(['tag:yaml.org,2002:int', 'tag:yaml.org,2002:float']);
  const others = tags.filter((each) => typeof each === 'string' || !numbers.has(each.tag));
  return [...others, tagOf('env'), tagOf('file')];
}

/** Reads the settings of a file; `-` is standard input. */
export async function readConfig(shell: Shell, file: string): Promise<Result<ConfigFile, Failure>> {
  const content = await dataIn(shell, file);
  if (!content.ok) return content;
  if (content.value.length > configMax)
    return refused(usage(`${file} has more than ${configMax} characters: apply a part of the settings at a time`));
  const lineCounter = new LineCounter();
  const deep = tooDeepAt(content.value);
  if (deep)
    return refused(
      unusable(shell, file, [{ ...deep, detail: `the settings are nested in more than ${levelsMax} levels` }]),
    );
  // Numbers stay as they are written: a password of 0123 keeps its zero, and an amount all of its digits.
  const document = parseDocument(content.value, { lineCounter, customTags });
  const placeAt = (offset: number): Place => {
    const { line, col: column } = lineCounter.linePos(offset);
    return { line, column };
  };
  const faults = [...document.errors, ...document.warnings].map(({ message, pos: [offset] }) => {
    const [first = ''] = message.split('\n');
    return { ...placeAt(offset), detail: first.replace(/ at line \d+, column \d+:?$/, '') };
  });
  visit(document, {
    Alias: (_key, { range, source }) => {
      faults.push({
        ...placeAt(range?.[0] ?? 0),
        detail: `the alias *${source} is not allowed: write the settings out`,
      });
    },
  });
  if (faults.length > 0) return refused(unusable(shell, file, faults));
  const placeOf = (path: string) => placeAt(offsetOf(document, path));
  const settings: unknown = document.toJS();
  const places = elsewhereIn(settings);
  for (const each of places) {
    const found = isSecret(each.name)
      ? await secretIn(shell.environment, each.value)
      : refused(usage(`!${each.value.kind} is only for secrets, such as password`));
    if (found.ok) Object.assign(each.at, { [each.name]: found.value });
    else faults.push({ ...placeOf(each.path), detail: found.error.detail });
  }
  if (faults.length > 0) return refused(unusable(shell, file, faults));
  const references = places.map(({ path, value }) => `${path}: !${value.kind} ${value.name}`);
  return ok({ json: JSON.stringify(settings ?? {}), placeOf, references });
}

/**
 * Where a text is nested too deeply. The parser itself is safe: only the code that makes a document of tokens is
 * recursive.
 */
function tooDeepAt(text: string): Place | undefined {
  const lineCounter = new LineCounter();
  lineCounter.addNewLine(0);
  const parser = new Parser(lineCounter.addNewLine);
  for (const lexeme of new Lexer().lex(text)) {
    // The parser is lazy: it reads the lexeme only when its tokens are taken.
    Array.from(parser.next(lexeme));
    if (parser.stack.length > levelsMax) {
      const { line, col: column } = lineCounter.linePos(parser.offset);
      return { line, column };
    }
  }
  return undefined;
}

/**
 * Whether a setting is a secret. Only secrets may be references: otherwise a file of somebody else could show any file
 * and variable of the operator.
 */
function isSecret(name: string): boolean {
  const adds = Object.values(resources).flatMap(({ operations }) =>
    'add' in operations ? [operations.add.input] : [],
  );
  return adds.some((input) =>
    Object.entries(input).some(([each, { about }]) => each === name && about.isSecret === true),
  );
}

interface SecretPlace {
  readonly at: object;
  readonly name: string;
  readonly path: string;
  readonly value: Elsewhere;
}

function elsewhereIn(at: unknown, path = ''): readonly SecretPlace[] {
  if (typeof at !== 'object' || at === null) return [];
  return Object.entries(at).flatMap(([name, value]) => {
    const inner = Array.isArray(at) ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`;
    return value instanceof Elsewhere ? [{ at, name, path: inner, value }] : elsewhereIn(value, inner);
  });
}

async function secretIn(
  environment: Shell['environment'],
  { kind, name }: Elsewhere,
): Promise<Result<string, Failure>> {
  if (kind === 'file') {
    const content = await contentOf(name);
    // A private key has many lines.
    return content.ok ? ok(content.value.includes('-----BEGIN') ? content.value : firstLineOf(content.value)) : content;
  }
  const value = environment[name];
  return value === undefined ? refused(usage(`the environment variable ${name} of the file is not set`)) : ok(value);
}

/** The offset of the innermost part of a path that exists in the document. */
function offsetOf(document: Document, path: string): number {
  let node: unknown = document.contents;
  let offset = 0;
  for (const step of path.split(/[.[\]]+/).filter((each) => each !== '')) {
    const pair = isMap(node)
      ? node.items.find((each: Pair) => isScalar(each.key) && each.key.value === step)
      : undefined;
    if (pair && isScalar(pair.key)) offset = pair.key.range?.[0] ?? offset;
    node = isSeq(node) ? node.items[Number(step)] : pair?.value;
    if (isMap(node)) offset = node.range?.[0] ?? offset;
  }
  return offset;
}

export function writeConfig(json: string): string {
  const settings: { readonly [section: string]: unknown } = { ...Object(JSON.parse(json)) };
  const sections = Object.entries(settings).map(([name, items]) =>
    stringify({ [name]: items }, { lineWidth: widthMax }),
  );
  return `${head}\n${sections.join('\n')}`;
}

const head = `# Settings of Morsel. Look at what this file would change with morsel config plan, and apply it with morsel config apply.
# What the file does not name stays as it is. It has no secrets: a new carrier needs its password, for example as
#   password: !env ALPHA_PASSWORD
#   password: !file /etc/morsel/alpha.password
`;
