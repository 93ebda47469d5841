import { expect, it } from '@jest/globals';
import { listFiles, read } from '../support/project-files.js';

/** Sources that use what a dependency does not document, by the dependency: a patch release may change it. */
const REACH_INS: Readonly<Record<string, string>> = {
  'apps/identity/src/oauth2/provider/create-provider.ts': 'oidc-provider',
  'apps/identity/src/oauth2/provider/provider-middleware.ts': 'oidc-provider',
  'apps/identity/src/oauth2/tokens/refresh-tokens.ts': 'oidc-provider',
  'apps/identity/src/oauth2/tokens/issue-jwt-access-tokens.ts': 'oidc-provider',
  'apps/identity/src/oauth2/tokens/revocation-policy.ts': 'oidc-provider',
  'apps/token-gating/src/checks/keep-original.ts': 'zod',
  'libs/database/src/reach-ins/query-sequence.ts': 'pg',
  'libs/dto/src/accept-valid-input.ts': 'zod',
  'libs/http/src/reach-ins/undici-parts.d.ts': 'undici',
  'libs/http/src/reach-ins/undici.ts': 'undici',
  'libs/queues/src/reach-ins/closeable-redis.ts': 'ioredis',
  'libs/queues/src/reach-ins/retrying-postgres-backend.ts': 'bullmq',
  'libs/service/src/reach-ins/http-messages.ts': 'express',
};

const SIGNS: readonly RegExp[] = [
  // A module inside a package, and the internals of Node.
  /(?:from|module) '(?:@[\w-]+\/)?\w[\w.-]*\/(?:lib|dist|src|build|internal)\//,
  /from 'node:v8'/,
  // A class of a package that is changed or given another prototype.
  /setPrototypeOf\(|(?:assign|defineProperty)\(\s*\w+\.prototype|\.prototype(?:\.\w+ = | as unknown as)|\{ prototype \} of/,
  // Properties that packages keep for themselves.
  /\._(?:zod|def|httpMessage|events|pool)\b|\b_httpMessage\b|submittedNamedStatements|ownsPool/,
];

const isReachIn = (file: string): boolean => SIGNS.some((sign) => sign.test(read(file)));

it('reach-ins: only the listed sources use what a dependency does not document', () => {
  const files = ['apps', 'libs']
    .flatMap((folder) => listFiles(['.ts'], folder))
    .filter((file) => !file.endsWith('.spec.ts') && !file.includes('/browser/'));
  const found = files.filter((file) => isReachIn(file) || file.includes('/reach-ins/'));
  expect(found.sort()).toEqual(Object.keys(REACH_INS).sort());
});

it('reach-ins: each one of a lib names the version of its dependency and a link to it', () => {
  for (const file of Object.keys(REACH_INS).filter((name) => /^libs\/.*(?<!\.d)\.ts$/.test(name))) {
    expect({ file, namesVersion: /\b\d+\.\d+\.\d+\b|Node \d+/.test(read(file)) }).toEqual({
      file,
      namesVersion: true,
    });
    expect(read(file)).toContain('https://');
  }
});
