import { expect, it } from 'vitest';
import { managerOn } from '#test/makers/manager.ts';

it.each([
  [['partners', 'list'], 2, 'say where: --local, or --stage dev, staging or prod'],
  [
    ['partners', 'list', '--local', '--service-file', '/nowhere.json'],
    1,
    '/nowhere.json is missing: start the local run',
  ],
  [
    ['partners', 'list', '--local', '--service-file', 'package.json'],
    1,
    'package.json is no service file of a local run: name the right one with --service-file',
  ],
  [['keys', 'rotate', '--help'], 0, ''],
])('the manager called with %j exits with %d and names the cure', async (args, code, message) => {
  expect(await managerOn()(args)).toMatchObject({ code, err: expect.stringContaining(message) });
});
