import { localEnvironment } from './local/local-environment.mjs';
import { migrate } from './local/migrations.mjs';
import { root } from './local/project.mjs';
import { runTool } from './local/tool.mjs';

process.exitCode = await runTool((children) =>
  migrate(children, root, localEnvironment().DATABASE_URL ?? ''),
);
