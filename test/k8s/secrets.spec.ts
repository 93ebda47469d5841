import { expect, it } from '@jest/globals';
import { createSecrets } from '../../scripts/kubernetes/create-secrets.mjs';
import { describeWithKubectl } from '../support/needs.js';
import { buildManifests } from './support/build-manifests.js';
import { listEnvironment } from './support/environment.js';
import { listWorkloads } from './support/manifest.js';

describeWithKubectl('npm run secrets', () => {
  const options = { databaseUrl: 'postgres://example', redisUrl: 'redis://example', namespace: 'gatehouse' };

  it.each(['overlays/production', 'migrations'])('makes every Secret and key that %s reads', (folder) => {
    const manifests = buildManifests(folder);
    const read = listWorkloads(manifests)
      .flatMap((workload) => listEnvironment(manifests, workload))
      .flatMap(({ secret }) => (secret === undefined ? [] : [secret]));
    const made = createSecrets(options).flatMap(({ metadata: { name }, stringData }) =>
      Object.keys(stringData).map((key) => `${name} ${key}`),
    );
    expect(read).not.toEqual([]);
    expect(read.map(({ name, key }) => `${name} ${key}`).filter((one) => !made.includes(one))).toEqual([]);
  });

  it('makes other keys each time, and the same shared secret for both of its apps', () => {
    const [first, second] = [createSecrets(options), createSecrets(options)].map((secrets) =>
      Object.fromEntries(secrets.map(({ metadata, stringData }) => [metadata.name, stringData])),
    );
    expect(first?.['gatehouse-identity']).not.toEqual(second?.['gatehouse-identity']);
    expect(first?.['gatehouse-identity']?.['OPAQUE_TOKEN_SECRET']).toBe(
      first?.['gatehouse-token-gating']?.['OPAQUE_TOKEN_SECRET'],
    );
  });
});
