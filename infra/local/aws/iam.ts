import * as z from 'zod/mini';

export interface PolicyStatement {
  readonly Sid?: string;
  readonly Effect: 'Allow' | 'Deny';
  readonly Action: string | readonly string[];
  readonly Resource: string | readonly string[];
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;
}

const oneOrMore = z.union([z.string(), z.array(z.string())]);

/** Refuses a statement with `NotAction` or `NotResource`. */
export const policyStatement: z.ZodMiniType<PolicyStatement> = z.object({
  Sid: z.optional(z.string()),
  Effect: z.enum(['Allow', 'Deny']),
  Action: oneOrMore,
  Resource: oneOrMore,
  Condition: z.optional(z.record(z.string(), z.record(z.string(), oneOrMore))),
});

interface Access {
  readonly action: string;
  readonly resource: string;
  /** Service through which a request comes, for example DynamoDB for a key of KMS. Undefined for a direct request. */
  readonly via?: string;
  /** Partition keys of the rows in the request. @default none */
  readonly leadingKeys?: readonly string[];
  readonly attributes?: readonly string[];
}

const toList = (value: string | readonly string[]): readonly string[] => [value].flat();

function matchesPattern(pattern: string, text: string): boolean {
  const parts = pattern.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`).test(text);
}

/** Throws an Error for a condition that none of our statements has. */
function holds(condition: PolicyStatement['Condition'], { via, leadingKeys = [], attributes = [] }: Access): boolean {
  return Object.entries(condition ?? {}).every(([operator, tests]) =>
    Object.entries(tests).every(([key, values]) => {
      if (operator === 'StringEquals' && key === 'kms:ViaService')
        return via !== undefined && toList(values).includes(via);
      if (key === 'dynamodb:LeadingKeys' && /^ForAnyValue:String(Not)?Like$/.test(operator)) {
        const isLike = (key: string) => toList(values).some((pattern) => matchesPattern(pattern, key));
        return leadingKeys.some((key) => isLike(key) === operator.endsWith(':StringLike'));
      }
      if (key === 'dynamodb:Attributes' && /^ForAnyValue:String(Not)?Equals$/.test(operator))
        return attributes.some((name) => toList(values).includes(name) === operator.endsWith(':StringEquals'));
      throw new Error(`the condition ${operator} on ${key} is not known here`);
    }),
  );
}

export const covers = (action: string, resource: string, { Condition }: PolicyStatement, request: Access): boolean =>
  matchesPattern(action, request.action) && matchesPattern(resource, request.resource) && holds(Condition, request);

const applies = (statement: PolicyStatement, request: Access) =>
  toList(statement.Action).some((action) =>
    toList(statement.Resource).some((resource) => covers(action, resource, statement, request)),
  );

export function allowed(statements: readonly PolicyStatement[], request: Access): boolean {
  const applying = statements.filter((statement) => applies(statement, request));
  return applying.length > 0 && applying.every(({ Effect }) => Effect === 'Allow');
}
