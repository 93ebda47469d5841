import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { collectImages } from './collect-images.mjs';

/**
 * Writes the list of packages of each image beside it, as `<target>.cdx.json`. It is the one in the image, because the same
 * sources make the same bundles.
 * @param {string} root with a finished build
 * @param {string[]} targets of docker/Dockerfile
 * @param {string} folder
 * @returns {string[]} the files
 */
export function writeSboms(root, targets, folder) {
  const collected = mkdtempSync(join(tmpdir(), 'gatehouse-sboms-'));
  try {
    collectImages(root, collected);
    mkdirSync(folder, { recursive: true });
    return targets.map((target) => {
      const file = join(folder, `${target}.cdx.json`);
      copyFileSync(join(collected, target, 'sbom.cdx.json'), file);
      return file;
    });
  } finally {
    rmSync(collected, { recursive: true });
  }
}
