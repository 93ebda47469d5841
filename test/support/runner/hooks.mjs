import { readFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { transform } from '@swc/core';
import { swcOptions } from '../../../swc-options.js';

/** @import { LoadHook, ResolveHook } from 'node:module' */

const root = new URL('../../../', import.meta.url);
const GLOBALS = new URL('./jest-globals.mjs', import.meta.url).href;

/**
 * Node's hook: finds `@app/<lib>`, the TypeScript behind a `.js`, and what `@jest/globals` exports.
 * @type {ResolveHook}
 */
export const resolve = (specifier, context, next) => {
  if (specifier === '@jest/globals') return { url: GLOBALS, shortCircuit: true };
  const lib = /^@app\/(?:chain\/(?<part>[^/]+)|(?<name>[^/]+))$/.exec(specifier)?.groups;
  if (lib) {
    const folder = lib.part === undefined ? `${lib.name ?? ''}/src` : `chain/src/${lib.part}`;
    return { url: new URL(`libs/${folder}/index.ts`, root).href, shortCircuit: true };
  }
  if (/^\.{1,2}\/.*\.js$/.test(specifier) && /\.ts(\?|$)/.test(context.parentURL ?? '')) {
    const url = new URL(specifier.replace(/\.js$/, '.ts'), context.parentURL);
    if (existsSync(url)) return { url: url.href, shortCircuit: true };
  }
  return next(specifier, context);
};

/**
 * Node's hook: compiles TypeScript as jest's transformer does.
 * @type {LoadHook}
 */
export const load = async (url, context, next) => {
  const { pathname } = new URL(url);
  if (!pathname.endsWith('.ts')) return next(url, context);
  const filename = fileURLToPath(new URL(pathname, url));
  const { code } = await transform(await readFile(filename, 'utf8'), { ...swcOptions, filename });
  return { format: 'module', source: code, shortCircuit: true };
};
