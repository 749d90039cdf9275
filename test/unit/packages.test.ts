import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import client from '#shared/partner/client/package.json' with { type: 'json' };
import manifest from '../../package.json' with { type: 'json' };
import lock from '../../package-lock.json' with { type: 'json' };

interface Bill {
  readonly components: readonly {
    readonly 'bom-ref': string;
    readonly hashes?: readonly { readonly content: string }[];
  }[];
}

interface LockedPackage {
  readonly version?: string;
  readonly os?: string | readonly string[];
  readonly cpu?: string | readonly string[];
  readonly libc?: string | readonly string[];
  readonly inBundle?: boolean;
  readonly link?: boolean;
  readonly integrity?: string;
  readonly deprecated?: string;
  readonly hasInstallScript?: boolean;
}

const packages = Object.entries(lock.packages as Readonly<Record<string, LockedPackage>>).filter(([path]) =>
  path.includes('node_modules/'),
);
const nameOf = (path: string) => path.split('node_modules/').at(-1)!;
const bill = JSON.parse(execFileSync('npm', ['run', '--silent', 'sbom'], { encoding: 'utf8' })) as Bill;

it('package.json pins each package to one version', () => {
  const wanted = [manifest.dependencies, manifest.devDependencies, manifest.optionalDependencies];
  for (const [name, version] of [...wanted, client.devDependencies, manifest.overrides].flatMap(Object.entries))
    expect(version, name).toMatch(/^\d+\.\d+\.\d+$/);
});

it('each package has a hash in the lock, and an entry in the bill of materials', () => {
  const sold = packages.filter(([, { inBundle, link }]) => !inBundle && !link);
  expect(sold.filter(([, { integrity }]) => !/^sha512-/.test(integrity ?? '')).map(([path]) => path)).toEqual([]);
  const billed = new Map(bill.components.map((one) => [one['bom-ref'], one.hashes?.[0]?.content]));
  const hex = (integrity: string) => Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex');
  // If another package bundles the same version, npm's bill of materials lists the bundled copy,
  // which has no hash of its own.
  const unbilled = sold.filter(([path, { version, integrity }]) => {
    const name = `${nameOf(path)}@${version}`;
    return !billed.has(name) || (billed.get(name) ?? hex(integrity!)) !== hex(integrity!);
  });
  expect(unbilled).toEqual([]);
});

it('the bill of materials names our own client, and each package that another package brings inside', () => {
  const bundled = packages.filter(([, { inBundle }]) => inBundle);
  expect(bundled.length).toBeGreaterThan(10);
  const billed = bill.components.map((one) => one['bom-ref']);
  const names = bundled.map(([path, { version }]) => `${nameOf(path)}@${version}`);
  expect(names.filter((name) => !billed.includes(name))).toEqual([]);
  expect(billed).toContain(`${client.name}@${client.version}`);
});

describe('the packages on other platforms', () => {
  /**
   * Returns a native package without its platform: `@esbuild` of `@esbuild/darwin-arm64`. Undefined for a
   * package of every platform.
   */
  const native = (name: string) => /^(.+?)[-/](?:linux|darwin)-(?:x64|arm64)(?:-gnu)?$/.exec(name)?.[1];
  const nativeOf = (names: readonly string[]) => new Set(names.flatMap((name) => native(name) ?? []));

  const folder = mkdtempSync(join(tmpdir(), 'platform-'));
  beforeAll(() => {
    for (const file of ['package.json', 'package-lock.json', '.npmrc', 'shared/partner/client/package.json']) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      copyFileSync(file, join(folder, file));
    }
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /**
   * Returns the names of the packages that `npm ci` would bring to an empty folder on a
   * platform. It only reads the lock.
   */
  function brought(os: string, cpu: string): string[] {
    const libc = os === 'linux' ? ['--libc=glibc'] : [];
    // `npm run -s` would also silence the npm that this test starts.
    const options = ['--dry-run', '--offline', '--loglevel=notice', `--os=${os}`, `--cpu=${cpu}`, ...libc];
    const said = execFileSync('npm', ['ci', ...options], { cwd: folder, encoding: 'utf8' });
    return [...said.matchAll(/^add (\S+) /gm)].map(([, name]) => name ?? '');
  }

  it.each([
    ['darwin', 'arm64', ['@dynoxide', 'node']],
    ['darwin', 'x64', ['@dynoxide', 'node']],
    ['linux', 'arm64', ['@dynoxide']],
  ])(
    'npm ci on %s %s brings the native packages of Linux x64, except those that the README names',
    (os, cpu, named) => {
      const here = nativeOf(brought('linux', 'x64'));
      const there = nativeOf(brought(os, cpu));
      expect(here.size).toBeGreaterThan(5);
      const missing = [...here].filter((name) => !there.has(name));
      expect(missing.filter((name) => !named.includes(name))).toEqual([]);
    },
  );
});

/** Folders with a lock of their own. */
const FOLDERS = ['test/mutants/score', 'test/newest-node'];
function lockedIn(folder: string): [path: string, LockedPackage][] {
  const { packages: own } = JSON.parse(readFileSync(`${folder}/package-lock.json`, 'utf8')) as typeof lock;
  return Object.entries(own as Readonly<Record<string, LockedPackage>>).filter(([path]) => path !== '');
}

it.each(FOLDERS)('each package that only %s needs has a hash in its lock', (folder) => {
  const locked = lockedIn(folder);
  expect(locked.length).toBeGreaterThan(1);
  for (const [path, { integrity, inBundle }] of locked) if (!inBundle) expect(integrity, path).toMatch(/^sha512-/);
});

// npm counts a few packages less, because it leaves out those that only a package for another platform needs.
it('npm ci installs at most 470 packages on Linux x64', () => {
  const fits = (wanted: string | readonly string[] | undefined, here: string) =>
    !wanted || [wanted].flat().includes(here);
  const installed = packages.filter(
    ([, { os, cpu, libc, inBundle }]) => !inBundle && fits(os, 'linux') && fits(cpu, 'x64') && fits(libc, 'glibc'),
  );
  expect(installed.length).toBeLessThanOrEqual(470);
});

// .npmrc silences npm's warnings because of one that npm repeats without need, so this test replaces them.
it('no package in the lock is deprecated', () => {
  expect(packages.filter(([, { deprecated }]) => deprecated)).toEqual([]);
});

it('only packages in allowScripts run an install script', () => {
  const scripts = packages.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => nameOf(path));
  expect([...new Set(scripts)].sort()).toEqual(Object.keys(manifest.allowScripts).sort());
});

it.each(FOLDERS)('no package that only %s needs has an install script', (folder) => {
  const scripts = lockedIn(folder).filter(([, { hasInstallScript }]) => hasInstallScript);
  expect(scripts.map(([path]) => path)).toEqual([]);
});
