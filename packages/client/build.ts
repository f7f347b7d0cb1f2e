import { openApiDocument, problems } from '@morsel/api';
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/*
 * Compiles src/ into the folder that is given, dist/ by default, and puts the license of what is published beside that folder: at the root of
 * the package, where npm and others look for it. The sources take the types of the contract from @morsel/api, which is not published, so these
 * types are written into contract.d.ts.
 */

interface Schema {
  readonly description?: string;
  readonly type?: string;
  readonly const?: string;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

/** The schemas of the OpenAPI document as TypeScript. */
function contractTypes(): string {
  const { components }: { components: { schemas: Readonly<Record<string, Schema>> } } = JSON.parse(
    JSON.stringify(openApiDocument('')),
  );
  return [
    ...Object.entries(components.schemas).map(
      ([name, schema]) => `${commentOf(schema)}export interface ${name} ${typeOf(schema)}`,
    ),
    `export type ProblemCode = ${Object.keys(problems).map(quoted).join(' | ')};`,
    "export type DeliveryEvent = DeliveryReport['event'];\n",
  ].join('\n');
}

function typeOf({ type, const: only, enum: values, anyOf, items, properties, required = [] }: Schema): string {
  const words = only === undefined ? values : [only];
  if (words) return words.map(quoted).join(' | ');
  if (anyOf) return anyOf.map(typeOf).join(' | ');
  if (items) return `readonly (${typeOf(items)})[]`;
  if (properties) {
    const members = Object.entries(properties).map(
      ([name, each]) => `${commentOf(each)}readonly ${name}${required.includes(name) ? '' : '?'}: ${typeOf(each)};`,
    );
    return `{\n${members.join('\n')}\n}`;
  }
  if (type === 'string' || type === 'number' || type === 'boolean') return type;
  if (type === 'integer') return 'number';
  throw new Error(`the contract has a type that this build does not know: ${type}`);
}

function quoted(word: string): string {
  return `'${word}'`;
}

function commentOf({ description }: Schema): string {
  return description === undefined ? '' : `/** ${description} */\n`;
}

const folder = process.argv[2] ?? join(import.meta.dirname, 'dist');
const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const contract = join(folder, 'contract.d.ts');
writeFileSync(contract, contractTypes());
const config = join(folder, 'tsconfig.json');
const compilerOptions = { paths: { '@morsel/api': [contract] }, outDir: folder };
writeFileSync(config, JSON.stringify({ extends: join(import.meta.dirname, 'tsconfig.build.json'), compilerOptions }));
execFileSync(process.execPath, [compiler, '-p', config], { stdio: 'inherit' });
rmSync(config);
// The compiler leaves the names of imports in declarations as they are. Compilers before 5.7 do not read the ending .ts.
for (const name of readdirSync(folder).filter((each) => each.endsWith('.d.ts'))) {
  const path = join(folder, name);
  const declarations = readFileSync(path, 'utf8').replaceAll("'@morsel/api'", "'./contract.js'");
  writeFileSync(path, declarations.replaceAll(/(from '\.\/[a-z-]+)\.ts'/g, "$1.js'"));
}
copyFileSync(join(import.meta.dirname, '../../LICENSE'), join(dirname(folder), 'LICENSE'));
