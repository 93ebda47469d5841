import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { root } from '../../scripts/build/project.mjs';

const IGNORED_FOLDERS = ['node_modules', 'dist', 'coverage'];

export const read = (file: string): string => readFileSync(join(root, file), 'utf8');

/** Files of the project with one of these extensions, outside of folders that are generated or hidden. */
export function listFiles(extensions: string[], folder = ''): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory())
      return entry.name.startsWith('.') || IGNORED_FOLDERS.includes(entry.name)
        ? []
        : listFiles(extensions, path);
    return extensions.includes(extname(entry.name)) ? [path] : [];
  });
}
