import { parseArgs } from 'node:util';
import { USAGE_EXIT_CODE } from '../images/app-commands.mjs';
import { codeOf, messageOf } from '../processes/error-facts.mjs';

/**
 * @typedef {object} Flag
 * @property {string} help
 * @property {string} [value] how the help names its value; a flag without one is on or off
 * @property {string} [default]
 */

/**
 * @typedef {object} Command one of operators
 * @property {string} name
 * @property {string} summary one line of the list of commands
 * @property {(args: string[]) => Promise<number>} run @returns the exit code
 */

/** An invalid command line. The message names the argument or the flag. */
export class UsageError extends Error {
  /** @override */
  name = 'UsageError';
}

/**
 * Defines a command: `--help` prints what it takes, a command line that is not understood exits with 64, a failure with 1.
 * @param {object} definition
 * @param {string} definition.name
 * @param {string} definition.summary
 * @param {string} [definition.positionals] how the help names its arguments; it takes none without
 * @param {Record<string, Flag>} [definition.flags]
 * @param {(args: string[]) => Promise<number | void> | number | void} definition.run throws UsageError for flags that it does not take
 * @returns {Command}
 */
export function defineCommand({ name, summary, positionals, flags = {}, run }) {
  const help = formatHelp({ name, summary, positionals, flags });
  return {
    name,
    summary,
    async run(args) {
      if (args.includes('--help')) {
        process.stdout.write(help);
        return 0;
      }
      try {
        const given = parseFlags(args, flags);
        if (positionals === undefined && given.positionals.length > 0)
          throw new UsageError(`"${given.positionals[0]}" is one argument too many`);
        return (await run(args)) ?? 0;
      } catch (error) {
        process.stderr.write(`${messageOf(error)}\n`);
        if (!(error instanceof UsageError)) return 1;
        process.stderr.write(`npm run gatehouse -- ${name} --help shows what it takes.\n`);
        return USAGE_EXIT_CODE;
      }
    },
  };
}

/**
 * @param {string[]} args
 * @param {Record<string, Flag>} flags
 * @returns {{ values: Record<string, string | boolean | undefined>, positionals: string[] }}
 * @throws UsageError that names a flag which there is not, or which has no value
 */
export function parseFlags(args, flags) {
  const options = Object.fromEntries(
    Object.entries(flags).map(([name, flag]) => [
      name,
      flag.value === undefined
        ? /** @type {const} */ ({ type: 'boolean' })
        : /** @type {const} */ ({
            type: 'string',
            ...(flag.default === undefined ? {} : { default: flag.default }),
          }),
    ]),
  );
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    return { values: { ...values }, positionals };
  } catch (error) {
    if (codeOf(error)?.startsWith('ERR_PARSE_ARGS') !== true) throw error;
    // Node's advice, how to pass arguments that look like flags, would hide the name of the flag.
    throw new UsageError(messageOf(error).replace(/\. To specify .*$/s, '.'), { cause: error });
  }
}

/** @param {{ name: string, summary: string, positionals?: string | undefined, flags: Record<string, Flag> }} definition */
function formatHelp({ name, summary, positionals, flags }) {
  const rows = Object.entries(flags).map(([flag, { value, help, default: fallback }]) => ({
    flag: value === undefined ? `--${flag}` : `--${flag} <${value}>`,
    help: fallback === undefined ? help : `${help} (${fallback})`,
  }));
  const width = Math.max(0, ...rows.map(({ flag }) => flag.length));
  const usage = [`npm run gatehouse -- ${name}`, positionals, rows.length > 0 ? '[flags]' : undefined];
  return [
    usage.filter((part) => part !== undefined).join(' '),
    `  ${summary}`,
    ...(rows.length > 0 ? ['', ...rows.map(({ flag, help }) => `  ${flag.padEnd(width)}  ${help}`)] : []),
    '',
  ].join('\n');
}
