import { setTimeout as sleep } from 'node:timers/promises';
import { createPodWatch } from './blocked-pods.mjs';
import { apply, kubectl } from './kubectl.mjs';

const POLL_MS = Number(process.env.DEPLOY_POLL_MS ?? 2_000);
/** Beyond the Jobs' own deadline, for pods that wait for a node. */
const EXTRA_MS = 600_000;

/**
 * Applies manifests with Jobs and waits until every Job is complete. An earlier Job of the same name is deleted first: it
 * cannot be changed, and migrations may run again.
 * @throws Error with the log of a Job that failed, or with what its pods wait for
 */
export async function runJobs(manifests) {
  const jobs = manifests.filter(({ kind }) => kind === 'Job');
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

async function waitForJob(job) {
  const {
    metadata: { name, namespace },
    spec,
  } = job;
  const deadline = Date.now() + spec.activeDeadlineSeconds * 1_000 + EXTRA_MS;
  const pods = createPodWatch(job);
  for (;;) {
    const { status } = JSON.parse(kubectl(['get', 'job', name, '-n', namespace, '-o', 'json']));
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

function logOf(name, namespace) {
  try {
    return kubectl(['logs', `job/${name}`, '-n', namespace, '--tail=50', '--all-containers']);
  } catch (error) {
    return error.message;
  }
}
