import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { root } from '../../scripts/build/project.mjs';
import { leaseEveryApp } from '../support/running-suite.js';

const run = promisify(execFile);
/** Nothing listens there. npm asks it for React, an optional peer of the package, and goes on without an answer; its retries take a minute. */
const NO_REGISTRY = 'http://127.0.0.1:1';

let gatewayUrl: string;
let folder: string;

beforeAll(async () => {
  ({ gatewayUrl } = await leaseEveryApp());
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-served-client-'));
}, 120_000);
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const npm = (...args: string[]) =>
  run(
    'npm',
    [
      ...args,
      '--no-audit',
      '--no-fund',
      '--registry',
      NO_REGISTRY,
      '--cache',
      join(folder, 'cache'),
      '--fetch-retries',
      '0',
    ],
    {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: folder },
    },
  );

it('GET /client.tgz: is the packed client, without a content coding, and 304 where it is known', async () => {
  const url = `${gatewayUrl}/client.tgz`;
  const response = await fetch(url, { headers: { 'accept-encoding': 'br, gzip' } });
  const { headers } = response;
  expect([response.status, headers.get('content-type'), headers.get('content-encoding')]).toEqual([
    ...[200, 'application/gzip', null],
  ]);
  const content = Buffer.from(await response.arrayBuffer());
  expect(content.equals(readFileSync(join(root, 'dist/clients/client.tgz')))).toBe(true);
  const tag = headers.get('etag') ?? '';
  const known = await fetch(url, { headers: { 'if-none-match': tag } });
  expect([known.status, known.headers.get('etag'), await known.text()]).toEqual([304, tag, '']);
  const head = await fetch(url, { method: 'HEAD' });
  expect([head.status, head.headers.get('content-length')]).toEqual([200, String(content.length)]);
  for (const path of ['/client.tgz/x', '/client', '/clients/client.tgz'])
    expect([path, (await fetch(gatewayUrl + path)).status]).toEqual([path, 404]);
  expect((await fetch(url, { method: 'POST' })).status).toBe(404);
});

it('GET /client.tgz: npm installs it into an empty folder without a registry, and Node imports each of its modules', async () => {
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  await npm('install', `${gatewayUrl}/client.tgz`);
  const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  expect(dependencies).toEqual({ '@gatehouse/client': `${gatewayUrl}/client.tgz` });
  const program = `
    import { createClient, request } from '@gatehouse/client';
    import { queueSchemas } from '@gatehouse/client/queues';
    import { defineGate } from '@gatehouse/client/element';
    const { keys } = await request(createClient({ baseUrl: '${gatewayUrl}' }), 'GET /.well-known/jwks.json');
    console.log(Array.isArray(keys), typeof queueSchemas, typeof defineGate);`;
  writeFileSync(join(folder, 'program.mjs'), program);
  const { stdout } = await run(process.execPath, ['program.mjs'], { cwd: folder });
  expect(stdout.trim()).toBe('true object function');

  // A lock file of the same release installs again, also from an empty cache.
  for (const name of ['node_modules', 'cache']) rmSync(join(folder, name), { recursive: true });
  await npm('ci');
  expect(readdirSync(join(folder, 'node_modules/@gatehouse'))).toEqual(['client']);
});
