import { expect, it } from 'vitest';
import { getAccount } from '#shared/contract/routes.ts';
import { parseQuery } from '#shared/http/query.ts';
import { refusalOf, wrong } from '#test/makers/bad-input.ts';
import { gatewayEvent } from '#test/makers/call.ts';

it('the query of a call has an empty value for each parameter that came without a value', () => {
  const values = { a: undefined, b: [] } as unknown as Record<string, string[]>;
  const event = { ...gatewayEvent(getAccount), multiValueQueryStringParameters: values };
  expect(parseQuery(event)).toEqual({ a: '', b: '' });
});

it('the query of a call is refused (400) if a parameter comes twice, and the answer names each such parameter', () => {
  const event = gatewayEvent(getAccount, { query: { a: ['1', '1'], b: '2', c: ['3', '4'] } });
  expect(refusalOf(() => parseQuery(event))).toEqual(wrong('a', 'c'));
});
