import parser from '@typescript-eslint/parser';
import boundaries from 'eslint-plugin-boundaries';

/** Which libs a lib may import (docs/adr/0001-one-repository.md). An app may import every lib. */
const LIBS = {
  common: [],
  config: ['common'],
  dto: ['common'],
  openapi: ['dto', 'common'],
  auth: ['common', 'config', 'dto', 'openapi'],
  chain: ['common', 'config', 'dto', 'http', 'limits'],
  http: ['common', 'config', 'dto'],
  queues: ['common', 'config', 'dto'],
  database: ['common', 'config', 'dto'],
  limits: ['common', 'config', 'dto'],
  pubsub: ['common', 'config', 'dto'],
  outbox: ['common', 'config', 'dto', 'queues', 'database'],
  'key-ring': ['common', 'database', 'service'],
  service: [
    'common',
    'config',
    'dto',
    'openapi',
    'auth',
    'chain',
    'http',
    'queues',
    'database',
    'limits',
    'pubsub',
  ],
};

/**
 * The feature folders of each app in the order of their imports: a feature imports only those before it, so that no two
 * import each other (docs/architecture.md).
 */
const FEATURES = {
  gateway: [
    'migrations',
    'credentials',
    'pipeline',
    'document',
    'documentation',
    'pages',
    'usage',
    'aliases',
  ],
  identity: [
    'clients',
    'common',
    'migrations',
    'tokens',
    'wallet-signatures',
    'users',
    'applications',
    'platform-wallets',
    'browser-sessions',
    'passkeys',
    'ethereum-login',
    'oauth2',
    'operators',
    'command-line',
    'pages',
    'database',
  ],
  'token-gating': [
    'migrations',
    'database',
    'clients',
    'credential-revocations',
    'subjects',
    'metadata',
    'rules',
    'callbacks',
    'checks',
    'published-rules',
    'communities',
    'roles',
    'access-control',
    'assets',
    'catalogue',
    'portal',
    'verifiable-credentials',
    'jwks',
  ],
  'account-kit': [
    'migrations',
    'database',
    'states',
    'clients',
    'owners',
    'chain-nodes',
    'evm',
    'limits',
    // The signer process judges by these two, so they stand before the keys, and apart from what needs keys.
    'solana/messages',
    'policies/rules',
    'custody',
    'policies',
    'user-operations',
    'mint',
    'solana',
    'actions',
    'api',
    'commands',
  ],
  analytics: [
    'migrations',
    'database',
    'time',
    'clients',
    'rollups',
    'ingest',
    'operations',
    'erasure',
    'rebuild',
    'reconciliation',
    'reports',
    'events-export',
  ],
};

/** A third-party SDK has one address; everywhere else its import is an error. */
const SDKS = [
  { packages: ['viem', 'viem/**'], libs: ['chain'], apps: ['account-kit'] },
  { packages: ['@solana/web3.js'], libs: ['chain'], apps: ['account-kit'] },
  { packages: ['siwe', 'secp256k1'], libs: ['chain'], apps: [] },
  {
    packages: ['bullmq', '@nestjs/bullmq'],
    libs: ['queues'],
    apps: ['token-gating', 'analytics', 'identity', 'account-kit'],
  },
  { packages: ['ioredis'], libs: ['queues', 'limits', 'pubsub'], apps: [] },
  {
    packages: ['typeorm', 'typeorm/**', 'pg'],
    libs: ['database', 'outbox'],
    apps: ['identity', 'token-gating', 'gateway', 'analytics', 'account-kit'],
  },
  { packages: ['oidc-provider'], libs: [], apps: ['identity'] },
  { packages: ['@aws-sdk/**'], libs: [], apps: ['account-kit'] },
  { packages: ['undici', 'undici/**'], libs: ['http'], apps: [] },
  { packages: ['@sd-jwt/core'], libs: [], apps: ['token-gating'] },
  { packages: ['jose'], libs: ['auth'], apps: ['identity', 'token-gating'] },
];

/** A folder within a feature folder that has a place of its own in the order: an element of its own type. */
const isNested = (feature) => feature.includes('/');

const element = (type, captured) => ({ to: { element: { type, captured } } });
const external = (source) => ({ to: { module: { origin: 'external', source } } });

const MODULES = [
  { allow: { to: { module: { origin: 'external' } } } },
  { allow: { to: { module: { origin: 'core' } } } },
];

/** The third-party SDKs that a lib or an app must not import. */
const sdkPolicy = (kind, name) => ({
  disallow: external(SDKS.filter((sdk) => !sdk[kind].includes(name)).flatMap(({ packages }) => packages)),
});

const libPolicies = (name, mayImport) => [
  ...MODULES,
  { allow: element('lib', { name: [name, ...mayImport] }) },
  sdkPolicy('libs', name),
];

/** @param {string[]} features that these files may import */
const appPolicies = (app, features) => [
  ...MODULES,
  { allow: element('lib', { name: Object.keys(LIBS) }) },
  { allow: element('app', { name: app }) },
  { allow: element('feature', { app, feature: features.filter((feature) => !isNested(feature)) }) },
  ...features.filter(isNested).map((feature) => ({ allow: { to: { element: { type: feature } } } })),
  sdkPolicy('apps', app),
];

const importRules = (files, policies) => ({
  files: [files],
  rules: { 'boundaries/dependencies': ['error', { default: 'disallow', checkAllOrigins: true, policies }] },
});

// Only the import rules: oxlint (.oxlintrc.json) checks all others, five times as fast.
export default [
  {
    files: ['apps/**/*.ts', 'libs/**/*.ts'],
    languageOptions: { parser },
    // The comments that switch rules off are for oxlint.
    linterOptions: { reportUnusedDisableDirectives: 'off', noInlineConfig: true },
    plugins: { boundaries },
    settings: {
      'import/resolver': { typescript: { project: 'tsconfig.json' } },
      'boundaries/elements': [
        ...Object.entries(FEATURES).flatMap(([app, features]) =>
          features.filter(isNested).map((type) => ({ type, pattern: `apps/${app}/src/${type}` })),
        ),
        { type: 'feature', pattern: 'apps/*/src/*', capture: ['app', 'feature'] },
        { type: 'app', pattern: 'apps/*', capture: ['name'] },
        { type: 'lib', pattern: 'libs/*', capture: ['name'] },
      ],
    },
  },
  // A lib, an app or a feature that is not listed above imports nothing of ours.
  importRules('{apps,libs}/**/*.ts', MODULES),
  // A rule set for each lib and feature, because every import is compared with every policy of its file's set.
  ...Object.entries(LIBS).map(([name, mayImport]) =>
    importRules(`libs/${name}/**/*.ts`, libPolicies(name, mayImport)),
  ),
  ...Object.entries(FEATURES).flatMap(([app, features]) => [
    importRules(`apps/${app}/src/*.ts`, appPolicies(app, features)),
    // The last rule set of a file counts, so those of nested folders come after those of the folders around them.
    ...features
      .map((feature, index) => ({ feature, mayImport: features.slice(0, index + 1) }))
      .toSorted((one, other) => Number(isNested(one.feature)) - Number(isNested(other.feature)))
      .map(({ feature, mayImport }) =>
        importRules(`apps/${app}/src/${feature}/**/*.ts`, appPolicies(app, mayImport)),
      ),
  ]),
];
