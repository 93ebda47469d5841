import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { root } from '../../scripts/local/project.mjs';
import { describeWithKubectl } from '../support/needs.js';
import { buildManifests } from './support/build-manifests.js';
import { checkManifests } from './support/check-manifests.js';
import { customKinds } from './support/custom-kinds.js';

const overlays = readdirSync(join(root, 'k8s/overlays')).map((name) => `overlays/${name}`);

describeWithKubectl('k8s', () => {
  it.each([...overlays, 'migrations'])('%s builds, fits the models and keeps all rules', (folder) => {
    const manifests = buildManifests(folder);
    expect(manifests.length).toBeGreaterThan(2);
    expect(checkManifests(manifests)).toEqual([]);
  });

  it.each(['overlays/local', 'overlays/production', 'migrations'])(
    '%s holds built-in kinds only',
    (folder) => {
      expect(buildManifests(folder).filter(({ kind }) => kind in customKinds)).toEqual([]);
    },
  );

  it.each(['keda', 'monitoring', 'gateway-api', 'external-secrets'])(
    'the component %s has an example',
    (name) => {
      const kinds = buildManifests(`overlays/example-${name}`).map(({ kind }) => kind);
      expect(kinds.some((kind) => kind in customKinds)).toBe(true);
    },
  );
});
