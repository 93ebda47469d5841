import { build, compile } from './local/build.mjs';
import { root } from './local/project.mjs';
import { runTool } from './local/tool.mjs';

process.exitCode = await runTool((children) =>
  // Making the OpenAPI document needs no bundles.
  (process.argv.includes('--no-bundles') ? compile : build)(children, root),
);
