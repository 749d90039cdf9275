import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');

/** Code that keeps a value from one invocation to the next: variables of a module, and maps or fields of an adapter. */
const KEEPS = [
  /^let \w+/m,
  /^const \w+(: [^=]+)? = cachedSecret\(/m,
  /\bcachedSecret\(\n/,
  /^const \w+(: [^=]+)? = new (Recent)?Map<[^>]*>\(\)/m,
  /^ {2}readonly #\w+(: [^=]+)? = (new (Recent)?Map|\{ sandbox: new Map)/m,
  /^\s+(this\.#)?\w+ \?\?= /m,
  /^ {2}#\w+: .*(\| undefined;|= \[\];)$/m,
];
/** Folders whose code runs in a browser, before a deployment, or while a document is drawn. */
const ELSEWHERE = /shared\/(partner|pdf|contract|administration)\/|node_modules/;
/** Files whose matches belong to one call or one run, and the file that makes the values which others keep. */
const WITHIN_A_CALL = [
  'shared/domain/analyses/poll-lane.ts',
  'shared/http/partner/read-ahead.ts',
  'shared/runtime/cached.ts',
];

it('the README of shared/runtime lists each file that keeps a value from one invocation to the next', () => {
  const files = globSync(['shared/**/*.ts', 'functions/**/*.ts'], { cwd: ROOT }).filter(
    (file) => !ELSEWHERE.test(file),
  );
  const keeping = files.filter((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8');
    return KEEPS.some((pattern) => pattern.test(text));
  });
  const table = readFileSync(join(ROOT, 'shared/runtime/README.md'), 'utf8');
  const named = [...table.matchAll(/`((?:shared|functions)\/[\w/-]+\.ts)`/g)].map(([, file]) => file ?? '');
  expect(keeping.filter((file) => !WITHIN_A_CALL.includes(file) && !named.includes(file))).toEqual([]);
  expect(named.filter((file) => !files.includes(file))).toEqual([]);
});
