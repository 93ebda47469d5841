import { execFile, spawnSync } from 'node:child_process';
import { constants } from 'node:fs';
import { chmod, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pathOf } from './needs.js';

const run = promisify(execFile);
/** Sizes from large to small, so that the last page is taken, too. */
const CHUNKS = [2 ** 20, 2 ** 12];

/** A file system of a test's own, in memory, which it can fill. Needs `describeWithTmpfs`. */
export class SmallDisk {
  private readonly unmountAtExit = () => spawnSync('umount', ['--lazy', this.folder]);

  private constructor(readonly folder: string) {
    process.once('exit', this.unmountAtExit);
  }

  static async mount(mebibytes: number): Promise<SmallDisk> {
    const folder = await mkdtemp(join(tmpdir(), 'gatehouse-disk-'));
    await run(pathOf('tmpfs'), ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', folder]);
    await chmod(folder, 0o755); // other users walk through
    return new SmallDisk(folder);
  }

  /** Takes all that is left. */
  async fill(): Promise<void> {
    const file = await open(this.filler, constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND);
    try {
      for (const size of CHUNKS) while (await hasRoom(() => file.writeFile(Buffer.alloc(size))));
    } finally {
      await file.close();
    }
  }

  makeRoom(): Promise<void> {
    return rm(this.filler, { force: true });
  }

  async unmount(): Promise<void> {
    process.off('exit', this.unmountAtExit);
    await run('umount', ['--lazy', this.folder]);
    await rm(this.folder, { recursive: true });
  }

  private get filler(): string {
    return join(this.folder, 'filler');
  }
}

async function hasRoom(write: () => Promise<void>): Promise<boolean> {
  try {
    await write();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return false;
    throw error;
  }
}
