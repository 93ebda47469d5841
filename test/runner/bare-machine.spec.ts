import { expect, it } from '@jest/globals';
import { join } from 'node:path';
import { root } from '../../scripts/build/project.mjs';
import { runTwice } from '../../scripts/tests/bare-machine.mjs';

const PATH = 'test/docs/guides.e2e-spec.ts';
const chosen = { name: 'curl', path: PATH, count: 2, env: {} } as const;

/** A run of the file whose first test is skipped for want of curl; its second one fails with the message, if there is one. */
function run(message?: string) {
  const failed = message !== undefined;
  const assertionResults = [
    { ancestorTitles: ['pages [needs curl]'], title: 'a', status: 'skipped' },
    {
      ...{ ancestorTitles: [], title: 'b', status: failed ? 'failed' : 'passed' },
      ...(failed && { failureMessages: [message] }),
    },
  ];
  const file = { name: join(root, PATH), status: failed ? 'failed' : 'passed', assertionResults };
  return { success: !failed, results: { success: !failed, testResults: [file] } };
}

/** Runs the file as often as there are results. */
async function check(...results: ReturnType<typeof run>[]) {
  const said: string[] = [];
  const left = [...results];
  const runFiles = () => Promise.resolve(left.splice(0, 1));
  const problems = await runTwice([chosen], { say: (line) => void said.push(line) }, runFiles);
  expect(left).toEqual([]);
  return { problems, said: said.join('\n') };
}

it('runTwice: runs a file once that passes', async () => {
  expect(await check(run())).toEqual({ problems: [], said: `  ${PATH} without curl` });
});

it('runTwice: is content with a file that passes in its second run, and says what it failed of', async () => {
  const { problems, said } = await check(run('b\n    Error: too late'), run());
  expect(problems).toEqual([]);
  expect(said).toContain('b\n    Error: too late');
  expect(said).toContain('Find out why');
});

it('runTwice: names what a file failed of twice', async () => {
  const { problems } = await check(run('first'), run('second'));
  expect(problems).toEqual([`${PATH} without curl: 0 passed, 1 failed, 1 skipped of 2 tests.`, 'second']);
});

it('runTwice: takes a file for failed that skips nothing for want of the program', async () => {
  const without = { success: true, results: { success: true, testResults: [] } };
  expect((await check(without, without)).problems).toHaveLength(1);
});
