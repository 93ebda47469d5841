import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { root } from '../local/project.mjs';
import { apply, applyFile, build, kubectl } from './kubectl.mjs';
import { renameImages } from './rename-images.mjs';
import { ROLLOUT_ORDER } from './rollout-order.mjs';
import { runJobs } from './run-jobs.mjs';

const ROLLOUT_SECONDS = 900;
/** For an operator that makes Secrets. */
const SECRETS_TIMEOUT_MS = Number(process.env.DEPLOY_SECRETS_TIMEOUT_MS ?? 60_000);
const POLL_MS = 1_000;

/**
 * Namespace and priority classes, Secrets, migrations, overlay, in this order; each waits for the one before. Apps are
 * replaced one after another, and none after one that does not get ready.
 * @param {import('./deploy-options.mjs').DeployOptions} options
 */
export async function deploy({ overlay, secrets, back = false, ...images }) {
  const migrations = renameImages(build(join(root, 'k8s/migrations')), images);
  const manifests = renameImages(build(overlay), images);
  apply(build(join(root, 'k8s/cluster')));
  if (secrets !== undefined) applySecrets(secrets);
  await checkSecrets([...migrations, ...manifests], secrets === undefined ? 0 : SECRETS_TIMEOUT_MS);
  report('migrations');
  await runJobs(migrations);
  report('apps');
  const isDeployment = ({ kind }) => kind === 'Deployment';
  apply(manifests.filter((manifest) => !isDeployment(manifest)));
  for (const deployment of inRolloutOrder(manifests.filter(isDeployment), back)) rollOut(deployment);
}

/** One that the order does not know comes first: nothing of ours waits for it. */
function inRolloutOrder(deployments, back) {
  const order = back ? ROLLOUT_ORDER.toReversed() : ROLLOUT_ORDER;
  const place = ({ metadata }) => order.indexOf(metadata.name);
  return deployments.toSorted((a, b) => place(a) - place(b));
}

function rollOut(deployment) {
  const { name, namespace } = deployment.metadata;
  apply([deployment]);
  const args = ['rollout', 'status', `deployment/${name}`, '-n', namespace, `--timeout=${ROLLOUT_SECONDS}s`];
  process.stdout.write(kubectl(args, { timeoutMs: (ROLLOUT_SECONDS + 60) * 1_000 }));
}

function applySecrets(path) {
  if (statSync(path).isDirectory()) apply(build(path));
  else applyFile(path);
}

/** @throws Error naming the Secrets that pods need and the namespace does not have in time */
async function checkSecrets(manifests, timeoutMs) {
  const needed = listNeededSecrets(manifests);
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const missing = [...needed].filter(
      ([name, namespace]) =>
        kubectl(['get', 'secret', name, '-n', namespace, '--ignore-not-found', '-o', 'name']) === '',
    );
    if (missing.length === 0) return;
    if (Date.now() > deadline)
      throw new Error(
        `These Secrets do not exist: ${missing.map(([name]) => name).join(', ')}. ` +
          'docs/operations.md says what is in them; name the file with --secrets.',
      );
    await sleep(POLL_MS);
  }
}

/** @returns {Map<string, string>} namespaces by the names of Secrets */
function listNeededSecrets(manifests) {
  const needed = new Map();
  for (const { metadata, spec } of manifests)
    for (const { env = [] } of spec?.template?.spec?.containers ?? [])
      for (const { valueFrom } of env)
        if (valueFrom?.secretKeyRef !== undefined && valueFrom.secretKeyRef.optional !== true)
          needed.set(valueFrom.secretKeyRef.name, metadata.namespace);
  return needed;
}

const report = (step) => process.stdout.write(`== ${step}\n`);
