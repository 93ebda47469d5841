import { parseFlags, UsageError } from '../commands/define-command.mjs';
import { imageTargets } from './targets.mjs';

const TOOLS = ['docker', 'podman', 'buildah'];
/** Node's image exists for more, but nothing else was thought of for the native library. */
const PLATFORMS = ['linux/amd64', 'linux/arm64'];

export const IMAGE_FLAGS = {
  tool: { value: 'name', help: 'docker, podman or buildah', default: 'docker' },
  registry: { value: 'prefix', help: 'stands before gatehouse/ in the names of images' },
  tag: { value: 'tag', help: 'instead of the version in package.json' },
  platform: {
    value: 'names',
    help: 'of linux/amd64 and linux/arm64, comma separated; that of the machine without it',
  },
};

/**
 * @typedef {object} ImageOptions
 * @property {string} tool that builds
 * @property {string[]} targets of docker/Dockerfile
 * @property {string} [registry] stands before `gatehouse/` in the names of images
 * @property {string} [tag] instead of the version in package.json
 * @property {string} [platform] for which processors, such as `linux/amd64,linux/arm64`; that of the machine without it
 * @property {string} [nodeImage] instead of the base image that docker/Dockerfile names
 * @property {NodeJS.ProcessEnv} [env] of the tool, instead of this process's own
 */

/** @param {string[]} args @param {NodeJS.ProcessEnv} env @returns {ImageOptions} @throws Error when they are not understood */
export function parseImageOptions(args, env) {
  const { values: given, positionals } = parseFlags(args, IMAGE_FLAGS);
  const values = /** @type {Omit<ImageOptions, 'targets' | 'nodeImage' | 'env'>} */ (given);
  const unknown = positionals.filter((name) => !imageTargets.includes(name));
  if (unknown.length > 0)
    throw new UsageError(`There is no image ${unknown.join(', ')}; there are ${imageTargets.join(', ')}`);
  if (!TOOLS.includes(values.tool)) throw new UsageError(`--tool must be one of ${TOOLS.join(', ')}`);
  checkPlatform(values);
  const targets = positionals.length > 0 ? positionals : imageTargets;
  return { ...values, targets, nodeImage: env.NODE_IMAGE === '' ? undefined : env.NODE_IMAGE };
}

/**
 * @param {{ platform?: string, tool: string, registry?: string }} options
 * @throws Error for a processor that no image was meant for, or several where the result has no place
 */
function checkPlatform({ platform, tool, registry }) {
  if (platform === undefined) return;
  const unknown = platform.split(',').filter((one) => !PLATFORMS.includes(one));
  if (unknown.length > 0)
    throw new UsageError(`--platform must be of ${PLATFORMS.join(', ')}, comma separated`);
  if (platform.includes(',') && tool === 'docker' && registry === undefined)
    throw new UsageError(
      'Several platforms need --registry: Docker keeps images of one only, and pushes the others',
    );
}
