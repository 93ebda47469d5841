import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../build/project.mjs';
import { checkSecrets } from './check-secrets.mjs';
import { apply, applyFile, build } from './kubectl.mjs';
import { parseManifests, toWorkload } from './parse-manifests.mjs';
import { renameImages } from './rename-images.mjs';
import { rollOut } from './roll-out.mjs';
import { ROLLOUT_ORDER } from './rollout-order.mjs';
import { runJobs } from './run-jobs.mjs';

/** @import { Manifest } from './parse-manifests.mjs' */

/** The time for an operator that makes Secrets. */
const SECRETS_TIMEOUT_MS = Number(process.env.DEPLOY_SECRETS_TIMEOUT_MS ?? 60_000);
/** What must exist before Secrets and migrations. An overlay that deletes them needs no rights in the whole cluster. */
const CLUSTER_KINDS = ['Namespace', 'PriorityClass'];

/**
 * Namespace and priority classes, Secrets, migrations, overlay, in this order; each waits for the one before. Apps are
 * replaced one after another, and none after one that does not get ready.
 * @param {import('./deploy-options.mjs').DeployOptions} options
 */
export async function deploy({ overlay, secrets, back = false, ...images }) {
  const manifests = renameImages(build(overlay), images);
  const migrations = renameImages(buildMigrations(overlay, manifests), images);
  /** @param {Manifest} manifest */
  const isOfCluster = ({ kind }) => CLUSTER_KINDS.includes(kind);
  /** @param {Manifest} manifest */
  const isDeployment = ({ kind }) => kind === 'Deployment';
  await applySecrets(secrets, manifests.filter(isOfCluster), [...migrations, ...manifests]);
  report('migrations');
  await runJobs(migrations);
  report('apps');
  apply(manifests.filter((manifest) => !isDeployment(manifest) && !isOfCluster(manifest)));
  for (const deployment of inRolloutOrder(manifests.filter(isDeployment), back))
    await rollOut(toWorkload(deployment));
}

/**
 * The overlay's own folder `migrations`, or those of the project in the namespace of the apps.
 * @param {string} overlay
 * @param {Manifest[]} manifests
 */
function buildMigrations(overlay, manifests) {
  const own = join(overlay, 'migrations');
  if (existsSync(join(own, 'kustomization.yaml'))) return build(own);
  const { namespace } = manifests.find(({ kind }) => kind === 'Deployment')?.metadata ?? {};
  const migrations = build(join(root, 'k8s/migrations'));
  if (namespace !== undefined) for (const { metadata } of migrations) metadata.namespace = namespace;
  return migrations;
}

/**
 * Nothing is applied before the Secrets of a file, and those of the cluster, are known to be complete.
 * @param {string | undefined} secrets
 * @param {Manifest[]} ofCluster
 * @param {Manifest[]} all
 */
async function applySecrets(secrets, ofCluster, all) {
  if (secrets !== undefined && statSync(secrets).isDirectory()) {
    apply(ofCluster);
    apply(build(secrets));
    await checkSecrets(all, [], SECRETS_TIMEOUT_MS);
    return;
  }
  const given = secrets === undefined ? [] : parseManifests(readFileSync(secrets, 'utf8'), secrets);
  await checkSecrets(all, given);
  apply(ofCluster);
  if (secrets !== undefined && given.length > 0) applyFile(secrets);
}

/**
 * Sorts deployments into the order of a rollout. A deployment that the order does not know comes first: nothing of ours
 * waits for it.
 * @param {Manifest[]} deployments
 * @param {boolean} back
 */
function inRolloutOrder(deployments, back) {
  const order = back ? ROLLOUT_ORDER.toReversed() : ROLLOUT_ORDER;
  /** @param {Manifest} options */
  const place = ({ metadata }) => order.indexOf(metadata.name);
  return deployments.toSorted((a, b) => place(a) - place(b));
}

/** @param {string} step */
const report = (step) => process.stdout.write(`== ${step}\n`);
