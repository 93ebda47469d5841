import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { apps } from '../suite/apps.mjs';
import { EXTERNAL_PACKAGES } from '../build/bundle.mjs';
import { createSbom } from './create-sbom.mjs';
import { imageTargets } from './targets.mjs';

/** What stands beside each app. */
const PROGRAMS = [
  'docker/healthcheck.mjs',
  'scripts/images/app-commands.mjs',
  'scripts/images/gatehouse.mjs',
];
const CLIENT_COMMAND = 'create-client.command';
const MIGRATIONS = 'migrate';
/** @type {Record<string, string[]>} every app can serve the explorer's files, and the gateway does */
const ONLY_IN = { 'swagger-ui-dist': ['gateway'] };
/** Runs at installation only, and reports it. */
const NEVER = ['@scarf/scarf'];

/**
 * Writes what each target of docker/Dockerfile copies to `/app` into a folder of its own: bundles, their assets and
 * the packages that cannot be bundled, with licences and a list of packages.
 * @param {string} root with a finished build
 * @param {string} out
 */
export function collectImages(root, out) {
  /** @param {string} entry */
  const isOwn = (entry) => entry !== MIGRATIONS;
  for (const { name } of apps) {
    copyBundles(root, name, join(out, name), isOwn);
    copyAssets(root, name, join(out, name));
    for (const file of PROGRAMS) cpSync(join(root, file), join(out, name, basename(file)));
  }
  for (const { name } of apps.filter((app) => existsSync(bundled(root, app.name, `${MIGRATIONS}.js`))))
    copyBundles(root, name, join(out, 'migrate', name), (entry) => entry === MIGRATIONS);
  cpSync(join(root, 'docker/migrate.mjs'), join(out, 'migrate/migrate.mjs'));
  copyBundles(root, 'identity', join(out, 'client/identity'), (entry) => entry === CLIENT_COMMAND);
  for (const target of imageTargets) completeImage(root, target, join(out, target));
}

/** @param {string} root @param {string[]} path */
const bundled = (root, ...path) => join(root, 'dist/bundles', ...path);

/**
 * Copies the bundles of an app whose entry is wanted, without source maps and compiled code.
 * @param {string} root
 * @param {string} app
 * @param {string} target
 * @param {(entry: string) => boolean} isWanted
 */
function copyBundles(root, app, target, isWanted) {
  mkdirSync(target, { recursive: true });
  for (const file of readdirSync(bundled(root, app)).filter((name) => /\.c?js$/.test(name)))
    if (isWanted(file.replace(/(-[A-Z0-9]{8})?\.c?js$/, '')))
      cpSync(bundled(root, app, file), join(target, file));
}

/**
 * What the app reads and the workers that it starts; migrations and commands do neither.
 * @param {string} root
 * @param {string} app
 * @param {string} target
 */
function copyAssets(root, app, target) {
  if (existsSync(bundled(root, app, 'assets')))
    cpSync(bundled(root, app, 'assets'), join(target, 'assets'), {
      recursive: true,
      filter: (file) => !/\.(map|cache)$/.test(file),
    });
}

/** @param {string} root @param {string} target @param {string} folder */
function completeImage(root, target, folder) {
  const packages = copyPackages(root, target, folder);
  cpSync(bundled(root, 'LICENSES.txt'), join(folder, 'LICENSES.txt'));
  writeFileSync(join(folder, 'sbom.cdx.json'), createSbom(root, packages));
  // The loaders of bundles are ECMAScript modules.
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n');
}

/**
 * Copies the packages that bundles of this image require, with all that they depend on.
 * @param {string} root
 * @param {string} target
 * @param {string} folder
 * @returns {string[]} their names
 */
function copyPackages(root, target, folder) {
  const code = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.cjs'))
    .map((name) => readFileSync(join(folder, name), 'latin1'));
  /** @param {string} name */
  const isRequired = (name) =>
    (ONLY_IN[name]?.includes(target) ?? true) && code.some((text) => text.includes(`("${name}`));
  const names = new Set(EXTERNAL_PACKAGES.filter(isRequired));
  for (const name of names) {
    const source = join(root, 'node_modules', name);
    const { dependencies = {} } = /** @type {{ dependencies?: Record<string, string> }} */ (
      JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'))
    );
    for (const dependency of Object.keys(dependencies))
      // A nested dependency was copied with its dependent.
      if (!NEVER.includes(dependency) && !existsSync(join(source, 'node_modules', dependency)))
        names.add(dependency);
    cpSync(source, join(folder, 'node_modules', name), {
      recursive: true,
      filter: (file) => !file.endsWith('.map'),
    });
  }
  return [...names];
}
