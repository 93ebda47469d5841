import { setTimeout as sleep } from 'node:timers/promises';
import { createPodWatch } from './blocked-pods.mjs';
import { apply, startKubectl } from './kubectl.mjs';

/** @import { Workload } from './parse-manifests.mjs' */

const ROLLOUT_SECONDS = 900;
const POLL_MS = Number(process.env.DEPLOY_POLL_MS ?? 2_000);

/**
 * Applies a Deployment and waits until its pods are replaced, while it shows how far this is.
 * @param {Workload} deployment
 * @throws Error when they do not get ready in time, or wait for what does not come
 */
export async function rollOut(deployment) {
  const { name, namespace } = deployment.metadata;
  apply([deployment]);
  const rollout = startKubectl([
    'rollout',
    'status',
    `deployment/${name}`,
    '-n',
    namespace,
    `--timeout=${ROLLOUT_SECONDS}s`,
  ]);
  const pods = createPodWatch(deployment);
  try {
    while (!(await endsWithin(rollout.ended, POLL_MS))) pods.check();
  } finally {
    rollout.stop();
  }
}

/**
 * @param {Promise<void>} ended
 * @param {number} ms
 * @returns {Promise<boolean>} whether it ended
 * @throws its error
 */
const endsWithin = (ended, ms) => Promise.race([ended.then(() => true), sleep(ms, false, { ref: false })]);
