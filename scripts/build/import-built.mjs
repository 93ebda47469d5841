import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './project.mjs';

/**
 * Imports a compiled module. Who checks types has its source, and no build: callers say the type of the source.
 * @param {string} file of `dist`
 * @returns {Promise<unknown>}
 */
export const importBuilt = (file) => import(pathToFileURL(join(root, 'dist', file)).href);
