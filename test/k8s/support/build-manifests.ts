import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { parseManifests } from '../../../scripts/kubernetes/parse-manifests.mjs';
import { unpackKubectl } from '../../../scripts/kubernetes/unpack-kubectl.mjs';
import { root } from '../../../scripts/build/project.mjs';
import { pathOf } from '../../support/needs.js';
import type { Manifest } from './manifest.js';

const built = new Map<string, Manifest[]>();

/** What `kubectl kustomize` makes of a folder below `k8s`, as objects that the caller may change. */
export function buildManifests(folder: string): Manifest[] {
  const manifests = built.get(folder) ?? (parseManifests(kustomize(folder)) as unknown as Manifest[]);
  built.set(folder, manifests);
  return structuredClone(manifests);
}

function kustomize(folder: string): string {
  pathOf('kubectl');
  return execFileSync(unpackKubectl(), ['kustomize', join(root, 'k8s', folder)], {
    encoding: 'utf8',
    maxBuffer: 16 * 1_048_576,
    timeout: 120_000,
  });
}
