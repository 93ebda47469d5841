import { localEnvironment } from '../suite/local-environment.mjs';
import { migrate } from '../postgres/migrations.mjs';
import { root } from '../build/project.mjs';
import { runTool } from '../processes/tool.mjs';

process.exitCode = await runTool((children) =>
  migrate(children, root, localEnvironment().DATABASE_URL ?? ''),
);
