import boundaries from 'eslint-plugin-boundaries';
import tseslint from 'typescript-eslint';

/** Which libs a lib may import (docs/adr/0001-one-repository.md). An app may import every lib. */
const LIBS = {
  common: [],
  config: ['common'],
  dto: ['common'],
  openapi: ['dto', 'common'],
  auth: ['common', 'config', 'dto', 'openapi'],
  chain: ['common', 'config', 'dto', 'http'],
  http: ['common', 'config', 'dto'],
  queues: ['common', 'config', 'dto'],
  database: ['common', 'config', 'dto'],
  'rate-limits': ['common', 'config', 'dto'],
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
    'rate-limits',
    'pubsub',
  ],
};

/**
 * The feature folders of each app in the order of their imports: a feature imports only those before it, so that no two
 * import each other (docs/architecture.md).
 */
const FEATURES = {
  gateway: ['migrations', 'credentials', 'pipeline', 'document', 'pages', 'usage'],
  identity: [
    'clients',
    'common',
    'migrations',
    'tokens',
    'wallet-signatures',
    'users',
    'applications',
    'browser-sessions',
    'ethereum-login',
    'oauth2',
    'pages',
    'database',
  ],
  'token-gating': [
    'migrations',
    'database',
    'clients',
    'subjects',
    'rules',
    'assets',
    'callbacks',
    'checks',
    'communities',
    'roles',
    'access-control',
  ],
  'account-kit': ['account-kit'],
  analytics: ['migrations', 'database', 'ingest', 'reports'],
};

const libsNamed = (names) => ({ to: { element: { type: 'lib', captured: { name: names } } } });

const importPolicies = [
  { from: { element: { type: 'app' } }, allow: libsNamed(Object.keys(LIBS)) },
  {
    from: { element: { type: 'app' } },
    allow: { to: { element: { type: 'app', captured: { name: '{{ from.element.captured.name }}' } } } },
  },
  ...Object.entries(LIBS).map(([name, mayImport]) => ({
    from: { element: { type: 'lib', captured: { name } } },
    allow: libsNamed([name, ...mayImport]),
  })),
  { from: { element: { type: 'feature' } }, allow: libsNamed(Object.keys(LIBS)) },
  {
    from: { element: { type: 'feature' } },
    allow: { to: { element: { type: 'app', captured: { name: '{{ from.element.captured.app }}' } } } },
  },
  {
    from: { element: { type: 'app' } },
    allow: { to: { element: { type: 'feature', captured: { app: '{{ from.element.captured.name }}' } } } },
  },
  ...Object.entries(FEATURES).flatMap(([app, features]) =>
    features.map((feature, index) => ({
      from: { element: { type: 'feature', captured: { app, feature } } },
      allow: {
        to: { element: { type: 'feature', captured: { app, feature: features.slice(0, index + 1) } } },
      },
    })),
  ),
  { allow: { to: { module: { origin: 'external' } } } },
  { allow: { to: { module: { origin: 'core' } } } },
];

/** A third-party SDK has one address; everywhere else its import is an error. */
const SDKS = [
  { packages: ['viem', 'viem/**', '@solana/web3.js', 'siwe', 'secp256k1'], libs: ['chain'], apps: [] },
  {
    packages: ['bullmq', '@nestjs/bullmq'],
    libs: ['queues'],
    apps: ['token-gating', 'analytics', 'identity'],
  },
  { packages: ['ioredis'], libs: ['queues', 'rate-limits', 'pubsub'], apps: [] },
  {
    packages: ['typeorm', 'typeorm/**', 'pg'],
    libs: ['database', 'outbox'],
    apps: ['identity', 'token-gating', 'gateway', 'analytics'],
  },
  { packages: ['oidc-provider'], libs: [], apps: ['identity'] },
  { packages: ['jose'], libs: ['auth'], apps: ['identity'] },
];

const allBut = (names) => (names.length === 0 ? '*' : `!(${names.join('|')})`);

const sdkPolicies = SDKS.flatMap(({ packages, libs, apps }) => {
  const disallow = { to: { module: { origin: 'external', source: packages } } };
  return [
    { from: { element: { type: 'lib', captured: { name: allBut(libs) } } }, disallow },
    { from: { element: { type: 'app', captured: { name: allBut(apps) } } }, disallow },
    { from: { element: { type: 'feature', captured: { app: allBut(apps) } } }, disallow },
  ];
});

export default tseslint.config(
  {
    ignores: ['dist/**', 'node_modules/**', '.local/**', 'coverage/**', '**/*.js', '**/*.mjs', '**/*.d.mts'],
  },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
      'no-console': 'error',
      '@typescript-eslint/no-extraneous-class': [
        'error',
        { allowWithDecorator: true, allowEmpty: true, allowConstructorOnly: true },
      ],
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/unbound-method': 'off',
      '@typescript-eslint/dot-notation': 'off',
      // Nest's option bags are classes that everyone fills with literals.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
    },
  },
  {
    files: ['apps/**/*.ts', 'libs/**/*.ts'],
    plugins: { boundaries },
    settings: {
      'import/resolver': { typescript: { project: 'tsconfig.json' } },
      'boundaries/elements': [
        { type: 'feature', pattern: 'apps/*/src/*', capture: ['app', 'feature'] },
        { type: 'app', pattern: 'apps/*', capture: ['name'] },
        { type: 'lib', pattern: 'libs/*', capture: ['name'] },
      ],
    },
    rules: {
      'boundaries/dependencies': [
        'error',
        { default: 'disallow', checkAllOrigins: true, policies: [...importPolicies, ...sdkPolicies] },
      ],
    },
  },
  {
    files: ['**/*.spec.ts', 'test/**/*.ts', 'bench/**/*.ts'],
    rules: { 'max-lines': 'off' },
  },
);
