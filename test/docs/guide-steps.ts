import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const GUIDE_TIMEOUT_MS = 120_000;

/** Commands of a page, and the last line of output that the comment after them shows. */
export interface GuideStep {
  commands: string;
  expected?: string;
}

/** Splits the `sh` blocks of a page after each line that is a comment: the output of the commands before it. */
export function readGuideSteps(page: string): GuideStep[] {
  return [...page.matchAll(/^```sh\n([\s\S]*?)^```/gm)].flatMap(([, block = '']) => {
    const parts = block.split(/^# (.+)\n/m);
    const steps: GuideStep[] = [];
    for (let at = 0; at < parts.length; at += 2)
      steps.push({ commands: parts[at] ?? '', expected: parts[at + 1] });
    return steps.filter(({ commands }) => commands.trim() !== '');
  });
}

/**
 * Runs the steps in one shell that ends at the first command that fails; `curl` fails on an error status, too.
 * @returns the last line of output of each step
 * @throws Error with the failed step and what it printed
 */
export async function runGuideSteps(steps: readonly GuideStep[], cwd: string): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-guide-'));
  const output = (at: number): string => join(folder, `${String(at)}.out`);
  const script = [
    'set -eo pipefail',
    'curl() { command curl --fail-with-body --max-time 30 "$@"; }',
    ...steps.map(
      ({ commands }, at) => `printf ${String(at)} >'${folder}/current'\n{\n${commands}\n} >'${output(at)}'`,
    ),
  ].join('\n');
  const { PATH, HOME } = process.env;
  try {
    await promisify(execFile)('bash', ['-c', script], {
      cwd,
      env: { PATH, HOME },
      timeout: GUIDE_TIMEOUT_MS,
    });
    return steps.map((_, at) => readFileSync(output(at), 'utf8').trim().split('\n').at(-1) ?? '');
  } catch (error) {
    const at = Number(readFileSync(join(folder, 'current'), 'utf8'));
    const { stderr } = error as { stderr?: string };
    const printed = readFileSync(output(at), 'utf8');
    throw new Error(
      `This step failed:\n${steps[at]?.commands ?? ''}\n${printed}\n${stderr ?? String(error)}`,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Whether output is what a comment shows, in which `…` stands for any text. */
export function matchesExpected(output: string, expected: string): boolean {
  const parts = expected.split('…').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join('.*')}$`).test(output);
}
