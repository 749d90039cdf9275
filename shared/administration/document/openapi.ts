import * as z from 'zod/mini';
import {
  type CreateDocumentOptions,
  createDocument,
  type ZodOpenApiObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathItemObject,
  type ZodOpenApiPathsObject,
} from 'zod-openapi';
import { ADMINISTRATION_CODES, ADMINISTRATION_FAILURES, administrationError } from '../failures.ts';
import type { Confirmation, Operation } from '../operation.ts';
import { ADMINISTRATION_OPERATIONS, wholeBody } from '../operations.ts';

const INTRODUCTION = `The API for the service's own people and their programs. Partners never call it.

Each request is signed (AWS Signature Version 4, service \`execute-api\`) by the caller's own credentials; the managed policies of the caller's duties say which operations they may call. A change carries \`reason\`, which the audit keeps, and \`confirm\` if it cannot be undone. An operation that answers page by page returns \`next_cursor\`: send it back as \`cursor\`, with exactly the same other fields, until it is \`null\`. Unknown fields are refused.`;

const SIGNATURE = {
  signature: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: 'AWS Signature Version 4 of the whole request.',
    'x-amazon-apigateway-authtype': 'awsSigv4',
  },
} as const;

const SERVER = {
  url: 'https://{api}.execute-api.{region}.amazonaws.com/{stage}',
  description: "The output AdministrationUrl of the stage's administration stack.",
  variables: { api: { default: 'api-id' }, region: { default: 'sa-east-1' }, stage: { default: 'prod' } },
};

const sentenceStart = (name: string) => name.charAt(0).toUpperCase() + name.slice(1).replaceAll('-', ' ');

function confirmationOf({ fields, otherwise, sometimes }: Confirmation): string {
  const named = fields.map((field) => `\`${field}\``).join(' or ');
  const word = otherwise && `the word \`${otherwise}\``;
  const repeated = [named, word].filter(Boolean).join(', else ');
  return `\`confirm\` repeats ${repeated}${sometimes ? ' if the answer asks for it' : ''}.`;
}

function descriptionOf({ duties, audited, confirm, dryRun, notedPreview, paged }: Operation): string {
  const sentences = [`For the duties ${duties.join(', ')}.`];
  if (audited) sentences.push('Noted in the audit, with the reason.');
  if (confirm) sentences.push(confirmationOf(confirm));
  if (dryRun) sentences.push('`dry_run: true` answers what the call would do, and does nothing.');
  if (notedPreview) sentences.push('Such a call needs the reason, too, and is noted.');
  if (paged) sentences.push('Page by page.');
  return sentences.join(' ');
}

const STATUSES = [...new Set(ADMINISTRATION_CODES.map((code) => ADMINISTRATION_FAILURES[code].status))].sort();

const BODY_STATUSES = [413, 415];
const CHANGE_STATUSES = [409, 422, 502];

function failuresOf({ method, audited }: Operation): Record<string, { readonly $ref: string }> {
  const possible = STATUSES.filter(
    (status) => (method !== 'GET' || !BODY_STATUSES.includes(status)) && (audited || !CHANGE_STATUSES.includes(status)),
  );
  return Object.fromEntries(possible.map((status) => [status, { $ref: `#/components/responses/${nameOf(status)}` }]));
}

const nameOf = (status: number) => `Failure${status}`;

function responses() {
  return Object.fromEntries(
    STATUSES.map((status) => {
      const codes = ADMINISTRATION_CODES.filter((code) => ADMINISTRATION_FAILURES[code].status === status);
      const description = codes.map((code) => `\`${code}\`: ${ADMINISTRATION_FAILURES[code].error}`).join(' ');
      return [nameOf(status), { description, content: { 'application/json': { schema: administrationError } } }];
    }),
  );
}

function describedOperation(operation: Operation): ZodOpenApiOperationObject {
  const { params, query, answer, preview } = operation;
  const requestParams: NonNullable<ZodOpenApiOperationObject['requestParams']> = {};
  if (params) requestParams.path = params;
  if (query) requestParams.query = query;
  const body = operation.method === 'GET' ? undefined : wholeBody(operation);
  const schema = preview ? z.union([answer, preview]) : answer;
  return {
    operationId: operation.operation,
    summary: sentenceStart(operation.operation),
    description: descriptionOf(operation),
    tags: [operation.noun],
    requestParams,
    requestBody: body && { required: true, content: { 'application/json': { schema: body } } },
    responses: {
      200: {
        description: preview
          ? 'It was done, or previewed.'
          : operation.audited
            ? 'It was done.'
            : 'What was asked for.',
        content: { 'application/json': { schema } },
      },
      ...failuresOf(operation),
    },
  };
}

const withoutSafeBounds: NonNullable<CreateDocumentOptions['override']> = ({ jsonSchema }) => {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
};

const VERBS = { GET: 'get', POST: 'post', PUT: 'put', PATCH: 'patch' } as const;

export function administrationDocument(): ReturnType<typeof createDocument> {
  const paths: ZodOpenApiPathsObject = {};
  for (const operation of ADMINISTRATION_OPERATIONS) {
    const item: ZodOpenApiPathItemObject = paths[operation.path] ?? {};
    item[VERBS[operation.method]] = describedOperation(operation);
    paths[operation.path] = item;
  }
  const parts: ZodOpenApiObject = {
    openapi: '3.1.0',
    info: {
      title: 'Administration of the partner mortgage credit integration service',
      version: '1.0.0',
      description: INTRODUCTION,
      license: { name: "For the service's own people", identifier: 'LicenseRef-Administration' },
    },
    servers: [SERVER],
    tags: Array.from(new Set(ADMINISTRATION_OPERATIONS.map(({ noun }) => noun)), (name) => ({
      name,
      description: `Operations about ${name.replaceAll('-', ' ')}.`,
    })),
    security: [{ signature: [] }],
    paths,
    components: { schemas: { Error: administrationError }, responses: responses(), securitySchemes: SIGNATURE },
  };
  return createDocument(parts, { override: withoutSafeBounds });
}
