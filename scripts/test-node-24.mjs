// Smoke on Node 24, the line of the images: the OpenAPI document is the same, and the suite starts and answers the demo's requests.
import { dirname } from 'node:path';
import { installNode24 } from './local/node-24.mjs';
import { root } from './local/project.mjs';
import { runTool } from './local/tool.mjs';

const STEPS = [
  ['scripts/build.mjs'],
  ['scripts/contract.mjs', '--check'],
  [
    'scripts/test.mjs',
    '--no-unit',
    'test/start/start-and-stop.e2e-spec.ts',
    'test/gateway/document.e2e-spec.ts',
    '--testNamePattern=curl lines|OpenAPI document',
  ],
];

process.exitCode = await runTool(async (children) => {
  process.chdir(root);
  const { node } = await installNode24(children);
  // With CI set, the tests that the pattern leaves out would count as failures.
  const env = { ...process.env, CI: '', PATH: `${dirname(node)}:${process.env.PATH}` };
  for (const args of STEPS) if (!(await children.runShown('node-24', node, args, env))) return 1;
  return 0;
});
