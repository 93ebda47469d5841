#!/usr/bin/env node
// Stands in for kubectl and a cluster: builds with the real one, and appends what would change the cluster to a log.
import { execFileSync } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';
import { messageOf } from '../../../scripts/processes/error-facts.mjs';

/** @import { Manifest } from '../../../scripts/kubernetes/parse-manifests.mjs' */

const {
  STAND_IN_LOG = '',
  STAND_IN_SECRETS = '',
  STAND_IN_MISSING_KEY,
  STAND_IN_JOB = 'Complete',
  STAND_IN_NEVER_READY,
  /** The pods to wait for: those of the app whose rollout hangs, or all pods. */
  STAND_IN_WAITING,
  STAND_IN_HANGS,
  STAND_IN_REFUSED,
} = process.env;
const args = process.argv.slice(2);
/** @param {string} line */
const log = (line) => {
  appendFileSync(STAND_IN_LOG, `${line}\n`);
};
const [command, kind, name = ''] = args;

/** Maps of a manifest whose values are strings, or the server refuses it. @param {Manifest} manifest @returns {Record<string, object | null | undefined>} */
const listMaps = ({ data, stringData, metadata, spec }) => ({
  '.data': data,
  '.stringData': stringData,
  '.metadata.labels': metadata.labels,
  '.metadata.annotations': metadata.annotations,
  ...Object.fromEntries(
    (spec?.template?.spec?.containers ?? []).flatMap(({ name: container, env = [] }) =>
      env.map((variable) => [`.spec.template.spec.containers.${container}.env.${variable.name}`, variable]),
    ),
  ),
});

/** Checks strings as strictly as the server. @param {Manifest} manifest @throws Error that names the field */
function checkStrings(manifest) {
  for (const [path, map] of Object.entries(listMaps(manifest)))
    for (const [key, value] of Object.entries(map ?? {}))
      if (typeof value !== 'string' && key !== 'valueFrom')
        throw new Error(
          `Error from server: failed to create typed patch object (/${manifest.metadata.name}; /v1, Kind=${manifest.kind}): ` +
            `${path}.${key}: expected string, got ${JSON.stringify(value)}`,
        );
}

/** @param {string} file */
async function applyManifests(file) {
  // Most commands need no module.
  const { parseManifests } = await import('../../../scripts/kubernetes/parse-manifests.mjs');
  for (const manifest of parseManifests(readFileSync(file === '-' ? 0 : file, 'utf8'))) {
    checkStrings(manifest);
    const { kind, metadata, spec } = manifest;
    const [image = ''] = (spec?.template?.spec?.containers ?? []).map((container) => container.image);
    log(`apply ${kind} ${metadata.name} ${image}`.trim());
  }
}

if (command === 'kustomize') {
  const { unpackKubectl } = await import('../../../scripts/kubernetes/unpack-kubectl.mjs');
  process.stdout.write(execFileSync(unpackKubectl(), args));
} else if (command === 'apply') {
  try {
    await applyManifests(args.at(-1) ?? '');
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n`);
    process.exitCode = 1;
  }
} else if (command === 'get' && kind === 'secret') {
  if (STAND_IN_SECRETS.split(',').includes(name)) {
    const { createAppSecrets } = await import('../../../scripts/secrets/app-secrets.mjs');
    const secrets = createAppSecrets({ databaseUrl: 'postgres://example', redisUrl: 'redis://example' });
    const [, values = {}] = secrets.find(([app]) => name === `gatehouse-${app}`) ?? [];
    for (const key of Object.keys(values))
      if (`${name}/${key}` !== STAND_IN_MISSING_KEY) process.stdout.write(`${key}\n`);
  }
} else if (command === 'get' && kind === 'pods') {
  const waiting = { reason: STAND_IN_WAITING, message: 'as the kubelet says' };
  const pod = { metadata: { name: 'pod-1' }, status: { containerStatuses: [{ state: { waiting } }] } };
  const isWaiting = STAND_IN_WAITING !== undefined && args.join().includes(STAND_IN_HANGS ?? '');
  process.stdout.write(JSON.stringify({ items: isWaiting ? [pod] : [] }));
} else if (command === 'get' && kind === 'events') {
  const event = { involvedObject: { name: STAND_IN_REFUSED }, message: 'exceeded quota' };
  process.stdout.write(JSON.stringify({ items: STAND_IN_REFUSED === undefined ? [] : [event] }));
} else if (command === 'get' && kind === 'job') {
  log(`get Job ${name}`);
  process.stdout.write(JSON.stringify({ status: { conditions: [{ type: STAND_IN_JOB, status: 'True' }] } }));
} else if (command === 'logs') {
  process.stdout.write('identity: column "name" does not exist\n');
} else if (command === 'rollout' && name === `deployment/${STAND_IN_HANGS}`) {
  setTimeout(() => undefined, 60_000);
} else if (command === 'rollout' && name === `deployment/${STAND_IN_NEVER_READY}`) {
  process.stderr.write(`error: timed out waiting for ${name}\n`);
  process.exitCode = 1;
} else {
  log(args.slice(0, 5).join(' '));
}
