import { install } from '../build/dependencies.mjs';
import { root } from '../build/project.mjs';
import { runTool } from '../processes/tool.mjs';

process.exit(
  await runTool(async (children) => {
    await install(children, root);
  }),
);
