import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Writes files that only their owner may read, all or none: one that exists is never replaced.
 * @param {Record<string, string>} texts by path
 */
export function writeNewFiles(texts) {
  const existing = Object.keys(texts).filter((file) => existsSync(file));
  if (existing.length > 0)
    throw new Error(
      `${existing.join(', ')}: there already, and left as it is, because lost keys cannot be made again`,
    );
  for (const [file, text] of Object.entries(texts)) {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, text, { mode: 0o600, flag: 'wx' });
  }
}
