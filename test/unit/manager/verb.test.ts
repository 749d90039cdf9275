import { Command } from 'commander';
import { expect, it } from 'vitest';
import { verb } from '#bin/manager/verb.ts';

it('takes throws a TypeError for an option without flags that is no field of the operation', () => {
  const made = verb(new Command(), 'create', 'create-unit', 'units create --local');
  expect(() => made.takes({ partner_id: 'whose', analysis_id: 'its id' })).toThrow(
    new TypeError('create-unit has no field analysis_id that people type'),
  );
});

it('verb throws a TypeError for an operation without a text for the command line', () => {
  expect(() => verb(new Command(), 'count', 'show-openapi', 'document show --local')).toThrow(
    new TypeError('show-openapi has no verb'),
  );
});

it('run receives the values of a verb by the names of the fields, in the order of its help', async () => {
  const root = new Command();
  const given: object[] = [];
  verb(root, 'create', 'create-unit', 'units create --local')
    .takes({ partner_id: 'whose', name: 'what it is called', dryRun: { flags: '--dry-run', about: 'only show' } })
    .run((values) => void given.push(values));
  await root.parseAsync(['create', '--dry-run', '--name', ' Centro ', '--partner', '123'], { from: 'user' });
  expect(given).toEqual([{ partner_id: 123, name: 'Centro', dryRun: true }]);
  expect(Object.keys(given[0] ?? {})).toEqual(['partner_id', 'name', 'dryRun']);
});
