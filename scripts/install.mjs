import { install } from './local/dependencies.mjs';
import { root } from './local/project.mjs';
import { runTool } from './local/tool.mjs';

process.exit(
  await runTool(async (children) => {
    await install(children, root);
  }),
);
