import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { codeOf } from './error-facts.mjs';

/**
 * Replaces a file in one step, so that a reader never sees half of it. Only its owner may read it.
 * @param {string} file
 * @param {string} text
 */
export function writePrivate(file, text) {
  const unfinished = `${file}.${process.pid}`;
  writeFileSync(unfinished, text, { mode: 0o600 });
  renameSync(unfinished, file);
}

/** The text of a file, undefined when there is none. @param {string} file */
export function readIfThere(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * The value kept in a JSON file, undefined when there is none; a broken file is an error that names it.
 * @template [T=unknown]
 * @param {string} file
 * @returns {T | undefined}
 */
export function readJsonIfThere(file) {
  const text = readIfThere(file);
  if (text === undefined) return undefined;
  try {
    return /** @type {T} */ (JSON.parse(text));
  } catch {
    throw new Error(`${file} is not valid JSON. Remove it, it is made anew.`);
  }
}

/** What `make()` once gave, kept in a file from then on. @param {string} file @param {() => string} make */
export function keptPrivate(file, make) {
  const kept = readIfThere(file);
  if (kept !== undefined) return kept;
  const made = make();
  writePrivate(file, made);
  return made;
}
