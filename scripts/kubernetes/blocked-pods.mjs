import { messageOf } from '../processes/error-facts.mjs';
import { kubectl } from './kubectl.mjs';

/** @import { Workload } from './parse-manifests.mjs' */
/** @typedef {{ reason: string, text: string }} Block why a pod does not start */
/** @typedef {{ metadata: { name: string }, status?: { containerStatuses?: { state?: { waiting?: Reason } }[], conditions?: (Reason & { type: string })[] } }} Pod */
/** @typedef {{ reason: string, message?: string }} Reason */
/** @typedef {{ involvedObject?: { name?: string }, message?: string }} Event */

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
 * @param {Workload} workload a Deployment, or a Job
 */
export function createPodWatch({ kind, metadata: { name, namespace }, spec }) {
  const selector = toSelector(kind === 'Job' ? { 'job-name': name } : (spec.selector?.matchLabels ?? {}));
  /** @type {Set<string>} */
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
        const since = waiting.get(reason) ?? Date.now();
        waiting.set(reason, since);
        if (!printed.has(text)) process.stdout.write(`${kind} ${name} waits: ${text}\n`);
        printed.add(text);
        const patienceMs = reason === 'Unschedulable' ? NODE_PATIENCE_MS : PATIENCE_MS;
        if (Date.now() - since > patienceMs)
          throw new Error(`${kind} ${name} waited ${patienceMs / 1_000} s in vain: ${text}${logOf(reason)}`);
      }
    },
  };

  /** What the app wrote before it ended, such as the variable that is wrong. @param {string} reason */
  function logOf(reason) {
    if (reason !== 'CrashLoopBackOff') return '';
    try {
      return `\n${kubectl(['logs', '-n', namespace, '-l', selector, '--tail=20', '--prefix'])}`;
    } catch (error) {
      return `\n${messageOf(error)}`;
    }
  }
}

/** @param {Record<string, string>} labels */
const toSelector = (labels) =>
  Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');

/**
 * @param {string} namespace
 * @param {string} name
 * @param {string} selector
 * @returns {Block[]} why pods of a workload do not start
 */
function findBlocks(namespace, name, selector) {
  const { items } = /** @type {{ items: Pod[] }} */ (
    JSON.parse(kubectl(['get', 'pods', '-n', namespace, '-l', selector, '-o', 'json']))
  );
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

/**
 * Pods that a quota or an admission rule refuses do not exist: only events say so.
 * @param {string} namespace
 * @param {string} name
 * @returns {Block[]}
 */
function findRefusals(namespace, name) {
  const args = ['get', 'events', '-n', namespace, '--field-selector', 'reason=FailedCreate', '-o', 'json'];
  const { items } = /** @type {{ items: Event[] }} */ (JSON.parse(kubectl(args)));
  return items
    .map(({ involvedObject, message }) => toBlock(involvedObject?.name ?? '', 'FailedCreate', message))
    .filter(({ text }) => text.startsWith(name));
}

/** @param {string} pod @param {string} reason @param {string} [message] */
const toBlock = (pod, reason, message = '') => ({ reason, text: `${pod}: ${reason} ${message}`.trim() });
