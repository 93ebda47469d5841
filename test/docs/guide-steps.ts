import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { pathOf } from '../support/needs.js';

const GUIDE_TIMEOUT_MS = 120_000;

/** What a reader has: Node, curl and a few tools of every Unix. jq, Python and psql are not among them. */
const TOOLS_OF_READERS = [
  'bash',
  'cat',
  'cp',
  'curl',
  'env',
  'grep',
  'head',
  'mkdir',
  'node',
  'npm',
  'rm',
  'sed',
  'sh',
  'sleep',
  'uname',
  'wc',
];
/** Linux refuses an argument above 128 KiB. Responses go through a pipe or a file, also those that are short here. */
const MAX_ARGUMENT_CHARACTERS = 4_096;

/** Commands of a page, and the last line of output that the comment after them shows. */
export interface GuideStep {
  commands: string;
  expected?: string;
}

/** Runs one line of a shell that calls curl. @returns what it prints */
export async function runCurl(line: string): Promise<string> {
  pathOf('curl');
  const { stdout } = await promisify(execFile)('bash', ['-c', line], { timeout: 120_000 });
  return stdout;
}

/**
 * Splits the `sh` blocks of a page after each line that is a comment: the output of the commands before it. A `js` block that begins with
 * the name of a file, as `// check.mjs`, is a file that readers write.
 */
export function readGuideSteps(page: string): GuideStep[] {
  return [...page.matchAll(/^```(sh|js)\n([\s\S]*?)^```/gm)].flatMap(([, language, block = '']) => {
    const name = /^\/\/ ([\w-]+\.mjs)\n/.exec(block)?.[1];
    if (language === 'js')
      return name === undefined ? [] : [{ commands: `cat > ${name} <<'END_OF_FILE'\n${block}END_OF_FILE\n` }];
    const parts = block.split(/^# (.+)\n/m);
    const steps: GuideStep[] = [];
    for (let at = 0; at < parts.length; at += 2)
      steps.push({ commands: parts[at] ?? '', expected: parts[at + 1] });
    return steps.filter(({ commands }) => commands.trim() !== '');
  });
}

function findProgram(name: string): string {
  const folders = process.env.PATH?.split(delimiter) ?? [];
  const path = folders.map((folder) => join(folder, name)).find((candidate) => existsSync(candidate));
  if (path === undefined) throw new Error(`${name} is not installed.`);
  return path;
}

/**
 * Runs the steps in one shell that ends at the first command that fails; `curl` fails on an error status, too. There are only the tools
 * that readers have, and no command gets an argument as long as a response can be.
 * @returns the last line of output of each step
 * @throws Error with the failed step and what it printed
 */
export async function runGuideSteps(steps: readonly GuideStep[], cwd: string): Promise<string[]> {
  pathOf('curl');
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-guide-'));
  const output = (at: number): string => join(folder, `${String(at)}.out`);
  const script = [
    'set -eo pipefail',
    `checked() {
      local argument
      for argument in "$@"; do
        [ "\${#argument}" -le ${String(MAX_ARGUMENT_CHARACTERS)} ] && continue
        echo "$1 got an argument of \${#argument} characters. Use a pipe or a file." >&2
        return 1
      done
      command "$@"
    }`,
    'curl() { checked curl --fail-with-body --max-time 30 "$@"; }',
    'node() { checked node "$@"; }',
    'npm() { checked npm "$@"; }',
    ...steps.map(
      ({ commands }, at) => `printf ${String(at)} >'${folder}/current'\n{\n${commands}\n} >'${output(at)}'`,
    ),
  ].join('\n');
  const tools = join(folder, 'bin');
  mkdirSync(tools);
  for (const tool of TOOLS_OF_READERS) symlinkSync(findProgram(tool), join(tools, tool));
  try {
    await promisify(execFile)('bash', ['-c', script], {
      cwd,
      env: { PATH: tools, HOME: process.env.HOME },
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
