// Writes docs/configuration.md from the apps' configuration schemas. `--check` only says whether it is fresh.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeVariable } from '../dist/libs/config/src/index.js';
import { createConfigurationSchema } from '../dist/libs/service/src/index.js';
import { apps } from './local/apps.mjs';
import { configurationPage } from './local/configuration-page.mjs';
import { root } from './local/project.mjs';

const target = join(root, 'docs/configuration.md');
const configurations = [];
for (const { name } of apps) {
  const { shape } = await createConfigurationSchema(await loadRootModule(name));
  const variables = Object.entries(shape).map((variable) => describeVariable(...variable));
  configurations.push({ app: name, variables });
}
const fresh = configurationPage(configurations);

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

function namesOf({ variables }) {
  return variables.map(({ name }) => name);
}

/** Identity has another root module for the local profile, with variables of its own. */
async function loadRootModule(app) {
  const load = (file) => import(`../dist/apps/${app}/src/${file}.module.js`);
  return app === 'identity' ? (await load('local-app')).LocalAppModule : (await load('app')).AppModule;
}
