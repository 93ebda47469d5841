import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../build/project.mjs';

const BASELINE = 'test/upgrade/previous-release';

/**
 * Builds the commit of BASELINE in a working tree of its own, with its own packages and its own build, and removes the tree in the end.
 * @param {{ children: import('../processes/children.mjs').Children, progress: import('../processes/progress.mjs').Progress }} tools
 * @param {(env: { TEST_PREVIOUS_RELEASE?: string }) => Promise<void>} work is done without it where the commit cannot be reached
 */
export async function withPreviousRelease({ children, progress }, work) {
  const commit = readFileSync(join(root, BASELINE), 'utf8').trim();
  if (!isReachable(commit)) return work({});
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-previous-'));
  const tree = join(folder, 'tree');
  try {
    git('worktree', 'add', '--detach', tree, commit);
    const order = { cwd: tree };
    // The release's install scripts bring what its own tests need; its apps run without them.
    const install = [
      'ci',
      '--include=dev',
      '--ignore-scripts',
      '--prefer-offline',
      '--no-audit',
      '--no-fund',
    ];
    await progress.step(`Packages of ${commit.slice(0, 8)}`, () =>
      children.run('previous-npm-install', 'npm', install, { order }),
    );
    await progress.step(`Build of ${commit.slice(0, 8)}`, () =>
      children.run('previous-build', 'npm', ['run', 'build'], { order }),
    );
    await work({ TEST_PREVIOUS_RELEASE: tree });
  } finally {
    rmSync(folder, { recursive: true, force: true });
    git('worktree', 'prune');
  }
}

/**
 * Whether git has a commit: it does not in a clone without its history, or in a tree without git.
 * @param {string} commit
 */
function isReachable(commit) {
  try {
    git('cat-file', '-e', `${commit}^{commit}`);
    return true;
  } catch {
    return false;
  }
}

/** @param {string[]} args */
function git(...args) {
  execFileSync('git', args, { cwd: root, stdio: 'pipe' });
}
