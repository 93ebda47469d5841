import { apps, findApp } from '../suite/apps.mjs';
import { planPorts } from '../suite/port-plan.mjs';

/** @import { VariableDescription } from '../../libs/config/src/describe-variable.js' */
/** @typedef {{ variable: VariableDescription, readers: string[] }} Row a variable, and the apps that read it */

/**
 * @typedef {object} AppConfiguration
 * @property {string} app
 * @property {VariableDescription[]} variables
 */

/**
 * docs/configuration.md: every variable once, with the apps that read it.
 * @param {AppConfiguration[]} configurations
 * @param {VariableDescription[]} commandLine variables of commands that work with the public API
 * @throws Error when two apps describe a variable differently
 */
export function configurationPage(configurations, commandLine) {
  const variables = mergeByName(configurations);
  const readByAll = variables.filter(({ readers }) => readers.length === configurations.length);
  const readBySome = variables.filter(
    ({ readers }) => readers.length > 1 && readers.length < configurations.length,
  );
  return [
    '# Configuration',
    '',
    "Generated from the apps' configuration schemas by `npm run configuration`.",
    '',
    'Every setting comes from the environment and is checked at start; an empty variable counts as unset. An app that cannot',
    'use its configuration prints which variable is wrong and exits with code 78. “Secret” marks what must not be readable by',
    'others; its value may also stand in a file that `<NAME>_FILE` names, such as `DATABASE_URL_FILE=/run/secrets/database-url`: [operations.md](operations.md#secrets) shows how to make each secret, and what happens when one changes. What the',
    'Redis at `REDIS_URL` must look like: [queues](guides/queues.md#redis).',
    '',
    '## All apps',
    '',
    ...table(readByAll),
    '',
    '## Shared by several apps',
    '',
    ...table(readBySome, { hasReaders: true }),
    '',
    ...configurations.flatMap(({ app }) => section(app, variables, readBySome)),
    ...commandLineSection(commandLine),
    ...localProfile(),
    '',
  ].join('\n');
}

/** @param {AppConfiguration[]} configurations */
function mergeByName(configurations) {
  /** @type {Map<string, Row>} */
  const merged = new Map();
  for (const { app, variables } of configurations)
    for (const variable of variables) {
      const known = merged.get(variable.name);
      if (known === undefined) merged.set(variable.name, { variable, readers: [app] });
      else if (JSON.stringify(known.variable) === JSON.stringify(variable)) known.readers.push(app);
      else throw new Error(`${app} and ${known.readers.join(', ')} describe ${variable.name} differently`);
    }
  return [...merged.values()].sort((a, b) => (a.variable.name < b.variable.name ? -1 : 1));
}

/** @param {string} app @param {Row[]} variables @param {Row[]} readBySome */
function section(app, variables, readBySome) {
  const own = variables.filter(({ readers }) => readers.length === 1 && readers[0] === app);
  const shared = readBySome.filter(({ readers }) => readers.includes(app)).map(({ variable }) => variable);
  const required = shared.filter((variable) => variable.default === undefined);
  const others = shared.filter((variable) => variable.default !== undefined);
  return [
    `## ${app}`,
    '',
    ...(own.length === 0 ? [] : [...table(own), '']),
    ...sentence('Shared variables that it requires', required),
    ...sentence('Other shared variables that it reads', others),
    ...(own.length + shared.length === 0 ? ['It reads only what all apps read.', ''] : []),
  ];
}

/** @param {VariableDescription[]} variables */
function commandLineSection(variables) {
  return [
    '## The commands login, logout and apply',
    '',
    'Read by `npm run client -- login`, `logout` and `apply` ([guide](guides/as-code.md)), which run anywhere; apps do not read them.',
    '',
    ...table(variables.map((variable) => ({ variable, readers: [] }))),
    '',
  ];
}

/** @param {string} start @param {VariableDescription[]} variables */
function sentence(start, variables) {
  const names = variables.map(({ name }) => `\`${name}\``);
  return names.length === 0 ? [] : [`${start}: ${names.join(', ')}.`, ''];
}

/** @param {Row[]} rows @param {{ hasReaders?: boolean }} [options] */
function table(rows, { hasReaders = false } = {}) {
  /** @param {string[]} readers */
  const readersOf = (readers) => (hasReaders ? [readers.join(', ')] : []);
  return [
    row(['Variable', ...readersOf(['Read by']), 'What it is', 'Format', 'Default', 'Secret']),
    row(['---', ...readersOf(['---']), '---', '---', '---', '---']),
    ...rows.map(({ variable, readers }) =>
      row([
        `\`${variable.name}\``,
        ...readersOf(readers),
        variable.description,
        variable.format,
        variable.default ?? '**required**',
        variable.secret ?? '',
      ]),
    ),
  ];
}

/** @param {string[]} cells */
const row = (cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;

function localProfile() {
  const { port, managementPort, inspectorPort } = findApp(apps, 'gateway');
  const ports = planPorts(apps, {}).wanted.filter(({ name }) => !name.endsWith(' management'));
  return [
    '## The local profile',
    '',
    '`npm start` sets all of this, public chain nodes included. `REDIS_URL` is passed on when it is set. `DATABASE_URL` and',
    '`RPC_URL_31337` replace the embedded PostgreSQL and the local chain (an anvil; the demo tokens are deployed there), `RPC_URL_8000000000103` the local Solana cluster. `ANVIL_PATH` names another anvil than that of npm.',
    '',
    'Everything listens on loopback only:',
    '',
    row(['What', 'Port', 'Moved by']),
    row(['---', '---', '---']),
    ...ports.map(({ name, port, variable }) => row([name, String(port), `\`${variable}\``])),
    row(['management of each app', `${managementPort - port} above the app`, '`GATEWAY_MANAGEMENT_PORT`, …']),
    row([
      'inspector of each app, with `npm run dev`',
      `${inspectorPort} to ${Math.max(...apps.map((app) => app.inspectorPort))}`,
      '`GATEWAY_INSPECTOR_PORT`, …',
    ]),
    '',
    "When root starts it in a folder that PostgreSQL's own user cannot enter, the database is in",
    '`/var/lib/gatehouse-<hash of the folder>`.',
  ];
}
