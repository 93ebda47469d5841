// Tools on demand (scripts/build/tools.mjs): fetches those that are named, or all with --all. The packages of examples are fetched alike. `--lock` writes the lock file of a
// tool whose package.json was changed.
import { runTool } from '../processes/tool.mjs';
import { EXAMPLES, findTool, installTool, listTools } from '../build/tools.mjs';
import { join } from 'node:path';
import { root } from '../build/project.mjs';

/** @import { Children } from '../processes/children.mjs' */

const args = process.argv.slice(2);
const all = [...listTools(), ...EXAMPLES];
const names = args.includes('--all') ? all : args.filter((arg) => !arg.startsWith('--'));
const unknown = names.filter((name) => !all.includes(name));
if (names.length === 0 || unknown.length > 0) {
  for (const name of unknown) process.stderr.write(`There is no tool ${name}.\n`);
  process.stderr.write(`Usage: npm run tools -- <name> … | --all\n`);
  for (const name of all)
    process.stderr.write(`  ${name}${findTool(name) === undefined ? '' : ' (installed)'}\n`);
  process.exit(names.length === 0 && args.length === 0 ? 0 : 1);
}

process.exit(
  await runTool(async (children) => {
    for (const name of names)
      if (args.includes('--lock')) await writeLock(children, name);
      else process.stdout.write(`${name}: ${await installTool(children, name)}\n`);
  }),
);

/** @param {Children} children @param {string} name */
function writeLock(children, name) {
  const options = ['--ignore-scripts', '--omit-lockfile-registry-resolved=false', '--no-audit', '--no-fund'];
  const order = { cwd: join(root, EXAMPLES.includes(name) ? 'examples' : 'scripts/tools', name) };
  return children.run(`npm-lock-${name}`, 'npm', ['install', '--package-lock-only', ...options], { order });
}
