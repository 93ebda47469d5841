// Builds the native library of secp256k1 where its package has none that is built (linux-arm64), in the build stage of images.
// Without it account-kit refuses to start in production: node docker/build-native.mjs
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import process from 'node:process';

/** @typedef {typeof import('secp256k1')} Secp256k1 */

const require = createRequire(import.meta.url);
const folder = dirname(require.resolve('secp256k1/package.json'));
/** @param {string} command @param {string[]} args @param {string} [cwd] */
const run = (command, args, cwd) => execFileSync(command, args, { cwd, stdio: 'inherit' });

function loads() {
  try {
    /** @type {{ resolve: (folder: string) => string }} */ (require('node-gyp-build')).resolve(folder);
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
  keepOnlyBinding(join(folder, 'build'));
}
checkBinding(/** @type {Secp256k1} */ (require('secp256k1/bindings.js')));

/**
 * Images copy the whole package: objects, makefiles and paths of the build stage do not belong into them.
 * @param {string} build
 */
function keepOnlyBinding(build) {
  const binding = join('Release', 'addon.node');
  const bytes = readFileSync(join(build, binding));
  rmSync(build, { recursive: true });
  mkdirSync(join(build, 'Release'), { recursive: true });
  writeFileSync(join(build, binding), bytes, { mode: 0o644 });
}

/**
 * A binding for another processor does not load, and one that was built wrongly does not recover the key that it signed with.
 * @param {Secp256k1} secp256k1
 */
function checkBinding(secp256k1) {
  const [secret, digest] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
  const { signature, recid } = secp256k1.ecdsaSign(digest, secret);
  const recovered = secp256k1.ecdsaRecover(signature, recid, digest, false);
  if (!Buffer.from(recovered).equals(Buffer.from(secp256k1.publicKeyCreate(secret, false))))
    throw new Error('the native library of secp256k1 does not recover the key that it signed with');
}
