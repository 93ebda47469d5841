// What bundle.mjs writes as `<name>.js`: runs the bundle with V8's code cache, because compiling is half of a start.
// From 22.1 on, Node's own `module.enableCompileCache` does the same.
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { cachedDataVersionTag } from 'node:v8';
import { constants, Script } from 'node:vm';

// The name holds a hash of the content; V8 itself compares only the length of a script with that of its cache.
const filename = join(import.meta.dirname, 'BUNDLE');
// V8 rejects a cache of another version of it, or of other flags.
const cacheFile = `${filename}.${cachedDataVersionTag()}.cache`;

function readCache() {
  try {
    return readFileSync(cacheFile);
  } catch {
    return undefined; // compiled as without a cache
  }
}

/** Keeps what this process compiled. Where the folder cannot be written to, each start compiles anew. */
function writeCache() {
  const unfinished = `${cacheFile}.${process.pid}`;
  try {
    writeFileSync(unfinished, script.createCachedData());
    renameSync(unfinished, cacheFile);
  } catch {
    rmSync(unfinished, { force: true });
  }
}

// esbuild writes ASCII.
const script = new Script(readFileSync(filename, 'latin1'), {
  filename,
  cachedData: readCache(),
  importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
});
if (script.cachedDataRejected !== false) process.once('exit', writeCache);

const module = { exports: {} };
/** @typedef {(exports: object, require: NodeJS.Require, module: object, filename: string, dirname: string) => void} Bundle */
const run = /** @type {Bundle} */ (script.runInThisContext());
run(module.exports, createRequire(filename), module, filename, import.meta.dirname);
