import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { migrateCommands } from '../../scripts/postgres/migrations.mjs';
import { root } from '../../scripts/build/project.mjs';
import { freshDatabase } from '../support/fresh-database.js';

const run = promisify(execFile);

describe('migrate', () => {
  it.each(migrateCommands(root))(
    'T17: migrate of $app: applies once when two run at once, and both succeed',
    async ({ file }) => {
      const database = await freshDatabase();
      const env = { DATABASE_URL: database.url, PATH: process.env.PATH };
      const migrate = async () => (await run(process.execPath, [file], { env, timeout: 120_000 })).stdout;
      const outputs = (await Promise.all([migrate(), migrate()])).sort();
      expect(outputs).toEqual([
        expect.stringMatching(/^[\w-]+: applied \S+/),
        expect.stringMatching(/^[\w-]+: nothing to apply\n$/),
      ]);
      expect(await migrate()).toBe(outputs[1]);
      await database.drop();
    },
  );
});
