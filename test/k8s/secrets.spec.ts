import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { createSecrets } from '../../scripts/kubernetes/create-secrets.mjs';
import { parseManifests } from '../../scripts/kubernetes/parse-manifests.mjs';
import { root } from '../../scripts/build/project.mjs';
import { describeWithKubectl } from '../support/needs.js';
import { buildManifests } from './support/build-manifests.js';
import { listEnvironment } from './support/environment.js';
import { listWorkloads } from './support/manifest.js';

describeWithKubectl('npm run gatehouse -- secrets', () => {
  const options = { databaseUrl: 'postgres://example', redisUrl: 'redis://example', namespace: 'gatehouse' };

  it.each(['overlays/production', 'migrations'])(
    'npm run secrets: makes every Secret and key that %s requires',
    (folder) => {
      const manifests = buildManifests(folder);
      const read = listWorkloads(manifests)
        .flatMap((workload) => listEnvironment(manifests, workload))
        .flatMap(({ secret }) => (secret === undefined || secret.optional === true ? [] : [secret]));
      const made = createSecrets(options).flatMap(({ metadata: { name }, stringData }) =>
        Object.keys(stringData).map((key) => `${name} ${key}`),
      );
      expect(read).not.toEqual([]);
      expect(read.map(({ name, key }) => `${name} ${key}`).filter((one) => !made.includes(one))).toEqual([]);
    },
  );

  it('npm run secrets: writes values that kubectl reads as the same strings', () => {
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-secrets-'));
    try {
      const output = join(folder, 'secrets.yaml');
      // No URLs, but the values that YAML 1.1 reads as a boolean and a number.
      const env = { PATH: process.env['PATH'], DATABASE_URL: 'on', REDIS_URL: '1_000' };
      const args = [
        'scripts/commands/gatehouse.mjs',
        'secrets',
        '--format',
        'kubernetes',
        '--output',
        output,
      ];
      execFileSync(process.execPath, args, { cwd: root, env });
      const secrets = parseManifests(readFileSync(output, 'utf8')) as unknown as ReturnType<
        typeof createSecrets
      >;
      expect(secrets).toHaveLength(6);
      expect(secrets.map(({ stringData }) => stringData['DATABASE_URL'])).toEqual(secrets.map(() => 'on'));
      expect(secrets[0]?.stringData['REDIS_URL']).toBe('1_000');
      const values = secrets.flatMap(({ stringData }) => Object.values(stringData));
      expect(values.filter((value) => typeof value !== 'string')).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('npm run secrets: makes other keys each time, and the same shared secret for both of its apps', () => {
    const [first, second] = [createSecrets(options), createSecrets(options)].map((secrets) =>
      Object.fromEntries(secrets.map(({ metadata, stringData }) => [metadata.name, stringData])),
    );
    expect(first?.['gatehouse-identity']).not.toEqual(second?.['gatehouse-identity']);
    expect(first?.['gatehouse-identity']?.['OPAQUE_TOKEN_SECRET']).toBe(
      first?.['gatehouse-token-gating']?.['OPAQUE_TOKEN_SECRET'],
    );
  });
});
