import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { local, root } from '../build/project.mjs';
import { findProgram } from '../tests/test-programs.mjs';
import { buildImages } from './build-images.mjs';
import { buildStandInBase, STAND_IN_BASE } from './stand-in-base.mjs';

/** The gateway has everything that an image can have: assets, and packages that cannot be bundled. */
const TARGET = 'gateway';

/**
 * Builds the image of one app on a stand-in of its base, mounts it, and removes it in the end.
 * @param {{ children: import('../processes/children.mjs').Children, progress: import('../processes/progress.mjs').Progress }} tools
 * @param {NodeJS.ProcessEnv} env
 * @param {(more: { TEST_IMAGE?: string, TEST_IMAGE_ROOT?: string }) => Promise<void>} work is done without an image where it cannot be built
 */
export async function withImage({ children, progress }, env, work) {
  if (findProgram('buildah') === undefined) return work({});
  const storage = mkdtempSync(join(tmpdir(), 'gatehouse-images-'));
  const buildah = { ...env, ...configureStorage(storage), BUILDAH_ISOLATION: 'chroot' };
  /** @param {string[]} args of buildah */
  const run = (...args) => execFileSync('buildah', args, { env: buildah, encoding: 'utf8' }).trim();
  try {
    await progress.step('Base image', () => buildStandInBase(children, buildah));
    await progress.step(`Image of ${TARGET}`, () =>
      buildImages(children, root, {
        tool: 'buildah',
        targets: [TARGET],
        tag: 'under-test',
        nodeImage: STAND_IN_BASE,
        env: buildah,
      }),
    );
    const container = run('from', `gatehouse/${TARGET}:under-test`);
    const inspected = join(storage, 'image.json');
    writeFileSync(inspected, run('inspect', '--type', 'image', `gatehouse/${TARGET}:under-test`));
    await work({ TEST_IMAGE: inspected, TEST_IMAGE_ROOT: run('mount', container) });
  } finally {
    run('umount', '--all');
    run('rm', '--all');
    rmSync(storage, { recursive: true, force: true });
  }
}

/**
 * Keeps images and containers apart from those of the machine.
 * @param {string} folder
 * @returns {NodeJS.ProcessEnv}
 */
function configureStorage(folder) {
  mkdirSync(local, { recursive: true });
  const file = join(folder, 'storage.conf');
  const [graphroot, runroot] = [join(folder, 'storage'), join(folder, 'run')];
  writeFileSync(file, `[storage]\ndriver = "overlay"\ngraphroot = "${graphroot}"\nrunroot = "${runroot}"\n`);
  return { CONTAINERS_STORAGE_CONF: file, STORAGE_DRIVER: 'overlay' };
}
