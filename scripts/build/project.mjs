import { chmodSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The folders of the project and of what it keeps between runs. */
export const root = resolve(import.meta.dirname, '../..');
export const local = join(root, '.local');
export const logs = join(local, 'logs');

/**
 * Makes `.local`. Nobody else may list it; root must let PostgreSQL's user walk through it to its own folder,
 * and every secret in it is readable by its owner only.
 */
export function ensureLocal() {
  mkdirSync(logs, { recursive: true });
  chmodSync(local, process.getuid?.() === 0 ? 0o711 : 0o700);
  chmodSync(logs, 0o700);
}
