#!/usr/bin/env node
// Stands in for kubectl and a cluster: builds with the real one, and appends what would change the cluster to a log.
import { execFileSync } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';

const { STAND_IN_LOG, STAND_IN_SECRETS = '', STAND_IN_JOB = 'Complete', STAND_IN_NEVER_READY } = process.env;
const args = process.argv.slice(2);
const log = (line) => appendFileSync(STAND_IN_LOG, `${line}\n`);
const [command, kind, name] = args;

if (command === 'kustomize') {
  const { unpackKubectl } = await import('../../../scripts/kubernetes/unpack-kubectl.mjs');
  process.stdout.write(execFileSync(unpackKubectl(), args));
} else if (command === 'apply') {
  const { parseAllDocuments } = await import('yaml'); // most commands need no module
  const file = args.at(-1);
  for (const document of parseAllDocuments(readFileSync(file === '-' ? 0 : file, 'utf8'))) {
    const { kind, metadata, spec } = document.toJS();
    const [image = ''] = (spec?.template?.spec?.containers ?? []).map((container) => container.image);
    log(`apply ${kind} ${metadata.name} ${image}`.trim());
  }
} else if (command === 'get' && kind === 'secret') {
  if (STAND_IN_SECRETS.split(',').includes(name)) process.stdout.write(`secret/${name}\n`);
} else if (command === 'get' && kind === 'job') {
  log(`get Job ${name}`);
  process.stdout.write(JSON.stringify({ status: { conditions: [{ type: STAND_IN_JOB, status: 'True' }] } }));
} else if (command === 'logs') {
  process.stdout.write('identity: column "name" does not exist\n');
} else if (command === 'rollout' && name === `deployment/${STAND_IN_NEVER_READY}`) {
  process.stderr.write(`error: timed out waiting for ${name}\n`);
  process.exitCode = 1;
} else {
  log(args.slice(0, 3).join(' '));
}
