import { existsSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../build/project.mjs';

const USAGE = 'npm run deploy -- <overlay> [--secrets <file>] [--registry <prefix>] [--tag <tag>] [--back]';

/**
 * @typedef {object} DeployOptions
 * @property {string} overlay folder of a kustomization
 * @property {string} [secrets] file with Secrets to apply first, or folder of a kustomization that makes them
 * @property {string} [registry] stands before `gatehouse/` in the names of images
 * @property {string} [tag] of the images, instead of the version in `k8s/version`
 * @property {boolean} [back] to a previous build: apps are replaced in the opposite order
 */

/** @param {string[]} args @returns {DeployOptions} @throws Error when they are not understood */
export function parseDeployOptions(args) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      secrets: { type: 'string' },
      registry: { type: 'string' },
      tag: { type: 'string' },
      back: { type: 'boolean' },
    },
  });
  const [name] = positionals;
  if (name === undefined || positionals.length > 1) throw new Error(`Name one overlay: ${USAGE}`);
  const candidates = [join(root, 'k8s/overlays', name), isAbsolute(name) ? name : resolve(name)];
  const overlay = candidates.find((folder) => existsSync(join(folder, 'kustomization.yaml')));
  if (overlay === undefined) throw new Error(`There is no overlay ${name}: ${candidates.join(', ')}`);
  if (values.tag !== undefined && !/^[\w][\w.-]{0,40}$/.test(values.tag))
    throw new Error(`--tag must be the tag of an image, of at most 41 characters; it is ${values.tag}`);
  return { ...values, overlay };
}
