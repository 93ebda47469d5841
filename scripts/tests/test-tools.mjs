import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runsKubectl } from '../kubernetes/unpack-kubectl.mjs';
import { messageOf } from '../processes/error-facts.mjs';
import { root } from '../build/project.mjs';
import { EXAMPLES, findTool, installTool } from '../build/tools.mjs';

/** @import { TestOptions } from './test-options.mjs' */

/**
 * Tools that tests need, by the function that describes tests which are skipped without the tool (test/support/needs.ts).
 * @type {Record<string, string>}
 */
const TOOLS_OF_TESTS = {
  ...(runsKubectl && { kubectl: 'describeWithKubectl' }),
  'openapi-clients': 'describeWithOpenapiClients',
  ...Object.fromEntries(EXAMPLES.map((name) => [name, 'describeWithExamplePackages'])),
};
const FOLDERS = ['apps', 'libs', 'test'];
/** Options of jest whose value is the next argument. */
const WITH_VALUE = ['-t', '--testNamePattern'];

/**
 * Fetches the tools that the chosen tests use, so that only a machine without a registry skips these tests.
 * @param {{ children: import('../processes/children.mjs').Children, progress: import('../processes/progress.mjs').Progress }} about
 * @param {TestOptions} options
 */
export async function prepareTools({ children, progress }, options) {
  if (options.hasBundler && findTool('alto') === undefined)
    await progress.step('Fetching alto', () => installTool(children, 'alto'));
  /** @type {readonly string[]} */
  const hidden = options.hidden;
  const missing = Object.keys(TOOLS_OF_TESTS).filter(
    (name) => !hidden.includes(name) && findTool(name) === undefined,
  );
  for (const name of missing.length === 0 ? [] : chooseTools(missing, options))
    try {
      await progress.step(`Fetching ${name}`, () => installTool(children, name));
    } catch (error) {
      // Tests that need the tool are skipped, and counted with the command that fetches it.
      process.stderr.write(`${messageOf(error).split('\n')[0]}\n`);
    }
}

/**
 * @param {string[]} names
 * @param {Pick<TestOptions, 'hasUnit' | 'hasEndToEnd' | 'jestArgs'>} options
 * @returns {string[]} those that a chosen test file uses
 */
export function chooseTools(names, { hasUnit, hasEndToEnd, jestArgs }) {
  const patterns = jestArgs
    .filter((arg, index) => !arg.startsWith('-') && !WITH_VALUE.includes(jestArgs[index - 1] ?? ''))
    .map((arg) => new RegExp(arg, 'i'));
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  ).filter((file) => (hasUnit && file.endsWith('.spec.ts')) || (hasEndToEnd && file.endsWith('-spec.ts')));
  const texts = files
    .filter((file) => patterns.length === 0 || patterns.some((one) => one.test(join(root, file))))
    .map((file) => readFileSync(join(root, file), 'utf8'));
  // Named, and not only called: a table of tests may hold the function.
  return names.filter((name) => texts.some((text) => text.includes(TOOLS_OF_TESTS[name] ?? `${name}?`)));
}
