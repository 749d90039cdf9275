/** The lists of RUNBOOK.md, first-deployment, compared with the templates: no test can run them, because they need AWS. */
import { describe, expect, inject, it } from 'vitest';
import { allowed } from '#infra/local/aws/iam.ts';
import { blueprintOf } from '#infra/local/blueprint.ts';
import { ACCOUNT, REGION, readAssembly, Template } from '#infra/local/template.ts';
import { readRunbook, runbookText } from '#infra/runbook.ts';
import { type RoleAccess, rolesOf } from '../makers/iam.ts';
import { filledInProd } from '../makers/synthesised.ts';

const look = readRunbook(runbookText()).get('first-deployment')!.parts['First look']!;

const dev = new Template(readAssembly(inject('assembly')), 'http://127.0.0.1:9');
const blueprint = blueprintOf(dev);
const roles = rolesOf(dev, blueprint);
const table = `arn:aws:dynamodb:${REGION}:${ACCOUNT}:table/${blueprint.table.TableName}`;

/** Action of each part of a transaction, by the shell function that makes the part. */
const PART_ACTIONS: Readonly<Record<string, string>> = {
  put: 'PutItem',
  update: 'UpdateItem',
  check: 'ConditionCheckItem',
};
const access = (action: string, leadingKeys: readonly string[], attributes: readonly string[] = []): RoleAccess => ({
  action: `dynamodb:${action}`,
  resource: table,
  leadingKeys,
  attributes: ['pk', 'sk', ...attributes],
});

/** Returns what a command of the table asks IAM for. Each part of a transaction is asked for by itself. */
function accessesOf(command: string): readonly RoleAccess[] {
  const [verb = '', first = '', second = ''] = command.split(' ');
  if (verb === 'transact')
    return [...command.matchAll(/\$\((\w+) (\w+)\)/g)].map(([, part = '', kind = '']) =>
      access(PART_ACTIONS[part]!, [`${kind}#check`], part === 'update' ? ['note'] : []),
    );
  if (verb === 'write') return [access('UpdateItem', [`${first}#check`], [second])];
  if (verb === 'get') return [access('GetItem', [`${first}#check`])];
  if (verb === 'batch') return [access('BatchGetItem', [`${first}#check`, `${second}#check`])];
  if (verb === 'rows') return [access('Query', [`${first}#check`])];
  if (verb === 'entries') return [{ ...access('Query', [first]), resource: `${table}/index/byList` }];
  throw new Error(`the table of conditions has an unknown command: ${command}`);
}

/** Returns the rows of the table of conditions, each with the function whose policy was taken last. */
function rowsOfConditions() {
  const [, lines = ''] = /\| function \| command \|.*\n.*\n((?:\|.*\n)+)/.exec(look) ?? [];
  let operation = '';
  return lines
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [taken = '', command = '', expected = ''] = line.slice(2).split(' | ');
      operation = /^`take ([\w-]+)`$/.exec(taken)?.[1] ?? operation;
      return { operation, command: command.slice(1, -1), expected };
    });
}

describe('the table of conditions in the runbook', () => {
  const rows = rowsOfConditions();

  it('the table has a row for each kind of command, and rows of both answers', () => {
    const verbs = new Set(rows.map(({ command }) => command.split(' ')[0]));
    expect(verbs).toEqual(new Set(['transact', 'write', 'get', 'batch', 'entries', 'rows']));
    expect(new Set(rows.map(({ expected }) => expected))).toEqual(new Set(['allowed', 'denied']));
  });

  it.each(rows)('the policy of $operation in the template answers $command as the table expects', (row) => {
    const role = roles.get(row.operation)!;
    const asked = accessesOf(row.command);
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.every((one) => allowed(role, one))).toBe(row.expected === 'allowed');
  });

  it.each(rows)('the policy of $operation denies $command by a condition, if at all', ({ operation, command }) => {
    const allowing = roles.get(operation)!.filter(({ Effect }) => Effect === 'Allow');
    for (const one of accessesOf(command)) expect(allowed(allowing, one), one.action).toBe(true);
  });

  it('the command that copies a policy names the only policy of each role', () => {
    const named = /get-role-policy .*--policy-name (\w+)/.exec(look)?.[1];
    for (const { operation } of rows) {
      const properties = dev
        .ofType('AWS::Lambda::Function')
        .find((one) => one.properties['FunctionName'] === `partner-credit-dev-${operation}`)!.properties;
      const id = String(properties['Role']).split('/').at(-1);
      const role = dev.ofType('AWS::IAM::Role').find((one) => one.id === id)!.properties;
      expect(role['Policies'], operation).toEqual([expect.objectContaining({ PolicyName: named })]);
    }
  });
});

describe('the table of checks in the runbook', () => {
  const { data, service, administration, watch } = filledInProd();
  const templates = [data, service, administration, watch].map((stack) => JSON.stringify(stack.toJSON())).join('\n');

  it('each resource of prod that the section names is in the templates', () => {
    const names = new Set(look.match(/(?:aws-waf-logs-)?partner-credit-prod[\w/-]*/g));
    expect(names.size).toBeGreaterThan(10);
    expect(Array.from(names).filter((name) => !templates.includes(`"${name}"`))).toEqual([]);
  });

  it('the role of AWS Backup is found by its description', () => {
    const description = /Roles\[\?Description=='([^']+)'\]/.exec(look)?.[1];
    expect(templates.split(`"Description":"${description}"`)).toHaveLength(2);
  });

  it('the section names exactly the alarms whose period is seven days', () => {
    const alarms = Object.values(watch.findResources('AWS::CloudWatch::Alarm'));
    const long = alarms.filter(({ Properties }) => JSON.stringify(Properties).includes('"Period":604800'));
    const [row = ''] = /^\| alarms over seven days .*$/m.exec(look) ?? [];
    const named = [...row.matchAll(/`(partner-credit-prod-[\w-]+)`/g)].map(([, name]) => name);
    expect(long.length).toBeGreaterThan(0);
    expect(named.toSorted()).toEqual(long.map(({ Properties }) => Properties['AlarmName']).toSorted());
  });
});
