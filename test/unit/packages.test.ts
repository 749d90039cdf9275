import { describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import lock from '../../package-lock.json' with { type: 'json' };
import client from '../../shared/partner/client/package.json' with { type: 'json' };

interface LockedPackage {
  readonly version?: string;
  readonly os?: string | readonly string[];
  readonly cpu?: string | readonly string[];
  readonly libc?: string | readonly string[];
  readonly inBundle?: boolean;
  readonly deprecated?: string;
  readonly hasInstallScript?: boolean;
}

const packages = Object.entries(lock.packages as Readonly<Record<string, LockedPackage>>).filter(([path]) =>
  path.includes('node_modules/'),
);
const nameOf = (path: string) => path.split('node_modules/').at(-1)!;

describe('the packages', () => {
  it('are pinned to one version each', () => {
    const wanted = [manifest.dependencies, manifest.devDependencies, manifest.optionalDependencies];
    for (const [name, version] of [...wanted, client.devDependencies, manifest.overrides].flatMap(Object.entries))
      expect(version, name).toMatch(/^\d+\.\d+\.\d+$/);
  });

  // npm counts a few less: it leaves out what only a package for another platform needs.
  it('are at most 450 on Linux x64', () => {
    const fits = (wanted: string | readonly string[] | undefined, here: string) =>
      !wanted || [wanted].flat().includes(here);
    const installed = packages.filter(
      ([, { os, cpu, libc, inBundle }]) => !inBundle && fits(os, 'linux') && fits(cpu, 'x64') && fits(libc, 'glibc'),
    );
    expect(installed.length).toBeLessThanOrEqual(450);
  });

  // npm is told to keep its warnings to itself, for the one that it repeats without need (.npmrc).
  it('would make npm warn of no deprecated one', () => {
    expect(packages.filter(([, { deprecated }]) => deprecated)).toEqual([]);
  });

  it('run no install script that nobody has judged', () => {
    const scripts = packages.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => nameOf(path));
    expect([...new Set(scripts)].sort()).toEqual(Object.keys(manifest.allowScripts).sort());
  });
});
