import { execFile } from 'node:child_process';
import { createClientCommand } from '../../scripts/demo/demo-client.mjs';
import { root } from '../../scripts/build/project.mjs';

export interface CommandResult {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs the built client command, whatever its exit code. */
export function clientCommand(env: NodeJS.ProcessEnv, ...args: string[]): Promise<CommandResult> {
  return new Promise((resolve) => {
    const options = { env: { ...env, PATH: process.env.PATH }, timeout: 120_000 };
    const child = execFile(
      process.execPath,
      [createClientCommand(root), ...args],
      options,
      (_error, stdout, stderr) => {
        resolve({ code: child.exitCode ?? -1, stdout, stderr });
      },
    );
  });
}

/** Runs a command with `--json`. @throws Error unless it succeeds */
export async function clientCommandJson<T>(env: NodeJS.ProcessEnv, ...args: string[]): Promise<T> {
  const { code, stdout, stderr } = await clientCommand(env, ...args, '--json');
  if (code !== 0) throw new Error(`exit code ${code}: ${stderr}`);
  return JSON.parse(stdout) as T;
}
