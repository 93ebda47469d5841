import { afterAll, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { GatewayConfig } from '../gateway.config.js';
import { PublicDocumentProvider } from './document.controller.js';

const PUBLIC_URL = 'http://gatehouse.example';
const folder = mkdtempSync(join(tmpdir(), 'examples-'));

afterAll(() => {
  rmSync(folder, { recursive: true });
});

const createProvider = (file?: string) =>
  new PublicDocumentProvider({ PUBLIC_URL, EXAMPLE_VALUES_FILE: file } as GatewayConfig);

it('PublicDocumentProvider: makes the document once', () => {
  const provider = createProvider();
  expect(provider.body).toBe(provider.body);
  expect(provider.body.content.toString()).toContain(`"servers":[{"url":"${PUBLIC_URL}"}]`);
});

it('PublicDocumentProvider: makes the document again when the file of example values appears or changes, and not otherwise', () => {
  const file = join(folder, 'values.json');
  const provider = createProvider(file);
  const before = provider.body;
  expect(provider.body).toBe(before);
  const write = (communityId: string) => {
    writeFileSync(file, JSON.stringify({ communityId }));
    return provider.body;
  };
  const first = write('community_of_the_demo');
  expect(before.content.toString()).toContain('"{communityId}"');
  expect(first.content.toString()).toContain('"community_of_the_demo"');
  expect(first.content.toString()).not.toContain('"{communityId}"');
  expect(provider.body).toBe(first);
  expect(write('another_community').content.toString()).toContain('"another_community"');
});
