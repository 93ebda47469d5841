import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { root } from '../../scripts/build/project.mjs';
import type { Client } from '../support/create-client.js';
import { describeWithOpenapiClients } from '../support/needs.js';
import { leaseEveryApp, type RunningSuite } from '../support/running-suite.js';
import { CALLS } from './positional-calls.js';
import { runStockClients } from './run-stock-clients.js';

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
}

interface DocumentOperation {
  operationId: string;
  tags: string[];
  parameters?: Parameter[];
  requestBody?: object;
  security: object[];
  'x-caller': string;
  'x-operation-name': string;
}

interface Document {
  openapi: string;
  info: { version: string };
  servers: { url: string }[];
  paths: Record<string, Record<string, DocumentOperation>>;
  components: { securitySchemes: Record<string, unknown> };
}

describe('the OpenAPI document', () => {
  let suite: RunningSuite;
  let document: Document;
  let client: Client;

  beforeAll(async () => {
    suite = await leaseEveryApp();
    client = await suite.createClient({ scopes: ['token-gating', 'community:analytics', 'accountkit'] });
    document = (await (await fetch(`${suite.gatewayUrl}/openapi.json`)).json()) as Document;
  }, 120_000);

  const operations = () => Object.values(document.paths).flatMap((methods) => Object.values(methods));

  it('OpenAPI document: has title, version and server URL, and no internal extensions', () => {
    expect(document.openapi).toMatch(/^3\./);
    expect(document.info.version).toBe('0.81.3');
    expect(document.servers).toEqual([{ url: suite.gatewayUrl }]);
    expect(JSON.stringify(document)).not.toMatch(/x-internal-|\/internal\//);
    expect(Object.keys(document.components.securitySchemes)).toEqual([
      'apiKey',
      'authenticatedEncryption',
      'ethereum',
      'serviceOAuth2',
    ]);
  });

  it('GET /openapi.json: is compressed, and 304 where the client has it', async () => {
    const url = `${suite.gatewayUrl}/openapi.json`;
    const load = (method: string, headers: Record<string, string>) => fetch(url, { method, headers });
    for (const coding of ['br', 'gzip']) {
      const { status, headers } = await load('HEAD', { 'accept-encoding': coding });
      expect([status, headers.get('content-encoding'), headers.get('vary')]).toEqual([
        ...[200, coding, 'Accept-Encoding'],
      ]);
      expect(Number(headers.get('content-length'))).toBeLessThan(100_000);
      const tag = headers.get('etag') ?? '';
      const known = await load('GET', { 'accept-encoding': coding, 'if-none-match': `"old", ${tag}` });
      expect([known.status, known.headers.get('etag'), await known.text()]).toEqual([304, tag, '']);
      expect(known.headers.get('x-request-id')).not.toBeNull();
    }
  });

  it('OpenAPI document: has every operation, by tag and method', () => {
    const names = operations().map(({ operationId }) => operationId);
    expect(names.sort()).toEqual(Object.keys(CALLS).sort());
    for (const operation of operations()) {
      expect(operation.operationId).toBe(`${operation.tags[0] ?? ''}.${operation['x-operation-name']}`);
    }
  });

  it('OpenAPI document: lists the four security schemes on every operation, and anonymous access on public ones', () => {
    for (const { operationId, security, 'x-caller': caller } of operations()) {
      const alternatives = security.flatMap((alternative) => Object.keys(alternative));
      expect([operationId, alternatives]).toEqual([
        operationId,
        expect.arrayContaining(['apiKey', 'authenticatedEncryption', 'ethereum', 'serviceOAuth2']),
      ]);
      expect([operationId, security.some((one) => Object.keys(one).length === 0)]).toEqual([
        operationId,
        caller === 'none',
      ]);
    }
  });

  it('OpenAPI document: orders parameters by path, header, query, and declares no optional header', () => {
    const rank = ['path', 'header', 'query'];
    for (const { operationId, parameters = [] } of operations()) {
      const ranks = parameters.map((parameter) => rank.indexOf(parameter.in));
      expect([operationId, ranks]).toEqual([operationId, [...ranks].sort()]);
      expect(parameters.filter((parameter) => parameter.in === 'header' && !parameter.required)).toEqual([]);
    }
  });

  describeWithOpenapiClients('with stock programs', () => {
    it('OpenAPI document, with stock programs: is valid, and all references resolve', async () => {
      const program = spawn(process.execPath, [join(root, 'test/gateway/validate-document.mjs')], {
        stdio: ['pipe', 'ignore', 'pipe'],
        env: { PATH: process.env['PATH'] },
      });
      program.stdin.end(JSON.stringify(document));
      expect(await text(program.stderr)).toBe('');
    });

    it.each(['swagger-client', 'swagger-client-3.18'] as const)(
      'GET /openapi.json: lets %s call every operation by tag, operation id and position',
      async (packageName) => {
        const calls = Object.fromEntries(Object.entries(CALLS).map(([id, { args }]) => [id, args]));
        const expected = Object.fromEntries(Object.entries(CALLS).map(([id, { status }]) => [id, status]));
        const url = `${suite.gatewayUrl}/openapi.json`;
        const calling = [{ url, authorizations: { apiKey: client.apiKey }, calls }];
        expect(await runStockClients(calling, packageName)).toEqual([expected]);
      },
      60_000,
    );
  });

  it('OpenAPI document: is shown at /explorer without resources of other servers', async () => {
    const page = await fetch(`${suite.gatewayUrl}/explorer`);
    expect(page.status).toBe(200);
    const html = await page.text();
    expect(html).toContain('Gatehouse');
    expect(html).not.toMatch(/(?:src|href)="https?:/);
    const script = await fetch(`${suite.gatewayUrl}/explorer/swagger-ui-init.js`);
    const source = await script.text();
    expect(source).toContain('"url": "/openapi.json"');
    expect(source).toContain('"persistAuthorization": false');
  });

  it.each(['', '/', '/oauth2-redirect.html', '/swagger-ui-init.js', '/swagger-ui-bundle.js'])(
    'OpenAPI document: has security headers at /explorer%s',
    async (path) => {
      const { status, headers } = await fetch(`${suite.gatewayUrl}/explorer${path}`);
      expect([status, headers.get('x-frame-options'), headers.get('x-content-type-options')]).toEqual([
        200,
        'DENY',
        'nosniff',
      ]);
      expect(headers.get('x-ratelimit-limit')).not.toBeNull();
      const policy = headers.get('content-security-policy')?.split('; ') ?? [];
      expect(policy).toEqual(
        expect.arrayContaining(["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'"]),
      );
      expect(policy.find((directive) => directive.startsWith('script-src'))).toMatch(
        /^script-src 'self'(?: 'sha256-[^']+')+$/,
      );
    },
  );
});
