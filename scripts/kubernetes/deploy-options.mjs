import { existsSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { root } from '../build/project.mjs';
import { parseFlags, UsageError } from '../commands/define-command.mjs';

export const DEPLOY_FLAGS = {
  secrets: {
    value: 'file',
    help: 'with Secrets to apply first, or folder of a kustomization that makes them',
  },
  registry: { value: 'prefix', help: 'stands before gatehouse/ in the names of images' },
  tag: { value: 'tag', help: 'of the images, instead of the version in k8s/version' },
  back: { help: 'to a previous build: apps are replaced in the opposite order' },
};

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
  const { values: given, positionals } = parseFlags(args, DEPLOY_FLAGS);
  const values = /** @type {Omit<DeployOptions, 'overlay'>} */ (given);
  const [name] = positionals;
  if (name === undefined || positionals.length > 1) throw new UsageError('Name one <overlay>.');
  const candidates = [join(root, 'k8s/overlays', name), isAbsolute(name) ? name : resolve(name)];
  const overlay = candidates.find((folder) => existsSync(join(folder, 'kustomization.yaml')));
  if (overlay === undefined) throw new Error(`There is no overlay ${name}: ${candidates.join(', ')}`);
  if (values.tag !== undefined && !/^[\w][\w.-]{0,40}$/.test(values.tag))
    throw new UsageError(`--tag must be the tag of an image, of at most 41 characters; it is ${values.tag}`);
  return { ...values, overlay };
}
