import { readdirSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { isBuilt } from './compile-source.mjs';

const FOLDERS = ['apps', 'libs'];

/**
 * Finds the sources that were changed, added or removed since it looked last.
 * @param {string} root
 */
export function createSourceScan(root) {
  let known = scan(root);
  return {
    /** @returns {string[]} `apps/…` and `libs/…` */
    findChanges() {
      const now = scan(root);
      const changed = [...now].filter(([file, version]) => known.get(file) !== version).map(([file]) => file);
      const removed = [...known.keys()].filter((file) => !now.has(file));
      known = now;
      return [...changed, ...removed];
    },
  };
}

/** @param {string} root @returns {Map<string, string>} what tells two versions of each built source apart */
function scan(root) {
  /** @type {Map<string, string>} */
  const versions = new Map();
  for (const folder of FOLDERS)
    for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      const file = relative(root, path);
      if (!entry.isFile() || !isBuilt(file)) continue;
      // An editor may replace a file between the two calls: the next look finds it.
      const stat = statSync(path, { throwIfNoEntry: false });
      if (stat !== undefined) versions.set(file, `${stat.mtimeMs} ${stat.size} ${stat.ino}`);
    }
  return versions;
}
