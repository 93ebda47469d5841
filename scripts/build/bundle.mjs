import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { apps } from '../suite/apps.mjs';
import { readIfThere } from '../processes/private-file.mjs';

/** @import { Plugin } from 'esbuild' */
/** @typedef {{ inputs: Record<string, { imports: { path: string, external?: boolean }[] }>, outputs: Record<string, { entryPoint?: string }> }} Metafile what is read of esbuild's */

/**
 * Stay outside: a native module, the explorer's assets, and optional peers of Nest, TypeORM and others that nothing here uses. Whatever runs a
 * bundle needs the packages of EXTERNAL_PACKAGES in a `node_modules` and nothing else.
 */
export const EXTERNAL_PACKAGES = ['secp256k1', 'swagger-ui-dist'];
const UNUSED_PEERS = [
  '@fastify/*',
  '@google-cloud/*',
  '@grpc/*',
  '@nestjs/microservices',
  '@nestjs/microservices/*',
  '@nestjs/websockets',
  '@nestjs/websockets/*',
  '@sap/*',
  'better-sqlite3',
  'class-transformer',
  'class-transformer/*',
  'class-validator',
  'expo-sqlite',
  'mongodb',
  'mssql',
  'mysql',
  'mysql2',
  'oracledb',
  'pg-native',
  'pg-query-stream',
  'react-native-sqlite-storage',
  'redis',
  'sql.js',
  'sqlite3',
  'typeorm-aurora-data-api-driver',
];

/**
 * A bundle is the function that Node makes of a CommonJS module, so that its loader need not copy megabytes into one. Modules are strict,
 * and know their own URL; CommonJS is neither by itself. From Node 21 on there is a navigator: without one, pg finds out that this
 * is Node by making a Response, which loads all of fetch.
 */
const BANNER =
  '(function (exports, require, module, __filename, __dirname) { ' +
  "'use strict'; const __moduleUrl = require('node:url').pathToFileURL(__filename).href; const __navigator = { userAgent: 'Node.js' };";
const FOOTER = '})';

/** The record in the folder of the bundles: what they were made from, and which of our own compiled modules each app holds. */
const FINGERPRINT = 'inputs.sha256';
const APP_INPUTS = 'inputs.json';

/** What an app can be started with: itself, its migrations and its commands. @param {string} file */
const isEntry = (file) => file === 'main.js' || file === 'migrate.js' || file.endsWith('.command.js');

/**
 * @param {string} root
 * @param {string} app
 * @returns {string} the bundle of an app's entry, `main.js` for the app itself
 */
export const bundleOf = (root, app, entry = 'main.js') => join(root, 'dist/bundles', app, entry);

/**
 * Bundles each app and command of `dist` into one file, with source maps, its assets and the licences of what is in it.
 * Loading one file instead of up to 3,000 takes a quarter of the time.
 * @param {string} root
 */
export async function bundle(root) {
  const built = join(root, 'dist/apps');
  const outdir = join(root, 'dist/bundles');
  const fingerprint = fingerprintOf(root);
  if (readIfThere(join(outdir, FINGERPRINT)) === fingerprint) return;
  // Lets esbuild leave out unused modules of a barrel: importing one of our modules has no side effect.
  writeFileSync(join(root, 'dist/package.json'), '{ "type": "module", "sideEffects": false }\n');
  const present = apps.map(({ name }) => name).filter((name) => existsSync(join(built, name, 'src')));
  const entryPoints = present.flatMap((app) => entryPointsOf(root, app, isEntry));
  // The mark of a finished build goes, and nothing else: apps may be running from the bundles, which are replaced one
  // by one.
  rmSync(join(outdir, FINGERPRINT), { force: true });
  // Bundles of worker threads stand among the assets, which copying removes.
  for (const app of present) copyAssets(root, assetFoldersOf(app), join(outdir, app));
  const metafile = await bundleEntries(root, entryPoints, outdir);
  const inputs = [...Object.keys(metafile.inputs), ...(await bundleForBrowsers(root, present, outdir))];
  const ofApps = present.map((app) => [app, ownInputsOf(root, metafile, join(outdir, app))]);
  writeFileSync(join(outdir, APP_INPUTS), JSON.stringify(Object.fromEntries(ofApps)));
  writeFileSync(join(outdir, 'LICENSES.txt'), licences(root, inputs));
  writeFileSync(join(outdir, FINGERPRINT), fingerprint);
}

/** Makes the next build bundle again. @param {string} root */
export function forgetBundles(root) {
  rmSync(join(root, 'dist/bundles', FINGERPRINT), { force: true });
}

/**
 * @param {string} root
 * @returns {Record<string, string[]>} the compiled modules of ours that each app's bundles hold, `dist/libs/…`
 */
export const readAppInputs = (root) =>
  /** @type {Record<string, string[]>} */ (
    JSON.parse(readFileSync(join(root, 'dist/bundles', APP_INPUTS), 'utf8'))
  );

/**
 * What of an app is bundled: its programs, and its worker threads.
 * @param {string} root
 * @param {string} app
 * @param {(file: string) => boolean} isWanted for the name of a file of its `src` or `src/commands`
 */
export function entryPointsOf(root, app, isWanted) {
  const built = join(root, 'dist/apps');
  const programs = ['src', 'src/commands']
    .map((folder) => join(built, app, folder))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder).map((file) => join(folder, file)))
    .filter((file) => isWanted(basename(file)))
    .map((file) => ({ in: file, out: join(app, basename(file, '.js')) }));
  return [...programs, ...findEntries(built, app, '.worker.js')];
}

/**
 * The compiled modules of ours that bundles were made from. Those of which nothing is left in a bundle are among them, as a list of exports
 * is: a change of it can change what is.
 * @param {string} root
 * @param {Metafile} metafile
 * @param {string} folder of bundles
 * @returns {string[]} `dist/…`
 */
export function ownInputsOf(root, metafile, folder) {
  const entryPoints = Object.entries(metafile.outputs)
    .filter(([file]) => join(root, file).startsWith(`${folder}${sep}`))
    .flatMap(([, { entryPoint }]) => entryPoint ?? []);
  const inputs = new Set(entryPoints);
  // A set hands out what is added while it is walked through.
  for (const file of inputs)
    for (const { path, external } of metafile.inputs[file]?.imports ?? []) if (!external) inputs.add(path);
  return [...inputs].filter((file) => file.startsWith('dist/')).sort();
}

/**
 * Modules that are bundled among the assets: those of browsers, and those of worker threads, where `import.meta.url` of the module that
 * starts one leads.
 * @param {string} built
 * @param {string} app
 * @param {string} suffix
 */
const findEntries = (built, app, suffix) =>
  readdirSync(join(built, app), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(suffix))
    .map((file) => ({
      in: join(built, app, file),
      out: join(app, 'assets/apps', app, file.replace(/\.js$/, '')),
    }));

/**
 * Bundles each module `<name>.vendor.js` for browsers with the package that it re-exports, and replaces its copy among the assets.
 * Other modules for browsers import it by its relative path and are served as they are.
 * @param {string} root
 * @param {string[]} present
 * @param {string} outdir
 * @returns {Promise<string[]>} the files that went into the bundles
 */
export async function bundleForBrowsers(root, present, outdir) {
  const { build } = await import('esbuild');
  const entryPoints = present.flatMap((app) => findEntries(join(root, 'dist/apps'), app, '.vendor.js'));
  if (entryPoints.length === 0) return [];
  const { metafile } = await build({
    entryPoints,
    outdir,
    absWorkingDir: root,
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    // A licence asks to be kept in each copy.
    legalComments: 'inline',
    logLevel: 'error',
    metafile: true,
  });
  return Object.keys(metafile.inputs);
}

/**
 * @param {string} root
 * @param {{ in: string, out: string }[]} entryPoints files, and their names in the folder of the bundles, without `.js`
 * @param {string} outdir
 * @param {{ alias?: Record<string, string> }} [more] paths of modules that only these entry points import
 * @returns {Promise<import('esbuild').Metafile>} says which files went into which bundle
 */
export async function bundleEntries(root, entryPoints, outdir, { alias = {} } = {}) {
  // The compiler is gone in seconds: collecting its garbage often costs a quarter of them.
  process.env.GOGC ??= '400';
  // Loaded late: `npm start` installs it first.
  const { build } = await import('esbuild');
  const options = bundleOptions(root, entryPoints, outdir);
  const { metafile } = await build({ ...options, alias: { ...options.alias, ...alias } });
  replaceBundles(root, metafile);
  return metafile;
}

/** Writes the loaders of bundles that esbuild has written. @param {string} root @param {Metafile} metafile */
export function replaceBundles(root, metafile) {
  for (const [file, { entryPoint }] of Object.entries(metafile.outputs))
    if (entryPoint !== undefined) replaceBundle(join(root, file));
}

/**
 * What esbuild is told to bundle for Node.
 * @param {string} root
 * @param {{ in: string, out: string }[]} entryPoints
 * @param {string} outdir
 * @returns {import('esbuild').BuildOptions & { metafile: true }}
 */
export function bundleOptions(root, entryPoints, outdir) {
  return {
    entryPoints,
    outdir,
    absWorkingDir: root,
    // Images are built without tsconfig.json: with it, bundles would differ by a directive.
    tsconfigRaw: '{}',
    bundle: true,
    // V8 caches compiled scripts, and no compiled modules in Node 20.
    format: 'cjs',
    outExtension: { '.js': '.cjs' },
    entryNames: '[dir]/[name]-[hash]',
    define: {
      'import.meta.dirname': '__dirname',
      'import.meta.url': '__moduleUrl',
      navigator: '__navigator',
    },
    platform: 'node',
    target: 'node20',
    // esbuild would define the name of each closure whenever one is created: a third of the time of a request. Classes
    // keep their names, because swc writes them as expressions with a name of their own.
    keepNames: false,
    // jsonc-parser's `main` is UMD, which cannot be bundled.
    mainFields: ['module', 'main'],
    // A script from V8's cache cannot import at run time: what packages import late is required.
    supported: { 'dynamic-import': false },
    // depd's build for Node asks for the line of its caller, and V8 then counts the lines of the whole bundle: 13 ms of
    // each start.
    alias: { depd: 'depd/lib/browser/index.js' },
    external: [...EXTERNAL_PACKAGES, ...UNUSED_PEERS],
    banner: { js: BANNER },
    footer: { js: FOOTER },
    // Node keeps the text of a bundle: without indentation it is a third shorter, 2.7 to 4.3 MB of each app. Names stay, for stack traces. Lines
    // stay short, because Node prints the line of an uncaught error.
    minifyWhitespace: true,
    lineLimit: 200,
    sourcemap: 'linked',
    sourcesContent: false,
    legalComments: 'none',
    logLevel: 'error',
    metafile: true,
    plugins: [ownModules(root), unusedModules],
  };
}

/** Writes the loader of a bundle, and removes earlier bundles of that name. @param {string} file `<folder>/<name>-<hash>.cjs` */
function replaceBundle(file) {
  const folder = dirname(file);
  const name = basename(file).replace(/-[A-Z0-9]{8}\.cjs$/, '');
  const loader = readFileSync(join(import.meta.dirname, 'bundle-loader.mjs'), 'utf8');
  writeFileSync(join(folder, `${name}.js`), loader.replace('BUNDLE', basename(file)));
  for (const other of readdirSync(folder))
    if (/-[A-Z0-9]{8}\.cjs/.test(other) && other.startsWith(`${name}-`) && !other.startsWith(basename(file)))
      rmSync(join(folder, other));
}

/**
 * Changes with anything that goes into a bundle: compiled code, assets, installed packages, and this file.
 * @param {string} root
 */
function fingerprintOf(root) {
  const hash = createHash('sha256');
  /** @param {string} file */
  const add = (file) => hash.update(file).update(readFileSync(join(root, file)));
  for (const folder of ['dist/apps', 'dist/libs', 'dist/docs', 'dist/clients'])
    for (const name of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).sort())
      if (/\.\w+$/.test(name) && !name.endsWith('.map')) add(join(folder, name));
  const others = ['package-lock.json', 'libs/chain/ethers-stand-in/index.js'];
  for (const file of [...others, 'scripts/build/bundle.mjs', 'scripts/build/bundle-loader.mjs']) add(file);
  return hash.digest('hex');
}

/**
 * swc takes Express' types Request and Response in metadata of decorators for globals, and reading those loads all of
 * fetch: 30 ms of each start on Node 20.
 */
const GLOBALS_IN_METADATA = /typeof (Request|Response) === "undefined" \? Object : \1\b/g;

/**
 * Lets `import.meta.dirname` and `import.meta.url` of a module find its own folder, whose assets are copied along, and keeps metadata from
 * reading globals.
 * @param {string} root
 * @returns {Plugin}
 */
function ownModules(root) {
  const dist = join(root, 'dist');
  return {
    name: 'own-modules',
    setup({ onLoad }) {
      onLoad({ filter: /[\\/]dist[\\/](apps|libs)[\\/].*\.js$/ }, ({ path }) => {
        const contents = readFileSync(path, 'utf8').replaceAll(GLOBALS_IN_METADATA, 'Object');
        if (!contents.includes('import.meta.')) return { contents };
        const file = `assets/${relative(dist, path).split(sep).join('/')}`;
        return {
          contents: contents
            .replaceAll(
              'import.meta.dirname',
              `(import.meta.dirname + ${JSON.stringify(`/${dirname(file)}`)})`,
            )
            .replaceAll('import.meta.url', `new URL(${JSON.stringify(file)}, import.meta.url).href`),
        };
      });
    },
  };
}

/**
 * Empties modules that TypeORM requires and nothing here uses: a megabyte of each bundle, and what V8 keeps of its functions.
 * @type {Plugin}
 */
const unusedModules = {
  name: 'unused-modules',
  setup({ onLoad }) {
    // Drivers for other databases. undefined leaves a module as it is.
    onLoad({ filter: /[\\/]typeorm[\\/]driver[\\/][\w-]+[\\/]\w+Driver\.js$/ }, ({ path }) =>
      basename(path) === 'PostgresDriver.js' ? undefined : { contents: 'module.exports = {};' },
    );
  },
};

/** Folders of `dist` with files that an app reads; the gateway serves the documents and the typed client. @param {string} app */
const assetFoldersOf = (app) => [
  join('apps', app),
  'libs',
  ...(app === 'gateway' ? ['docs', 'clients'] : []),
];

/**
 * Copies what modules read from their own folders: whatever was copied and not compiled, and scripts for browsers.
 * @param {string} root
 * @param {string[]} folders of `dist`
 * @param {string} bundleFolder
 */
export function copyAssets(root, folders, bundleFolder) {
  const dist = join(root, 'dist');
  const target = join(bundleFolder, 'assets');
  rmSync(target, { recursive: true, force: true });
  for (const folder of folders)
    for (const name of readdirSync(join(dist, folder), { recursive: true, encoding: 'utf8' })) {
      const file = join(folder, name);
      if (isAsset(file)) copyAsset(root, file, bundleFolder);
    }
}

/**
 * Whether a file of `dist` is read at run time, as templates and scripts for browsers are, and not bundled.
 * @param {string} file
 */
export function isAsset(file) {
  const isCode = /\.(js|map)$/.test(file) && !file.includes(`${sep}browser${sep}`);
  return !isCode && /\.\w+$/.test(file);
}

/** @param {string} root @param {string} file of `dist`, without that folder @param {string} bundleFolder */
export function copyAsset(root, file, bundleFolder) {
  const target = join(bundleFolder, 'assets', file);
  mkdirSync(dirname(target), { recursive: true });
  cpSync(join(root, 'dist', file), target);
}

/**
 * @param {string} root
 * @param {string[]} inputs files of a bundle
 * @returns {string} the licence of every package among them
 */
function licences(root, inputs) {
  const folders = new Set(
    inputs.flatMap((file) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? []),
  );
  return [...folders]
    .sort()
    .map((folder) => licenceOf(join(root, folder)))
    .join('\n');
}

/** @typedef {{ name: string, version: string, license?: string }} Manifest of a package */

/** @param {string} folder */
function licenceOf(folder) {
  const {
    name,
    version,
    license = 'see its repository',
  } = /** @type {Manifest} */ (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')));
  const file = readdirSync(folder).find((entry) => /^(licen[cs]e|copying)/i.test(entry));
  const text = file === undefined ? '' : readFileSync(join(folder, file), 'utf8');
  return `== ${name} ${version} (${license})\n\n${text}\n`;
}
