import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { formatManifests, parseManifests } from './parse-manifests.mjs';

/** @import { Manifest } from './parse-manifests.mjs' */

const MAX_OUTPUT_BYTES = 64 * 1_048_576;
const COMMAND_TIMEOUT_MS = 120_000;
/** Every field is validated by the server, and deploying again takes back what was changed by hand. */
const APPLY = [
  'apply',
  '--server-side',
  '--force-conflicts',
  '--field-manager=gatehouse',
  '--validate=strict',
];
const program = () => process.env.KUBECTL ?? 'kubectl';

/**
 * @param {string[]} args
 * @param {{ input?: string, timeoutMs?: number }} [options]
 * @returns {string} what it printed @throws Error with its message when it failed
 */
export function kubectl(args, { input, timeoutMs = COMMAND_TIMEOUT_MS } = {}) {
  const { status, stdout, stderr, error } = spawnSync(program(), args, {
    encoding: 'utf8',
    input,
    maxBuffer: MAX_OUTPUT_BYTES,
    timeout: timeoutMs,
  });
  if (error !== undefined) throw new Error(`kubectl ${args[0]}: ${error.message}`);
  if (status !== 0) throw new Error(`kubectl ${args.join(' ')} failed:\n${stderr.trim()}`);
  return stdout;
}

/**
 * Starts a command whose output is shown as it is written.
 * @param {string[]} args
 * @returns {{ ended: Promise<void>, stop: () => void }} `ended` rejects with its message when it failed
 */
export function startKubectl(args) {
  const child = spawn(program(), args, { stdio: ['ignore', 'inherit', 'pipe'] });
  /** @type {string[]} */
  const errors = [];
  child.stderr.setEncoding('utf8').on('data', (/** @type {string} */ text) => errors.push(text));
  const ended = once(child, 'close').then(([code]) => {
    if (code !== 0) throw new Error(`kubectl ${args.join(' ')} failed:\n${errors.join('').trim()}`);
  });
  // Whoever waits for it hears of a failure; one that was stopped is waited for by nobody.
  ended.catch(() => undefined);
  return { ended, stop: () => child.kill() };
}

/** @param {string} folder what a kustomization builds */
export const build = (folder) => parseManifests(kubectl(['kustomize', folder]));

/** @param {Manifest[]} manifests */
export function apply(manifests) {
  if (manifests.length === 0) return;
  process.stdout.write(kubectl([...APPLY, '-f', '-'], { input: formatManifests(manifests) }));
}

/** @param {string} file */
export function applyFile(file) {
  process.stdout.write(kubectl([...APPLY, '-f', file]));
}
