import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PRINCIPAL_HEADER } from '@app/auth';
import { REQUEST_ID_HEADER } from '@app/common';
import {
  ALIASABLE_HEADERS,
  CORS_REQUEST_HEADERS,
  CORS_RESPONSE_HEADERS,
  isRequestHeader,
  loadOpenApiDocument,
  REQUEST_HEADERS,
  SECRET_HEADERS,
  type Upstream,
  UPSTREAMS,
} from '@app/openapi';
import { createLogger } from '@app/service';
import { describe, expect, it } from '@jest/globals';
import { root } from '../../scripts/build/project.mjs';

const read = (file: string): string => readFileSync(join(root, file), 'utf8');

const listSources = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'))
    .map((file) => join(folder, file));

/** Code that runs in every app behind the gateway. */
const SHARED = ['libs/service/src', 'libs/auth/src'].flatMap(listSources);

const CALL = /\bgetHeader\((?:[^()]|\([^()]*\))*,\s*'([\w-]+)',?\s*\)/g;
const LIST = /\[([^\]]*)\] as const satisfies readonly RequestHeaderName\[\]/g;

/** Headers that these files read with `getHeader`. */
const findRead = (files: readonly string[]): string[] =>
  files
    .map(read)
    .flatMap((text) => [
      ...[...text.matchAll(CALL)].map(([, name = '']) => name),
      ...[...text.matchAll(LIST)].flatMap(([, names = '']) =>
        [...names.matchAll(/'([\w-]+)'/g)].map(([, name = '']) => name),
      ),
    ]);

const rulesOf = (name: string) =>
  Object.entries(REQUEST_HEADERS).find(([key]) => key.toLowerCase() === name)?.[1];

/** Whether the app gets the header with at least one request. Only identity serves pages and reads credentials itself. */
function isForwarded(name: string, upstream: Upstream): boolean {
  const forwardedTo: string | readonly string[] = rulesOf(name)?.forwardedTo ?? 'none';
  if (Array.isArray(forwardedTo)) return forwardedTo.includes(upstream);
  if (forwardedTo === 'declared' || forwardedTo === 'pages') return upstream === 'identity';
  return forwardedTo !== 'none';
}

describe('the table of headers', () => {
  it.each(UPSTREAMS)('table of headers: the gateway forwards every header that %s reads', (upstream) => {
    const names = findRead(listSources(`apps/${upstream}/src`));
    const dropped = names.filter((name) => !isForwarded(name, upstream));
    expect(dropped).toEqual([]);
  });

  it('table of headers: finds the headers that apps read', () => {
    const names = new Set(
      findRead(UPSTREAMS.flatMap((app) => [...listSources(`apps/${app}/src`), ...SHARED])),
    );
    const known = ['authorization', 'cookie', 'idempotency-key', 'prefer', 'x-access-token', 'x-nonce-key'];
    expect(known.filter((name) => !names.has(name))).toEqual([]);
    expect([...names].filter((name) => !isRequestHeader(name))).toEqual([]);
  });

  it('table of headers: apps read headers with getHeader only, so that this test finds them', () => {
    const isOtherRead = (file: string): boolean =>
      /request\.headers\b|getRequest<Request>\(\)\s*\.headers|@Headers\(|\brequest\.(?:get|header)\('|\{[^}]*\bheaders\b[^}]*\}: (?:Request|Pick<IncomingMessage)/.test(
        read(file),
      );
    const files = UPSTREAMS.flatMap((app) => listSources(`apps/${app}/src`)).filter(isOtherRead);
    expect(files).toEqual([]);
    // Shared code reads what every app gets.
    expect(SHARED.filter(isOtherRead).sort()).toEqual([
      'libs/auth/src/principal/principal.guard.ts',
      'libs/service/src/http/accept-header.ts',
      'libs/service/src/http/error.filter.ts',
      'libs/service/src/http/get-header.ts',
      'libs/service/src/http/read-body.ts',
      'libs/service/src/http/request.middleware.ts',
    ]);
    const everywhere = [
      PRINCIPAL_HEADER,
      REQUEST_ID_HEADER,
      'traceparent',
      'content-type',
      'content-encoding',
      'content-length',
    ];
    const isDropped = (name: string) => !UPSTREAMS.every((app) => isForwarded(name, app));
    expect(everywhere.filter(isDropped)).toEqual([]);
  });

  it('table of headers: the gateway forwards every header that the document declares', () => {
    const document = loadOpenApiDocument();
    const declared = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).flatMap((operation) => [
        ...(operation.parameters ?? [])
          .filter((parameter) => parameter.in === 'header')
          .map(({ name }) => ({ upstream: operation['x-internal-upstream'], name: name.toLowerCase() })),
        ...(operation['x-internal-forwards'] ?? []).map((name) => ({
          upstream: operation['x-internal-upstream'],
          name,
        })),
      ]),
    );
    expect(declared).not.toEqual([]);
    expect(declared.filter(({ name, upstream }) => !isForwarded(name, upstream))).toEqual([]);
  });

  it('table of headers: the document describes the optional headers that clients may send', () => {
    const { description } = loadOpenApiDocument().info;
    const described = [...description.matchAll(/^- `([\w-]+)`: /gm)].map(([, name]) => name);
    expect(described).toEqual([
      'X-Access-Token',
      'X-Nonce-Key',
      'Idempotency-Key',
      'Prefer',
      'If-None-Match',
      'X-Request-Id',
    ]);
  });

  it('table of headers: log lines have no value of a secret header, at the top or one level below', () => {
    const lines: string[] = [];
    const logger = createLogger(
      'test',
      'info',
      { write: (line) => lines.push(line), flush: () => undefined },
      false,
    );
    const headers = Object.fromEntries(SECRET_HEADERS.map((name) => [name, 'a-secret-value']));
    logger.info({ ...headers, headers }, 'a line');
    expect(lines).toHaveLength(1);
    expect(lines.join('')).not.toContain('a-secret-value');
    expect(SECRET_HEADERS).toEqual(expect.arrayContaining(['authorization', 'x-api-key', 'x-bot-token']));
  });

  it('table of headers: the contract and the recipe name the headers of the table', () => {
    const contract = read('docs/contract.md');
    expect(contract).toContain(`Allowed headers: \`${CORS_REQUEST_HEADERS.join(', ')}\`.`);
    expect(contract).toContain(`Exposed headers: \`${CORS_RESPONSE_HEADERS.join(', ')}\`.`);
    const names = ALIASABLE_HEADERS.map((name) => `\`${name}\``);
    const list = `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`;
    expect(read('docs/recipes.md')).toContain(`- \`headers\`: other names of ${list}.`);
  });
});
