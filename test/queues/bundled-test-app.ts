import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleEntries, copyAssets } from '../../scripts/build/bundle.mjs';
import { root } from '../../scripts/build/project.mjs';
import { until } from '../support/until.js';

let bundled: Promise<string> | undefined;

/** @returns the path of test-app.mjs as one file, which starts in a quarter of the time; made once per run of the tests */
export function bundledTestApp(): Promise<string> {
  return (bundled ??= bundle());
}

/** The first of the run's processes makes it, and others wait: it takes as much processor time as several tests. */
async function bundle(): Promise<string> {
  const runFolder = process.env.TEST_RUN_FOLDER;
  if (runFolder === undefined) throw new Error('TEST_RUN_FOLDER is not set: run the tests with `npm test`.');
  const folder = join(runFolder, 'test-app');
  const mark = join(folder, 'finished');
  await until('the test app is bundled', async () => {
    if (!isNew(folder)) return existsSync(mark);
    try {
      await bundleInto(folder);
    } catch (error) {
      rmSync(folder, { recursive: true });
      throw error;
    }
    writeFileSync(mark, '');
    return true;
  });
  return join(folder, 'test-app.js');
}

/** Makes a folder. @returns whether it was not there before */
function isNew(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

async function bundleInto(folder: string): Promise<void> {
  const libs = ['database', 'outbox', 'queues', 'service'];
  await bundleEntries(root, [{ in: join(root, 'test/queues/test-app.mjs'), out: 'test-app' }], folder, {
    alias: Object.fromEntries(
      libs.map((lib) => [`@app/${lib}`, join(root, 'dist/libs', lib, 'src/index.js')]),
    ),
  });
  copyAssets(root, ['libs'], folder);
}
