import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs, { existsSync, renameSync, writeFileSync } from 'node:fs';
import { registerHooks, syncBuiltinESMExports } from 'node:module';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = join(import.meta.dirname, '..');

/** File with the hash of each source and of each generated file, by its path from the repository's root. */
const HASHES = join(ROOT, '.generated.json');

// The original, which recordSources() replaces in `fs`.
const { readFileSync } = fs;

const json = (value: object) => `${JSON.stringify(value, null, 2)}\n`;
const hashOf = (content: string | Uint8Array) => createHash('sha256').update(content).digest('hex');

function isCurrent(): boolean {
  if (!existsSync(HASHES)) return false;
  const hashes: Record<string, string> = JSON.parse(readFileSync(HASHES, 'utf8'));
  return Object.entries(hashes).every(([path, hash]) => {
    const file = join(ROOT, path);
    return existsSync(file) && hashOf(readFileSync(file)) === hash;
  });
}

/** Writes a file in one step, since another process may be reading it. */
function write(file: string, text: string): void {
  const draft = join(ROOT, `.generated-${process.pid}`);
  writeFileSync(draft, text);
  renameSync(draft, file);
}

/**
 * Returns the hashes of this file, of the list of installed packages, and of each file that this process reads from now
 * on.
 */
function recordSources(): Record<string, string> {
  const hashes: Record<string, string> = {};
  const add = (path: string) => {
    hashes[path] = hashOf(readFileSync(join(ROOT, path)));
  };
  const note = (file: string) => {
    const path = relative(ROOT, file.startsWith('file:') ? fileURLToPath(file) : file);
    if (!path.startsWith('..') && !path.includes('node_modules/')) add(path);
  };
  add('node_modules/.package-lock.json');
  note(import.meta.filename);
  registerHooks({
    load(url, context, nextLoad) {
      if (url.startsWith('file:')) note(url);
      return nextLoad(url, context);
    },
  });
  fs.readFileSync = new Proxy(readFileSync, {
    apply(read, self, args) {
      note(String(args[0]));
      return Reflect.apply(read, self, args);
    },
  });
  syncBuiltinESMExports();
  return hashes;
}

async function generate(): Promise<void> {
  const hashes = recordSources();
  const { default: document } = await import('../shared/partner/openapi/openapi.json', { with: { type: 'json' } });
  const { generatorProfile } = await import('../shared/partner/openapi/generator-profile.ts');
  const clients = await import('../shared/partner/client/clients.ts');
  const { administrationDocument } = await import('../shared/administration/document/openapi.ts');
  const files = [
    { path: 'shared/partner/openapi/openapi-3.0.json', text: json(generatorProfile(document)) },
    { path: 'shared/partner/client/generated.ts', text: await clients.generatedTypes(document) },
    { path: clients.PYTHON_CLIENT_PATH, text: clients.pythonClient(document) },
    ...clients.packageFiles(document).map(({ path, text }) => ({ path: `shared/partner/client/${path}`, text })),
    { path: 'shared/administration/document/openapi.json', text: json(administrationDocument()) },
  ];
  for (const { path, text } of files) {
    hashes[path] = hashOf(text);
    write(join(ROOT, path), text);
  }
  write(HASHES, json(hashes));
}

/** Does nothing if neither the generated files nor their sources have changed. Throws if a file cannot be made. */
export default function generateOnce(): void {
  // A new process imports every source, and so can record each source.
  if (!isCurrent()) execFileSync(process.execPath, [join(ROOT, 'bin/generate-once.ts')], { stdio: 'inherit' });
}

if (import.meta.main && !isCurrent()) await generate();
