import { build, compile } from '../build/build.mjs';
import { root } from '../build/project.mjs';
import { runTool } from '../processes/tool.mjs';

process.exitCode = await runTool((children) =>
  // Making the OpenAPI document needs no bundles.
  (process.argv.includes('--no-bundles') ? compile : build)(children, root),
);
