import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleEntries, copyAssets } from '../../scripts/local/bundle.mjs';
import { root } from '../../scripts/local/project.mjs';

let bundled: Promise<string> | undefined;

/** @returns the path of test-app.mjs as one file, which starts in a quarter of the time; made once per process */
export function bundledTestApp(): Promise<string> {
  return (bundled ??= bundle());
}

async function bundle(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-test-app-'));
  process.once('exit', () => {
    rmSync(folder, { recursive: true, force: true });
  });
  await bundleEntries(root, [{ in: join(root, 'test/queues/test-app.mjs'), out: 'test-app' }], folder);
  copyAssets(root, ['libs'], folder);
  return join(folder, 'test-app.js');
}
