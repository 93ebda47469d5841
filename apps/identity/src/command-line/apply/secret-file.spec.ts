import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { SecretFile, toVariable } from './secret-file.js';

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-secrets-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

it('SecretFile: writes variables that only the user may read, and keeps what else stands in the file', async () => {
  const file = join(folder, 'deep', 'shop.env');
  const secrets = new SecretFile(file);
  expect(secrets.read()).toEqual({});
  await secrets.write({ CLIENT_ID: 'client_1', API_KEY_SERVER: 'gth_1=+/' });
  writeFileSync(file, `${readFileSync(file, 'utf8')}OWN=1\n# mine\n`);
  await secrets.write({ API_KEY_SERVER: 'gth_2', CLIENT_ID: undefined });
  expect(secrets.read()).toEqual({ OWN: '1', API_KEY_SERVER: 'gth_2' });
  expect(readFileSync(file, 'utf8')).toContain('# mine');
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

it('SecretFile: writes a Kubernetes Secret where the name ends with .yaml', async () => {
  const file = join(folder, 'My Shop.yaml');
  const secrets = new SecretFile(file);
  await secrets.write({ CLIENT_ID: 'client_1' });
  await secrets.write({ API_KEY_SERVER: 'gth_1' });
  expect(parse(readFileSync(file, 'utf8'))).toEqual({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'my-shop' },
    type: 'Opaque',
    stringData: { CLIENT_ID: 'client_1', API_KEY_SERVER: 'gth_1' },
  });
  expect(secrets.read()).toEqual({ CLIENT_ID: 'client_1', API_KEY_SERVER: 'gth_1' });
});

it('SecretFile: loses nothing that is written at the same time', async () => {
  const file = join(folder, 'busy.env');
  const names = Array.from({ length: 20 }, (_, index) => `KEY_${String(index)}`);
  await Promise.all(names.map((name) => new SecretFile(file).write({ [name]: name })));
  expect(Object.keys(new SecretFile(file).read()).sort()).toEqual(names.sort());
});

it('SecretFile: refuses a file that others may read', () => {
  const file = join(folder, 'open.env');
  writeFileSync(file, 'A=1\n');
  chmodSync(file, 0o644);
  expect(() => new SecretFile(file).read()).toThrow('chmod 600');
});

it.each([
  ['API_KEY', 'Nightly job', 'API_KEY_NIGHTLY_JOB'],
  ['API_KEY', 'Café – 2', 'API_KEY_CAFE_2'],
  ['CALLBACK_SECRET', 'shop.example:8443/hooks/', 'CALLBACK_SECRET_SHOP_EXAMPLE_8443_HOOKS'],
  ['API_KEY', '日本', 'API_KEY'],
])('toVariable: %s of %j is %s', (prefix, text, variable) => {
  expect(toVariable(prefix, text)).toBe(variable);
});
