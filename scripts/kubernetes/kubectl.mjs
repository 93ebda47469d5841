import { spawnSync } from 'node:child_process';
import { formatManifests, parseManifests } from './parse-manifests.mjs';

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

/**
 * @param {string[]} args
 * @param {{ input?: string, timeoutMs?: number }} options
 * @returns {string} what it printed @throws Error with its message when it failed
 */
export function kubectl(args, { input, timeoutMs = COMMAND_TIMEOUT_MS } = {}) {
  const { status, stdout, stderr, error } = spawnSync(process.env.KUBECTL ?? 'kubectl', args, {
    encoding: 'utf8',
    input,
    maxBuffer: MAX_OUTPUT_BYTES,
    timeout: timeoutMs,
  });
  if (error !== undefined) throw new Error(`kubectl ${args[0]}: ${error.message}`);
  if (status !== 0) throw new Error(`kubectl ${args.join(' ')} failed:\n${stderr.trim()}`);
  return stdout;
}

/** @param {string} folder @returns {object[]} what a kustomization builds */
export const build = (folder) => parseManifests(kubectl(['kustomize', folder]));

/** @param {object[]} manifests */
export function apply(manifests) {
  process.stdout.write(kubectl([...APPLY, '-f', '-'], { input: formatManifests(manifests) }));
}

/** @param {string} file */
export function applyFile(file) {
  process.stdout.write(kubectl([...APPLY, '-f', file]));
}
