import { expect, it } from '@jest/globals';
import { describeWithKubectl } from '../support/needs.js';
import { buildManifests } from './support/build-manifests.js';
import { checkManifests } from './support/check-manifests.js';

describeWithKubectl('k8s', () => {
  it.each(['overlays/local', 'overlays/production', 'migrations'])(
    '%s builds, fits the official models and keeps all rules',
    (folder) => {
      const manifests = buildManifests(folder);
      expect(manifests.length).toBeGreaterThan(2);
      expect(checkManifests(manifests)).toEqual([]);
    },
  );
});
