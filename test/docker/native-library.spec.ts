import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { root } from '../../scripts/build/project.mjs';

const dockerfile = readFileSync(join(root, 'docker/Dockerfile'), 'utf8');
const [, build = '', base = ''] = dockerfile.split(/^FROM /m);
const PACKAGES = ['secp256k1', 'node-addon-api', 'node-gyp-build'];

/** Stands for apt-get, and for node-gyp in the folder of npm: writes what it was called with, and a binding that does not load. */
const RECORD = `const { appendFileSync, mkdirSync, writeFileSync } = require('node:fs');
appendFileSync(process.env.RECORD, JSON.stringify(process.argv.slice(2)) + '\\n');
if (process.argv[2] === 'rebuild') {
  mkdirSync('build/Release/obj.target', { recursive: true });
  for (const file of ['Makefile', 'Release/addon.node', 'Release/obj.target/addon.o']) writeFileSync('build/' + file, 'no library');
}`;

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-native-'));
  for (const name of PACKAGES)
    cpSync(join(root, 'node_modules', name), join(folder, 'src/node_modules', name), {
      recursive: true,
      dereference: true,
    });
  cpSync(join(root, 'docker/build-native.mjs'), join(folder, 'src/docker/build-native.mjs'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

it('docker/Dockerfile: builds the native library after the packages are there, and before they are collected', () => {
  const steps = ['"npm", "ci"', 'COPY docker docker', '"docker/build-native.mjs"', '"docker/collect.mjs"'];
  const places = steps.map((step) => build.indexOf(step));
  expect(places).not.toContain(-1);
  expect(places).toEqual(places.toSorted((one, other) => one - other));
  // The build runs as root, because it installs a compiler, which images do not get.
  expect(build).not.toMatch(/^USER /m);
  expect(base).toMatch(/^\$\{NODE_IMAGE\} AS base$/m);
  // The library is built for the processor of the image that runs it.
  expect(dockerfile).not.toMatch(/^FROM --platform/m);
});

it('docker/build-native.mjs: compiles nothing where the package has a library for the processor', () => {
  const record = join(folder, 'none');
  const prebuilt = readdirSync(join(folder, 'src/node_modules/secp256k1/prebuilds'));
  if (!prebuilt.includes(`${process.platform}-${process.arch}`)) return;
  execFileSync(process.execPath, ['docker/build-native.mjs'], {
    cwd: join(folder, 'src'),
    env: { PATH: '', RECORD: record },
  });
  expect(readdirSync(folder)).not.toContain('none');
});

it('docker/build-native.mjs: compiles with the npm and the headers of the Node that runs it, leaves the library alone, and fails if that does not load', () => {
  rmSync(join(folder, 'src/node_modules/secp256k1/prebuilds'), { recursive: true });
  // A Node as its image has it: bin, include and lib/node_modules/npm below one folder.
  const prefix = join(folder, 'usr/local');
  const nodeGyp = join(prefix, 'lib/node_modules/npm/node_modules/node-gyp/bin');
  mkdirSync(nodeGyp, { recursive: true });
  mkdirSync(join(prefix, 'bin'), { recursive: true });
  cpSync(process.execPath, join(prefix, 'bin/node'), { dereference: true });
  writeFileSync(join(nodeGyp, 'node-gyp.js'), RECORD);
  writeFileSync(join(folder, 'apt.cjs'), RECORD);
  writeFileSync(
    join(prefix, 'bin/apt-get'),
    `#!/bin/sh\nexec "${process.execPath}" "${folder}/apt.cjs" "$@"\n`,
    {
      mode: 0o755,
    },
  );
  const record = join(folder, 'calls');
  const run = () =>
    execFileSync(join(prefix, 'bin/node'), ['docker/build-native.mjs'], {
      cwd: join(folder, 'src'),
      env: { PATH: [join(prefix, 'bin'), process.env.PATH].join(delimiter), RECORD: record },
      stdio: 'pipe',
    });
  expect(run).toThrow();
  const calls = readFileSync(record, 'utf8').trim().split('\n');
  expect(calls.map((line) => JSON.parse(line) as string[])).toEqual([
    ['update'],
    ['install', '--yes', '--no-install-recommends', 'python3', 'make', 'g++'],
    ['rebuild', `--nodedir=${prefix}`],
  ]);
  const built = join(folder, 'src/node_modules/secp256k1/build');
  const files = readdirSync(built, { recursive: true, encoding: 'utf8' });
  expect(files.toSorted()).toEqual(['Release', join('Release', 'addon.node')]);
});
