import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { root } from '../local/project.mjs';
import { apply, applyFile, build, kubectl } from './kubectl.mjs';
import { renameImages } from './rename-images.mjs';
import { runJobs } from './run-jobs.mjs';

const ROLLOUT_SECONDS = 900;
/** For an operator that makes Secrets. */
const SECRETS_TIMEOUT_MS = Number(process.env.DEPLOY_SECRETS_TIMEOUT_MS ?? 60_000);
const POLL_MS = 1_000;

/**
 * Namespace and priority classes, Secrets, migrations, overlay, in this order; each waits for the one before.
 * @param {import('./deploy-options.mjs').DeployOptions} options
 */
export async function deploy({ overlay, secrets, ...images }) {
  const migrations = renameImages(build(join(root, 'k8s/migrations')), images);
  const manifests = renameImages(build(overlay), images);
  apply(build(join(root, 'k8s/cluster')));
  if (secrets !== undefined) applySecrets(secrets);
  await checkSecrets([...migrations, ...manifests], secrets === undefined ? 0 : SECRETS_TIMEOUT_MS);
  report('migrations');
  await runJobs(migrations);
  report('apps');
  apply(manifests);
  for (const { metadata } of manifests.filter(({ kind }) => kind === 'Deployment'))
    process.stdout.write(
      kubectl(
        [
          'rollout',
          'status',
          `deployment/${metadata.name}`,
          '-n',
          metadata.namespace,
          `--timeout=${ROLLOUT_SECONDS}s`,
        ],
        { timeoutMs: (ROLLOUT_SECONDS + 60) * 1_000 },
      ),
    );
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
