import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { EXTERNAL_PACKAGES } from '../../scripts/build/bundle.mjs';
import { root } from '../../scripts/build/project.mjs';
import { freshDatabase } from '../support/fresh-database.js';
import { type RunningSuite, runningSuite } from '../support/running-suite.js';

const run = promisify(execFile);
const APPS = ['gateway', 'identity', 'token-gating', 'account-kit', 'analytics'];
const ALL = { with: ['account-kit', 'analytics'] } as const;

let suite: RunningSuite | undefined;
afterEach(async () => {
  await suite?.stop();
  suite = undefined;
});

describe('the build without bundles', () => {
  it('build without bundles: starts every app, which answers and ends in order', async () => {
    suite = await runningSuite({
      with: [...ALL.with],
      entryOf: (name) => join(root, 'dist/apps', name, 'src/main.js'),
    });
    await expectPagesAndDocument(suite);
    const codes = await suite.stop();
    suite = undefined;
    expect(new Set(Object.values(codes))).toEqual(new Set([0]));
  });
});

describe('the bundles in a folder with no other packages than those that stay outside', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'gatehouse-bundles-'));
    cpSync(join(root, 'dist/bundles'), folder, { recursive: true });
    for (const name of withDependencies(EXTERNAL_PACKAGES))
      cpSync(join(root, 'node_modules', name), join(folder, 'node_modules', name), { recursive: true });
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  it('bundles in a folder with no other packages than those that stay outside: start every app, with its assets and without loading fetch', async () => {
    const preload = pathToFileURL(join(root, 'test/start/say-whether-fetch-is-loaded.mjs')).href;
    suite = await runningSuite({
      with: [...ALL.with],
      entryOf: (name) => join(folder, name, 'main.js'),
      env: { NODE_OPTIONS: `--import ${preload}` },
    });
    await expectPagesAndDocument(suite);
    const apps = APPS.map((name) => suite?.app(name));
    await suite.stop();
    suite = undefined;
    expect(apps.map((app) => [app?.name, app?.logLines.find((line) => line.endsWith('fetch'))])).toEqual(
      APPS.map((name) => [name, 'without fetch']),
    );
  });

  it('bundles in a folder with no other packages than those that stay outside: run every command', async () => {
    const database = await freshDatabase();
    const env = { NODE_ENV: 'test', DATABASE_URL: database.url, PATH: process.env.PATH };
    for (const app of ['analytics', 'gateway', 'identity', 'token-gating'])
      await run(process.execPath, [join(folder, app, 'migrate.js')], { env });
    const { stdout } = await run(process.execPath, [
      join(folder, 'identity/create-client.command.js'),
      '--help',
    ]);
    expect(stdout).toContain('create');
    const analytics = await run(process.execPath, [join(folder, 'analytics/analytics.command.js'), '--help']);
    expect(analytics.stdout).toContain('rebuild');
    const actions = await run(process.execPath, [join(folder, 'account-kit/actions.command.js'), '--help']);
    expect(actions.stdout).toContain('add --client');
    const keys = await run(process.execPath, [join(folder, 'account-kit/keys.command.js'), '--help']);
    expect(keys.stdout).toContain('materialize');
    const freeze = await run(process.execPath, [join(folder, 'account-kit/freeze.command.js'), '--help']);
    expect(freeze.stdout).toContain('set <what> --reason');
    const policies = await run(process.execPath, [join(folder, 'account-kit/policies.command.js'), '--help']);
    expect(policies.stdout).toContain('set --client');
    const platforms = await run(process.execPath, [
      join(folder, 'account-kit/platforms.command.js'),
      '--help',
    ]);
    expect(platforms.stdout).toContain('add-bot');
    await database.drop();
  });

  it('bundles in a folder with no other packages than those that stay outside: lead from a position in a stack trace to the line of its source', () => {
    const bundle = readdirSync(join(folder, 'identity')).find((file) => /^main-.*\.cjs$/.test(file)) ?? '';
    const file = join(folder, 'identity', bundle);
    const lines = readFileSync(file, 'latin1').split('\n');
    const map = new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')) as SourceMapPayload);
    const source = 'apps/identity/src/users/users.queries.ts';
    // Whitespace goes and names stay: a trace says which function it was.
    const row = lines.findIndex((line) => line.includes('async function findUser('));
    const position = map.findEntry(row, lines[row]?.indexOf('async function findUser(') ?? -1);
    expect(position).toMatchObject({ originalSource: expect.stringContaining(source) });
    const { originalLine } = position as { originalLine: number };
    expect(readFileSync(join(root, source), 'utf8').split('\n')[originalLine]).toContain(
      'function findUser(',
    );
  });

  it('bundles in a folder with no other packages than those that stay outside: carry the licence of every package in them', () => {
    const text = readFileSync(join(folder, 'LICENSES.txt'), 'utf8');
    for (const name of ['zod', 'typeorm', 'oidc-provider', '@nestjs/core'])
      expect(text).toMatch(new RegExp(`^== ${name} \\d`, 'm'));
  });
});

async function expectPagesAndDocument({ gatewayUrl }: RunningSuite): Promise<void> {
  for (const [path, text] of [
    ['/openapi.json', '"openapi"'],
    ['/explorer', 'swagger-ui'],
    ['/explorer/swagger-ui-bundle.js', 'SwaggerUI'],
    ['/login', '<h1>Sign in</h1>'],
  ] as const) {
    const response = await fetch(gatewayUrl + path);
    expect([path, response.status]).toEqual([path, 200]);
    expect(await response.text()).toContain(text);
  }
}

/** Adds to packages all that they depend on. */
function withDependencies(names: readonly string[]): Set<string> {
  const found = new Set(names);
  for (const name of found) {
    const file = join(root, 'node_modules', name, 'package.json');
    const { dependencies = {} } = JSON.parse(readFileSync(file, 'utf8')) as {
      dependencies?: Record<string, string>;
    };
    for (const dependency of Object.keys(dependencies)) found.add(dependency);
  }
  return found;
}
