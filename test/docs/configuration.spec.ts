import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { root } from '../../scripts/build/project.mjs';

const readPage = (name: string): string => readFileSync(join(root, 'docs', name), 'utf8');

const VARIABLE = '[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*(?:_<chainId>)?';

/** Rows `| variable | … | secret |` of docs/configuration.md. `npm run configuration -- --check` proves that they are true. */
const documented = [
  ...readPage('configuration.md').matchAll(new RegExp(`^\\| \`(${VARIABLE})\` \\|.*\\| (.*) \\|$`, 'gm')),
].map(([, name = '', secret = '']) => ({ name, isSecret: secret !== '' }));
const names = documented.map(({ name }) => name);

const sources = ['apps', 'libs'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'))
    .map((file) => join(folder, file))
    .map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') })),
);

const findFiles = (pattern: RegExp): string[] =>
  sources.filter(({ text }) => pattern.test(text)).map(({ file }) => file);

const findNames = (pattern: RegExp, files = sources): string[] =>
  files.flatMap(({ text }) => [...text.matchAll(pattern)].map(({ groups }) => groups?.['name'] ?? ''));

describe('docs/configuration.md', () => {
  it('docs/configuration.md: has exactly the variables that configuration schemas declare', () => {
    const schemas = sources.filter(({ text }) => text.includes('ConfigSchema'));
    const key = new RegExp(`(?:^|\\{) +('?)(?<name>${VARIABLE})\\1: `, 'gm');
    const declared = new Set(findNames(key, schemas));
    expect(names.toSorted()).toEqual([...declared].sort());
  });

  it('docs/configuration.md: has every variable that is read without a schema', () => {
    const read = findNames(/process\.env(?:\.|\[')(?<name>\w+)/g);
    expect(read).not.toEqual([]);
    expect(read.filter((name) => !names.includes(name))).toEqual([]);
    // The signer's parent deletes the secrets that only the signer needs.
    expect(findFiles(/process\.env(?!\.|\[')/)).toEqual([
      'apps/account-kit/src/custody/signer/signer-process.ts',
      'libs/config/src/load-config.ts',
    ]);
  });

  it('docs/configuration.md: finds all config classes, because apps get them from their modules', () => {
    // Apart from config classes: a migration reads less than its app, bootstrap what every app reads, and the signer process
    // what its parent has checked.
    expect(findFiles(/\bloadConfig\(/).sort()).toEqual([
      'apps/account-kit/src/custody/executor-keys.config.ts',
      'apps/account-kit/src/custody/key-vault.config.ts',
      'apps/account-kit/src/custody/signer/signer.worker.ts',
      'apps/account-kit/src/evm/estimation/fee-ceilings.config.ts',
      'apps/account-kit/src/evm/paymaster.config.ts',
      'apps/account-kit/src/policies/rules/policies.config.ts',
      'apps/account-kit/src/solana/messages/solana-sponsor.config.ts',
      'apps/account-kit/src/solana/messages/solana.config.ts',
      'apps/account-kit/src/user-operations/execution/executor.config.ts',
      'apps/token-gating/src/clients/das/solana-core.config.ts',
      'libs/chain/src/node/nodes.config.ts',
      'libs/config/src/load-config.ts',
      'libs/database/src/run-migrations.ts',
      'libs/service/src/bootstrap.ts',
    ]);
    expect(findFiles(/\bnew \w+Config\(/)).toEqual([
      'apps/analytics/src/run-analytics-command.ts',
      'apps/identity/src/run-client-command.ts',
      'libs/database/src/run-database-command.ts',
    ]);
  });
});

describe('docs/operations.md', () => {
  it('docs/operations.md: says of every secret what happens when it changes', () => {
    const [, section = ''] = readPage('operations.md').split('\n## Secrets\n');
    const cells = [...(section.split('\n## ')[0] ?? '').matchAll(/^\| ([A-Z].*?) \|/gm)].map(
      ([, cell = '']) => cell,
    );
    const explained = cells.flatMap((cell) => cell.match(/\b[A-Z]+(?:_[A-Z]+)*_?\b/g) ?? []);
    const secrets = documented
      .filter(({ isSecret }) => isSecret)
      .map(({ name }) => name.replace('<chainId>', ''));
    expect(explained.sort()).toEqual([...new Set(secrets)].sort());
  });
});
