import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { loadOpenApiDocument, type OpenApiResponse } from './openapi-document.js';

interface Parameter {
  name: string;
  required?: boolean;
  example?: unknown;
  schema: { example?: unknown };
}

interface Schema {
  $ref?: string;
  example?: unknown;
}

const document = loadOpenApiDocument();
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));

const resolve = <T>(value: T | { $ref: string }, components: Record<string, unknown>): T =>
  typeof value === 'object' && value !== null && '$ref' in value
    ? (components[value.$ref.split('/').at(-1) ?? ''] as T)
    : value;

const responses = operations.flatMap(({ operationId, responses: all }) =>
  Object.entries(all).map(([status, response]) => ({
    name: `${operationId} ${status}`,
    status: Number(status),
    response: resolve<OpenApiResponse>(response, document.components.responses),
  })),
);

const getParagraphs = (description: string): string[] => description.split('\n\n');

const CALLERS_IN_WORDS = {
  none: /^Needs no credential[.]$/,
  client: /^For client applications[^.]*[.]$/,
  user: /^For signed-in users[^.]*[.]/,
  either: /^For client applications and signed-in users[^.]*[.]/,
} as const;

const listNames = (wrong: { name: string }[]) => wrong.map(({ name }) => name);

describe('the OpenAPI document', () => {
  it('OpenAPI document: has the shared responses on every operation', () => {
    for (const { operationId, responses: all } of operations)
      expect([operationId, Object.keys(all)]).toEqual([
        operationId,
        expect.arrayContaining(['405', '408', '413', '415', '429', '431', '500', '502', '503', '504']),
      ]);
  });

  it('OpenAPI document: declares the headers of responses', () => {
    const lacks = (header: string, statuses: number[]) =>
      listNames(
        responses.filter(
          ({ status, response }) => statuses.includes(status) && !(header in (response.headers ?? {})),
        ),
      );
    expect(lacks('X-Request-Id', [...new Set(responses.map(({ status }) => status))])).toEqual([]);
    expect(lacks('X-RateLimit-Remaining', [200, 201, 202, 429])).toEqual([]);
    expect(lacks('Retry-After', [429, 503])).toEqual([]);
    expect(lacks('WWW-Authenticate', [401])).toEqual([]);
    expect(lacks('Allow', [405])).toEqual([]);
  });

  it('OpenAPI document: has a schema for each success, unless it says that there is no body', () => {
    const wrong = responses.filter(
      ({ status, response: { content, description } }) =>
        status < 300 && !content && !description.includes('no body'),
    );
    expect(listNames(wrong)).toEqual([]);
  });

  it('OpenAPI document: lists error codes of docs/errors.md with their status', () => {
    const page = readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8');
    const known = new Map(
      [...page.matchAll(/^\| `(\w+)` \| (\d+) \|/gm)].map(([, code, status]) => [code, status]),
    );
    const wrong = responses.flatMap(({ name, status, response }) =>
      (response['x-error-codes'] ?? [])
        .filter((code) => known.get(code) !== String(status))
        .map((code) => `${name} ${code}`),
    );
    expect(wrong).toEqual([]);
  });

  it('OpenAPI document: has an example for each body and each required parameter', () => {
    const wrong = operations.flatMap(({ operationId, parameters, requestBody }) => [
      ...((parameters ?? []) as unknown as Parameter[])
        .filter(({ required, example, schema }) => required && (example ?? schema.example) === undefined)
        .map(({ name }) => `${operationId} ${name}`),
      ...Object.values(requestBody?.content ?? {})
        .map((content) =>
          resolve<Schema>((content as { schema: Schema }).schema, document.components.schemas),
        )
        .filter(({ example }) => example === undefined)
        .map(() => `${operationId} body`),
    ]);
    expect(wrong).toEqual([]);
  });

  it('OpenAPI document: describes each operation in sentences of its own', () => {
    const wrong = operations.filter(({ summary, description = '' }) => {
      const own = getParagraphs(description)[0] ?? '';
      return !/^[A-Z`].{39,}[.]$/s.test(own) || own === `${summary}.`;
    });
    expect(wrong.map(({ operationId }) => operationId)).toEqual([]);
    const own = operations.map(({ description = '' }) => getParagraphs(description)[0]);
    expect(own.filter((text, index) => own.indexOf(text) !== index)).toEqual([]);
  });

  it('OpenAPI document: says of each operation who may call it, with the scope that the gateway checks', () => {
    for (const { operationId, description = '', security, 'x-caller': caller } of operations) {
      const callers = getParagraphs(description)[1] ?? '';
      const scope = security.flatMap(({ serviceOAuth2 }) => serviceOAuth2 ?? [])[0] ?? '$public';
      const isNamed = !['$public', 'operator'].includes(scope);
      expect([operationId, callers]).toEqual([
        operationId,
        expect.stringMatching(scope === 'operator' ? /^For operators / : CALLERS_IN_WORDS[caller]),
      ]);
      expect([operationId, /the scope `([^`]+)`/.exec(callers)?.[1]]).toEqual([
        operationId,
        isNamed ? scope : undefined,
      ]);
    }
  });

  it('OpenAPI document: groups every tag once, with a sentence for each group', () => {
    const groups = document['x-tagGroups'];
    const grouped = groups.flatMap(({ tags }) => tags);
    expect([...grouped].sort()).toEqual([...new Set(operations.flatMap(({ tags }) => tags))].sort());
    for (const { name, description } of groups)
      expect([name, description]).toEqual([name, expect.stringMatching(/^[A-Z].{30,}[.]$/)]);
  });

  it('OpenAPI document: describes callbacks where a body has a callbackUrl', () => {
    const withCallbacks = operations
      .filter(({ callbacks }) => callbacks)
      .map(({ operationId }) => operationId);
    expect(withCallbacks).toEqual([
      'AccessControlController.checkRoles',
      'OperationCallbackController.registerOperationCallback',
      'CallbackEndpointController.createCallbackEndpoint',
      'CommunityClientController.attachClient',
    ]);
  });
});
