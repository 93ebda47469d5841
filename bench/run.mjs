// Ratios measured side by side in one run. Prints tables, asserts nothing.
//   npm run bench            everything
//   npm run bench -- memory  only the benches whose name holds this word
import { runTool } from '../scripts/local/tool.mjs';
import { drain } from './drain.mjs';
import { engine } from './engine.mjs';
import { idleMemory } from './idle-memory.mjs';
import { oneCheck } from './one-check.mjs';
import { tenRules } from './ten-rules.mjs';
import { prepare } from '../scripts/local/bring-up.mjs';
import { createProgress } from '../scripts/local/progress.mjs';

const benches = { check: oneCheck, rules: tenRules, engine, drain, memory: idleMemory };
const [wanted = ''] = process.argv.slice(2);

process.exit(
  await runTool(async (children) => {
    await prepare({ children, progress: createProgress(process.stderr) });
    for (const [name, bench] of Object.entries(benches)) {
      if (name.includes(wanted)) process.stdout.write(`\n${await bench(children)}\n`);
    }
  }),
);
