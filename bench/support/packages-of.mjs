import { readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, resolve } from 'node:path';

/** Imports as the compiler writes them: one to a line. */
const STATIC_IMPORT = /^(?:import|export)\b(?:[^'"=(]*\bfrom)?\s*['"]([^'"]+)['"];?$/gm;
const builtins = new Set(builtinModules);

/**
 * The packages that a built file loads at start, through all the files of ours that it imports.
 * @param {string} entry
 */
export function packagesOf(entry) {
  /** @type {Set<string>} */
  const packages = new Set();
  /** @type {Set<string>} */
  const seen = new Set();
  const open = [entry];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (seen.has(file)) continue;
    seen.add(file);
    for (const [, specifier = ''] of readFileSync(file, 'utf8').matchAll(STATIC_IMPORT)) {
      if (specifier.startsWith('.')) open.push(resolve(dirname(file), specifier));
      else if (!specifier.startsWith('node:') && !builtins.has(specifier)) packages.add(specifier);
    }
  }
  return [...packages].sort();
}
