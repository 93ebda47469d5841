import type { ChildProcess } from 'node:child_process';

/** Kills a child at the end of the tests, whatever becomes of them. */
export function killAtExit(child: ChildProcess, signal: NodeJS.Signals): void {
  const kill = () => child.kill(signal);
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
}
