/**
 * The environment of one app. What the user set wins, except for what must differ from app to app or keeps the local
 * profile on the loopback interface (shells set HOST and PORT for other ends).
 * @param {object} options
 * @param {import('./apps.mjs').App} options.app
 * @param {import('./apps.mjs').App[]} options.apps
 * @param {string} options.databaseUrl
 * @param {string} options.publicUrl
 * @param {import('./secrets.mjs').Secrets} options.secrets
 * @param {Record<string, string>} [options.extra] for example RPC_URL_31337
 * @param {NodeJS.ProcessEnv} [options.env]
 * @returns {NodeJS.ProcessEnv}
 */
export function appEnvironment({
  app,
  apps,
  databaseUrl,
  publicUrl,
  secrets,
  extra = {},
  env = process.env,
}) {
  return {
    NODE_ENV: 'development',
    LOG_LEVEL: 'info',
    SHUTDOWN_DELAY_MS: '0', // no load balancer has to hear of it first
    SHUTDOWN_GRACE_MS: '15000',
    PUBLIC_URL: publicUrl,
    CREDENTIAL_PEPPER: secrets.credentialPepper,
    CREDENTIAL_ENVIRONMENT: 'local',
    TOKEN_KEY_SECRET: secrets.tokenKeySecret,
    OPAQUE_TOKEN_SECRET: secrets.opaqueTokenSecret,
    CALLBACK_KEY_SECRET: secrets.callbackKeySecret,
    CALLBACK_ALLOW_CIDRS: '127.0.0.0/8,::1/128', // receivers on this machine
    DATABASE_URL: databaseUrl,
    ...(app.name === 'account-kit' ? { ACCOUNT_KEY_SECRET: secrets.accountKeySecret } : {}),
    ...Object.fromEntries(apps.map((one) => [`${one.variable}_URL`, `http://127.0.0.1:${one.port}`])),
    ...extra,
    ...env,
    HOST: '127.0.0.1',
    PORT: String(app.port),
    MANAGEMENT_PORT: String(app.managementPort),
    INTERNAL_SIGNING_KEY: JSON.stringify(secrets.signing[app.name]),
    INTERNAL_KEYS: JSON.stringify(secrets.keySet),
  };
}
