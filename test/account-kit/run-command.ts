import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { bundleOf } from '../../scripts/build/bundle.mjs';
import { root } from '../../scripts/build/project.mjs';

const run = promisify(execFile);

/** Runs a command of operators of account-kit, which reads `input`. Rejects with `code` and `stderr` when it fails. */
export function runCommand(
  name: string,
  args: readonly string[],
  { env, input = '' }: { env: Record<string, string>; input?: string },
): Promise<{ stdout: string; stderr: string }> {
  const result = run(process.execPath, [bundleOf(root, 'account-kit', `${name}.command.js`), ...args], {
    env: { NODE_ENV: 'test', PATH: process.env.PATH, ...env },
  });
  // A command that reads none of it may have ended before.
  result.child.stdin?.on('error', () => undefined).end(input);
  return result;
}
