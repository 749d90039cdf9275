import { expect, it } from 'vitest';
import { type EmulatorPlaces, emulator } from '#infra/local/aws/dynamodb.ts';
import { StartError } from '#infra/local/listen.ts';

/** A machine that holds these files, and npm's package of its platform where `installed`. */
function machine(platform: string, files: readonly string[], installed = false): EmulatorPlaces {
  return {
    platform,
    packageFolder: (name) => (installed && name === `@dynoxide/${platform}` ? `/modules/${name}` : undefined),
    path: '/usr/bin::/opt/homebrew/bin',
    exists: (file) => files.includes(file),
  };
}

const npm = '/modules/@dynoxide/linux-x64/dynoxide';
const homebrew = '/opt/homebrew/bin/dynoxide';

it.each<[string, string, EmulatorPlaces]>([
  ["is npm's where npm has brought one, whatever lies on the PATH", npm, machine('linux-x64', [npm, homebrew], true)],
  ['is the one on the PATH on macOS', homebrew, machine('darwin-arm64', [homebrew])],
  ['is the one on the PATH where npm’s package is empty', homebrew, machine('linux-x64', [homebrew], true)],
  ['is the first on the PATH', '/usr/bin/dynoxide', machine('linux-arm64', [homebrew, '/usr/bin/dynoxide'])],
])('the DynamoDB emulator %s', (_, program, places) => expect(emulator(places)).toBe(program));

it('the DynamoDB emulator that is missing stops the start with one sentence: its npm package, Homebrew, another DynamoDB', () => {
  const start = () => emulator(machine('darwin-arm64', ['dynoxide']));
  expect(start).toThrow(StartError);
  expect(start).toThrow(/npm install --global dynoxide or brew install \S+dynoxide .*AWS_ENDPOINT_URL_DYNAMODB/);
});
