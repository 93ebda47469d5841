import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { root } from '../../scripts/build/project.mjs';
import { describeWithKubectl } from '../support/needs.js';
import { buildManifests } from './support/build-manifests.js';
import { checkManifests } from './support/check-manifests.js';
import { customKinds } from './support/custom-kinds.js';
import { listEnvironment } from './support/environment.js';
import { listKind, listWorkloads, nameOf } from './support/manifest.js';

const overlays = readdirSync(join(root, 'k8s/overlays')).map((name) => `overlays/${name}`);
/** What `npm run gatehouse -- deploy` takes instead of k8s/migrations. */
const ownMigrations = overlays
  .map((folder) => `${folder}/migrations`)
  .filter((folder) => existsSync(join(root, 'k8s', folder)));

describeWithKubectl('k8s', () => {
  it.each([...overlays, 'migrations', ...ownMigrations])(
    'k8s: %s builds, fits the models and keeps all rules',
    (folder) => {
      const manifests = buildManifests(folder);
      expect(manifests.length).toBeGreaterThan(2);
      expect(checkManifests(manifests)).toEqual([]);
    },
  );

  it.each(['overlays/local', 'overlays/production', 'migrations'])(
    'k8s: %s holds built-in kinds only',
    (folder) => {
      expect(buildManifests(folder).filter(({ kind }) => kind in customKinds)).toEqual([]);
    },
  );

  it('overlays/example-secret-files: gives account-kit a file that its group reads instead of the variable', () => {
    const manifests = buildManifests('overlays/example-secret-files');
    const [workload] = listWorkloads(manifests).filter(({ app }) => app === 'account-kit');
    const names = workload === undefined ? [] : listEnvironment(manifests, workload).map(({ name }) => name);
    expect(names).toContain('ACCOUNT_KEY_SECRET_FILE');
    expect(names).not.toContain('ACCOUNT_KEY_SECRET');
    const volumes = workload?.template.spec?.volumes ?? [];
    expect(volumes.find(({ name }) => name === 'secrets')?.secret?.defaultMode).toBe(0o440);
  });

  it('k8s/migrations: resolve names where apps of the same cluster do', () => {
    const [apps, migrations] = ['overlays/local', 'migrations'].map((folder) =>
      listKind(buildManifests(folder), 'NetworkPolicy'),
    );
    const dns = apps?.find((policy) => nameOf(policy) === 'dns')?.spec?.egress ?? [];
    const ofMigrations = migrations?.find((policy) => nameOf(policy) === 'migrate')?.spec?.egress ?? [];
    expect(JSON.stringify(dns)).toContain('169.254.20.10/32');
    expect(ofMigrations).toEqual(expect.arrayContaining(dns));
  });

  it.each(['overlays/example-private-registry', 'overlays/example-private-registry/migrations'])(
    '%s: every ServiceAccount has the pull secret',
    (folder) => {
      const accounts = buildManifests(folder).filter(({ kind }) => kind === 'ServiceAccount');
      expect(accounts.length).toBeGreaterThan(0);
      expect(accounts.filter((account) => !JSON.stringify(account).includes('"imagePullSecrets"'))).toEqual(
        [],
      );
    },
  );

  it.each(['overlays/example-managed-services', 'overlays/example-managed-services/migrations'])(
    '%s: every workload trusts the certificates of the deployment',
    (folder) => {
      const manifests = buildManifests(folder);
      const trusted = listWorkloads(manifests).map((workload) =>
        listEnvironment(manifests, workload).find(({ name }) => name === 'NODE_EXTRA_CA_CERTS'),
      );
      expect(trusted.map((variable) => variable?.value)).toEqual(
        trusted.map(() => '/etc/gatehouse/ca/ca.crt'),
      );
    },
  );

  it.each(['keda', 'monitoring', 'gateway-api', 'external-secrets'])(
    'k8s: the component %s has an example',
    (name) => {
      const kinds = buildManifests(`overlays/example-${name}`).map(({ kind }) => kind);
      expect(kinds.some((kind) => kind in customKinds)).toBe(true);
    },
  );
});
