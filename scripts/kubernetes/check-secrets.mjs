import { setTimeout as sleep } from 'node:timers/promises';
import { kubectl } from './kubectl.mjs';

/** @import { Manifest } from './parse-manifests.mjs' */

const POLL_MS = 1_000;
/** Prints the keys of a Secret, without their values. */
const KEYS = 'go-template={{range $key, $value := .data}}{{$key}}{{"\\n"}}{{end}}';

/** @typedef {Map<string, { namespace: string, keys: Set<string> }>} NeededSecrets by name */

/**
 * Compares what pods need with the Secrets of the namespace, and with those that are applied first.
 * @param {Manifest[]} manifests of everything that is applied
 * @param {Manifest[]} given Secrets that are applied before
 * @param {number} timeoutMs for an operator that makes Secrets
 * @throws Error naming the Secrets, and their keys, that pods need and would not find
 */
export async function checkSecrets(manifests, given, timeoutMs = 0) {
  const needed = listNeededSecrets(manifests);
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const problems = [...needed].flatMap((one) => findProblem(one, given) ?? []);
    if (problems.length === 0) return;
    if (Date.now() > deadline)
      throw new Error(
        `These Secrets do not exist, or lack keys: ${problems.join('; ')}. ` +
          'docs/operations.md says what is in them; name the file with --secrets.',
      );
    await sleep(POLL_MS);
  }
}

/** @param {[string, { namespace: string, keys: Set<string> }]} options @param {Manifest[]} given */
function findProblem([name, { namespace, keys }], given) {
  const present = new Set(
    given
      .filter(({ kind, metadata }) => kind === 'Secret' && metadata.name === name)
      .filter(({ metadata }) => (metadata.namespace ?? namespace) === namespace)
      .flatMap(({ data, stringData }) => [...Object.keys(data ?? {}), ...Object.keys(stringData ?? {})]),
  );
  const missing = () => [...keys].filter((key) => !present.has(key)).sort();
  if (present.size > 0 && missing().length === 0) return undefined;
  const args = ['get', 'secret', name, '-n', namespace, '--ignore-not-found', '-o', KEYS];
  for (const key of kubectl(args).split('\n')) if (key !== '') present.add(key);
  if (present.size === 0) return name;
  return missing().length === 0 ? undefined : `${name} without ${missing().join(', ')}`;
}

/**
 * @param {Manifest[]} manifests
 * @returns {NeededSecrets} what containers name as variables, and what volumes name
 */
function listNeededSecrets(manifests) {
  /** @type {NeededSecrets} */
  const needed = new Map();
  /** @param {string} name @param {string} [namespace] @param {string} [key] */
  const add = (name, namespace = 'default', key) => {
    const one = needed.get(name) ?? { namespace, keys: new Set() };
    if (key !== undefined) one.keys.add(key);
    needed.set(name, one);
  };
  for (const { metadata, spec } of manifests) {
    const { containers = [], volumes = [] } = spec?.template?.spec ?? {};
    for (const { env = [] } of containers)
      for (const { valueFrom } of env)
        if (valueFrom?.secretKeyRef !== undefined && valueFrom.secretKeyRef.optional !== true)
          add(valueFrom.secretKeyRef.name, metadata.namespace, valueFrom.secretKeyRef.key);
    for (const { secret } of volumes)
      if (secret !== undefined && secret.optional !== true)
        for (const { key } of secret.items ?? [{}]) add(secret.secretName, metadata.namespace, key);
  }
  return needed;
}
