// Writes docs/configuration.md from the apps' configuration schemas. `--check` only says whether it is fresh.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { apps } from '../suite/apps.mjs';
import { configurationPage } from '../docs/configuration-page.mjs';
import { importBuilt } from '../build/import-built.mjs';
import { root } from '../build/project.mjs';

/** @import { AppConfiguration } from '../docs/configuration-page.mjs' */

const { describeVariable } = /** @type {typeof import('../../libs/config/src/index.js')} */ (
  await importBuilt('libs/config/src/index.js')
);
const { createConfigurationSchema } = /** @type {typeof import('../../libs/service/src/index.js')} */ (
  await importBuilt('libs/service/src/index.js')
);

const target = join(root, 'docs/configuration.md');
/** @type {AppConfiguration[]} */
const configurations = [];
for (const { name } of apps) {
  const { shape } = await createConfigurationSchema(await loadRootModule(name));
  const variables = Object.entries(shape).map((variable) => describeVariable(...variable));
  configurations.push({ app: name, variables });
}
const { commandLineConfigSchema } =
  /** @type {typeof import('../../apps/identity/src/command-line/command-line.config.js')} */ (
    await importBuilt('apps/identity/src/command-line/command-line.config.js')
  );
const commandLine = Object.entries(commandLineConfigSchema.shape).map((variable) =>
  describeVariable(...variable),
);
const fresh = configurationPage(configurations, commandLine);

if (process.argv.includes('--check')) {
  if (readFileSync(target, 'utf8') !== fresh) {
    console.error('docs/configuration.md is stale: run `npm run configuration` and commit the result.');
    process.exit(1);
  }
  console.log('docs/configuration.md is fresh.');
} else {
  writeFileSync(target, fresh);
  console.log(`docs/configuration.md: ${new Set(configurations.flatMap(namesOf)).size} variables.`);
}

/** @param {AppConfiguration} options */
function namesOf({ variables }) {
  return variables.map(({ name }) => name);
}

/**
 * Identity has another root module for the local profile, with variables of its own.
 * @param {string} app
 * @returns {Promise<Parameters<typeof createConfigurationSchema>[0]>}
 */
async function loadRootModule(app) {
  const [file, name] = app === 'identity' ? ['local-app', 'LocalAppModule'] : ['app', 'AppModule'];
  const modules = /** @type {Record<string, Parameters<typeof createConfigurationSchema>[0]>} */ (
    await importBuilt(`apps/${app}/src/${file}.module.js`)
  );
  const found = modules[name];
  if (found === undefined) throw new Error(`${app} exports no ${name}`);
  return found;
}
