// Builds the native library of secp256k1 where its package has none that is built (linux-arm64), in the build stage of images.
// Without it account-kit refuses to start in production: node docker/build-native.mjs
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import process from 'node:process';

const require = createRequire(import.meta.url);
const folder = dirname(require.resolve('secp256k1/package.json'));
const run = (command, args, cwd) => execFileSync(command, args, { cwd, stdio: 'inherit' });

function loads() {
  try {
    require('node-gyp-build').resolve(folder);
    return true;
  } catch {
    return false;
  }
}

if (!loads()) {
  run('apt-get', ['update']);
  run('apt-get', ['install', '--yes', '--no-install-recommends', 'python3', 'make', 'g++']);
  const nodeGyp = join(
    dirname(process.execPath),
    '../lib/node_modules/npm/node_modules/node-gyp/bin/node-gyp.js',
  );
  // The headers of Node are in its image, so nothing is downloaded.
  run(process.execPath, [nodeGyp, 'rebuild', `--nodedir=${join(dirname(process.execPath), '..')}`], folder);
}
require('secp256k1/bindings.js');
