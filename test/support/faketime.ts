import { existsSync, readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The installed libfaketime (Debian: package `libfaketime`); undefined where there is none. */
export const faketimeLibrary = readdirSync('/usr/lib')
  .map((folder) => join('/usr/lib', folder, 'faketime/libfaketime.so.1'))
  .find((file) => existsSync(file));

/** Whether tests that turn a clock run: where it is not installed they are left out, but in CI they fail. */
export const hasFaketime = faketimeLibrary !== undefined || Boolean(process.env.CI);

/** Makes a process read its clock through a file, in which it can be turned while it runs. */
export function clockOf(file: string): { env: Record<string, string>; turn: (by: string) => Promise<void> } {
  return {
    env: {
      LD_PRELOAD: faketimeLibrary ?? '/libfaketime is not installed',
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      // Timers go by the monotonic clock, which is nobody's to turn.
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
    /** @param by for example `+600s`, `+0s` */
    turn: (by) => writeFile(file, `${by}\n`),
  };
}
