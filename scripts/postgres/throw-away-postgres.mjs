import { chmodSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { placePostgres } from './postgres-place.mjs';
import { startPostgres } from './postgres-server.mjs';
import { freePort } from '../processes/ports.mjs';
import { throwAwayFolder } from '../processes/throw-away-folder.mjs';

/** @import { Children } from '../processes/children.mjs' */

/**
 * A server for one test run: nothing is flushed to disk, and its data goes with it.
 * @param {Children} children
 * @param {string} root
 * @returns {Promise<string>} the superuser's URL
 */
export async function startThrowAwayPostgres(children, root) {
  const folder = mkdtempSync(join(throwAwayFolder(), 'gatehouse-test-'));
  chmodSync(folder, 0o755); // the server's own user walks through to the data
  const { adminUrl } = await startPostgres({
    children,
    place: placePostgres(root, join(folder, 'postgres')),
    port: await freePort(),
    settings: ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'],
    // Each of thousands of connections would derive its key by 4,096 rounds.
    initFlags: ['--no-sync', '-c', 'scram_iterations=1'],
    removeAfter: [folder],
  });
  return adminUrl;
}
