import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { expect, test } from 'vitest';

/**
 * Which rooms, files and folders each room may import, in addition to its own files. A room is a folder or a file,
 * named without `shared/`. A file belongs to the room with the longest name with which its path begins.
 */
const ARROWS: Readonly<Record<string, string>> = {
  domain: '',
  runtime: '',
  contract: 'domain',
  administration: 'domain contract/described.ts contract/kept-as.ts',
  'administration/document': 'administration domain',
  'table/rows': 'domain runtime',
  table: 'table/rows domain runtime',
  queue: 'domain runtime',
  pdf: 'domain runtime contract/simulation-notices.ts',
  outbound: 'domain runtime',
  operator: 'domain runtime outbound',
  webhook: 'domain runtime outbound',
  'wiring.ts': 'contract/event.ts domain runtime table table/rows queue operator webhook outbound pdf',
  http: 'contract administration domain runtime',
  functions: 'contract administration administration/document http domain runtime wiring.ts partner',
  partner: 'contract domain',
  infra: 'domain contract/routes.ts contract/failures.ts administration runtime/metrics.ts partner/docs',
  'infra/security': 'infra contract domain',
  'infra/local':
    'infra domain runtime table table/rows queue operator webhook outbound partner/openapi/example-bodies.ts',
  bin: 'bin/manager infra infra/local infra/security contract administration administration/document domain partner cdk.json',
  'bin/manager': 'infra infra/local contract administration domain partner/docs/pack.ts partner/docs/numbers.ts',
};

/** Packages that a room or a file may import. Rooms and files without an entry may import any. */
const PACKAGES: Readonly<Record<string, RegExp>> = {
  domain: /^(decimal\.js|node:(crypto|zlib))$/,
  // The type of a lead's fields is derived from the schema of the stored fields.
  'domain/leads/lead.ts': /^zod\/mini$/,
  contract: /^(zod\/mini|node:net|ipaddr\.js)$/,
  administration: /^zod\/(mini|v4\/locales\/en\.js)$/,
};

const ROOT = join(import.meta.dirname, '../..');
const IMPORT = /^(?:import|export)\s[^;'"]*?from\s+'([^']+)'|^import\s+'([^']+)'|\bimport\('([^']+)'\)/gm;

const begins = (path: string, name: string) => path === name || path.startsWith(`${name}/`);
const roomOf = (path: string) => {
  const rooms = Object.keys(ARROWS).filter((room) => begins(path, room));
  return rooms.sort((a, b) => b.length - a.length)[0];
};

/**
 * The imports of each TypeScript file, types included: our files by their path, packages by their name after `npm:`.
 */
const imports = new Map<string, string[]>();
for (const folder of ['bin', 'functions', 'infra', 'shared', 'test']) {
  for (const file of readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })) {
    if (!/\.tsx?$/.test(file) || file.includes('node_modules')) continue;
    const path = `${folder}/${file}`;
    const names = [...readFileSync(join(ROOT, path), 'utf8').matchAll(IMPORT)].map((match) => match.slice(1).join(''));
    const target = (name: string) => {
      if (name.startsWith('#')) return name.slice(1);
      return name.startsWith('.') ? posix.join(path, '..', name) : `npm:${name}`;
    };
    imports.set(
      path.replace(/^shared\//, ''),
      names.map((name) => target(name).replace(/^shared\//, '')),
    );
  }
}

function allowed(from: string, to: string): boolean {
  const room = roomOf(from)!;
  // The schemas of zod add 70 KB to each function that zod/mini does not, and a third to the start of bare Node.
  if (to === 'npm:zod') return false;
  if (to.startsWith('npm:')) return (PACKAGES[from] ?? PACKAGES[room])?.test(to.slice(4)) ?? true;
  if (room !== roomOf(to)) {
    return ARROWS[room]!.split(' ').some((name) => name === roomOf(to) || (!(name in ARROWS) && begins(to, name)));
  }
  // A story (a folder of the domain) may import values/, and only the ports of another story.
  const [story, other] = [from, to].map((path) => path.split('/')[1]);
  return room !== 'domain' || story === other || other === 'values' || posix.basename(to) === 'ports.ts';
}

test('every import is allowed by the table ARROWS', () => {
  const arrows = [...imports].flatMap(([from, targets]) => targets.map((to) => [from, to] as const));
  const code = arrows.filter(([from]) => !begins(from, 'test'));
  expect(code.length).toBeGreaterThan(500);
  expect(code.filter(([from, to]) => !allowed(from, to)).map((arrow) => arrow.join(' -> '))).toEqual([]);
});

test('only test/unit/partner imports the code that makes the examples, so that a broken rule fails its own tests', () => {
  const making = /^partner\/openapi\/(examples|operations|openapi)\.ts$/;
  const runs = [...imports].filter(([, targets]) => targets.some((to) => making.test(to))).map(([from]) => from);
  expect(runs.filter((from) => begins(from, 'test') && !begins(from, 'test/unit/partner'))).toEqual([]);
});

test('an import from two or more folders up starts with # and the name of the top folder', () => {
  // The client is a package of its own, without other folders.
  const climbing = /from '(?:\.\.\/){2,}(?!\.\.|package|cdk|vitest)/;
  const files = [...imports.keys()].filter((path) => !begins(path, 'partner/client'));
  const located = files.map((path) => (/^(bin|functions|infra|test)\//.test(path) ? path : `shared/${path}`));
  expect(located.filter((path) => climbing.test(readFileSync(join(ROOT, path), 'utf8')))).toEqual([]);
});

test('wiring.ts makes adapters for ports and re-exports nothing of an adapter', () => {
  const wiring = readFileSync(join(ROOT, 'shared/wiring.ts'), 'utf8');
  expect(wiring.match(/^export .*\bfrom '.*$/gm) ?? []).toEqual([]);
});

test('no files import each other in a circle', () => {
  // A file is in no circle if it imports none of the remaining files, or if none of them imports it.
  const left = new Map(imports);
  const ends = () => {
    const imported = new Set([...left.values()].flat());
    const inCircle = (path: string, targets: string[]) => imported.has(path) && targets.some((to) => left.has(to));
    return [...left].filter(([path, targets]) => !inCircle(path, targets));
  };
  for (let found = ends(); found.length > 0; found = ends()) for (const [path] of found) left.delete(path);
  expect(Array.from(left.keys())).toEqual([]);
});
