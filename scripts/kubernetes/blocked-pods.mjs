import { kubectl } from './kubectl.mjs';

/** Reasons for which a container waits, and that end by a change of the image, the manifest or a Secret only. */
const BLOCKING_REASONS = [
  'ImagePullBackOff',
  'ErrImagePull',
  'InvalidImageName',
  'CreateContainerConfigError',
  'CreateContainerError',
  'CrashLoopBackOff',
];
/** A pull that failed once, or a Secret that comes late, has this time. */
const PATIENCE_MS = Number(process.env.DEPLOY_PATIENCE_MS ?? 120_000);
/** An autoscaler of nodes needs minutes for another node. */
const NODE_PATIENCE_MS = 5 * PATIENCE_MS;

/**
 * Watches the pods of one workload: prints each reason for which they wait, once, and gives up on reasons that stay.
 * @param {{ kind: string, metadata: { name: string, namespace: string }, spec: object }} workload a Deployment, or a Job
 */
export function createPodWatch({ kind, metadata: { name, namespace }, spec }) {
  const selector = toSelector(kind === 'Job' ? { 'job-name': name } : spec.selector.matchLabels);
  const printed = new Set();
  /** @type {Map<string, number>} by reason, since when pods wait */
  const waiting = new Map();

  return {
    /** @throws Error that says for what pods have waited too long */
    check() {
      const blocks = findBlocks(namespace, name, selector);
      for (const reason of waiting.keys())
        if (!blocks.some((block) => block.reason === reason)) waiting.delete(reason);
      for (const { reason, text } of blocks) {
        if (!waiting.has(reason)) waiting.set(reason, Date.now());
        if (!printed.has(text)) process.stdout.write(`${kind} ${name} waits: ${text}\n`);
        printed.add(text);
        const patienceMs = reason === 'Unschedulable' ? NODE_PATIENCE_MS : PATIENCE_MS;
        if (Date.now() - waiting.get(reason) > patienceMs)
          throw new Error(`${kind} ${name} waited ${patienceMs / 1_000} s in vain: ${text}${logOf(reason)}`);
      }
    },
  };

  /** What the app wrote before it ended, such as the variable that is wrong. */
  function logOf(reason) {
    if (reason !== 'CrashLoopBackOff') return '';
    try {
      return `\n${kubectl(['logs', '-n', namespace, '-l', selector, '--tail=20', '--prefix'])}`;
    } catch (error) {
      return `\n${error.message}`;
    }
  }
}

const toSelector = (labels) =>
  Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');

/** @returns {{ reason: string, text: string }[]} why pods of a workload do not start */
function findBlocks(namespace, name, selector) {
  const { items } = JSON.parse(kubectl(['get', 'pods', '-n', namespace, '-l', selector, '-o', 'json']));
  const blocks = items.flatMap(({ metadata, status = {} }) => [
    ...(status.containerStatuses ?? [])
      .flatMap(({ state }) => (state?.waiting === undefined ? [] : [state.waiting]))
      .filter(({ reason }) => BLOCKING_REASONS.includes(reason))
      .map(({ reason, message }) => toBlock(metadata.name, reason, message)),
    ...(status.conditions ?? [])
      .filter(({ type, reason }) => type === 'PodScheduled' && reason === 'Unschedulable')
      .map(({ reason, message }) => toBlock(metadata.name, reason, message)),
  ]);
  return items.length > 0 ? blocks : findRefusals(namespace, name);
}

/** Pods that a quota or an admission rule refuses do not exist: only events say so. */
function findRefusals(namespace, name) {
  const args = ['get', 'events', '-n', namespace, '--field-selector', 'reason=FailedCreate', '-o', 'json'];
  const { items } = JSON.parse(kubectl(args));
  return items
    .filter(({ involvedObject }) => involvedObject?.name?.startsWith(name))
    .map(({ involvedObject, message }) => toBlock(involvedObject.name, 'FailedCreate', message));
}

const toBlock = (pod, reason, message = '') => ({ reason, text: `${pod}: ${reason} ${message}`.trim() });
