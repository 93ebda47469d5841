import { nodeVersionProblem } from '../build/node-version.mjs';

const problem = nodeVersionProblem();
if (problem !== undefined) {
  process.stderr.write(`${problem}\n`);
  process.exit(1);
}
// Loaded late, because an older Node cannot read the rest.
const { startSuite } = await import('../suite/start-suite.mjs');
process.exit(await startSuite(process.argv.slice(2)));
