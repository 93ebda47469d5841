// Smoke on Node 24, the line of the images: the OpenAPI document is the same, and the suite starts and answers the demo's requests.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../build/project.mjs';
import { runTool } from '../processes/tool.mjs';
import { installTool } from '../build/tools.mjs';

const STEPS = [
  ['scripts/commands/build.mjs'],
  ['scripts/commands/contract.mjs', '--check'],
  [
    'scripts/commands/test.mjs',
    '--no-unit',
    'test/start/start-and-stop.e2e-spec.ts',
    'test/gateway/document.e2e-spec.ts',
    '--testNamePattern=curl lines|OpenAPI document',
  ],
];

process.exitCode = await runTool(async (children) => {
  process.chdir(root);
  const folder = await installTool(children, 'node-24');
  const bin = join(folder, `node_modules/node-${process.platform}-${process.arch}/bin`);
  if (!existsSync(bin)) throw new Error(`npm has this Node 24 for Linux only, not for ${process.platform}.`);
  // CI is unset, because the tests that the pattern leaves out would count as failures.
  const env = { ...process.env, CI: '', PATH: `${bin}:${process.env.PATH}` };
  for (const args of STEPS) if (!(await children.runShown('node-24', join(bin, 'node'), args, env))) return 1;
  return 0;
});
