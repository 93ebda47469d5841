import { parseArgs } from 'node:util';

export const START_USAGE = `npm start [-- <options>]   Installs and builds what is missing, and runs everything until Ctrl-C.

  --no-demo   only the apps and what they stand on: no demo client application, community, history, bot or tokens,
              no receiver of callbacks, and no stand-ins of OpenSea and the platforms
  --help      this text

Ports and servers of your own: docs/configuration.md, "The local profile".
`;

/**
 * @typedef {object} StartOptions
 * @property {boolean} hasDemo
 * @property {boolean} isHelp only the usage is wanted
 */

/** @param {string[]} args of `npm start` @returns {StartOptions} @throws Error when they are not understood */
export function parseStartOptions(args) {
  try {
    const { values } = parseArgs({
      args,
      options: { 'no-demo': { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
    });
    return { hasDemo: !values['no-demo'], isHelp: values.help };
  } catch (error) {
    throw new Error(`${error.message}\n\n${START_USAGE}`, { cause: error });
  }
}
