import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { forgetBuild } from './build.mjs';
import {
  bundleForBrowsers,
  bundleOptions,
  copyAsset,
  entryPointsOf,
  isAsset,
  ownInputsOf,
  readAppInputs,
  replaceBundles,
} from './bundle.mjs';
import { messageOf } from '../processes/error-facts.mjs';
import { builtFileOf, compileSource } from './compile-source.mjs';

/** @import { BuildContext } from 'esbuild' */
/** @import { Message } from 'esbuild' */

/**
 * What a restart runs: the app itself. Its commands are bundled by the next whole build.
 * @param {string} file
 */
const isApp = (file) => file === 'main.js';

/**
 * Rebuilds what changed. Keeps esbuild's state of each app that was bundled once, so that the next time takes a third as long.
 * @param {string} root
 */
export function createRebuilder(root) {
  const outdir = join(root, 'dist/bundles');
  const inputs = readAppInputs(root);
  /** @type {Map<string, BuildContext<{ metafile: true }>>} */
  const contexts = new Map();
  /** @type {Set<string>} sources that could not be compiled: each change tries them again */
  const broken = new Set();
  let isForgotten = false;

  return {
    /**
     * Compiles sources to `dist`, and removes there what has no source any more.
     * @param {string[]} changed
     * @returns {Promise<string | undefined>} what does not compile and why, undefined when all does
     */
    async compile(changed) {
      if (!isForgotten) forgetBuild(root);
      isForgotten = true;
      const problems = [];
      for (const file of new Set([...broken, ...changed])) {
        broken.delete(file);
        const problem = await tryTo(() => compileOrRemove(file));
        if (problem === undefined) continue;
        broken.add(file);
        problems.push(`${file}\n${problem}`);
      }
      return problems.length > 0 ? problems.join('\n') : undefined;
    },

    /**
     * @param {string} app
     * @param {string[]} changed
     * @returns {boolean} whether an app must be restarted after these sources have changed
     */
    isAffected: (app, changed) => changed.some((file) => isPartOf(app, file)),

    /**
     * Bundles an app with its worker threads, and copies its assets.
     * @param {string} app
     * @returns {Promise<string | undefined>} why that is not possible
     */
    async bundle(app) {
      return tryTo(async () => {
        const context = await contextOf(app);
        const { metafile } = await context.rebuild();
        replaceBundles(root, metafile);
        inputs[app] = ownInputsOf(root, metafile, join(outdir, app));
        await bundleForBrowsers(root, [app], outdir);
      });
    },

    end() {
      for (const context of contexts.values()) void context.dispose();
    },
  };

  /**
   * What no bundle names (a list of exports, a new file, an asset) concerns every app that holds something of its lib.
   * @param {string} app
   * @param {string} file
   */
  function isPartOf(app, file) {
    const [kind = '', name = ''] = file.split('/');
    if (kind === 'apps') return name === app;
    const built = builtFileOf(file);
    const isNamed = Object.values(inputs).some((ofApp) => ofApp.includes(built));
    return (inputs[app] ?? []).some((input) =>
      isNamed ? input === built : input.startsWith(`dist/libs/${name}/`),
    );
  }

  /** @param {string} app */
  async function contextOf(app) {
    const known = contexts.get(app);
    if (known !== undefined) return known;
    const { context } = await import('esbuild');
    const options = bundleOptions(root, entryPointsOf(root, app, isApp), outdir);
    const made = await context({ ...options, logLevel: 'silent' });
    contexts.set(app, made);
    return made;
  }

  /** @param {string} file */
  async function compileOrRemove(file) {
    const target = builtFileOf(file);
    if (existsSync(join(root, file))) {
      mkdirSync(dirname(join(root, target)), { recursive: true });
      await compileSource(root, file);
    } else {
      rmSync(join(root, target), { force: true });
      rmSync(join(root, `${target}.map`), { force: true });
    }
    const built = target.slice('dist/'.length);
    // A module for browsers that is bundled has its bundle among the assets.
    if (!isAsset(built) || built.endsWith('.vendor.js') || !existsSync(join(root, target))) return;
    for (const app of Object.keys(inputs))
      if (built.startsWith('libs/') || built.startsWith(`apps/${app}/`))
        copyAsset(root, built, join(outdir, app));
  }
}

/** @param {() => Promise<void>} work @returns {Promise<string | undefined>} the message of the error */
async function tryTo(work) {
  try {
    await work();
    return undefined;
  } catch (error) {
    const { errors = [] } = /** @type {{ errors?: Message[] }} */ (error);
    // What swc adds after this line is a stack of its own.
    if (errors.length === 0) return (messageOf(error).split('\n\nCaused by:')[0] ?? '').trimEnd();
    return errors
      .map(({ text, location }) => (location ? `${sourceOf(location.file)}: ${text}` : text))
      .join('\n');
  }
}

/** The source of a compiled module of ours. @param {string} file */
const sourceOf = (file) => file.replace(/^dist\/(.*)\.js$/, '$1.ts');
