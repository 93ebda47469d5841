import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeEach, expect, it } from '@jest/globals';
import { formatManifests } from '../../scripts/kubernetes/parse-manifests.mjs';
import { ROLLOUT_ORDER } from '../../scripts/kubernetes/rollout-order.mjs';
import { root } from '../../scripts/build/project.mjs';
import { createAppSecrets } from '../../scripts/secrets/app-secrets.mjs';
import { describeWithKubectl } from '../support/needs.js';

const SECRETS = ['gateway', 'identity', 'token-gating', 'account-kit', 'analytics', 'migrate'].map(
  (app) => `gatehouse-${app}`,
);

/** Gives up at the second look. */
const IMPATIENT = { DEPLOY_PATIENCE_MS: '0', DEPLOY_POLL_MS: '50' };

describeWithKubectl('npm run gatehouse -- deploy', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-deploy-'));
  const log = join(folder, 'log');
  beforeEach(() => {
    writeFileSync(log, '');
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  function deploy(args: string[], env: NodeJS.ProcessEnv = {}) {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['scripts/commands/gatehouse.mjs', 'deploy', ...args],
      {
        cwd: root,
        encoding: 'utf8',
        timeout: 120_000,
        env: {
          PATH: process.env['PATH'],
          KUBECTL: join(root, 'test/k8s/support/kubectl-stand-in.mjs'),
          STAND_IN_LOG: log,
          STAND_IN_SECRETS: SECRETS.join(','),
          ...env,
        },
      },
    );
    return { status, stdout, stderr, steps: readFileSync(log, 'utf8').trim().split('\n') };
  }
  const version = (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string })
    .version;
  const migrate = `migrate-${version.replaceAll('.', '-')}`;

  const stepsOf = (app: string) => [
    `apply Deployment ${app} gatehouse/${app}:${version}`,
    `rollout status deployment/${app} -n gatehouse`,
  ];

  it('npm run deploy: applies the overlay after the migrations are complete, and replaces one app after another', () => {
    const { status, stderr, steps } = deploy(['production']);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const order = [
      'apply Namespace gatehouse',
      `delete job ${migrate} -n gatehouse`,
      `apply Job ${migrate} gatehouse/migrate:${version}`,
      `get Job ${migrate}`,
      'apply Ingress gatehouse',
      'apply Deployment analytics',
    ].map((step) => steps.findIndex((one) => one.startsWith(step)));
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(order).not.toContain(-1);
    expect(steps.slice(-10)).toEqual(ROLLOUT_ORDER.flatMap(stepsOf));
  });

  it('npm run deploy: replaces the apps in the opposite order with --back', () => {
    const { status, steps } = deploy(['production', '--back']);
    expect(status).toBe(0);
    expect(steps.slice(-10)).toEqual(ROLLOUT_ORDER.toReversed().flatMap(stepsOf));
  });

  it('npm run deploy: replaces no app after one that does not get ready', () => {
    const { status, stderr, steps } = deploy(['production'], { STAND_IN_NEVER_READY: 'identity' });
    expect(status).toBe(1);
    expect(stderr).toContain('timed out waiting for deployment/identity');
    expect(steps.filter((step) => step.startsWith('apply Deployment'))).toHaveLength(2);
  });

  it('T114: npm run deploy: applies no app when a migration fails, and shows its log', () => {
    const { status, stderr, steps } = deploy(['production'], { STAND_IN_JOB: 'Failed' });
    expect(status).toBe(1);
    expect(stderr).toContain('column "name" does not exist');
    expect(steps).toContain(`get Job ${migrate}`);
    expect(steps.filter((step) => /Deployment|ConfigMap|rollout/.test(step))).toEqual([]);
  });

  it('T114: npm run deploy: applies nothing while a Secret is missing, and names it', () => {
    const { status, stderr, steps } = deploy(['local'], { STAND_IN_SECRETS: SECRETS.slice(1).join(',') });
    expect(status).toBe(1);
    expect(stderr).toContain('These Secrets do not exist, or lack keys: gatehouse-gateway.');
    expect(steps).toEqual(['']);
  });

  it('npm run deploy: applies Secrets first, and takes images from a registry with a tag', () => {
    const secrets = join(folder, 'secrets.yaml');
    const values = createAppSecrets({ databaseUrl: 'postgres://example' });
    const manifests = values.map(([app, stringData]) => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: `gatehouse-${app}`, namespace: 'gatehouse' },
      stringData,
    }));
    writeFileSync(secrets, formatManifests(manifests));
    const options = ['--secrets', secrets, '--registry', 'registry.example.com/team/', '--tag', 'v1.2_RC'];
    const { status, stderr, steps } = deploy(['local', ...options], { STAND_IN_SECRETS: '' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(steps).toContain('apply Job migrate-v1-2-rc registry.example.com/team/gatehouse/migrate:v1.2_RC');
    expect(steps).toContain(
      'apply Deployment analytics registry.example.com/team/gatehouse/analytics:v1.2_RC',
    );
    expect(steps.indexOf('apply Secret gatehouse-gateway')).toBeLessThan(
      steps.findIndex((step) => step.startsWith('apply Job')),
    );
  });

  it.each([
    [
      'a value begins with a quote only',
      `KEY: "hunter2\n  B: c`,
      'line 5, column 1: not YAML (MISSING_CHAR)',
    ],
    ['a line has no key', 'hunter2\n  B: c', 'line 3, column 3: not YAML (MULTILINE_IMPLICIT_KEY)'],
    ['a key is given twice', 'hunter2: a\n  hunter2: b', 'line 4, column 3: not YAML (DUPLICATE_KEY)'],
    ['a value reads as an alias', 'KEY: *hunter2', 'line 1, column 1: a document with an alias'],
    ['a value reads as a merge', '<<: hunter2', 'line 1, column 1: a document with an alias'],
    [
      'a key reads as a map',
      '{{ hunter2 }}: a\n  B: b: c',
      'line 4, column 6: not YAML (BLOCK_AS_IMPLICIT_KEY)',
    ],
  ])(
    'npm run deploy: says where the file of Secrets is no YAML, quotes nothing of it and applies nothing, when %s',
    (_what, lines, where) => {
      const secrets = join(folder, 'broken.yaml');
      writeFileSync(secrets, `kind: Secret\nstringData:\n  ${lines}\n`);
      const { status, stdout, stderr, steps } = deploy(['local', '--secrets', secrets]);
      expect([status, stderr, steps]).toEqual([1, expect.stringContaining(`${secrets}, ${where}`), ['']]);
      expect(stdout + stderr).not.toContain('hunter2');
    },
  );

  it('npm run deploy: gives kubectl every setting as the string that it is, in YAML 1.1, too', () => {
    const overlay = join(folder, 'settings');
    mkdirSync(overlay);
    const settings = [
      'PUBLIC_RPC=on',
      'A=off',
      'B=yes',
      'C=12:30',
      'D=1_000',
      'E=0644',
      'F=1e3',
      'G=~',
      'H=2026-01-01',
    ];
    const kustomization = {
      resources: [relative(overlay, join(root, 'k8s/overlays/local'))],
      namespace: 'gatehouse',
      configMapGenerator: [{ name: 'gatehouse-gateway', behavior: 'merge', literals: settings }],
    };
    writeFileSync(join(overlay, 'kustomization.yaml'), JSON.stringify(kustomization));
    const { status, stderr, steps } = deploy([overlay]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(steps.slice(-10)).toEqual(ROLLOUT_ORDER.flatMap(stepsOf));
  });

  it('T114: npm run deploy: applies nothing while a Secret lacks a key, and names it', () => {
    const missing = { STAND_IN_MISSING_KEY: 'gatehouse-identity/REDIS_URL' };
    const { status, stderr, steps } = deploy(['production'], missing);
    expect(status).toBe(1);
    expect(stderr).toContain('gatehouse-identity without REDIS_URL.');
    expect(steps).toEqual(['']);
    expect(deploy(['local'], missing).status).toBe(0);
  });

  it.each(['ImagePullBackOff', 'CreateContainerConfigError'])(
    'T270: npm run deploy: says that the pod of the migrations waits because of %s, and gives up',
    (reason) => {
      const stuck = { STAND_IN_JOB: '', STAND_IN_WAITING: reason, ...IMPATIENT };
      const { status, stdout, stderr, steps } = deploy(['production'], stuck);
      expect(status).toBe(1);
      expect(stdout).toContain(`Job ${migrate} waits: pod-1: ${reason} as the kubelet says`);
      expect(stderr).toContain(`in vain: pod-1: ${reason}`);
      expect(steps.filter((step) => /Deployment|ConfigMap|rollout/.test(step))).toEqual([]);
    },
  );

  it('T270: npm run deploy: says that the pods of an app crash, with their log, and replaces no app after it', () => {
    const stuck = { STAND_IN_HANGS: 'identity', STAND_IN_WAITING: 'CrashLoopBackOff', ...IMPATIENT };
    const { status, stdout, stderr, steps } = deploy(['production'], stuck);
    expect(status).toBe(1);
    expect(stdout).toContain('Deployment identity waits: pod-1: CrashLoopBackOff');
    expect(stderr).toContain('column "name" does not exist');
    expect(steps.filter((step) => step.startsWith('apply Deployment'))).toHaveLength(2);
  });

  it('T270: npm run deploy: says that a quota refuses the pods of the migrations', () => {
    const refused = { STAND_IN_JOB: '', STAND_IN_REFUSED: migrate, ...IMPATIENT };
    const { status, stderr } = deploy(['production'], refused);
    expect(status).toBe(1);
    expect(stderr).toContain(`in vain: ${migrate}: FailedCreate exceeded quota`);
  });

  it('npm run deploy: runs the migrations in the namespace of the overlay', () => {
    const overlay = join(folder, 'acme');
    mkdirSync(overlay);
    const resources = [relative(overlay, join(root, 'k8s/overlays/local'))];
    writeFileSync(join(overlay, 'kustomization.yaml'), JSON.stringify({ resources, namespace: 'acme' }));
    const { status, stderr, steps } = deploy([overlay]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(steps[0]).toBe('apply Namespace acme');
    expect(steps).toContain(`delete job ${migrate} -n acme`);
    expect(steps.at(-1)).toBe('rollout status deployment/gateway -n acme');
  });

  it('npm run deploy: takes the migrations of an overlay that has its own', () => {
    const { status, stderr, steps } = deploy(['example-private-registry']);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(steps).toContain(`apply Job ${migrate} gatehouse/migrate:${version}`);
    expect(steps).toContain('apply ServiceAccount migrate');
  });

  it('T114: npm run deploy: awaits the Secrets of a kustomization, and names those that are not made', () => {
    const options = ['--secrets', 'k8s/overlays/example-external-secrets'];
    const none = { STAND_IN_SECRETS: '', DEPLOY_SECRETS_TIMEOUT_MS: '10' };
    const { status, stderr, steps } = deploy(['production', ...options], none);
    expect(status).toBe(1);
    expect(stderr).toContain('gatehouse-migrate');
    expect(steps).toContain('apply ExternalSecret gatehouse-migrate');
    expect(steps.filter((step) => /Job|Deployment/.test(step))).toEqual([]);
  });

  it('npm run deploy: names an overlay that does not exist', () => {
    const { status, stderr } = deploy(['staging']);
    expect(status).toBe(1);
    expect(stderr).toContain('There is no overlay staging');
  });
});
