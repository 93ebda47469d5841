import { build } from './local/build.mjs';
import { root } from './local/project.mjs';
import { runTool } from './local/tool.mjs';

process.exitCode = await runTool((children) => build(children, root));
