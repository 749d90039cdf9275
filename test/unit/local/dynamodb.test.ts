import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { emulator, INSTALL, type Machine } from '#infra/local/aws/dynamodb.ts';
import { StartError } from '#infra/local/listen.ts';

/** Returns a machine with these files, and with npm's package for its platform if `installed`. */
function machine(platform: string, files: readonly string[], installed = false): Omit<Machine, 'commandOf'> {
  return {
    platform,
    packageFolder: (name) => (installed && name === `@dynoxide/${platform}` ? `/modules/${name}` : undefined),
    path: '/usr/bin::/opt/homebrew/bin',
    exists: (file) => files.includes(file),
  };
}

const npm = '/modules/@dynoxide/linux-x64/dynoxide';
const homebrew = '/opt/homebrew/bin/dynoxide';

it.each<[string, string, ReturnType<typeof machine>]>([
  ["is that of npm's package, if installed, whatever is on the PATH", npm, machine('linux-x64', [npm, homebrew], true)],
  ['is that of the PATH on macOS', homebrew, machine('darwin-arm64', [homebrew])],
  ['is that of the PATH if npm’s package is empty', homebrew, machine('linux-x64', [homebrew], true)],
  ['is the first on the PATH', '/usr/bin/dynoxide', machine('linux-arm64', [homebrew, '/usr/bin/dynoxide'])],
])('the DynamoDB emulator %s', (_, program, places) => expect(emulator(places)).toBe(program));

it('a missing DynamoDB emulator stops the start with the command that builds it, and an alternative', () => {
  const start = () => emulator(machine('darwin-arm64', ['dynoxide']));
  expect(start).toThrow(StartError);
  expect(start).toThrow(`: ${INSTALL} puts it on the PATH. npm start, but not npm test, also uses another DynamoDB`);
  expect(start).toThrow('AWS_ENDPOINT_URL_DYNAMODB');
});

it('README.md names the same command that builds the DynamoDB emulator', () => {
  expect(readFileSync('README.md', 'utf8')).toContain(`\n    ${INSTALL}\n`);
});
