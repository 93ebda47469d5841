import { parseArgs } from 'node:util';
import { apps } from './apps.mjs';
import { messageOf } from '../processes/error-facts.mjs';

export const START_USAGE = `npm start [-- <options>]   Installs and builds what is missing, and runs everything until Ctrl-C.

  --no-demo   only the apps and what they stand on: no demo client application, community, history, bot or tokens,
              no receiver of callbacks, and no stand-ins of OpenSea and the platforms
  --help      this text and, beside a run: its addresses, its logs, and a command for each part of the demo

Ports and servers of your own: docs/configuration.md, "The local profile".
`;

export const DEV_USAGE = `npm run dev [-- <options>] [<app> …]   Like npm start, and restarts an app when one of its sources changes.

  <app>       watch and inspect only this app: ${apps.map(({ name }) => name).join(', ')}
  --no-demo   as for npm start
  --help      this text

A change in libs/ restarts the apps that load it. An inspector of each watched app listens on 127.0.0.1, and the
banner says where. Types are not checked: npm run typecheck.
`;

/**
 * @typedef {object} StartOptions
 * @property {boolean} hasDemo
 * @property {boolean} isHelp only the usage is wanted
 * @property {readonly string[]} watched apps that are restarted when a source changes
 */

/** @param {string[]} args of `npm start` @returns {StartOptions} @throws Error when they are not understood */
export function parseStartOptions(args) {
  const { hasDemo, isHelp } = parse(args, { usage: START_USAGE, allowPositionals: false });
  return { hasDemo, isHelp, watched: [] };
}

/** @param {string[]} args of `npm run dev` @returns {StartOptions} @throws Error when they are not understood */
export function parseDevOptions(args) {
  const { positionals, ...options } = parse(args, { usage: DEV_USAGE, allowPositionals: true });
  const names = apps.map(({ name }) => name);
  const unknown = positionals.find((name) => !names.includes(name));
  if (unknown !== undefined) throw new Error(`There is no app "${unknown}".\n\n${DEV_USAGE}`);
  return { ...options, watched: positionals.length > 0 ? [...new Set(positionals)] : names };
}

/** @param {string[]} args @param {{ usage: string, allowPositionals: boolean }} options */
function parse(args, { usage, allowPositionals }) {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals,
      options: { 'no-demo': { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
    });
    return { hasDemo: !values['no-demo'], isHelp: values.help, positionals };
  } catch (error) {
    throw new Error(`${messageOf(error)}\n\n${usage}`, { cause: error });
  }
}
