// Compiles contracts/*.sol into the committed contracts/artifacts: `node contracts/compile.mjs`, or `--check` to fail when they are stale.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { codeOf } from '../scripts/processes/error-facts.mjs';
import { runTool } from '../scripts/processes/tool.mjs';
import { importFromTool, installTools } from '../scripts/build/tools.mjs';

if ((await runTool((children) => installTools(children, ['solc']))) !== 0) process.exit(1);
/** @type {{ default: { compile: (input: string) => string } }} */
const { default: solc } = await importFromTool('solc');

const folder = new URL('./', import.meta.url);
const names = (await readdir(folder)).filter((name) => name.endsWith('.sol')).sort();
/** @type {Record<string, { content: string }>} */
const sources = {};
for (const name of names) sources[name] = { content: await readFile(new URL(name, folder), 'utf8') };

/**
 * @typedef {{ abi: unknown[], evm: { bytecode: { object: string } } }} Compiled
 * @typedef {{ errors?: { formattedMessage: string }[], contracts: Record<string, Record<string, Compiled>> }} Output
 */
const output = /** @type {Output} */ (
  JSON.parse(
    solc.compile(
      JSON.stringify({
        language: 'Solidity',
        sources,
        settings: {
          // The oldest instruction set that current chains share, and no metadata: the same source gives the same bytes.
          evmVersion: 'paris',
          optimizer: { enabled: true, runs: 200 },
          metadata: { appendCBOR: false, bytecodeHash: 'none' },
          outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
        },
      }),
    ),
  )
);

for (const message of output.errors ?? []) {
  console.error(message.formattedMessage);
  process.exitCode = 1;
}

if (!process.exitCode) {
  for (const [file, contracts] of Object.entries(output.contracts)) {
    for (const [name, { abi, evm }] of Object.entries(contracts)) {
      const isInterface = evm.bytecode.object === '';
      if (isInterface) continue;
      if (`${name}.sol` !== file)
        throw new Error(`${file} holds another contract than its name says: ${name}`);
      await place(name, `${JSON.stringify({ abi, bytecode: `0x${evm.bytecode.object}` }, null, 2)}\n`);
    }
  }
  await checkStrangers();
}

/** @param {string} name @param {string} text */
async function place(name, text) {
  const target = new URL(`artifacts/${name}.artifact.json`, folder);
  if (!process.argv.includes('--check')) {
    await writeFile(target, text);
    return;
  }
  const found = await readFile(target, 'utf8').catch(codeOf);
  if (found !== text) fail(`${name}.artifact.json is stale: run node contracts/compile.mjs`);
}

async function checkStrangers() {
  for (const name of await readdir(new URL('artifacts/', folder))) {
    if (!names.includes(name.replace('.artifact.json', '.sol'))) fail(`${name} has no source`);
  }
}

/** @param {string} message */
function fail(message) {
  console.error(message);
  process.exitCode = 1;
}
