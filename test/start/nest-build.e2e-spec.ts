import { execFile } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { bundleOf } from '../../scripts/build/bundle.mjs';
import { root } from '../../scripts/build/project.mjs';
import { type RunningSuite, runningSuite } from '../support/running-suite.js';

/** The compiler of TypeScript checks two apps and the libs that they use. */
jest.setTimeout(300_000);

const BUILT = ['gateway', 'identity'];
const builtEntry = (name: string): string => join(root, 'dist/nest/apps', name, 'src/main.js');

describe('nest build', () => {
  let suite: RunningSuite | undefined;

  beforeAll(async () => {
    for (const name of BUILT) rmSync(builtEntry(name), { force: true });
    await promisify(execFile)('npx', ['--no-install', 'nest', 'build', ...BUILT], { cwd: root });
  });
  afterAll(async () => {
    await suite?.stop();
  });

  it('nest build gateway identity: writes apps that start, with their pages, scripts and the OpenAPI document', async () => {
    expect(BUILT.filter((name) => !existsSync(builtEntry(name)))).toEqual([]);
    suite = await runningSuite({
      entryOf: (name) => (BUILT.includes(name) ? builtEntry(name) : bundleOf(root, name)),
    });
    for (const [path, text] of [
      ['/openapi.json', '"openapi"'],
      ['/login', '<h1>Sign in</h1>'],
    ] as const) {
      const response = await fetch(suite.gatewayUrl + path);
      expect([path, response.status]).toEqual([path, 200]);
      expect(await response.text()).toContain(text);
    }
    const page = await (await fetch(`${suite.gatewayUrl}/login`)).text();
    const linked = [...page.matchAll(/(?:src|href)="(\/[^"]+\.(?:js|css))"/g)].map(([, path = '']) => path);
    expect(linked.length).toBeGreaterThan(1);
    for (const path of linked) {
      const response = await fetch(suite.gatewayUrl + path);
      expect([path, response.status]).toEqual([path, 200]);
      await response.arrayBuffer();
    }
    const codes = await suite.stop();
    suite = undefined;
    expect(new Set(Object.values(codes))).toEqual(new Set([0]));
  });
});
