import { expect, it } from '@jest/globals';
import { describeWithKubectl } from '../support/needs.js';
import { buildManifests } from './support/build-manifests.js';
import { checkManifests } from './support/check-manifests.js';
import { listKind, nameOf } from './support/manifest.js';
import { plantedComponentFaults, plantedFaults } from './support/planted-faults.js';

describeWithKubectl('the checks of manifests', () => {
  it.each(plantedFaults)('T113: checks of manifests: find $title', ({ rule, plant }) => {
    const manifests = buildManifests('overlays/production');
    plant(manifests);
    expect([...new Set(checkManifests(manifests).map((problem) => problem.rule))]).toEqual([rule]);
  });

  it.each(plantedComponentFaults)('T113: checks of manifests: find $title', ({ folder, rule, plant }) => {
    const manifests = buildManifests(folder);
    plant(manifests);
    expect([...new Set(checkManifests(manifests).map((problem) => problem.rule))]).toEqual([rule]);
  });

  it('T113: checks of manifests: find a private address among the public ones, by the table and by the address', () => {
    const manifests = buildManifests('overlays/production');
    const addresses = listKind(manifests, 'NetworkPolicy').find((one) => nameOf(one) === 'public-addresses');
    const except = addresses?.spec?.egress?.[0]?.to?.[0]?.ipBlock?.except ?? [];
    except.splice(except.indexOf('169.254.0.0/16'), 1);
    expect(new Set(checkManifests(manifests).map((problem) => problem.rule))).toEqual(
      new Set(['network-peer', 'network-public-egress']),
    );
  });
});
