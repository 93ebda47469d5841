import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SECOND_MS } from '@app/common';
import { EXIT_CODES } from '@app/database';
import { CommandLineError } from '../command-line.errors.js';

const OWNER_ONLY = 0o600;
/** A holder works for some milliseconds, or for the time of one request; a lock this old was left by a killed process. */
const STALE_LOCK_MS = 60 * SECOND_MS;
const LOCK_PAUSE_MS = 50;
const MAX_LOCK_WAIT_MS = 2 * STALE_LOCK_MS;

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT';
const isTaken = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'EEXIST';

const toTemporary = (file: string): string => `${file}.${randomBytes(8).toString('hex')}`;

/** Replaces a file with secrets in one step. Only its owner may read it. */
export function writePrivateFile(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const unfinished = toTemporary(file);
  try {
    // A file that stands there already, perhaps a link of somebody else's, is not written.
    writeFileSync(unfinished, text, { mode: OWNER_ONLY, flag: 'wx' });
    renameSync(unfinished, file);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
}

/** @returns undefined where there is no such file. @throws CommandLineError where others may read it, too */
export function readPrivateFile(file: string): string | undefined {
  try {
    const { mode } = statSync(file);
    if (process.platform !== 'win32' && (mode & 0o077) !== 0)
      throw new CommandLineError(
        `${file} holds secrets, and other users of this machine may read it: chmod 600 ${file}`,
        EXIT_CODES.data,
      );
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/**
 * Runs one process after the other: whoever changes a file that several runs of the command share reads it again within the lock.
 * @throws CommandLineError where another process holds the lock for two minutes
 */
export async function withFileLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  const lock = `${file}.lock`;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const end = Date.now() + MAX_LOCK_WAIT_MS;
  const mark = `${String(process.pid)} ${randomBytes(8).toString('hex')}`;
  while (!tryLock(lock, mark)) {
    if (Date.now() > end)
      throw new CommandLineError(`Another run of the command holds ${lock}.`, EXIT_CODES.failed);
    await sleep(LOCK_PAUSE_MS);
  }
  try {
    return await work();
  } finally {
    // After a minute another process may have taken over.
    if (readPrivateFile(lock) === mark) rmSync(lock, { force: true });
  }
}

function tryLock(lock: string, mark: string): boolean {
  try {
    writeFileSync(lock, mark, { flag: 'wx', mode: OWNER_ONLY });
    return true;
  } catch (error) {
    if (!isTaken(error)) throw error;
    removeStaleLock(lock);
    return false;
  }
}

const isStale = (lock: string): boolean => Date.now() - statSync(lock).mtimeMs > STALE_LOCK_MS;

/** A single process can rename the lock. Where it has renamed the lock of a process that took over in the meantime, it gives that back. */
function removeStaleLock(lock: string): void {
  const taken = toTemporary(lock);
  try {
    if (!isStale(lock)) return;
    renameSync(lock, taken);
    if (!isStale(taken)) linkSync(taken, lock);
  } catch (error) {
    if (!isMissing(error) && !isTaken(error)) throw error;
  } finally {
    rmSync(taken, { force: true });
  }
}
