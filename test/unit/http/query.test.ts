import { expect, it } from 'vitest';
import { getAccount } from '#shared/contract/routes.ts';
import { parseQuery } from '#shared/http/query.ts';
import { refusalOf, wrongFields } from '#test/makers/bad-input.ts';
import { gatewayEvent } from '#test/makers/call.ts';

it('a parameter of the query without a value has the empty value', () => {
  const values = { a: undefined, b: [] } as unknown as Record<string, string[]>;
  const event = { ...gatewayEvent(getAccount), multiValueQueryStringParameters: values };
  expect(parseQuery(event)).toEqual({ a: '', b: '' });
});

it('a query with a repeated parameter is refused (400), and the answer names each such parameter', () => {
  const event = gatewayEvent(getAccount, { query: { a: ['1', '1'], b: '2', c: ['3', '4'] } });
  expect(refusalOf(() => parseQuery(event))).toEqual(wrongFields('a', 'c'));
});
