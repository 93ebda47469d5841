import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../processes/error-facts.mjs';
import { createPodWatch } from './blocked-pods.mjs';
import { apply, kubectl } from './kubectl.mjs';
import { toWorkload } from './parse-manifests.mjs';

/** @import { Manifest, Workload } from './parse-manifests.mjs' */

const POLL_MS = Number(process.env.DEPLOY_POLL_MS ?? 2_000);
/** Beyond the Jobs' own deadline, for pods that wait for a node. */
const EXTRA_MS = 600_000;

/**
 * Applies manifests with Jobs and waits until every Job is complete. An earlier Job of the same name is deleted first: it
 * cannot be changed, and migrations may run again.
 * @param {Manifest[]} manifests
 * @throws Error with the log of a Job that failed, or with what its pods wait for
 */
export async function runJobs(manifests) {
  const jobs = manifests.filter(({ kind }) => kind === 'Job').map(toWorkload);
  for (const { metadata } of jobs)
    kubectl([
      'delete',
      'job',
      metadata.name,
      '-n',
      metadata.namespace,
      '--ignore-not-found',
      '--cascade=foreground',
    ]);
  apply(manifests);
  for (const job of jobs) await waitForJob(job);
}

/** @param {Workload} job */
async function waitForJob(job) {
  const {
    metadata: { name, namespace },
    spec,
  } = job;
  const deadline = Date.now() + (spec.activeDeadlineSeconds ?? 0) * 1_000 + EXTRA_MS;
  const pods = createPodWatch(job);
  for (;;) {
    const { status } = /** @type {{ status?: { conditions?: { type: string, status: string }[] } }} */ (
      JSON.parse(kubectl(['get', 'job', name, '-n', namespace, '-o', 'json']))
    );
    /** @param {string} type */
    const has = (type) =>
      (status?.conditions ?? []).some((condition) => condition.type === type && condition.status === 'True');
    if (has('Complete')) return;
    if (has('Failed'))
      throw new Error(`The Job ${name} failed, nothing else was applied:\n${logOf(name, namespace)}`);
    if (Date.now() > deadline) throw new Error(`The Job ${name} did not end, nothing else was applied`);
    pods.check();
    await sleep(POLL_MS);
  }
}

/** @param {string} name @param {string} namespace */
function logOf(name, namespace) {
  try {
    return kubectl(['logs', `job/${name}`, '-n', namespace, '--tail=50', '--all-containers']);
  } catch (error) {
    return messageOf(error);
  }
}
