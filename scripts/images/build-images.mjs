import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** @import { ImageOptions } from './image-options.mjs' */
/** @typedef {Pick<import('../processes/children.mjs').Children, 'runShown'>} Runner */

/**
 * @param {Runner} children
 * @param {string} root
 * @param {ImageOptions} options
 */
export async function buildImages(children, root, options) {
  const { version } = /** @type {{ version: string }} */ (
    JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  );
  const revision = readRevision(root);
  for (const target of options.targets) {
    const { name, args } = toBuildCommand(root, target, options, { version, revision });
    const isBuilt = await children.runShown(
      `image-${target}`,
      options.tool,
      args,
      options.env ?? process.env,
    );
    if (!isBuilt) throw new Error(`${options.tool} did not build ${name}`);
    process.stdout.write(`${name}\n`);
  }
}

/**
 * @param {string} root
 * @param {string} target
 * @param {ImageOptions} options
 * @param {{ version: string, revision: string }} labels
 * @returns {{ name: string, args: string[] }} the name of an image, and the arguments of the tool that builds it
 */
function toBuildCommand(root, target, options, { version, revision }) {
  const { tool, registry, tag, nodeImage, targets, platform } = options;
  const prefix = registry === undefined ? '' : `${registry.replace(/\/$/, '')}/`;
  const name = `${prefix}gatehouse/${target}:${tag ?? version}`;
  const buildArguments = [`VERSION=${version}`, `REVISION=${revision}`];
  if (nodeImage !== undefined) buildArguments.push(`NODE_IMAGE=${nodeImage}`);
  const args = [
    ...toBuildVerb(tool, platform),
    '--file',
    join(root, 'docker/Dockerfile'),
    '--target',
    target,
    // A list of images of several platforms has a name of its own outside of Docker.
    platform?.includes(',') === true && tool !== 'docker' ? '--manifest' : '--tag',
    name,
  ];
  // Images of the OCI format have no HEALTHCHECK. Layers are kept for the next target only: they hold all packages.
  if (tool !== 'docker') args.push('--format', 'docker', `--layers=${String(targets.length > 1)}`);
  return { name, args: [...args, ...buildArguments.flatMap((one) => ['--build-arg', one]), root] };
}

/**
 * Docker builds for other platforms by its plugin buildx, and pushes what it cannot keep.
 * @param {string} tool
 * @param {string | undefined} platform
 */
function toBuildVerb(tool, platform) {
  if (platform === undefined) return ['build'];
  if (tool !== 'docker') return ['build', '--platform', platform];
  return ['buildx', 'build', '--platform', platform, platform.includes(',') ? '--push' : '--load'];
}

/** The commit that is built, `unknown` in a tree without git. @param {string} root */
function readRevision(root) {
  try {
    return execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    return 'unknown';
  }
}
