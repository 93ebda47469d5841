import { cpSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { local } from '../build/project.mjs';
import { installTool } from '../build/tools.mjs';

const SUITE = 'bookworm';
const folder = join(local, 'images');

/** The name of the base image that stands in for docker.io/library/node. */
export const STAND_IN_BASE = 'localhost/gatehouse-node:24.21.0-stand-in';

/**
 * Makes an image of Debian, Node 24 and npm like docker.io/library/node, which no machine without that registry can pull.
 * @param {import('../processes/children.mjs').Children} children
 * @param {NodeJS.ProcessEnv} env of buildah
 */
export async function buildStandInBase(children, env) {
  const tree = join(folder, 'base');
  if (!existsSync(join(tree, 'complete'))) {
    rmSync(tree, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    await children.run('debootstrap', 'debootstrap', ['--variant=minbase', SUITE, tree], { env });
    await addNode(children, tree);
    writeFileSync(join(tree, 'complete'), '');
  }
  // A registry may be behind a proxy with a certificate of its own.
  const certificates = env.NODE_EXTRA_CA_CERTS;
  if (certificates !== undefined) cpSync(certificates, join(tree, 'etc/ca-certificates.crt'));
  writeFileSync(join(folder, 'Dockerfile'), toDockerfile(certificates !== undefined));
  const args = [
    'build',
    '--format',
    'docker',
    '--file',
    join(folder, 'Dockerfile'),
    '--tag',
    STAND_IN_BASE,
    tree,
  ];
  await children.run('image-base', 'buildah', args, { env });
}

/** @param {import('../processes/children.mjs').Children} children @param {string} tree */
async function addNode(children, tree) {
  const modules = join(await installTool(children, 'node-24'), 'node_modules');
  const prefix = join(tree, 'usr/local');
  cpSync(join(modules, `node-linux-${process.arch}/bin/node`), join(prefix, 'bin/node'));
  cpSync(join(modules, 'npm'), join(prefix, 'lib/node_modules/npm'), { recursive: true });
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(prefix, 'bin/npm'));
  for (const archives of ['var/cache/apt/archives', 'var/lib/apt/lists'])
    rmSync(join(tree, archives), { recursive: true, force: true });
}

/** @param {boolean} hasCertificates */
const toDockerfile = (hasCertificates) =>
  [
    'FROM scratch',
    'COPY . /',
    ...(hasCertificates ? ['ENV NODE_EXTRA_CA_CERTS=/etc/ca-certificates.crt'] : []),
    'CMD ["node"]',
    '',
  ].join('\n');
