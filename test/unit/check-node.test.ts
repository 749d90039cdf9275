import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };

/** Runs the check as npm does before a script, on a Node that reports another version. */
function checked(script: string, version: string) {
  const versions = `Object.defineProperty(process, 'versions', { value: { node: '${version}' } })`;
  const options = ['--import', `data:text/javascript,${encodeURIComponent(versions)}`, 'bin/check-node.js'];
  const env = { ...process.env, npm_lifecycle_event: `pre${script}` };
  return spawnSync(process.execPath, options, { encoding: 'utf8', env });
}

it.each(['20.20.2', '23.11.1'])('check-node.js refuses Node %s with a sentence that says what to do', (version) => {
  const { status, stderr } = checked('test', version);
  expect(status).toBe(1);
  expect(stderr).toBe(
    `npm run test: Node 24 or newer is needed, this is ${version}. On Linux, npm ci brings it; elsewhere, install it.\n`,
  );
});

it.each(['24.0.0', '26.10.0'])('check-node.js accepts Node %s', (version) => {
  expect(checked('start', version)).toMatchObject({ status: 0, stderr: '' });
});

it.each(['start', 'test', 'test:nightly'] as const)('npm checks Node before it runs %s', (script) => {
  expect(manifest.scripts[`pre${script}`]).toBe('node bin/check-node.js');
});
