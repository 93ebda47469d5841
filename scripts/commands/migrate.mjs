import { root } from '../build/project.mjs';
import { runTool } from '../processes/tool.mjs';
import { localEnvironment } from '../suite/local-environment.mjs';
import { defineCommand } from './define-command.mjs';

export const migrateCommand = defineCommand({
  name: 'migrate',
  summary: 'applies the migrations of every app to DATABASE_URL, or to the database of `npm start`',
  run: async () => {
    const { migrate } = await import('../postgres/migrations.mjs');
    return runTool((children) => migrate(children, root, localEnvironment().DATABASE_URL ?? ''));
  },
});
