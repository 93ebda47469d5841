import { writeFile } from 'node:fs/promises';
import { pathOf } from './needs.js';

/** Makes a process read its clock through a file, in which it can be turned while it runs. */
export function clockOf(file: string): { env: Record<string, string>; turn: (by: string) => Promise<void> } {
  return {
    env: {
      LD_PRELOAD: pathOf('libfaketime'),
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      // Timers go by the monotonic clock, which is nobody's to turn.
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
    /** @param by for example `+600s`, `+0s` */
    turn: (by) => writeFile(file, `${by}\n`),
  };
}
