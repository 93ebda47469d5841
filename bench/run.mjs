// Ratios measured side by side in one run. Prints tables, asserts nothing.
//   npm run bench                          everything but load
//   npm run bench -- memory                only the benches whose name holds this word
//   npm run bench -- load --minutes 10     minutes of mixed load, and what it does to the apps' memory
//   npm run bench -- load --redis          the same with queues and counters on Redis
//   npm run bench -- analytics --large     reports of a community of which ten million events are stored
import { parseArgs } from 'node:util';
import { runTool } from '../scripts/processes/tool.mjs';
import { accountAddresses, solanaTransactions, userOperations } from './account-kit.mjs';
import { accountReads } from './account-reads.mjs';
import { analytics } from './analytics.mjs';
import { balanceChecks } from './balance-checks.mjs';
import { callbacks } from './callbacks.mjs';
import { credentialSpeed } from './credential-speed.mjs';
import { drain } from './drain.mjs';
import { explainedChecks } from './explained-checks.mjs';
import { engine } from './engine.mjs';
import { idleMemory } from './idle-memory.mjs';
import { longLoad } from './long-load.mjs';
import { memberRoles } from './member-roles.mjs';
import { mixedRules } from './mixed-rules.mjs';
import { oauthSpeed } from './oauth-speed.mjs';
import { oneCheck } from './one-check.mjs';
import { ruleTrees } from './rule-trees.mjs';
import { signInSpeed } from './sign-in-speed.mjs';
import { solana } from './solana.mjs';
import { statusLists } from './status-lists.mjs';
import { tenRules } from './ten-rules.mjs';
import { traceCost } from './trace-cost.mjs';
import { prepareBuild, prepareDependencies } from '../scripts/suite/bring-up.mjs';
import { messageOf } from '../scripts/processes/error-facts.mjs';
import { createProgress } from '../scripts/processes/progress.mjs';
import { installTools } from '../scripts/build/tools.mjs';

const benches = {
  check: oneCheck,
  rules: tenRules,
  solana,
  mixed: mixedRules,
  engine,
  explained: explainedChecks,
  trees: ruleTrees,
  drain,
  callbacks,
  members: balanceChecks,
  'member-roles': memberRoles,
  credentials: credentialSpeed,
  'status-lists': statusLists,
  siwe: signInSpeed,
  oauth: oauthSpeed,
  accounts: accountReads,
  analytics,
  'account-kit-addresses': accountAddresses,
  'account-kit-operations': userOperations,
  'account-kit-solana': solanaTransactions,
  traces: traceCost,
  memory: idleMemory,
  load: longLoad,
};
/** Takes too long for everybody who wants all the others. */
const ONLY_BY_NAME = ['load'];

const usage = `npm run bench -- [name] [--minutes 10] [--redis] [--large]
  names: ${Object.keys(benches).join(', ')}; all but ${ONLY_BY_NAME.join(', ')} without one
  --minutes and --redis are for load, --large is for analytics
`;

const { values, positionals } = readArguments();
const [wanted] = positionals;
const chosen = Object.entries(benches).filter(([name]) =>
  wanted === undefined ? !ONLY_BY_NAME.includes(name) : name.includes(wanted),
);
if (values.help || chosen.length === 0) {
  process.stdout.write(usage);
  process.exit(values.help ? 0 : 64);
}
const options = { minutes: Number(values.minutes), redis: values.redis, large: values.large };

process.exit(
  await runTool(async (children) => {
    const progress = createProgress(process.stderr);
    await prepareDependencies({ children, progress });
    await prepareBuild({ children, progress });
    await installTools(children, ['autocannon']);
    for (const [, bench] of chosen) process.stdout.write(`\n${await bench(children, options)}\n`);
  }),
);

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        minutes: { type: 'string', default: '10' },
        redis: { type: 'boolean', default: false },
        large: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n${usage}`);
    process.exit(64);
  }
}
